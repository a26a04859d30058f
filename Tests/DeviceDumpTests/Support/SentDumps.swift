import Foundation
import MigrationEngine
import StoreFormats
import TestSupport
import Testing

@testable import DeviceDump

/// Dumps as people send them.
protocol SentDumps {}

extension SentDumps {
    static var own: StoreID { .defaults("com.acme.notes") }
    static var notes: String { Places.fixture("notes-legacy.xcappdata") }

    func archive(_ kind: String, _ tree: TemporaryTree, _ name: String, of source: String = Self.notes) throws {
        try tree.folder((name as NSString).deletingLastPathComponent)
        try Archives.write(kind, to: tree.at(name), of: source)
    }

    /// What is said of where the dump is.
    func elsewhere(_ dump: Dump) -> [DumpWarning.Problem] {
        dump.warnings.map(\.problem).filter { if case .foundElsewhere = $0 { true } else { false } }
    }

    func expectNotes(_ named: String, at place: String) throws {
        let dump = try Dump.open(named)
        #expect(try dump.container(nil).state(of: "rs_user_id", in: Self.own).value == .string("u-42"))
        #expect(dump.path == place)
        #expect(elsewhere(dump) == [.foundElsewhere(named: named, root: place)])
    }
}
