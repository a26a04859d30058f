import Foundation
import StoreFormats

/// A path below a dump's root; two are the same where their bytes are.
///
/// Its parts are separated by slashes, and none of them is empty, `.`, `..`, or has a NUL: so it never leads out of the
/// dump. What a dump holds need not be named in UTF-8, and is reached all the same.
package struct DumpPath: Hashable, Sendable {
    /// The parts with slashes between them; nothing for the root.
    package let bytes: [UInt8]

    /// The dump's own folder.
    package static let root = DumpPath(trusting: [])
    /// The most bytes that file systems allow for one part.
    package static let partLimit = 255

    private init(trusting bytes: [UInt8]) { self.bytes = bytes }

    /// Checks the bytes of a path; `nil` where it is not one, or leads out of the dump.
    package init?(bytes: some Sequence<UInt8>) {
        self.init(trusting: Array(bytes))
        // By bytes: a slash followed by a combining mark is one Character, and to the file system still a slash.
        let isPath = parts.allSatisfy { part in
            !part.isEmpty && !part.contains(0) && !part.elementsEqual(".".utf8) && !part.elementsEqual("..".utf8)
        }
        guard isPath else { return nil }
    }

    /// Checks a path; `nil` where it is not one, or leads out of the dump.
    package init?(_ text: some StringProtocol) { self.init(bytes: text.utf8) }

    /// The parts, the first one at the root.
    package var parts: [ArraySlice<UInt8>] {
        bytes.isEmpty ? [] : bytes.split(separator: Self.slash, omittingEmptySubsequences: false)
    }

    /// All bytes at once, and not one by one, as an array would.
    package func hash(into hasher: inout Hasher) {
        bytes.withUnsafeBytes { hasher.combine(bytes: $0) }
    }

    /// Whether it is the dump's own folder.
    package var isRoot: Bool { bytes.isEmpty }

    /// The last part; empty for the root.
    package var lastPart: ArraySlice<UInt8> {
        bytes[(bytes.lastIndex(of: Self.slash).map { $0 + 1 } ?? 0)...]
    }

    /// The last part as text, like ``text``.
    package var name: String { Self.text(of: lastPart) }

    /// The path as text; of what is not UTF-8 each byte by its digits, `caf‹E9›`, so that no two paths look alike.
    package var text: String { Self.text(of: bytes[...]) }

    /// A path, or a part of one, as text, like ``text``.
    static func text(of bytes: ArraySlice<UInt8>) -> String {
        if let text = String(validating: bytes, as: UTF8.self) { return text }
        var text = "", parser = Unicode.UTF8.ForwardParser(), rest = bytes, input = bytes.makeIterator()
        while true {
            switch parser.parseScalar(from: &input) {
            case .emptyInput: return text
            case .valid(let scalar):
                text.unicodeScalars.append(UTF8.decode(scalar))
                rest = rest.dropFirst(scalar.count)
            case .error(let count):
                for byte in rest.prefix(count) { text += "‹\(Hexadecimal.text([byte]))›" }
                rest = rest.dropFirst(count)
            }
        }
    }

    /// Whether ``text`` is the path and not only its look.
    package var isUTF8: Bool { String(validating: bytes, as: UTF8.self) != nil }

    /// The folder that it is in; `nil` for the root.
    package var parent: DumpPath? {
        isRoot ? nil : DumpPath(trusting: Array(bytes[..<(bytes.lastIndex(of: Self.slash) ?? 0)]))
    }

    /// The first part; the root's own for the root.
    package var first: DumpPath { DumpPath(trusting: Array(bytes.prefix { $0 != Self.slash })) }

    /// The folders that it is in, those above first, without the root.
    package var folders: [DumpPath] {
        bytes.indices.filter { bytes[$0] == Self.slash }.map { DumpPath(trusting: Array(bytes[..<$0])) }
    }

    /// The path of something in this folder, by a name that the folder has.
    package func appending(name: some Sequence<UInt8>) -> DumpPath { self / DumpPath(trusting: Array(name)) }

    /// The second path below the first.
    package static func / (folder: DumpPath, path: DumpPath) -> DumpPath {
        if folder.isRoot || path.isRoot { return folder.isRoot ? path : folder }
        return DumpPath(trusting: folder.bytes + [slash] + path.bytes)
    }

    /// The path relative to a folder that it is, or lies in; `nil` for any other.
    package func relative(to folder: DumpPath) -> DumpPath? {
        if folder.isRoot { return self }
        guard bytes.starts(with: folder.bytes) else { return nil }
        if bytes.count == folder.bytes.count { return .root }
        guard bytes[folder.bytes.count] == Self.slash else { return nil }
        return DumpPath(trusting: Array(bytes[(folder.bytes.count + 1)...]))
    }

    private static let slash = UInt8(ascii: "/")
}

extension DumpPath: Comparable, ExpressibleByStringLiteral, CustomStringConvertible {
    /// By their bytes.
    package static func < (left: DumpPath, right: DumpPath) -> Bool {
        left.bytes.lexicographicallyPrecedes(right.bytes)
    }

    /// A path that a form of dumps has.
    package init(stringLiteral text: String) { self.init(trusting: Array(text.utf8)) }

    /// The path as text.
    package var description: String { text }
}

/// Where a dump is: on the disk, and where it is not all of that, inside of it.
package struct DumpLocation: Hashable, Sendable {
    /// The absolute path, without symbolic links, of the folder or the file that was opened.
    package let disk: String
    /// The folder in that.
    package var inside = DumpPath.root

    /// The whole path, which the dump goes by.
    package var path: String {
        inside.isRoot ? disk : disk == "/" ? "/" + inside.text : disk + "/" + inside.text
    }

    /// The last part of the path.
    package var name: String { path.parts(at: "/").last { !$0.isEmpty }.map(String.init) ?? "" }

    /// Whether the path ends with these folders.
    func ends(with folders: DumpPath) -> Bool {
        path.utf8.reversed().starts(with: ("/" + folders.text).utf8.reversed())
    }
}

/// A file that entries come from: one of the dump, or one that lies elsewhere, as a keychain's export may.
package enum SourceFile: Hashable, Sendable, CustomStringConvertible {
    /// A file of the dump.
    case inDump(DumpPath)
    /// A file that was named besides, or found beside the dump: its absolute path.
    case elsewhere(String)

    /// The path, relative to the dump's root or absolute; a ledger keeps it so.
    package var description: String {
        switch self {
        case .inDump(let path): path.text
        case .elsewhere(let path): path
        }
    }

    /// What a ledger has kept; `nil` where it is not a path.
    package init?(recorded text: String) {
        if text.hasPrefix("/") {
            self = .elsewhere(text)
        } else {
            guard let path = DumpPath(text) else { return nil }
            self = .inDump(path)
        }
    }
}
