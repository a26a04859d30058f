import MigrationEngine
import Reports
import StoreFormats

/// One row of the sheet: a step with what it reads and writes, or an entry that no step touches.
public enum SheetRow: Hashable, Sendable {
    /// A step, by its position in the plan.
    case step(Int)
    /// The line above the entries of a store that no step of the migration touches: how many there are.
    case unmapped(StoreID, count: Int)
    /// The line above a store that the migration does not touch; it can be unfolded.
    case store(StoreID)
    /// An entry that no step touches.
    case entry(StoreID, key: Name)
}
