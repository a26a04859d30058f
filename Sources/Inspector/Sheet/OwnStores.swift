import MigrationEngine
import StoreFormats

extension StoreID {
    /// Whether it is kept by the system or for it rather than by the app: caches, and what Apple's frameworks write.
    var isOfSystem: Bool {
        let name = name.text
        switch kind {
        case .file:
            return ["Caches", "tmp", "SplashBoard", "WebKit"].contains { name == $0 || name.hasPrefix($0 + "/") }
        case .sqlite: return name.split(separator: "/").last?.hasPrefix("Z_") ?? false
        case .defaults, .keychain:
            return ["com.apple.", "group.com.apple.", "WebKit"].contains(where: name.hasPrefix) || name == "apple"
        }
    }
}

extension Overlay {
    /// The most entries of one store that are unfolded at first, and of all.
    private static let most = (one: 100, all: 300)

    /// The stores whose entries are shown at first where no migration says what matters: the app's own that are small.
    func readable(_ isCancelled: () -> Bool) -> Set<StoreID> {
        var unfolded: Set<StoreID> = [], left = Self.most.all
        for store in stores where !store.isOfSystem {
            if isCancelled() || left <= 0 { break }
            let count = keys(in: store).count(upTo: Self.most.one + 1)
            guard (1...Self.most.one).contains(count), count <= left else { continue }
            unfolded.insert(store)
            left -= count
        }
        return unfolded
    }
}
