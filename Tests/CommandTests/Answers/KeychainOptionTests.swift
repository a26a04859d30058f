import Foundation
import Testing

@Suite("A keychain from elsewhere, and items of other groups")
struct KeychainOptionTests {
    @Test("A keychain that lies elsewhere is given with --keychain; without it there is none in the dump")
    func keychain() throws {
        let scratch = try Scratch(), dump = Places.fixture("shop-no-keychain.xcappdata")
        let export = try FileManager.default.contentsOfDirectory(atPath: Places.fixture("shop-healthy.xcappdata"))
            .first { $0.contains("keychain") }
        let file = Places.fixture("shop-healthy.xcappdata") + "/" + (export ?? "there is none")
        #expect(try Program.run(["inspect", dump], in: scratch).text.contains("no keychain in this dump"))
        let given = try Program.run(["inspect", dump, "--keychain", file], in: scratch)
        #expect(given.text.contains("keychain://com.convert.sdk"))
        #expect(given.code == 0)
    }

    @Test(
        "An item of another group of the team is read where --keychain-group tells that it is this app's, and not else")
    func keychainGroup() throws {
        let scratch = try Scratch(), dump = Places.fixture("notes-empty.xcappdata")
        try scratch.write(
            "items.json",
            Data(
                """
                [{"service": "own", "account": "a", "dataHex": "00", "entitlement_group": "ABCDE12345.com.acme.notes"},
                 {"service": "bank", "account": "a", "dataHex": "00", "entitlement_group": "ABCDE12345.com.acme.bank"}]
                """.utf8))
        func show(_ more: String...) throws -> Program.Run {
            try Program.run(
                ["show", dump, "keychain://bank/a", "--keychain", scratch("items.json")] + more, in: scratch)
        }
        let untold = try show()
        #expect(
            untold.code == 6 && (untold.text + untold.errors).contains("in the access group ABCDE12345.com.acme.bank"))
        #expect((untold.text + untold.errors).contains("--keychain-group GROUP"), "\(untold.text)")
        let told = try show("--keychain-group", "ABCDE12345.com.acme.bank")
        #expect(told.code == 0, "\(told.errors)")
        let wrong = try show("--keychain-group", "ABCDE12345.com.acme.bonk")
        #expect(wrong.code == 64 && wrong.errors.contains("ABCDE12345.com.acme.bank"), "\(wrong.errors)")
        let inspected = try Program.run(["inspect", dump, "--keychain", scratch("items.json")], in: scratch)
        #expect(inspected.text.contains("--keychain-group GROUP"), "\(inspected.text)")
        // A step that waits for the item says so too, also in the inspector; another export would not tell more.
        try scratch.write("bank.yaml", Data(Self.bank.utf8))
        let given = ["--spec", scratch("bank.yaml"), "--keychain", scratch("items.json")]
        let plan = try Program.run(["plan", dump, "-m", "bank"] + given, in: scratch)
        #expect(plan.text.contains("--keychain-group GROUP") && !plan.text.contains("--keychain FILE"), "\(plan.text)")
        try scratch.write("look.script", Data("expect \"--keychain-group\"\n".utf8))
        let looked = try Program.run(
            ["run", scratch("look.script"), dump, "-m", "bank", "--size", "160x50"] + given, in: scratch)
        #expect(looked.code == 0, "\(looked.text) \(looked.errors)")
    }

    /// Moves an item that another app of the team may have.
    private static let bank = """
        vestige: migration/1
        id: bank
        steps:
          - {id: token, from: "keychain://bank/a", type: text, to: "defaults://com.acme.notes/token"}

        """

    @Test(
        "specs test, specs lint and both dumps of compare take --keychain-group; of several dumps one need not have the group"
    )
    func keychainGroupElsewhere() throws {
        let scratch = try Scratch(), group = "ABCDE12345.com.acme.bank"
        try scratch.write("bank.yaml", Data(Self.bank.utf8))
        func dump(_ name: String, _ group: String, _ digits: String) throws -> String {
            let dump = try scratch.copy("notes-empty.xcappdata", to: name + ".xcappdata")
            try scratch.write(
                name + ".xcappdata/keychain.json",
                Data(
                    """
                    [{"service": "own", "account": "a", "dataHex": "6f6e65", "entitlement_group": "ABCDE12345.com.acme.notes"},
                     {"service": "bank", "account": "a", "dataHex": "\(digits)", "entitlement_group": "ABCDE12345.\(group)"}]
                    """.utf8))
            return dump
        }
        let old = try dump("old", "com.acme.bank", "6f6c64"), new = try dump("new", "com.acme.bank", "6e6577")
        let moved = try dump("moved", "com.acme.shared", "6e6577")
        func run(_ arguments: String...) throws -> Program.Run { try Program.run(arguments, in: scratch) }
        let untold = try run("specs", "test", scratch("bank.yaml"), old)
        #expect(
            untold.code == 5 && untold.text.contains("--keychain-group \(group)"), "\(untold.text) \(untold.errors)")
        let told = try run("specs", "test", scratch("bank.yaml"), old, moved, "--keychain-group", group)
        #expect(told.code == 0 && told.text.contains("exported, the copy holds"), "\(told.text) \(told.errors)")
        let wrong = try run("specs", "test", scratch("bank.yaml"), old, "--keychain-group", "ABCDE12345.com.acme.bonk")
        #expect(wrong.code == 64 && wrong.errors.contains(group), "\(wrong.errors)")
        let lint = ["specs", "lint", scratch("bank.yaml"), "--dump", old]
        #expect(try Program.run(lint + ["--keychain-group", group], in: scratch).code == 0)

        let address = "keychain://bank/a", pair = ["compare", old, new]
        let neither = try Program.run(pair, in: scratch).text
        #expect(!neither.contains(" \(address)") && neither.contains("--keychain-group GROUP"), "\(neither)")
        let both = try Program.run(pair + ["--keychain-group", group], in: scratch)
        #expect(both.text.contains(" \(address)") && !both.text.contains("unassigned:"), "\(both.text) \(both.errors)")
        // What the new version has put into another group is told of the new one alone.
        let other = ["--keychain-group", group, "--new-keychain-group", "ABCDE12345.com.acme.shared"]
        let apart = try Program.run(["compare", old, moved] + other, in: scratch)
        #expect(
            apart.text.contains(" \(address)") && !apart.text.contains("unassigned:"), "\(apart.text) \(apart.errors)")
        try scratch.write("look.script", Data("expect \"bank/a\"\nexpect-not \"unassigned\"\n".utf8))
        let looked = try Program.run(
            ["run", scratch("look.script"), old, "--compare", moved, "--size", "160x50"] + other, in: scratch)
        #expect(looked.code == 0, "\(looked.text) \(looked.errors)")
        let alone = try run("run", scratch("look.script"), old, "--new-keychain-group", group)
        #expect(alone.code == 64 && alone.errors.contains("--new-app-group stand with --compare"))
    }
}
