import DeviceDump
import Foundation
import MigrationEngine
import Reports
import StoreFormats
import TestSupport
import Testing

@testable import Workspace

@Suite("Facts that were given in the inspector")
struct RememberedFactsTests {
    static let migration = TestMigration()
    static let now = migration.facts[0]
    static let uptime = FactDefinition(.uptime, "", form: .seconds, example: "1")

    // MARK: Whose they are

    /// What is known of a dump, as `now`, `uptime` and what is said of others.
    private func known(
        _ folder: TemporaryFolder, _ dump: String = "dump", ledger: LedgerLocation? = nil
    ) throws -> (facts: [String?], told: [String]) {
        let snapshot = try opened(folder, dump, ledger: ledger).snapshot
        return ([snapshot.facts["now"]?.value, snapshot.facts[.uptime]?.value], snapshot.forgotten.map(Masking().told))
    }

    private func opened(
        _ folder: TemporaryFolder, _ dump: String = "dump", ledger: LedgerLocation? = nil
    ) throws -> Workspace {
        try Workspace.open(
            dump: Dump.open(folder(dump)), ledger: ledger ?? .file(folder("l")), asked: [Self.now, Self.uptime])
    }

    /// Gives facts of a dump as if a program were started for each.
    private func give(
        _ facts: [(FactDefinition, String?)], _ folder: TemporaryFolder, _ dump: String = "dump",
        ledger: LedgerLocation? = nil
    ) throws {
        for (definition, text) in facts {
            let workspace = try opened(folder, dump, ledger: ledger)
            #expect(try workspace.setFact(definition, to: text, source: "the inspector") == nil)
        }
    }

    private func move(_ folder: TemporaryFolder, _ from: String, _ to: String) throws {
        try FileManager.default.moveItem(atPath: folder(from), toPath: folder(to))
    }

    /// Makes a dump another one of the same app, in place.
    private func overwrite(_ folder: TemporaryFolder, _ dump: String = "dump", id: String = "u-43") throws {
        try folder.write(
            dump + "/Library/Preferences/com.acme.notes.plist",
            BinaryPropertyList.write(
                .dictionary([
                    ("old_id", .string(id)), ("old_count", .integer(7)), ("theme", .string("dark")),
                    ("drop", .data(Data([1, 2, 3]))),
                ])))
    }

    @Test("are the dump's by what it is: renamed, touched, copied, or with another mode it has them")
    func ofSameDump() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        try give([(Self.now, "12"), (Self.uptime, "5")], folder)
        func expectKnown(_ dump: String, _ comment: Comment) throws {
            let (facts, told) = try known(folder, dump)
            #expect(facts == ["12", "5"] && told.isEmpty, "\(comment.rawValue): \(told)")
        }
        try expectKnown("dump", "as it lies")
        for path in ["dump", "dump/Library/Preferences/com.acme.notes.plist"] {
            try FileManager.default.setAttributes(
                [.modificationDate: Date(timeIntervalSince1970: 1_000_000_000)], ofItemAtPath: folder(path))
        }
        try expectKnown("dump", "touched")
        chmod(folder("dump"), 0o700)
        chmod(folder("dump/Documents/note.txt"), 0o600)
        try expectKnown("dump", "with another mode")
        try FileManager.default.copyItem(atPath: folder("dump"), toPath: folder("copy"))
        try expectKnown("copy", "a copy")
        try move(folder, "dump", "moved")
        try expectKnown("moved", "moved")
        try folder.write("moved/.DS_Store", Data("Finder".utf8))
        try expectKnown("moved", "somebody has looked at it")
    }

    @Test("are known of a plain folder in an archive, where it lies in a folder that it is itself elsewhere")
    func ofPackedFolder() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        // What writes the archive would follow it.
        try FileManager.default.removeItem(atPath: folder("dump/Documents/link"))
        try give([(Self.now, "12"), (Self.uptime, "5")], folder)
        try Archives.write("zip", to: folder("mail.zip"), of: folder("dump"))
        let (facts, told) = try known(folder, "mail.zip")
        #expect(facts == ["12", "5"] && told.isEmpty, "\(told)")
    }

    @Test("are known of a lone file whatever it is called")
    func ofLoneFile() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        try move(folder, "dump/Library/Preferences/com.acme.notes.plist", "a.plist")
        try give([(Self.now, "12")], folder, "a.plist")
        try move(folder, "a.plist", "b.plist")
        #expect(try known(folder, "b.plist").facts == ["12", nil])
    }

    @Test("are not those of another dump in its place, of which one line says what is not taken; nothing of it is lost")
    func ofOtherDump() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        try give([(Self.now, "12"), (Self.uptime, "5")], folder)
        try overwrite(folder)
        let (facts, told) = try known(folder)
        #expect(facts == [nil, nil] && told.count == 1)
        for words in [
            "2 facts", "not taken", "now=12, uptime=5", "com.acme.notes", "lay here", ":fact", folder("l.facts"),
        ] {
            #expect(told.first?.contains(words) == true, "\(words): \(told)")
        }
        // What is given of this one is no answer for that.
        try give([(Self.uptime, "6")], folder)
        let (own, rest) = try known(folder)
        #expect(own == [nil, "6"] && rest.count == 1)
        #expect(rest.first?.contains("1 fact that was") == true && rest.first?.contains("now=12 (") == true, "\(rest)")
        try give([(Self.now, "13"), (Self.now, nil), (Self.uptime, nil)], folder)
        try overwrite(folder, id: "u-42")
        #expect(try known(folder).facts == ["12", "5"], "what was there first is as it was")
    }

    @Test(
        "are masked by their names, whatever is in them, by whoever tells of them, and no word around them is",
        arguments: ["sk-live,8f3a9c1d2e4b", "sk-live-8f3a9c1d2e4b", "8f3a (9c1d), 2e4b"])
    func secret(value: String) throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let token = FactDefinition("accessToken", "", form: .text, example: "sk-1")
        func opened() throws -> Workspace {
            try Workspace.open(
                dump: Dump.open(folder("dump")), ledger: .file(folder("l")), asked: [token, Self.now, Self.uptime])
        }
        let first = try opened(), second = try opened()
        try first.setFact(Self.now, to: "12", source: "the inspector")
        try first.setFact(token, to: value, source: "the inspector")
        let masked = "accessToken=‹masked string, \(value.count) characters›"
        // By another program, and of another dump.
        let changed = try #require(try second.setFact(Self.uptime, to: "5", source: "the inspector"))
        try overwrite(folder)
        let other = try #require(try opened().snapshot.forgotten.first)
        for (problem, words) in [
            (changed, "\(folder("l.facts")) remembers, which counts here too: \(masked), now=12."),
            (other, "\(masked), now=12, uptime=5 (of com.acme.notes"),
        ] {
            let told = Masking().told(problem)
            #expect(told.contains(words), "\(told)")
            #expect(!told.contains("8f3a") && !"\(problem)".contains("8f3a"), "\(problem)")
            #expect(Masking(isRevealing: true).told(problem).contains("accessToken=\(value)"))
        }
    }

    @Test("are told on one line, whatever the file says of whose they are and of where that lay")
    func ofHostileFile() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let text = """
            {"format":"vestige.facts/1","dumps":[{"app":"com.acme\\nnotes","container":"AppData","identity":"other",
            "path":"x\\nvestige: verified\\n","taken":"2024","facts":{"uptime":{"from":"x","value":"1"}}}]}
            """
        try folder.write("l.facts", Data(text.utf8))
        let told = try known(folder).told
        #expect(told.count == 1 && told.allSatisfy { !$0.contains("\n") }, "\(told)")
        #expect(told.first?.contains("vestige: verified") == true, "\(told)")
    }

    @Test("of several others are told in one line, that of the one which lay here first")
    func ofSeveralDumps() throws {
        let folder = try TemporaryFolder()
        for (number, name) in ["dump", "second", "third"].enumerated() {
            _ = try folder.makeDump(name)
            try overwrite(folder, name, id: "u-\(number)")
            try give([(Self.now, "\(number)")], folder, name)
        }
        try overwrite(folder, id: "u-9")
        let told = try known(folder).told
        #expect(told.count == 1 && told[0].contains("now=0 (") && told[0].contains("2 further dumps"), "\(told)")
        try FileManager.default.removeItem(atPath: folder("dump"))
        try move(folder, "third", "dump")
        #expect(try known(folder).facts == ["2", nil])
        #expect(try known(folder).told == [], "it has a fact of that name of its own")
    }

    @Test("are found where the dump lies elsewhere, and its ledger with it; taken back there they are not there again")
    func elsewhere() throws {
        let folder = try TemporaryFolder(),
            ledger = LedgerLocation.standard(environment: ["XDG_STATE_HOME": folder("state")])
        _ = try folder.makeDump()
        try give([(Self.now, "12"), (Self.uptime, "5")], folder, ledger: ledger)
        try move(folder, "dump", "moved")
        #expect(try known(folder, "moved", ledger: ledger).facts == ["12", "5"])
        try give([(Self.now, nil)], folder, "moved", ledger: ledger)
        #expect(try known(folder, "moved", ledger: ledger).facts == [nil, "5"])
        try give([(Self.uptime, nil)], folder, "moved", ledger: ledger)
        #expect(try known(folder, "moved", ledger: ledger).facts == [nil, nil])
        // A ledger that was named is by itself.
        #expect(try known(folder, "moved").facts == [nil, nil])
    }

    @Test("of one app of a dump are no matter of another, nor what becomes of that")
    func ofOtherApp() throws {
        let folder = try TemporaryFolder()
        for app in ["one", "two"] {
            _ = try folder.makeDump("made")
            try folder.write(
                "made/.com.apple.mobile_container_manager.metadata.plist",
                XMLPropertyList.write(
                    .dictionary([("MCMMetadataIdentifier", .string(app)), ("MCMMetadataContentClass", .integer(2))])))
            try FileManager.default.createDirectory(
                atPath: folder("dump/Containers/Data/Application"), withIntermediateDirectories: true)
            try move(folder, "made", "dump/Containers/Data/Application/\(app)")
        }
        func workspace(_ app: String) throws -> Workspace {
            try Workspace.open(
                dump: Dump.open(folder("dump")), container: app, ledger: .file(folder("l")),
                asked: [Self.now, Self.uptime])
        }
        let one = try workspace("one")
        try one.setFact(Self.now, to: "12", source: "the inspector")
        #expect(try one.opening(container: "two").snapshot.facts["now"] == nil)
        let other = try workspace("two").snapshot
        #expect(other.facts["now"] == nil && other.forgotten.isEmpty, "\(other.forgotten)")
        try folder.write("dump/Containers/Data/Application/two/Documents/note.txt", Data("another".utf8))
        #expect(try workspace("one").snapshot.facts["now"]?.value == "12")
    }

    // MARK: Files of earlier versions

    @Test("in a file of an earlier version are told, and offered or taken; giving others loses none of them")
    func earlierVersions() throws {
        let folder = try TemporaryFolder(), path = folder("dump")
        _ = try folder.makeDump()
        let first = #"{".": {"now": {"value": "12", "from": "the inspector"}}}"#
        try folder.write("l.facts", Data(first.utf8))
        let (facts, told) = try known(folder)
        #expect(facts == [nil, nil] && told.count == 1)
        #expect(told.first?.contains("earlier version") == true && told.first?.contains("now=12") == true, "\(told)")
        try give([(Self.uptime, "5")], folder)
        #expect(try known(folder).facts == [nil, "5"])
        #expect(try known(folder).told == told)
        // The next one told the dump by where it lay.
        let file = try FileManager.default.attributesOfItem(atPath: path)
        let number = try #require(file[.systemFileNumber] as? Int), made = try #require(file[.creationDate] as? Date)
        for (mark, taken) in [
            ("\(number) \(made.timeIntervalSinceReferenceDate) com.acme.notes ", "12"), ("1 2 com.acme.notes ", nil),
        ] {
            let second = #"{".": {"mark": "\#(mark)", "facts": {"now": {"value": "12", "from": "the inspector"}}}}"#
            try folder.write("l.facts", Data(second.utf8))
            let (facts, told) = try known(folder)
            #expect(facts == [taken, nil] && told.count == 1 && told[0].contains("now=12"), "\(mark): \(told)")
            #expect(
                told.first?.contains("earlier version") == true
                    && (taken != nil) != (told[0].contains("com.acme.notes")))
            try give([(Self.uptime, "5")], folder)
            #expect(try known(folder).facts == [taken, "5"])
            #expect(try known(folder).told.isEmpty == (taken != nil))
        }
    }

    @Test("in a file of a newer version are not known, and stay as they are")
    func newerVersion() throws {
        let folder = try TemporaryFolder(), newer = Data(#"{"format": "vestige.facts/2", "dumps": {}}"#.utf8)
        _ = try folder.makeDump()
        try folder.write("l.facts", newer)
        let workspace = try opened(folder)
        #expect(workspace.snapshot.forgotten == [.fact(.newerMemory(folder("l.facts")))])
        let problem = try workspace.setFact(Self.now, to: "12", source: "the inspector")
        #expect(problem.map { "\($0)" }?.contains("newer version") == true)
        #expect(try Data(contentsOf: URL(fileURLWithPath: folder("l.facts"))) == newer)
    }

    // MARK: What others do meanwhile

    @Test("by two programs are remembered of both, and known to whoever gives another")
    func byTwo() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let first = try opened(folder), second = try opened(folder)
        func give(_ definition: FactDefinition, _ text: String?, in workspace: Workspace) throws -> String? {
            try workspace.setFact(definition, to: text, source: "the inspector").map(Masking().told)
        }
        #expect(try give(Self.now, "12", in: first) == nil)
        #expect(try give(Self.uptime, "5", in: second)?.contains("now=12") == true)
        #expect(second.snapshot.facts["now"]?.value == "12")
        #expect(try known(folder).facts == ["12", "5"])
        // What one takes back, or changes, the other does not bring back.
        #expect(try give(Self.now, nil, in: second) == nil)
        let told = try give(Self.uptime, "6", in: first)
        #expect(told?.contains("now not known any more") == true, "\(told ?? "")")
        #expect(first.snapshot.facts["now"] == nil)
        #expect(try known(folder).facts == [nil, "6"])
    }

    @Test("that another program has changed are said where they are taken over: when all is read anew, and by an apply")
    func changedElsewhere() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let first = try opened(folder)
        try first.setFact(Self.uptime, to: "5", source: "the inspector")
        func told(_ workspace: Workspace) -> String? { workspace.snapshot.changedFacts.map(Masking().told) }
        // Of what was given here, and of what was not.
        try give([(Self.uptime, "6")], folder)
        try give([(Self.now, "12")], folder)
        let second = try first.reopened()
        #expect(told(second)?.hasSuffix("counts here too: now=12, uptime=6.") == true, "\(told(second) ?? "")")
        #expect(second.snapshot.facts["now"]?.value == "12" && second.snapshot.facts[.uptime]?.value == "6")
        let third = try second.reopened()
        #expect(told(third) == nil, "it is the same")
        try give([(Self.uptime, nil)], folder)
        let fourth = try third.reopened()
        #expect(told(fourth)?.hasSuffix("uptime not known any more.") == true, "\(told(fourth) ?? "")")
        #expect(fourth.snapshot.facts[.uptime] == nil)
        // What steps are applied with is newer than what was remembered.
        try give([(Self.uptime, "7")], folder)
        let applying = try Workspace.open(
            dump: Dump.open(folder("dump")), facts: Facts(["now": Fact("13", from: "--fact")]),
            ledger: .file(folder("l")), asked: [Self.now, Self.uptime])
        try give([(Self.uptime, "8")], folder)
        try applying.apply(.steps(["time"]), of: Self.migration, profile: Self.migration.plain, stamp: .test)
        applying.letGoOfLedger()
        #expect(told(applying)?.hasSuffix("counts here too: uptime=8.") == true, "\(told(applying) ?? "")")
        #expect(try known(folder).facts == ["13", "8"])
    }

    @Test("that another program has changed are taken over with any step, which goes on what was seen, and said once")
    func changedBeforeStep() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let workspace = try opened(folder)
        for (definition, text) in [(Self.now, "12"), (Self.uptime, "5")] {
            #expect(try workspace.setFact(definition, to: text, source: "the inspector") == nil)
        }
        func apply(_ step: String) throws -> Facts? {
            try workspace.apply(.steps([step]), of: Self.migration, profile: Self.migration.plain, stamp: .test)
                .first?.entry?.facts
        }
        func told() -> String? { workspace.snapshot.changedFacts.map(Masking().told) }
        try give([(Self.now, "13"), (Self.uptime, "6")], folder)
        #expect(try apply("time")?["now"]?.value == "12")
        #expect(told()?.hasSuffix("counts here too: now=13, uptime=6.") == true, "\(told() ?? "")")
        #expect(workspace.snapshot.facts["now"]?.value == "13" && workspace.snapshot.facts[.uptime]?.value == "6")
        #expect(try known(folder).facts == ["13", "6"])
        try give([(Self.uptime, "7")], folder)
        try workspace.rollback(.last, stamp: .test)
        #expect(told()?.hasSuffix("counts here too: uptime=7.") == true, "\(told() ?? "")")
        #expect(try apply("time")?["now"]?.value == "13")
        #expect(told() == nil, "it is the same")
    }

    @Test("are all written again where their file has gone, so that it holds what is counted")
    func fileGone() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        try give([(Self.uptime, "7000")], folder)
        let workspace = try opened(folder)
        try FileManager.default.removeItem(atPath: folder("l.facts"))
        #expect(try workspace.setFact(Self.now, to: "12", source: "the inspector") == nil)
        #expect(workspace.snapshot.facts[.uptime]?.value == "7000")
        #expect(try known(folder).facts == ["12", "7000"])
        // Also those that were given since, when everything was read anew between.
        try FileManager.default.removeItem(atPath: folder("l.facts"))
        let anew = try workspace.reopened()
        try anew.setFact(Self.uptime, to: "7001", source: "the inspector")
        #expect(try known(folder).facts == ["12", "7001"])
    }

    @Test("are not written again by a program that knew them when another took the last one back")
    func takenBackElsewhere() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        try give([(Self.now, "12")], folder)
        let workspace = try opened(folder)
        try give([(Self.now, nil)], folder)
        let told = try workspace.setFact(Self.uptime, to: "5", source: "the inspector").map(Masking().told)
        #expect(told?.contains("now not known any more") == true, "\(told ?? "")")
        #expect(workspace.snapshot.facts["now"] == nil)
        #expect(try known(folder).facts == [nil, "5"])
    }

    @Test("of a dump that is another when it is read anew are not taken along, nor written for it")
    func readAnew() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let workspace = try opened(folder)
        try workspace.setFact(Self.now, to: "12", source: "the inspector")
        #expect(try workspace.reopened().snapshot.facts["now"]?.value == "12", "it is the same")
        try overwrite(folder)
        let anew = try workspace.reopened()
        #expect(anew.snapshot.facts["now"] == nil)
        #expect(anew.snapshot.forgotten.map(Masking().told).first?.contains("now=12") == true)
        #expect(try anew.setFact(Self.uptime, to: "5", source: "the inspector") == nil)
        #expect(try known(folder).facts == [nil, "5"])
    }

    @Test("that could not be written are, with the next one that can")
    func writtenLater() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        try give([(Self.now, "11")], folder)
        let workspace = try opened(folder)
        try move(folder, "l.facts", "aside")
        try FileManager.default.createDirectory(atPath: folder("l.facts"), withIntermediateDirectories: false)
        #expect(try workspace.setFact(Self.now, to: "12", source: "the inspector") != nil)
        try FileManager.default.removeItem(atPath: folder("l.facts"))
        try move(folder, "aside", "l.facts")
        #expect(try workspace.setFact(Self.uptime, to: "5", source: "the inspector") == nil)
        #expect(try known(folder).facts == ["12", "5"])
    }

    // MARK: What cannot be taken

    @Test("under a name that no migration knows are told and left out, on one line whatever is in them")
    func unasked() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        try give([(Self.now, "12"), (Self.uptime, "5")], folder)
        let file = URL(fileURLWithPath: folder("l.facts"))
        let written = try String(contentsOf: file, encoding: .utf8)
        let changed = written.replacing(#""uptime""#, with: #""uptme""#).replacing(
            #""12""#, with: #""a\nb\u001b[31m\u202e""#)
        try Data(changed.utf8).write(to: file)
        let (facts, told) = try known(folder)
        #expect(facts == [nil, nil] && told.count == 2, "\(told)")
        #expect(told.contains { $0.contains("“uptme”") && $0.contains("Did you mean uptime?") }, "\(told)")
        #expect(told.contains { $0.contains(#"“a\nb\u{1B}[31m\u{202E}”"#) }, "\(told)")
        #expect(try opened(folder).snapshot.facts["uptme"] == nil)
        try give([(Self.now, "13")], folder)
        #expect(try String(contentsOf: file, encoding: .utf8).contains("uptme"), "it stays")
    }

    @Test("under the name of a fact of another spec stay without a word, until that is asked for")
    func ofOtherSpec() throws {
        let folder = try TemporaryFolder(), other = FactDefinition("accountToken", "", form: .text, example: "x")
        _ = try folder.makeDump()
        let workspace = try Workspace.open(
            dump: Dump.open(folder("dump")), ledger: .file(folder("l")), asked: [Self.now, other])
        for (definition, text) in [(Self.now, "12"), (other, "abcd")] {
            #expect(try workspace.setFact(definition, to: text, source: "the inspector") == nil)
        }
        workspace.letGoOfLedger()
        let (facts, told) = try known(folder)
        #expect(facts == ["12", nil] && told.isEmpty, "\(told)")
        try give([(Self.now, "13")], folder)
        let anew = try Workspace.open(
            dump: Dump.open(folder("dump")), ledger: .file(folder("l")), asked: [Self.now, other])
        #expect(anew.snapshot.facts[other.name]?.value == "abcd")
    }

    // MARK: Remembering

    @Test("A fact that was given is known when the dump is opened anew, until it is taken back or another is used")
    func remembersFact() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let definition = Self.now, file = folder("state.ledger.facts")
        func known() throws -> String? { try folder.workspace(ledger: "state.ledger").snapshot.facts["now"]?.value }
        do {
            let workspace = try folder.workspace(ledger: "state.ledger")
            #expect(try workspace.setFact(definition, to: "12", source: "the inspector") == nil)
        }
        #expect(try known() == "12")
        #expect(try FileManager.default.attributesOfItem(atPath: file)[.posixPermissions] as? Int == 0o600)
        let given = try folder.workspace(
            ledger: "state.ledger", facts: Facts(["now": Fact("1725000000.5", from: "--fact")]))
        #expect(given.snapshot.facts["now"]?.value == "1725000000.5")
        try given.apply(.steps(["time"]), of: Self.migration, profile: Self.migration.plain, stamp: .test)
        try given.rollback(.all, stamp: .test)
        given.letGoOfLedger()
        #expect(try known() == "1725000000.5", "steps were applied with it since")
        let workspace = try folder.workspace(ledger: "state.ledger")
        #expect(try workspace.setFact(definition, to: nil, source: "the inspector") == nil)
        #expect(try known() == nil && !String(contentsOfFile: file, encoding: .utf8).contains("1725000000.5"))
    }

    @Test(
        "A fact that is remembered in another form than it is asked for is left out, and that is said; the others are known"
    )
    func remembersBadForm() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let first = try folder.workspace(ledger: "l"), file = URL(fileURLWithPath: folder("l.facts"))
        for (definition, text) in [(Self.now, "123456"), (Self.uptime, "5")] {
            try first.setFact(definition, to: text, source: "the inspector")
        }
        let written = try String(contentsOf: file, encoding: .utf8)
        try Data(written.replacing("123456", with: "yesterday").utf8).write(to: file)
        let opened = try Workspace.open(
            dump: Dump.open(folder("dump")), ledger: .file(folder("l")), asked: [Self.now, Self.uptime]
        ).snapshot
        #expect(opened.facts["now"] == nil && opened.facts[.uptime]?.value == "5")
        #expect(
            opened.forgotten.count == 1 && opened.forgotten.map(Masking().told)[0].contains("yesterday"),
            "\(opened.forgotten)")
    }

    @Test("A fact that cannot be remembered counts all the same, and why is said; a damaged file is left as it is")
    func unremembered() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let definition = Self.now, file = folder("state.ledger.facts")
        let workspace = try folder.workspace(ledger: "state.ledger")
        try FileManager.default.createDirectory(atPath: file, withIntermediateDirectories: false)
        let problem = try workspace.setFact(definition, to: "12", source: "the inspector")
        #expect(problem.map { "\($0)" }?.contains(file) == true)
        #expect(workspace.snapshot.facts["now"]?.value == "12")
        try FileManager.default.removeItem(atPath: file)
        for text in ["", "{", "[]", #"{".": {"now": 12}}"#] {
            try Data(text.utf8).write(to: URL(fileURLWithPath: file))
            let opened = try folder.workspace(ledger: "state.ledger").snapshot
            #expect(opened.forgotten == [.fact(.damagedMemory(file))] && opened.facts["now"] == nil, "\(text)")
            let problem = try workspace.setFact(definition, to: "13", source: "the inspector")
            #expect(problem.map { "\($0)" }?.contains("counts until the inspector is closed") == true)
            #expect(try Data(contentsOf: URL(fileURLWithPath: file)) == Data(text.utf8), "it is left as it is")
        }
    }

    @Test("None is lost where several programs remember at once, and nothing of their waiting is left")
    func atOnce() throws {
        let folder = try TemporaryFolder()
        _ = try folder.makeDump()
        let asked = (0..<8).map { FactDefinition(FactName(rawValue: "fact\($0)"), "", form: .text, example: "x") }
        let opened = try asked.map { _ in
            try Workspace.open(dump: Dump.open(folder("dump")), ledger: .file(folder("l")), asked: asked)
        }
        for round in 0..<5 {
            DispatchQueue.concurrentPerform(iterations: asked.count) { place in
                let told = Result {
                    try opened[place].setFact(asked[place], to: "\(round)", source: "the inspector")
                }
                // What the others have given meanwhile is told.
                switch told {
                case .success(nil), .success(.fact(.changedMemory)): break
                default: Issue.record("\(told)")
                }
            }
            let facts = try Workspace.open(dump: Dump.open(folder("dump")), ledger: .file(folder("l")), asked: asked)
                .snapshot.facts
            let known = asked.map { facts[$0.name]?.value }
            #expect(known.allSatisfy { $0 == "\(round)" }, "\(known)")
        }
        #expect(try folder.tree("").keys.filter { $0.contains(".lock") } == [])
    }
}
