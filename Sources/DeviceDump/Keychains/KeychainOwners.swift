import MigrationEngine
import StoreFormats

/// Whose the items of a keychain's export are, told by their access groups; this is decided here and nowhere else.
///
/// An item is an app's own where its access group, with or without a team before it,
/// - is the app's identifier;
/// - begins with it and a dot, as that of no app of the dump with a longer one, and it has three parts or more: one of two, as
///   `com.acme`, is its maker's as well. An extension of the dump has its group for itself;
/// - is, as a whole, an app group of the app: one that iOS has noted for it, or where it has noted none, whose container goes
///   with the app, or that is `group.` and its identifier (Apple, "Sharing access to keychain items among a collection of
///   apps"); an extension of which it has noted none has those of its app;
/// - is one that a person says to be the app's, or an app group that a person says it uses.
///
/// An app has one team: where its identifier stands under several, each of these may be shared with it, until a person says
/// which it is.
///
/// It is surely not the app's where its group is iOS's own; where it is of another team than the app is known to be of; where
/// it is an app group and iOS has noted others for the app; and where a person has said which groups the app reads beside its
/// own: these are all then. Everything else may be shared with it, also what has the identifier of another app of its team,
/// which is what Xcode fills in where apps share a keychain (Apple, "Configuring keychain sharing"): only the app's
/// entitlements would tell. What is called after another app is listed with that one alone, and unknown to this one. An item
/// without a group may be anybody's, too; it is the app's own where all others are the app's or iOS's, and it is the only app that the dump knows of, or
/// where a person says so.
///
/// An export that has neither an item of the app's nor one of iOS's, as any of a whole device has, is another app's, and
/// says nothing of this one.
struct KeychainOwners: Sendable {
    /// What an access group is to a container, the nearest first.
    private enum Belonging: Int {
        /// It has its identifier.
        case exact
        /// Its identifier begins with it.
        case extended
        /// It is an app group of it, or one that a person says to be its.
        case shared
        /// Nothing says whose it is.
        case apart
        /// It has the identifier of another app or extension, which may share it with the container.
        case elsewhere
        /// It is surely another's.
        case foreign

        var isOwn: Bool { rawValue < Self.apart.rawValue }
    }

    /// An access group that items have.
    private struct Group: Sendable {
        let name: AccessGroup
        /// Its items in stored order.
        var items: [Int] = []
        /// The containers whose identifier it is.
        var exact: [Int] = []
        /// The apps whose identifier it begins with.
        var extended: [Int] = []
        /// The teams that it can be of; `nil` where nothing says it.
        var teams: Set<String>?
        /// The folders of the containers that it is the group of.
        var containers: [DumpPath] = []
        /// The apps that are called as it is behind `group.`.
        var called: [Int] = []
        /// Whether it is one of an app group.
        var isAppGroup: Bool { name.isCalledGroup || !containers.isEmpty }
    }

    /// What is known of a container.
    private struct Owner: Sendable {
        let identifier: String
        let kind: Container.Kind
        let path: DumpPath
        let companions: Set<DumpPath>
        let entitled: Set<[UInt8]>?
        let told: Set<Name>
        let toldGroups: Set<[UInt8]>
        /// The teams that its own groups are of.
        var teams: Set<String> = []

        /// The teams of the groups that are called as it is.
        var ownTeams: Set<String> = []
        /// The apps that it is an extension of.
        var hosts: [Int] = []

        /// Whether a person says that items without a group are its.
        var hasWithoutGroup: Bool { told.contains(Name(GroupClaims.withoutGroup)) }
        /// Whether it may share the items of others.
        var isProgram: Bool { kind == .app || kind == .plugin }
    }

    /// The containers by what access groups are called after.
    private struct Names: Sendable {
        let containers: [[UInt8]: [Int]]
        let apps: [[UInt8]: [Int]]
        /// The apps and extensions that a container goes with.
        var sharers: [DumpPath: [Int]] = [:]

        init(of owners: [Owner]) {
            containers = Dictionary(grouping: owners.indices) { Array(owners[$0].identifier.utf8) }
            apps = containers.mapValues { $0.filter { owners[$0].kind == .app } }.filter { !$0.value.isEmpty }
            for position in owners.indices where owners[position].isProgram {
                for folder in owners[position].companions { sharers[folder, default: []].append(position) }
            }
        }
    }

    /// The access groups that items have, by what makes them a container's: a device has apps, and groups, by the thousand.
    private struct Places: Sendable {
        /// By the containers that they are called after.
        var ofOwners: [Int: [Int]] = [:]
        /// By their names, with and without a team.
        var named: [[UInt8]: [Int]] = [:]
        /// By the folders of the containers that they are the groups of.
        var ofContainers: [DumpPath: [Int]] = [:]
        /// By the teams that they can be of.
        var ofTeams: [String: [Int]] = [:]
        /// Those of which nothing says a team, but iOS's own.
        var withoutTeam: [Int] = []
        /// How many of them have a name, and are not iOS's own.
        var count = 0

        mutating func add(_ group: Group, at place: Int) {
            for owner in Set(group.exact + group.extended + group.called) { ofOwners[owner, default: []].append(place) }
            for name in group.name.exactNames { named[name, default: []].append(place) }
            for folder in group.containers { ofContainers[folder, default: []].append(place) }
            if group.name.isSystem { return }
            count += 1
            guard let teams = group.teams else { return withoutTeam.append(place) }
            for team in teams { ofTeams[team, default: []].append(place) }
        }
    }

    private let file: KeychainFile
    private let index: KeychainIndex
    private let names: Names
    private var groups: [Group] = []
    private var places = Places()
    /// The items that no group is named of.
    private var withoutGroup: [Int] = []
    private var owners: [Owner]
    private let isAlone: Bool
    private let apps: AppIdentifiers

    /// Looks at whose the items are.
    ///
    /// - Parameters:
    ///   - hasFurtherApps: Whether the device has apps, other than iOS's own, without a container.
    ///   - apps: The apps that the dump tells of.
    ///   - told: What a person says of the groups of a container, by its folder.
    init(
        of file: KeychainFile, among containers: [Container], hasFurtherApps: Bool = false,
        apps: AppIdentifiers = AppIdentifiers([]), told: [DumpPath: GroupClaims] = [:]
    ) {
        self.file = file
        index = KeychainIndex(of: file.export)
        self.apps = apps
        owners = containers.map { container in
            Owner(
                identifier: container.identifier, kind: container.kind, path: container.path,
                companions: Set(container.companions),
                entitled: container.appGroups.map { Set($0.map { Array($0.utf8) }) },
                told: Set((told[container.path]?.keychain ?? []).map(Name.init)),
                toldGroups: Set((told[container.path]?.appGroups ?? []).map { Array($0.utf8) }))
        }
        isAlone = !hasFurtherApps && owners.count { $0.kind == .app } == 1
        var positions: [Name: Int] = [:]
        for (index, item) in file.export.items.enumerated() {
            let name = Name(item.group), known = positions[name] ?? groups.count
            if known == groups.count {
                positions[name] = known
                groups.append(Group(name: AccessGroup(item.group)))
            }
            groups[known].items.append(index)
        }
        names = Names(of: owners)
        for position in owners.indices where owners[position].kind == .plugin {
            owners[position].hosts = sharers(of: position)
        }
        for position in groups.indices {
            groups[position] = named(groups[position])
            let group = groups[position]
            guard let team = group.name.team else { continue }
            for owner in group.exact { owners[owner].ownTeams.insert(team) }
            let extensions = group.exact.filter { owners[$0].kind == .plugin }.flatMap(sharers)
            for owner in group.exact + group.extended + extensions { owners[owner].teams.insert(team) }
        }
        for position in groups.indices {
            groups[position].teams = teams(of: groups[position])
            if groups[position].name.text.isEmpty {
                withoutGroup = groups[position].items
            } else {
                places.add(groups[position], at: position)
            }
        }
    }

    private func sharers(of container: Int) -> [Int] { names.sharers[owners[container].path] ?? [] }

    /// A group with the containers that it is called after.
    private func named(_ group: Group) -> Group {
        var group = group
        group.exact = group.name.exactNames.flatMap { names.containers[$0] ?? [] }
        // What has the identifier of an app of which there is no container is nobody else's.
        if group.exact.isEmpty, !group.name.exactNames.contains(where: apps.isWithoutContainer) {
            // What is called after an app of which there is no container is not that of a shorter name's.
            let nearest = group.name.beginnings.first { names.apps[$0] != nil || apps.isWithoutContainer($0) }
            // Nor is it an app's where another one's container does not say which it is.
            let called = nearest.flatMap { names.apps[$0] } ?? []
            group.extended = called.filter { apps.other(than: owners[$0].path) == nil }
        }
        group.called = group.name.groupName.flatMap { names.apps[$0] } ?? []
        group.containers = group.exact.filter { owners[$0].kind == .group }.map { owners[$0].path }
        return group
    }

    /// The teams that a group can be of: the one that it names, or that of those that it goes with, where it is known of each.
    private func teams(of group: Group) -> Set<String>? {
        if let team = group.name.team { return [team] }
        let own = group.exact.filter { owners[$0].isProgram }
        // An extension that goes with one is of its app's team.
        let apps = group.containers.flatMap { names.sharers[$0] ?? [] }.filter { owners[$0].kind == .app }
        let teams = (own + apps).map { owners[$0].teams }
        guard !teams.isEmpty, !teams.contains(where: \.isEmpty) else { return nil }
        return teams.reduce(into: []) { $0.formUnion($1) }
    }

    /// What an access group is to a container, also one that no item is in.
    private func use(of group: String, by position: Int) -> KeychainShare.GroupUse {
        var group = named(Group(name: AccessGroup(group)))
        group.teams = teams(of: group)
        if group.name.text.isEmpty, owners[position].hasWithoutGroup { return .own }
        switch belonging(of: group, to: position) {
        case .exact, .extended, .shared: return .own
        case .apart, .elsewhere: return .unknown
        case .foreign: return .foreign
        }
    }

    private func belonging(of group: Group, to position: Int) -> Belonging {
        let owner = owners[position], isExact = group.exact.contains(position)
        if isExact || group.extended.contains(position) {
            // Nothing says which of several teams it has now, unless a person does.
            guard owner.ownTeams.count > 1, let team = group.name.team else { return isExact ? .exact : .extended }
            let told = owner.ownTeams.filter { owner.told.contains(Name("\($0).\(owner.identifier)")) }
            return told.isEmpty ? .apart : told.contains(team) ? (isExact ? .exact : .extended) : .foreign
        }
        let isNoted = owner.entitled.map { names in group.name.exactNames.contains(where: names.contains) }
        if owner.told.contains(group.name.name) || isNoted == true
            || group.name.exactNames.contains(where: owner.toldGroups.contains)
            || isAppGroup(group, of: position)
            || isNoted == nil && owner.hosts.contains(where: { isAppGroup(group, of: $0) })
        {
            return .shared
        }
        guard owner.isProgram, owner.told.isEmpty, !group.name.isSystem else { return .foreign }
        if group.isAppGroup, isNoted == false { return .foreign }
        if let teams = group.teams, !owner.teams.isEmpty, teams.isDisjoint(with: owner.teams) { return .foreign }
        let isElsewhere = group.exact.contains {
            owners[$0].isProgram && !owner.companions.contains(owners[$0].path)
        }
        return isElsewhere ? .elsewhere : .apart
    }

    /// Whether a group is an app group that a container has, by what goes with it or where nothing is noted of it by its name.
    private func isAppGroup(_ group: Group, of position: Int) -> Bool {
        let owner = owners[position]
        return group.containers.contains(where: owner.companions.contains)
            || owner.entitled == nil && group.called.contains(position)
    }

    /// The groups among which all are that are not foreign to a container.
    private func candidates(of position: Int) -> [Int] {
        let owner = owners[position]
        if owner.isProgram, owner.told.isEmpty, owner.teams.isEmpty {
            return groups.indices.filter { !groups[$0].name.text.isEmpty }
        }
        var found: Set<Int> = []
        for position in [position] + owner.hosts {
            found.formUnion(places.ofOwners[position] ?? [])
            for folder in owners[position].companions { found.formUnion(places.ofContainers[folder] ?? []) }
        }
        let told = owner.told.map { Array($0.utf8) } + owner.toldGroups + (owner.entitled ?? [])
        for name in told { found.formUnion(places.named[name] ?? []) }
        if owner.isProgram, owner.told.isEmpty {
            found.formUnion(places.withoutTeam)
            for team in owner.teams { found.formUnion(places.ofTeams[team] ?? []) }
        }
        return found.sorted()
    }

    /// The items that a container sees.
    func share(of position: Int) -> KeychainShare {
        let items = file.export.items, owner = owners[position]
        var seen: [Belonging: [Int]] = [:], ownGroups = 0
        for group in candidates(of: position).lazy.map({ groups[$0] }) {
            let belonging = belonging(of: group, to: position)
            seen[belonging, default: []] += group.items
            if belonging.isOwn, !group.name.isSystem { ownGroups += 1 }
        }
        let isOthers = ownGroups < places.count
        for index in withoutGroup where owner.isProgram {
            // Whose an item is that is locked as a whole nobody can say.
            if items[index].isNameless {
                if file.isGiven || isAlone { seen[.apart, default: []].append(index) }
            } else {
                let isOwn = owner.hasWithoutGroup || owner.kind == .app && isAlone && !isOthers
                seen[isOwn ? .shared : .apart, default: []].append(index)
            }
        }
        let exact = (seen[.exact] ?? []).sorted(), extended = (seen[.extended] ?? []).sorted()
        let own = exact + extended + (seen[.shared] ?? []).sorted()
        // As the items of the container itself have it, or else as its team would. Among others' items one without a
        // group would be nobody's.
        let group =
            (exact + extended).first.map { items[$0].group }
            ?? (owner.ownTeams.count > 1 ? nil : owner.teams.sorted().first).map { "\($0).\(owner.identifier)" }
            ?? ((isOthers || !isAlone) && !owner.hasWithoutGroup ? owner.identifier : nil)
        return KeychainShare(
            of: file, items: own, apart: (seen[.apart] ?? []).sorted(),
            elsewhere: (seen[.elsewhere] ?? []).isEmpty ? nil : (index, Set(seen[.elsewhere] ?? [])), group: group,
            use: { use(of: $0, by: position) },
            guessed: apps.isEmpty ? extended.map { items[$0].group } : [],
            isForeign: !items.isEmpty && own.isEmpty && owner.ownTeams.isEmpty
                && !file.export.isOfDevice
                && !groups.contains(where: \.name.isSystem))
    }

    /// How many items nobody sees.
    var warnings: [DumpWarning] {
        // Of whom a person has said all groups, sees no other.
        let programs = owners.filter { $0.isProgram && $0.told.isEmpty },
            unnoted = programs.filter { $0.entitled == nil }
        func teams(_ owners: [Owner]) -> Set<String>? {
            // Of one whose team is not known it may be any.
            owners.contains(where: \.teams.isEmpty) ? nil : owners.reduce(into: []) { $0.formUnion($1.teams) }
        }
        let all = teams(programs), ofUnnoted = teams(unnoted)
        let told = owners.reduce(into: Set<Name>()) { $0.formUnion($1.told) }
        let entitled = owners.reduce(into: Set<[UInt8]>()) { $0.formUnion(($1.entitled ?? []).union($1.toldGroups)) }
        func isSeen(_ group: Group) -> Bool {
            let name = group.name
            if name.text.isEmpty { return owners.contains(where: \.isProgram) }
            if group.called.contains(where: { owners[$0].entitled == nil }) { return true }
            if !group.exact.isEmpty || !group.extended.isEmpty || told.contains(name.name) { return true }
            if name.exactNames.contains(where: entitled.contains) { return true }
            guard !name.isSystem, !(group.isAppGroup ? unnoted : programs).isEmpty else { return false }
            guard let teams = group.teams, let known = group.isAppGroup ? ofUnnoted : all else { return true }
            return !teams.isDisjoint(with: known)
        }
        // Those that are locked are counted as that.
        let hidden = groups.reduce(0) { count, group in
            isSeen(group)
                ? count : count + group.items.count { group.name.isSystem || !file.export.items[$0].isNameless }
        }
        let empty = file.export.isNotWhole ? [DumpWarning(file.path, .emptyKeychain)] : []
        return empty + (hidden > 0 ? [DumpWarning(file.path, .foreignKeychainItems(hidden))] : [])
    }
}

/// The access group of an item: a team, a dot, and an app's or another identifier.
struct AccessGroup: Sendable {
    let text: String
    /// The same as a name.
    let name: Name
    /// The team, where the group begins with one: ten capital letters and digits.
    let team: String?
    /// The identifiers of containers of which it is the very own group.
    let exactNames: [[UInt8]]
    /// Whether it is the group of iOS itself.
    let isSystem: Bool

    init(_ text: String) {
        self.text = text
        let start = text.utf8.prefix { $0 != UInt8(ascii: ".") }
        let isTeam =
            start.count == 10
            && start.allSatisfy { (0x30...0x39).contains($0) || (0x41...0x5A).contains($0) }
        team = isTeam ? String(Substring(start)) : nil
        name = Name(text)
        let all = Array(text.utf8)
        // Asked of each app.
        exactNames = isTeam ? [all, Array(all.dropFirst(11))] : [all]
        isSystem = Noise.isApples(text)
    }

    /// Without the team before it.
    private var bare: Substring.UTF8View { team.map { text.utf8.dropFirst($0.utf8.count + 1) } ?? text.utf8[...] }

    /// Whether it is called as app groups are.
    var isCalledGroup: Bool { bare.starts(with: "group.".utf8) }

    /// What is behind `group.`, where it is called as app groups are.
    var groupName: [UInt8]? { bare.starts(with: "group.".utf8) ? Array(bare.dropFirst(6)) : nil }

    /// The identifiers of three parts or more that it begins with, the longest one first.
    var beginnings: [[UInt8]] {
        let dot = UInt8(ascii: ".")
        var all: [[UInt8]] = [], rest = Array(bare)[...]
        while let last = rest.lastIndex(of: dot) {
            rest = rest[..<last]
            guard rest.count(where: { $0 == dot }) >= 2 else { break }
            all.append(Array(rest))
        }
        return all
    }
}
