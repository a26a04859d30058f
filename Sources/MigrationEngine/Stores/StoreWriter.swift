/// Stores that changes can be made in.
public protocol StoreWriter: StoreReader {
    /// Makes these changes, all of them or none.
    ///
    /// - Throws: what the stores say where the changes cannot be made; then nothing has changed.
    mutating func commit(_ changes: [Change]) throws
}
