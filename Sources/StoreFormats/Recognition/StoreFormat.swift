import Foundation

/// The formats that stores are written in.
public enum StoreFormat: String, Hashable, Sendable, CaseIterable {
    /// `bplist00`.
    case binaryPropertyList = "binary property list"
    /// The XML form of a property list.
    case xmlPropertyList = "XML property list"
    /// JSON (RFC 8259).
    case json = "JSON"
    /// An archive of `NSKeyedArchiver`, itself a property list.
    case keyedArchive = "keyed archive"
    /// Base64 text of one of the others.
    case base64 = "base64"
    /// Text in UTF-8, as data.
    case text = "text"
    /// Text in UTF-8, as data, with NUL at the end, which is not part of the text.
    case terminatedText = "NUL-terminated text"
}

extension StoreFormat {
    /// The value of a whole file in this format; a keyed archive is read as the binary property list that it is.
    ///
    /// - Throws: ``FormatError``, which says where and why.
    public func read(_ data: Data, limits: Limits = .standard) throws(FormatError) -> Value {
        switch self {
        case .xmlPropertyList: try XMLPropertyList.parse(data, limits: limits)
        case .json: try JSONDocument(data, limits: limits).value
        case .base64, .text, .terminatedText:
            throw FormatError(self, at: .offset(0), .unsupported("\(rawValue) by itself"))
        case .binaryPropertyList, .keyedArchive: try BinaryPropertyList(data, limits: limits).value()
        }
    }
}
