/// The hidden names beside a place under which something is made for it: a new one each time, and nobody else's.
package struct HiddenName {
    /// What marks a file as one that is being made, so that no other is ever removed; some file systems cannot keep it.
    package static let attribute = "user.vestige.ledger"

    private let folder: String, start: String

    /// Makes names beside a path.
    package init(besides path: String) {
        let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")).map { path.utf8.index(after: $0) }
        let first = slash ?? path.startIndex
        folder = String(path[..<first])
        start = Self.beginning(for: path[first...])
    }

    /// What hidden names begin with: they say whose they are, and are not longer than a name may be.
    package static func beginning(for name: some StringProtocol) -> String {
        var start = name[...]
        while start.utf8.count > 200 { start.removeLast() }
        return ".\(start)\(ending)"
    }

    /// The name of the list of what an export has written to a place.
    package static func exportList(for name: some StringProtocol) -> String { beginning(for: name) + "export" }

    /// What such a beginning ends with.
    package static let ending = ".vestige-"

    /// Whether what follows such a beginning is the number of a new name.
    package static func isNumber(_ text: some Collection<UInt8>) -> Bool {
        (1...16).contains(text.count) && text.allSatisfy { Character(UnicodeScalar($0)).isHexDigit }
    }

    /// Another name.
    package func another() -> String { folder + start + String(UInt64.random(in: 0...UInt64.max), radix: 16) }

    /// Removes what programs left that were stopped while making this ledger: a copy of somebody's data.
    ///
    /// Whoever makes a ledger has its lock, so none of them is being made.
    package func removeLeftovers() {
        guard let parent = try? OpenFile.folder(folder.isEmpty ? "." : folder) else { return }
        for name in (try? parent.names()) ?? [] where name.starts(with: start.utf8) {
            guard Self.isNumber(name.dropFirst(start.utf8.count)), let file = try? parent.open(at: name),
                file.hasAttribute(Self.attribute)
            else { continue }
            try? parent.removeFile(at: name)
        }
    }
}
