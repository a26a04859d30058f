import Foundation
import Testing

@Suite("Reasons quote no secret")
struct SecretReasonTests: SecretSpecs {
    let scratch: Scratch, dump: String, spec: [String]

    @Test("What a reason quotes is masked when its step is applied as it is in the plan")
    func besideInReasons() throws {
        let made = try Self(
            steps: """
                  - {id: theme, from: app/account#/theme, type: string, to: app/sessionToken}
                  - {id: all, from: app/account, type: string, do: [number], to: app/whole}
                """,
            entries: ["account": #"{"theme":"seagreen","nick":"u7-of-them"}"#])
        for command in ["plan", "report", "apply", "apply", "report"] {
            let all = command == "apply" ? ["--all"] : ["-m", "made"]
            let text = try made.said([command, made.dump] + all + made.spec)
            #expect(!text.contains("seagreen") && text.contains(/‹masked[^›]+› is not an integer/), "\(text)")
        }
    }

    @Test("What a removal quotes of what a star has left is masked as it is there")
    func quotedByRemovals() throws {
        for removal in ["every source", "[app/password.*]"] {
            let made = try Self(
                steps: """
                      - {id: r, from: app/password.*, type: string, do: [number], to: app/one.*}
                      - {id: rm, remove: \(removal)}
                    """, entries: ["password.a": "hunter2horse", "password.b": "tokaaa7bbb"])
            try made.said(["status", made.dump] + made.spec)
            try made.check(shows: [
                "stays, as nothing has taken it on: ", "a: ‹masked string, 12 characters› is not an",
            ])
        }
    }

    @Test("What is lost that would have gone where a secret is stays masked once it is applied, and taken back")
    func lostOnTheWay() throws {
        for (source, target) in [("app/f.*", "app/password.*"), ("app/f.a", "app/password")] {
            let made = try Self(
                steps: """
                      - {id: r, from: \(source), type: string, do: [number], to: \(target)}
                      - {id: rm, remove: every source, unmigrated: remove}
                    """, entries: ["f.a": "hunter2horse"])
            let spec = ["-m", "made"] + made.spec
            for command in [
                ["plan", made.dump] + spec, ["report", made.dump] + spec, ["apply", made.dump, "--all"] + made.spec,
                ["plan", made.dump] + spec, ["report", made.dump] + spec, ["log", made.dump] + made.spec,
                ["status", made.dump] + made.spec, ["rollback", made.dump, "--all"] + made.spec,
                ["log", made.dump] + made.spec,
            ] {
                let said = try made.said(command)
                if command[0] == "log" { #expect(said.contains("‹masked string, 12 characters› is not an"), "\(said)") }
            }
        }
    }

    @Test("The reason of a calculation that fails quotes no number that is secret")
    func numbers() throws {
        try Self(
            steps: """
                  - {id: a, from: app/account, type: dictionary, do: [{pick: pin}, {scale: {times: 170141183460469231731687303715884105727}}], to: app/one}
                """
        ).check(shows: ["is beyond 128 bits"])
    }

    @Test("What specs test and its JUnit say of what a star has left is masked as in the plan")
    func triedWithStars() throws {
        for (source, target) in [("password.*", "one.*"), ("f.*", "password.*")] {
            let made = try Self(
                steps: "  - {id: r, from: app/\(source), type: string, do: [number], to: app/\(target)}",
                entries: [source.replacing("*", with: "a"): "hunter2horse"])
            let file = made.scratch("tests.xml")
            let arguments = ["specs", "test", made.spec[1], made.dump, "--junit", file]
            let said = try made.said(arguments, hasLedger: false),
                written = try String(contentsOfFile: file, encoding: .utf8)
            for text in [said, written] {
                #expect(text.contains("‹masked string, 12 characters› is not an integer"), "\(text)")
                #expect(!text.contains("hunter2"), "\(text)")
            }
        }
    }

    @Test(
        "What specs test says of copies of a secret that an expectation gives is masked, and why nothing is there is told"
    )
    func givenSecrets() throws {
        let made = try Self(
            steps: """
                  - {id: a, from: app/password, to: app/one}
                  - {id: b, from: app/password, do: [{fill: "is {value}"}], to: app/two}
                  - {id: c, from: app/n.*, type: integer, to: app/m.*}
                expect:
                  - {name: e, given: {app/password: hunter2horse, app/n.k: "no"}, gives: {app/one: x, app/two: x, app/m.k: 1}}
                """, entries: [:])
        let said = try made.said(["specs", "test", made.spec[1]], hasLedger: false)
        #expect(said.contains("m.k: “1” is expected, and there is nothing; c failed"), "\(said)")
        #expect(!said.contains("hunter2"), "\(said)")
    }

    @Test(
        "A list that is no property list, what specs test says of marked entries, and why compare misses one quote no secret"
    )
    func reasonsElsewhere() throws {
        let made = try Self(
            steps: """
                  - {id: a, from: app/account, do: [{pick: password}, number], to: app/one}
                  - {id: b, from: app/diary, do: [number], to: app/two, secret: true}
                """, entries: ["diary": "tokaaa7bbb"])
        let new = try made.scratch.copy("notes-legacy.xcappdata", to: "new.xcappdata")
        try made.scratch.set("one", to: 1, in: new)
        try made.scratch.set("two", to: 1, in: new)
        let compared = try made.said(["compare", made.dump, new, "-m", "made"] + made.spec, hasLedger: false)
        #expect(compared.contains("which would write here, is failed"), "\(compared)")
        let tested = try made.said(["specs", "test", made.spec[1], made.dump], hasLedger: false)
        #expect(tested.contains("is not an integer"), "\(tested)")
        let file = made.dump + "/AppData/Library/Preferences/com.acme.notes.plist"
        let contents = [
            "<key>password</key><integer>hunter2horse</integer>", "<key>p</key><string>a&hunter2horse;b</string>",
            "<key>p</key><string>a&#hunter2horse;b</string>", "<key>p</key><string>a<hunter2horse",
            "<key>password</key><date>hunter2horse</date>", "<key>password</key><data>hunter2horse!</data>",
        ]
        for (number, content) in contents.enumerated() {
            try Data("<?xml version=\"1.0\"?><plist><dict>\(content)</dict></plist>".utf8)
                .write(to: URL(fileURLWithPath: file))
            // Each of them says the sentence of the one that reads the list.
            let commands = [["inspect"], ["plan"], ["report"], ["show", "defaults://com.acme.notes"]]
            for command in number == 0 ? commands : [commands[number % commands.count]] {
                let text = try made.said(
                    [command[0], made.dump] + command.dropFirst(), hasLedger: false)
                #expect(text.contains("property list"), "\(text)")
            }
        }
    }
}
