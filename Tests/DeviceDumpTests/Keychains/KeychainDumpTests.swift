import Foundation
import MigrationEngine
import StoreFormats
import Testing

@testable import DeviceDump

@Suite("A dump has a keychain, or none")
struct KeychainDumpTests: DumpsWithKeychains {
    @Test("Without a keychain an item is neither absent nor empty: it cannot be known")
    func none() throws {
        let (dump, container) = try open(try tree())
        #expect(container.keychain == .none && dump.keychain == nil && dump.warnings.isEmpty)
        let reason = Unreadable(.missing, "no keychain in this dump")
        #expect(container.state(of: "a", in: .keychain("s")) == .unreadable(reason))
        #expect(container.problem(with: .keychain("s")) == reason)
        #expect(container.keys(in: .keychain("s")).count == 0)
        #expect(container.file(of: Address(store: .keychain("s"), key: "a")) == nil)
        #expect(container.keychainEdit(of: "a", in: .keychain("s"), to: nil) == nil)
        var transaction = StoreTransaction(on: container)
        #expect(throws: StepStop.unreadable(Address(store: .keychain("s"), key: "a"), reason)) {
            try transaction.write(.null, to: Address(store: .keychain("s"), key: "a"), rule: "")
        }
    }

    @Test(
        "An export without items is a keychain, whose items are absent, which is told where its form is a whole device's"
    )
    func empty() throws {
        let data = try KeychainForms.propertyList([])
        let (dump, container) = try open(try tree(inside: ["export.plist": data]))
        #expect(dump.warnings == [DumpWarning("export.plist", .emptyKeychain)])
        #expect(container.keychain == .items(from: "export.plist"))
        #expect(container.state(of: "a", in: .keychain("s")) == .absent)
        #expect(container.problem(with: .keychain("s")) == nil)
    }

    @Test("One in the dump comes before one beside it, and one that is named before both")
    func order() throws {
        let tree = try tree(
            inside: ["export": KeychainForms.objection([Entry(account: "inside")])],
            beside: [
                "keychain.json": KeychainForms.objection([Entry(account: "beside")]),
                "far/x.txt": KeychainForms.keychainDumper([Entry(account: "given")]),
            ])
        func account(_ container: Container) -> String? {
            let keys = container.keys(in: .keychain("s"))
            return keys.count == 1 ? keys.key(at: 0).text : nil
        }
        #expect(account(try open(tree).container) == "inside")
        let given = try open(tree, keychain: "work/far/x.txt")
        #expect(account(given.container) == "given")
        #expect(given.container.keychain == .items(from: tree.at("work/far/x.txt")))
        #expect(given.dump.keychain?.isGiven == true)
        try FileManager.default.removeItem(atPath: tree.at("work/notes.xcappdata/export"))
        let beside = try open(tree)
        #expect(account(beside.container) == "beside")
        #expect(beside.dump.keychain?.isGiven == false)
        #expect(
            beside.container.file(of: Address(store: .keychain("s"), key: "beside"))
                == .elsewhere(tree.at("work/keychain.json")))
    }

    @Test("Beside the dump only a file with that word in its name is looked at, and one with the dump's name first")
    func beside() throws {
        let export = KeychainForms.objection([Entry()])
        #expect(try open(try tree(beside: ["export.json": export])).container.keychain == .none)
        let several = try tree(beside: ["notes_keychain.json": export, "other-Keychain.json": export])
        #expect(try open(several).container.keychain == .items(from: several.at("work/notes_keychain.json")))
    }

    @Test("Of several none is chosen, all are named, and nothing is taken for absent")
    func several() throws {
        let export = KeychainForms.objection([Entry()])
        for tree in [
            try tree(beside: ["keychain-1.json": export, "keychain-2.json": export]),
            try tree(inside: ["a.json": export, "b.json": export], beside: ["keychain.json": export]),
        ] {
            let (dump, container) = try open(tree)
            guard case .unreadable = container.keychain,
                case .severalKeychains(let paths)? = dump.warnings.first?.problem
            else {
                Issue.record("\(dump.warnings)")
                continue
            }
            #expect(paths.count == 2)
            // Who is told so can choose one: it is as if none were given.
            let problem = try #require(container.problem(with: .keychain("s")))
            #expect(problem.cause == .missing)
            for path in paths { #expect(problem.explanation.contains("\(path)"), "\(problem.explanation)") }
            #expect(container.state(of: "a", in: .keychain("s")) != .absent)
        }
    }

    @Test("A named file that is none, or not there, is an error that says so")
    func namedWrongly() throws {
        let tree = try tree(beside: ["x": Data("hello".utf8)])
        #expect(throws: DumpError(tree.at("work/x"), .notAKeychain(KeychainError(.notAnExport)))) {
            try open(tree, keychain: "work/x")
        }
        #expect(throws: DumpError(tree.at("work/none"), .notFound)) { try open(tree, keychain: "work/none") }
        #expect(throws: DumpError.self) { try open(tree, keychain: "work") }
    }

    @Test("A folder that is called as an export is not read, which is said; one of another name is nobody's business")
    func folder() throws {
        let tree = try tree()
        try tree.folder("work/notes.xcappdata/keychain.json")
        try tree.folder("work/notes.xcappdata/keychains")
        let (dump, container) = try open(tree)
        #expect(dump.warnings.map(\.path) == ["keychain.json"])
        #expect(container.keychain.problem?.explanation == "keychain.json is a folder, and no file")
        guard case .unreadable = container.state(of: "a", in: .keychain("s")) else {
            Issue.record("\(container.state(of: "a", in: .keychain("s")))")
            return
        }
    }

    @Test("A pipe that is called a keychain is not read, which is said", .timeLimit(.minutes(10)))
    func pipe() throws {
        let tree = try tree()
        try tree.pipe("work/notes.xcappdata/keychain.json")
        let (dump, container) = try open(tree)
        #expect(dump.warnings.map(\.path) == ["keychain.json"])
        #expect(container.keychain.problem?.explanation.contains("a pipe") == true)
        let error = #expect(throws: DumpError.self) {
            try open(tree, keychain: "work/notes.xcappdata/keychain.json")
        }
        #expect(error?.problem == .notAFile("a pipe"))
        // As a shell names what it puts in place of `<(…)`.
        var ends: [Int32] = [0, 0]
        try #require(Foundation.pipe(&ends) == 0)
        defer { for end in ends { close(end) } }
        let substituted = #expect(throws: DumpError.self) {
            try Dump.open(tree.at("work/notes.xcappdata"), keychain: "/dev/fd/\(ends[0])")
        }
        #expect(substituted?.problem == .notAFile("a pipe"))
    }

    @Test("A single property list takes a keychain beside it")
    func singleFile() throws {
        let tree = try TemporaryTree()
        try tree.list("com.acme.notes.plist")
        try tree.file("keychain.json", KeychainForms.objection([Entry()]))
        let dump = try Dump.open(tree.at("com.acme.notes.plist"))
        #expect(try dump.container(nil).stores == [.defaults("com.acme.notes"), .keychain("s")])
        // An export by itself is no dump.
        try tree.file("only/keychain.plist", try KeychainForms.propertyList([Entry()]))
        #expect(throws: DumpError.self) { try Dump.open(tree.at("only/keychain.plist")) }
    }

    @Test("A link in a dump that is called a keychain is not followed")
    func link() throws {
        let tree = try tree(beside: ["far/x.json": KeychainForms.objection([Entry()])])
        try tree.link("work/notes.xcappdata/keychain.json", to: tree.at("work/far/x.json"))
        let (dump, container) = try open(tree)
        let target = tree.at("work/far/x.json")
        #expect(dump.warnings == [DumpWarning("keychain.json", .symbolicLink(target: target))])
        #expect(container.keychain.problem?.explanation.contains("a symbolic link to \(target)") == true)
    }
}
