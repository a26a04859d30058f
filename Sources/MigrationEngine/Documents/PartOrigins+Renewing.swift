import StoreFormats

extension PartOrigins {
    /// The nodes of what was made, by the parts of the given value that stand there, or would if nothing else did.
    ///
    /// Where members were made of different things, what has to do with one of these is found among all others.
    struct Places {
        /// The nodes of a tree, the outer ones first.
        fileprivate struct Nodes {
            private(set) var all: [(path: [Name], node: Node)] = []
            /// Those that parts of the given value have to do with, and those with something that an operation made.
            private var byPart = PlaceTree(), byMade: [Int: [Int]] = [:]

            init(of root: Node) { enter(root, at: [], in: nil) }

            private mutating func enter(_ node: Node, at path: [Name], in outer: Node?) {
                let implied = path.last.flatMap { name in outer?.implied(name) }
                for (made, pointer) in [node.part, implied?.part].compactMap(\.self) {
                    if let made {
                        byMade[made.number, default: []].append(all.count)
                    } else {
                        byPart.insert(all.count, at: pointer.tokens[...])
                    }
                }
                all.append((path, node))
                for (name, inner) in node.inner { enter(inner, at: path + [name], in: node) }
            }

            func touching(_ parts: [JSONPointer], _ made: Set<Int>) -> [(path: [Name], node: Node)] {
                var found: Set<Int> = []
                for part in parts { found.formUnion(byPart.overlapping(part.tokens[...]).lazy.map(\.place)) }
                for number in made { found.formUnion(byMade[number] ?? []) }
                return found.sorted().map { all[$0] }
            }
        }

        fileprivate let root: Nodes, untold: [Nodes], count: Int
        /// What operations made, by the parts of the given value, and what was made of it again.
        private var madeByPart = PlaceTree(), further: [Int: Set<Int>] = [:]
        fileprivate private(set) var made: [Int: Nodes] = [:]

        init(_ origins: PartOrigins) {
            (root, untold, count) = (Nodes(of: origins.root), origins.untold.map(Nodes.init), origins.count)
            var open = ([root] + untold).flatMap(\.all).compactMap(\.node.made)
            while let one = open.popLast() {
                guard made[one.number] == nil else { continue }
                let nodes = Nodes(of: one.node)
                made[one.number] = nodes
                for (_, node) in nodes.all {
                    if let earlier = node.made {
                        further[earlier.number, default: []].insert(one.number)
                        open.append(earlier)
                    } else if let pointer = node.part?.pointer {
                        madeByPart.insert(one.number, at: pointer.tokens[...])
                    }
                }
            }
        }

        /// What was made of parts of the given value.
        fileprivate func made(of parts: [JSONPointer]) -> Set<Int> {
            var found: Set<Int> = [], open = parts.flatMap { madeByPart.overlapping($0.tokens[...]).map(\.place) }
            while let number = open.popLast() {
                if found.insert(number).inserted { open += further[number] ?? [] }
            }
            return found
        }
    }

    /// What was made, told by where what was given stood before, as it was itself made of something.
    ///
    /// - Parameters:
    ///   - places: The places in what was made.
    ///   - earlier: What some parts of what was given were made of.
    ///   - parts: Those parts.
    ///   - node: What stood at a part.
    init(_ places: Places, by earlier: PartOrigins, touching parts: [JSONPointer], _ node: (JSONPointer) -> Node) {
        let touched = places.made(of: parts)
        var made: [Int: Made] = [:]
        func renewed(_ old: Made) -> Made {
            if let known = made[old.number] { return known }
            let inner = places.made[old.number].map(told) ?? .nothing
            let new = Made(earlier.count + old.number, old.value, of: inner, madeUp: old.madeUp)
            made[old.number] = new
            return new
        }
        func told(_ nodes: Places.Nodes) -> Node {
            nodes.touching(parts, touched).reduce(into: .nothing) { root, one in
                root.edit(one.path[...]) { new in
                    new =
                        switch one.node.part {
                        case (let old?, let pointer)?: Node(part: (renewed(old), pointer))
                        case (nil, let pointer)?: node(pointer)
                        case nil: .nothing
                        }
                }
            }
        }
        self.init(
            told(places.root), untold: places.untold.map(told) + earlier.untold, count: earlier.count + places.count)
    }
}

extension PartOrigins.Node {
    /// What an operation made that stands there, or a part of it.
    fileprivate var made: PartOrigins.Made? { part?.of }
}
