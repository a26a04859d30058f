/// Something that is wrong with a spec file: where, what, and what to write instead.
package struct SpecProblem: Error, Hashable, Sendable {
    /// The kinds of problem that reading finds, by the names that the linter gives them.
    package enum Code: String, Hashable, Sendable, CaseIterable {
        /// The text is not YAML.
        case notYAML = "V101"
        /// A scalar that readers of YAML take for different things.
        case doubtfulScalar = "V102"
        /// A value of another type than the language asks for.
        case wrongType = "V103"
        /// A key that stands twice in one mapping.
        case duplicateKey = "V104"
        /// A feature of YAML that the language does not have.
        case notInTheLanguage = "V105"
        /// More than one document.
        case secondDocument = "V106"
        /// More than a spec may have.
        case overLimit = "V107"
        /// A key that the language does not have, or one that is missing.
        case key = "V108"
        /// A format that this version does not read.
        case format = "V109"
        /// A name that nothing in the file has: an alias, a fact, a profile, a step.
        case unknownName = "V201"
        /// An address that is none, that leaves its container, or is in no store that dumps have, or a fact that may not stand in one.
        case address = "V203"
        /// An address in a folder that is a store of its own, or of a domain's file: nothing is ever there.
        case ownStore = "V205"
        /// A `*` in the target without one in the source.
        case wildcards = "V204"
        /// An operation that does not take what the one before it gives.
        case operand = "V301"
        /// A comparison of what never compares.
        case comparison = "V302"
        /// Two steps that write one target.
        case twoWriters = "V401"
        /// Something that depends on itself.
        case cycle = "V403"
        /// Versions of a document that cannot be told apart, or do not lead to one another.
        case versions = "V404"
        /// A step that takes away a whole domain or folder.
        case wholeStore = "V504"
        /// An alias or a fact that nothing names.
        case unused = "V202"
        /// A conversion to something coarser.
        case narrowing = "V303"
        /// A table that is not one to one, without saying what of the others.
        case openTable = "V304"
        /// A source that is gone before a later row reads it.
        case removedEarly = "V402"
        /// A secret that goes to a weaker place.
        case weakerPlace = "V501"
        /// What only the ledger's image brings back.
        case lossy = "V502"
        /// A value that is made up.
        case placeholder = "V503"
        /// A row in place whose result it would change again.
        case endless = "V405"
        /// Two rows that may write one entry.
        case overlappingWriters = "V406"
        /// A literal that looks like a secret.
        case literalSecret = "V506"
        /// A source or a type that a dump does not have.
        case notInDump = "V602"
        /// A removal of what did not arrive.
        case losesUnmigrated = "V505"
        /// A step whose name is made of its target.
        case unnamed = "V601"
        /// A profile that no expectation shows.
        case unproven = "V603"
        /// A name that another of the files has too.
        case sameName = "V604"

        /// How much it matters: an error keeps a spec from being used.
        package var severity: Severity {
            switch self {
            case .unused, .narrowing, .openTable, .removedEarly, .weakerPlace, .lossy, .losesUnmigrated,
                .endless, .overlappingWriters, .literalSecret, .notInDump, .sameName:
                .warning
            case .placeholder, .unnamed, .unproven: .note
            default: .error
            }
        }
    }

    /// How much a problem matters.
    package enum Severity: String, Hashable, Sendable, CaseIterable {
        case error, warning, note
    }

    /// Where something stands in a file.
    package struct Place: Hashable, Sendable, Comparable {
        /// The line, from 1.
        package var line: Int
        /// The column in Unicode scalars, from 1.
        package var column: Int

        package static func < (left: Place, right: Place) -> Bool {
            (left.line, left.column) < (right.line, right.column)
        }
    }

    /// The kind.
    package var code: Code
    /// Where it is.
    package var place: Place
    /// What is wrong, in a sentence.
    package var sentence: String
    /// What to write instead, in a sentence.
    package var fix: String

    init(_ code: Code, at place: Place, _ sentence: String, fix: String) {
        (self.code, self.place, self.sentence, self.fix) = (code, place, sentence.shortened, fix.shortened)
    }
}

extension String {
    /// The text without the middle of what is too long for a sentence: a file may quote a scalar of a megabyte.
    fileprivate var shortened: String {
        let limit = 500
        guard utf8.count > limit, count > limit else { return self }
        return prefix(limit / 2) + "…" + suffix(limit / 2)
    }
}

extension SpecProblem: CustomStringConvertible {
    /// The problem as compilers write it, such as `3:7: … [V102] Write "yes".`, without the name of the file.
    package var description: String {
        "\(place.line):\(place.column): \(sentence) [\(code.rawValue)] \(fix)"
    }
}

/// All that is wrong with a spec file, in the order of the file, each once; of errors the first ``most``, and a last one that
/// says so.
package struct SpecProblems: Error, Hashable, Sendable {
    /// The most errors of a file that are told.
    static let most = 100

    package var all: [SpecProblem]

    /// A file that cannot be read at all: why, in words.
    package init(unreadable why: String) {
        self.init([
            SpecProblem(
                .notYAML, at: .init(line: 1, column: 1), "the file cannot be read: \(why)",
                fix: "Check the name of the file.")
        ])
    }

    init(_ all: [SpecProblem]) {
        self.all = all.sorted { $0.place < $1.place }.uniquedByPlace
        let errors = self.all.indices.filter { self.all[$0].code.severity == .error }
        guard errors.count > Self.most else { return }
        let next = self.all[errors[Self.most]].place
        self.all = self.all.enumerated().filter { $0.offset < errors[Self.most] }.map(\.element)
        self.all.append(
            SpecProblem(
                .overLimit, at: next, "there are more than \(Self.most) mistakes, and from here on they are not told",
                fix: "Mend those above, and look again."))
    }
}

extension [SpecProblem] {
    /// Each once, of those that are ordered by their places: only what stands at one place is compared.
    fileprivate var uniquedByPlace: [SpecProblem] {
        var kept: [SpecProblem] = [], seen: Set<SpecProblem> = []
        kept.reserveCapacity(count)
        for problem in self {
            guard let last = kept.last, last.place == problem.place else {
                if !seen.isEmpty { seen = [] }
                kept.append(problem)
                continue
            }
            if seen.isEmpty { seen = [last] }
            if seen.insert(problem).inserted { kept.append(problem) }
        }
        return kept
    }
}
