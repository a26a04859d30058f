import DeviceDump
import MigrationEngine
import StoreFormats
import Workspace

/// `vestige.inspect/1`: the containers of a dump with their stores and entries.
///
/// `kind` of a container is app, plugin or group; `state` of its keychain is none, items or unreadable, `from` the path of
/// the export and `problem` null or why it cannot be read. `drift` is as in `vestige.status/1`, for all containers, and null
/// where the ledger cannot be read. `type` of an entry is the type of its value, or `unreadable`; `annotations` is there where
/// a migration that applies knows what the entry is, and `annotation` of a store where what made it says what it is, as Core
/// Data does. At most ``entryLimit`` entries of a store
/// are listed; `truncated` is how many more there are. Of several containers, keychain items that nothing says are theirs are
/// not listed, as they would be for each anew; `unlisted` is how many stores these are in.
package struct InspectReport: Report {
    package static let name = "inspect"
    /// How many entries of a store are listed.
    package static let entryLimit = 10_000
    /// How many of them as text.
    private static let shownLimit = 1000

    let kind, path: String
    let warnings: [WarningPart]
    @OrNull var drift: [DriftPart]?
    let containers: Containers
    package let status: ExitStatus
    private let identifiers: [Name: Int]
    private let changed: Changed

    private enum CodingKeys: String, CodingKey { case kind, path, warnings, drift, containers }

    /// What has changed since steps were applied; where the ledger cannot be read, why nobody knows.
    package typealias Changed = Result<[Drift], WorkspaceError>

    /// Parts that are made one by one as they are written: those of a dump of 1,200 apps are not kept.
    struct Parts<Part: Encodable>: Encodable, Sendable {
        let count: Int
        let part: @Sendable (Int) -> Part

        func encode(to encoder: any Encoder) throws {
            var list = encoder.unkeyedContainer()
            for position in 0..<count { try list.encode(part(position)) }
        }
    }

    /// The containers, each of which is looked through while the others are.
    struct Containers: WrittenApart {
        let parts: Parts<ContainerPart>

        var count: Int { parts.count }
        func part(_ position: Int) -> ContainerPart { parts.part(position) }
        func write(_ position: Int, to sink: JSONSink, depth: Int) throws {
            try ReportEncoder.write(part(position), to: sink, depth: depth)
        }
        func encode(to encoder: any Encoder) throws { try parts.encode(to: encoder) }
    }

    struct ContainerPart: Encodable {
        let identifier, kind, path: String
        let facts: Named<FactPart>
        let keychain: KeychainPart
        let warnings: [WarningPart]
        /// How many stores of items that nothing says are its own are not listed; absent where all are.
        let unlisted: Int?
        let stores: Parts<StorePart>
    }

    struct KeychainPart: Encodable {
        let state: String
        @OrNull var from: String?
        @OrNull var problem: UnreadablePart?
    }

    struct StorePart: Encodable {
        let address: String
        let annotation: String?
        @OrNull var problem: UnreadablePart?
        let count: Int
        /// How many entries are not listed; absent where all are.
        let truncated: Int?
        let entries: Parts<EntryPart>
    }

    struct EntryPart: Encodable {
        let key, address, type: String
        let annotations: [AnnotationPart]?
        /// The key and the entry's value in a few words, for a person.
        let listed: @Sendable () -> String
        let summary: @Sendable () -> Summary

        private enum CodingKeys: String, CodingKey { case key, address, type, annotations }

        /// The value in a few words, and what lets it be read where it cannot.
        struct Summary {
            let words: String
            let reason: UnreadablePart?
            /// What reading it has shown to be wrong with its file.
            let warnings: [WarningPart]
        }
    }

    struct AnnotationPart: Encodable { let migration, text: String }

    /// - Parameters:
    ///   - dump: The dump.
    ///   - containers: Those to report; all of them unless told otherwise.
    ///   - migrations: The migrations that may know what an entry is, or that it is no secret.
    ///   - facts: The facts that were given.
    ///   - changed: The files that have changed since steps were applied.
    package init(
        _ dump: Dump, containers: [Container]? = nil, migrations: [any Migration] = [], facts: Facts = Facts(),
        isUnreadable: Bool = false, changed: Changed = .success([]), _ showing: Showing = Showing()
    ) {
        self.changed = changed
        _drift = OrNull(wrappedValue: (try? changed.get()).map(DriftPart.all))
        kind = dump.kind.rawValue
        path = dump.path
        warnings = WarningPart.all(dump.warnings + dump.surveyWarnings(), showing)
        status = isUnreadable ? .unreadable : .done
        let shown = containers ?? dump.containers
        identifiers = Dictionary(shown.map { (Name($0.identifier), 1) }, uniquingKeysWith: +)
        self.containers = Containers(
            parts: Parts(count: shown.count) {
                Self.container(shown[$0], isOnly: shown.count == 1, migrations, facts, showing)
            })
    }

    private static func container(
        _ container: Container, isOnly: Bool, _ migrations: [any Migration], _ given: Facts, _ showing: Showing
    ) -> ContainerPart {
        let facts = given.completed(by: container.facts)
        let found = ApplicableMigrations(among: migrations, in: container, facts: facts)
        let showing = showing.knowing(found.secrecy(in: container, given: facts)), all = container.stores
        let stores = isOnly ? all : all.filter { !$0.isUnassigned }
        return ContainerPart(
            identifier: container.identifier, kind: container.kind.rawValue, path: container.path.text,
            facts: FactPart.all(container.facts, showing), keychain: Self.keychain(container.keychain, showing),
            warnings: WarningPart.all(container.warnings + container.storeWarnings(), showing),
            unlisted: stores.count == all.count ? nil : all.count - stores.count,
            stores: Parts(count: stores.count) { Self.store(stores[$0], in: container, found.applying, showing) })
    }

    private static func keychain(_ state: KeychainState, _ showing: Showing) -> KeychainPart {
        let problem = state.problem.map { UnreadablePart($0, showing) }
        return switch state {
        case .none: KeychainPart(state: "none", from: nil, problem: problem)
        case .items(let path): KeychainPart(state: "items", from: "\(path)", problem: problem)
        case .unreadable: KeychainPart(state: "unreadable", from: nil, problem: problem)
        }
    }

    /// The stores of a container, those of the system last.
    static func stores(of container: Container, _ showing: Showing) -> Parts<StorePart> {
        let all = container.stores, stores = all.filter { !Noise.isSystem($0) } + all.filter(Noise.isSystem)
        return Parts(count: stores.count) { Self.store(stores[$0], in: container, [], showing) }
    }

    private static func store(
        _ store: StoreID, in container: Container, _ applying: [any Migration], _ showing: Showing
    ) -> StorePart {
        let keys = container.keys(in: store), places = keys.places(upTo: entryLimit)
        return StorePart(
            address: showing.masking.place(store),
            annotation: container.annotation(of: Address(store: store)).map(showing.sentence),
            problem: (container.problem(with: store) ?? keys.problem(under: "")).map { UnreadablePart($0, showing) },
            count: keys.count,
            truncated: keys.count > entryLimit ? keys.count - entryLimit : nil,
            entries: Parts(count: places.count) { place in
                let key = keys.key(at: places[place]), address = Address(store: store, key: key)
                let annotations = applying.compactMap { migration in
                    migration.annotation(of: address, in: container).map {
                        AnnotationPart(migration: migration.id, text: showing.sentence($0))
                    }
                }
                return EntryPart(
                    key: showing.masking.written(key), address: showing.masking.place(address),
                    type: container.typeName(of: key, in: store) ?? "unreadable",
                    annotations: annotations.isEmpty ? nil : annotations,
                    listed: { showing.masking.listed(key, in: store, of: container) },
                    summary: {
                        let state = container.state(of: key, in: store)
                        var reason: UnreadablePart?
                        if case .unreadable(let why) = state { reason = UnreadablePart(why, showing) }
                        let words = state.summary(at: address, showing) + container.leftOut(of: address, showing)
                        let found = store.kind == .file ? container.fileWarnings(of: address) : []
                        return EntryPart.Summary(
                            words: words, reason: reason,
                            warnings: WarningPart.all(found.filter(\.isOfReading), showing))
                    })
            })
    }

    package func write(to document: inout Document) {
        document.heading("\(kind)  \(path)")
        switch changed {
        case .success(let drift): document.drift(drift)
        case .failure(let error):
            document.line("whether it has changed since steps were applied is unknown: \(error)", indent: 2)
        }
        for warning in warnings { warning.write(to: &document) }
        for position in 0..<containers.count {
            let container = containers.part(position)
            document.blank()
            document.heading("\(container.kind)  \(container.identifier)")
            // Where several have one identifier, its path chooses it.
            if identifiers[Name(container.identifier), default: 0] > 1 {
                document.line(container.path, indent: 2)
            }
            for fact in container.facts.all {
                document.row([(fact.name, 18), (fact.value.words, 28)], "from \(fact.value.from)", indent: 2)
            }
            switch (container.keychain.from, container.keychain.state) {
            case (let path?, _): document.line("keychain items from \(path)", indent: 2)
            case (nil, "none"):
                document.line("no keychain in this dump", indent: 2)
                document.advice("do", .giveKeychain, indent: 4)
            default:
                document.line("keychain cannot be read: \(container.keychain.problem?.explanation ?? "")", indent: 2)
                if container.keychain.problem?.isHelpedByExport ?? false {
                    document.advice("do", .giveKeychain, indent: 4)
                }
            }
            for warning in container.warnings { warning.write(to: &document) }
            if let unlisted = container.unlisted {
                document.line(
                    "\(unlisted.counted("store")) of unassigned items not listed: --app \(container.identifier)",
                    indent: 2)
            }
            for position in 0..<container.stores.count {
                container.stores.part(position).write(to: &document, entryLimit: Self.shownLimit)
            }
        }
    }
}

extension InspectReport.StorePart {
    /// The store with its first entries, each with its value in a few words.
    func write(to document: inout Document, entryLimit: Int) {
        document.blank()
        let counted = count.counted("entry", "entries")
        let problem = problem.map {
            (count == 0 ? "cannot be read" : "\(counted); not all of it can be listed") + ": \($0.explanation)"
        }
        let annotation = annotation.map { "\($0) · " } ?? ""
        document.heading("\(address)  \(annotation)\(problem ?? counted)", indent: 2)
        if let problem = self.problem { document.advice(on: problem, indent: 4) }
        for position in 0..<min(entries.count, entryLimit) {
            let entry = entries.part(position)
            let summary = entry.summary()
            document.row([(entry.listed(), 32)], summary.words, indent: 4)
            if let reason = summary.reason { document.advice(on: reason, indent: 6) }
            for warning in summary.warnings { warning.write(to: &document, indent: 6) }
            for part in (entry.annotations ?? []).flatMap({ $0.text.split(separator: "\n") }) {
                document.line(String(part), indent: 6)
            }
        }
        let more = count - min(count, entryLimit)
        if more > 0 { document.line("… \(more.counted("more entry", "more entries"))", indent: 4) }
    }
}

extension KeyList {
    /// The positions of the keys among the first ones, each key once.
    fileprivate func places(upTo limit: Int) -> [Int] {
        var seen: Set<Name> = []
        return (0..<min(count, limit)).filter { seen.insert(key(at: $0)).inserted }
    }
}

extension Container {
    /// What is lacking of a row, behind what it holds.
    fileprivate func leftOut(of address: Address, _ showing: Showing) -> String {
        omissions(of: address, isAlone: true).map { ", " + showing.sentence($0) } ?? ""
    }
}

extension EntryState {
    /// The state in a few words.
    func summary(at address: Address, _ showing: Showing) -> String {
        switch self {
        case .absent: "absent"
        case .present(let value): showing.masking.summary(of: value, at: address)
        case .unreadable(let reason):
            "cannot be read: \(showing.sentence(reason.explanation))"
                + (reason.candidates.isEmpty ? "" : ": " + reason.candidateSummary(at: address, showing.masking))
        }
    }
}

extension Unreadable {
    /// The values that stand under one key, in a few words each.
    package func candidateSummary(at address: Address, _ masking: Masking) -> String {
        candidates.map { $0.value.map { masking.summary(of: $0, at: address) } ?? "unreadable" }.joined(
            separator: " | ")
    }
}

/// `vestige.show/1`: one entry, a part of one, a store, or a dump that is a single file as a whole.
///
/// Of an entry there are `state` (absent, present or unreadable) and `value`; of a store `problem`, `count` and `entries`,
/// at most ``InspectReport/entryLimit``, and `truncated` is how many more there are; of a file `address` is null, and there are `file` and `fileFormat`. `drift` is as in
/// `vestige.status/1`.
package struct ShowReport: DumpReport {
    package static let name = "show"
    let dump: DumpPart
    @OrNull var address: String?
    let file, fileFormat: String?
    let state: String?
    let value: StatePart?
    private let problem: OrNull<UnreadablePart>?
    private let count: Int?
    /// How many entries of the store are not listed; absent where all are.
    private let truncated: Int?
    let entries: [EntryPart]?
    let drift: [DriftPart]
    /// What is not as it should be with the file that the entry is from; absent where there is nothing to say.
    private let warnings: [WarningPart]?
    private let changed: [Drift]
    private let title: String
    package let status: ExitStatus

    private enum CodingKeys: String, CodingKey {
        case dump, address, file, fileFormat, state, value, problem, count, truncated, entries, drift, warnings
    }

    struct EntryPart: Encodable {
        let key, address: String
        let value: StatePart
        /// The key and the entry's value in a few words, for a person.
        let listed, summary: @Sendable () -> String

        private enum CodingKeys: String, CodingKey { case key, address, value }
    }

    /// An entry, a part of one, or a store.
    package init(_ place: Address, in snapshot: WorkspaceSnapshot, _ showing: Showing = Showing()) {
        let stores = snapshot.overlay
        dump = DumpPart(snapshot)
        (drift, changed) = (DriftPart.all(snapshot.drift), snapshot.drift)
        _address = OrNull(wrappedValue: showing.masking.place(place))
        (file, fileFormat) = (nil, nil)
        guard let key = place.key else {
            warnings = nil
            let keys = stores.keys(in: place.store)
            let reason =
                stores.problem(with: place.store) ?? keys.problem(under: "")
                ?? (stores.contains(place.store) ? nil : snapshot.container.assumingNothing.problem(with: place.store))
            (state, value, count, title) = (nil, nil, keys.count, showing.masking.place(place))
            problem = OrNull(wrappedValue: reason.map { UnreadablePart($0, showing) })
            truncated = keys.count > InspectReport.entryLimit ? keys.count - InspectReport.entryLimit : nil
            entries = keys.places(upTo: InspectReport.entryLimit).map { position in
                let entry = Address(store: place.store, key: keys.key(at: position))
                let state = stores.state(at: entry)
                return EntryPart(
                    key: showing.masking.written(keys.key(at: position)), address: showing.masking.place(entry),
                    value: StatePart(state, at: entry, showing),
                    listed: { showing.masking.listed(keys.key(at: position), in: place.store, of: stores) },
                    summary: { state.summary(at: entry, showing) + snapshot.container.leftOut(of: entry, showing) })
            }
            // One of an app group that no app is known to have is read where it is asked for, and not listed.
            let isThere = stores.contains(place.store) || keys.count(upTo: 1) > 0
            status = reason != nil ? .unreadable : isThere ? .done : .usage
            return
        }
        var state = stores.state(at: place)
        // What steps take to be absent is not known to be.
        if state == .absent, !stores.contains(place.store) {
            state = snapshot.container.assumingNothing.state(at: place)
        }
        let showing =
            place.pointer.isRoot ? showing : showing.following([Change](), given: [], reading: [place], in: stores)
        let known = StatePart(state, at: place, showing)
        (problem, count, truncated, entries) = (nil, nil, nil, nil)
        (self.state, value) = (known.name, known)
        var found = known.name == "present" ? snapshot.container.fileWarnings(of: place) : []
        if place.pointer.isRoot, let words = snapshot.container.omissions(of: place) {
            found.append(
                DumpWarning(place.description, .unreadable(Unreadable(.unsupported, "\(key) is shown \(words)"))))
        }
        warnings = found.isEmpty ? nil : WarningPart.all(found, showing)
        title = place.pointer.isRoot ? showing.masking.name(key) : showing.masking.place(place.pointer)
        switch known {
        case .absent: status = .usage
        case .present: status = .done
        case .unreadable: status = .unreadable
        }
    }

    /// A dump that is a single file, as a whole.
    package init(_ whole: WholeFile, in snapshot: WorkspaceSnapshot, _ showing: Showing = Showing()) {
        dump = DumpPart(snapshot)
        (drift, changed) = (DriftPart.all(snapshot.drift), snapshot.drift)
        _address = OrNull(wrappedValue: nil)
        (file, fileFormat) = (whole.name, whole.format.rawValue)
        let place = Address(store: snapshot.container.stores.first ?? .defaults("\(whole.name)"))
        (state, value) = ("present", .present(showing(whole.value, at: place)))
        (problem, count, truncated, entries, warnings) = (nil, nil, nil, nil, nil)
        title = "\(whole.name)"
        status = .done
    }

    package func write(to document: inout Document) {
        document.drift(changed)
        if let entries {
            if let problem = problem?.wrappedValue {
                let what = entries.isEmpty ? "cannot be read" : "not all of it can be listed"
                document.line("\(title)  \(what): \(problem.explanation)")
                document.advice(on: problem, indent: 2)
            } else if entries.isEmpty {
                document.line("\(title)  no entries")
            }
            for entry in entries { document.row([(entry.listed(), 32)], entry.summary()) }
            if let truncated { document.line("… \(truncated.counted("more entry", "more entries"))") }
            return
        }
        for warning in warnings ?? [] { warning.write(to: &document) }
        document.entry(title, value ?? .absent, format: fileFormat, indent: 2)
    }
}
