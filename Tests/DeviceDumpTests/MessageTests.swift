import Foundation
import MigrationEngine
import Testing

@testable import DeviceDump

@Suite("The words of errors")
struct MessageTests {
    @Test(
        "an error says where, why and what to do",
        arguments: [
            DumpError.Problem.notFound, .inaccessible(.permissionDenied), .inaccessible(.init(rawValue: 9999)), .gone,
            .changing, .overwritten, .locked, .otherSize(listed: 3),
            .symbolicLink(target: "/x"), .notAFile("a pipe"), .notAFolder, .overLimit(bytes: 3, limit: 2), .badPath,
            .notRecognised, .refused(form: "a zip archive", advice: "Unpack it."), .severalDumps(["/x/1"]),
            .noContainers,
            .severalApps(["com.acme.a"]), .noSuchApp("a", available: ["com.acme.a"]), .brokenDatabase("it is damaged"),
            .noCopy(.noSpace), .tooManyRows(limit: 5), .brokenRecord("it is cut"), .noPayload("ab/abcd"),
            .badPayloadName("../x"), .damagedPayload("its key is damaged"), .lockedToDevice(class: 10), .wrongPassword,
            .wrongKey, .damagedKeybag("it ends within a field"), .tooManyRounds(7, limit: 5), .foreignManifest,
            .keyFile("it is not there"), .insideDump("/the"), .somethingElse(holds: "no file"),
            .endlessFolders(levels: 9), .noSuchGroup("a", available: ["b"]), .noSuchGroup("a", available: []),
            .noSuchAppGroup("a", available: ["b"]), .noSuchAppGroup("a", available: []),
            .groupsOfOneContainer(["group.a", "group.b"]), .groupInSeveralContainers("group.a"),
            .keychainAlone,
            .lockedArchive, .wrongArchivePassword,
        ])
    func words(problem: DumpError.Problem) {
        let text = DumpError("/the/path", problem).description
        #expect(text.contains("/the/path"))
        #expect(text.split(separator: ". ").count + text.split(separator: ": ").count > 2, "\(text)")
        #expect(!text.contains("DumpError") && !text.contains("Optional"))
    }

    @Test("what is said of a zip and its password is nothing of backups")
    func zips() {
        for problem in [DumpError.Problem.lockedArchive, .wrongArchivePassword] {
            let text = DumpError("/x.zip", problem).description
            #expect(!text.contains("backup") && !text.contains("key") && !text.contains("passcode"), "\(text)")
        }
        #expect(DumpError("/x", .wrongPassword).description.contains("encrypted backups"))
    }

    @Test("a long list is cut and says by how many")
    func longList() {
        let text = DumpError("/x", .severalApps((0..<100).map { "app\($0)" })).description
        #expect(text.contains("app39") && !text.contains("app40"))
        #expect(text.contains("and 60 more"))
    }
}
