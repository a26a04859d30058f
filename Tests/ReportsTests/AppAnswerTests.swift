import Foundation
import MigrationEngine
import Migrations
import StoreFormats
import Testing

@testable import Reports

@Suite("What there is to do in an app of several")
struct AppAnswerTests {
    /// Stores of which some cannot be read.
    private struct Broken: StoreReader {
        let base: MemoryStores
        let problems: [StoreID: Unreadable]

        var stores: [StoreID] { base.stores }
        func problem(with store: StoreID) -> Unreadable? {
            problems[store] ?? (store.kind == .keychain ? problems.first { $0.key.kind == .keychain }?.value : nil)
        }
        func keys(in store: StoreID) -> any KeyList { base.keys(in: store) }
        func state(of key: Name, in store: StoreID) -> EntryState {
            problems[store].map(EntryState.unreadable) ?? base.state(of: key, in: store)
        }
    }

    /// A migration with a step that is taken and one that waits for a fact nobody gives.
    private struct Waiting: Migration {
        static let old = Address.defaults("com.acme.notes", "old"), new = Address.defaults("com.acme.notes", "new"),
            token = Address(store: .keychain("com.acme"), key: "token")
        let id = "made", title = "Made", summary = "Made."
        let profiles = [Profile(id: "only", summary: "The only one.")]
        let facts = [FactDefinition("token", "the token", form: .text, example: "t")]

        func applies(to stores: any StoreReader, facts: Facts) -> Bool { true }
        func sides(facts: Facts) -> (legacy: [StoreID], migrated: [StoreID]) { ([Self.old.store], [Self.new.store]) }
        func steps(profile: Profile, facts: Facts) -> [Step] {
            [
                Step(id: "a", title: "A", sources: [Self.old], target: Self.new, rule: "copied") {
                    (transaction, _) throws(StepStop) in
                    guard let value = transaction.read(Self.old).value else { throw .skipped("absent", "it is absent") }
                    try transaction.write(value, to: Self.new, from: [Self.old], rule: "copied")
                },
                Step(id: "b", title: "B", sources: [], target: Self.token, rule: "from a fact", facts: ["token"]) {
                    (_, _) throws(StepStop) in throw .missing(["token"])
                },
            ]
        }
    }

    private func finding(_ stores: any StoreReader) -> AppFinding {
        AppFinding(in: stores, facts: Facts(), history: History(), among: BuiltIn.migrations)
    }

    private static let calm = MemoryStores([(.defaults("com.acme.calm"), ["a": .bool(true)])])

    @Test("a store that cannot be read is a problem; a keychain that the whole dump lacks, or that is locked, is none")
    func problems() {
        #expect(finding(Self.calm).need == .nothing && finding(MemoryStores()).need == .empty)
        let damaged = Broken(
            base: Self.calm, problems: [.defaults("com.acme.calm"): Unreadable(.corrupt, "it is damaged")])
        #expect(finding(damaged).need == .problem && finding(damaged).summary.hasPrefix("1 store cannot be read"))
        for cause in [Unreadable.Cause.missing, .locked] {
            let locked = Broken(
                base: Self.calm, problems: [.keychain(""): Unreadable(cause, "only the device opens it")])
            #expect(finding(locked).need == .nothing)
            #expect(
                finding(locked).summary.hasPrefix("nothing found; ") && finding(locked).summary.hasSuffix(" unknown"))
            let words = AppAnswer([], finding(locked), Masking()).document.text().split(whereSeparator: \.isWhitespace)
            let text = words.joined(separator: " ")
            #expect(text.contains("unknown") && text.contains("only the device opens it"), "\(text)")
        }
    }

    @Test("what was lost before anybody looked is more urgent than what waits; what is made already is not to migrate")
    func losses() {
        func app(_ migrated: Members) -> AppFinding {
            finding(
                MemoryStores([
                    (
                        .defaults("com.acme.notes"),
                        ["rs_user_id": .string("u-42"), "rl_session_manual_track_status": .bool(false)]
                    ), (.defaults("com.acme.notes.analytics.wk"), migrated),
                ]))
        }
        let lost = app(["user_id": .string("u-42"), "is_manual_session": .bool(true)])
        #expect(lost.need == .loss && lost.sign(.unicode).text == "≠", "\(lost.summary)")
        #expect(lost.summary.contains("1 changed, 1 blocked"), "\(lost.summary)")
        #expect(app(["x": .integer(1)]).need == .migration)
    }

    @Test("only what is seen there is there already: not what cannot be read, is in conflict or has failed")
    func thereAlready() {
        func app(new: Value, token: Value? = .string("t"), _ reason: Unreadable? = nil) -> AppFinding {
            let items: Members = token.map { ["token": $0] } ?? [:]
            let stores = MemoryStores([
                (Waiting.old.store, ["old": .string("v"), "new": new]), (Waiting.token.store, items),
            ])
            return AppFinding(
                in: Broken(base: stores, problems: reason.map { [Waiting.token.store: $0] } ?? [:]), facts: Facts(),
                history: History(), among: [Waiting()])
        }
        let made = app(new: .string("v"))
        #expect(made.need == .done && made.summary == "made: 1 blocked, there already", "\(made.summary)")
        let others = [
            app(new: .string("v"), token: nil), app(new: .string("other")),
            app(new: .string("v"), Unreadable(.locked, "only the device opens it")),
        ]
        for other in others { #expect(other.need != .done && !other.summary.contains("there already"), "\(other)") }
        #expect(others[0].need == .migration && others[1].summary.contains("1 in conflict"), "\(others[1].summary)")
        #expect(others[2].parts.first?.isThere == false)
    }

    @Test("steps that stand of a migration that nobody has given are told, of an app where nothing else is found")
    func foreignSteps() throws {
        let stores = MemoryStores([(Waiting.old.store, ["old": .string("v")])]), migration = Waiting()
        var session = try MigrationSession(stores: stores, ledger: MemoryLedger())
        try session.apply(
            .all, of: migration, profile: try migration.profile(named: nil), facts: Facts(),
            stamp: LedgerEntry.Stamp(date: Date(timeIntervalSince1970: 0), author: "me", toolVersion: "1"))
        let found = AppFinding(in: stores, facts: Facts(), history: session.history, among: [])
        #expect(
            found.need == .done && found.summary == "1 step applied by a spec that is not given", "\(found.summary)")
    }

    @Test("where there is no store, and migrations are unknown, it is not said that there is nothing")
    func unknownWithoutStores() {
        let locked = Broken(base: MemoryStores(), problems: [.keychain(""): Unreadable(.locked, "locked")])
        #expect(finding(locked).summary.hasSuffix(" unknown"))
        #expect(finding(MemoryStores()).summary == "nothing in it")
    }

    @Test("what cannot be looked at says why, with its secrets masked")
    func failure() {
        let failed = AppFinding(failure: "mail jane.roe@example.com")
        #expect(failed.need == .problem && failed.sign(.ascii).text == "X")
        let text = AppAnswer([("app", "com.acme")], failed, Masking()).document.text()
        #expect(text.contains("com.acme") && !text.contains("jane.roe"))
        #expect(AppAnswer([], nil, Masking()).document.text() == "not looked at yet\n")
    }

    @Test(
        "a number of bytes is written in the unit that leaves the fewest digits",
        arguments: [
            (0, "0 B"), (812, "812 B"), (999, "999 B"), (1000, "1.0 kB"), (12_345, "12.3 kB"), (99_960, "100 kB"),
            (999_499, "999 kB"), (999_600, "1.0 MB"), (1_200_000_000, "1.2 GB"), (5_000_000_000_000_000, "5000 TB"),
        ])
    func bytes(number: Int, text: String) { #expect(number.asBytes == text) }
}
