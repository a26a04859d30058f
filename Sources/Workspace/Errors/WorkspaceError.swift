import DeviceDump
import MigrationEngine

/// Why something cannot be done with a workspace; the words are in `WorkspaceError+Message.swift`.
public enum WorkspaceError: Error, Hashable, Sendable {
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
    /// Steps were applied, or taken back, before the error: their names in order.
    indirect case partly([String], WorkspaceError)
    /// A fact cannot be used.
    case fact(FactProblem)
    /// The dump has changed since steps were applied.
    case drift([Drift])
    /// Files are not what they were when the dump was opened.
    case changedSinceOpening([Drift])
    /// A new dump cannot be written to a path.
    case export(String, ExportProblem)
    /// The person stopped it; nothing was left behind.
    case cancelled
}

/// What can be wrong with the file of a ledger.
public enum LedgerProblem: Hashable, Sendable {
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
public enum ReadOnlyReason: Hashable, Sendable {
    /// Another program has the ledger open.
    case inUse
    /// The file system does not let it be written: why, in words.
    case notWritable(String)
}

/// What can be wrong with a fact or a file of facts.
public enum FactProblem: Hashable, Sendable {
    /// Nobody asks for a fact of that name: the name, where it came from, and the names that there are.
    case unknown(String, source: String, known: [String])
    /// An argument is not of the form `NAME=VALUE`.
    case notAnAssignment(String)
    /// A value has not the form that the migration asks for: the value, where it came from, and what is asked for.
    case badForm(String, source: String, FactDefinition)
    /// A file cannot be read: its name, and why.
    case unreadableFile(String, reason: String)
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
public enum ExportProblem: Hashable, Sendable {
    /// The target is not the name of a folder, such as `.` or `/`.
    case notAName
    /// The target's name has more bytes than file systems allow.
    case nameTooLong(bytes: Int)
    /// There is something at the target.
    case targetExists
    /// There is a folder at the target that no export has written, and it is not replaced.
    case notAnExport
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
    /// A file cannot be written anew with its edits, because something in it that stays cannot be read: its path, and why.
    case notRewritable(String, reason: String)
    /// A file to be written has, or lies in, something that is not a file or folder in the dump: its path.
    case notAFilePath(String)
    /// A file to be written has a name of more bytes than file systems allow: its path.
    case fileNameTooLong(String, bytes: Int)
    /// Nothing of what was applied has a place in a dump of this form: the entries.
    case noPlace([Address])
    /// What was read back is not what was to be written: the path in the dump, and what differs.
    case mismatch(String, what: String)
    /// The new folder could not be put in place: why.
    case notPlaced(String)
}
