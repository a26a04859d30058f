import Foundation

/// What an archive says of one thing in it.
struct ArchiveMember: Sendable {
    /// Where its content is.
    enum Content: Sendable {
        /// It has none.
        case none
        /// It stands there as it is.
        case plain(Range<Int>)
        /// It is that of an entry of a zip.
        case zip(ZipEntry)
        /// It stands there with holes, in an entry of a tar that is these bytes.
        case sparse(Range<Int>)
        /// It is that of the entry of this name, which stands before it.
        case link([UInt8])
    }

    /// The name, as it stands there.
    var name: [UInt8]
    /// What it is.
    var kind: DumpItem.Kind
    /// How many bytes its content has.
    var size = 0
    /// The permission bits, where the archive has them.
    var mode: UInt16?
    /// When it was last changed, where the archive says it.
    var modified: DumpItem.Moment?
    /// Where its content is.
    var content = Content.none
    /// Which bytes of the archive are its own, what describes it included.
    var range = 0..<0

    /// How many bytes its content is packed in.
    var packed: Int {
        switch content {
        case .none, .link: 0
        case .plain(let range), .sparse(let range): range.count
        case .zip(let entry): entry.packed
        }
    }

    /// Whether a password is needed for its content.
    var isProtected: Bool {
        if case .zip(let entry) = content { entry.isProtected && kind == .file } else { false }
    }
}

/// How much of an archive is read.
struct ArchiveLimits: Sendable {
    /// How many files and folders there may be.
    var items: Int
    /// How many bytes one name may have, as far as systems open one.
    var name = 4096
    /// How many bytes all names together may have.
    var names: Int
    /// How many bytes the names of the folders may have together that no entry is for, and how many times as many as the
    /// names of the entries: a path of 200 bytes with 20 folders takes ten times, where no other shares one of these.
    static let unlisted = (free: 1 << 24, ratio: 32)
    /// How many times as large as what it is packed in a content may be, above ``free``.
    var ratio: Int
    /// How many bytes a content may have however little it is packed in.
    var free: Int
    /// How many bytes there are on the disk of all that it is packed in, where archives lie in archives.
    var sizeOfWhole: Int
    /// How many times over a file may be compressed.
    static let layers = 4

    /// Makes limits of what a person has said.
    init(_ limits: OpeningLimits = .init(), free: Int = 1 << 28, sizeOfWhole: Int = .max) {
        (items, names, ratio) = (limits[.entries], limits[.names], limits[.ratio])
        self.free = free
        self.sizeOfWhole = sizeOfWhole
    }

    /// Whether something that is packed in so few bytes is made to fill a disk; layers that are each sound are one all
    /// together.
    func isBomb(unpacked: Int, packed: Int) -> Bool {
        let bound = min(packed, sizeOfWhole).multipliedReportingOverflow(by: ratio)
        return unpacked > max(free, bound.overflow ? .max : bound.partialValue)
    }

    /// Refuses what is one.
    func check(unpacked: Int, packed: Int, _ path: DumpPath) throws(DumpError) {
        guard isBomb(unpacked: unpacked, packed: packed) else { return }
        throw DumpError(path, .bomb(unpacked: unpacked, packed: min(packed, sizeOfWhole)))
    }
}

/// The members of an archive as files and folders.
struct ArchiveTree: Sendable {
    /// A file or a folder, with the number of its member, where it has one.
    struct Node: Sendable {
        var item: DumpItem
        var member: Int?
    }

    /// Nodes by their paths.
    ///
    /// What is searched for a path has room for up to twice as many as there are, and so holds a number of each only.
    struct Nodes: Sequence, Sendable {
        private var all = [Node(item: DumpItem(path: .root, kind: .folder))]
        private var places: [DumpPath: Int32] = [.root: 0]

        var count: Int { all.count }

        subscript(path: DumpPath) -> Node? { places[path].map { all[Int($0)] } }

        /// Puts a node at its path, in place of what was there.
        mutating func put(_ node: Node) {
            if let place = places[node.item.path] {
                all[Int(place)] = node
            } else {
                places[node.item.path] = Int32(all.count)
                all.append(node)
            }
        }

        func makeIterator() -> some IteratorProtocol<Node> { all.makeIterator() }
    }

    /// The members, in the order of the archive.
    private(set) var members: [ArchiveMember] = []
    /// What is at each path.
    private(set) var nodes = Nodes()
    /// What is in each folder, by the bytes of the names.
    private(set) var children: [DumpPath: [DumpPath]] = [:]
    /// The members that are not as they should be, each kind with how many, and the first.
    private var strays = Found(), absolutes = Found(), longs = Found(), repeats = Found(), twins = Found()
    private(set) var protected = Found()
    /// Those whose names have backslashes between the folders.
    var backslashed = Found()
    /// Those whose names are in no UTF-8, and were read as code page 437.
    var inCodePage = Found()
    /// Those that are named as folders and have a content.
    var filledFolders = Found()
    /// Where another tar begins behind the end of this one.
    var joined: Int?
    /// Whether it is one file that is compressed by itself, without a list of what is in it.
    private(set) var isLone = false
    private let limits: ArchiveLimits
    private let file: DumpPath
    private var nameBytes = 0
    /// The bytes of the names of the entries, and of the folders that were made for them.
    private var listedBytes = 0, unlistedBytes = 0
    /// How many bytes stand before the archive that are none of it.
    var foundBefore = 0
    /// How many bytes stand behind what it is compressed in that are none of it.
    var foundBehind = 0
    /// How many members the archive says that it has, where it has another number.
    var listed: Int?

    /// How many there are, and the first one.
    struct Found: Sendable {
        var count = 0
        var first: [UInt8] = []

        mutating func add(_ name: [UInt8]) {
            if count == 0 { first = name }
            count += 1
        }

        var name: String { String(decoding: first.prefix(200), as: UTF8.self) }
    }

    init(of file: DumpPath, limits: ArchiveLimits) {
        self.file = file
        self.limits = limits
    }

    /// One file that is compressed by itself, by the name that it has without the last ending, or as many as it has layers.
    init(
        alone bytes: PackedBytes, packed: Int, layers: Int, _ file: DumpPath, limits: ArchiveLimits
    ) throws(DumpError) {
        self.init(of: file, limits: limits)
        isLone = true
        var name = Array(file.lastPart)
        let endings: Set<String> = [".gz", ".bz2", ".xz", ".zst"]
        for layer in 0..<layers {
            guard let dot = name.lastIndex(of: UInt8(ascii: ".")), dot > 0 else { break }
            // Whatever the file is called, it has one ending; another only where it was added to that.
            guard layer == 0 || endings.contains(String(decoding: name[dot...], as: UTF8.self).lowercased()) else {
                break
            }
            name = Array(name[..<dot])
        }
        var member = ArchiveMember(name: name, kind: .file, size: bytes.count)
        member.content = .plain(0..<bytes.count)
        try add(member)
        try finish(packed: packed)
    }

    /// Takes in the next member.
    mutating func add(_ member: ArchiveMember) throws(DumpError) {
        let number = members.count
        members.append(member)
        guard number < limits.items else { throw DumpError(file, .tooManyEntries(limit: limits.items)) }
        guard member.name.count <= limits.name else { return longs.add(member.name) }
        guard let path = Self.path(member.name) else { return strays.add(member.name) }
        if member.name.first == UInt8(ascii: "/") { absolutes.add(member.name) }
        if path.isRoot { return }
        var item = DumpItem(
            path: path, kind: member.kind, size: member.kind == .file ? member.size : 0, mode: member.mode,
            modified: member.modified)
        var source = Optional(number)
        if case .link(let name) = member.content {
            // Its content is that of a member before it.
            source = Self.path(name).flatMap { nodes[$0] }.flatMap { $0.item.kind == .file ? $0.member : nil }
            item.size = source.map { members[$0].size } ?? 0
        }
        if let known = nodes[path] {
            // A folder may be listed after what is in it, and again.
            if known.item.kind == .folder, member.kind == .folder {
                nodes.put(Node(item: item, member: known.member))
            } else if known.item.kind == .folder || member.kind == .folder {
                strays.add(member.name)
            } else {
                // As where it is unpacked: what comes later is put in the place of what was there.
                repeats.add(member.name)
                if member.isProtected { protected.add(member.name) }
                nodes.put(Node(item: item, member: source))
            }
            return
        }
        guard try link(path) else { return strays.add(member.name) }
        nodes.put(Node(item: item, member: source))
        if member.isProtected { protected.add(member.name) }
    }

    /// Puts a path into its folder, which is made where it is not listed; `false` where what should be one is not.
    private mutating func link(_ path: DumpPath) throws(DumpError) -> Bool {
        var missing: [DumpPath] = [], above = path.parent
        while let folder = above {
            if let known = nodes[folder] {
                guard known.item.kind == .folder else { return false }
                break
            }
            missing.append(folder)
            above = folder.parent
        }
        listedBytes += path.bytes.count
        unlistedBytes += missing.reduce(0) { $0 + $1.bytes.count }
        if unlistedBytes > ArchiveLimits.unlisted.free + ArchiveLimits.unlisted.ratio * listedBytes {
            throw DumpError(file, .endlessFolders(levels: missing.count))
        }
        for path in missing.reversed() + [path] {
            nameBytes += path.bytes.count
            guard nodes.count <= limits.items else { throw DumpError(file, .tooManyEntries(limit: limits.items)) }
            guard nameBytes <= limits.names else { throw DumpError(file, .tooLongNames(limit: limits.names)) }
            nodes.put(Node(item: DumpItem(path: path, kind: .folder)))
            children[path.parent ?? .root, default: []].append(path)
        }
        return true
    }

    /// Sorts what is in each folder, and looks for names that a Mac or Windows takes for one another.
    ///
    /// - Parameter packed: How many bytes the archive has.
    mutating func finish(packed: Int) throws(DumpError) {
        var total = 0
        // A member that is refused by itself takes nothing from the others.
        for member in members where !limits.isBomb(unpacked: member.size, packed: min(packed, member.packed)) {
            let sum = total.addingReportingOverflow(max(0, member.size))
            total = sum.overflow ? .max : sum.partialValue
        }
        if limits.isBomb(unpacked: total, packed: packed) {
            throw DumpError(file, .bomb(unpacked: total, packed: packed))
        }
        for folder in children.keys {
            children[folder]?.sort()
            findTwins(children[folder] ?? [])
        }
    }

    /// Finds names of a folder that differ only in case or in how accents are written.
    private mutating func findTwins(_ paths: [DumpPath]) {
        var seen = Set<[UInt8]>()
        for path in paths where !seen.insert(Self.folded(path.lastPart)).inserted { twins.add(path.bytes) }
    }

    private static func folded(_ name: ArraySlice<UInt8>) -> [UInt8] {
        if name.allSatisfy({ $0 < 0x80 }) { return name.map { (0x41...0x5A).contains($0) ? $0 | 0x20 : $0 } }
        return Array(String(decoding: name, as: UTF8.self).lowercased().precomposedStringWithCanonicalMapping.utf8)
    }

    /// The path of a member below the root; `nil` where it leads out of the archive.
    ///
    /// `./` before it, a slash behind it and two in it are how tools write paths. What begins with a slash is taken as if
    /// it did not, as where it is unpacked: whoever packs a whole file system writes it so.
    static func path(_ name: [UInt8]) -> DumpPath? {
        if let path = DumpPath(bytes: name) { return path }
        let parts = name.split(separator: UInt8(ascii: "/")).filter { !$0.elementsEqual(".".utf8) }
        return parts.isEmpty ? (name.isEmpty ? nil : .root) : DumpPath(bytes: Array(parts.joined(separator: "/".utf8)))
    }

    /// What is not as it should be.
    var warnings: [DumpWarning] {
        var problems: [DumpWarning.Problem] = []
        if strays.count > 0 { problems.append(.strayEntries(strays.count, first: strays.name)) }
        if longs.count > 0 { problems.append(.longEntries(longs.count, first: longs.name, limit: limits.name)) }
        if absolutes.count > 0, absolutes.count < members.count {
            problems.append(.absoluteEntries(absolutes.count, first: absolutes.name))
        }
        if repeats.count > 0 { problems.append(.sameEntries(repeats.count, first: repeats.name)) }
        if twins.count > 0 { problems.append(.twinEntries(twins.count, first: twins.name)) }
        if backslashed.count > 0 {
            problems.append(.backslashEntries(backslashed.count, first: backslashed.name))
        }
        if inCodePage.count > 0 {
            problems.append(.codePageEntries(inCodePage.count, first: inCodePage.name))
        }
        if filledFolders.count > 0 {
            problems.append(.filledFolders(filledFolders.count, first: filledFolders.name))
        }
        if foundBefore > 0 { problems.append(.bytesBefore(foundBefore)) }
        if foundBehind > 0 { problems.append(.bytesBehind(foundBehind)) }
        if let joined { problems.append(.anotherTar(at: joined)) }
        if let listed { problems.append(.entryCount(listed: listed, found: members.count)) }
        return problems.map { DumpWarning(file, $0) }
    }
}
