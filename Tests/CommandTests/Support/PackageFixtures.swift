/// Commands on fixtures by their paths in the folder of the package, in which the program runs.
protocol PackageFixtures {}

extension PackageFixtures {
    static var facts: [String] { ["--facts", "Fixtures/facts.json"] }
    static var migration: [String] { ["-m", "rudderstack-v2"] }
    static var legacy: String { "Fixtures/notes-legacy.xcappdata" }
}
