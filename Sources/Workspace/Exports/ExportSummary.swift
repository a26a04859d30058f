import MigrationEngine

/// What an export has written.
package struct ExportSummary: Hashable, Sendable {
    /// The absolute path of the new folder.
    package var target: String
    /// The archive in that folder that was written anew with the edits in it; `nil` where there is none.
    package var archive: String?
    /// How many files were copied byte for byte.
    package var copiedFiles = 0
    /// How many bytes these have.
    package var copiedBytes = 0
    /// The files that were written anew with edits, relative to the dump's root.
    package var rewritten: [String] = []
    /// The files that the dump does not have.
    package var added: [String] = []
    /// The files of the dump that are left out, because a step removed them.
    package var removed: [String] = []
    /// What could not be copied, with the reason, such as a pipe, or an attribute that the form
    /// of a keychain's export has no place for.
    package var skipped: [Skipped] = []
    /// Entries that steps have changed and that a dump of this form has no file for, such as keychain items
    /// where there is no keychain.
    package var withoutFile: [Address] = []
    /// Where the folder is that was replaced, if it could not be removed.
    package var leftover: String?
    /// What earlier exports that were killed had left beside the target, a copy of the dump's data each, and is removed now.
    package var removedLeftovers: [String] = []
    /// The same where it could not be removed.
    package var keptLeftovers: [String] = []

    /// An item of the dump that is not in the copy.
    package struct Skipped: Hashable, Sendable {
        /// The item, relative to the dump's root.
        package var path: String
        /// Why it is not.
        package var reason: String
    }
}

/// How far an export is.
package struct ExportProgress: Hashable, Sendable {
    /// What is being done.
    package enum Phase: String, Hashable, Sendable {
        /// Files are copied and written.
        case writing
        /// What was written is read back and compared.
        case comparing
    }

    /// What is being done.
    package var phase: Phase
    /// How many items are done in this phase.
    package var done: Int
    /// How many there are.
    package var total: Int
    /// The item that was done last, relative to the dump's root.
    package var path: String
}
