import Foundation
import MigrationEngine
import StoreFormats
import Testing

@testable import DeviceDump

@Suite("Real dumps", .enabled(if: Places.hasSamples, "the samples are not here; VESTIGE_SAMPLES says where they are"))
struct SamplesTests {
    @Test(
        "dumps of real devices and simulators open",
        arguments: [
            ("xcappdata/WeightTracker/SampleData.xcappdata", Dump.Kind.xcappdata, 1),
            ("xcappdata/WeightTracker", .xcappdata, 1), ("synthetic/xcappdata", .xcappdata, 1),
            ("simulators/simctl/sdk8", .simulator, 53), ("simulators/simctl/sdk-less-than-8", .simulator, 2),
            ("simulators/CoreSimulator/69BD76CA-415A-4981-81AC-2CC9EE4FC177", .simulator, 2),
            ("simulators/CoreSimulator/6386C48A-E029-4C1A-932D-355F652F66B9", .simulator, 17),
            ("simulators/GlobalPreferences.plist", .propertyList, 1),
        ])
    func opens(path: String, kind: Dump.Kind, containers: Int) throws {
        let dump = try Dump.open(Places.sample(path))
        #expect(dump.kind == kind)
        #expect(dump.containers.count == containers)
        for container in dump.containers {
            #expect(container.storeWarnings().isEmpty, "\(container.path)")
            for store in container.stores {
                let keys = container.keys(in: store)
                for position in 0..<keys.count {
                    let state = container.state(of: keys.key(at: position), in: store)
                    #expect(state.value != nil, "\(store) \(keys.key(at: position))")
                }
            }
        }
    }

    @Test("the app of a real download is the one that its metadata names")
    func weightTracker() throws {
        let container = try Dump.open(Places.sample("xcappdata/WeightTracker/SampleData.xcappdata")).container(nil)
        #expect(container.identifier == "io.github.paulz.WeightTracker")
        #expect(container.warnings.isEmpty)
        #expect(container.stores == [.files("AppSupport"), .files("Caches")])
        #expect(container.keys(in: .files("AppSupport")).position(of: "WeightTracker.sqlite") == 0)
        #expect(container.facts[.downloadDate] != nil)
    }

    @Test("a folder of several simulators is listed")
    func severalDevices() throws {
        let error = #expect(throws: DumpError.self) { try Dump.open(Places.sample("simulators/CoreSimulator")) }
        guard case .severalDumps(let paths) = error?.problem else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(paths.count == 2)
    }

    @Test("backups are refused by name", arguments: ["backup_plain", "backup_encrypted_pw_test"])
    func backups(name: String) {
        let error = #expect(throws: DumpError.self) { try Dump.open(Places.sample("synthetic/\(name)")) }
        guard case .refused(let form, _) = error?.problem else {
            Issue.record("\(String(describing: error))")
            return
        }
        #expect(form.hasPrefix("an iOS backup"))
    }
}
