/// Commands on a dump of the notes app with what its older analytics have left.
protocol LegacyNotes {}

extension LegacyNotes {
    static var legacy: String { ContractTests.legacy }

    /// The plan of the migration to the newer ones.
    func plan(_ arguments: [String]) throws -> Answer {
        let run = try Program.run(["plan", "--json", "-m", "rudderstack-v2"] + arguments, in: Scratch())
        return try Answer(run.output)
    }
}
