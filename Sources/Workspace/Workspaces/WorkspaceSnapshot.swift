import DeviceDump
import Foundation
import MigrationEngine
import StoreFormats

/// Steps that stand in another container of the same ledger.
package struct StandingElsewhere: Hashable, Sendable {
    /// The container: its identifier, or where it is no part of the dump, the name that the ledger has for it.
    package var container: String
    /// How many steps stand.
    package var steps: Int
}

/// A workspace at one moment; it never changes, and costs nothing to keep or hand on.
package struct WorkspaceSnapshot: Sendable {
    /// The dump.
    package let dump: Dump
    /// The container that was chosen: its stores as they are in the dump.
    package let container: Container
    /// What has been applied and rolled back.
    package let history: History
    /// What is seen: the container's stores with every standing change.
    package let overlay: Overlay
    /// The container's stores as they are in the dump, with what steps of other containers have made of entries that they
    /// share, as those of an app group.
    package let stores: any StoreReader
    /// The facts, each from the best source: given, the ledger, the dump's metadata, or assumed.
    ///
    /// A plan adds those that its migration finds in the stores.
    package let facts: Facts
    /// Whether steps can be applied and rolled back.
    package let access: LedgerFile.Access
    /// The files that have changed since standing steps read them, of this container.
    package let drift: [Drift]
    /// Whether anybody has looked for drift since the dump was opened; where nobody has, there is none in ``drift``.
    package let driftIsKnown: Bool
    /// What steps of other containers have made of entries that this one has too.
    let shared: SharedChanges
    /// The numbers of the ledger's entries, standing or not, that read files of this container which are not what they were
    /// then; `nil` where nobody has looked since the dump was opened.
    package let outdated: Set<Int>?
    /// Where the ledger is, or will be once there is an entry.
    package let ledgerPath: String
    /// Whether that is where the ledgers of all dumps are, and not where a person has said.
    package let ledgerIsStandard: Bool
    /// Why facts that were given at another time are not known.
    package let forgotten: [WorkspaceError]
    /// What another program has made of them, as far as the last look at them or change here has found it.
    package let changedFacts: WorkspaceError?

    /// What each step of a migration does now.
    package func plan(_ migration: any Migration, profile: Profile) -> Plan {
        Plan(
            of: migration, profile: profile, facts: facts, stores: stores,
            origin: shared.origin(of: migration.id, in: history), history: history, outdated: outdated, check: {})
    }
}

/// A dump that is a single file, as a whole.
package struct WholeFile: Sendable {
    /// The file's name.
    package let name: String
    /// What it is written as.
    package let format: StoreFormat
    /// What it holds, with what has been applied.
    package let value: Value
}

extension WorkspaceSnapshot {
    /// The whole of a dump that is a single property list, or JSON; `nil` of any other.
    ///
    /// - Throws: ``WorkspaceError`` where the file cannot be read, or ``FormatError`` where its bytes cannot.
    package func wholeFile() throws -> WholeFile? {
        guard dump.kind == .propertyList, let file = dump.loneFile else { return nil }
        let data: Data
        do throws(DumpError) { data = try dump.files.bytes(at: file) } catch { throw WorkspaceError.dump(error) }
        let format: StoreFormat =
            if case .readable(let format)? = StoreFormat.sniff(data) { format } else { .binaryPropertyList }
        var value = try format.read(data)
        if let members = value.members, let store = container.stores.first {
            value = .dictionary(members.edited(overlay.edits(in: store).map { ($0.key, $0.value) }))
        }
        return WholeFile(name: file.name, format: format, value: value)
    }
}
