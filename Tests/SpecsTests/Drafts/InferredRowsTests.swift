import MigrationEngine
import StoreFormats
import Testing

@testable import Specs

@Suite("Which entry a draft takes as the source, and which rows become one")
struct InferredRowsTests: ProvenDrafts {
    @Test("What works for every value goes before what has a text of this dump, and like keys become one row")
    func general() throws {
        let places = ["A": "Rome, Italy", "B": "Paris, France", "C": "Berlin, Germany", "D": "Cairo, Egypt"]
        for separator in [".", ""] {
            var old: AppKeys = [:], new: AppKeys = [:]
            for (number, place) in places.sorted(by: { $0.key < $1.key }).enumerated() {
                let name = separator.isEmpty ? "\(number)" : separator + place.key
                let parts = place.value.split(separator: ", ").map(String.init)
                old["place\(name)"] = .string(place.value)
                (new["city\(name)"], new["country\(name)"]) = (.string(parts[0]), .string(parts[1]))
            }
            let draft = try Self.infer(old, new)
            #expect(!draft.text.contains("strip") && !draft.text.contains("Italy"), "\(draft.text)")
            #expect(draft.text.contains("from: app/place\(separator)*"), "\(draft.text)")
            #expect(draft.text.contains("to: app/city\(separator)*"), "\(draft.text)")
            #expect(draft.text.contains("remove: [app/place\(separator)*]"), "\(draft.text)")
            #expect(try Self.outcome(draft, old, new) == (12, 0), "\(draft.text)")
        }
        let name = try Self.infer(
            ["fullName": .string("Ada King")], ["firstName": .string("Ada"), "lastName": .string("King")])
        #expect(!name.text.contains("strip:") && name.explained == 2, "\(name.text)")
    }

    @Test("A part that many values have is no text of one customer; one that a single value shows is told as such")
    func literals() throws {
        var old: AppKeys = [:], new: AppKeys = [:]
        for name in ["anna", "berta", "clara", "doris"] {
            old["user.\(name)"] = .string("\(name)son")
            new["ref.\(name)"] = .string("user#\(name)son")
        }
        let many = try Self.infer(old, new)
        #expect(many.text.contains(##"fill: "user#{value}""##), "\(many.text)")
        #expect(many.text.contains("to: app/ref.*"), "\(many.text)")
        #expect(!many.text.contains("other dumps may not have"), "\(many.text)")
        let one = try Self.infer(["user": .string("annason")], ["ref": .string("user#annason")])
        #expect(one.explained == 0, "\(one.text)")
        #expect(one.text.contains("with a text that may be this customer's alone"), "\(one.text)")
    }

    @Test(
        "What is gone is the source before what stays where it was, though that has the value without an operation",
        arguments: [
            (
                ["languageCode": "EN-gb", "fallback": "en-gb"], ["language_code": "en-gb", "fallback": "en-gb"],
                "from: app/languageCode"
            ),
            (
                ["fullName": "Ada King", "crownTitle": "King"],
                ["firstName": "Ada", "lastName": "King", "crownTitle": "King"], "from: app/fullName"
            ),
        ])
    func gone(old: [String: String], new: [String: String], row: String) throws {
        let draft = try Self.infer(old.mapValues { .string($0) }, new.mapValues { .string($0) })
        #expect(draft.text.contains(row), "\(draft.text)")
        for kept in old.keys where new[kept] != nil {
            #expect(!draft.text.contains("from: app/\(kept)"), "\(draft.text)")
        }
    }

    @Test("A flag that was turned around is the one that is gone, and not another that stays")
    func turned() throws {
        let draft = try Self.infer(
            ["trackingDisabled": .bool(false), "analyticsEnabled": .bool(true)],
            ["trackingEnabled": .bool(true), "analyticsEnabled": .bool(true)])
        #expect(!draft.text.contains("- {id: trackingenabled, from: app/analyticsEnabled"), "\(draft.text)")
    }

    @Test("A star stands behind all that the names have in common")
    func commonNames() throws {
        var old: AppKeys = [:], new: AppKeys = [:]
        for name in ["name", "city", "mail"] {
            old["acme.user.\(name)"] = .string("the \(name) of somebody")
            new["app.user.\(name)"] = .string("the \(name) of somebody")
        }
        let draft = try Self.infer(old, new)
        #expect(draft.text.contains("from: app/acme.user.*"), "\(draft.text)")
        #expect(draft.text.contains("to: app/app.user.*"), "\(draft.text)")
    }

    @Test("Of equal values each goes to the likest name, and each is used once where that can be")
    func likest() throws {
        let id = Value.string("mix-12345")
        let people = try Self.infer(
            ["distinctId": id, "peopleDistinctId": id], ["MPDistinctID": id, "MPPeopleDistinctID": id])
        #expect(people.text.contains("from: app/distinctId, type: string, to: app/MPDistinctID"), "\(people.text)")
        #expect(people.text.contains("from: app/peopleDistinctId\n"), "\(people.text)")
        var old: AppKeys = [:], new: AppKeys = [:]
        for number in 0..<4 {
            old["slot\(number)x"] = .string("the same long text")
            new["slot_\(number)_y"] = .string("the same long text")
        }
        let slots = try Self.infer(old, new)
        for number in 0..<4 {
            #expect(
                slots.text.contains("from: app/slot\(number)x, type: string, to: app/slot_\(number)_y, source: remove"),
                "\(slots.text)")
        }
        let others = try Self.infer(["x": id, "y": id, "z": id], ["k": id, "l": id, "m": id])
        for name in ["x", "y", "z"] { #expect(others.text.contains("from: app/\(name), "), "\(others.text)") }
    }

    @Test("An item of the keychain is drafted with when it can be read")
    func accessible() throws {
        let item = KeychainItem(text: "a token text", attributes: Members([Member(key: "pdmn", value: "cku")])).value
        let draft = try InferenceTests.infer(
            [(InferenceTests.app + "token", "a token text")], [("keychain://com.acme.v3/token", item)])
        #expect(draft.text.contains("accessible: after-first-unlock, device-only: true"), "\(draft.text)")
        #expect(draft.explained == 1, "\(draft.text)")
    }

    @Test("An item of which only that has changed when it can be read is written where it is")
    func accessibleAlone() throws {
        func item(_ code: String) -> Value {
            KeychainItem(text: "a token text", attributes: Members([Member(key: "pdmn", value: .string(code))])).value
        }
        let place = "keychain://com.acme.v3/token"
        let draft = try InferenceTests.infer([(place, item("ck"))], [(place, item("dk"))])
        #expect(draft.text.contains("accessible: always") && draft.text.contains("exists: overwrite"), "\(draft.text)")
        #expect(draft.explained == 1, "\(draft.text)")
    }

    @Test(
        "Keys that differ in a part, whatever sign joins it on each side, are one row, called as what they begin with"
    )
    func joints() throws {
        for (old, new, star, id) in [
            ("user.", "user_", "user_*", "user"), ("old_", "new_", "new_*", "new"), ("a.b.", "c-", "c-*", "c"),
        ] {
            let names = ["alpha", "beta", "gamma", "delta"]
            func keys(_ prefix: String) -> AppKeys {
                Dictionary(uniqueKeysWithValues: names.map { (prefix + $0, Value.string("value of \($0)")) })
            }
            let draft = try Self.infer(keys(old), keys(new))
            let isNamed = ["id: \(id),", "id: \(id)\n"].contains(where: draft.text.contains)
            #expect(draft.explained == 4 && isNamed && draft.text.contains("app/\(star)"), "\(draft.text)")
        }
    }

    @Test("What is the same at its source is not told to come from there by a longer way too")
    func noLongerWay() throws {
        let place = "keychain://com.acme.v3/pin"
        let old = ("keychain://com.acme.v2/pin", KeychainItem(text: "1234").value)
        let draft = try InferenceTests.infer([old], [(place, KeychainItem(text: "1234").value)])
        #expect(draft.explained == 1 && !draft.text.contains("or from v2/pin"), "\(draft.text)")
    }

    @Test("An alias that only remarks name is told what it stands for")
    func remarkedAliases() throws {
        let draft = try Self.infer(["units": "us"], ["unitSystem": .integer(0)])
        #expect(draft.explained == 0 && draft.text.contains("#   app/unitSystem"), "\(draft.text)")
        #expect(draft.text.contains("# app is defaults://com.acme.notes\n"), "\(draft.text)")
        let both = try Self.infer(
            ["units": "us", "a": "a long text"], ["unitSystem": .integer(0), "b": "a long text"])
        #expect(both.explained == 1 && !both.text.contains("# app is"), "\(both.text)")
    }
}
