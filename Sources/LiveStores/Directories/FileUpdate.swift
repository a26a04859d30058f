import Crypto
import Foundation

/// What one file was and what it becomes; `nil` where there is none.
struct FileUpdate: Sendable {
    /// Relative to the folder of the stores.
    var path: String
    var before: Data?
    var after: Data?
}

extension Data {
    /// The SHA-256 digest in hexadecimal.
    var digest: String {
        SHA256.hash(data: self).reduce(into: "") { text, byte in
            text += (byte < 16 ? "0" : "") + String(byte, radix: 16)
        }
    }
}
