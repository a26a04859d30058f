import MigrationEngine
import StoreFormats
import Testing

@Suite("An overlay shows the stores below with edits over them")
struct OverlayTests {
    private let a = StoreID.defaults("a"), b = StoreID.defaults("b")
    private var overlay: Overlay {
        Overlay(MemoryStores([(a, ["one": .integer(1), "two": .integer(2), "three": .integer(3)])]))
    }

    private func keys(_ overlay: Overlay, _ store: StoreID) -> [String] {
        let keys = overlay.keys(in: store)
        return (0..<keys.count).map { keys.key(at: $0).text }
    }

    @Test("removed keys are gone, added ones come last, replaced ones keep their place")
    func order() {
        var overlay = overlay
        overlay.set("two", in: a, to: .absent)
        overlay.set("four", in: a, to: .present(.integer(4)))
        overlay.set("one", in: a, to: .present(.integer(10)))
        #expect(keys(overlay, a) == ["one", "three", "four"])
        #expect(overlay.keys(in: a).position(of: "two") == nil)
        #expect(overlay.keys(in: a).position(of: "three") == 1)
        #expect(overlay.keys(in: a).position(of: "four") == 2)
        #expect(overlay.state(of: "one", in: a) == .present(.integer(10)))
    }

    @Test("an entry that is set back has no edit any more")
    func settingBack() {
        var overlay = overlay
        overlay.set("one", in: a, to: .present(.integer(10)))
        overlay.set("one", in: a, to: .present(.integer(1)))
        overlay.set("new", in: b, to: .present(.null))
        #expect(overlay.stores == [a, b])
        overlay.set("new", in: b, to: .absent)
        #expect(overlay.editedStores.isEmpty)
        #expect(overlay.stores == [a])
    }

    /// Such as that of a group, of which nothing says that it is the app's.
    private struct Unlisted: StoreReader {
        let below: MemoryStores
        let stores: [StoreID] = []
        func problem(with store: StoreID) -> Unreadable? { below.problem(with: store) }
        func contains(_ store: StoreID) -> Bool { below.contains(store) }
        func keys(in store: StoreID) -> any KeyList { below.keys(in: store) }
        func state(of key: Name, in store: StoreID) -> EntryState { below.state(of: key, in: store) }
    }

    @Test("a store that is there and not listed is edited too, also where entries are only removed from it")
    func unlisted() {
        var overlay = Overlay(Unlisted(below: MemoryStores([(b, ["one": .integer(1)])])))
        overlay.set("one", in: b, to: .absent)
        #expect(overlay.editedStores == [b])
        overlay.set("new", in: a, to: .present(.null))
        #expect(overlay.editedStores == [a, b])
    }
}
