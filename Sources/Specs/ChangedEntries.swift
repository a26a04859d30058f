import MigrationEngine
import StoreFormats

/// The entries that the steps of a profile write or take away, each with the steps that do.
struct ChangedEntries {
    /// The positions of the steps, in their order.
    private var steps: [AddressTemplate: [Int]] = [:]
    /// The same of entries with a star.
    private var starred: [(signs: [UInt8?], step: Int)] = []
    /// Those that change an entry, where names with stars were compared with it.
    private var found: [AddressTemplate: [Int]] = [:]
    private let limit = SpecText.Limit.comparisons / 1000

    init(_ profile: SpecProfile) {
        let sources = profile.steps.flatMap { step -> [SpecAddress] in
            if case .row(let row) = step.work { row.addresses } else { [] }
        }
        for (index, step) in profile.steps.enumerated() {
            let changed: [SpecAddress] =
                switch step.work {
                case .row(let row):
                    if case .inPlace = row.to {
                        row.addresses
                    } else {
                        row.to.targets.map(\.address) + (row.source != .keep || row.setsAside ? row.addresses : [])
                    }
                case .removal(let removal): removal.addresses ?? sources
                case .document(let document): document.places
                case .note: []
                }
            for template in changed.flatMap(\.templates) {
                let entry = template.entry ?? template
                steps[entry, default: []].append(index)
                if entry.stars > 0, starred.count < limit { starred.append((entry.signs, index)) }
            }
        }
    }

    /// Whether one of some steps writes or takes away an entry in which one of the addresses lies.
    mutating func contain(_ addresses: [SpecAddress], by isAsked: (Int) -> Bool) -> Bool {
        for template in addresses.flatMap(\.templates)
        where changing(template.entry ?? template).contains(where: isAsked) {
            return true
        }
        return false
    }

    /// The steps that change an entry; those of a name with a star are looked for once.
    private mutating func changing(_ entry: AddressTemplate) -> [Int] {
        guard entry.stars > 0 || !starred.isEmpty else { return steps[entry] ?? [] }
        if let known = found[entry] { return known }
        let signs = entry.signs
        var all = (steps[entry] ?? []) + starred.filter { $0.signs.overlaps(signs) }.map(\.step)
        // Few addresses of conditions have a star.
        if entry.stars > 0 { all += steps.prefix(limit).filter { $0.key.signs.overlaps(signs) }.flatMap(\.value) }
        found[entry] = all
        return all
    }
}
