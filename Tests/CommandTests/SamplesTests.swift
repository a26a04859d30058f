import Foundation
import Testing

@Suite(
    "Real dumps and files",
    .enabled(if: Places.hasSamples, "\(Places.samplesHint)"))
struct SamplesTests {
    /// The dumps, relative to the samples; a folder of simulators holds several devices.
    static let dumps =
        [
            "xcappdata/WeightTracker", "synthetic/xcappdata", "synthetic/backup_plain",
            "synthetic/backup_encrypted_pw_test",
            "synthetic/keychain",
        ] + children("xcappdata/WeightTracker") + children("synthetic/xcappdata") + children("simulators")
        + children("simulators/CoreSimulator") + children("simulators/simctl")

    static let plists: [String] = {
        let names = (try? FileManager.default.subpathsOfDirectory(atPath: Places.samples + "/plists")) ?? []
        return names.sorted().map { "plists/" + $0 }.filter { path in
            var isFolder: ObjCBool = false
            return FileManager.default.fileExists(atPath: Places.samples + "/" + path, isDirectory: &isFolder)
                && !isFolder.boolValue
        }
    }()

    private static func children(_ folder: String) -> [String] {
        let names = (try? FileManager.default.contentsOfDirectory(atPath: Places.samples + "/" + folder)) ?? []
        return names.sorted().map { folder + "/" + $0 }
    }

    private func look(at path: String) throws {
        let scratch = try Scratch(), dump = Places.samples + "/" + path
        var app: [String] = [], address: [String] = []
        func run(_ arguments: [String]) throws -> Program.Run {
            let run = try Program.run(arguments, in: scratch, input: "screen first\nkey j j <Enter> G\nscreen last\n")
            #expect(
                Places.exitCodes.contains(run.code), "\(arguments) ended with \(run.code): \(run.errors.suffix(500))")
            #expect(run.isAnswered, "\(arguments) says nothing")
            return run
        }
        let inspected = try run(["inspect", dump, "--json"])
        if inspected.code == 0, let answer = try? Answer(inspected.output) {
            let containers = answer.objects("containers")
            if containers.count > 1 { app = ["--app", containers.first?["identifier"] as? String ?? ""] }
            let stores = containers.first?["stores"] as? [[String: Any]]
            address = [stores?.first?["address"] as? String].compactMap(\.self)
        }
        _ = try run(["show", dump] + address + app)
        _ = try run(["plan", dump, "-m", "rudderstack-v2", "--facts", Places.facts] + app)
        _ = try run(["run", "-", dump] + app)
    }

    @Test("Every real dump ends with an exit code of the contract", arguments: dumps)
    func dump(path: String) throws { try look(at: path) }

    @Test("Every single property list ends with an exit code of the contract", arguments: plists)
    func plist(path: String) throws { try look(at: path) }
}
