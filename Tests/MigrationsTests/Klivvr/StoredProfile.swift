import Foundation
import MigrationEngine
import Migrations
import Sealing
import StoreFormats
import Systems

/// Profiles of each version in a keychain, as tests find them.
enum StoredProfile {
    static let service = StoreID.keychain("com.klivvr.storage")
    static let key = "user_profile"
    static let address = Address(store: service, key: Name(key))
    static let versionAddress = Address(store: service, key: Name(key) + "_schema_version")

    static let v1 = #"{"userId":"usr_123","displayName":"Ahmed","email":"ahmed@example.com"}"#
    static let v2 =
        #"{"userId":"usr_456","displayName":"Sara","email":"sara@example.com","#
        + #""preferences":{"theme":"dark","language":"ar","currency":"EGP"}}"#
    static let v3 =
        String(v2.dropLast())
        + #","notificationSettings":{"pushEnabled":false,"emailEnabled":true,"transactionAlerts":true,"#
        + #""marketingOptIn":true}}"#
    /// What version 1 becomes with the locale `en_US`: the golden value.
    static let v1AsV3 =
        String(v1.dropLast()) + #","preferences":{"theme":"system","language":"en","currency":"USD"},"#
        + #""notificationSettings":{"pushEnabled":true,"emailEnabled":true,"transactionAlerts":true,"#
        + #""marketingOptIn":false}}"#

    static let attributes: Members = ["pdmn": .string("cku"), "agrp": .string("ABCDE12345.com.klivvr.app")]

    /// A keychain with a profile and a version, where they are given.
    static func stores(_ json: String?, version: String?) -> MemoryStores {
        var members = Members([Member(key: "other", value: KeychainItem(text: "kept").value)])
        if let json { members[Name(key)] = KeychainItem(text: json, attributes: attributes).value }
        if let version {
            members[Name(key + "_schema_version")] = KeychainItem(text: version, attributes: attributes).value
        }
        return MemoryStores([(service, members)])
    }

    static func text(_ stores: any StoreReader, _ address: Address = address) -> String? {
        stores.state(at: address).value.flatMap { KeychainItem($0) }?.text
    }

    static func sealer(_ byte: UInt8 = 7) throws(SealError) -> Sealer {
        try Sealer(material: Data(repeating: byte, count: 32), salt: .named("test"))
    }
}

extension MigrationPipeline {
    static func userProfile(locale: String = "en_US") -> MigrationPipeline {
        let pipeline = MigrationPipeline()
        pipeline.registerUserProfile(locale: locale)
        return pipeline
    }
}
