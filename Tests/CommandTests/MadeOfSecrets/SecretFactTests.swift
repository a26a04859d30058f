import Foundation
import Testing

@Suite("A fact is as secret as what it comes from and what it is called")
struct SecretFactTests: SecretSpecs {
    let scratch: Scratch, dump: String, spec: [String]

    @Test("A fact is as secret as its name, and as the entry that it was inferred from; so is what is made with it")
    func facts() throws {
        try Self(
            steps: """
                  - {id: a, from: fact/word, to: app/one}
                  - {id: b, from: fact/loud, to: app/two}
                  - {id: c, from: fact/apiPassword, do: [{fill: "k {value}"}], to: app/three}
                  - {id: d, from: app/account, type: dictionary, do: [{add: {extra: "{apiPassword}"}}], to: app/four}
                """,
            facts: """

                  word: {type: string, about: a word, example: eg, infer: "defaults://com.acme.notes/account#/password"}
                  loud: {type: string, about: it in capitals, example: eg, from: fact/word, do: [{case: upper}]}
                  apiPassword: {type: string, about: the word of the API, example: eg}
                """
        ).check(["--fact", "apiPassword=TokAaa7Bbb"], shows: ["apiPassword", "masked"])
    }

    @Test("A fact is as secret as what stands beside its entry, and as the texts and formats in it say; so is a reason")
    func inferredFacts() throws {
        try Self(
            steps: """
                  - {id: a, from: fact/word, to: app/one}
                  - {id: b, from: fact/blob, do: [{decode: json}, {pick: password}], to: app/two}
                  - {id: c, from: fact/line, do: [{strip: {prefix: "password="}}], to: app/three}
                  - {id: d, from: fact/pw, do: [number], to: app/four}
                """,
            facts: """

                  word: {type: string, about: a word, example: eg, infer: "defaults://com.acme.notes/row#/value"}
                  blob: {type: string, about: a text, example: eg, infer: "defaults://com.acme.notes/blob"}
                  line: {type: string, about: a line, example: eg, infer: "defaults://com.acme.notes/line"}
                  pw: {type: string, about: a word, example: eg, infer: "defaults://com.acme.notes/account#/password"}
                """,
            entries: [
                "row": ["name": "password", "value": "hunter2horse"], "line": "password=TokAaa7Bbb",
                "blob": #"{"password":"hunter2horse"}"#,
            ]
        ).check(shows: ["masked", "is not an integer"])
    }

    @Test("The reason of a step that fails on a secret fact quotes nothing of it, also where nothing else was done")
    func reasonsOfFacts() throws {
        let made = try Self(
            steps: "  - {id: a, from: fact/pw, do: [number], to: app/one}",
            facts: """

                  pw: {type: string, about: a word, example: eg, infer: "defaults://com.acme.notes/account#/password"}
                """)
        try made.check(shows: ["is not an integer"])
        let test = try Program.run(["specs", "test", made.scratch("made.yaml"), made.dump], in: made.scratch)
        #expect(
            !(test.text + test.errors).contains("hunter2") && test.text.contains("is not an integer"), "\(test.text)")
    }

    @Test("A fact that stores are named after is shown, and a secret number masks no other number")
    func harmlessFacts() throws {
        let made = try Self(
            steps: """
                  - {id: a, from: fact/apiKey, to: app/one}
                  - {id: b, from: fact/pin, to: app/two}
                  - {id: c, from: app/version, type: integer, to: app/version_two}
                """,
            facts: """

                  apiKey: {type: name, about: the key, example: eg}
                  pin: {type: integer, about: the number of the card, example: "12"}
                """, entries: ["version": 4321])
        let facts = ["--fact", "apiKey=acme-1a2b3c", "--fact", "pin=739154"]
        try made.check(facts, shows: ["acme-1a2b3c", "4321"])
    }

    @Test(
        "What steps were applied with, and what the inspector asks and says, quotes no secret fact, applied or given now"
    )
    func departures() throws {
        let made = try Self(
            steps: """
                  - {id: a, value: "{w1}", to: app/one}
                  - {id: b, value: "{w1}", to: app/two}
                  - {id: c, from: app/account, do: [{pick: password}, {table: {a: b}}], to: app/three}
                """,
            facts: """

                  w1: {type: string, about: a word, example: eg, infer: "defaults://com.acme.notes/account#/password"}
                """)
        let scratch = made.scratch
        // Asked about, put into the line to be changed, applied, and failed on.
        let script = """
            :migration made
            key a
            screen asked
            expect "it is only assumed that w1 is ‹masked string, 12 characters›"
            key f
            screen line
            key <Esc>
            :apply
            key y
            expect-step a applied
            :fact w1=seamist
            key a
            screen departed
            expect "applied with w1 ‹masked"
            fails :apply c
            screen failed
            expect "is not in the table"
            """
        try scratch.write("ask.script", Data(script.utf8))
        let size = ["--size", "200x50"]
        try made.said(["run", scratch("ask.script"), made.dump] + made.spec + size, hasJSON: false)
        try made.said(["apply", made.dump, "-m", "made", "--step", "a", "--assume"] + made.spec)
        let other = made.spec + ["--fact", "w1=seamist"]
        for command in [["plan", "-m", "made"], ["plan"], ["status"], ["report"], ["apply", "--all", "-m", "made"]] {
            let text = try made.said([command[0], made.dump] + command.dropFirst() + other)
            #expect(text.contains("applied with w1 ‹masked string, 12 characters›, which now is"), "\(text)")
        }
    }

    @Test(
        "What was made of a fact stays masked when the place that it was inferred from is another one or gone, as the fact does"
    )
    func outdatedFacts() throws {
        let row = [["name": "password", "value": "hunter2horse"], ["name": "pin", "value": "tokaaa7bbb"]]
        let made = try Self(
            steps: """
                  - {id: a, from: fact/w1, to: app/one}
                  - {id: b, from: fact/w1, do: [{case: upper}], to: app/two}
                """,
            facts: """

                  w1: {type: string, about: a word, example: eg, infer: "defaults://com.acme.notes/row#/0/value"}
                """, entries: ["row": row])
        let apply = ["apply", made.dump, "-m", "made", "--all"] + made.spec
        #expect(try made.said(apply).contains("w1 is ‹masked string, 12 characters›"), "it is asked about")
        try made.said(apply + ["--assume"])
        try made.scratch.write(
            "look.script", Data("screen first\nkey w\nscreen warnings\nkey <Esc> j <Enter>\nscreen more\n".utf8))
        let other = made.spec + ["--fact", "w1=seamist"]
        for row in [[["name": "seat", "value": "bow"]], nil] {
            try made.scratch.set("row", to: row, in: made.dump)
            for command in [["log"], ["report"], ["plan", "-m", "made"], ["status"]] {
                try made.said([command[0], made.dump] + command.dropFirst() + made.spec)
                if command != ["log"] { try made.said([command[0], made.dump] + command.dropFirst() + other) }
            }
            for key in ["one", "two"] { try made.said(["show", made.dump, "defaults://com.acme.notes/\(key)"]) }
            for spec in [made.spec, other] {
                try made.said(["run", made.scratch("look.script"), made.dump] + spec, hasJSON: false)
            }
        }
        try made.said(["rollback", made.dump, "--all"])
    }

    @Test("What one migration calls a name is shown only where no other calls it something else")
    func severalMeanings() throws {
        let made = try Self(
            steps: "  - {id: a, from: fact/apiKey, to: app/one}",
            facts: "{apiKey: {type: string, about: the key, example: eg}}")
        let more = made.spec + ["--fact", "apiKey=hunter2horse"]
        for command in [["plan", "-m", "made"], ["report"], ["apply", "--all", "-m", "made"], ["log"], ["status"]] {
            try made.said([command[0], made.dump] + command.dropFirst() + more)
        }
    }
}
