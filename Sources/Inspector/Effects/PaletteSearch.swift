import MigrationEngine
import Reports
import Workspace

/// The entries whose keys are likest to what is typed in the palette, the likest first, whatever is folded.
struct LikeKeys: Sendable {
    /// What they were looked for: a text, in a view.
    struct Purpose: Hashable, Sendable {
        let typed: String
        let revision: Int
    }

    let purpose: Purpose
    let addresses: [Address]
}

/// Looks through the keys of every store, and no values, beside what the person does.
struct PaletteSearch: Effect {
    let purpose: LikeKeys.Purpose
    let container: OpenContainer
    let masking: Masking
    var lane: Lane { .search }
    var label: String { "looking through the keys" }
    /// The most that are found.
    private static let most = 200

    func perform(on inspection: Inspection, _ control: EffectControl) throws(WorkspaceError) -> LikeKeys {
        let sought = Likeness.Sought(purpose.typed), matcher = Matcher(sought.typed)
        let look = Look(matcher, masking) { false }
        var found: [(likeness: Likeness, place: Int, address: Address)] = [], place = 0
        func sift() {
            found.sort { ($0.likeness, $0.place) < ($1.likeness, $1.place) }
            found.removeLast(max(0, found.count - Self.most))
        }
        for store in container.stores.stores {
            let keys = container.stores.keys(in: store)
            for index in 0..<keys.count {
                if place.isMultiple(of: 1024) { try control.goOn() }
                place += 1
                let key = keys.key(at: index)
                let address = Address(store: store, key: key)
                guard
                    let likeness = sought.likeness(in: PalettePage.words(for: masking.name(key)))
                        ?? (look.names(address) ? .inOtherWords : nil)
                else { continue }
                found.append((likeness, place, address))
                if found.count >= 8 * Self.most { sift() }
            }
        }
        sift()
        return LikeKeys(purpose: purpose, addresses: found.map(\.address))
    }

    func finish(_ keys: LikeKeys, in model: inout Model) -> [any Effect] {
        guard model.opened?.awaitedLikeKeys == purpose else { return [] }
        model.opened?.awaitedLikeKeys = nil
        model.opened?.likeKeys = keys
        return []
    }

    func fail(_ error: WorkspaceError, in model: inout Model) -> [any Effect] {
        // Another one may be awaited by now.
        if model.opened?.awaitedLikeKeys == purpose { model.opened?.awaitedLikeKeys = nil }
        return []
    }
}

extension Model {
    /// Has the keys looked through for what is typed in the palette, where nobody has.
    mutating func findLikeKeys() -> [any Effect] {
        guard case .palette(let typed)? = page?.subject, !typed.isEmpty, let opened, opened.isPlanned else { return [] }
        let purpose = LikeKeys.Purpose(typed: typed, revision: opened.revision)
        guard opened.likeKeys?.purpose != purpose, opened.awaitedLikeKeys != purpose else { return [] }
        self.opened?.awaitedLikeKeys = purpose
        return [PaletteSearch(purpose: purpose, container: opened, masking: masking)]
    }
}
