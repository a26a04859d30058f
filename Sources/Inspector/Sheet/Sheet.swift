import MigrationEngine
import Reports
import StoreFormats

/// Every row that can be scrolled to: the steps, then the entries of both sides that no step touches, then the other
/// stores; behind the app's own entries of a store a line for those of the system and of SDKs.
///
/// Rows are made on demand, so a store of a million keys costs no more than its window.
package struct Sheet: Sendable {
    private let sections: [Section]
    /// How many rows come before each section.
    private let starts: [Int]
    /// How many rows there are.
    package private(set) var count: Int
    /// The rows that are shown, where not all are.
    private var shown: RowRanges?
    /// The entries of the system and of SDKs, by the stores that are shown.
    private let noise: [StoreID: any KeyList]

    /// No rows.
    init() { (sections, starts, count, noise) = ([], [], 0, [:]) }

    /// The same with some of its rows only.
    func showing(_ rows: RowRanges) -> Sheet {
        var sheet = self
        (sheet.shown, sheet.count) = (rows, rows.count)
        return sheet
    }

    /// Lays out the rows.
    ///
    /// - Parameters:
    ///   - stores: What is seen.
    ///   - plan: The steps, where there is a migration.
    ///   - sides: The legacy and the migrated stores of the migration.
    ///   - unfolded: The other stores whose entries are shown.
    ///   - noisy: The stores whose entries of the system and of SDKs are shown too.
    package init(
        stores: any StoreReader, plan: Plan?, sides: [StoreID], unfolded: Set<StoreID>, noisy: Set<StoreID> = []
    ) {
        var sections: [Section] = [], allNoise: [StoreID: any KeyList] = [:]
        func add(_ keys: any KeyList, of store: StoreID, under head: SheetRow) {
            let sifted = SiftedKeys(keys, in: store), count = sifted.noise.count
            sections.append(
                Section(
                    head: head, count: 1 + sifted.own.count, body: .entries(Entries(store: store, keys: sifted.own))))
            guard count > 0 else { return }
            allNoise[store] = sifted.noise
            let shown = noisy.contains(store) ? count : 0
            sections.append(
                Section(
                    head: .noise(store, count: count), count: 1 + shown,
                    body: shown > 0 ? .entries(Entries(store: store, keys: sifted.noise)) : .none))
        }
        if let plan { sections.append(Section(head: nil, count: plan.steps.count, body: .steps)) }
        // A migration within one store has it on both sides.
        for (index, side) in sides.enumerated() where !sides[..<index].contains(side) && stores.contains(side) {
            let keys = EditedKeys(of: stores.keys(in: side), without: plan?.touched[side] ?? [])
            guard keys.count > 0 || stores.problem(with: side) != nil else { continue }
            add(keys, of: side, under: .unmapped(side, count: keys.count))
        }
        // What is the system's comes last.
        let others = stores.stores.filter { !sides.contains($0) }
        for store in others.filter({ !Noise.isSystem($0) }) + others.filter(Noise.isSystem) {
            guard unfolded.contains(store) else {
                sections.append(Section(head: .store(store), count: 1, body: .none))
                continue
            }
            add(stores.keys(in: store), of: store, under: .store(store))
        }
        (self.sections, noise) = (sections, allNoise)
        var starts: [Int] = [], count = 0
        for section in sections {
            starts.append(count)
            count += section.count
        }
        (self.starts, self.count) = (starts, count)
    }

    /// The row at a position, or `nil` outside of the sheet.
    package subscript(position: Int) -> SheetRow? {
        guard (0..<count).contains(position), let place = shown.map({ $0[position] }) ?? position,
            let section = starts.lastPosition(where: { $0 <= place })
        else { return nil }
        return sections[section].row(at: place - starts[section])
    }

    /// The entries of the system and of SDKs in a store whose own are shown.
    func noise(in store: StoreID) -> (any KeyList)? { noise[store] }

    /// Whether the row at a position is an entry of the system or of an SDK.
    func isNoise(at position: Int) -> Bool {
        guard let place = shown.map({ $0[position] }) ?? position,
            let section = starts.lastPosition(where: { $0 <= place }), case .noise? = sections[section].head
        else { return false }
        return place > starts[section]
    }

    /// The first position of a row.
    package func position(of row: SheetRow) -> Int? {
        for (section, start) in zip(sections, starts) {
            guard let inside = section.position(of: row) else { continue }
            return shown.map { $0.index(of: start + inside) } ?? start + inside
        }
        return nil
    }

    /// Rows that belong together, by their positions: the steps, or a store with its entries.
    struct Part: Hashable, Sendable {
        let rows: Range<Int>
        /// Whether the first of them is a line above the others.
        let hasHead: Bool
    }

    /// The parts, also of those rows that are not shown.
    var parts: [Part] {
        zip(sections, starts).map { Part(rows: $1..<$1 + $0.count, hasHead: $0.head != nil) }
    }
}

extension Sheet {
    /// Some rows in a run, under a line that names them.
    private struct Section: Sendable {
        enum Body: Sendable {
            case none
            case steps
            case entries(Entries)
        }

        let head: SheetRow?
        let count: Int
        let body: Body

        func row(at position: Int) -> SheetRow? {
            let inside = head == nil ? position : position - 1
            if inside < 0 { return head }
            switch body {
            case .none: return nil
            case .steps: return .step(inside)
            case .entries(let entries): return .entry(entries.store, key: entries.keys.key(at: inside))
            }
        }

        func position(of row: SheetRow) -> Int? {
            // How many there are behind such a line may have changed.
            switch (head, row) {
            case (.unmapped(let own, _), .unmapped(let store, _)), (.noise(let own, _), .noise(let store, _)):
                if own == store { return 0 }
            default: if head == row { return 0 }
            }
            switch (body, row) {
            case (.steps, .step(let index)): return index < count ? index : nil
            case (.entries(let entries), .entry(let store, let key)) where store == entries.store:
                return entries.keys.position(of: key).map { $0 + 1 }
            default: return nil
            }
        }
    }

    /// Entries of a store.
    private struct Entries: Sendable {
        let store: StoreID
        let keys: any KeyList
    }
}

/// One row of the sheet: a step with what it reads and writes, or an entry that no step touches.
package enum SheetRow: Hashable, Sendable {
    /// A step, by its position in the plan.
    case step(Int)
    /// The line above the entries of a store that no step of the migration touches: how many there are.
    case unmapped(StoreID, count: Int)
    /// The line above a store that the migration does not touch; it can be unfolded.
    case store(StoreID)
    /// The line above the entries of a store that are the system's or an SDK's: how many there are; it can be unfolded.
    case noise(StoreID, count: Int)
    /// An entry that no step touches.
    case entry(StoreID, key: Name)
}
