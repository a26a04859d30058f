import Foundation
import MigrationEngine
import Reports
import StoreFormats
import Testing

@testable import Inspector

@Suite("Copying")
struct CopyingTests {
    /// What a copy of a part of the row under the cursor gives to the terminal.
    private func copy(_ letter: String, _ inspected: inout Inspected) -> String? {
        inspected.press("y " + letter)
        return inspected.model.clipboard.take()
    }

    @Test(
        "y asks which part; its letter copies that: of a step what it reads, with a capital what it writes",
        arguments: [
            ("v", "false"), ("k", "rl_session_manual_track_status"),
            ("a", "defaults://com.acme.notes/rl_session_manual_track_status"), ("V", "true"),
            ("K", "is_manual_session"), ("A", "defaults://com.acme.notes.analytics.wk/is_manual_session"),
        ])
    func step(letter: String, expected: String) throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.go(to: "manual-session")
        inspected.press("y")
        #expect(inspected.screen.contains("copy: v value, k key, a address, V migrated value"))
        inspected.press("<Esc>")
        #expect(inspected.model.clipboard.take() == nil && inspected.message == nil)
        #expect(copy(letter, &inspected) == expected)
        #expect(inspected.model.clipboard.take() == nil, "it is given once")
        #expect(inspected.message?.hasPrefix("copied the ") == true)
    }

    @Test("the sentence for a ticket stands by itself: which dump, which step, what becomes of the values")
    func sentence() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.go(to: "session-id")
        let start =
            "com.acme.notes (2.3.1, xcappdata): Session ID (rudderstack-v2:documented, step session-id): migrates. "
        let text = try #require(copy("s", &inspected))
        #expect(text.hasPrefix(start), "\(text)")
        #expect(
            text.contains(
                #"defaults://com.acme.notes.analytics.wk/session_id becomes "1724990100" (converted), made from "#
                    + "defaults://com.acme.notes/rl_session_id"), "\(text)")
        inspected.go(to: "manual-session")
        let changed = try #require(copy("s", &inspected))
        #expect(changed.contains("/rl_session_manual_track_status, which was false"), "\(changed)")
        inspected.go(to: "user-id")
        let lost = try #require(copy("s", &inspected))
        #expect(lost.contains("; drops defaults://com.acme.notes/rs_user_id; "), "\(lost)")
        inspected.command("search theme")
        #expect(
            copy("s", &inspected)
                == #"com.acme.notes (2.3.1, xcappdata): defaults://com.acme.notes/theme is "dark" (string)."#)
    }

    @Test("a value is one line to its end, its parts named; data are its digits")
    func values() throws {
        let long = String(repeating: "x", count: 3000)
        let stores = MemoryStores([
            (
                .defaults("a"),
                [
                    "bytes": .data(Data([1, 0xFF])), "list": .array([.string("a"), .integer(2), .array([])]),
                    "long": .string(long),
                    "nested": .dictionary([("k", .dictionary([("n", .bool(true))])), ("m", .real(Real(0.5)))]),
                    "number": .integer(417), "text": .data(Data("plain".utf8)),
                ]
            )
        ])
        var inspected = try Inspected(stores, migrations: [])
        let expected = [
            "bytes": "01ff", "list": #"["a", 2, [0 items]]"#, "long": long, "nested": "{k: {n: true}, m: 0.5}",
            "number": "417", "text": "plain",
        ]
        for (key, text) in expected {
            inspected.command("search \(key)")
            #expect(inspected.opened?.row == .entry(.defaults("a"), key: Name(key)))
            #expect(copy("v", &inspected) == text)
        }
        inspected.press("g")
        #expect(copy("a", &inspected) == "defaults://a")
        #expect(copy("s", &inspected) == "com.acme.notes (2.3.1, xcappdata): defaults://a holds 6 entries.")
        #expect(copy("v", &inspected) == nil)
        #expect(inspected.message == "v copies nothing here; y lists what can be copied")
    }

    @Test("secrets are copied masked, whatever is copied, until they are shown; it is said")
    func secrets() throws {
        var inspected = try Start.secrets.inspected(size: Size(width: 120, height: 40))
        // Every store unfolded.
        for key in ["password.txt", "blob"] { inspected.command("search \(key)") }
        let count = try #require(inspected.opened?.sheet.count)
        var masked = 0
        for row in 1...count {
            inspected.type("\(row)g")
            for part in try #require(inspected.opened).copiedParts {
                inspected.command("copy \(part.rawValue)")
                guard let text = inspected.model.clipboard.take() else { continue }
                for needle in Start.needles { #expect(!text.contains(needle), "\(part) of row \(row): \(text)") }
                let isSaid = inspected.message?.contains("secrets are masked in it (v shows them)") ?? false
                #expect(isSaid == (text.contains("‹masked") || text.contains("‹secret")), "\(text)")
                masked += isSaid ? 1 : 0
            }
        }
        #expect(masked > 10)
        inspected.press("v")
        inspected.command("search accessToken")
        #expect(copy("v", &inspected) == "hunter2")
        #expect(inspected.message?.contains("masked") == false)
    }

    @Test("what is pasted is one line without a control, whatever the dump holds")
    func hostile() throws {
        var inspected = try Start.hostile.inspected()
        inspected.command("search owned")
        let count = try #require(inspected.opened?.sheet.count)
        for row in 1...count {
            inspected.type("\(row)g")
            for part in try #require(inspected.opened).copiedParts {
                inspected.command("copy \(part.rawValue)")
                guard let text = inspected.model.clipboard.take() else { continue }
                // Marks stay with their characters, however they are written: it is the same text elsewhere.
                let pieces = DisplayPieces(text, glyphs: .unicode, keepsMarks: true)
                #expect(pieces.allSatisfy { !$0.isForm }, "\(part) of row \(row)")
                #expect(text.utf8.count <= CopiedText.limit)
            }
        }
        var shell = try Inspected(
            MemoryStores([(.defaults("a"), ["x": .string("ls\nrm -rf ~\r\u{1B}[2J\u{202E}")])]), migrations: [])
        shell.command("search rm")
        #expect(copy("v", &shell) == "ls␊rm -rf ~␍␛[2J‹202E›")
        #expect(shell.message?.contains("signs stand for what cannot be shown") == true)
    }

    @Test("no more is copied than a terminal takes, at the boundary of a character, and it is said")
    func limit() throws {
        for (text, isCut) in [("é", true), ("x", true), ("short", false)] {
            let whole = isCut ? String(repeating: text, count: 80_000) : text
            var inspected = try Inspected(
                MemoryStores([(.defaults("a"), ["x": .string(whole)])]), migrations: [])
            inspected.command("search x")
            let copied = try #require(copy("v", &inspected))
            #expect(Data(copied.utf8).base64EncodedString().utf8.count + 8 < 100_000)
            #expect(copied.hasSuffix("…") == isCut && whole.hasPrefix(copied.prefix(70_000 / 2)))
            #expect(inspected.message?.contains("only its first 74.0 kB: a terminal takes no more") == isCut)
        }
    }

    @Test(
        "where the terminal cannot copy, the text is shown whole on a page, and nothing is sent; y p shows it elsewhere"
    )
    func page() throws {
        let whole = (0..<100).map { "part \($0)" }.joined(separator: ", ")
        var inspected = try Inspected(
            MemoryStores([(.defaults("a"), ["x": .string(whole)])]), migrations: [], size: Size(width: 60, height: 40))
        inspected.press("y p")
        #expect(inspected.message == "nothing has been copied yet")
        inspected.model.clipboard.isReachable = false
        inspected.command("search x")
        #expect(copy("v", &inspected) == nil)
        #expect(inspected.message == "this terminal cannot copy; here is the value for you to select")
        func shown() -> String { inspected.model.clipboard.lines.joined() }
        #expect(shown() == whole)
        let rows = inspected.screen.split(separator: "\n")
        for line in inspected.model.clipboard.lines { #expect(rows.contains { $0 == line.trimmingSuffix() }) }
        inspected.resize(45, 30)
        #expect(shown() == whole && inspected.model.clipboard.lines.allSatisfy { $0.utf8.count <= 45 })
        inspected.press("y")
        #expect(inspected.message == "copy: Esc closes this page first")
        inspected.press("<Esc>")
        #expect(inspected.model.page == nil)
        inspected.model.clipboard.isReachable = true
        #expect(copy("k", &inspected) == "x")
        inspected.press("y p")
        #expect(inspected.model.page?.subject == .copied && shown() == "x")
    }

    @Test("after y no other key does anything but : which begins a command")
    func otherKeys() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("a y u")
        #expect(inspected.message == "u copies nothing here; y lists what can be copied")
        #expect(inspected.applied.count == 1)
        inspected.press("y 5 j")
        #expect(inspected.model.count == nil)
        inspected.press("y")
        inspected.command("copy key")
        #expect(inspected.model.clipboard.copied?.text == "rs_anonymous_id" || inspected.model.clipboard.copied != nil)
    }

    @Test("what cannot be read or is not there is not copied, and it is said")
    func nothing() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.go(to: "anonymous-id")
        #expect(copy("v", &inspected) == nil)
        #expect(
            inspected.message == "there is no value at defaults://com.acme.notes.analytics.wk/anonymous_id")
        var locked = try Inspected(LockedStores(), migrations: [])
        locked.press("g j")
        #expect(copy("v", &locked) == nil)
        #expect(locked.message == "the value cannot be read: the device was locked")
        #expect(
            copy("s", &locked)
                == "com.acme.notes (2.3.1, xcappdata): defaults://a/x cannot be read: the device was locked.")
    }
}

/// A store whose one entry cannot be read.
private struct LockedStores: StoreReader {
    var stores: [StoreID] { [.defaults("a")] }
    func problem(with store: StoreID) -> Unreadable? { nil }
    func keys(in store: StoreID) -> any KeyList { Keys(["x"]) }
    func state(of key: Name, in store: StoreID) -> EntryState {
        .unreadable(Unreadable(.inaccessible, "the device was locked"))
    }
}

extension String {
    fileprivate func trimmingSuffix() -> String {
        var text = self
        while text.last == " " { text.removeLast() }
        return text
    }
}
