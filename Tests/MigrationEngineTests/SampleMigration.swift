import MigrationEngine
import StoreFormats

/// A small migration that moves a name, counts it, and removes the old key.
struct SampleMigration: Migration {
    let id = "sample"
    let title = "Sample"
    let summary = "Moves a name."
    let profiles = [Profile(id: "only", summary: "the only variant")]
    let facts = [FactDefinition("greeting", "what to say", form: .text, example: "hello")]

    static let old = StoreID.defaults("old")
    static let new = StoreID.defaults("new")

    func applies(to stores: any StoreReader, facts: Facts) -> Bool { stores.contains(Self.old) }
    func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) { ([Self.old], [Self.new]) }

    func steps(profile: Profile, facts: Facts) -> [Step] {
        let name = Address(store: Self.old, key: "name")
        return [
            Step(
                id: "name", title: "Name", sources: [name], targetKey: "alias",
                target: Address(store: Self.new, key: "alias"), rule: "the name becomes the alias"
            ) { transaction, _ throws(StepStop) in
                guard case .present(let value) = transaction.read(name) else {
                    throw .skipped("absent", "there is no name")
                }
                try transaction.write(
                    value, to: Address(store: Self.new, key: "alias"), from: [name], rule: "the name becomes the alias")
            },
            Step(
                id: "greeting", title: "Greeting", sources: [name], targetKey: "greeting",
                target: Address(store: Self.new, key: "greeting"), rule: "a greeting", facts: ["greeting"]
            ) { transaction, facts throws(StepStop) in
                let text = try facts.text("greeting")
                try transaction.write(
                    .string(text), to: Address(store: Self.new, key: "greeting"), rule: "a greeting")
            },
            Step(
                id: "clean-up", title: "Clean up", sources: [name], rule: "the old key goes",
                reversibility: .beforeImage,
                followsAll: true
            ) { transaction, _ in
                transaction.remove(name, rule: "the old key goes")
            },
        ]
    }
}

/// Stores that count what is written, to show that nothing is.
extension LedgerEntry.Stamp {
    static let test = LedgerEntry.Stamp(date: .init(timeIntervalSince1970: 0), author: "test", toolVersion: "0")
}
