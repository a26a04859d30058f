import MigrationEngine

/// The files of a folder as keys: their paths relative to it, in the order of their bytes.
struct FileListing: KeyList {
    /// The items behind the keys, in the same order, and what could not be listed.
    let listing: DumpListing
    private let folder: String
    // By bytes, as the file system compares names.
    private let positions: [[UInt8]: Int]

    init(_ listing: DumpListing, below folder: String) {
        self.listing = listing
        self.folder = folder
        let keys = listing.items.map { Array(Self.key($0, below: folder).utf8) }
        positions = Dictionary(keys.enumerated().map { ($0.element, $0.offset) }) { first, _ in first }
    }

    /// The path of an item relative to a folder that it is below of.
    static func key(_ item: DumpItem, below folder: String) -> String {
        guard !folder.isEmpty else { return item.path }
        return String(item.path.utf8.dropFirst(folder.utf8.count + 1)) ?? item.path
    }

    var count: Int { listing.items.count }
    func key(at position: Int) -> String { Self.key(listing.items[position], below: folder) }
    func position(of key: String) -> Int? { positions[Array(key.utf8)] }
}
