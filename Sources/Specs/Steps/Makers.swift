import MigrationEngine
import StoreFormats

/// What the result of a row is made of: of several sources those that have a place in it, and for each member that goes to a target
/// of its own those that have one in that.
struct Makers {
    /// Where the result as a whole was given from.
    private var whole = GivenPlaces([], members: [:])
    /// The same of its members: nowhere of one that is made of facts, or of nothing that was taken.
    private var members: [Name: GivenPlaces] = [:]
    /// What was taken of which they are made.
    private var taken: [Name: [RowRun.Taken]] = [:]
    /// The sources that are in no member, until a target has told them.
    private var unplaced: [Address] = []
    /// The places of what the result as a whole is made of.
    private(set) lazy var places = EntryParts(whole.sources)

    init() {}

    /// - Parameters:
    ///   - used: What was read.
    ///   - losses: What of that has no place in the result.
    ///   - staying: What of those stays where it is.
    init(
        _ used: [Address], _ taken: RowRun.Taken, without losses: [Address], staying: [Address], _ origins: PartOrigins,
        to: SpecRow.To
    ) {
        let given = taken.places
        var sources = used
        if !losses.isEmpty {
            let losses = Set(losses)
            sources.removeAll(where: losses.contains)
        }
        whole = GivenPlaces(sources, members: given)
        guard case .members(let targets) = to, taken.members.count > 1 else { return }
        let order = Dictionary(used.enumerated().map { ($1, $0) }, uniquingKeysWith: { first, _ in first })
        var left = Set(used).subtracting(staying)
        for (target, arrival) in zip(targets, origins.arrivals(in: targets.map { origins.root[$0.name] })) {
            let parts = arrival.parts.parts, names = Set(parts.lazy.compactMap(\.tokens.first))
            // What was made of the whole is of all that were read.
            guard !parts.contains(where: \.isRoot), !names.isEmpty || !arrival.isPartial else { continue }
            self.taken[target.name] = names.compactMap { taken.members[$0] }
            var own: [Name: Address] = [:]
            for name in names { own[name] = given[name] }
            let sources = Set(own.values).sorted { (order[$0] ?? 0) < (order[$1] ?? 0) }
            members[target.name] = GivenPlaces(sources, members: own)
            left.subtract(sources)
        }
        unplaced = used.filter(left.contains)
    }

    /// Where the result, or a member of it, was given from.
    subscript(member: Name?) -> GivenPlaces { member.flatMap { members[$0] } ?? whole }

    /// The sources of a member by themselves, where they can be told.
    func sources(of member: Name?) -> [Address]? { member.flatMap { members[$0]?.sources } }

    /// What of several things that were taken a member is made of; none where that cannot be told.
    func taken(for member: Name?) -> [RowRun.Taken] { member.flatMap { taken[$0] } ?? [] }

    /// The sources that are in no member: the first target that is written tells them.
    mutating func takeUnplaced() -> [Address] {
        defer { unplaced = [] }
        return unplaced
    }
}
