import DeviceDump
import MigrationEngine
import TestSupport
import Workspace

extension TemporaryFolder {
    /// A workspace of a fixture, with a value for every fact and its ledger here.
    func workspace(of fixture: String) throws -> Workspace {
        try Workspace.open(
            dump: Dump.open(Places.fixture(fixture)), facts: GivenFacts.file(Places.facts),
            ledger: .file(self("ledger")))
    }
}
