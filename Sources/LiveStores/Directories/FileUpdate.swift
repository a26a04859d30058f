import Crypto
import Foundation
import StoreFormats

/// What one file was and what it becomes; `nil` where there is none.
struct FileUpdate: Sendable {
    /// Relative to the folder of the stores.
    var path: String
    var before: Data?
    var after: Data?
}

extension Data {
    /// The SHA-256 digest in hexadecimal.
    var digest: String { Hexadecimal.text(SHA256.hash(data: self)) }
}
