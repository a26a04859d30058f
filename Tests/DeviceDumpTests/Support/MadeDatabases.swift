import GRDB
import MigrationEngine
import StoreFormats
import TestSupport

@testable import DeviceDump

/// Databases that a test makes in a container, and those of the fixture.
protocol MadeDatabases {}

extension MadeDatabases {
    func table(_ name: Name?, _ file: Name = "notes.sqlite", _ folder: Name = "Documents") -> StoreID {
        SQLiteTable(name, of: file, in: folder).store
    }

    func fixture() throws -> Container {
        try Dump.open(Places.fixture("notes-databases.xcappdata")).container(nil)
    }

    /// A container with a database that these statements make.
    func made(_ name: String = "a.db", _ statements: String...) throws -> (TemporaryTree, DatabaseQueue) {
        let tree = try TemporaryTree()
        try tree.xcappdata()
        try tree.folder("notes.xcappdata/AppData/Documents")
        let queue = try DatabaseQueue(path: tree.at("notes.xcappdata/AppData/Documents/" + name))
        for statement in statements { try queue.writeWithoutTransaction { try $0.execute(sql: statement) } }
        return (tree, queue)
    }

    func open(_ tree: TemporaryTree) throws -> Container {
        try Dump.open(tree.at("notes.xcappdata")).container(nil)
    }
}
