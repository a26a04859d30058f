import Foundation
import TestSupport
import Testing

@testable import DeviceDump

@Suite("UFED's keychain")
struct UFEDKeychainTests {
    @Test("items are opened with the keys in it; what has none is named")
    func items() throws {
        let data = try Data(contentsOf: URL(fileURLWithPath: Places.fixture("keychain-ufed/backup_keychain_v2.plist")))
        let export = try KeychainExport(data)
        #expect(export.form == "UFED keychain backup")
        #expect(export.items.map(\.service) == ["com.acme.notes.token", "api.example.com", "com.acme.timer.token"])
        #expect(export.items.map(\.kind) == [.generic, .internet, .generic])
        #expect(
            try export.items.map { try $0.secret.get() } == [
                Data("refresh-token-1".utf8), Data("pa55".utf8), Data(repeating: 0x74, count: 300),
            ])
        #expect(export.problems.map(\.place) == ["entry 4", "entry 5"])
    }
}
