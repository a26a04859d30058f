import Foundation
import MigrationEngine
import Reports
import StoreFormats
import Synchronization
import Testing

@testable import Inspector

/// Stores that say how often they were asked for anything.
private final class WatchedStores: StoreReader {
    private let stored: MemoryStores
    private let counter = Mutex(0)

    init(_ stores: MemoryStores) { stored = stores }

    var accesses: Int { counter.withLock { $0 } }
    private func count() { counter.withLock { $0 += 1 } }

    var stores: [StoreID] {
        count()
        return stored.stores
    }
    func problem(with store: StoreID) -> Unreadable? {
        count()
        return stored.problem(with: store)
    }
    func keys(in store: StoreID) -> any KeyList {
        count()
        return stored.keys(in: store)
    }
    func state(of key: Name, in store: StoreID) -> EntryState {
        count()
        return stored.state(of: key, in: store)
    }
}

@Suite("Drawing")
struct DrawingTests {
    private let stores = WatchedStores(
        MemoryStores([
            (RudderStack.legacy, RudderStack.members),
            (.files("Documents"), Members((0..<200).map { Member(key: "f\($0)", value: .data(Data([1, 2]))) })),
        ]))

    @Test("neither drawing nor taking in a key reads a store or runs a migration")
    func readsNothing() throws {
        var inspected = try Inspected(stores)
        #expect(stores.accesses > 0)
        inspected.press("G <Enter> g")
        for size in [(80, 24), (200, 50), (40, 12)] {
            inspected.resize(size.0, size.1)
            for key in [Key.down, .pageDown, .end, .up, .tab, .enter, .escape, .escape, .character("p"), .home] {
                let before = stores.accesses
                let effects = inspected.model.update(.terminal(.key(key)))
                _ = inspected.model.render()
                #expect(stores.accesses == before, "\(key.notation)")
                for event in effects.flatMap({ ScriptRunner.events(of: $0, on: inspected.inspection) }) {
                    inspected.send(event)
                }
            }
        }
    }

    @Test("what has not been looked at yet is an ellipsis, in its row and in the detail")
    func waiting() throws {
        var inspected = try Inspected(stores)
        inspected.press("G <Enter>")
        let effects = inspected.model.update(.terminal(.key(.end)))
        #expect(Set(effects.map(\.lane)) == [.rows, .detail, .ledger])
        let waiting = inspected.model.render().rows
        #expect(waiting.contains { $0.contains("f199  …") })
        #expect(waiting.contains { $0 == "…" })
        for event in effects.flatMap({ ScriptRunner.events(of: $0, on: inspected.inspection) }) {
            inspected.send(event)
        }
        #expect(inspected.model.render().rows.contains { $0.contains("f199  data, 2 bytes") })
        #expect(!inspected.model.render().rows.contains("…"))
    }

    @Test("a row that was looked at with secrets shown is not shown so while they are masked")
    func masking() throws {
        var inspected = try Inspected(RudderStack.stores(["accessToken": .string("hunter2")]))
        inspected.press("G v")
        #expect(inspected.screen.contains("hunter2"))
        _ = inspected.model.update(.terminal(.key(.character("v"))))
        #expect(!inspected.screen.contains("hunter2"))
    }

    @Test("where one moves about, the rows around the window are looked at with it: the next key finds them there")
    func ahead() throws {
        var inspected = try Inspected(stores)
        inspected.press("G <Enter> 3 0 j j")
        #expect(inspected.model.update(.terminal(.key(.down))).map(\.lane).contains(.rows) == false)
    }

    @Test(
        "of a place that one jumps to, and of another profile, no row is looked at that is not seen",
        arguments: ["G", "p"])
    func jumping(key: String) throws {
        var inspected = try Inspected(stores)
        inspected.press("G <Enter> g \(key)")
        let opened = try #require(inspected.opened), layout = try #require(Layout(inspected.model))
        #expect(opened.cells.purpose?.rows.count ?? .max <= layout.sheetLines)
        #expect(!inspected.screen.contains("f0  …") && !inspected.screen.contains("f199  …"))
    }

    @Test("before anything is planned the screen says so, and nothing can be applied")
    func unplanned() throws {
        let planned = try Inspected(stores)
        var model = try planned.inspection.start(
            container: nil, size: Size(width: 80, height: 24), glyphs: .unicode, masking: Masking())
        _ = model.update(.started)
        #expect(model.render().text.contains("planning…  Esc stops it"))
        #expect(model.update(.terminal(.key(.character("a")))).isEmpty)
        #expect(model.update(.terminal(.key(.escape))).first is Cancelling)
    }

    @Test("planning stops where it is told to, and can be asked for again")
    func stopped() throws {
        var inspected = try Inspected(stores)
        inspected.performs = false
        inspected.command("profile sdk-1.1")
        let planning = try #require(inspected.asked.first)
        inspected.send(planning.run(on: inspected.inspection, EffectControl(isCancelled: { true })))
        #expect(inspected.message == "stopped; :reload plans again")
        #expect(inspected.opened?.profile?.id == "documented" && inspected.model.busy == nil)
        inspected.performs = true
        inspected.press("<C-r>")
        #expect(inspected.message == "planned again")
    }

    @Test("a plan that is stopped reads no further, and nothing of it is shown")
    func stoppedPlan() throws {
        let inspected = try Inspected(stores)
        let before = stores.accesses
        let count = Mutex(0)
        // It is told to stop in the middle.
        let view = try ContainerView(
            of: try inspected.inspection.workspace(of: "").snapshot, migrations: [RudderStack.migration],
            ViewRequest(container: ""),
            isCancelled: {
                count.withLock { count in
                    count += 1
                    return count > 3
                }
            })
        #expect(stores.accesses - before < 20)
        #expect(view.sheet.count == 0)
    }
}
