import Foundation

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
