import Foundation
import MigrationEngine
import StoreFormats
import TestSupport
import Testing

@testable import DeviceDump

@Suite("The stores of a container")
struct ContainerTests {
    private func container(_ tree: TemporaryTree) throws -> Container {
        try Dump.open(tree.path).container(nil)
    }

    @Test("domains come first, the app's own before the others, then the folders that hold a file")
    func order() throws {
        let tree = try TemporaryTree()
        try tree.container()
        for domain in ["zeta", "alpha", "com.apple.FileProvider/x", "a/b/c"] {
            try tree.list("Library/Preferences/\(domain).plist")
        }
        try tree.file("Library/Application Support/state.json")
        try tree.file("Documents/deep/er/note.txt")
        try tree.file("tmp/part")
        try tree.folder("Library/Caches/only/folders")
        #expect(
            try container(tree).stores == [
                .defaults("com.acme.notes"), .defaults("a/b/c"), .defaults("alpha"),
                .defaults("com.apple.FileProvider/x"), .defaults("zeta"), .files("AppSupport"), .files("Documents"),
                .files("tmp"),
            ])
    }

    @Test(
        "a file of the dump is a domain, or an entry of a folder; a folder is its store, and what is outside is nothing"
    )
    func addressesOfFiles() throws {
        let tree = try TemporaryTree()
        try tree.container()
        try tree.list("Library/Preferences/a/b.plist")
        try tree.file("Documents/deep/er/note.txt")
        let container = try container(tree)
        for (path, address) in [
            ("Library/Preferences/a/b.plist", Address(store: .defaults("a/b"))),
            ("Documents/deep/er/note.txt", Address(store: .files("Documents"), key: "deep/er/note.txt")),
            ("Documents/not there", Address(store: .files("Documents"), key: "not there")),
            ("Documents", Address(store: .files("Documents"))), ("Info.plist", nil),
        ] {
            let file = try #require(DumpPath(path))
            #expect(container.address(ofFile: file) == address, "\(path)")
        }
    }

    @Test("a dictionary of a domain is read once for all of its parts that are asked for one after the other")
    func readOnce() throws {
        let tree = try TemporaryTree()
        try tree.container()
        let members = Dictionary(uniqueKeysWithValues: (0..<100).map { ("field\($0)", "value \($0)") })
        let list = try PropertyListSerialization.data(
            fromPropertyList: ["d": members, "e": members], format: .binary, options: 0)
        try tree.file("Library/Preferences/com.acme.notes.plist", list)
        let container = try container(tree), store = StoreID.defaults("com.acme.notes")
        let states = ["d", "e", "d"].map { container.state(of: $0, in: store) }
        let places = states.compactMap { $0.value?.members?.all.withUnsafeBufferPointer(\.baseAddress) }
        #expect(states[0].value?.members?["field7"] == .string("value 7"))
        #expect(places.count == 3 && places[0] == places[2] && places[0] != places[1])
    }

    @Test("the store Library holds what no other store does, and no file is in none")
    func library() throws {
        let tree = try TemporaryTree()
        try tree.container()
        try tree.file("Library/rl_persistence.sqlite")
        try tree.file("Library/Cookies/Cookies.binarycookies")
        try tree.file("Library/Preferences/com.acme.notes.plist.lock")
        try tree.file("Library/Preferences/.plist")
        try tree.file("Library/Caches/cache.bin")
        try tree.file("Library/Application Support/state.json")
        let container = try container(tree)
        let keys = container.keys(in: .files("Library"))
        #expect(
            (0..<keys.count).map(keys.key(at:)) == [
                "Cookies/Cookies.binarycookies", "Preferences/.plist", "Preferences/com.acme.notes.plist.lock",
                "rl_persistence.sqlite",
            ])
        for key in ["Caches/cache.bin", "Application Support/state.json", "Preferences/com.acme.notes.plist"] {
            #expect(container.state(of: Name(key), in: .files("Library")) == .absent, "\(key)")
            #expect(container.file(of: Address(store: .files("Library"), key: Name(key))) == nil, "\(key)")
        }
    }

    @Test("an entry of a folder is its file's bytes; nothing is absent, and a folder in place of the file is not")
    func files() throws {
        let tree = try TemporaryTree()
        try tree.container()
        try tree.file("Documents/a/b.txt", "hello")
        try tree.file("Documents/empty", "")
        let container = try container(tree), documents = StoreID.files("Documents")
        #expect(container.state(of: "a/b.txt", in: documents) == .present(.data(Data("hello".utf8))))
        #expect(container.state(of: "empty", in: documents) == .present(.data(Data())))
        #expect(
            container.state(of: "a", in: documents)
                == .unreadable(Unreadable(.unsupported, "Documents/a is a folder, and no file")))
        #expect(
            container.state(of: "a/b.txt/c", in: documents)
                == .unreadable(Unreadable(.unsupported, "Documents/a/b.txt is not a folder")))
        for key in ["a/c", "", "nothing"] {
            #expect(container.state(of: Name(key), in: documents) == .absent, "\(key)")
        }
        let keys = container.keys(in: documents)
        #expect((0..<keys.count).map(keys.key(at:)) == ["a/b.txt", "empty"])
        #expect(keys.position(of: "empty") == 1)
        #expect(keys.position(of: "a") == nil)
        #expect(container.state(of: "a", in: .files("Nowhere")) == .absent)
    }

    @Test("an entry of a domain keeps its type; an absent key or domain is absent")
    func defaults() throws {
        let tree = try TemporaryTree()
        try tree.container()
        try tree.list("Library/Preferences/suite.plist", ["flag": true, "number": 1, "text": "1"], format: .xml)
        let container = try container(tree), suite = StoreID.defaults("suite")
        #expect(container.state(of: "flag", in: suite) == .present(.bool(true)))
        #expect(container.state(of: "number", in: suite) == .present(.integer(1)))
        #expect(container.state(of: "text", in: suite) == .present(.string("1")))
        #expect(container.state(of: "other", in: suite) == .absent)
        #expect(container.state(of: "flag", in: .defaults("absent")) == .absent)
        #expect(container.problem(with: .defaults("absent")) == nil)
        #expect(container.keys(in: .defaults("absent")).count == 0)
        #expect(container.keys(in: suite).count == 3)
    }

    @Test(
        "a domain that is damaged is listed with its problem, and the others go on",
        arguments: [
            ("bplist00", Unreadable.Cause.corrupt), ("", .corrupt),
            ("bplist15 and more bytes than a few", .unsupported),
            ("<?xml version=\"1.0\"?><plist><dict><key>a", .corrupt),
        ])
    func damaged(content: String, cause: Unreadable.Cause) throws {
        let tree = try TemporaryTree()
        try tree.container()
        try tree.file("Library/Preferences/broken.plist", content)
        let container = try container(tree), broken = StoreID.defaults("broken")
        #expect(container.stores.contains(broken))
        let problem = try #require(container.problem(with: broken))
        #expect(problem.cause == cause)
        #expect(problem.explanation.contains("Library/Preferences/broken.plist"))
        #expect(container.state(of: "any", in: broken) == .unreadable(problem))
        #expect(container.keys(in: broken).count == 0)
        #expect(
            container.storeWarnings() == [DumpWarning("Library/Preferences/broken.plist", .unreadable(problem))])
        #expect(container.state(of: "key", in: .defaults("com.acme.notes")) == .present(.string("value")))
    }

    @Test(
        "a key that stands twice is listed twice, has both values and no state but ambiguous, and is warned of",
        arguments: [StoreFormat.binaryPropertyList, .xmlPropertyList])
    func repeatedKey(format: StoreFormat) throws {
        let tree = try TemporaryTree()
        try tree.container()
        let value = Value.dictionary([("a", .integer(1)), ("id", .string("old")), ("id", .string("new"))])
        let data = try format == .xmlPropertyList ? XMLPropertyList.write(value) : BinaryPropertyList.write(value)
        try tree.file("Library/Preferences/twice.plist", data)
        let container = try container(tree), store = StoreID.defaults("twice")
        #expect(container.keys(in: store).names == ["a", "id", "id"])
        #expect(container.state(of: "a", in: store) == .present(.integer(1)))
        guard case .unreadable(let reason) = container.state(of: "id", in: store) else {
            Issue.record("not ambiguous")
            return
        }
        #expect(reason.cause == .ambiguous)
        #expect(reason.candidates == [.present(.string("old")), .present(.string("new"))])
        #expect(
            container.storeWarnings()
                == [DumpWarning("Library/Preferences/twice.plist", .repeatedKey(.defaults("twice", "id")))])
        let laid = EditedKeys(of: container.keys(in: store), without: ["id"])
        #expect(laid.names == ["a"] && !laid.contains("id"))
    }

    @Test("a key that stands many times is looked at once, however often it is asked for", .timeLimit(.minutes(10)))
    func keyOfMany() throws {
        let tree = try TemporaryTree()
        try tree.container()
        let members = Members(Array(repeating: Member(key: "id", value: .array([.string("x")])), count: 50_000))
        try tree.file("Library/Preferences/twice.plist", BinaryPropertyList.write(.dictionary(members)))
        let container = try container(tree), store = StoreID.defaults("twice"), keys = container.keys(in: store)
        let states = Set((0..<keys.count).map { container.state(of: keys.key(at: $0), in: store) })
        #expect(keys.count == 50_000 && states.count == 1)
        #expect(Keys(keys.names).positions(of: "id").count == 50_000)
    }

    @Test("opening reads no domain: one that is put there afterwards is read on first use, and then kept")
    func lazy() throws {
        let tree = try TemporaryTree()
        try tree.container()
        let container = try container(tree), own = StoreID.defaults("com.acme.notes")
        try tree.list("Library/Preferences/com.acme.notes.plist", ["key": "second"])
        #expect(container.state(of: "key", in: own) == .present(.string("second")))
        try tree.list("Library/Preferences/com.acme.notes.plist", ["key": "third"])
        #expect(container.state(of: "key", in: own) == .present(.string("second")))
    }

    @Test(
        "the file of an address is where a store's entry is or would be",
        arguments: [
            ("defaults://com.acme.notes/k", "AppData/Library/Preferences/com.acme.notes.plist"),
            ("defaults://new.suite", "AppData/Library/Preferences/new.suite.plist"),
            ("defaults://a%2Fb/k", "AppData/Library/Preferences/a/b.plist"),
            ("file://AppSupport/x/y.json", "AppData/Library/Application Support/x/y.json"),
            ("file://Library/x", "AppData/Library/x"), ("file://tmp/x", "AppData/tmp/x"),
            ("defaults://..%2Fx/k", nil), ("file://Documents/../x", nil), ("file://Documents//x", nil),
            ("file://Documents", nil), ("file://Other/x", nil), ("keychain://service/x", nil),
        ])
    func fileOfAddress(address: String, file: String?) throws {
        let tree = try TemporaryTree()
        try tree.xcappdata()
        let container = try Dump.open(tree.at("notes.xcappdata")).container(nil)
        #expect(container.file(of: try Address(parsing: address))?.description == file)
    }

    @Test("names that differ only in Unicode normalization are two names")
    func normalization() throws {
        let tree = try TemporaryTree()
        try tree.container()
        try tree.list("Library/Preferences/\u{E9}.plist", ["key": "precomposed"])
        try tree.list("Library/Preferences/e\u{301}.plist", ["key": "decomposed"])
        guard try FileManager.default.contentsOfDirectory(atPath: tree.at("Library/Preferences")).count == 3 else {
            return  // This file system holds them to be one.
        }
        let container = try container(tree)
        #expect(container.state(of: "key", in: .defaults("\u{E9}")) == .present(.string("precomposed")))
        #expect(container.state(of: "key", in: .defaults("e\u{301}")) == .present(.string("decomposed")))
    }

    @Test("a single property list is one domain and one file; its neighbours are not there")
    func singleFile() throws {
        let tree = try TemporaryTree()
        try tree.list("com.acme.notes.plist")
        try tree.list("neighbour.plist")
        let dump = try Dump.open(tree.at("com.acme.notes.plist")), container = try dump.container(nil)
        #expect(container.identifier == "com.acme.notes")
        #expect(
            container.facts[.bundleIdentifier]
                == Fact("com.acme.notes", from: .metadata("the file name com.acme.notes.plist")))
        #expect(container.stores == [.defaults("com.acme.notes")])
        #expect(container.state(of: "key", in: .defaults("com.acme.notes")) == .present(.string("value")))
        #expect(container.state(of: "key", in: .defaults("neighbour")) == .absent)
        // What such a dump never has is not absent.
        guard case .unreadable(let unknown) = container.state(of: "neighbour.plist", in: .files("Library")) else {
            Issue.record("files are told as absent")
            return
        }
        #expect(unknown.explanation == "a single property list comes without files, so nothing is known of them")
        #expect(container.file(of: .defaults("com.acme.notes", "key")) == .inDump("com.acme.notes.plist"))
        #expect(container.file(of: .defaults("neighbour", "key")) == .inDump("neighbour.plist"))
        #expect(dump.files.items().items.map(\.path) == ["com.acme.notes.plist"])
        #expect(try dump.files.item(at: "neighbour.plist") == nil)
        #expect(container.storeWarnings().isEmpty)
    }

    @Test("the container is the only one, else the only app's, else it must be named")
    func choice() throws {
        let tree = try TemporaryTree()
        try tree.simulator("one", apps: ["com.acme.notes"])
        try tree.container("one/data/Containers/Shared/AppGroup/G", app: "group.com.acme.notes")
        try tree.simulator("two", apps: ["com.acme.timer", "com.acme.notes"])
        let one = try Dump.open(tree.at("one")), two = try Dump.open(tree.at("two"))
        #expect(try one.container(nil).identifier == "com.acme.notes")
        let group = try one.container("group.com.acme.notes")
        #expect(group.kind == .group)
        #expect(group.facts[.groupIdentifier]?.value == "group.com.acme.notes")
        #expect(group.facts[.bundleIdentifier] == nil)
        #expect(two.containers.map(\.identifier) == ["com.acme.notes", "com.acme.timer"])
        #expect(throws: DumpError(tree.at("two"), .severalApps(["com.acme.notes", "com.acme.timer"]))) {
            try two.container(nil)
        }
        #expect(throws: DumpError(tree.at("two"), .noSuchApp("x", available: ["com.acme.notes", "com.acme.timer"]))) {
            try two.container("x")
        }
        #expect(try two.container("data/Containers/Data/Application/UUID-0").identifier == "com.acme.timer")
    }

    @Test("two containers of one identifier are a warning, and are chosen by their paths")
    func duplicates() throws {
        let tree = try TemporaryTree()
        try tree.simulator("device", apps: ["com.acme.notes", "com.acme.notes"])
        let dump = try Dump.open(tree.at("device"))
        #expect(dump.warnings == [DumpWarning("", .duplicateIdentifier("com.acme.notes"))])
        let paths = (0...1).map { "data/Containers/Data/Application/UUID-\($0)" }
        #expect(throws: DumpError(tree.at("device"), .severalApps(paths))) { try dump.container("com.acme.notes") }
        #expect(try dump.container(paths[1]).path.text == paths[1])
    }

    @Test("of a property list by itself the other domains are absent to steps, and unknown to whoever assumes nothing")
    func otherDomains() throws {
        let tree = try TemporaryTree()
        for (form, words) in [
            (Form.propertyList, "the app's other UserDefaults"), (.database, "the app's UserDefaults"),
        ] {
            let container = try form.container(in: tree), suite = StoreID.defaults("other.suite")
            #expect(container.state(of: "k", in: suite) == .absent)
            #expect(container.assumption(reading: [])?.contains(words) == true)
            let strict = container.assumingNothing
            #expect(strict.state(of: "k", in: suite) != .absent && strict.problem(with: suite)?.cause == .missing)
            for store in container.stores { #expect(strict.problem(with: store) == nil) }
        }
        let whole = try Form.xcappdata.container(in: tree)
        #expect(whole.assumption(reading: []) == nil)
        #expect(whole.assumingNothing.state(of: "k", in: .defaults("x")) == .absent)
    }

    @Test("what dumps of a form never hold is unknown, and not absent", arguments: Form.allCases)
    func unheld(form: Form) throws {
        let tree = try TemporaryTree(), container = try form.container(in: tree)
        var found: [String] = []
        for probe in Form.probes {
            let address = try Address(parsing: probe)
            switch container.state(of: try #require(address.key), in: address.store) {
            case .absent: found.append("absent")
            case .unreadable(let reason):
                #expect(reason.cause == .missing, "\(probe)")
                found.append(String(reason.explanation.prefix { $0 != "," && $0 != ";" }))
            case .present: found.append("present")
            }
            // A store of which nothing is known says so as a whole, or is one that is there.
            let asked =
                container.problem(with: address.store)
                ?? container.keys(in: address.store).problem(under: "Library/Caches/")
            #expect((asked != nil) == (found.last != "absent"), "\(form) \(probe)")
        }
        #expect(found == form.expected)
    }

    /// A form, and what it says of what none of its dumps has.
    enum Form: CaseIterable {
        case xcappdata, container, simulator, propertyList, database, backup, unpackedBackup

        static let probes = [
            "file://Documents/none", "file://Caches/none", "file://tmp/none", "sqlite://Caches/none.sqlite/t/1",
            "file://group.com.acme.notes/Library/Caches/none", "defaults://group.com.acme.notes/none",
        ]

        func container(in tree: TemporaryTree) throws -> Container {
            switch self {
            case .xcappdata: try tree.xcappdata("dump")
            case .container: try tree.container("dump")
            case .simulator:
                try tree.simulator("dump", apps: ["com.acme.notes"])
                try tree.container("dump/data/Containers/Shared/AppGroup/G", app: "group.com.acme.notes")
            case .propertyList:
                try tree.list("com.acme.notes.plist")
                return try Dump.open(tree.at("com.acme.notes.plist")).container(nil)
            case .database:
                let data = try Data(
                    contentsOf: URL(
                        fileURLWithPath: Places.fixture("notes-databases.xcappdata/AppData/Documents/notes.sqlite")))
                try tree.file("notes.sqlite", data)
                return try Dump.open(tree.at("notes.sqlite")).container(nil)
            case .backup: return try Dump.open(Places.fixture("backup")).container("com.acme.notes")
            case .unpackedBackup:
                try tree.container("dump/AppDomain-com.acme.notes")
                // An empty one says nothing of what the device had there.
                try tree.folder("dump/AppDomain-com.acme.notes/Library/Caches")
                try tree.list(
                    "dump/AppDomainGroup-group.com.acme.notes/Library/Preferences/group.com.acme.notes.plist")
            }
            return try Dump.open(tree.at("dump")).container("com.acme.notes")
        }

        var expected: [String] {
            let groups = Array(repeating: "", count: 2), files = Array(repeating: "", count: 4)
            func all(_ file: String, _ group: String) -> [String] {
                files.map { _ in file } + groups.map { _ in group }
            }
            return switch self {
            case .simulator: all("absent", "absent")
            case .xcappdata: all("absent", "an .xcappdata has no app groups")
            case .container: all("absent", "a container by itself has no app groups")
            case .propertyList:
                all("a single property list comes without files", "a single property list has no app groups")
            case .database:
                all("a single database comes without other files", "a single database has no app groups")
            case .backup, .unpackedBackup:
                ["absent"] + Array(repeating: "a backup never holds caches and temporary files", count: 4) + ["absent"]
            }
        }
    }

    @Test("what no file of a dump can be is told of an entry before it is made")
    func withoutFile() throws {
        let container = try Dump.open(Places.fixture("notes-legacy.xcappdata")).container(nil)
        func loss(_ store: String, _ key: Name) -> String? {
            container.loss(of: .data(Data()), at: Address(store: .files(Name(store)), key: key))
        }
        #expect(loss("Documents", "new.txt") == nil && loss("AppSupport", "a/b.json") == nil)
        for (store, key) in [("com.acme.foo", "x"), ("com.acme.notes", "x"), ("Library", "Preferences")] {
            #expect(loss(store, Name(key))?.contains("file://\(store)/\(key)") == true, "\(store)")
        }
        let long = String(repeating: "a", count: 256)
        #expect(loss("Documents", Name("x/\(long)"))?.contains("a name of 256 bytes") == true)
        #expect(loss("Documents", Name("x/\(long.dropLast())")) == nil)
        let domain = Address(store: .defaults(Name(String(long.dropLast(5)))), key: "k")
        #expect(container.loss(of: .bool(true), at: domain)?.contains("a name of 257 bytes") == true)
    }
}
