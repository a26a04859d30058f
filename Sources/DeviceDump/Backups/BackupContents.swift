import MigrationEngine
import StoreFormats

/// The containers of files that have a folder for each domain of a backup.
struct BackupContents {
    /// What was found.
    private(set) var contents = DumpContents(containers: [])

    /// What a domain's name says of it.
    private static let prefixes: [(text: String, kind: Container.Kind)] = [
        ("AppDomain-", .app), ("AppDomainGroup-", .group), ("AppDomainPlugin-", .plugin),
    ]

    /// Whether a folder is named as the domain of an app is.
    static func isDomain(_ name: some StringProtocol) -> Bool { prefixes.contains { name.hasPrefix($0.text) } }

    /// Whose domain a folder is by its name; `nil` where it is no app's, group's or extension's.
    static func domain(_ name: String) -> (kind: Container.Kind, identifier: String)? {
        prefixes.first { name.hasPrefix($0.text) && name.utf8.count > $0.text.utf8.count }.map { prefix in
            (prefix.kind, String(name.dropFirst(prefix.text.count)))
        }
    }

    private struct Domain {
        var path: DumpPath
        var kind: Container.Kind
        var identifier: String
        /// Whether it is only listed, and the backup has nothing of it.
        var isEmpty = false
    }

    /// Lists the containers.
    init(
        of source: DumpSource, _ info: BackupInfo, keys: BackupKeys? = nil, _ control: OpeningControl
    ) throws(DumpError) {
        try control.reach(.listing)
        var domains: [Domain] = []
        contents.warnings = info.warnings
        contents.devices = info.devices
        let backup = source.files as? BackupFiles
        for item in try source.files.children() where item.kind == .folder {
            guard let name = String(validating: item.path.bytes, as: UTF8.self) else {
                contents.warnings.append(DumpWarning(item.path, .nameNotUTF8))
                continue
            }
            if let (kind, identifier) = Self.domain(name) {
                domains.append(Domain(path: item.path, kind: kind, identifier: identifier))
            } else if backup != nil || name.hasSuffix("Domain") || name.contains("Domain-") {
                domains.append(Domain(path: item.path, kind: .system, identifier: name))
            }
        }
        let listed = Self.listed(in: info, besides: domains)
        domains += listed.domains
        contents.hasFurtherApps = !listed.isAll
        // Of folders nothing lists what was to be in them.
        let files =
            backup == nil
            ? info.unfinished.map { UnfinishedFiles(base: source.files, damage: $0) } ?? source.files : source.files
        let apps = AppIdentifiers(
            domains.lazy.filter { $0.kind == .app }.map(\.identifier),
            others: listed.isAll
                ? [] : [.init(words: "an app that is not listed, as nothing lists all that were installed")])
        contents.apps = apps
        let shared = Shared(domains, apps, doubt: backup?.manifest.doubt ?? info.unfinished, isPart: backup == nil)
        for (position, domain) in domains.enumerated() {
            try control.reach(.listing, position, of: domains.count)
            contents.containers.append(
                Self.container(domain, shared, apps, info, files, backup == nil ? .ofUnpackedBackup : .ofBackup))
        }
        contents.keychain = BackupKeychain.find(in: source.files, keys: keys)
        guard let backup else {
            if let unfinished = info.unfinished {
                contents.warnings.append(DumpWarning(unfinished.path, .unreadable(Unreadable(unfinished))))
            }
            return
        }
        contents.warnings += backup.manifest.warnings
        contents.survey = { (control) throws(DumpError) in try backup.orphans(control) }
    }

    /// The apps that were installed and have no file in the backup.
    ///
    /// Of app groups and of the keychain's items some may be theirs. Those that come with iOS are left out: a device has hundreds.
    private static func listed(in info: BackupInfo, besides found: [Domain]) -> (domains: [Domain], isAll: Bool) {
        let known = Set(found.lazy.filter { $0.kind == .app }.map { Name($0.identifier) })
        // A list without an app of which there are files is not one of all.
        let isWhole = known.allSatisfy { Noise.isApples($0.text) || info.apps[$0]?.isListed ?? false }
        var domains: [Domain] = [], isAll = info.listsApps && isWhole
        for (name, app) in info.apps where app.isListed && !known.contains(name) && !Noise.isApples(name.text) {
            guard !name.text.isEmpty, let path = DumpPath("AppDomain-\(name.text)"), path.parent?.isRoot ?? true else {
                isAll = false
                continue
            }
            domains.append(Domain(path: path, kind: .app, identifier: name.text, isEmpty: true))
        }
        // One's extension tells of an app that is listed nowhere.
        let apps = AppIdentifiers((found + domains).lazy.filter { $0.kind == .app }.map(\.identifier))
        let hosts = found.lazy.filter { $0.kind == .plugin && !Noise.isApples($0.identifier) }
        return (domains, isAll && hosts.allSatisfy { apps.longest(in: $0.identifier.utf8) != nil })
    }

    /// What the apps share.
    private struct Shared {
        let groups, extensions: SharedContainers
        private let hasApps: Bool

        /// What a container may use; `nil` for a group where there is no app's.
        func seen(by kind: Container.Kind) -> SharedContainers? {
            switch kind {
            case .app, .plugin: groups
            case .group: hasApps ? SharedContainers.none : nil
            case .system: SharedContainers.none
            }
        }

        /// - Parameter isPart: Whether domains may be left out of what was unpacked.
        init(_ domains: [Domain], _ apps: AppIdentifiers, doubt: DumpError?, isPart: Bool) {
            hasApps = domains.contains { $0.kind == .app }
            let reason = doubt.map { Unreadable($0).explanation }
            var unknown = SharedContainers.Unknown(groups: reason, extensions: reason)
            if isPart {
                for (prefix, kind) in BackupContents.prefixes where !domains.contains(where: { $0.kind == kind }) {
                    unknown.note(kind, "the dump has no \(prefix)…")
                }
            }
            for domain in domains where domain.kind == .plugin {
                unknown.noteExtension(domain.identifier, at: domain.path, among: apps)
            }
            func list(_ kind: Container.Kind) -> SharedContainers {
                SharedContainers(
                    domains.filter { $0.kind == kind }.map { .init(identifier: $0.identifier, path: $0.path) },
                    unknown: unknown)
            }
            (groups, extensions) = (list(.group), list(.plugin))
        }
    }

    private static func container(
        _ domain: Domain, _ shared: Shared, _ apps: AppIdentifiers, _ info: BackupInfo, _ files: any DumpFiles,
        _ unheld: Unheld
    ) -> Container {
        var metadata = ContainerMetadata()
        let lack = domain.isEmpty ? "no file of it is in the backup" : nil
        let source = lack.map { "Manifest.plist; \($0)" } ?? "the backup's domain \(domain.path)"
        switch domain.kind {
        case .app, .plugin:
            metadata.note(.bundleIdentifier, domain.identifier, from: source, at: domain.path)
        case .group: metadata.note(.groupIdentifier, domain.identifier, from: source, at: domain.path)
        case .system: break
        }
        if let app = info.apps[Name(domain.identifier)], domain.kind != .group {
            if let name = app.name { metadata.note(.appName, name.text, from: name.source, at: domain.path) }
            if let version = app.version {
                metadata.note(.appVersion, version.text, from: version.source, at: domain.path)
            }
        }
        // An extension's identifier begins with that of its app, whose groups it has.
        let claimed: [SharedContainers.Group] =
            switch domain.kind {
            case .app:
                shared.groups.claimed(by: metadata, at: domain.path, among: apps)
                    + shared.extensions.named(after: domain.identifier, at: domain.path, among: apps)
            case .plugin:
                apps.longest(in: domain.identifier.utf8).map {
                    shared.groups.named(ofApp: $0, at: domain.path, among: apps)
                } ?? []
            default: []
            }
        var container = Container(
            domain.identifier, domain.kind, at: domain.path, of: files,
            facts: metadata.facts.completed(by: info.facts), warnings: metadata.warnings,
            places: ContainerPlaces(
                containerOf: domain.identifier, domain.kind, at: domain.path,
                shared: shared.seen(by: domain.kind), claimed: claimed,
                apps: apps, unheld: unheld))
        container.lack = lack
        return container
    }
}
