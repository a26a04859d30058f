import MigrationEngine
import StoreFormats

/// The files of a folder as keys: their paths relative to it, in the order of their bytes.
struct FileListing: KeyList {
    /// The items behind the keys, in the same order, and what could not be listed.
    let listing: DumpListing
    private let folder: String
    private let positions: [Name: Int]

    init(_ listing: DumpListing, below folder: String) {
        self.listing = listing
        self.folder = folder
        let keys = listing.items.map { Name(Self.key($0, below: folder)) }
        positions = Dictionary(keys.enumerated().map { ($0.element, $0.offset) }) { first, _ in first }
    }

    /// The path of an item relative to a folder that it is below of.
    static func key(_ item: DumpItem, below folder: String) -> String {
        guard !folder.isEmpty else { return item.path }
        return String(item.path.utf8.dropFirst(folder.utf8.count + 1)) ?? item.path
    }

    var count: Int { listing.items.count }
    func key(at position: Int) -> Name { Name(Self.key(listing.items[position], below: folder)) }
    func position(of key: Name) -> Int? { positions[key] }
}
