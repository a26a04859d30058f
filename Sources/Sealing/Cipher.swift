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
