/// The identifiers of the apps of a dump, by which it is told whose a group or an extension is.
struct AppIdentifiers: Sendable {
    private let all: Set<[UInt8]>
    private let withoutContainer: Set<[UInt8]>
    /// Why there may be apps of other identifiers.
    private let others: [Other]

    /// What may be an app of any identifier.
    struct Other: Sendable {
        /// Its container, if it has one.
        var container: DumpPath?
        /// It, in a phrase.
        let words: String
    }

    /// Makes the list.
    ///
    /// - Parameters:
    ///   - known: What the containers of apps say they are of.
    ///   - further: What apps are called, or may be, that no container says it is of.
    init(_ known: some Sequence<String>, further: [String] = [], others: [Other] = []) {
        let known = Set(known.map { Array($0.utf8) }), further = Set(further.map { Array($0.utf8) })
        all = known.union(further)
        withoutContainer = further.subtracting(known)
        self.others = others
    }

    /// Whether nothing is told of any app.
    var isEmpty: Bool { all.isEmpty && others.isEmpty }

    /// Whether an app is called so, or may be, of which no container says that it is its own.
    func isWithoutContainer(_ identifier: [UInt8]) -> Bool { withoutContainer.contains(identifier) }

    /// What may be an app of any identifier, other than that of a container.
    func other(than container: DumpPath) -> Other? { others.first { $0.container != container } }

    /// The app that nothing names and that a group, or an extension, may be of although its name begins as another app's, in a phrase;
    /// `nil` where there is none but that app, or the name leaves no room for another's.
    ///
    /// - Parameter further: How many parts such a name has beyond the app's.
    func doubt(
        about name: some Collection<UInt8>, after start: String, at container: DumpPath, further: Int = 0
    ) -> String? {
        guard let other = other(than: container), name.starts(with: (start + ".").utf8),
            name.dropFirst(start.utf8.count).count(where: { $0 == UInt8(ascii: ".") }) > further
        else { return nil }
        return other.words
    }

    /// What an identifier begins with, up to each dot and whole.
    static func beginnings(of identifier: String) -> [[UInt8]] {
        let bytes = Array(
            identifier.utf8.starts(with: "group.".utf8) ? identifier.utf8.dropFirst(6) : identifier.utf8[...])
        return bytes.indices.filter { bytes[$0] == UInt8(ascii: ".") }.map { Array(bytes[..<$0]) } + [bytes]
    }

    /// Whether an extension, or a group, is called after an app as theirs are; a group may have the beginning of its name, as its
    /// maker's other apps.
    func haveRelative(of identifier: String, _ kind: Container.Kind) -> Bool {
        guard kind == .group else {
            return longest(in: identifier.utf8).map { $0.utf8.count < identifier.utf8.count } ?? false
        }
        let name = Array(identifier.utf8.dropFirst("group.".utf8.count)), start = name + ".".utf8
        return longest(in: name) != nil || all.contains { $0.starts(with: start) }
    }

    /// The longest one that an identifier begins with, up to a dot or its end.
    func longest(in identifier: some Sequence<UInt8>) -> String? {
        var part = Array(identifier)[...]
        while !all.contains(Array(part)) {
            guard let dot = part.lastIndex(of: UInt8(ascii: ".")) else { return nil }
            part = part[..<dot]
        }
        return String(decoding: part, as: UTF8.self)
    }

    /// Whether an identifier begins with that of another app, up to a dot or its end, which is longer than this app's.
    func haveLonger(than app: String, in identifier: some Sequence<UInt8>) -> Bool {
        var part = Array(identifier)[...]
        while part.count > app.utf8.count {
            if all.contains(Array(part)) { return true }
            guard let dot = part.lastIndex(of: UInt8(ascii: ".")) else { return false }
            part = part[..<dot]
        }
        return false
    }
}
