import StoreFormats

/// The version by what the document looks like: all shapes are tried, the newest first.
///
/// A document whose fields suffice for several versions is of the one that it fits without fields of another; where it
/// fits none of those, it is ambiguous. Nothing says its version, so none is ever stored.
public struct ShapeVersion: VersionDetector {
    /// The shapes, newest first.
    public let shapes: [DocumentShape]

    /// Makes a detector of these shapes.
    public init(_ shapes: [DocumentShape]) {
        self.shapes = shapes.sorted { $0.version > $1.version }
    }

    /// How it tells.
    public var rule: String { "by its fields, newest version first" }

    /// The versions whose readers could read a document, newest first.
    public func decodable(_ document: Value) -> [Int] { shapes.filter { $0.decodes(document) }.map(\.version) }

    /// The version of a document.
    public func version(of document: Value) -> StoredVersion {
        let fitting = shapes.filter { $0.fits(document) }.map(\.version), decodable = decodable(document)
        if let only = fitting.first, fitting.count == 1 { return .inferred(only, decodesAs: decodable) }
        if fitting.count > 1 { return .ambiguous(fitting, "it has the fields of each") }
        if decodable.count > 1 {
            return .ambiguous(decodable, "it has the fields of each, and fields of the others besides")
        }
        guard case .dictionary = document else {
            return .unknown("it is \(document.typePhrase), where an object belongs")
        }
        guard let nearest = shapes.min(by: { $0.distance(of: document) < $1.distance(of: document) }),
            nearest.distance(of: document) < nearest.fields.count
        else { return .unknown("it has the fields of no version") }
        if let mismatch = nearest.firstMismatch(in: document) {
            return .unknown("it is nearest to version \(nearest.version), but \(mismatch)")
        }
        let excess = nearest.without.filter { document[$0] != nil }.map(\.description).joined(separator: ", ")
        return .unknown("it is nearest to version \(nearest.version), but has \(excess) of another version")
    }

    /// The version of a document, whatever lies beside it.
    public func version(
        of document: Value, at address: Address, newest: Int, in transaction: inout StoreTransaction, facts: Facts
    ) -> StoredVersion {
        version(of: document)
    }
}
