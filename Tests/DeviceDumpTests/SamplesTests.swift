import Foundation
import MigrationEngine
import StoreFormats
import Testing
import TestSupport

@testable import DeviceDump

@Suite("Real dumps", .enabled(if: Places.hasSamples, "\(Places.samplesHint)"))
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
        #expect(container.stores.filter { $0.kind != .sqlite } == [.files("AppSupport"), .files("Caches")])
        #expect(container.stores.contains { SQLiteTable($0)?.table == "Z_METADATA" })
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

    @Test("the made-up backups open, the encrypted one with its password, and hold the same")
    func backups() throws {
        let plain = try Dump.open(Places.sample("synthetic/backup_plain"))
        guard case .locked(let locked) = try Dump.opening(Places.sample("synthetic/backup_encrypted_pw_test")) else {
            Issue.record("it is not locked")
            return
        }
        let encrypted = try locked.opened(with: .password("test"))
        #expect(
            plain.containers.count == 5 && plain.containers.map(\.identifier) == encrypted.containers.map(\.identifier))
        for (container, other) in zip(plain.containers, encrypted.containers) {
            #expect(container.contents.stores == other.contents.stores)
            for store in container.contents.stores {
                let keys = container.keys(in: store)
                for position in 0..<keys.count {
                    let key = keys.key(at: position), state = container.state(of: key, in: store)
                    if key != "link" { #expect(state.value != nil, "\(store) \(key)") }
                    #expect(other.state(of: key, in: store) == state)
                }
            }
        }
        let app = try encrypted.container(nil)
        let item = app.state(of: "ada", in: .keychain("com.example.legacyapp.token")).value.flatMap(KeychainItem.init)
        #expect(item?.data == Data("refresh-token-1".utf8))
    }
}
