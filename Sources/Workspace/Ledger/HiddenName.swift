import Files
import Foundation
import SystemPackage

/// The hidden names beside a ledger's place under which it is made: a new one each time, and nobody else's.
struct HiddenName {
    /// What marks a file as one that is being made, so that no other is ever removed; some file systems cannot keep it.
    static let attribute = "user.vestige.ledger"

    private let folder: String, start: String

    /// Makes names beside a path.
    init(besides path: String) {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) }
        let first = slash ?? path.startIndex
        folder = String(path[..<first])
        // Not longer than a name may be.
        var name = path[first...]
        while name.utf8.count > 200 { name.removeLast() }
        start = ".\(name).vestige-"
    }

    /// Another name.
    func another() -> String { folder + start + String(UInt64.random(in: 0...UInt64.max), radix: 16) }

    /// Removes what programs left that were stopped while making this ledger: a copy of somebody's data.
    ///
    /// Whoever makes a ledger has its lock, so none of them is being made.
    func removeLeftovers() {
        guard let parent = try? OpenFile.folder(folder.isEmpty ? "." : folder) else { return }
        for name in (try? parent.names()) ?? [] where name.starts(with: start.utf8) {
            let number = name.dropFirst(start.utf8.count)
            guard (1...16).contains(number.count), number.allSatisfy({ Character(UnicodeScalar($0)).isHexDigit }),
                let file = try? parent.open(at: name), file.hasAttribute(Self.attribute)
            else { continue }
            try? parent.removeFile(at: name)
        }
    }
}
