import DeviceDump
import MigrationEngine

/// Why something cannot be done with a workspace; the words are in the extension below.
package enum WorkspaceError: Error, Hashable, Sendable {
    /// The ledger file at a path cannot be used.
    case ledger(String, LedgerProblem)
    /// The workspace is read-only, so nothing can be applied or rolled back.
    case readOnly(ReadOnlyReason)
    /// A change holds a value that a ledger cannot keep exactly: where, and why.
    case unstorable(Address, reason: String)
    /// Nothing says where ledgers are kept: neither `XDG_STATE_HOME` nor `HOME` is an absolute path.
    case noStateFolder
    /// The ledger would lie inside the dump, which is never written to: the ledger's path.
    case ledgerInsideDump(String)
    /// The ledger at a path is of another dump: of which apps, and what was opened.
    case foreignLedger(String, of: String, opened: String)
    /// The dump cannot be read.
    case dump(DumpError)
    /// The migration has no such profile: its name, the migration, and the profiles that there are.
    case unknownProfile(String, migration: String, known: [String])
    /// The migration has no such steps: their names, the migration, and the steps that there are.
    case unknownSteps([String], migration: String, known: [String])
    /// A step that is to be rolled back to does not stand.
    case notApplied(String)
    /// A step that is to be rolled back to stands in several migrations: which.
    case ambiguousStep(String, migrations: [String])
    /// A step cannot be taken back, as a later one of another container read what it has made.
    case restsOn(String, container: String, step: String)
    /// Steps were applied, or taken back, before the error: their names in order.
    indirect case partly([String], WorkspaceError)
    /// There was an error, and the ledger cannot be read after it: what was done before is not known.
    indirect case uncertain(WorkspaceError, rereading: WorkspaceError)
    /// A fact cannot be used.
    case fact(FactProblem)
    /// The dump has changed since steps were applied.
    case drift([Drift])
    /// Files are not what they were when the dump was opened.
    case changedSinceOpening([Drift])
    /// A new dump cannot be written to a path.
    case export(String, ExportProblem)
    /// Two dumps that are to be compared are of two apps: which.
    case otherApp(String, String)
    /// Two single databases that are to be compared are called differently: how.
    case otherDatabase(String, String)
    /// Nothing says which app the preferences are of that came at a path, and they are to be compared with those of an app.
    case unnamedApp(String, app: String)
    /// The person stopped it; nothing was left behind.
    case cancelled
}

/// What can be wrong with the file of a ledger.
package enum LedgerProblem: Hashable, Sendable {
    /// It is another file: what it looks like, in words.
    case notALedger(String)
    /// Its bytes or its rows are damaged: where and how, in words.
    case damaged(String)
    /// A newer version of the program has written it: the name of its schema.
    case newer(schema: String)
    /// The file system refused: what, in words.
    case inaccessible(String)
    /// There is a symbolic link that leads to nothing.
    case danglingLink
    /// Beside its place lies a file that SQLite would take for a part of it: its path.
    case besideAnother(String)
    /// There is no space left for it.
    case full
    /// Another program has written to it since it was read.
    case changedByAnother
}

/// Why a workspace can only be looked at.
package enum ReadOnlyReason: Hashable, Sendable {
    /// Another program has the ledger open.
    case inUse
    /// The file system does not let it be written: why, in words.
    case notWritable(String)
}

/// A fact as a person gave it: whoever tells of it masks the value as its name asks for.
package struct GivenFact: Hashable, Sendable {
    /// Its name.
    package let name: FactName
    /// The text that was given, on one line.
    package let value: String
}

/// What can be wrong with a fact or a file of facts.
package enum FactProblem: Hashable, Sendable {
    /// Nobody asks for a fact of that name: the name, where it came from, and the names that there are.
    case unknown(String, source: String, known: [String])
    /// Migrations declare a fact and use it nowhere: its name, where it came from, and their names.
    case unused(String, source: String, by: [String])
    /// Steps were applied to a lone file as that of one app, and it was opened as that of another: both.
    case namedOtherwise(String, opened: String)
    /// It names the store of a lone file, which is named when the dump is opened: its name and the value.
    case onlyAtOpening(FactName, value: String)
    /// An argument is not of the form `NAME=VALUE`.
    case notAnAssignment(String)
    /// A value has not the form that the migration asks for: the value, where it came from, and what is asked for.
    case badForm(String, source: String, FactDefinition)
    /// A value counts from a time that is not known: the value, where it came from, what is asked for, and which time.
    case untold(String, source: String, FactDefinition, TimeAnchors.Anchor)
    /// A value is the time since a moment that is not over yet: the value, where it came from, and what is asked for.
    case backwards(String, source: String, FactDefinition)
    /// A file cannot be read: its name, and why.
    case unreadableFile(String, reason: String)
    /// The facts that were given in the inspector could not be kept for the next time: the file, and why.
    case notRemembered(String, reason: String)
    /// The file in which they are kept is not as it was written.
    case damagedMemory(String)
    /// A newer version has written it.
    case newerMemory(String)
    /// A fact in it has not the form that is asked for: its value, the file, and what is asked.
    case badMemory(String, file: String, FactDefinition)
    /// Nobody asks for a fact in it: its name, the file, and the names of those that are asked for.
    case unaskedMemory(String, file: String, known: [String])
    /// Facts in it are of another dump: those, whose they are, where that lay if it was not here, of how many
    /// further dumps there are facts, and the file.
    case otherMemory([GivenFact], of: String, at: String?, furtherDumps: Int, file: String)
    /// An earlier version has kept facts in it: those, whose they are as far as it said that, the file, and whether they are this dump's by
    /// what it said.
    case olderMemory([GivenFact], of: String?, file: String, isTaken: Bool)
    /// Another program has given others, or taken some back, meanwhile: those that it gave, the names of those that are not known any more,
    /// and the file.
    case changedMemory([GivenFact], gone: [FactName], file: String)
    /// A line of a file, from 1, is not `name=value`.
    case badLine(String, line: Int)
    /// A fact stands twice in a file: its name, and the line, from 1, of the second where it is known.
    case duplicate(String, name: String, line: Int?)
    /// A file of JSON is not an object of texts and numbers: which name, or `nil` where it is no object.
    case notTextOrNumber(String, name: String?)
    /// A file is neither JSON nor lines: what is wrong with it, and where.
    case malformed(String, reason: String)
}

/// What can go wrong when a new dump is written.
package enum ExportProblem: Hashable, Sendable {
    /// The target is not the name of a folder, such as `.` or `/`.
    case notAName
    /// The target's name has more bytes than file systems allow.
    case nameTooLong(bytes: Int)
    /// There is something at the target.
    case targetExists
    /// There is something at the target, or something else, that was not there when the export began.
    case takenMeanwhile
    /// There is a folder at the target that no export has written, and it is not replaced.
    case notAnExport
    /// There is an export at the target with things in it that it did not write, or not so: their paths.
    case changedSince([String])
    /// There is an export at the target, and nothing says what it has written there.
    case withoutList
    /// There is something, at this path, where the list of what is written there would be put.
    case listTaken(String)
    /// There is something at the target, and it is not a folder.
    case targetNotAFolder
    /// The target lies in the dump, or is it.
    case insideDump
    /// The dump, or the export of its keychain, lies in the target.
    case holdsDump
    /// The ledger lies in the target, which would be replaced.
    case holdsLedger
    /// The folder that the target should be in is not there.
    case noParentFolder
    /// The dump has more items than are listed, or parts that cannot be listed: why, in words.
    case incompleteListing(String)
    /// A file cannot be copied or written: its path in the dump, and why.
    case file(String, reason: String)
    /// What steps have made of something in the dump is never written: its place, and why.
    case refused(String, reason: String)
    /// A file cannot be written anew with its edits, because something in it that stays cannot be read: its path, and why.
    case notRewritable(String, reason: String)
    /// A file to be written has, or lies in, something that is not a file or folder in the dump: its path.
    case notAFilePath(String)
    /// A file to be written has a name of more bytes than file systems allow: its path.
    case fileNameTooLong(String, bytes: Int)
    /// Nothing of what was applied has a place in a dump of this form: the entries.
    case noPlace([Address])
    /// There is no keychain that the items which steps have made could be written to, so that they would be lost.
    case noKeychain([Address])
    /// What was read back is not what was to be written: the path in the dump, and what differs.
    case mismatch(String, what: String)
    /// The new folder could not be put in place: why.
    case notPlaced(String)
}

extension WorkspaceError: CustomStringConvertible {
    /// What happened, why, and what the person can do.
    package var description: String {
        switch self {
        case .ledger(let path, let problem):
            "The ledger \(path) \(problem)" + (problem.isOfWriting ? " Nothing was changed." : "")
        case .readOnly(let reason): "The workspace is open for reading only: \(reason)."
        case .unstorable(let address, let reason):
            "The ledger cannot keep the value at \(address) exactly (\(reason)), so the step was not applied."
        case .noStateFolder:
            "Nothing says where to keep the ledger: neither XDG_STATE_HOME nor HOME is an absolute path. "
                + "Name a file for it."
        case .ledgerInsideDump(let path):
            "The ledger \(path) would lie inside the dump, which is never written to. "
                + "Name a file elsewhere."
        case .foreignLedger(let path, let apps, let opened):
            "The ledger \(path) is of another dump: it is of \(apps), and this is \(opened). Open the dump that it is of, "
                + "or name the ledger of this one."
        case .dump(let error): error.description
        case .unknownProfile(let name, let migration, let known):
            "The migration \(migration) has no profile “\(name)”. \(Nearest.advice(on: [name], among: known, "It has"))"
        case .unknownSteps(let names, let migration, let known):
            "The migration \(migration) has no step \(names.map { "“\($0)”" }.joined(separator: ", ")). "
                + Nearest.advice(on: names, among: known, "It has")
        case .notApplied(let step):
            "The step “\(step)” is not applied, so there is nothing to roll back to. `vestige status` lists the steps."
        case .ambiguousStep(let step, let migrations):
            "The step “\(step)” is applied in several migrations: name it as "
                + migrations.map { "\($0):\(step)" }.joined(separator: " or ") + "."
        case .restsOn(let step, let container, let later):
            "The step “\(step)” is not taken back: the step “\(later)” of \(container), which was applied later, read what it "
                + "has made. Roll that one back first: --app \(container)."
        case .partly(let steps, let error):
            error.isolated + " Done before that, and kept: \(steps.joined(separator: ", "))."
        case .uncertain(let error, let second):
            "\(error.isolated) After that the ledger could not be read, so it is not known what was done: "
                + second.isolated
        case .fact(let problem): problem.description
        case .changedSinceOpening(let drifts):
            "The dump has changed since it was opened: \(drifts.map(\.description).joined(separator: ", ")). Nothing was "
                + "done; read it anew (Ctrl-R in the inspector), look at the plan, and try again."
        case .drift(let drifts) where drifts.isOfKeychain:
            "Not everything that steps were applied with is here:\n"
                + drifts.map { "  \($0)" }.joined(separator: "\n")
                + "\nGive that keychain, roll back all steps and start anew, or go on without it deliberately."
        case .drift(let drifts):
            "The dump has changed since steps were applied:\n"
                + drifts.map { "  \($0)" }.joined(separator: "\n")
                + "\nPut the files back, roll back all steps and start anew, or accept the change deliberately."
        case .export(let path, let problem): "The dump was not exported to \(path): \(problem)"
        case .otherApp(let old, let new): "These are dumps of two apps, \(old) and \(new)."
        case .otherDatabase(let old, let new):
            "These are two databases, \(old) and \(new): their tables are compared where the files are called alike. Give a copy "
                + "of one by the name of the other."
        case .unnamedApp(let path, let app):
            "Nothing says which app the preferences in \(path) are of, and they are called otherwise than those that they are "
                + "compared with; where they are of \(app), say so."
        case .cancelled: "Stopped. Nothing was left behind."
        }
    }
}

extension WorkspaceError {
    /// What happened, without what has become of the rest.
    private var isolated: String {
        switch self {
        case .ledger(let path, let problem): "The ledger \(path) \(problem)"
        case .cancelled: "Stopped."
        default: description
        }
    }
}

extension LedgerProblem {
    /// Whether it comes up where something is written.
    fileprivate var isOfWriting: Bool {
        if case .besideAnother = self { return true }
        return self == .full || self == .changedByAnother
    }
}

extension LedgerProblem: CustomStringConvertible {
    /// The end of a sentence that begins with the ledger.
    package var description: String {
        switch self {
        case .notALedger(let what):
            "is not a ledger: it is \(what). It was left as it is; name another file."
        case .damaged(let what):
            "is damaged: \(what). It was left as it is; restore it from a copy, or name another file to "
                + "start anew."
        case .newer(let schema):
            "was written by a newer version of Vestige (schema “\(schema)”). Use that version to open it."
        case .inaccessible(let what): "cannot be used: \(what)."
        case .danglingLink:
            "cannot be made: at its place is a symbolic link to something that is not there. Remove the link, or name "
                + "the file itself."
        case .besideAnother(let path):
            "cannot be made beside \(path), which SQLite would take for a part of it and remove. Move that file away if "
                + "it is nobody's, or name another file."
        case .full: "cannot be written: there is no space left. Make room and try again."
        case .changedByAnother:
            "was changed by another program since it was read. Look at what it holds now, then try again."
        }
    }
}

extension ReadOnlyReason: CustomStringConvertible {
    /// The reason as a part of a sentence.
    package var description: String {
        switch self {
        case .inUse: "another program has it open; close that one, and go on here"
        case .notWritable(let what): what
        }
    }
}

extension FactProblem: CustomStringConvertible {
    /// What is wrong and what would be right, without the values, which may be secret.
    package var description: String { sentence { _ in "…" } }

    /// The facts that it quotes.
    package var quoted: [GivenFact] {
        switch self {
        case .badForm(let value, _, let definition), .untold(let value, _, let definition, _),
            .backwards(let value, _, let definition), .badMemory(let value, _, let definition):
            [GivenFact(name: definition.name, value: value)]
        case .otherMemory(let facts, _, _, _, _), .olderMemory(let facts, _, _, _), .changedMemory(let facts, _, _):
            facts
        default: []
        }
    }

    /// What is asked for, where it is about the form of a fact.
    package var asked: FactDefinition? {
        switch self {
        case .badForm(_, _, let definition), .untold(_, _, let definition, _), .backwards(_, _, let definition),
            .badMemory(_, _, let definition):
            definition
        default: nil
        }
    }

    /// What is wrong and what would be right.
    ///
    /// - Parameter shown: The value of a fact as it may be shown.
    package func sentence(_ shown: (GivenFact) -> String) -> String {
        func value(_ text: String, _ definition: FactDefinition) -> String {
            shown(GivenFact(name: definition.name, value: text))
        }
        func list(_ facts: [GivenFact]) -> String { Self.words(facts, shown).joined(separator: ", ") }
        return switch self {
        case .unknown(let name, let source, let known):
            "There is no fact “\(name)” (from \(source)). "
                + Nearest.advice(on: [name], among: known, "There are")
        case .unused(let name, let source, let migrations):
            "The fact “\(name)” (from \(source)) is declared by \(migrations.joined(separator: ", ")), but nothing there uses "
                + "it, so that giving it changes nothing. Leave it out."
        case .namedOtherwise(let applied, let opened):
            "Steps were applied to this file as that of \(applied), and it was opened as that of “\(opened)”: open it with the "
                + "fact bundleIdentifier \(applied), or name another ledger."
        case .onlyAtOpening(let name, _):
            "The fact \(name) says what is in this file, which is asked when it is opened, and not afterwards."
        case .notAnAssignment(let text):
            "“\(text)” is not a fact: write it as NAME=VALUE (example: now=1725000000)."
        case .badForm(let text, let source, let definition):
            "The fact \(definition.name) must be \(definition.requirement), and “\(value(text, definition))” "
                + "(from \(source)) is not."
        case .untold(let text, let source, let definition, let anchor):
            "What the fact \(definition.name) is cannot be told from “\(value(text, definition))” (from \(source)): \(anchor.lack). Give it as "
                + "\(definition.form == .moment ? "a date, such as 2024-08-30 10:00" : "a length of time, such as 3h")."
        case .backwards(let text, let source, let definition):
            "The fact \(definition.name) would be less than nothing by “\(value(text, definition))” (from \(source)): that is later than the "
                + "fact now. Give an earlier moment, or another now."
        case .unreadableFile(let file, let reason): "The file of facts \(file) cannot be read: \(reason)."
        case .notRemembered(let file, let reason):
            "The fact counts until the inspector is closed, but is not remembered, as \(file) \(reason)."
        case .damagedMemory(let file):
            "\(file), which remembers the facts that were given in the inspector, is damaged, so they are not known. Nothing "
                + "else is in it: move it away, and give them again."
        case .newerMemory(let file):
            "\(file), which remembers the facts that were given in the inspector, was written by a newer version of Vestige, "
                + "so they are not known. Use that version, or move it away and give them again."
        case .unaskedMemory(let name, let file, let known):
            "No migration here asks for the fact “\(name)”, which \(file) remembers: it is left out."
                + (known.isEmpty ? "" : " " + Nearest.advice(on: [name], among: known, "They ask for"))
        case .otherMemory(let facts, let whose, let place, let further, let file):
            "\(Self.were(facts)) given for another dump \(Self.are(facts)) not taken for this one: \(list(facts)) "
                + "(of \(whose), \(place.map { "at \($0)" } ?? "which lay here, or this one before it was changed")"
                + (further == 0 ? ")" : "; and those of \(further) further dump\(further == 1 ? "" : "s"))")
                + Self.toGiveAgain(in: file)
        case .olderMemory(let facts, let whose, let file, isTaken: false):
            "\(Self.were(facts)) kept by an earlier version of Vestige, which did not say clearly of which dump, "
                + "\(Self.are(facts)) not taken: \(list(facts))\(whose.map { " (of \($0))" } ?? "")"
                + Self.toGiveAgain(in: file)
        case .olderMemory(let facts, _, let file, isTaken: true):
            "\(Self.were(facts)) kept by an earlier version of Vestige for this dump, in \(file), \(Self.are(facts)) taken: "
                + "\(list(facts))."
        case .changedMemory(let taken, let gone, let file):
            "Another program has changed the facts that \(file) remembers, which counts here too: "
                + Self.changed(taken, gone, shown) + "."
        case .badMemory(let text, let file, let definition):
            "The fact \(definition.name) must be \(definition.requirement), and “\(value(text, definition))” is not, as which \(file) "
                + "remembers it: it is left out."
        case .badLine(let file, let line):
            "\(file), line \(line), is not a fact: write it as name=value (example: now=1725000000)."
        case .duplicate(let file, let name, let line):
            "\(file)\(line.map { ", line \($0)," } ?? "") gives the fact \(name) a second time. Keep one of them."
        case .notTextOrNumber(let file, let name?):
            "In \(file) the fact \(name) is neither a text nor a number. Write it as one of these."
        case .notTextOrNumber(let file, nil):
            "\(file) is not a JSON object of facts (example: {\"now\": 1725000000})."
        case .malformed(let file, let reason): "\(file) is not a file of facts: \(reason)."
        }
    }
}

extension WorkspaceError {
    /// Whether it quotes facts: those are masked by their names, and the words around them are the program's own.
    package var quotesFacts: Bool { if case .fact(let problem) = self { !problem.quoted.isEmpty } else { false } }
}

extension FactProblem {
    /// Facts as they would be given again.
    private static func words(_ facts: [GivenFact], _ shown: (GivenFact) -> String) -> [String] {
        facts.map { "\($0.name)=\(shown($0))" }
    }

    /// Which facts another program has given, and which it has taken back.
    package static func changed(
        _ given: [GivenFact], _ gone: [FactName], _ shown: (GivenFact) -> String
    ) -> String {
        (words(given, shown) + gone.map { "\($0) not known any more" }).joined(separator: ", ")
    }

    private static func were(_ facts: [GivenFact]) -> String {
        facts.count == 1 ? "1 fact that was" : "\(facts.count) facts that were"
    }

    private static func are(_ facts: [GivenFact]) -> String { facts.count == 1 ? "is" : "are" }

    /// How facts that are not taken come to be known; the end of a sentence, and another one.
    private static func toGiveAgain(in file: String) -> String {
        ". Give again those that are right for this dump as well (:fact in the inspector, or --fact); \(file) keeps them all."
    }
}

extension FactDefinition {
    /// What the text must be, in words, with an example.
    fileprivate var requirement: String {
        switch form {
        // They have examples of their own.
        case .moment, .seconds: form.requirement
        default: "\(form.requirement), such as \(example)"
        }
    }
}

extension FactDefinition.Form {
    /// What the text must be, in words.
    package var requirement: String {
        switch self {
        case .text: "a text that is not empty"
        case .name:
            "a name of at most \(FactDefinition.nameLimit) bytes, without a slash, two dots in a row or a control character"
        case .integer: "a whole number"
        case .flag: "true or false"
        case .oneOf(let words): "one of \(words.joined(separator: ", "))"
        case .seconds:
            "a number of seconds, zero or more, a length of time such as 3h or 1 day 4 h, or the time since a "
                + "moment, such as since 2024-08-30 10:00"
        case .moment:
            "a number of seconds since 1970, a date such as 2024-08-30, 2024-08-30 10:00 or 2024-08-30T10:00:00.5+02:00 "
                + "(without a zone in UTC), now, or a distance such as 3h after the dump or 2 days before 2024-08-30"
        case .uuid: "a UUID"
        }
    }
}

extension TimeAnchors.Anchor {
    /// That it is not known, in a sentence without a full stop.
    package var lack: String {
        switch self {
        case .dump: "the dump does not say when it was made"
        case .clock: "what time it is now was not given"
        case .start: "the fact now is not known"
        }
    }
}

extension ExportProblem: CustomStringConvertible {
    /// Why, and what the person can do.
    package var description: String {
        switch self {
        case .notAName: "that is not the name of a folder to make. Give it a name of its own, such as ./migrated."
        case .nameTooLong(let bytes):
            "its name has \(bytes) bytes, and file systems allow \(DumpPath.partLimit). Give it a shorter one."
        case .notAnExport:
            "there is a folder that no export has written, so it is not replaced. Name another folder, or remove it "
                + "yourself."
        case .changedSince(let paths):
            "an export is there, and in it is what it did not write, or what was changed since: "
                + "\(paths.prefix(5).joined(separator: ", "))\(paths.count > 5 ? " and \(paths.count - 5) more" : ""). "
                + "Move that away, or name another folder."
        case .withoutList:
            "an export is there, and the hidden file beside it that lists what it has written is not, so what was put there "
                + "since cannot be told. Name another folder, or remove it yourself."
        case .listTaken(let path):
            "the list of what is written there would be put at \(path), and what is there no export has written. Move that "
                + "away, or name another folder."
        case .targetExists: "a file or a folder of that name is there already. Name another, or have it replaced."
        case .takenMeanwhile:
            "something else has come to its place since this export began, such as another export. Nothing of this one was left "
                + "behind; look at what is there, and export again."
        case .targetNotAFolder: "there is something that is not a folder, and it is not replaced. Name another folder."
        case .insideDump: "it lies inside the dump, which is never written to. Name a folder elsewhere."
        case .holdsDump: "the dump, or its keychain's export, lies inside it. Name a folder elsewhere."
        case .holdsLedger: "the ledger lies inside it, and would be lost. Name another folder."
        case .noParentFolder: "the folder that it should be in is not there. Make it first."
        case .incompleteListing(let why):
            "not everything in the dump can be listed (\(why)), so the copy would lack it."
        case .file(let path, let reason), .refused(let path, let reason): "\(path): \(reason). Nothing was left behind."
        case .notRewritable(let path, let reason):
            "\(path) cannot be written with its changes, because not all of it can be read: \(reason). "
                + "Roll back the steps that change it. Nothing was left behind."
        case .fileNameTooLong(let path, let bytes):
            "the file of a changed entry would have a name of \(bytes) bytes, and file systems allow "
                + "\(DumpPath.partLimit): \(path). Roll back the steps that make it and apply them with a shorter name, such "
                + "as that of the write key. Nothing was left behind."
        case .noPlace(let addresses):
            "no file in this form of dump can hold what was applied (\(Self.some(of: addresses))), so the copy would be the "
                + "dump as it was. Look at the facts that the steps were applied with."
        case .noKeychain(let addresses):
            "the steps have written keychain items (\(Self.some(of: addresses))), and there is no keychain here to write them "
                + "to: the copy would lack them. Give the export of the keychain that the steps were applied with."
        case .notAFilePath(let path):
            "\(path) is, or lies in, something that is neither a file nor a folder. Nothing was left behind."
        case .mismatch(let path, let what):
            "\(path) was written and reads back differently: \(what). Nothing was left behind; this may be a bad disk."
        case .notPlaced(let why): "it could not be put in place: \(why). Nothing was left behind."
        }
    }

    private static func some(of addresses: [Address]) -> String {
        addresses.prefix(3).map(\.description).joined(separator: ", ")
            + (addresses.count > 3 ? " and \(addresses.count - 3) more" : "")
    }
}
