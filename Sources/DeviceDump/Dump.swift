import MigrationEngine

/// What came off a device: a folder or a file, which is only ever read.
public struct Dump: Sendable {
    /// The forms of dumps that are read.
    public enum Kind: String, Hashable, Sendable, CaseIterable {
        /// What Xcode downloads from a device: `AppDataInfo.plist` beside `AppData`.
        case xcappdata
        /// An app's data container by itself: `Library`, `Documents`, `tmp`.
        case container
        /// The folder of one device of the simulator.
        case simulator
        /// A single property list.
        case propertyList = "property-list"
    }

    /// The form.
    public let kind: Kind
    /// The dump's folder, which may lie above or below the one that was named; of a single file, the folder it is in,
    /// with that file only.
    public let root: DumpFolder
    /// The containers, in the order of their identifiers; at least one.
    public let containers: [Container]
    /// Parts that are missing or not as expected.
    ///
    /// Each container and its stores have warnings of their own.
    public let warnings: [DumpWarning]
    /// The export that the keychain items of all containers come from, where there is one that is read.
    public let keychain: KeychainFile?

    /// Opens a dump: recognises its form by its content and reads its metadata and its keychain, and nothing else.
    ///
    /// A folder one level too high or too low is found too, which is a warning.
    ///
    /// - Parameters:
    ///   - path: The dump.
    ///   - keychain: An export of the keychain; without one it is looked for in and beside the dump.
    /// - Throws: ``DumpError``; also where the keychain was named and is not read.
    public static func open(_ path: String, keychain: String? = nil) throws(DumpError) -> Dump {
        let (form, root, elsewhere) = try Recognition.recognise(path)
        let (containers, warnings) = form.contents(of: root)
        guard !containers.isEmpty else { throw DumpError(root.path, .noContainers) }
        var duplicates: Set<String> = [], seen: Set<String> = []
        for container in containers where !seen.insert(container.identifier).inserted {
            duplicates.insert(container.identifier)
        }
        let found =
            if let keychain { try KeychainSearch(given: keychain, in: root) } else { KeychainSearch(in: root) }
        var shared: (shares: [KeychainShare], warnings: [DumpWarning]) = ([], [])
        if let file = found.file {
            shared = KeychainShare.shares(of: file, among: containers.map { ($0.identifier, $0.kind) })
        }
        let complete = containers.enumerated().map { position, container in
            container.seeing(found.state, shared.shares.isEmpty ? nil : shared.shares[position])
        }
        return Dump(
            kind: form.kind, root: root,
            containers: complete.sorted { ($0.identifier, $0.path) < ($1.identifier, $1.path) },
            warnings: elsewhere + warnings
                + duplicates.sorted().map { DumpWarning("", .duplicateIdentifier($0)) }
                + found.warnings + shared.warnings,
            keychain: found.file)
    }

    /// The absolute path of the keychain's export, where a person named it.
    public var givenKeychain: String? { keychain.flatMap { $0.isGiven ? $0.absolutePath : nil } }

    /// The container of an identifier, or at a path; without one, the only container or else the only app's.
    public func container(_ identifier: String?) throws(DumpError) -> Container {
        let apps = containers.filter { $0.kind == .app }
        guard let identifier else {
            if let only = containers.first, containers.count == 1 { return only }
            if let only = apps.first, apps.count == 1 { return only }
            throw DumpError(root.path, .severalApps((apps.isEmpty ? containers : apps).map(\.identifier)))
        }
        let named = containers.filter { $0.identifier == identifier || $0.path == identifier }
        let preferred = named.filter { $0.kind == .app }
        if let only = preferred.first ?? named.first, (preferred.isEmpty ? named : preferred).count == 1 { return only }
        guard named.isEmpty else { throw DumpError(root.path, .severalApps(named.map(\.path))) }
        throw DumpError(root.path, .noSuchApp(identifier, available: containers.map(\.identifier)))
    }
}
