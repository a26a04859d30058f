import DeviceDump
import Foundation
import MigrationEngine
import Reports
import StoreFormats
import Synchronization
import Workspace

/// What effects work on: the dump, and the workspace of the container that is open.
package final class Inspection: Sendable {
    /// What an inspection is made with.
    package struct Options: Sendable {
        /// The migrations that there are.
        package var migrations: [any Migration]
        /// The facts that were given.
        package var facts: Facts
        /// Where ledgers are kept.
        package var ledger: LedgerLocation
        /// Whether the ledger is this program's as long as it runs, from the beginning on.
        package var keepsLedger = false
        /// The migration and the profile to begin with.
        package var chosen: Choice?
        /// Whether only its file was named, so that it is meant for those of several apps to which it applies.
        package var isChosenByFile = false
        /// The names of the migrations whose files were named: where one applies, it is in view at first.
        package var named: Set<String> = []
        /// Who applies a step now.
        package var stamp: @Sendable () -> LedgerEntry.Stamp
        /// Reads the migrations that are files again; `nil` where there is none.
        package var rereading: (@Sendable () -> Reread)?
        /// Those that are files and cannot be used as they are.
        package var unusable: [UnusableSpec] = []
        /// The dump to compare with; `nil` where none was named.
        package var other: OtherDump?
        /// Makes one of a path that the person names; `nil` where none can be.
        package var namingOther: (@Sendable (String) -> OtherDump)?
        /// How a report words advice: as whoever reads it does it.
        package var reportWords: AdviceWords

        /// Makes options.
        package init(
            migrations: [any Migration], facts: Facts, ledger: LedgerLocation, chosen: Choice? = nil,
            rereading: (@Sendable () -> Reread)? = nil, other: OtherDump? = nil,
            namingOther: (@Sendable (String) -> OtherDump)? = nil, reportWords: AdviceWords = .plain,
            stamp: @escaping @Sendable () -> LedgerEntry.Stamp
        ) {
            (self.rereading, self.other, self.namingOther, self.reportWords) = (
                rereading, other, namingOther, reportWords
            )
            self.migrations = migrations
            self.facts = facts
            self.ledger = ledger
            self.chosen = chosen
            self.stamp = stamp
        }
    }

    /// A dump that was made after the real update, with which the one that is open is compared.
    package struct OtherDump: Sendable {
        /// What the person has named.
        package let path: String
        let open: @Sendable (OpeningControl) throws(WorkspaceError) -> Dump

        /// - Parameter open: Opens it; one that is locked is refused.
        package init(
            _ path: String, open: @escaping @Sendable (OpeningControl) throws(WorkspaceError) -> Dump
        ) {
            (self.path, self.open) = (path, open)
        }

        /// What to call it on a screen.
        var name: String { path.split(separator: "/").last.map(String.init) ?? path }
    }

    /// A migration that is a file and cannot be used as it is now.
    package struct UnusableSpec: Hashable, Sendable {
        /// What to call the file on a screen.
        let name: String
        /// What is wrong with it, with its place.
        let why: String
        /// Whether what was read of it before stays.
        let isKept: Bool

        package init(_ name: String, _ why: String, isKept: Bool) {
            (self.name, self.why, self.isKept) = (name, why, isKept)
        }

        /// It, in a sentence or more.
        var sentence: String {
            let end = [".", "?"].contains(where: why.hasSuffix) ? "" : "."
            return "\(name) \(isKept ? "is as it was read before" : "is left out"): \(why)\(end)"
        }

        /// The same for a report.
        package var leftOut: TicketReport.LeftOut { (name, sentence) }
    }

    /// What came of reading the migrations that are files again.
    package struct Reread: Sendable {
        /// All migrations; of a file that cannot be used as it is now, as it was.
        package var migrations: [any Migration]
        /// The files that have changed since they were last read, and can be used.
        package var changed: [String]
        /// Those that cannot.
        package var problems: [UnusableSpec]

        package init(migrations: [any Migration], changed: [String], problems: [UnusableSpec]) {
            (self.migrations, self.changed, self.problems) = (migrations, changed, problems)
        }
    }

    /// What there is to look at once the dump is open.
    package struct Contents: Sendable {
        /// The kind of dump.
        let kind: String
        /// The containers to choose from.
        let containers: [Container]
        /// What is missing from the dump or not as it should be, in sentences.
        var warnings: [String] = []
        /// The dump, unless the workspaces are opened in a way of their own.
        var dump: Dump?
        let opener: @Sendable (_ container: String?) throws(WorkspaceError) -> any InspectedWorkspace
        /// Looks at a container that is not open, and keeps nothing of it.
        let glance: @Sendable (_ container: String) throws(WorkspaceError) -> Glance

        init(
            kind: String, containers: [Container],
            opener: @escaping @Sendable (_ container: String?) throws(WorkspaceError) -> any InspectedWorkspace,
            glance: @escaping @Sendable (_ container: String) throws(WorkspaceError) -> Glance
        ) {
            self.kind = kind
            self.containers = containers
            self.opener = opener
            self.glance = glance
        }

        /// Contents of which a container is opened to look at it.
        init(
            kind: String, containers: [Container],
            opener: @escaping @Sendable (_ container: String?) throws(WorkspaceError) -> any InspectedWorkspace
        ) {
            self.init(kind: kind, containers: containers, opener: opener) { path throws(WorkspaceError) in
                let snapshot = try opener(path).snapshot
                return Glance(stores: snapshot.stores, facts: snapshot.facts, history: snapshot.history)
            }
        }
    }

    /// What a look at a container that is not open is made of.
    struct Glance {
        let stores: any StoreReader
        let facts: Facts
        let history: History
        /// That the dump holds no file of it; `nil` where it holds some.
        var lack: String?
        var measure: (files: Int, bytes: Int, isWhole: Bool)?
    }

    /// A dump that a password opens.
    package struct Locked: Sendable {
        /// The kind of dump.
        let kind: String
        /// What to call it, where it is not the dump itself but lies in it.
        var place: String?
        /// What is in it may be locked again.
        let unlock: @Sendable (_ password: String, OpeningControl) throws(WorkspaceError) -> Opened
    }

    /// What comes of opening a dump: its contents, or that it is locked.
    package enum Opened: Sendable {
        case open(Contents)
        case locked(Locked)
    }

    /// What is shown first.
    enum First: Sendable {
        case open(AppList?, OpenContainer?)
        case locked(Locked)
    }

    package let options: Options
    /// The migrations as they were last read, and the files that cannot be used.
    private let known: Mutex<(migrations: [any Migration], unusable: [UnusableSpec])>
    private let opening: @Sendable (OpeningControl) throws(WorkspaceError) -> Opened
    /// `nil` until the dump is open.
    private let contents: Mutex<Contents?>
    /// Those that were opened, by their container's path: each effect names its own, so that none gets another's.
    private let workspaces = Mutex<[Name: any InspectedWorkspace]>([:])
    /// The dump to compare with, and what it holds, once it was opened.
    private let other: Mutex<(named: OtherDump?, dump: Dump?)>

    /// Makes the inspection of a dump that is still to be opened, and may be locked.
    ///
    /// - Parameter didUnlock: Told of a dump that a password has opened.
    package convenience init(
        options: Options, didUnlock: @escaping @Sendable (Dump) throws(WorkspaceError) -> Void = { _ in },
        opening: @escaping @Sendable (OpeningControl) throws(WorkspaceError) -> DeviceDump.Opening
    ) {
        self.init(options: options, contents: nil) { control throws(WorkspaceError) in
            Opened(try opening(control), options, didUnlock)
        }
    }

    /// Makes the inspection of a dump.
    package convenience init(of dump: Dump, options: Options) {
        let contents = Contents(of: dump, options)
        self.init(options: options, contents: contents) { _ in .open(contents) }
    }

    /// Makes an inspection of workspaces that are opened in a way of their own.
    package convenience init(
        options: Options, kind: String = "", containers: [Container] = [],
        opener: @escaping @Sendable (_ container: String?) throws(WorkspaceError) -> any InspectedWorkspace
    ) {
        let contents = Contents(kind: kind, containers: containers, opener: opener)
        self.init(options: options, contents: contents) { _ in .open(contents) }
    }

    /// Makes an inspection of what is opened in a way of its own.
    init(
        options: Options, contents: Contents? = nil,
        opening: @escaping @Sendable (OpeningControl) throws(WorkspaceError) -> Opened
    ) {
        self.options = options
        known = Mutex((migrations: options.migrations, unusable: options.unusable))
        other = Mutex((options.other, nil))
        self.opening = opening
        self.contents = Mutex(contents)
    }

    /// The migrations that there are.
    var migrations: [any Migration] { known.withLock { $0.migrations } }

    /// The files that cannot be used, as they were last read.
    var unusable: [UnusableSpec] { known.withLock { $0.unusable } }

    /// Reads the migrations that are files again.
    func reread() -> Reread? {
        guard let reread = options.rereading?() else { return nil }
        known.withLock { $0 = (reread.migrations, reread.problems) }
        return reread
    }

    /// Finds out what there is to do in an app that is not open.
    func examine(_ path: String, _ control: EffectControl) throws(WorkspaceError) -> AppList.Finding {
        guard let contents = contents.withLock({ $0 }) else { throw .cancelled }
        let glance = try contents.glance(path)
        let answer = AppFinding(
            in: StoppableStores(glance.stores, control.isCancelled), facts: glance.facts, history: glance.history,
            among: migrations, lack: glance.lack, isCancelled: control.isCancelled)
        try control.goOn()
        return AppList.Finding(answer: answer, measure: glance.measure)
    }

    /// The inspector's first screen: the container that was named or is the only one, else the list of apps.
    ///
    /// A dump that is still to be opened is opened by what `Event.started` asks for, and so is the plan made.
    ///
    /// - Parameter dump: What to call a dump that is not open yet.
    /// - Throws: ``WorkspaceError`` where the container is not there or its ledger cannot be used.
    package func start(
        container name: String?, dump: String = "", size: Size, glyphs: Glyphs, masking: Masking,
        settings: Settings = .standard
    ) throws(WorkspaceError) -> Model {
        guard let contents = contents.withLock({ $0 }) else {
            let unopened = UnopenedDump(name: dump, container: name)
            return model(Model(size: size, glyphs: glyphs, unopened: unopened, masking: masking, settings: settings))
        }
        let (apps, opened) = try first(contents, container: name)
        return model(
            Model(size: size, glyphs: glyphs, apps: apps, opened: opened, masking: masking, settings: settings))
    }

    /// A first screen, with what it is compared with.
    private func model(_ model: Model) -> Model {
        var model = model
        model.otherDump = options.other.map { ComparedDump(named: $0.name) }
        return model
    }

    /// Takes another dump to compare with, and says what to call it; `nil` where none can be named any more.
    func nameOther(_ path: String) -> String? {
        guard let named = options.namingOther?(path) else { return nil }
        other.withLock { $0 = (named, nil) }
        return named.name
    }

    /// Whether nothing may be written at a path, because it is one of the dumps that are looked at, or lies in it.
    package func protects(_ path: String) -> Bool {
        let (named, other) = other.withLock { $0 }, dumps = [contents.withLock { $0?.dump }, other].compactMap(\.self)
        return dumps.contains { $0.protects(path) }
            || named.map { CanonicalPath.isSame(path, asNamed: $0.path) } ?? false
    }

    /// Compares a container with the other dump.
    func compare(
        _ path: String, with migration: (migration: any Migration, profile: Profile)?, _ masking: Masking,
        _ control: EffectControl
    ) throws(WorkspaceError) -> CompareReport {
        let workspace = try workspace(of: path)
        let (named, dump) = try other.withLock { known throws(WorkspaceError) in
            guard let named = known.named else { throw .cancelled }
            if let dump = known.dump { return (named, dump) }
            let opened = try named.open(control.opening("comparing with \(named.name)"))
            if let problem = opened.problem { throw .dump(DumpError(named.path, .brokenDatabase(problem.explanation))) }
            known.dump = opened
            return (named, opened)
        }
        let report = try workspace.compared(
            with: dump, named: named.path, migration, among: migrations, masking, control)
        try control.goOn()
        return report
    }

    /// Opens the dump.
    ///
    /// - Throws: ``WorkspaceError``, also where the person stops it.
    func openDump(_ control: OpeningControl, container name: String?) throws(WorkspaceError) -> First {
        switch try opening(control) {
        case .locked(let locked): return .locked(locked)
        case .open(let contents): return try take(contents, container: name)
        }
    }

    /// Opens a locked dump.
    func unlock(
        _ locked: Locked, _ password: String, _ control: OpeningControl, container name: String?
    ) throws(WorkspaceError) -> First {
        switch try locked.unlock(password, control) {
        case .locked(let inner): return .locked(inner)
        case .open(let contents): return try take(contents, container: name)
        }
    }

    private func take(_ opened: Contents, container name: String?) throws(WorkspaceError) -> First {
        contents.withLock { $0 = opened }
        let first = try first(opened, container: name)
        return .open(first.apps, first.opened)
    }

    private func first(
        _ contents: Contents, container name: String?
    ) throws(WorkspaceError) -> (apps: AppList?, opened: OpenContainer?) {
        var apps = contents.containers.count > 1 ? AppList(of: contents.containers, in: contents.kind) : nil
        apps?.warnings = contents.warnings
        apps?.unusable = unusable.map(\.sentence)
        return (apps, apps == nil || name != nil ? try open(name) : nil)
    }

    /// Opens a container, by its path or its identifier; nothing is planned yet.
    private func open(_ container: String?) throws(WorkspaceError) -> OpenContainer {
        let workspace = try opened(container)
        keep(workspace)
        return OpenContainer(workspace.snapshot, choice: options.chosen)
    }

    /// Opens a container and plans it; where that is stopped, whatever was open before is as it was.
    func open(_ path: String, _ control: EffectControl) throws(WorkspaceError) -> OpenContainer {
        let workspace = try opened(path)
        var container = OpenContainer(workspace.snapshot, choice: options.isChosenByFile ? nil : options.chosen)
        try control.goOn()
        container.show(try view(of: workspace, container.request, control))
        keep(workspace)
        return container
    }

    private func opened(_ container: String?) throws(WorkspaceError) -> any InspectedWorkspace {
        guard let contents = contents.withLock({ $0 }) else { throw .cancelled }
        return try contents.opener(container)
    }

    private func keep(_ workspace: any InspectedWorkspace) {
        let path = workspace.snapshot.path
        workspaces.withLock { $0[Name(path)] = workspace }
    }

    /// The workspace of a container that was opened.
    func workspace(of path: String) throws(WorkspaceError) -> any InspectedWorkspace {
        guard let workspace = workspaces.withLock({ $0[Name(path)] }) else { throw .cancelled }
        return workspace
    }

    /// Lets go of what other programs wait for; for the end of the program.
    package func letGo() { workspaces.withLock { Array($0.values) }.forEach { $0.letGo() } }

    /// The ledger of the app in view: where another program may write.
    package func ledgerPath(of model: Model) -> String? {
        model.opened.flatMap { try? workspace(of: $0.snapshot.path).ledgerPath }
    }

    /// What is seen of an open container now.
    func view(_ request: ViewRequest, _ control: EffectControl) throws(WorkspaceError) -> ContainerView {
        try view(of: try workspace(of: request.container), request, control)
    }

    private func view(
        of workspace: any InspectedWorkspace, _ request: ViewRequest, _ control: EffectControl
    ) throws(WorkspaceError) -> ContainerView {
        var snapshot = workspace.snapshot
        snapshot.unusable = unusable
        if request.moment != .now {
            let chosen = chosen(request, snapshot.history)
            snapshot = snapshot.at(
                try snapshot.situation(at: request.moment, chosen, isCancelled: control.isCancelled), request.moment)
        }
        let view = try ContainerView(
            of: snapshot, migrations: migrations, named: options.named, request, isCancelled: control.isCancelled)
        try control.goOn()
        return view
    }
}

extension Inspection.Opened {
    /// What came of opening a dump.
    fileprivate init(
        _ opening: DeviceDump.Opening, _ options: Inspection.Options,
        _ didUnlock: @escaping @Sendable (Dump) throws(WorkspaceError) -> Void
    ) {
        switch opening {
        case .opened(let dump): self = .open(Inspection.Contents(of: dump, options))
        case .locked(let locked):
            let inside = locked.location.inside
            let named = locked.location.disk.split(separator: "/").last ?? ""
            let place = inside.isRoot ? nil : named + "/" + inside.text
            self = .locked(
                Inspection.Locked(kind: locked.kind.rawValue, place: place) {
                    password, control throws(WorkspaceError) in
                    let opening: DeviceDump.Opening
                    do throws(DumpError) {
                        opening = try locked.opening(with: .password(password), control: control)
                    } catch {
                        throw error.problem == .cancelled ? .cancelled : .dump(error)
                    }
                    if case .opened(let dump) = opening { try didUnlock(dump) }
                    return Self(opening, options, didUnlock)
                })
        }
    }
}

extension Inspection.Contents {
    /// What there is to look at in a dump.
    fileprivate init(of dump: Dump, _ options: Inspection.Options) {
        let facts = options.facts, ledger = options.ledger
        let first = Mutex<Workspace?>(nil)
        @Sendable func open(_ container: String?, isAfresh: Bool) throws(WorkspaceError) -> Workspace {
            // One container after another shares the ledger, which only one workspace may write.
            let (earlier, isFirst) = try first.withLock { known throws(WorkspaceError) in
                if let known { return (known, false) }
                let opened = try Workspace.open(
                    dump: dump, container: container, facts: facts, ledger: ledger,
                    asked: options.migrations.flatMap(\.facts), findingDrift: false)
                if options.keepsLedger { opened.keepLedger() }
                known = opened
                return (opened, true)
            }
            return isFirst
                ? earlier : try earlier.opening(container: container, afresh: isAfresh, findingDrift: false)
        }
        self.init(kind: dump.kindAndPlace, containers: dump.containers) { container throws(WorkspaceError) in
            DumpWorkspace(try open(container, isAfresh: false))
        } glance: { container throws(WorkspaceError) in
            let snapshot = try open(container, isAfresh: true).snapshot
            return Inspection.Glance(
                stores: snapshot.stores, facts: snapshot.facts, history: snapshot.history,
                lack: snapshot.container.lack,
                measure: snapshot.container.measure())
        }
        warnings = dump.warnings.map(\.told)
        self.dump = dump
    }
}
