import DeviceDump
import MigrationEngine
import StoreFormats
import Workspace

extension Listing {
    /// How many entries of a store are listed.
    private static let entryLimit = 1000

    /// What a dump holds: its containers with their stores and keys, and what migrations that apply know of them.
    public mutating func inspect(_ dump: Dump, containers: [Container], migrations: [any Migration] = []) {
        line("\(dump.kind.rawValue)  \(dump.root.path)")
        for warning in dump.warnings { line("warning: \(warning)", indent: 2) }
        for container in containers {
            line()
            line("\(container.kind.rawValue)  \(container.identifier)")
            for name in container.facts.names {
                guard let fact = container.facts[name] else { continue }
                row([(name.rawValue, 18), (fact.value, 28)], "from \(fact.source)", indent: 2)
            }
            switch container.keychain {
            case .none: line("no keychain in this dump", indent: 2)
            case .items(let path): line("keychain items from \(path)", indent: 2)
            case .unreadable(let reason): line("keychain cannot be read: \(reason.explanation)", indent: 2)
            }
            for warning in container.warnings + container.storeWarnings() { line("warning: \(warning)", indent: 2) }
            let applying = migrations.filter { $0.applies(to: container, facts: container.facts) }
            for store in container.stores { self.store(store, in: container, applying) }
        }
    }

    private mutating func store(_ store: StoreID, in container: Container, _ applying: [any Migration]) {
        let keys = container.keys(in: store)
        let problem = container.problem(with: store).map { "cannot be read: \($0.explanation)" }
        line()
        line("\(store)  \(problem ?? keys.count.counted("entry", "entries"))", indent: 2)
        entries(keys, in: store, of: container, indent: 4, applying)
    }

    private mutating func entries(
        _ keys: any KeyList, in store: StoreID, of stores: any StoreReader, indent: Int,
        _ applying: [any Migration] = []
    ) {
        for position in 0..<min(keys.count, Self.entryLimit) {
            let key = keys.key(at: position)
            let text: String
            switch stores.state(of: key, in: store) {
            case .absent: text = "absent"
            case .present(let value): text = masking.summary(of: value, at: Address(store: store, key: key))
            case .unreadable(let reason): text = "\(reason.cause.rawValue): \(reason.explanation)"
            }
            row([(key.text, 32)], text, indent: indent)
            for migration in applying {
                let annotation = migration.annotation(of: Address(store: store, key: key), in: stores)
                for part in (annotation ?? "").split(separator: "\n") {
                    line(masking.sentence(String(part)), indent: indent + 2)
                }
            }
        }
        if keys.count > Self.entryLimit {
            line("… \((keys.count - Self.entryLimit).counted("more entry", "more entries"))", indent: indent)
        }
    }

    /// One entry, decoded as deep as it goes, or the entries of a store.
    public mutating func show(_ address: Address, in stores: any StoreReader) {
        guard let key = address.key else {
            if let problem = stores.problem(with: address.store) {
                return line("\(address)  cannot be read: \(problem.explanation)")
            }
            let keys = stores.keys(in: address.store)
            if keys.count == 0 { line("\(address)  no entries") }
            return entries(keys, in: address.store, of: stores, indent: 0)
        }
        switch stores.state(at: address) {
        case .absent: line("\(address) is absent")
        case .unreadable(let reason): line("\(address) is unreadable (\(reason.cause.rawValue)): \(reason.explanation)")
        case .present(let value):
            let recognition = value.recognition()
            let holding = recognition?.decoded.map { ", holding \($0.formatName)" } ?? ""
            line("\(address.pointer.isRoot ? key.text : address.pointer.description)  \(value.typeName)\(holding)")
            if let problem = recognition?.problem { line("\(problem)", indent: 2) }
            if case .string(let text) = value, recognition == nil, masking.placeholder(for: value, at: address) == nil {
                // In a row a long text is cut; here it is what was asked for.
                return line("\"\(text)\"", indent: 2)
            }
            tree(value, at: address, indent: 2)
        }
    }

    /// A dump that is a single file, as a whole.
    public mutating func show(_ file: WholeFile, in snapshot: WorkspaceSnapshot) {
        let recognition = file.value.recognition()
        let holding = recognition?.decoded.map { ", \($0.formatName)" } ?? ""
        line("\(file.name)  \(file.format.rawValue)\(holding)")
        if let problem = recognition?.problem { line("\(problem)", indent: 2) }
        let place = Address(store: snapshot.container.stores.first ?? .defaults(Name(file.name)))
        tree(recognition?.decoded?.value ?? file.value, at: place, indent: 2)
    }
}
