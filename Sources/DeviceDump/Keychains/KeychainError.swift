import StoreFormats

/// Why a file is not read as the export of a keychain.
package struct KeychainError: Error, Hashable, Sendable {
    /// What can be wrong.
    package enum Problem: Hashable, Sendable {
        /// It is no export of a form that is known.
        case notAnExport
        /// It is a form that is recognised and not read: which, in words.
        case unsupported(String)
        /// It is broken as a whole, with where.
        case malformed(FormatError)
        /// It has more bytes than the limit.
        case tooLarge(bytes: Int, limit: Int)
        /// It has more items than the limit.
        case tooManyItems(limit: Int)
    }

    /// What is wrong.
    package var problem: Problem

    /// Makes an error.
    package init(_ problem: Problem) { self.problem = problem }
}

extension KeychainError: CustomStringConvertible {
    /// What is wrong, in one sentence without a full stop.
    package var description: String {
        switch problem {
        case .notAnExport:
            "it is not a keychain export that Vestige knows (\(KeychainExport.formsInWords))"
        case .unsupported(let form): "it is \(form), which is not read"
        case .malformed(let error): "\(error)"
        case .tooLarge(let bytes, let limit): "it has \(bytes) bytes, more than the \(limit) that are read"
        case .tooManyItems(let limit): "it has more than the \(limit) items that are read"
        }
    }
}
