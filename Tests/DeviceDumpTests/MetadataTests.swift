import Foundation
import MigrationEngine
import Testing

@testable import DeviceDump

@Suite("Facts from a dump's metadata")
struct MetadataTests {
    private let managerFile = ".com.apple.mobile_container_manager.metadata.plist"

    @Test("AppDataInfo.plist says the app, its version and the time of the download")
    func downloadInfo() throws {
        let tree = try TemporaryTree()
        try tree.list(
            "n.xcappdata/AppDataInfo.plist",
            [
                "CFBundleIdentifier": "com.acme.notes", "XCApplicationName": "Acme Notes",
                "XCExecutableVersion": "2.3.1",
                "XCDownloadDate": "2019-02-02 11:31.02.515",
            ])
        try tree.folder("n.xcappdata/AppData/Library/Preferences")
        let dump = try Dump.open(tree.at("n.xcappdata")), facts = try dump.container(nil).facts
        #expect(dump.warnings.isEmpty)
        #expect(facts[.bundleIdentifier] == Fact("com.acme.notes", from: .metadata("AppDataInfo.plist")))
        #expect(facts[.appVersion] == Fact("2.3.1", from: .metadata("AppDataInfo.plist")))
        #expect(facts[.appName]?.value == "Acme Notes")
        #expect(facts[.downloadDate]?.value == "2019-02-02 11:31.02.515")
    }

    @Test("without AppDataInfo.plist the container's metadata says the app, and the missing file is a warning")
    func missingInfo() throws {
        let tree = try TemporaryTree()
        try tree.container("n.xcappdata/AppData")
        let dump = try Dump.open(tree.at("n.xcappdata"))
        #expect(
            try dump.container(nil).facts[.bundleIdentifier]
                == Fact("com.acme.notes", from: .metadata("container metadata")))
        #expect(dump.warnings == [DumpWarning("AppDataInfo.plist", .missing)])
    }

    @Test("missing preferences are a warning of an .xcappdata")
    func missingPreferences() throws {
        let tree = try TemporaryTree()
        try tree.list("n.xcappdata/AppDataInfo.plist", ["CFBundleIdentifier": "com.acme.notes"])
        try tree.folder("n.xcappdata/AppData")
        let dump = try Dump.open(tree.at("n.xcappdata"))
        #expect(dump.warnings == [DumpWarning("AppData/Library/Preferences", .missing)])
        #expect(try dump.container(nil).stores.isEmpty)
    }

    @Test(
        "where no metadata names the app, the preferences' file names may",
        arguments: [
            (["com.acme.notes"], "com.acme.notes"), (["com.acme.notes", "com.apple.UIKit", "Other"], "com.acme.notes"),
            (["com.acme.notes", "com.acme.notes.analytics.wk"], "com.acme.notes"),
            (["com.acme.notes", "com.acme.timer"], nil),
            (["com.apple.UIKit"], nil), (["Settings"], nil), ([".GlobalPreferences"], nil), (["com.acme notes.x"], nil),
        ])
    func preferencesNames(domains: [String], identifier: String?) throws {
        let tree = try TemporaryTree()
        for domain in domains { try tree.list("it/Library/Preferences/\(domain).plist") }
        let container = try Dump.open(tree.at("it")).container(nil)
        #expect(container.facts[.bundleIdentifier]?.value == identifier)
        #expect(container.identifier == identifier ?? "it")
        #expect(container.warnings == (identifier == nil ? [DumpWarning("", .unknownApp)] : []))
        if let identifier {
            #expect(container.facts[.bundleIdentifier]?.source.description.contains(identifier) == true)
        }
    }

    @Test("files that disagree are a warning, and the first one stands")
    func contradiction() throws {
        let tree = try TemporaryTree()
        try tree.list("n.xcappdata/AppDataInfo.plist", ["CFBundleIdentifier": "com.acme.notes"])
        try tree.container("n.xcappdata/AppData", app: "com.acme.other")
        let container = try Dump.open(tree.at("n.xcappdata")).container(nil)
        #expect(container.identifier == "com.acme.notes")
        let warning = try #require(container.warnings.first)
        #expect(
            warning.problem
                == .contradiction(
                    .bundleIdentifier, used: Fact("com.acme.notes", from: .metadata("AppDataInfo.plist")),
                    other: Fact("com.acme.other", from: .metadata("container metadata"))))
        #expect(warning.description.contains("com.acme.other"))
    }

    @Test("metadata that is damaged or of another type is a warning or nothing, and the rest opens")
    func damagedMetadata() throws {
        let tree = try TemporaryTree()
        try tree.file("n.xcappdata/AppDataInfo.plist", "bplist00")
        try tree.list("n.xcappdata/AppData/" + managerFile, ["MCMMetadataIdentifier": 7])
        try tree.list("n.xcappdata/AppData/Library/Preferences/com.acme.notes.plist")
        let container = try Dump.open(tree.at("n.xcappdata")).container(nil)
        #expect(container.facts[.bundleIdentifier]?.value == "com.acme.notes")
        #expect(container.warnings.map(\.path) == ["AppDataInfo.plist"])
    }

    @Test("a simulator's apps know their device; iOS 7 keeps the app itself in the container")
    func simulator() throws {
        let tree = try TemporaryTree()
        try tree.list(
            "device.plist",
            [
                "name": "iPhone 5", "runtime": "com.apple.CoreSimulator.SimRuntime.iOS-7-1",
                "deviceType": "com.apple.CoreSimulator.SimDeviceType.iPhone-5",
            ], format: .xml)
        try tree.list(
            "data/Applications/U/Notes.app/Info.plist",
            ["CFBundleIdentifier": "com.acme.notes", "CFBundleShortVersionString": "1.2"])
        let facts = try Dump.open(tree.path).container(nil).facts
        #expect(facts[.bundleIdentifier] == Fact("com.acme.notes", from: .metadata("Notes.app/Info.plist")))
        #expect(facts[.appVersion]?.value == "1.2")
        #expect(facts[.deviceName] == Fact("iPhone 5", from: .metadata("device.plist")))
        #expect(facts[.deviceType]?.value == "iPhone-5")
        #expect(facts[.systemVersion]?.value == "iOS-7-1")
    }
}
