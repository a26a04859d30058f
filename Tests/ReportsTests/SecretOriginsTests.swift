import Foundation
import MigrationEngine
import Migrations
import StoreFormats
import TestSupport
import Testing

@testable import Reports

@Suite("Secrets in what entries were made from")
struct SecretOriginsTests {
    private static let app = StoreID.defaults("com.acme"), token = "TokAaaBbbCcc", pin = 80_427
    private static let source = Address(store: app, key: "acct"), note = Address(store: app, key: "note")
    private static let target = Address(store: app, key: "made")

    private static let stores = MemoryStores([
        (
            app,
            [
                "acct": .dictionary([
                    ("token", .string(token)), ("pin", .integer(80_427)), ("user", .string("ann")),
                    ("theme", .string("seagreen")), ("count", .integer(80)),
                    ("short", .dictionary([("pin", .string("814"))])),
                    ("passwords", .array([.string("Zq7x"), .string("LmWp"), .string("Tr09")])),
                    ("list", .array([.string("first of all"), .real(Real(2.5))])),
                ]),
                "note": .string("password=hunter2secret;user=ann;theme=seagreen"),
                "own": .dictionary([("passwords", .array((0..<2000).map { .string("no. \($0), p4ss\($0)w0rd") }))]),
            ]
        )
    ])

    /// What is said of a value that a change makes of another.
    private func said(_ value: Value, from source: Address, over steps: [Address] = []) throws -> String {
        var masking = Masking()
        var changes: [Change] = [], last = source
        for step in steps + [Self.target] {
            changes.append(Change(address: step, before: .absent, after: value, from: [last], rule: ""))
            last = step
        }
        masking.origins.follow(changes, in: Self.stores, masking)
        let address = Self.target
        let tree = masking.treeLines(of: value, at: address).map { "\($0.key ?? ""): \($0.text)" }
        let sides = masking.comparison((nil, address), (value, address), from: [last]).rows.map { "\($0.right ?? "")" }
        return
            ([masking.summary(of: value, at: address), try json(Showing(masking)(value, at: address))] + tree + sides)
            .joined(separator: "\n")
    }

    private static let base64 = Data("user:\(token)".utf8).base64EncodedString()

    @Test(
        "are masked where a step puts them as they are, in other letters or digits, in part, or within others",
        arguments: [
            .string(token), .string(token.lowercased()), .string(token.uppercased()), .string("aaBbb"),
            .string(Hexadecimal.text(Array(token.utf8))), .string(base64), .data(Data(token.utf8)),
            .string(Data(token.utf8).base64EncodedString()), .string("ann/\(token)"), .string("ann/\(pin)"),
            .string("Zq7xLmWpTr09"), .integer(80_427), .integer(8_042_700), .real(Real(80427)), .string("code 814"),
            .string("\(pin)"),
        ] as [Value])
    func transformed(value: Value) throws {
        let plain = Value.dictionary([("a", value), ("theme", .string("seagreen"))])
        for (steps, made) in [([], plain), ([Address(store: Self.app, key: "between")], plain), ([], .array([value]))] {
            let said = try said(made, from: Self.source, over: steps)
            #expect(said.contains("masked") && (made != plain || said.contains("seagreen")), "\(said)")
            for form in [Self.token, Self.token.lowercased(), "80427", "814", "aaBbb", "LmWp", Self.base64] {
                #expect(!said.contains(form), "\(said)")
            }
        }
    }

    /// What a step makes of one secret.
    private func said(_ value: Value, madeOf secret: Value) throws -> String {
        let stores = MemoryStores([(Self.app, ["acct": .dictionary(Members([Member(key: "secret", value: secret)]))])])
        var masking = Masking()
        masking.origins.follow(
            [Change(address: Self.target, before: .absent, after: value, from: [Self.source], rule: "")], in: stores,
            masking)
        return try json(Showing(masking)(value, at: Self.target, from: [Self.source]))
    }

    @Test(
        "are known in other forms: short ones within a text, other alphabets in capitals, digits of digits",
        arguments: [
            ("4711", "PIN4711"), ("ab12", "userab12"), ("Zq7x", "ZQ7X"), ("81a", "x81ay"), ("81a", "ODFh"),
            ("секретноеслово", "СЕКРЕТНОЕСЛОВО"), ("Basic YW5uOmdyOEVsZXBoYW50", "gr8Elephant"),
            ("0x677238456c657068616e74", "gr8Elephant"), ("WjNJNFJXeGxjR2hoYm5RPQ==", "gr8Elephant"),
            ("hunter2horse", "YUhWdWRHVnlNbWh2Y25ObA=="), ("hunter2horse", "Njg3NTZlNzQ2NTcyMzI2ODZmNzI3MzY1"),
            ("eyJhbGciOiJub25lIn0.eyJoaWRkZW4iOiJncjhFbGVwaGFudCJ9.c2ln", "gr8Elephant"),
        ])
    func otherForms(secret: String, made: String) throws {
        #expect(try said(.string(made), madeOf: .string(secret)).contains("masked"))
        #expect(try !said(.string("seagreen"), madeOf: .string(secret)).contains("masked"))
    }

    @Test("one that is the same as a public part beside it is masked where a step moves it")
    func sameAsPublic() throws {
        let account = Value.dictionary([("password", .string("administrator")), ("user", .string("administrator"))])
        #expect(try said(.string("administrator"), madeOf: account).contains("masked"))
    }

    @Test("a version, a date or a dash is no number that was calculated with a secret one")
    func noNumbers() throws {
        for text in ["5.0.0", "2025-01-01", "-", "---"] {
            #expect(try !said(.string(text), madeOf: .integer(739_154)).contains("masked"), "\(text)")
        }
    }

    @Test("how an address begins is none; a very long secret masks what is made of it, and nothing beside that")
    func harmless() throws {
        let hook = Value.string("https://hooks.acme.com/services/T0001/B0002/XXXX")
        #expect(try !said(.string("https://other.example/page"), madeOf: hook).contains("masked"))
        #expect(try said(.string("hooks.acme.com"), madeOf: hook).contains("masked"))
        let cookie = (0..<4000).map { "c\($0)=v4lu3" }.joined(separator: ";")
        #expect(try !said(.string("seagreen"), madeOf: .string(cookie)).contains("masked"))
        #expect(try said(.string("c3999"), madeOf: .string(cookie)).contains("masked"))
    }

    @Test("are told apart from the other parts, which stay readable, and from what a step says of its own")
    func innocent() throws {
        for value: Value in [
            .string("ann"), .string("seagreen"), .integer(80), .string("first of all"), .bool(true), .string("of two"),
            .dictionary([("user", .string("ann")), ("version", .string("v2"))]), .real(Real(2.5)),
        ] {
            let said = try said(value, from: Self.source)
            #expect(!said.contains("masked"), "\(said)")
        }
    }

    @Test("are known of a text that says so, when a step takes it apart")
    func ofText() throws {
        for text in ["hunter2secret;user=ann", "hunter2secret", "HUNTER2SECRET", "hunter2"] {
            #expect(!(try said(.array([.string(text)]), from: Self.note)).lowercased().contains("hunter2"))
        }
        #expect(try said(.string("user=ann"), from: Self.note).contains("user=ann"))
    }

    @Test("are known of a list of two thousand; what was made of an entry is as secret once more is made of it")
    func many() throws {
        let own = Address(store: Self.app, key: "own")
        #expect(!(try said(.string("no. 1234, p4ss1234w0rd"), from: own)).contains("1234"))
        #expect(try said(.string("another text"), from: own).contains("another text"))
    }

    @Test("are masked in a document that many steps write a part of, whichever source is named, and no others are")
    func document() {
        let address = Self.target, sources = [Self.note, Self.source, Address(store: Self.app, key: "own")]
        var masking = Masking(), before: EntryState = .absent
        func look(_ text: String, from source: Address) -> String {
            masking.summary(of: .string(text), at: address, from: [source, address])
        }
        for source in sources {
            let change = Change(
                address: address, before: before, after: .string("{}"),
                from: before == .absent ? [source] : [source, address], rule: "")
            masking.origins.follow([change], in: Self.stores, masking)
            before = .present(.string("{}"))
            // What is known is of the steps so far.
            #expect(look("of \(Self.token)", from: source).contains("masked") == (source != Self.note))
        }
        for source in sources {
            #expect(look("of \(Self.token)", from: source).contains("masked"))
            #expect(look("hunter2secret", from: source).contains("masked"))
            #expect(look("seagreen", from: source).contains("seagreen"))
        }
    }

    @Test("what a value is made from makes it secret, over however many steps, and nothing else does", arguments: 0..<8)
    func places(round: Int) {
        var generator = SeededGenerator(seed: UInt64(round))
        let entries = ["a", "b", "c", "password", "acct", "note"].map { Address(store: Self.app, key: $0) }
        func place() -> Address {
            let entry = entries.randomElement(using: &generator) ?? Self.target
            return Bool.random(using: &generator) ? entry : entry.appending(JSONPointer(["theme"]))
        }
        // What says that any text is secret, and what knows a secret in one.
        let texts: [(text: String, source: Name)] = [
            ("a text of no kind", "password"), ("of \(Self.token)", "acct"), ("hunter2secret", "note"),
        ]
        var counts = [0, 0]
        for _ in 0..<40 {
            var masking = Masking(), made: [Address: Set<Address>] = [:], read: Set<Name?> = []
            for _ in 0..<Int.random(in: 1...6, using: &generator) {
                let target = place().entry, from = (0..<Int.random(in: 0...2, using: &generator)).map { _ in place() }
                let change = Change(address: target, before: .absent, after: .string("x"), from: from, rule: "")
                masking.origins.follow([change], in: Self.stores, masking)
                read.formUnion(from.map(\.key))
                let earlier = from.filter { $0.entry != target }.flatMap { made[$0.entry] ?? [] }
                made[target, default: []].formUnion(from + earlier)
                let address = place(), named = Bool.random(using: &generator) ? from : [place()]
                let looked = [address] + named
                let own = named + (address.pointer.isRoot ? [] : [address.entry])
                let origins = Set(own + looked.flatMap { made[$0.entry] ?? [] }).map(\.key)
                for (text, source) in texts {
                    let isMasked =
                        address.key == "password" || origins.contains("password")
                        || origins.contains(source) && read.contains(source)
                    counts[isMasked ? 1 : 0] += 1
                    #expect(
                        masking.summary(of: .string(text), at: address, from: named).contains("masked") == isMasked,
                        "\(text) at \(address) from \(named), made from \(made)")
                }
            }
        }
        #expect(counts[0] > 50 && counts[1] > 50)
    }

    @Test("of a document each part of which a step of its own writes are looked for once", .timeLimit(.minutes(3)))
    func manyParts() throws {
        let address = Self.target, count = 1500
        var changes = (0..<count).map { number in
            let part = address.appending(JSONPointer(["k\(number)"]))
            let other = Address(store: Self.app, key: "s\(number)")
            let origin = Address(store: Self.app, key: "o\(number)")
            let sources = number.isMultiple(of: 2) ? [part] : [other, address]
            let first = Change(address: other, before: .absent, after: .string("x"), from: [origin], rule: "")
            let second = Change(
                address: address, before: .present(.dictionary(["k": .string("before")])),
                after: .dictionary(["k": .string("after")]), from: sources, rule: "")
            return [first, second]
        }
        changes.append([
            Change(address: address, before: .absent, after: .string("{}"), from: [Self.source], rule: "")
        ])
        var masking = Masking()
        masking.origins.follow(changes.joined(), in: Self.stores, masking)
        for change in changes.lazy.compactMap(\.last).dropLast() {
            let before = (change.before.value, address), after = (change.after, address)
            let rows = masking.comparison(before, after, from: change.from, isWhole: false).rows
            try #require(rows.last?.right == "\"after\"")
            let secret = Value.string("of \(Self.token)")
            try #require(masking.summary(of: secret, at: address, from: change.from).contains("masked"))
        }
    }

    @Test(
        "where a step has put them into a keychain whose migration nobody gives, and not by what a spec that is given says"
    )
    func intoKeychain() {
        let item = Address(store: .keychain("svc"), key: "tok"), part = Self.note.appending(JSONPointer(["a"]))
        let changes = [
            Change(address: item, before: .absent, after: .data(Data("cleartok-abc".utf8)), from: [part], rule: ""),
            Change(
                address: Self.note, before: .present(.dictionary(["a": .string("cleartok-abc")])), after: nil, rule: ""),
        ]
        let entry = LedgerEntry(
            number: 1, event: .applied,
            stamp: LedgerEntry.Stamp(date: Date(timeIntervalSince1970: 0), author: "me", toolVersion: "1"),
            migration: "person", profile: "p", step: "tok", changes: changes, facts: Facts())
        for (isGiven, isMasked) in [(false, true), (true, false)] {
            var masking = Masking()
            masking.secrecy.note(History([entry]), among: isGiven ? BuiltIn.migrations : [], in: MemoryStores())
            #expect((masking.summary(of: .string("cleartok-abc"), at: part) != "\"cleartok-abc\"") == isMasked)
            #expect(masking.summary(of: .string("other"), at: Self.note.appending(JSONPointer(["b"]))) == "\"other\"")
        }
    }
}
