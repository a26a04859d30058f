import MigrationEngine
import Reports
import StoreFormats
import Testing

@testable import Inspector

@Suite("An app for which there is no migration")
struct UnknownAppTests {
    @Test("a dump in which no migration finds anything says so, and shows its stores")
    func noMigration() throws {
        let frame = try Start.noMigration.inspected().model.render()
        #expect(frame.rows[1].hasPrefix("no migration applies here: :spec says what to do; m looks at one"))
        #expect(frame.text.contains("▾ defaults://a  1 entry") && frame.text.contains("▾ file://Documents  1 entry"))
    }

    @Test("where no migration applies, w says how one comes by a spec, and the detail of a store has its values")
    func withoutMigration() throws {
        var inspected = try Start.noMigration.inspected()
        inspected.press("g")
        #expect(inspected.screen.contains("b  true"), "\(inspected.screen)")
        inspected.press("w")
        for said in ["vestige specs new", "--spec FILE", ":compare DUMP"] { #expect(inspected.screen.contains(said)) }
    }

    @Test("an app of which the dump holds nothing says so in the list, and below it what is known and what to do")
    func empty() throws {
        let screen = try Start.nothing.inspected().screen
        #expect(screen.contains("Nothing is here: the dump holds nothing of this app."), "\(screen)")
        #expect(screen.contains("No migration is known to apply to this app. To write one"), "\(screen)")
        #expect(screen.contains("q quit"))
        let unread = try Inspected(MemoryStores(), migrations: []) { $0.warnings = ["a.plist is locked"] }.screen
        #expect(unread.contains("Nothing is here that can be read; w lists what cannot."), "\(unread)")
    }

    @Test(
        "an app that no migration knows has its small stores unfolded, what is the system's last, and is told what to do"
    )
    func unknownApp() throws {
        let many = Members((0..<200).map { Member(key: Name("k\($0)"), value: .integer($0)) })
        var inspected = try Inspected(
            MemoryStores([
                (.defaults("com.apple.x"), ["noise": .bool(true)]), (.defaults("app"), ["theme": .string("dark")]),
                (.defaults("large"), many),
            ]), size: Size(width: 120, height: 24))
        #expect(inspected.screen.contains("theme  \"dark\"") && !inspected.screen.contains("noise"))
        // The first value is looked at, which says more than how many there are.
        #expect(inspected.opened?.row == .entry(.defaults("app"), key: "theme"))
        #expect(inspected.opened?.unfolded == [.defaults("app")])
        #expect(inspected.screen.contains(":spec says how to write one, :compare DUMP sets another beside it"))
        inspected.command("spec")
        #expect(inspected.screen.contains("vestige specs new"))
        inspected.press("<Esc>")
        inspected.command("compare /nowhere")
        #expect(inspected.message == "--compare DUMP names another dump when the inspector is started")
    }

    @Test("what is unfolded at first is folded for good once the person has folded it")
    func foldedForGood() throws {
        var inspected = try Inspected(
            MemoryStores([(.defaults("app"), ["theme": .string("dark")])]), size: Size(width: 120, height: 24))
        inspected.press("g <Enter>")
        #expect(inspected.opened?.unfolded == [])
        inspected.press("r")
        #expect(inspected.opened?.unfolded == [] && inspected.opened?.sheet.count == 1)
    }
}
