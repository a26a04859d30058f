import DeviceDump
import Foundation
import MigrationEngine
import Migrations
import TestSupport
import Workspace

@testable import Inspector

/// The dumps that `Fixtures/build.py` writes, and a folder of each test's own for their ledgers.
enum Fixtures {
    static let scripts = URL(fileURLWithPath: Places.package + "/Tests/Scripts")

    /// The inspection of a fixture, its ledger in a folder.
    static func inspection(
        of name: String, withFacts: Bool, ledger folder: TemporaryFolder,
        migrations: [any Migration] = BuiltIn.migrations, named: Set<String> = [], other: String? = nil
    ) throws -> Inspection {
        var options = Inspection.Options(
            migrations: migrations, facts: try facts(withFacts),
            ledger: .file(folder("state/ledger")), other: other.map { Self.other(Places.fixture($0)) },
            stamp: { .test })
        options.named = named
        return Inspection(of: try Dump.open(Places.fixture(name)), options: options)
    }

    /// A dump to compare with.
    static func other(_ path: String) -> Inspection.OtherDump {
        Inspection.OtherDump(path) { _ throws(WorkspaceError) in
            do throws(DumpError) { return try Dump.open(path) } catch { throw .dump(error) }
        }
    }

    /// The inspection of a fixture in a zip that is still to be opened, and may be locked.
    static func inspection(
        ofZip name: String, withFacts: Bool, in folder: TemporaryFolder
    ) throws -> Inspection {
        let zip = folder("mail.zip")
        try Archives.write("zip", to: zip, of: Places.fixture(name))
        return Inspection(
            options: Inspection.Options(
                migrations: BuiltIn.migrations, facts: try facts(withFacts), ledger: .file(folder("state/ledger")),
                stamp: { .test })
        ) { control throws(WorkspaceError) in
            do throws(DumpError) { return try Dump.opening(zip, control: control) } catch { throw .dump(error) }
        }
    }

    /// The workspace of a fixture, its ledger in a folder.
    static func workspace(
        of name: String, withFacts: Bool = true, ledger folder: TemporaryFolder
    ) throws -> Workspace {
        try Workspace.open(
            dump: Dump.open(Places.fixture(name)), facts: facts(withFacts),
            ledger: .file(folder("state/ledger")))
    }

    private static func facts(_ areGiven: Bool) throws -> Facts {
        areGiven ? try GivenFacts.file(Places.facts) : Facts()
    }
}
