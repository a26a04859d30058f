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
        func state(of key: Name, in store: StoreID) -> EntryState { base.state(of: key, in: store) }
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
