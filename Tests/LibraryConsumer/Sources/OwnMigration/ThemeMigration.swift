import MigrationEngine
import StoreFormats

/// Moves the theme from a flag to a name: `dark_mode = true` becomes `theme = "dark"` in a suite of its own.
struct ThemeMigration: Migration {
    let id = "theme"
    let title = "Theme"
    let summary = "Takes the dark mode flag to the name of a theme."
    let profiles = [Profile(id: "default", summary: "the only variant")]
    let facts: [FactDefinition] = []

    static let old = Address.defaults("com.acme.notes", "dark_mode")
    static let new = Address.defaults("com.acme.notes.ui", "theme")

    func applies(to stores: any StoreReader, facts: Facts) -> Bool { stores.state(at: Self.old) != .absent }
    func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) { ([Self.old.store], [Self.new.store]) }

    func steps(profile: Profile, facts: Facts) -> [Step] {
        let rule = "true becomes dark, false becomes light"
        return [
            Step(id: "theme", title: "Theme", sources: [Self.old], targetKey: "theme", target: Self.new, rule: rule) {
                transaction, _ throws(StepStop) in
                guard case .present(.bool(let isDark)) = transaction.read(Self.old) else {
                    throw .skipped("no-flag", "there is no dark mode flag")
                }
                let theme = Value.string(isDark ? "dark" : "light")
                try transaction.write(theme, to: Self.new, from: [Self.old], rule: rule)
            }
        ]
    }
}
