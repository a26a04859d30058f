import MigrationEngine

/// The containers of a dump that go with apps: those of app groups, or of extensions.
///
/// There is one list for all apps, which each searches by name: a device has them by the thousand.
struct SharedContainers: Sendable {
    typealias Group = ContainerPlaces.Group
    /// In the order of their identifiers.
    private let groups: [Group]
    /// Why there may be other groups, and other extensions.
    let unknown: Unknown

    /// Why a dump may hold containers that are not listed under what they are of.
    struct Unknown: Sendable {
        var groups: String?
        var extensions: String?
        /// The containers that do not say whose they are.
        var nameless: [Doubt] = []
        /// The extensions of which nothing tells whose they are: those that lists in such containers are called after, and those that may
        /// be of an app whose container does not say it.
        var domains: [[UInt8]: Doubt] = [:]

        /// Why a container may be another's.
        struct Doubt: Sendable {
            let kind: Container.Kind
            let path: DumpPath
            let reason: String
        }
    }

    static let none = SharedContainers([])

    /// Makes the list.
    init(_ groups: [Group], unknown: Unknown = Unknown()) {
        let ordered = groups.enumerated().sorted { left, right in
            let (one, other) = (left.element.identifier.utf8, right.element.identifier.utf8)
            return one.elementsEqual(other) ? left.offset < right.offset : one.lexicographicallyPrecedes(other)
        }
        self.groups = ordered.map(\.element)
        self.unknown = unknown
    }

    /// The containers of an identifier: one, but in a dump that is none as a device makes it.
    subscript(identifier: some Sequence<UInt8>) -> [Group] {
        let identifier = Array(identifier)
        return Array(groups[place(of: identifier)...].prefix { $0.identifier.utf8.elementsEqual(identifier) })
    }

    /// Those that a person has named, by their identifier, or one by its path.
    func named(_ told: String) -> [Group] {
        let found = self[told.utf8]
        return found.isEmpty ? groups.filter { $0.path.bytes.elementsEqual(told.utf8) } : found
    }

    /// Those whose identifiers begin with that of an app, behind a prefix, and with no longer one of another app, nor may do so.
    ///
    /// - Parameter container: The app's.
    func named(
        after app: String, at container: DumpPath, _ prefix: String = "", among apps: AppIdentifiers
    ) -> [Group] {
        let start = Array("\(prefix)\(app).".utf8)
        return groups[place(of: start)...].prefix { $0.identifier.utf8.starts(with: start) }.filter { group in
            let name = group.identifier.utf8
            return !apps.haveLonger(than: app, in: name.dropFirst(prefix.utf8.count))
                && apps.doubt(about: name, after: prefix + app, at: container, further: prefix.isEmpty ? 1 : 0) == nil
        }
    }

    /// Those that a container has: as its metadata says, or where that says nothing, those named after the app.
    func claimed(by metadata: ContainerMetadata, at container: DumpPath, among apps: AppIdentifiers) -> [Group] {
        if let names = metadata.groups {
            let names = Set(names.map { Array($0.utf8) })
            return groups.filter { names.contains(Array($0.identifier.utf8)) }
        }
        return metadata.identifier.map { named(ofApp: $0, at: container, among: apps) } ?? []
    }

    /// Those that are called as the groups of an app are.
    func named(ofApp app: String, at container: DumpPath, among apps: AppIdentifiers) -> [Group] {
        let below = named(after: app, at: container, "group.", among: apps)
        // An app's group may have the name of what comes before its last dots, as its maker's other apps.
        let above = app.utf8.indices.filter { app.utf8[$0] == UInt8(ascii: ".") }.map { String(app[..<$0]) } + [app]
        return above.flatMap { self["group.\($0)".utf8] } + below
    }

    /// The first place whose identifier does not come before another.
    private func place(of identifier: [UInt8]) -> Int {
        var (low, high) = (0, groups.count)
        while low < high {
            let middle = (low + high) / 2
            if groups[middle].identifier.utf8.lexicographicallyPrecedes(identifier) {
                low = middle + 1
            } else {
                high = middle
            }
        }
        return low
    }
}

extension SharedContainers.Unknown {
    /// Keeps why nothing tells whose an extension is.
    mutating func noteExtension(_ name: String, at path: DumpPath, among apps: AppIdentifiers) {
        guard let app = apps.longest(in: name.utf8) else { return }
        let reason: String
        if apps.isWithoutContainer(Array(app.utf8)) {
            reason = "\(name) is called after \(app), and nothing says which container is that app's"
        } else if let other = apps.doubt(about: name.utf8, after: app, at: path, further: 1) {
            reason = "\(name) may be of \(other)"
        } else {
            return
        }
        let claim = GroupClaims.claim(of: name, at: path)
        domains[Array(name.utf8)] = Doubt(
            kind: .plugin, path: path, reason: "\(reason) (--app-group \(claim) says that it is this app's)")
    }

    /// Keeps the first reason why there may be others of a kind.
    mutating func note(_ kind: Container.Kind, _ reason: String) {
        switch kind {
        case .group: groups = groups ?? reason
        case .plugin: extensions = extensions ?? reason
        default: break
        }
    }
}
