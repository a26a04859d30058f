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

    @Test("where a file was added there is no folder, and the other way round, until it is taken back")
    func filesAndFolders() {
        let files = StoreID.files("Documents")
        var overlay = Overlay(MemoryStores([(files, [:])]))
        overlay.set("d/f", in: files, to: .present(.data(.init())))
        guard case .unreadable(let inFile) = overlay.state(of: "d/f/x/y", in: files) else {
            return #expect(Bool(false), "below a file")
        }
        #expect(inFile.explanation == "file://Documents/d/f is not a folder")
        guard case .unreadable(let folder) = overlay.state(at: Address(store: files, key: "d")) else {
            return #expect(Bool(false), "a folder")
        }
        #expect(folder.explanation == "file://Documents/d is a folder")
        #expect(overlay.state(of: "d/g", in: files) == .absent)
        overlay.set("d/g", in: files, to: .present(.data(.init())))
        overlay.set("d/f", in: files, to: .absent)
        #expect(overlay.state(of: "d/f/x/y", in: files) == .absent)
        guard case .unreadable = overlay.state(of: "d", in: files) else {
            return #expect(Bool(false), "still a folder")
        }
        overlay.set("d/g", in: files, to: .absent)
        #expect(overlay.state(of: "d", in: files) == .absent)
    }

    @Test("a covered entry is unknown until it is written, and a list of keys says so")
    func covers() {
        var overlay = overlay
        let reason = Unreadable(.missing, "nobody knows")
        overlay.cover(Address(store: a, key: "four"), with: reason)
        #expect(overlay.state(of: "four", in: a) == .unreadable(reason))
        #expect(overlay.state(at: Address(store: a, key: "four")) == .unreadable(reason))
        #expect(overlay.keys(in: a).problem(under: "fo") == reason)
        #expect(overlay.keys(in: a).problem(under: "on") == nil)
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

    @Test(
        "a document of which many parts are read is decoded once, through overlays on it too, until it holds something else"
    )
    func remembered() throws {
        let text = Value.string(#"{"a":1,"b":{"c":2}}"#)
        var overlay = Overlay(MemoryStores([(a, ["doc": text])]))
        let first = try #require(overlay.memo(of: "doc", in: a, holding: text))
        func state(_ tokens: [Name], _ stores: Overlay) -> EntryState {
            stores.state(at: Address(store: a, key: "doc", pointer: JSONPointer(tokens)))
        }
        #expect(state(["a"], overlay) == .present(.integer(1)))
        #expect(first.count == 1)
        #expect(state(["b", "c"], Overlay(overlay)) == .present(.integer(2)))
        #expect(first.count == 2, "one for each place on the way")
        #expect(Overlay(overlay).memo(of: "doc", in: a, holding: text) === first)
        overlay.set("doc", in: a, to: .present(.string(#"{"a":3}"#)))
        #expect(state(["a"], overlay) == .present(.integer(3)))
        overlay.set("doc", in: a, to: .present(text))
        #expect(state(["a"], overlay) == .present(.integer(1)))
        #expect(state(["x"], overlay) == .absent)
    }

    @Test("What is kept of entries is bounded in number and in size, and the first goes first")
    func recent() {
        func address(_ number: Int) -> Address { Address(store: a, key: Name("\(number)")) }
        func kept(_ recent: RecentEntries<Int>) -> [Int] { (0..<100).filter { recent[address($0)] != nil } }
        var recent = RecentEntries<Int>()
        for number in 0..<20 { recent.keep(number, of: address(number), size: 1) }
        #expect(kept(recent) == Array(4..<20))
        recent.keep(50, of: address(50), size: RecentEntries<Int>.size)
        #expect(kept(recent) == [50])
        recent.keep(51, of: address(50), size: 1)
        #expect(recent[address(50)] == 51)
        recent.keep(52, of: address(50), size: RecentEntries<Int>.size + 1)
        #expect(kept(recent) == [], "what is too large is not kept, nor what it was before")
    }
}
