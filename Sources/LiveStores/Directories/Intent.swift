import Foundation
import StoreFormats

/// The record of a decided change: which files change, and from what to what.
///
/// On disk it is the SHA-256 digest of the text in hexadecimal, a line feed, and the text: JSON with the members `format`
/// (`vestige.intent/1`) and `files`, each `{"path", "before", "after"}` with SHA-256 digests, or `null` where there is no
/// file.
struct Intent: Hashable, Sendable {
    /// One file of the change.
    struct File: Hashable, Sendable {
        var path: String
        var before: String?
        var after: String?
    }

    var files: [File]

    private static let format = "vestige.intent/1"

    init(_ updates: [FileUpdate]) {
        files = updates.map { File(path: $0.path, before: $0.before?.digest, after: $0.after?.digest) }
    }

    /// Reads a record.
    init(reading data: Data) throws(LiveStoreError) {
        guard let end = data.firstIndex(of: 0x0A) else { throw .damagedJournal("it has no digest") }
        let text = Data(data[data.index(after: end)...])
        guard String(decoding: data[..<end], as: UTF8.self) == text.digest else {
            throw .damagedJournal("its digest is wrong")
        }
        guard let root = try? JSONDocument(text).value.members, root["format"] == .string(Self.format),
            case .array(let elements)? = root["files"]
        else { throw .damagedJournal("it is not of the form \(Self.format)") }
        files = []
        for element in elements {
            guard let path = element.members?["path"]?.string, StorePath.isRelative(path) else {
                throw .damagedJournal("a path in it is not one")
            }
            files.append(
                File(
                    path: path, before: element.members?["before"]?.string, after: element.members?["after"]?.string))
        }
    }

    /// The bytes on disk.
    func data() throws(LiveStoreError) -> Data {
        let elements = files.map { file in
            Value.dictionary([
                ("path", .string(file.path)), ("before", file.before.map(Value.string) ?? .null),
                ("after", file.after.map(Value.string) ?? .null),
            ])
        }
        do {
            let text = try JSONDocument.write(
                .dictionary([("format", .string(Self.format)), ("files", .array(elements))]))
            return Data(text.digest.utf8) + [0x0A] + text
        } catch {
            throw .damagedJournal("\(error)")
        }
    }
}
