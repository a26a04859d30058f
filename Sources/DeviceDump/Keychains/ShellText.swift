import Foundation
import StoreFormats

/// How a shell stores what a program prints as UTF-8: Windows PowerShell's `>` makes UTF-16 of it, and others put a mark
/// before it.
enum ShellText {
    /// As it was printed.
    case plain
    /// Behind the mark of UTF-8.
    case markedUTF8
    /// In two bytes a unit, behind their mark.
    case utf16(UTF16Text)

    /// The encoding that the first bytes of a text tell.
    init(_ head: Data) {
        if head.starts(with: [0xEF, 0xBB, 0xBF]) {
            self = .markedUTF8
        } else if let text = UTF16Text([UInt8](head.prefix(2))), text.start > 0 {
            self = .utf16(text)
        } else {
            self = .plain
        }
    }

    /// The text as it was printed, without a mark; `nil` where it is not what its mark says.
    ///
    /// Of a byte or a pair that is cut off at its end, as in the head of a file, nothing is said.
    func plain(_ data: Data) -> [UInt8]? {
        switch self {
        case .plain: return [UInt8](data)
        case .markedUTF8: return [UInt8](data.dropFirst(3))
        case .utf16(let text):
            var units = text.units(of: [UInt8](data))
            if let last = units.last, UTF16.isLeadSurrogate(last) { units.removeLast() }
            return String(validating: units, as: UTF16.self).map { Array($0.utf8) }
        }
    }

    /// A printed text as the shell stores it; the bytes of one that UTF-16 does not have are replaced.
    func marked(_ text: [UInt8]) -> Data {
        switch self {
        case .plain: return Data(text)
        case .markedUTF8: return Data([0xEF, 0xBB, 0xBF] + text)
        case .utf16(let form): return Data(form.marked(String(decoding: text, as: UTF8.self)))
        }
    }
}
