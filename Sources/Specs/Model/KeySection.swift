import MigrationEngine

/// A key of the language, or a word that may stand in its place: what `vestige specs help` says of it.
package struct KeyDefinition: Sendable {
    /// What may stand behind a key.
    package enum Values: Sendable {
        /// In words.
        case phrase(String)
        /// One of these; the first is the default.
        case words([String])

        /// The words that may stand there as they are.
        package var choices: [String] {
            switch self {
            case .words(let words): words
            case .phrase(let phrase): phrase.replacing(", or ", with: ", ").split(separator: ", ").map(String.init)
            }
        }

        /// In words.
        package var phrase: String {
            switch self {
            case .phrase(let phrase): phrase
            case .words(let words):
                words.enumerated().map { $0 == 0 ? "\($1) (the default)" : $1 }.joined(separator: ", ")
            }
        }
    }

    /// The key, such as `from`.
    package let name: String
    /// What may stand behind it.
    package let values: Values
    /// What it is for, in a phrase.
    package let summary: String
    /// How it is written, in YAML.
    package let example: String
    /// Whether it may not be left out.
    let isRequired: Bool

    init(_ name: String, _ values: String, _ summary: String, _ example: String, isRequired: Bool = false) {
        (self.name, self.values, self.summary) = (name, .phrase(values), summary)
        (self.example, self.isRequired) = (example, isRequired)
    }

    init<Word: CaseIterable & RawRepresentable<String>>(
        _ name: String, _ type: Word.Type, _ summary: String, _ example: String
    ) {
        (self.name, self.values, self.summary) = (name, .words(Word.allCases.map(\.rawValue)), summary)
        (self.example, isRequired) = (example, false)
    }
}

/// A part of a spec file with its keys: by these tables it is read, and the schema and the help are made of them.
package struct KeySection: Sendable {
    /// What the part is called in sentences, such as `a row`.
    package let name: String
    /// What it is, in a sentence.
    package let summary: String
    package let keys: [KeyDefinition]
    /// The keys by their names, and those that may not be left out; each step of a file asks for them.
    let names: [String], required: [String]

    init(name: String, summary: String, keys: [KeyDefinition]) {
        (self.name, self.summary, self.keys) = (name, summary, keys)
        (names, required) = (keys.map(\.name), keys.filter(\.isRequired).map(\.name))
    }

    /// Whether a person may mean it by a word: `row`, `rows` or `a row`; `conditions` are all that they are made of.
    package func isCalled(_ word: String) -> Bool {
        let last = name.split(separator: " ").last ?? ""
        return [name, String(last), last + "s"].contains(word)
    }

    /// Whether what it lists are words that stand behind keys, and no keys.
    package var isOfWords: Bool { [Self.outcomes.name, Self.reasons.name].contains(name) }

    /// Every word that may be looked up, each once.
    package static let words =
        (all.flatMap(\.names) + OperationTable.all.map(\.name) + all.flatMap(\.keys).flatMap(\.values.choices)
        + OperationTable.all.flatMap(\.errors)).uniqued
}

extension KeySection {
    /// All parts, in the order of the reference.
    package static let all = [
        spec, fact, profile, defaults, step, row, source, target, document, version, edition, removal, note, condition,
        subjects, tests, types, forms, facts, expectation, outcomes, reasons, findings,
    ]

    /// Those of which the reference has a table.
    static let written = [
        spec, fact, profile, step, row, source, target, document, version, edition, removal, note, condition, subjects,
        tests,
        types, forms, expectation, outcomes, reasons,
    ]

    static let spec = KeySection(
        name: "a spec", summary: "What stands at the outermost level.",
        keys: [
            KeyDefinition(
                "vestige", Spec.format, "the format, which stands first", "vestige: \(Spec.format)", isRequired: true),
            KeyDefinition(
                "id", "letters, digits and hyphens", "what commands and ledgers call it", "id: notes-3",
                isRequired: true),
            KeyDefinition("title", "text", "what people call it", "title: Notes 2 to 3"),
            KeyDefinition("about", "text", "what it does, for people", "about: Moves the token to the keychain."),
            KeyDefinition("see", "a text, or a list", "the sources of its rules", "see: https://acme.com/notes/3"),
            KeyDefinition(
                "apps", "bundle identifiers, with a * for any part of one",
                "the apps that it is for; of a dump with several apps that one is taken", "apps: [com.acme.notes]"),
            KeyDefinition(
                "applies", "conditions",
                "which dumps it is for; else those with a source, an entry that is deliberately left, or a store that only the "
                    + "new version writes", "applies: store app exists"),
            KeyDefinition(
                "requires", "conditions",
                "what every step needs, judged on what was there before the migration's first step; else all are skipped",
                "requires: [{test: new/version is absent, say: it was migrated before}]"),
            KeyDefinition(
                "facts", "a mapping of names to facts", "what is asked for, as no store says it for certain",
                "facts: {build: {type: integer}}"),
            KeyDefinition(
                "stores", "a mapping of aliases to addresses, or to lists of which the first that is there counts",
                "names for stores; one that ends in #/ makes the fields of a document its keys",
                "stores: {app: defaults://com.acme.notes, prefs: \"file://Documents/prefs.json#/\"}"),
            KeyDefinition(
                "profiles", "a mapping of names to texts, or to profiles",
                "which of several migrations it is; the first is the default", "profiles: {sdk-1: first, sdk-2: later}"),
            KeyDefinition(
                "defaults", "type, exists, source and error", "what rows have that do not say otherwise",
                "defaults: {source: remove}"),
            KeyDefinition(
                "steps", "a list of rows, documents, removals and notes", "what it does, in the order of application",
                "steps: [{id: theme, from: app/Theme, to: app/theme}]", isRequired: true),
            KeyDefinition(
                "expect", "an expectation, or a list", "what it makes of what: specs test tries it",
                "expect: [{name: dark, given: {app/Theme: dark}, gives: {app/theme: dark}}]"),
        ])

    static let fact = KeySection(
        name: "a fact", summary: "An input that is in no store, or of which no store says that it is the one.",
        keys: [
            KeyDefinition(
                "type", SpecFact.Kind.allCases.map(\.rawValue).joined(separator: ", "),
                "what it is; only a name, a uuid and an integer may stand in an address", "type: name",
                isRequired: true),
            KeyDefinition("about", "text", "what it is, for the person who is asked", "about: the build number"),
            KeyDefinition("example", "text", "a value that it may have", "example: \"412\""),
            KeyDefinition(
                "infer", "an address, in which one * may stand",
                "where to look for it: its text, or what the * stands for if exactly one fits",
                "infer: \"defaults://com.acme.*\""),
            KeyDefinition("assume", "text", "what is taken where nobody says it, once somebody agrees", "assume: en"),
            KeyDefinition("from", "fact/NAME", "the fact that it is computed of", "from: fact/now"),
            KeyDefinition(
                "do", "operations", "how it is computed",
                "do: [{time: {from: seconds, to: milliseconds}}]"),
            KeyDefinition(
                "fresh", "true or false", "whether any new UUID will do, so that one is drawn", "fresh: true"),
        ])

    static let profile = KeySection(
        name: "a profile", summary: "One of several migrations that a file tells.",
        keys: [
            KeyDefinition("about", "text", "what it is, for people", "about: as SDK 1.2 does it"),
            KeyDefinition("like", "another profile", "whose overrides it has besides its own", "like: sdk-1"),
            KeyDefinition("requires", "conditions", "as of the file, for this profile", "requires: store old exists"),
        ])

    static let defaults = KeySection(
        name: "defaults", summary: "What rows have that do not say otherwise.",
        keys: ["type", "exists", "source", "error"].compactMap { key in row.keys.first { $0.name == key } })

    /// What every step may have.
    static let step = KeySection(
        name: "a step", summary: "What every step may have, whatever it does.",
        keys: [
            KeyDefinition(
                "id", "letters, digits and hyphens",
                "what commands and ledgers call it; made of the target where it is missing", "id: theme"),
            KeyDefinition("title", "text", "what people call it; else made of its id", "title: The theme"),
            KeyDefinition(
                "rule", "text", "what it does, in words; else made of the operations", "rule: as iOS 17 does it"),
            KeyDefinition(
                "notes", "sentences, or {if, say}", "what a reader should know of it",
                "notes: [{if: value is empty, say: nothing was ever chosen}]"),
            KeyDefinition(
                "differs", "text", "in what the documentation and the software disagree",
                "differs: the page says seconds"),
            KeyDefinition("see", "a text, or a list", "the sources of its rule", "see: Migrator.swift"),
            KeyDefinition(
                "after", "ids of steps before it",
                "those that must be done: one that failed or waits blocks it", "after: [theme]"),
            KeyDefinition("only", "profiles", "those that have it; else all", "only: [sdk-1]"),
            KeyDefinition(
                "in-profile", "a mapping of profiles to keys", "keys that a profile replaces whole",
                "in-profile: {sdk-1: {do: [trim]}}"),
        ])

    static let row = KeySection(
        name: "a row",
        summary: "Takes a value from somewhere, as a type, if conditions hold, changes it, and puts it somewhere.",
        keys: [
            KeyDefinition(
                "from", "an address, fact/NAME, a source, a list of them, or a mapping",
                "where the value is: of a list the first that is there, of a mapping all of them as a dictionary; what is locked is "
                    + "never passed over", "from: [app/token, app/legacyToken]"),
            KeyDefinition("value", "any value", "one that is written out, instead of from", "value: 2"),
            KeyDefinition(
                "optional", "names", "those of a mapping of sources that may be missing", "optional: [middle]"),
            KeyDefinition(
                "type", "a type, a form and a type, or a list that is tried in its order",
                "what the value must be; nothing is made one that is not", "type: [dictionary, json dictionary]"),
            KeyDefinition(
                "if", "conditions", "what must hold of the value as it is read; else the row is skipped",
                "if: value is above 0"),
            KeyDefinition(
                "check", "conditions", "the same; else the row has failed", "check: value is not empty"),
            KeyDefinition(
                "do", "operations", "what becomes of the value, one after the other", "do: [trim, {case: lower}]"),
            KeyDefinition(
                "default", "any value", "what is taken where no source is there: a placeholder", "default: title"),
            KeyDefinition(
                "to", "an address, a target, or a mapping of fields to them",
                "where the result goes; without it, or where it is the source itself, the row works in place, and with neither "
                    + "do nor to it only checks",
                "to: {first: app/firstName, last: app/lastName}"),
            KeyDefinition("empty", SpecRow.Empty.self, "what of a result that is empty", "empty: skip"),
            KeyDefinition(
                "exists", SpecRow.Existing.self,
                "what where the target holds something else; JSON and property lists are compared by value, but where a row ends "
                    + "in encode or decode and works in place or overwrites, another form is something else; what the row has "
                    + "written for one match of a star, another leaves as a conflict, and what a match is read from is "
                    + "overwritten only after it has been read",
                "exists: keep"),
            KeyDefinition(
                "source", SpecRow.Keeping.self,
                "what of the source: remove takes it once the value has arrived, discard also where the target keeps what it has; a "
                    + "row that fails or is left takes nothing; of a field only that goes, and never what the row has written",
                "source: remove"),
            KeyDefinition(
                "error", SpecRow.OnError.self,
                "what where the row fails: aside moves the source to a name that ends in .corrupt; or a mapping by code",
                "error: {not-a-number: skip}"),
            KeyDefinition(
                "say", "a mapping of codes to sentences", "own words for a code", "say: {absent: nothing was saved}"),
            KeyDefinition(
                "secret", "true or false",
                "whether the value is a secret, as one that goes into the keychain is unless it says `false`; a ledger does not keep that, so it holds where the spec is given, `true` also where that does not apply",
                "secret: true"),
            KeyDefinition("except", "addresses", "those that a * leaves out", "except: [app/flag.beta]"),
        ])

    static let source = KeySection(
        name: "a source", summary: "An address to read from, with what counts as not there.",
        keys: [
            KeyDefinition(
                "at", "an address, or fact/NAME", "where it is", "from: {at: app/token, ignore: empty}",
                isRequired: true),
            KeyDefinition(
                "ignore",
                SpecRow.Source.Ignored.allCases.map(\.rawValue).joined(separator: ", ") + ", or a list of them",
                "what counts as not there; empty is null too, as a NULL of SQLite is",
                "from: {at: app/count, ignore: [zero, negative]}"),
        ])

    static let target = KeySection(
        name: "a target", summary: "An address to write to, with what an item of the keychain has besides.",
        keys: [
            KeyDefinition("at", "an address", "where it goes", "to: {at: keychain://com.acme/token}", isRequired: true),
            KeyDefinition(
                "ignore",
                SpecRow.Source.Ignored.allCases.map(\.rawValue).joined(separator: ", ") + ", or a list of them",
                "what counts as not there, so that it is replaced", "to: {at: app/count, ignore: zero}"),
            KeyDefinition(
                "accessible", SpecReader.Accessible.allCases.map(\.rawValue).joined(separator: ", "),
                "when the item can be read", "to: {at: safe/token, accessible: after-first-unlock}"),
            KeyDefinition(
                "device-only", "true or false", "whether it stays on this device",
                "to: {at: safe/token, accessible: when-unlocked, device-only: true}"),
            KeyDefinition(
                "group", "text", "the access group of the item", "to: {at: safe/token, group: TEAM.com.acme}"),
        ])

    static let document = KeySection(
        name: "a document",
        summary:
            "A document of JSON, in text or data, that goes from version to version, each a step; all other bytes of it "
            + "stay. A dictionary of UserDefaults and a property list are none: rows take them.",
        keys: [
            KeyDefinition("document", "a name", "what it is called", "document: person", isRequired: true),
            KeyDefinition(
                "step-id", "text with {from} and {to}", "what its steps are called", "step-id: \"person-{from}-{to}\""),
            KeyDefinition(
                "at", "an address, or a list of which the first that is there counts", "where it is", "at: app/person",
                isRequired: true),
            KeyDefinition(
                "version", "shape, or how it is told", "which version it is",
                "version: {field: schemaVersion, missing: 1}",
                isRequired: true),
            KeyDefinition(
                "versions", "a mapping of numbers, each one more than the one before",
                "what each looks like, and how it is made of the one before",
                "versions: {1: {has: {name: string}}, 2: {has: {alias: string}, made-by: [{rename: {name: alias}}]}}",
                isRequired: true),
            KeyDefinition(
                "source", "keep, remove", "with in-name: what of the entry of the version before", "source: remove"),
        ])

    static let version = KeySection(
        name: "the version of a document", summary: "How it is told which version a document is, but by its shape.",
        keys: [
            KeyDefinition("field", "a field", "the number in the document", "version: {field: schemaVersion}"),
            KeyDefinition(
                "beside", "a name that begins with {key}", "the entry beside it that holds the number",
                "version: {beside: \"{key}_version\"}"),
            KeyDefinition(
                "in-name", "a name with a *",
                "each version has an entry of its own in the store or folder that at names; the newest that is there counts",
                "version: {in-name: \"profile-v*.json\"}"),
            KeyDefinition(
                "missing", "a number", "the version where no number is there", "version: {field: v, missing: 1}"),
            KeyDefinition(
                "doubt", "fail, ask",
                "what where the shape is not that of the number: ask waits for the fact called as the document with Version behind "
                    + "it", "version: {field: v, doubt: ask}"),
        ])

    static let edition = KeySection(
        name: "a version", summary: "What a document of one version looks like, and how it is made of the one before.",
        keys: [
            KeyDefinition("has", "a mapping of fields to types", "what is in it", "has: {name: string, tags: array}"),
            KeyDefinition("without", "fields", "what is not in it", "without: [alias]"),
            KeyDefinition(
                "made-by", "operations", "what makes it of the version before", "made-by: [{remove: [age]}]"),
        ])

    static let removal = KeySection(
        name: "a removal", summary: "Takes away what rows have taken on, once every step that reads it is done.",
        keys: [
            KeyDefinition(
                "remove", "addresses, or every source", "what goes", "remove: every source", isRequired: true),
            KeyDefinition(
                "unmigrated", SpecReader.Unmigrated.self, "what of that which did not arrive", "unmigrated: remove"),
        ])

    static let note = KeySection(
        name: "a note", summary: "Shows that something is deliberately left; its outcome is skipped.",
        keys: [
            KeyDefinition("leave", "addresses", "what is left", "leave: [app/onboarding]", isRequired: true),
            KeyDefinition("because", "text", "why", "because: the new version does not ask again"),
        ])

    static let condition = KeySection(
        name: "a condition",
        summary:
            "A sentence of a subject and a test; a list is and. Of what is absent every is not holds, and no other comparison.",
        keys: [
            KeyDefinition("test", "a sentence", "the condition", "{test: value is above 0, say: it was never set}"),
            KeyDefinition(
                "any", "a list of conditions", "of which one must hold", "{any: [app/a exists, app/b exists]}"),
            KeyDefinition(
                "say", "text", "why, where it does not hold", "{test: store old exists, say: there was no old version}"),
        ])

    /// What conditions are about.
    static let subjects = KeySection(
        name: "the subject of a condition", summary: "What a condition is about; it stands first.",
        keys: [
            KeyDefinition("value", "value, or value#/field", "the value as the row reads it", "if: value#/name exists"),
            KeyDefinition("target", "target", "what the target of the row holds", "if: target is absent"),
            KeyDefinition("ADDRESS", "an address", "an entry, or a part of one", "if: app/version is above 3"),
            KeyDefinition(
                "fact/NAME", "fact/NAME", "a fact; one that is missing blocks the step", "if: fact/build is above 3"),
            KeyDefinition("store ALIAS", "store ALIAS", "a whole store", "requires: store old exists"),
            KeyDefinition(
                "any source", "any source", "whether a row of the profile finds its source",
                "applies: any source exists"),
        ])

    /// What conditions ask.
    static let tests = KeySection(
        name: "the test of a condition", summary: "What a condition asks; it stands behind the subject.",
        keys: Condition.plainTests.map { KeyDefinition($0.text, "nothing", $0.summary, "if: value \($0.text)") }
            + [
                KeyDefinition(
                    "is", "a type, or a literal", "whether it is of a type, or that value", "if: value is integer"),
                KeyDefinition("is not", "a type, or a literal", "whether it is not", "if: value is not \"none\""),
            ]
            + Condition.Comparison.allCases.map {
                KeyDefinition(
                    "is \($0.rawValue)", "a number, an address or fact/NAME", "how a number or a date compares",
                    "if: value is \($0.rawValue) 3")
            })

    static let types = KeySection(
        name: "a type", summary: "What a row may ask of a value; nothing else is made one than what stands here.",
        keys: ValueType.Kind.allCases.map { KeyDefinition($0.rawValue, "nothing", $0.about, "type: \($0.rawValue)") })

    static let forms = KeySection(
        name: "a form of a type", summary: "What may hold a value of a type, and stands before it: it is decoded.",
        keys: ValueType.forms.map {
            KeyDefinition(
                $0.rawValue, "a type", "a text or data that is \($0.rawValue)", "type: \($0.rawValue) dictionary")
        })

    static let facts = KeySection(
        name: "a built-in fact", summary: "What every spec may ask for without saying what it is.",
        keys: SpecFact.builtIn.map {
            KeyDefinition($0.name.rawValue, $0.kind.rawValue, $0.about, "from: fact/\($0.name)")
        })

    static let expectation = KeySection(
        name: "an expectation", summary: "What a file says that it makes of what: specs test tries it.",
        keys: [
            KeyDefinition("name", "text", "what it shows", "name: a dark theme stays dark", isRequired: true),
            KeyDefinition("profile", "a profile", "the one that is tried; else the default", "profile: sdk-1"),
            KeyDefinition("facts", "a mapping of facts to values", "what is given", "facts: {build: 412}"),
            KeyDefinition(
                "fixture", "a path", "a dump beside the file that it begins with", "fixture: dumps/notes.xcappdata"),
            KeyDefinition(
                "given", "a mapping of addresses to values, absent, or {type, value}",
                "what it begins with, entries as a whole", "given: {app/Theme: dark}"),
            KeyDefinition(
                "gives", "a mapping of addresses to values, absent, or {type, value}", "what is there then",
                "gives: {app/theme: dark, app/Theme: absent}"),
            KeyDefinition(
                "outcomes", "a mapping of steps to outcomes, each by itself or as {outcome: reason}", "how steps end",
                "outcomes: {theme: migrates, settings: {failed: not-json}}"),
        ])
}

extension KeySection {
    /// How a step ends.
    static let outcomes = KeySection(
        name: "an outcome", summary: "How a step ends: expect asks for it, also with its reason.",
        keys: Outcome.Kind.allCases.map {
            KeyDefinition($0.rawValue, "nothing, or a reason", $0.about, "outcomes: {theme: \($0.rawValue)}")
        })
}

extension Outcome.Kind {
    /// What it says of a step, in a phrase.
    fileprivate var about: String {
        switch self {
        case .migrates: "it has something to change"
        case .unchanged: "what it would make is there already"
        case .skipped: "it leaves what is there, as it says"
        case .blocked: "it waits: for a fact, for another step, or for what is locked"
        case .conflict: "the target holds something else"
        case .failed: "what it reads is not as it must be"
        }
    }
}

extension ValueType.Kind {
    /// What is of the type, in a phrase.
    fileprivate var about: String {
        switch self {
        case .string: "a text"
        case .integer: "a whole number of up to 128 bits"
        case .real: "a number with a fraction, or one that is stored as such"
        case .number: "an integer or a real"
        case .bool: "true or false"
        case .flag: "true or false; a 0 or a 1 becomes one"
        case .date: "a date of a property list"
        case .data: "bytes"
        case .text: "a text; data becomes one that is its UTF-8"
        case .uuid: "a text that is a UUID"
        case .array: "a list"
        case .dictionary: "a mapping of keys to values"
        }
    }
}
