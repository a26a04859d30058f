import MigrationEngine
import StoreFormats
import Testing

@Suite("Addresses are URLs with a JSON Pointer")
struct AddressTests {
    @Test(
        "what is written reads back",
        arguments: [
            (Address.defaults("com.acme.notes", "rs_traits"), "defaults://com.acme.notes/rs_traits"),
            (
                Address(store: .defaults("a"), key: "k", pointer: JSONPointer(["e/mail", "~", "ü"])),
                "defaults://a/k#/e~1mail/~0/%C3%BC"
            ),
            (
                Address(store: .files("AppSupport"), key: "com.x/event-queue.json"),
                "file://AppSupport/com.x/event-queue.json"
            ),
            (Address.defaults("a", "with/slash #?%"), "defaults://a/with%2Fslash%20%23%3F%25"),
            (Address(store: .keychain("com.convert.sdk")), "keychain://com.convert.sdk"),
            (
                Address(
                    store: SQLiteTable("store", of: "notes.sqlite", in: "Documents").store, key: "device_id",
                    pointer: JSONPointer(["value"])), "sqlite://Documents/notes.sqlite/store/device_id#/value"
            ),
            (
                Address(store: SQLiteTable("a/b %", of: "in/notes.db", in: "group.x").store, key: "k/l"),
                "sqlite://group.x/in%2Fnotes.db/a%2Fb%20%25/k%2Fl"
            ),
            (Address(store: SQLiteTable(nil, of: "x.db", in: "tmp").store), "sqlite://tmp/x.db"),
            (Address.defaults("a", "\u{1B}[31m\u{202E}"), "defaults://a/%1B%5B31m%E2%80%AE"),
        ])
    func roundTrip(address: Address, text: String) throws {
        #expect(address.description == text)
        #expect(try Address(parsing: text) == address)
    }

    @Test(
        "what is no address is refused with the reason",
        arguments: [
            ("rs_traits", AddressError.Problem.scheme), ("http://a/b", .scheme), ("defaults://", .store),
            ("defaults://a/%zz", .encoding), ("defaults://a/%FF", .encoding), ("defaults://a/k#email", .pointer),
            ("sqlite://Documents", .table), ("sqlite://Documents//t", .table), ("sqlite://a/b/c/d/e", .table),
            ("sqlite://a/b/%zz", .table), ("sqlite://a/b/c/%zz", .encoding),
        ])
    func refused(text: String, problem: AddressError.Problem) {
        let error = #expect(throws: AddressError.self) { try Address(parsing: text) }
        #expect(error?.problem == problem)
        #expect(error?.text == text)
    }

    @Test("a name may begin with an accent, which makes one character with the mark before it")
    func accents() throws {
        #expect(
            try Address(parsing: "defaults://a/\u{308}key#/\u{301}x")
                == Address(
                    store: .defaults("a"), key: "\u{308}key", pointer: JSONPointer(["\u{301}x"])))
        #expect(
            try Address(parsing: "sqlite://Documents/\u{308}n.db/t")
                == Address(store: SQLiteTable("t", of: "\u{308}n.db", in: "Documents").store))
    }

    @Test("a table's name has one form, however its address is encoded")
    func tables() throws {
        let address = try Address(parsing: "sqlite://Documents/%6Eotes.db/t%2fu/")
        #expect(address.store.name == "Documents/notes.db/t%2Fu" && address.key == "")
        #expect(SQLiteTable(address.store) == SQLiteTable("t/u", of: "notes.db", in: "Documents"))
        #expect(SQLiteTable(.files("Documents/notes.db/t")) == nil)
        #expect(SQLiteTable(StoreID(.sqlite, "Documents")) == nil)
    }

    @Test("an empty key is not the whole store", arguments: [StoreID.defaults("com.acme"), .keychain("com.acme")])
    func emptyKey(store: StoreID) throws {
        let address = Address(store: store, key: "")
        #expect(try Address(parsing: address.description) == address)
        #expect(try Address(parsing: store.description).key == nil)
    }
}
