import MigrationEngine
import TestSupport

/// Dumps that are packed into archives.
protocol PackedDumps {}

extension PackedDumps {
    var own: StoreID { .defaults("com.acme.notes") }

    /// An archive of a fixture, or of something in the tree, made by `archives.py`.
    func archive(_ kind: String, of source: String, in tree: TemporaryTree, name: String? = nil) throws
        -> String
    {
        let target = tree.at(name ?? "mail.\(kind)")
        try Archives.write(kind, to: target, of: source)
        return target
    }
}
