import StoreFormats

/// A name in which stars stand for what is not known, as the bytes between them.
package struct NamePattern: Hashable, Sendable {
    /// What stands between the stars: one more than there are of those.
    private let parts: [[UInt8]]
    /// The same as texts.
    private let texts: [String]

    /// What stands for a star in a name: U+FDD0, which is no character.
    package static let star = Character(String(decoding: [0xEF, 0xB7, 0x90], as: UTF8.self))

    /// Makes a pattern of a name with ``star`` in it.
    package init(_ name: Name) {
        let star = Self.star.unicodeScalars.first
        texts = name.text.unicodeScalars.split(omittingEmptySubsequences: false) { $0 == star }.map { String($0) }
        parts = texts.map { Array($0.utf8) }
    }

    /// Whether a name may have stars, by the first byte of one: most names have none, and need no pattern.
    package static func mayHaveStars(_ name: Name) -> Bool { name.utf8.contains(0xEF) }

    /// Whether it has a star.
    package var hasStars: Bool { parts.count > 1 }

    /// Whether its last star is its end.
    package var endsInStar: Bool { hasStars && parts.last?.isEmpty ?? false }

    /// What stands before the first star.
    package var beginning: Name { Name(String(decoding: parts.first ?? [], as: UTF8.self)) }

    /// The name with the first of these texts in place of the stars, which are taken.
    package func filled(_ rest: inout ArraySlice<Name>) -> Name {
        var text = texts.first ?? ""
        for part in texts.dropFirst() {
            if let match = rest.popFirst() { text += match.text }
            text += part
        }
        return Name(text)
    }

    /// What the stars stand for in a name, each as little as possible but something; `nil` where it does not fit.
    package func match(_ name: Name) -> [Name]? {
        name.text.withBytes(match)
    }

    private func match(_ bytes: UnsafeBufferPointer<UInt8>) -> [Name]? {
        // Most names of a large store fit no pattern.
        guard let first = parts.first, let last = parts.last, bytes.starts(with: first) else { return nil }
        guard parts.count > 1 else { return bytes.count == first.count ? [] : nil }
        var position = first.count, found: [Name] = []
        for (number, part) in parts.enumerated().dropFirst() {
            let isLast = number == parts.count - 1
            // A star stands for one byte at least.
            var end = isLast ? bytes.count - last.count : position + 1
            while !isLast, end + part.count <= bytes.count, !bytes[end...].starts(with: part) { end += 1 }
            guard end > position, end + part.count <= bytes.count, bytes[end...].starts(with: part),
                !bytes[position..<end].contains(UInt8(ascii: "/")),
                let text = String(validating: bytes[position..<end], as: UTF8.self)
            else { return nil }
            found.append(Name(text))
            position = end + part.count
        }
        return found
    }
}

/// The names that a step looked for in a store of files by a pattern, as the key of an address.
///
/// A file that comes to fit it later is one that the step would have read.
package struct NameListing: Hashable, Sendable {
    /// What parts the pattern from those of names that are left out: U+FDD1, which is no character.
    private static let separator = Character(String(decoding: [0xEF, 0xB7, 0x91], as: UTF8.self))

    private let pattern: NamePattern
    private let excepted: [(pattern: NamePattern, depth: Int)]
    /// The whole as a name, which may be the end of a path.
    package let name: Name

    /// Makes a listing of names with ``NamePattern/star`` in them.
    ///
    /// - Parameter excepted: What names that are left out end in, from a slash on.
    package init(_ pattern: Name, except excepted: [Name] = []) {
        self.pattern = NamePattern(pattern)
        self.excepted = excepted.map { (NamePattern($0), $0.components.count) }
        name = Name(([pattern] + excepted).map(\.text).joined(separator: String(Self.separator)))
    }

    /// The path of a pattern as a ledger has it: no path of a file ends in a slash.
    package static func recorded(_ path: some CustomStringConvertible) -> Name { Name("\(path)/") }

    /// Reads what a ledger has; `nil` where it is the path of a file.
    package init?(recorded path: Name) {
        guard path.utf8.last == UInt8(ascii: "/") else { return nil }
        self.init(key: Name(path.text.dropLast()))
    }

    /// Reads the ``name``.
    package init(key: Name) {
        let parts = key.text.split(separator: Self.separator).map { Name($0) }
        self.init(parts.first ?? "", except: Array(parts.dropFirst()))
    }

    /// The folder, from a slash to none, that all names are in.
    package var folder: Name {
        let bytes = Array(pattern.beginning.utf8)
        let end = bytes.lastIndex(of: UInt8(ascii: "/")) ?? 0
        return Name(String(decoding: bytes[..<end], as: UTF8.self))
    }

    /// Whether a name is one of those that are looked for.
    package func fits(_ name: Name) -> Bool {
        guard pattern.match(name) != nil else { return false }
        let components = name.components
        return !excepted.contains { pattern, depth in
            pattern.match(Name(components.suffix(depth).joined(separator: "/"))) != nil
        }
    }
}

extension NameListing: CustomStringConvertible {
    /// The pattern, with a `*` for each star, and what is left out.
    package var description: String {
        let parts = name.text.replacing(String(NamePattern.star), with: "*").split(separator: Self.separator)
        let others = parts.dropFirst().joined(separator: ", ")
        return "\(parts.first ?? "")" + (others.isEmpty ? "" : " but \(others)")
    }

    package static func == (left: NameListing, right: NameListing) -> Bool { left.name == right.name }

    package func hash(into hasher: inout Hasher) { hasher.combine(name) }
}

extension Name {
    fileprivate var components: [Substring] { text.split(separator: "/", omittingEmptySubsequences: false) }
}
