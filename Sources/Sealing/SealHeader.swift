import Crypto
import Foundation

/// What something sealed says of itself, without a key.
///
/// The layout; numbers are big-endian:
///
/// | offset | bytes | content |
/// |---|---|---|
/// | 0 | 8 | `VSTGSEAL` |
/// | 8 | 1 | version: 1, or 2 for AES-256-GCM-SIV |
/// | 9 | 1 | cipher: 1 AES-256-GCM, in version 2 AES-256-GCM-SIV; 2 ChaCha20-Poly1305, in version 1 |
/// | 10 | 1 | key derivation: 0 none, 1 HKDF-SHA256, 2 PBKDF2-HMAC-SHA256 |
/// | 11 | 1 | length *s* of the salt, 0 to 64 |
/// | 12 | 4 | iterations of PBKDF2, otherwise 0 |
/// | 16 | *s* | salt |
/// | 16 + *s* | 12 | nonce |
/// | 28 + *s* | 8 | key check: the first bytes of HMAC-SHA256 over all before it, with a key of its own |
/// | 36 + *s* | *n* | ciphertext, as long as the content |
/// | 36 + *s* + *n* | 16 | tag of the cipher |
/// | 52 + *s* + *n* | 32 | SHA-256 of all before it |
///
/// The cipher authenticates all before the ciphertext, then the context, which is not stored. The digest, which needs no
/// key, tells damaged bytes; where they are whole, the key check tells another key; where that is right too, the tag tells
/// another place. This tells apart what a tag alone cannot, and gives an attacker nothing that the tag does not give.
public struct SealHeader: Hashable, Sendable {
    static let magicText = "VSTGSEAL"
    static let checkLength = 8
    static let nonceLength = 12
    static let tagLength = 16
    static let saltLimit = 64
    private static let fixedLength = 16

    /// The version of the layout: 1, or 2 where AES is used in GCM-SIV.
    public let version: UInt8
    /// The cipher.
    public let cipher: Cipher
    /// How the key comes from the material.
    public let derivation: KeyDerivation
    /// The salt of the key derivation.
    public let salt: Data
    /// The nonce of the cipher.
    public let nonce: Data
    /// How many bytes the content has.
    public let contentLength: Int

    init(cipher: Cipher, derivation: KeyDerivation, salt: Data, nonce: Data, contentLength: Int) {
        version = Self.version(of: cipher)
        self.cipher = cipher
        self.derivation = derivation
        self.salt = salt
        self.nonce = nonce
        self.contentLength = contentLength
    }

    /// The version that a cipher is written in.
    private static func version(of cipher: Cipher) -> UInt8 { cipher == .aes256GCM ? 2 : 1 }

    /// Reads what something sealed says of itself, and checks that its bytes are whole.
    ///
    /// - Throws: ``SealError/notSealed``, ``SealError/unknownVersion(_:)``, ``SealError/damaged(_:)`` or
    ///   ``SealError/overLimit(_:)``.
    public init(reading sealed: Data) throws(SealError) {
        let bytes = Data(sealed)
        guard bytes.starts(with: Self.magicText.utf8) else { throw .notSealed }
        guard bytes.count > Self.fixedLength else { throw .damaged("it ends within its header") }
        guard (1...2).contains(bytes[8]) else { throw .unknownVersion(bytes[8]) }
        let whole = bytes.count - SHA256.byteCount
        guard whole > Self.fixedLength, Data(SHA256.hash(data: bytes[..<whole])) == bytes[whole...] else {
            throw .damaged("its digest is not that of its bytes")
        }
        // From here on the bytes are what their writer wrote, who may still be hostile.
        guard let cipher = Cipher(rawValue: bytes[9]), bytes[8] <= Self.version(of: cipher) else {
            throw .damaged("cipher \(bytes[9]) is unknown in version \(bytes[8])")
        }
        version = bytes[8]
        let iterations = bytes[12..<16].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        switch (bytes[10], iterations) {
        case (0, 0): derivation = .none
        case (1, 0): derivation = .hkdfSHA256
        case (2, 1...KeyDerivation.iterationLimit): derivation = .pbkdf2SHA256(iterations: iterations)
        case (2, KeyDerivation.iterationLimit...): throw .overLimit("\(iterations) iterations of PBKDF2")
        default: throw .damaged("key derivation \(bytes[10]) with \(iterations) iterations is unknown")
        }
        let saltEnd = Self.fixedLength + Int(bytes[11])
        let nonceEnd = saltEnd + Self.nonceLength
        let contentStart = nonceEnd + Self.checkLength
        guard Int(bytes[11]) <= Self.saltLimit, contentStart + Self.tagLength <= whole else {
            throw .damaged("it ends within its header")
        }
        self.cipher = cipher
        salt = Data(bytes[Self.fixedLength..<saltEnd])
        nonce = Data(bytes[saltEnd..<nonceEnd])
        contentLength = whole - contentStart - Self.tagLength
    }

    /// How many bytes stand before the key check.
    var length: Int { Self.fixedLength + salt.count + Self.nonceLength }

    /// The bytes before the key check.
    var bytes: Data {
        let iterations = derivation.iterations
        return Data(Self.magicText.utf8)
            + [version, cipher.rawValue, derivation.number, UInt8(truncatingIfNeeded: salt.count)]
            + [24, 16, 8, 0].map { UInt8(truncatingIfNeeded: iterations >> $0) } + salt + nonce
    }
}

/// An authenticated cipher; the raw value is its number in a header.
public enum Cipher: UInt8, Hashable, Sendable, CaseIterable {
    /// AES-256: from version 2 of the layout GCM-SIV (RFC 8452), which a nonce that repeats does not break; in version 1
    /// Galois/Counter Mode (NIST SP 800-38D).
    case aes256GCM = 1
    /// ChaCha20-Poly1305 (RFC 8439).
    case chaChaPoly = 2
}

/// How a key comes from the given material.
public enum KeyDerivation: Hashable, Sendable {
    /// The material, at least 32 random bytes of it, is the root of the keys as it is.
    case none
    /// HKDF with SHA-256 (RFC 5869), with the salt: for material that is random.
    case hkdfSHA256
    /// PBKDF2 with HMAC-SHA-256 (RFC 8018), with the salt: for a password. From 1 to ``iterationLimit`` iterations;
    /// 600 000 are what OWASP advises in 2023.
    case pbkdf2SHA256(iterations: UInt32)

    /// The most iterations that a key is derived with.
    public static let iterationLimit: UInt32 = 10_000_000
    /// The most iterations that a header may ask for, unless whoever opens allows more: what is advised, and no more, so
    /// that a hostile header costs no more than an honest one.
    public static let openingLimit: UInt32 = 600_000

    /// The number in a header.
    var number: UInt8 {
        switch self {
        case .none: 0
        case .hkdfSHA256: 1
        case .pbkdf2SHA256: 2
        }
    }

    /// The iterations in a header.
    var iterations: UInt32 {
        if case .pbkdf2SHA256(let iterations) = self { iterations } else { 0 }
    }
}

/// Why something sealed cannot be opened, or something cannot be sealed.
public enum SealError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The bytes do not begin as something sealed does.
    case notSealed
    /// The layout is of a version that is not known; a damaged version number reads like this too.
    case unknownVersion(UInt8)
    /// The bytes are not those that were written.
    case damaged(String)
    /// The bytes are whole, and another key sealed them.
    case wrongKey
    /// The key is right, and the content was sealed for another place, or was forged.
    case notAuthentic
    /// Opening it would take too long.
    case overLimit(String)
    /// It cannot be sealed like this.
    case invalidParameters(String)

    /// What happened, in a clause.
    public var description: String {
        switch self {
        case .notSealed: "it is not sealed: it does not begin with \(SealHeader.magicText)"
        case .unknownVersion(let version): "it is sealed in version \(version), and versions 1 and 2 are known"
        case .damaged(let what): "it is damaged: \(what)"
        case .wrongKey: "it is sealed with another key"
        case .notAuthentic: "it was sealed for another place, or forged"
        case .overLimit(let what): "opening it would take too long: \(what)"
        case .invalidParameters(let what): "it cannot be sealed: \(what)"
        }
    }
}
