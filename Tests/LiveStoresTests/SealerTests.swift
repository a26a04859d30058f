import Crypto
import Foundation
import Sealing
import StoreFormats
import Testing

@Suite("Sealing")
struct SealerTests {
    private static let material = Data((0..<32).map { UInt8($0) })
    private static let content = Data("the content".utf8)

    private static let derivations: [KeyDerivation] = [.none, .hkdfSHA256, .pbkdf2SHA256(iterations: 3)]

    private func sealer(
        _ cipher: Cipher = .aes256GCM, _ derivation: KeyDerivation = .hkdfSHA256, material: Data = material
    ) throws -> Sealer {
        try Sealer(material: material, cipher: cipher, derivation: derivation, salt: .named("test"))
    }

    @Test(
        "what is sealed opens with the same material, whatever the opener would use itself", arguments: Cipher.allCases,
        derivations)
    func roundTrip(cipher: Cipher, derivation: KeyDerivation) throws {
        for content in [Data(), Self.content, Data(repeating: 9, count: 100_000)] {
            let sealed = try sealer(cipher, derivation).seal(content, context: "here")
            #expect(try sealer(cipher, derivation).open(sealed, context: "here") == content)
            #expect(try sealer().open(sealed, context: "here") == content)
            let header = try SealHeader(reading: sealed)
            #expect(header.cipher == cipher && header.derivation == derivation && header.contentLength == content.count)
            #expect(content.isEmpty || sealed.range(of: content) == nil)
        }
    }

    @Test("the layout is the documented one, and stays: HKDF and HMAC by Python's hmac, the rest by offsets")
    func layout() throws {
        let sealed = try sealer().seal(Self.content, context: "here")
        let salt = 16
        #expect(sealed.prefix(8) == Data("VSTGSEAL".utf8))
        #expect(Array(sealed[8..<16]) == [2, 1, 1, UInt8(salt), 0, 0, 0, 0])
        #expect(sealed.count == 16 + salt + 12 + 8 + Self.content.count + 16 + 32)
        #expect(hex(sealed[16..<52]) == Self.golden)
    }

    /// Salt, nonce and key check, computed by Python (hashlib, hmac) from the description of the layout.
    private static let golden = "513c48f392c354de05515a81ffe93665d8d5b12ce128b7ad59d782a56b5f6ecca5aa8ad9"

    private func hex(_ data: Data) -> String { Hexadecimal.text(data) }

    @Test("what version 1 of the layout sealed with AES-256-GCM opens: written here by its description")
    func firstVersion() throws {
        let salt = Data(SHA256.hash(data: Data("vestige.seal/1 salt test".utf8)).prefix(16))
        let root = HKDF<SHA256>.deriveKey(
            inputKeyMaterial: SymmetricKey(data: Self.material), salt: salt, outputByteCount: 32)
        func key(_ purpose: String) -> SymmetricKey {
            HKDF<SHA256>.expand(
                pseudoRandomKey: root, info: Data("vestige.seal/1 \(purpose)".utf8), outputByteCount: 32)
        }
        let nonce = Data((1...12).map { UInt8($0) })
        let numbers: [UInt8] = [1, 1, 1, 16, 0, 0, 0, 0]
        var sealed = Data("VSTGSEAL".utf8) + Data(numbers) + salt + nonce
        sealed += Data(HMAC<SHA256>.authenticationCode(for: sealed, using: key("check"))).prefix(8)
        let box = try AES.GCM.seal(
            Self.content, using: key("encryption 1"), nonce: AES.GCM.Nonce(data: nonce),
            authenticating: sealed + Data("here".utf8))
        sealed += box.ciphertext + box.tag
        sealed += Data(SHA256.hash(data: sealed))
        #expect(try SealHeader(reading: sealed).version == 1)
        #expect(try sealer().open(sealed, context: "here") == Self.content)
        #expect(throws: SealError.notAuthentic) { try sealer().open(sealed, context: "there") }
    }

    @Test("the same content for the same place gives the same bytes; another content or place another nonce")
    func deterministic() throws {
        let sealer = try sealer()
        let nonces = try [("a", "x"), ("a", "y"), ("b", "x"), ("ax", "")].map { context, content in
            let sealed = try sealer.seal(Data(content.utf8), context: context)
            #expect(try sealed == sealer.seal(Data(content.utf8), context: context))
            return try SealHeader(reading: sealed).nonce
        }
        #expect(Set(nonces).count == nonces.count)
        let given = try sealer.seal(Self.content, context: "a", nonce: Data(repeating: 5, count: 12))
        #expect(try SealHeader(reading: given).nonce == Data(repeating: 5, count: 12))
        #expect(try sealer.open(given, context: "a") == Self.content)
    }

    @Test("another key, damaged bytes, an unknown version, another place and no seal at all are told apart")
    func failures() throws {
        let sealed = try sealer().seal(Self.content, context: "here")
        #expect(throws: SealError.wrongKey) {
            try sealer(material: Data(repeating: 1, count: 32)).open(sealed, context: "here")
        }
        #expect(throws: SealError.notAuthentic) { try sealer().open(sealed, context: "there") }
        #expect(throws: SealError.notSealed) { try sealer().open(Self.content, context: "here") }
        #expect(throws: SealError.notSealed) { try sealer().open(Data(), context: "here") }
        var other = sealed
        other[8] = 3
        #expect(throws: SealError.unknownVersion(3)) { try sealer().open(other, context: "here") }
    }

    @Test("a change of any bit, and a cut at any length, is damage and never another answer or a trap")
    func damage() throws {
        let sealed = try sealer(.chaChaPoly).seal(Self.content, context: "here")
        for index in sealed.indices where index >= 9 {
            var damaged = sealed
            damaged[index] ^= 1 << UInt8(index % 8)
            expectDamage(damaged)
        }
        for length in 8..<sealed.count { expectDamage(sealed.prefix(length)) }
    }

    private func expectDamage(_ sealed: Data) {
        let error = #expect(throws: SealError.self) { try sealer().open(sealed, context: "here") }
        guard case .damaged? = error else {
            Issue.record("\(String(describing: error)) at \(sealed.count) bytes")
            return
        }
    }

    @Test("a header cannot ask for more iterations than whoever opens allows; the sealer's own are always allowed")
    func openingLimit() throws {
        let sealed = try sealer(.aes256GCM, .pbkdf2SHA256(iterations: 5)).seal(Self.content, context: "here")
        func opener(_ limit: UInt32, _ derivation: KeyDerivation = .hkdfSHA256) throws(SealError) -> Sealer {
            try Sealer(
                material: Self.material, derivation: derivation, salt: .named("another"), openingLimit: limit)
        }
        #expect(throws: SealError.overLimit("5 iterations of PBKDF2, where 4 are allowed")) {
            try opener(4).open(sealed, context: "here")
        }
        let five = try opener(5)
        #expect(try five.open(sealed, context: "here") == Self.content)
        #expect(
            try five.open(sealed, context: "here") == Self.content, "and once more, with the keys that were derived")
        #expect(try opener(0, .pbkdf2SHA256(iterations: 5)).open(sealed, context: "here") == Self.content)
        // A header of a hostile file: whole, and asking for as much as the format holds.
        let iterations = [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: KeyDerivation.iterationLimit >> $0) }
        let begun = Data("VSTGSEAL".utf8) + [1, 1, 2, 0] + iterations + Data(count: 12 + 8 + 16)
        let hostile = begun + Data(SHA256.hash(data: begun))
        #expect(throws: SealError.overLimit("10000000 iterations of PBKDF2, where 600000 are allowed")) {
            try sealer().open(hostile, context: "here")
        }
    }

    @Test("a slice of data opens like the whole")
    func slices() throws {
        let sealed = try sealer().seal(Self.content, context: "here")
        #expect(try sealer().open((Data([1, 2, 3]) + sealed).dropFirst(3), context: "here") == Self.content)
    }

    @Test("material, salts, nonces and iterations that will not do are refused")
    func parameters() throws {
        #expect(throws: SealError.self) { try sealer(material: Data()) }
        #expect(throws: SealError.self) { try sealer(.aes256GCM, .none, material: Data(repeating: 1, count: 31)) }
        #expect(throws: SealError.self) { try sealer(.aes256GCM, .pbkdf2SHA256(iterations: 0)) }
        #expect(throws: SealError.self) { try sealer(.aes256GCM, .pbkdf2SHA256(iterations: .max)) }
        #expect(throws: SealError.self) {
            try Sealer(material: Self.material, salt: .bytes(Data(repeating: 0, count: 65)))
        }
        #expect(throws: SealError.self) { try sealer().seal(Self.content, context: "", nonce: Data([1])) }
    }
}
