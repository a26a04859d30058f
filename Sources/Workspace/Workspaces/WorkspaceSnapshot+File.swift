import DeviceDump
import Foundation
import MigrationEngine
import StoreFormats

/// A dump that is a single file, as a whole.
public struct WholeFile: Sendable {
    /// The file's name.
    public let name: String
    /// What it is written as.
    public let format: StoreFormat
    /// What it holds, with what has been applied.
    public let value: Value
}

extension WorkspaceSnapshot {
    /// The whole of a dump that is a single file; `nil` of any other.
    ///
    /// - Throws: ``WorkspaceError`` where the file cannot be read, or ``FormatError`` where its bytes cannot.
    public func wholeFile() throws -> WholeFile? {
        guard let file = dump.loneFile else { return nil }
        let data: Data
        do throws(DumpError) { data = try dump.files.bytes(at: file) } catch { throw WorkspaceError.dump(error) }
        let format: StoreFormat =
            if case .readable(let format)? = StoreFormat.sniff(data) { format } else { .binaryPropertyList }
        var value = try format.read(data)
        if var members = value.members, let store = container.stores.first {
            for edit in overlay.edits(in: store) { members[edit.key] = edit.value }
            value = .dictionary(members)
        }
        return WholeFile(name: file.name, format: format, value: value)
    }
}
