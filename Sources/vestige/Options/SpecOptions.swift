import ArgumentParser
import DeviceDump
import Files
import Foundation
import Inspector
import MigrationEngine
import Migrations
import Reports
import Specs
import Synchronization
import SystemPackage
import Workspace

extension SharedOption {
    static let specFiles = SharedOption(
        "spec",
        ArgumentHelp(
            "A migration of your own, from a spec file; may be repeated. One with the name of a built-in migration stands "
                + "in for it.", valueName: "file"),
        completion: .file(extensions: ["yaml", "yml", "json"]))
}

/// The migrations to work with: those that are built in, and those of spec files.
struct GivenSpecs {
    let files: [String]

    /// What the files hold, once they are read.
    private static let read = Mutex<[String: Spec]>([:])

    /// Reads the files, and those of the person's own folder, which the rest goes by.
    func read() throws {
        var ids: [String: String] = [:]
        if Self.offered.withLock({ $0 == nil }) {
            let problems = Self.readFolder()
            Self.unusable.withLock { $0 = problems }
            for problem in problems { printError("vestige: \(problem.path) is left out: \(problem.why)") }
        }
        for file in files {
            // A pipe can be read but once, and arguments may be parsed twice.
            let spec = try Self.read.withLock { $0[file] } ?? SpecFile.read(file)
            if let other = ids.updateValue(file, forKey: spec.id) {
                throw fail("\(other) and \(file) are both called \(spec.id): give one of them another id", .usage)
            }
            Self.read.withLock { $0[file] = spec }
        }
    }

    /// The specs of the person's own folder, which are offered where they apply; `nil` until they are read.
    private static let offered = Mutex<[(path: String, spec: Spec)]?>(nil)

    /// A file that cannot be used, why, and whether what was read of it before stays.
    private typealias Problem = (path: String, why: String, isKept: Bool)
    private static let unusable = Mutex<[Problem]>([])

    /// Those of the folder that could not be used, for a screen: a line of it has no room for folders.
    var unusable: [Inspection.UnusableSpec] { Self.unusable.withLock { $0.map(Self.told) } }

    /// The same for a report.
    var leftOut: [TicketReport.LeftOut] { unusable.map(\.leftOut) }

    private static func told(_ problem: Problem) -> Inspection.UnusableSpec {
        Inspection.UnusableSpec(name(problem.path), problem.why, isKept: problem.isKept)
    }

    /// What a file is called where a line has no room for folders: the last part of its path.
    static func name(_ path: String) -> String { path.split(separator: "/").last.map(String.init) ?? path }

    /// Reads the specs of the folder `vestige/specs` below `$XDG_CONFIG_HOME`, by default `$HOME/.config`.
    ///
    /// One that cannot be used keeps nobody from the others, as it may have nothing to do with the dump: it is told. One
    /// that was read before stays as it was.
    private static func readFolder() -> [Problem] {
        let folder = OwnFolder.path(.config, in: ProcessInfo.processInfo.environment).map { $0 + "/specs" }
        let names = folder.flatMap { try? FileManager.default.contentsOfDirectory(atPath: $0) } ?? []
        let before = offered.withLock { $0 ?? [] }
        var specs: [(path: String, spec: Spec)] = [], problems: [Problem] = []
        for name in names.sorted() where [".yaml", ".yml", ".json"].contains(where: name.hasSuffix) {
            let path = (folder ?? "") + "/" + name
            do throws(SpecProblems) {
                // What nobody named is not waited for, as a pipe would be.
                guard SpecFile.isRegular(path) else { throw SpecProblems(unreadable: "it is no file") }
                let spec = try Spec(try SpecFile.bytes(path))
                if specs.contains(where: { $0.spec.id == spec.id }) {
                    problems.append((path, "another file of the folder is called \(spec.id) too", false))
                } else {
                    specs.append((path, spec))
                }
            } catch {
                let known = before.first { $0.path == path }
                let kept = known.flatMap { known in
                    specs.contains { $0.spec.id == known.spec.id } ? nil : known
                }
                problems.append((path, error.all.first.map { "\($0)" } ?? "it cannot be read", kept != nil))
                if let kept { specs.append(kept) }
            }
        }
        offered.withLock { $0 = specs }
        return problems
    }

    /// Reads the files and those of the folder again, as a person edits them beside the inspector.
    var rereading: @Sendable () -> Inspection.Reread {
        { [files] in
            var changed: [String] = [], problems = Self.readFolder()
            // What came through a pipe cannot be read again, and stays.
            for file in files where file != "-" {
                do throws(SpecProblems) {
                    let data = try SpecFile.bytes(file), spec = try Spec(data)
                    let isTaken = Self.read.withLock { read in
                        files.contains { $0 != file && read[$0]?.id == spec.id }
                    }
                    guard !isTaken else {
                        problems.append((file, "another file is called \(spec.id) too", true))
                        continue
                    }
                    if SpecFile.hasChanged(file, data) { changed.append(Self.name(file)) }
                    Self.read.withLock { $0[file] = spec }
                } catch {
                    problems.append((file, error.all.first.map { "\($0)" } ?? "it cannot be read", true))
                }
            }
            return Inspection.Reread(
                migrations: Self.migrations(of: files), changed: changed, problems: problems.map(Self.told))
        }
    }

    /// The migrations of the files, in their order.
    var own: [any Migration] { Self.own(files) }

    private static func own(_ files: [String]) -> [any Migration] {
        files.compactMap { file in read.withLock { $0[file] }.map(SpecMigration.init) }
    }

    /// The app that is meant where none is named: the only one of a dump that the files say they are for.
    func app(in dump: Dump) -> String? {
        files.compactMap { file in Self.read.withLock { $0[file] } }.app(in: dump)
    }

    /// Every migration there is: those of the files, of the person's own folder, and built in; of one name the first.
    var migrations: [any Migration] { Self.migrations(of: files) }

    private static func migrations(of files: [String]) -> [any Migration] {
        let offered = offered.withLock { $0 ?? [] }.map { SpecMigration($0.spec) }
        var ids: Set<String> = []
        let all = own(files) + offered + BuiltIn.migrations + SpecCatalog.migrations
        return all.filter { ids.insert($0.id).inserted }
    }

    /// The migration that is meant where none is named: that of the only file.
    var only: MigrationName? { own.count == 1 ? own.first.flatMap { MigrationName(argument: $0.id) } : nil }
}

extension [Spec] {
    /// The only app of a dump that they say they are for.
    func app(in dump: Dump) -> String? {
        let meant = dump.containers.filter { container in
            container.kind == .app && contains { $0.names(container.identifier) }
        }
        return meant.count == 1 ? meant.first?.identifier : nil
    }
}

/// Reads spec files.
enum SpecFile {
    /// The largest file, in bytes; the reader's own limit is smaller, and says so.
    private static let limit = 8 << 20

    /// The spec in a file; a pipe without a name is read to its end.
    ///
    /// - Throws: the exit code, after all that is wrong with the file was said, a line each.
    static func read(_ path: String) throws -> Spec {
        do throws(SpecProblems) {
            let data = try bytes(path), spec = try Spec(data)
            _ = hasChanged(path, data)
            return spec
        } catch {
            throw failure(error, path)
        }
    }

    /// Says all that is wrong with a file, a line each; what is thrown ends the program.
    static func failure(_ problems: SpecProblems, _ path: String) -> ExitCode {
        let lines = problems.all.map { "\(path):\($0)" }
        return fail("\(path) cannot be used as a spec:\n" + lines.joined(separator: "\n"), .usage)
    }

    /// Replaces a file as a whole: a reader, or a crash, finds the old text or the new one.
    static func replace(_ path: String, by text: String) throws {
        let target = URL(fileURLWithPath: path).resolvingSymlinksInPath().path
        do throws(Errno) {
            let mode = try OpenFile.status(at: target).permissions.rawValue
            try OpenFile.replace(target, with: Data(text.utf8), mode: UInt16(mode & 0o777))
        } catch {
            throw fail("\(path) cannot be written: \(error.words)", .tryAgain)
        }
    }

    /// What was last read of each file.
    private static let lastRead = Mutex<[String: Data]>([:])

    /// Whether a file holds something else than when it was last asked about.
    static func hasChanged(_ path: String, _ data: Data) -> Bool {
        lastRead.withLock { known in
            defer { known[path] = data }
            return known[path].map { $0 != data } ?? false
        }
    }

    /// Whether a path leads to a file, also through a link.
    static func isRegular(_ path: String) -> Bool {
        (try? Stat(path, followTargetSymlink: true))?.type == .regular
    }

    static func bytes(_ path: String) throws(SpecProblems) -> Data {
        guard !OpenFile.isNamedPipe(path) else {
            throw SpecProblems(unreadable: "it is a named pipe, which may have no writer; name - and give it as input")
        }
        do throws(Errno) {
            return Data(try OpenFile.input(path, limit: limit))
        } catch {
            throw SpecProblems(unreadable: error == .fileTooLarge ? "it is longer than 8 MiB" : error.words)
        }
    }
}
