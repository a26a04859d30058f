import Foundation

/// Base64 (RFC 4648, section 4) with white space anywhere.
enum Base64 {
    /// The bytes, or `nil` where this is not base64 or its padding is wrong.
    ///
    /// Foundation on Linux takes padding in the middle, so that is checked here.
    static func decoded(_ text: some Sequence<UInt8>) -> Data? {
        let compact = Data(text.lazy.filter { !JSONText.isSpace($0) })
        let padding = UInt8(ascii: "=")
        if let first = compact.firstIndex(of: padding) {
            guard compact.count - first <= 2, compact[first...].allSatisfy({ $0 == padding }) else { return nil }
        }
        return Data(base64Encoded: compact)
    }
}
