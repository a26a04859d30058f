import LiveStores
import TestSupport

extension MemoryFileSystem {
    /// What of that which was not flushed is on the disk after a loss of power.
    public enum Survival: Hashable, Sendable {
        /// Nothing.
        case nothing
        /// All of it, as when the process was killed and the machine went on.
        case everything
        /// Each change of a name, and each block of content, or not, by a generator with this seed.
        case random(seed: UInt64)
    }

    private static let blockSize = 4096

    /// The disk as it is found after a loss of power.
    public func afterPowerLoss(_ survival: Survival) -> MemoryFileSystem {
        var generator = Generator(survival)
        var nodes = state.withLock { $0.nodes }
        for number in nodes.indices {
            var names = nodes[number].flushedNames
            for change in nodes[number].pending where generator.keeps() { change.apply(to: &names) }
            let content = Self.content(of: nodes[number], &generator)
            nodes[number] = Node(
                isFolder: nodes[number].isFolder, mode: nodes[number].mode, content: content, flushed: content,
                names: names, flushedNames: names)
        }
        return MemoryFileSystem(nodes: nodes)
    }

    /// Each block of the new content or of the old one, or zeros where there is none, in either length.
    private static func content(of node: Node, _ generator: inout Generator) -> [UInt8] {
        if node.content == node.flushed { return node.content }
        let length = generator.keeps() ? node.content.count : node.flushed.count
        var result: [UInt8] = []
        while result.count < length {
            let source = generator.keeps() ? node.content : node.flushed
            let block = result.count..<min(result.count + blockSize, length)
            result += block.map { $0 < source.count ? source[$0] : 0 }
        }
        return result
    }

    /// Says of one thing after another whether it survives.
    private struct Generator {
        private let survival: Survival
        private var random = SeededGenerator(seed: 0)

        init(_ survival: Survival) {
            self.survival = survival
            if case .random(let seed) = survival { random = SeededGenerator(seed: seed) }
        }

        mutating func keeps() -> Bool {
            switch survival {
            case .nothing: false
            case .everything: true
            case .random: random.next() & 1 == 1
            }
        }
    }
}
