import Foundation
import Testing

@Suite("Two apps of one dump")
struct SharedStoreTests {
    private let scratch: Scratch
    private let dump: String
    private let preferences = "Library/Preferences"

    /// A simulator's device with two apps, a group that both have, and a keychain with an item of each.
    init() throws {
        scratch = try Scratch()
        dump = scratch("device")
        let device = URL(fileURLWithPath: Places.fixture("simulator/device.plist"))
        try scratch.write("device/device.plist", Data(contentsOf: device))
        for app in ["a", "b"] {
            try container("Data/Application/\(app)", "com.acme.\(app)", ["x": "from-\(app)"])
            try scratch.write(
                "\(app).yaml",
                Data(
                    """
                    vestige: migration/1
                    id: \(app)
                    title: what both apps keep in their group
                    apps: [com.acme.\(app)]
                    stores:
                      app: defaults://com.acme.\(app)
                      shared: defaults://group.com.acme.shared
                    steps:
                      - {id: x, from: app/x, to: shared/x}
                      - {id: old, from: shared/old, to: shared/new-\(app), source: remove}
                      - {id: rest, from: shared/rest, to: app/rest}
                      - {id: token, from: app/x, to: "keychain://sdk/id", type: string, do: [{encode: utf8}]}
                    """.utf8))
        }
        try container("Shared/AppGroup/g", "group.com.acme.shared", ["old": "o", "rest": "r"])
        let items = ["a", "b"].map { app in
            [
                "item_class": "kSecClassGenericPassword", "account": app, "service": "own", "dataHex": "00",
                "entitlement_group": "\(app == "a" ? "AAAAA12345" : "BBBBB12345").com.acme.\(app)",
            ]
        }
        try scratch.write("device/keychain.json", JSONSerialization.data(withJSONObject: items))
    }

    private func container(_ folder: String, _ identifier: String, _ defaults: [String: Any]) throws {
        let place = "device/data/Containers/\(folder)"
        for (name, list) in [
            (".com.apple.mobile_container_manager.metadata.plist", ["MCMMetadataIdentifier": identifier]),
            ("\(preferences)/\(identifier).plist", defaults),
        ] {
            try scratch.write(
                "\(place)/\(name)", PropertyListSerialization.data(fromPropertyList: list, format: .binary, options: 0))
        }
    }

    /// Writes the spec of an app.
    private func spec(_ app: String, stores: String = "", head: String = "", _ steps: String) throws {
        try scratch.write(
            "\(app).yaml",
            Data(
                """
                vestige: migration/1
                id: \(app)
                title: steps of one app
                apps: [com.acme.\(app)]
                stores: {app: defaults://com.acme.\(app), shared: defaults://group.com.acme.shared\(stores)}
                \(head)
                steps:
                \(steps)
                """.utf8))
    }

    private func run(_ command: String, _ app: String, _ more: String...) throws -> Program.Run {
        let own = ["--app", "com.acme.\(app)", "--spec", scratch("\(app).yaml"), "--workspace", scratch("ledger")]
        return try Program.run([command, dump] + own + more, in: scratch)
    }

    private func exported(by app: String, _ name: String) throws -> [String: String] {
        let target = scratch("out-\(name)")
        let run = try run("export", app, "--to", target)
        #expect(run.code == 0, "\(run.errors)")
        let list = "\(target)/data/Containers/Shared/AppGroup/g/\(preferences)/group.com.acme.shared.plist"
        let data = try Data(contentsOf: URL(fileURLWithPath: list))
        return try #require(PropertyListSerialization.propertyList(from: data, format: nil) as? [String: String])
    }

    @Test("the second app's steps find in a shared store what the first one's have left")
    func order() throws {
        #expect(try run("apply", "a", "-m", "a", "--all").code == 0)
        let plan = try run("plan", "b", "-m", "b")
        #expect(plan.code == 3 && plan.text.contains("conflict"), "\(plan.text)")
        let old = try #require(plan.text.components(separatedBy: "\n").first { $0.contains("old ") })
        #expect(old.contains("skipped"), "a has moved it: \(plan.text)")
        _ = try run("apply", "b", "-m", "b", "--all")
        for app in ["a", "b"] {
            let shared = try exported(by: app, app)
            #expect(shared == ["x": "from-a", "new-a": "o", "rest": "r"], "\(app): \(shared)")
            #expect(try run("verify", app).code == 0)
        }
    }

    @Test("it is so without a keychain too, and whether or not the group is called after the apps")
    func withoutKeychain() throws {
        try FileManager.default.removeItem(atPath: dump + "/keychain.json")
        #expect(try run("apply", "a", "-m", "a", "--step", "x", "--step", "old").code == 0)
        let plan = try run("plan", "b", "-m", "b")
        #expect(plan.code == 3 && plan.text.contains("conflict"), "\(plan.text)")
    }

    @Test("what one app has made of its secret is masked in the other")
    func secrets() throws {
        try spec("a", "  - {id: x, from: app/authToken, to: shared/plain}")
        try container("Data/Application/a", "com.acme.a", ["authToken": "hunter2"])
        #expect(try run("apply", "a", "-m", "a", "--all").code == 0)
        let address = "defaults://group.com.acme.shared/plain"
        let shown = try run("show", "b", address)
        #expect(shown.code == 0 && shown.text.contains("masked") && !shown.text.contains("hunter2"), "\(shown.text)")
        #expect(try run("show", "b", address, "--reveal").text.contains("hunter2"))
    }

    @Test("a step is taken back although another app has written an entry beside its own")
    func beside() throws {
        #expect(try run("apply", "a", "-m", "a", "--step", "x").code == 0)
        #expect(try run("apply", "b", "-m", "b", "--step", "old").code == 0)
        #expect(try run("rollback", "a", "--all").code == 0)
    }

    @Test("what one app has changed another one does not change again, and what it rests on is not taken back")
    func holds() throws {
        #expect(try run("apply", "a", "-m", "a", "--all").code == 0)
        try spec(
            "b",
            """
              - {id: x, from: app/x, to: shared/x, exists: overwrite}
              - {id: read, from: shared/new-a, to: app/new}
            """)
        let plan = try run("plan", "b", "-m", "b")
        #expect(plan.text.contains("the step x of com.acme.a has changed"), "\(plan.text)")
        #expect(try run("apply", "b", "-m", "b", "--step", "read").code == 0)
        for app in ["a", "b"] {
            let verified = try run("verify", app)
            #expect(verified.code == 0, "\(app): \(verified.text)")
        }
        let refused = try run("rollback", "a", "--all")
        #expect(refused.code == 64 && refused.errors.contains("“read” of com.acme.b"), "\(refused.errors)")
        #expect(try run("rollback", "b", "--all").code == 0)
        #expect(try run("rollback", "a", "--all").code == 0)
    }

    @Test("what a step has made because another app's had taken something away, or made it, is known to rest on that")
    func absence() throws {
        let others = "  - {id: held, from: app/held, to: shared/held}"
        try container("Data/Application/a", "com.acme.a", ["x": "from-a", "held": "from-b"])
        try spec("a", "  - {id: move, from: shared/old, to: app/old, source: remove}\n\(others)")
        for (step, row) in [
            ("first", "{id: first, from: [shared/old, app/x], to: app/first}"),
            ("made", "{id: made, from: shared/old, default: none, to: app/made}"),
            ("removal", "{id: removal, from: app/x, to: shared/held, source: remove}"),
            ("star", "{id: star, from: \"shared/*\", to: \"app/s.*\"}"),
        ] {
            try spec("b", "  - \(row)")
            #expect(try run("apply", "a", "-m", "a", "--all").code == 0)
            #expect(try run("apply", "b", "-m", "b", "--all").code == 0, "\(step)")
            let refused = try run("rollback", "a", "--all")
            #expect(refused.code == 64 && refused.errors.contains("“\(step)” of com.acme.b"), "\(refused.errors)")
            #expect(try run("rollback", "b", "--all").code == 0)
            #expect(try run("rollback", "a", "--all").code == 0)
        }
    }

    @Test("an item that two apps add to one access group is one: the second finds what the first has left")
    func sharedItem() throws {
        let group = "AAAAA12345.com.acme.shared"
        let accounts = [("a", "AAAAA12345.com.acme.a"), ("b", "AAAAA12345.com.acme.b"), ("s", group)]
        let items = accounts.map { account, group in
            [
                "item_class": "kSecClassGenericPassword", "account": account, "service": "own", "dataHex": "00",
                "entitlement_group": group,
            ]
        }
        try scratch.write("device/keychain.json", JSONSerialization.data(withJSONObject: items))
        for app in ["a", "b"] {
            try spec(
                app,
                """
                  - {id: add, from: app/x, to: {at: "keychain://sdk/id", group: \(group)}, type: string, do: [{encode: utf8}]}
                  - {id: read, from: "keychain://sdk/id", to: app/got, type: text}
                """)
        }
        #expect(try run("apply", "a", "-m", "a", "--all", "--keychain-group", group).code == 0)
        let unsaid = try run("plan", "b", "-m", "b")
        #expect(
            unsaid.text.contains("add of com.acme.a has made an item of that name in the access group \(group)"),
            "\(unsaid.text)")
        let plan = try run("plan", "b", "-m", "b", "--keychain-group", group)
        #expect(plan.code == 3 && plan.text.contains("conflict"), "\(plan.text)")
        #expect(try run("apply", "b", "-m", "b", "--step", "read", "--keychain-group", group).code == 0)
        #expect(try run("show", "b", "defaults://com.acme.b/got", "--reveal").text.contains("from-a"))
        #expect(try run("rollback", "a", "--all").code == 64, "b has read it")
    }

    @Test("steps of an extension that is opened by itself are seen by its app, whatever each calls the file")
    func companions() throws {
        try container("Data/PluginKitPlugin/w", "com.acme.a.widget", ["y": "w"])
        try scratch.write(
            "w.yaml",
            Data(
                """
                vestige: migration/1
                id: w
                apps: [com.acme.a.widget]
                stores: {own: "defaults://com.acme.a.widget"}
                steps: [{id: note, from: own/y, to: "file://Documents/n.txt", do: [{encode: utf8}]}]
                """.utf8))
        let file = "\"file://com.acme.a.widget/Documents/n.txt\""
        try spec("a", "  - {id: take, from: \(file), to: app/n, type: text, source: remove}")
        let own = ["--app", "com.acme.a.widget", "--spec", scratch("w.yaml"), "--workspace", scratch("ledger")]
        let applied = try Program.run(["apply", dump, "-m", "w", "--all"] + own, in: scratch)
        #expect(applied.code == 0, "\(applied.errors)")
        let plan = try run("plan", "a", "-m", "a")
        #expect(plan.text.contains("the step note of com.acme.a.widget has changed"), "\(plan.text)")
    }

    @Test("what changed behind one app's step is told in the other that has its result, until it is accepted")
    func drift() throws {
        try spec("a", "  - {id: move, from: shared/old, to: shared/new}")
        try spec("b", "  - {id: take, from: shared/new, to: app/new}")
        #expect(try run("apply", "a", "-m", "a", "--all").code == 0)
        #expect(try run("status", "b").code != 4)
        try container("Shared/AppGroup/g", "group.com.acme.shared", ["old": "another", "rest": "r"])
        for app in ["a", "b"] { #expect(try run("status", app).code == 4, "\(app)") }
        #expect(try run("apply", "b", "-m", "b", "--all").code == 4)
        #expect(try run("apply", "b", "-m", "b", "--all", "--accept-drift").code == 0)
        #expect(try run("status", "b").code == 0)
        #expect(try run("status", "a").code == 4)
        #expect(try run("rollback", "b", "--all").code == 0)
        #expect(try run("status", "b").code == 4, "what was rolled back has accepted nothing")
    }

    @Test("what was there before a migration's first step is that, whatever another app takes away since")
    func origin() throws {
        try spec(
            "b", head: "requires: [shared/old exists]",
            """
              - {id: one, from: app/x, to: app/one}
              - {id: two, from: app/x, to: app/two}
            """)
        try spec("a", "  - {id: move, from: shared/old, to: app/old, source: remove}")
        #expect(try run("apply", "b", "-m", "b", "--step", "one").code == 0)
        #expect(try run("apply", "a", "-m", "a", "--all").code == 0)
        let plan = try run("plan", "b", "-m", "b")
        #expect(plan.code == 2 && plan.text.contains("1 to apply"), "\(plan.text)")
        #expect(try run("apply", "b", "-m", "b", "--all").code == 0)
        #expect(try run("verify", "b").code == 0)
        #expect(try run("status", "b").code == 0)
    }

    @Test("an item that each of two apps calls by another name is one entry to both")
    func namedDifferently() throws {
        let group = "AAAAA12345.com.acme.shared"
        let accounts = [("tok", "AAAAA12345.com.acme.b"), ("tok", group), ("a", "AAAAA12345.com.acme.a")]
        let items = accounts.map { account, group in
            [
                "item_class": "kSecClassGenericPassword", "account": account, "service": "svc", "dataHex": "6161",
                "entitlement_group": group,
            ]
        }
        try scratch.write("device/keychain.json", JSONSerialization.data(withJSONObject: items))
        try spec("a", "  - {id: move, from: \"keychain://svc/tok\", to: app/tok, type: text, source: remove}")
        let name = "\"keychain://svc/tok%20(\(group))\""
        try spec("b", "  - {id: move, from: \(name), to: app/tok, type: text, source: remove}")
        #expect(try run("apply", "a", "-m", "a", "--all", "--keychain-group", group).code == 0)
        let plan = try run("plan", "b", "-m", "b", "--keychain-group", group)
        #expect(plan.text.contains("skipped"), "a has taken it: \(plan.text)")
    }

    @Test("a step rests on what its migration requires, and on which place its alias stands for, not on other aliases")
    func requirements() throws {
        try spec(
            "a",
            """
              - {id: mk, from: app/x, to: shared/flag}
              - {id: mv, from: shared/old, to: shared/new, source: remove}
            """)
        try container("Data/Application/b", "com.acme.b", ["x": "from-b", "doc": ["name": "n"]])
        let places = ", doc: [\"defaults://group.com.acme.shared/old#/\", \"defaults://com.acme.b/doc#/\"]"
        let cases = [
            ("", "requires: [shared/flag exists]", "app/x"), ("", "requires: [shared/old is absent]", "app/x"),
            (places, "", "doc/name"), (places, "", "app/x"),
        ]
        for (stores, head, source) in cases {
            try spec("b", stores: stores, head: head, "  - {id: s, from: \(source), to: app/y}")
            #expect(try run("apply", "a", "-m", "a", "--all").code == 0)
            let applied = try run("apply", "b", "-m", "b", "--all")
            #expect(applied.code == 0 && applied.text.contains("applied"), "\(applied.errors)\(applied.text)")
            let back = try run("rollback", "a", "--all"), rests = stores.isEmpty || source == "doc/name"
            #expect(back.code == (rests ? 64 : 0) && back.errors.contains("com.acme.b") == rests, "\(back.errors)")
            #expect(try run("verify", "b").code == 0)
            for app in ["b", "a"] { #expect(try run("rollback", app, "--all").code == 0) }
        }
    }

    @Test("a step rests on what tells that those before it are done, or have nothing to do")
    func earlierSteps() throws {
        try container(
            "Shared/AppGroup/g", "group.com.acme.shared", ["p_1": "1", "p_2": "no number", "n": "other", "q": "from-b"])
        try container("Data/Application/b", "com.acme.b", ["x": "from-b"])
        try spec(
            "a",
            """
              - {id: mv, from: shared/p_2, to: shared/old, source: remove}
              - {id: mn, from: shared/q, to: shared/n, exists: overwrite}
            """)
        let cases = [
            // Its part that failed is gone.
            (
                "{id: s, from: shared/p_*, type: string, do: [number], to: app/p_*}",
                "{id: t, from: app/x, to: app/y, after: [s]}"
            ),
            // It was in conflict, and finds its value there now.
            ("{id: s, from: app/x, to: shared/n}", "{id: t, remove: [app/x]}"),
        ]
        for (first, second) in cases {
            try spec("b", "  - \(first)\n  - \(second)")
            let before = try run("apply", "b", "-m", "b", "--all")
            #expect(before.code == 3, "\(before.errors)\(before.text)")
            #expect(try run("apply", "a", "-m", "a", "--all").code == 0)
            let after = try run("apply", "b", "-m", "b", "--all")
            #expect(after.code == 0 && after.text.contains("applied"), "\(after.errors)\(after.text)")
            let back = try run("rollback", "a", "--all")
            #expect(back.code == 64 && back.errors.contains("com.acme.b"), "\(back.errors)")
            #expect(try run("verify", "b").code == 0)
            for app in ["b", "a"] { #expect(try run("rollback", app, "--all").code == 0) }
        }
    }

    @Test("a row with a star that leaves what another app has made is verified as it was applied")
    func starBesideOthers() throws {
        try spec("a", "  - {id: mk, from: app/x, to: shared/added}")
        try spec("b", "  - {id: st, from: \"shared/*\", to: \"app/g-*\", source: remove}")
        #expect(try run("apply", "a", "-m", "a", "--all").code == 0)
        let applied = try run("apply", "b", "-m", "b", "--all")
        #expect(applied.text.contains("changed-elsewhere"), "\(applied.errors)\(applied.text)")
        let verified = try run("verify", "b")
        #expect(verified.code == 0, "\(verified.errors)\(verified.text)")
    }

    @Test("items of one service and account that two apps add are two in the export")
    func items() throws {
        for app in ["a", "b"] { #expect(try run("apply", app, "-m", app, "--step", "token").code == 0) }
        for app in ["a", "b"] {
            let target = scratch("items-\(app)")
            #expect(try run("export", app, "--to", target).code == 0)
            let data = try Data(contentsOf: URL(fileURLWithPath: target + "/keychain.json"))
            let items = try #require(JSONSerialization.jsonObject(with: data) as? [[String: Any]])
            let groups = items.filter { $0["service"] as? String == "sdk" }.compactMap {
                $0["entitlement_group"] as? String
            }
            #expect(groups.sorted() == ["AAAAA12345.com.acme.a", "BBBBB12345.com.acme.b"], "\(app): \(groups)")
        }
    }
}
