import MigrationEngine

extension SpecProblem.Code {
    /// What it finds, as the reference says it.
    package var about: String {
        switch self {
        case .notYAML:
            "not YAML"
        case .doubtfulScalar:
            "a scalar that readers of YAML take for different things"
        case .wrongType:
            "a value of another type than the language asks for"
        case .duplicateKey:
            "a name that stands twice"
        case .notInTheLanguage:
            "anchors, aliases, tags, directives"
        case .secondDocument:
            "a second document"
        case .overLimit:
            "more than a limit"
        case .key:
            "a key that the language does not have, or one that is missing"
        case .format:
            "a format that this version does not read"
        case .unknownName:
            "a name that nothing in the file has"
        case .unused:
            "an alias or a fact that nothing names"
        case .address:
            "an address that is none, that leaves its container, or is in no store of files that a dump has, or a fact that "
                + "may not stand in one"
        case .wildcards:
            "a `*` in the target, or in a condition, without one in the source"
        case .ownStore:
            "an address in a folder that is a store of its own, where nothing ever is: "
                + "`file://Library/Caches/x` is `file://Caches/x`"
        case .operand:
            "an operation that does not take what it is given, also within `each` and `in`, or a result "
                + "that is no bytes for a file or an item of the keychain"
        case .comparison:
            "a comparison of what never compares, also by `exists: larger`, or with a word such as `missing` or "
                + "`int`, which asks for `is absent` or `is integer`"
        case .narrowing:
            "narrowing: a time that becomes coarser, an integer that becomes a real"
        case .openTable:
            "a table that is not one to one, without `else` or `error`, also within `each` and `in`"
        case .twoWriters:
            "two steps that write one target, also through a `*`, unless their `if`s exclude one "
                + "another, also on the value of one source, and no step between them changes what those ask "
                + "for, or one `to` that names it twice"
        case .removedEarly:
            "a source that is gone, also through a `*` or by `error: aside`, or overwritten before a "
                + "later row reads it; or an item of a list behind one that is gone by then"
        case .cycle:
            "something that depends on itself: a step by `after`, a profile by `like`, a fact by `from`, "
                + "or rows without `if` that overwrite one another's sources"
        case .versions:
            "versions that look the same, do not follow one another, or are made of a field that the one "
                + "before has not"
        case .endless:
            "a row that changes its own result again, or fails on it: in place or as it overwrites what "
                + "it reads, tried on made-up values as its advice is, or by a `*` that fits its target too"
        case .overlappingWriters:
            "two rows that may write one entry: a part and the whole, names that two stars fit, or one "
                + "in place and a later one with `to`"
        case .weakerPlace:
            "a secret that goes to a weaker place, or is always accessible"
        case .lossy:
            "what only the ledger brings back: `discard`, `overwrite`, `aside`, what an operation drops "
                + "where the source goes or in the versions of a document, members without a target, a form that is read in place and not written again, and the rest of "
                + "an entry that a removal takes though rows read parts of it alone"
        case .placeholder:
            "a value that is made up, also by `add`"
        case .wholeStore:
            "a removal of a whole store or folder, or of everything in one"
        case .losesUnmigrated:
            "a removal of what did not arrive"
        case .literalSecret:
            "a literal that looks like a secret; one with a word such as `example` in it is invented, "
                + "and a word for a state, such as `unknown`, is none"
        case .unnamed:
            "a row without `id`"
        case .notInDump:
            "with `--dump`: a source, a type or a form that the dump does not have"
        case .unproven:
            "a profile without an expectation"
        case .sameName:
            "an `id` that another of the files has too"
        }
    }
}

extension KeySection {
    /// What the linter says.
    static let findings = KeySection(
        name: "a code of the linter", summary: "What specs lint says of a file; an error keeps it from being used.",
        keys: SpecProblem.Code.allCases.sorted { $0.rawValue < $1.rawValue }.map {
            KeyDefinition($0.rawValue, $0.severity.rawValue, $0.about, "specs lint FILE")
        })

    /// Why a step ends as it does, but for what one operation alone fails with.
    static let reasons = KeySection(
        name: "a reason",
        summary: "Why a step ends as it does: say gives one own words, and expect may ask for it with the outcome.",
        keys: [
            ("absent", "skipped", "nothing is at any source"),
            ("empty", "skipped", "`empty: skip`, and nothing is left of it"),
            ("condition-not-met", "skipped", "what `if` asks does not hold"),
            ("requirement-not-met", "skipped", "what `requires` asks does not hold"),
            ("left", "skipped", "a note says that it is left, or, of what a star stands for, the row"),
            ("target-kept", "skipped", "`exists: keep` or `larger`, and the target keeps what it has"),
            ("not-migrated", "skipped", "a removal, and nothing of it has arrived"),
            ("already-newer", "skipped", "the document is of a later version"),
            (
                "held-otherwise", "unchanged",
                "an item of the keychain holds it already, and can be read at other times or is in another access group"
            ),
            ("partly-failed", "migrates", "of a star some failed, and the others go on"),
            ("target-differs", "conflict", "the target holds something else"),
            ("missing-fact", "blocked", "a fact that nobody gave"),
            ("malformed-fact", "blocked", "a fact that is none of its type, or leads out of a store"),
            ("unconfirmed-facts", "blocked", "a fact that is only assumed"),
            ("earlier-steps-first", "blocked", "a step before it is not done"),
            ("version-unclear", "blocked", "which version the document has, a person must say"),
            ("repeated-key", "blocked", "a member of JSON that stands more than once"),
            ("changed-elsewhere", "blocked", "another app's step has changed it since"),
            ("unreadable-locked", "blocked", "it is encrypted, and the key is not here"),
            ("unreadable-ambiguous", "blocked", "several values stand under its name"),
            ("unreadable-not-in-dump", "blocked", "the dump has no such stores, so nothing is known of them"),
            ("unreadable-corrupt", "failed", "its bytes are damaged"),
            ("unreadable-unsupported", "failed", "its form is known and not read"),
            ("unreadable-over-limit", "failed", "it is larger than this program reads"),
            ("unreadable-inaccessible", "failed", "the file system refuses it"),
            ("wrong-type", "failed", "it is not of the type that the row or the operation takes"),
            ("check-failed", "failed", "what `check` asks does not hold"),
            ("over-limit", "failed", "operations make more than they may"),
            ("field-missing", "failed", "a field is not there"),
            ("field-exists", "failed", "a field is there already"),
            ("no-document", "failed", "a field is asked of an entry that has none"),
            ("edit-impossible", "failed", "the change cannot be made in what is there"),
            ("not-an-entry", "failed", "the address is of a store, or of a folder"),
            ("not-an-address", "failed", "what the facts and the stars make is no address"),
            (
                "address-outside", "failed",
                "what the facts and the stars make leaves its container, or no dump can hold it"
            ),
            ("read-only-store", "failed", "such a store is only read"),
            ("document-corrupt", "failed", "the document is no JSON"),
            ("document-missing", "failed", "its version is there, and the document is not"),
            ("document-invalid", "failed", "the document is not what its version says"),
            ("version-unknown", "failed", "which version the document has cannot be told"),
            ("version-ambiguous", "failed", "the document looks like several versions"),
            ("version-newer", "failed", "the document is newer than the file knows"),
            ("missing-step", "failed", "no step leads from its version to the next"),
            ("step-failed", "failed", "the operations of a version cannot be done"),
            ("not-convertible", "failed", "a field cannot be converted"),
            ("result-invalid", "failed", "what was made is not of the next version"),
            ("result-corrupt", "failed", "what was made is no document, or no text"),
        ].map { KeyDefinition($0, $1, $2, "say: {\($0): why it is so}, or outcomes: {STEP: {\($1): \($0)}}") })

    /// Every reason code that a step of a spec may end with.
    package static let reasonCodes = Set(reasons.names + OperationTable.all.flatMap(\.errors))
}
