import ArgumentParser
import Files
import Foundation
import MigrationEngine
import Migrations
import Reports
import Specs
import Synchronization
import SystemPackage

/// The migrations to work with: those that are built in, and those of spec files.
struct SpecOptions: ParsableArguments {
    @Option(
        name: .customLong("spec"),
        help: ArgumentHelp(
            "A migration of your own, from a spec file; may be repeated. One with the name of a built-in migration stands "
                + "in for it.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml", "json"]))
    var files: [String] = []

    /// What the files hold, once they are read.
    private static let read = Mutex<[String: Spec]>([:])

    func validate() throws {
        var ids: [String: String] = [:]
        for file in files {
            let spec = try SpecFile.read(file)
            if let other = ids.updateValue(file, forKey: spec.id) {
                throw fail("\(other) and \(file) are both called \(spec.id): give one of them another id", .usage)
            }
            Self.read.withLock { $0[file] = spec }
        }
    }

    /// The migrations of the files, in their order.
    var own: [any Migration] {
        files.compactMap { file in Self.read.withLock { $0[file] }.map(SpecMigration.init) }
    }

    /// Every migration there is: those of the files, and those built in that none of them stands in for.
    var migrations: [any Migration] {
        let own = own
        return own + BuiltIn.migrations.filter { builtIn in !own.contains { $0.id == builtIn.id } }
    }

    /// The migration that is meant where none is named: that of the only file.
    var only: MigrationName? { own.count == 1 ? own.first.flatMap { MigrationName(argument: $0.id) } : nil }
}

/// Reads spec files.
enum SpecFile {
    /// The largest file, in bytes; the reader's own limit is smaller, and says so.
    private static let limit = 8 << 20

    /// The spec in a file; a pipe is read to its end.
    ///
    /// - Throws: the exit code, after all that is wrong with the file was said, a line each.
    static func read(_ path: String) throws -> Spec {
        do throws(SpecProblems) {
            return try Spec(try bytes(path))
        } catch {
            let lines = error.all.prefix(100).map { "\(path):\($0)" }
            let more = error.all.count > 100 ? ["… and \(error.all.count - 100) more"] : []
            throw fail("\(path) cannot be used as a spec:\n" + (lines + more).joined(separator: "\n"), .usage)
        }
    }

    static func bytes(_ path: String) throws(SpecProblems) -> Data {
        do throws(Errno) {
            return Data(try OpenFile.input(path, limit: limit))
        } catch {
            throw SpecProblems(unreadable: error == .fileTooLarge ? "it is longer than 8 MiB" : error.words)
        }
    }
}
