import Crypto
import CryptoExtras
import Foundation
import Synchronization

/// Seals and opens values with authenticated encryption, in a layout of this library's own (``SealHeader``).
///
/// Sealing is a pure function: the same content for the same place gives the same bytes, so that a step can do it. The
/// nonce is synthetic: HMAC-SHA256, with a key of its own, over the context and the content, cut to 96 bits. It is as
/// good as random to anyone without the key, and it comes twice only where context and content are the same, and so is
/// the whole result, or by chance, which among 2³² sealed values has a probability of about 2⁻³³. What this gives away is
/// what every deterministic encryption does: that the same content was sealed for the same place again.
///
/// A salt from a name is as good as any for material that is random. For a password give a random one: otherwise one
/// table of passwords serves against every device.
public struct Sealer: Sendable {
    /// Where the salt of a key derivation comes from.
    public enum Salt: Hashable, Sendable {
        /// The first 16 bytes of a SHA-256 digest of a name, such as that of a store.
        case named(String)
        /// These bytes, at most 64.
        case bytes(Data)

        /// The bytes.
        var data: Data {
            switch self {
            case .bytes(let data): data
            case .named(let name): Data(SHA256.hash(data: Data("vestige.seal/1 salt \(name)".utf8)).prefix(16))
            }
        }
    }

    private let material: Data
    private let cipher: Cipher
    private let derivation: KeyDerivation
    private let salt: Data
    private let keys: Keys
    private let openingLimit: UInt32
    private let derived = DerivedKeys()

    /// Makes a sealer; with PBKDF2 this is what takes time.
    ///
    /// - Parameters:
    ///   - material: What the key is derived from: at least one byte, and with ``KeyDerivation/none`` 32.
    ///   - openingLimit: The most iterations of PBKDF2 that ``open(_:context:)`` does where a header asks for other ones
    ///     than this sealer's own.
    /// - Throws: ``SealError/invalidParameters(_:)``.
    public init(
        material: Data, cipher: Cipher = .aes256GCM, derivation: KeyDerivation = .hkdfSHA256, salt: Salt,
        openingLimit: UInt32 = KeyDerivation.openingLimit
    ) throws(SealError) {
        self.openingLimit = max(openingLimit, derivation.iterations)
        self.material = Data(material)
        self.cipher = cipher
        self.derivation = derivation
        self.salt = derivation == .none ? Data() : salt.data
        guard self.salt.count <= SealHeader.saltLimit else {
            throw .invalidParameters("its salt has \(self.salt.count) bytes, and 64 are the most")
        }
        keys = try Keys(material: self.material, derivation: derivation, salt: self.salt)
    }

    /// Seals a value.
    ///
    /// - Parameters:
    ///   - content: The value.
    ///   - context: What it is sealed for, such as its address; it opens for nothing else. It is not stored.
    ///   - nonce: 12 bytes that are never given twice; made from key, context and content where none are given.
    public func seal(_ content: Data, context: String, nonce: Data? = nil) throws(SealError) -> Data {
        let nonce = nonce.map { Data($0) } ?? keys.nonce(for: content, context: context)
        guard nonce.count == SealHeader.nonceLength else {
            throw .invalidParameters("its nonce has \(nonce.count) bytes, where it has 12")
        }
        let header = SealHeader(
            cipher: cipher, derivation: derivation, salt: salt, nonce: nonce, contentLength: content.count)
        var sealed = header.bytes
        sealed += keys.check(of: sealed)
        let authenticated = sealed + Data(context.utf8)
        do {
            switch cipher {
            case .aes256GCM:
                let box = try AES.GCM._SIV.seal(
                    content, using: keys.encryption(header), nonce: AES.GCM._SIV.Nonce(data: nonce),
                    authenticating: authenticated)
                sealed += box.ciphertext + box.tag
            case .chaChaPoly:
                let box = try ChaChaPoly.seal(
                    content, using: keys.encryption(header), nonce: ChaChaPoly.Nonce(data: nonce),
                    authenticating: authenticated)
                sealed += box.ciphertext + box.tag
            }
        } catch {
            throw .invalidParameters("\(error)")
        }
        return sealed + Data(SHA256.hash(data: sealed))
    }

    /// Opens what was sealed with the same material, whatever cipher and key derivation its header names.
    ///
    /// - Parameter context: What it was sealed for.
    /// - Throws: ``SealError``; ``SealError/overLimit(_:)`` where the header asks for more iterations than are allowed.
    public func open(_ sealed: Data, context: String) throws(SealError) -> Data {
        let header = try SealHeader(reading: sealed)
        let keys = try keys(for: header)
        let bytes = Data(sealed)
        let start = header.length + SealHeader.checkLength
        let end = start + header.contentLength
        guard keys.check(of: bytes[..<header.length]) == bytes[header.length..<start] else { throw .wrongKey }
        let authenticated = bytes[..<start] + Data(context.utf8)
        let tag = bytes[end..<end + SealHeader.tagLength]
        do {
            switch header.cipher {
            case .aes256GCM where header.version == 1:
                let box = try AES.GCM.SealedBox(
                    nonce: AES.GCM.Nonce(data: header.nonce), ciphertext: bytes[start..<end], tag: tag)
                return try AES.GCM.open(box, using: keys.encryption(header), authenticating: authenticated)
            case .aes256GCM:
                let box = try AES.GCM._SIV.SealedBox(
                    nonce: AES.GCM._SIV.Nonce(data: header.nonce), ciphertext: bytes[start..<end], tag: tag)
                return try AES.GCM._SIV.open(box, using: keys.encryption(header), authenticating: authenticated)
            case .chaChaPoly:
                let box = try ChaChaPoly.SealedBox(
                    nonce: ChaChaPoly.Nonce(data: header.nonce), ciphertext: bytes[start..<end], tag: tag)
                return try ChaChaPoly.open(box, using: keys.encryption(header), authenticating: authenticated)
            }
        } catch {
            throw .notAuthentic
        }
    }
}

extension Sealer {
    /// The keys that a header asks for, derived once.
    private func keys(for header: SealHeader) throws(SealError) -> Keys {
        if header.derivation == derivation, header.salt == salt { return keys }
        guard header.derivation.iterations <= openingLimit else {
            throw .overLimit(
                "\(header.derivation.iterations) iterations of PBKDF2, where \(openingLimit) are allowed")
        }
        return try derived.keys(for: header, of: material)
    }

    /// Keys by the header that asked for them; the oldest gives way to a 17th.
    private final class DerivedKeys: Sendable {
        private struct Parameters: Hashable {
            var derivation: KeyDerivation
            var salt: Data
        }

        private let derived = Mutex<[(parameters: Parameters, keys: Keys)]>([])

        func keys(for header: SealHeader, of material: Data) throws(SealError) -> Keys {
            let parameters = Parameters(derivation: header.derivation, salt: header.salt)
            if let known = derived.withLock({ $0.first { $0.parameters == parameters }?.keys }) { return known }
            let keys = try Keys(
                material: material, derivation: header.derivation, salt: header.salt, opening: true)
            derived.withLock { list in
                if list.count == 16 { list.removeFirst() }
                list.append((parameters, keys))
            }
            return keys
        }
    }

    /// The keys of one derivation: each purpose has its own, so that none can serve another.
    private struct Keys: Sendable {
        private let root: SymmetricKey

        init(material: Data, derivation: KeyDerivation, salt: Data, opening: Bool = false) throws(SealError) {
            switch derivation {
            case .none:
                guard material.count >= 32 else {
                    // Such material has sealed nothing like this.
                    throw opening ? .wrongKey : .invalidParameters("the key has fewer than 32 bytes")
                }
                root = SymmetricKey(data: material)
            case .hkdfSHA256:
                guard !material.isEmpty else { throw .invalidParameters("there is no key material") }
                root = HKDF<SHA256>.deriveKey(
                    inputKeyMaterial: SymmetricKey(data: material), salt: salt, outputByteCount: 32)
            case .pbkdf2SHA256(let iterations):
                guard !material.isEmpty else { throw .invalidParameters("there is no key material") }
                guard (1...KeyDerivation.iterationLimit).contains(iterations) else {
                    throw .invalidParameters("\(iterations) iterations of PBKDF2")
                }
                do {
                    root = try KDF.Insecure.PBKDF2.deriveKey(
                        from: material, salt: salt, using: .sha256, outputByteCount: 32,
                        unsafeUncheckedRounds: Int(iterations))
                } catch {
                    throw .invalidParameters("\(error)")
                }
            }
        }

        private func key(_ purpose: String) -> SymmetricKey {
            HKDF<SHA256>.expand(
                pseudoRandomKey: root, info: Data("vestige.seal/1 \(purpose)".utf8), outputByteCount: 32)
        }

        /// The key of a cipher; each version of one has its own.
        func encryption(_ header: SealHeader) -> SymmetricKey {
            key("encryption \(header.cipher.rawValue)" + (header.version == 1 ? "" : " version \(header.version)"))
        }

        func check(of header: Data) -> Data {
            Data(HMAC<SHA256>.authenticationCode(for: header, using: key("check")).prefix(SealHeader.checkLength))
        }

        func nonce(for content: Data, context: String) -> Data {
            // The length keeps the end of the context apart from the beginning of the content.
            let length = UInt64(context.utf8.count)
            let prefix = (0..<8).map { UInt8(truncatingIfNeeded: length >> (56 - 8 * $0)) }
            let text = Data(prefix) + Data(context.utf8) + content
            return Data(HMAC<SHA256>.authenticationCode(for: text, using: key("nonce")).prefix(SealHeader.nonceLength))
        }
    }
}
