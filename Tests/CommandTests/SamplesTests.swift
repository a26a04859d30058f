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

    /// Those of the property lists that Python's reader, or its reader of JSON, finds to be dictionaries, as stores are.
    private static let dictionaries: Set<String> = {
        let script = """
            import json, plistlib, sys
            for path in sys.argv[2:]:
                data = open(sys.argv[1] + "/" + path, "rb").read()
                for read in (plistlib.loads, json.loads):
                    try:
                        if isinstance(read(data), dict): print(path)
                        break
                    except Exception: pass
            """
        let process = Process(), output = Pipe()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = ["python3", "-c", script, Places.samples] + plists
        process.standardOutput = output
        guard (try? process.run()) != nil else { return [] }
        let data = output.fileHandleForReading.readDataToEndOfFile()
        process.waitUntilExit()
        return Set(String(decoding: data, as: UTF8.self).split(separator: "\n").map(String.init))
    }()
    /// One that Python cannot have, as an array is a key in it; the rest is read here, and that key named.
    private static let readInPart = ["plists/cpython/INVALID.35.non_hashable_key.bplist"]

    /// How `inspect` ends with a dump: several devices are to be chosen from, what is locked or no dump is not read.
    private static func code(of dump: String) -> Int32 {
        switch dump {
        case "simulators/CoreSimulator", "simulators/simctl", "simulators/keyboard", "simulators/enable-accessibility":
            64
        case "synthetic/backup_encrypted_pw_test", "synthetic/keychain": 6
        default: 0
        }
    }

    private func look(at path: String, code: Int32) throws {
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
        #expect(inspected.code == code, "\(path): \(inspected.errors)")
        if inspected.code == 0, let answer = try? Answer(inspected.output) {
            let containers = answer.objects("containers")
            if containers.count > 1 { app = ["--app", containers.first?["identifier"] as? String ?? ""] }
            let stores = containers.first?["stores"] as? [[String: Any]]
            address = [stores?.first?["address"] as? String].compactMap(\.self)
        }
        _ = try run(["show", dump] + address + app)
        // Of what has no stores there is none.
        if inspected.code != 6 {
            _ = try run(["plan", dump, "-m", "rudderstack-v2", "--facts", Places.facts] + app)
        }
        _ = try run(["run", "-", dump] + app)
    }

    @Test("Every real dump opens, or is refused rightly", arguments: dumps)
    func dump(path: String) throws { try look(at: path, code: Self.code(of: path)) }

    @Test(
        "Every single property list opens where another reader finds a dictionary in it, and nowhere else",
        arguments: plists)
    func plist(path: String) throws {
        #expect(Self.dictionaries.count > 30)
        let isStore = Self.dictionaries.contains(path) || Self.readInPart.contains(path)
        try look(at: path, code: isStore ? 0 : 6)
    }
}
