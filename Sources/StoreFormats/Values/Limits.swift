/// Bounds on what a reader does for one value, so that a hostile file gets an error and never a hang or a crash.
public struct Limits: Hashable, Sendable {
    /// How many containers may lie inside one another.
    public var depth: Int
    /// How many values a value may have once every shared part is written out where it is used.
    public var nodes: Int
    /// How many bytes an input may have where all of it must be read at once (XML, JSON).
    public var bytes: Int

    /// Makes bounds.
    public init(depth: Int = 256, nodes: Int = 4_000_000, bytes: Int = 256 << 20) {
        self.depth = depth
        self.nodes = nodes
        self.bytes = bytes
    }

    /// The bounds that every reader has unless told otherwise.
    public static let standard = Limits()
}
