import MigrationEngine
import StoreFormats

extension KlivvrUserProfile {
    /// The version that stands beside the profile: a number that says nothing of anybody.
    public func publicEntries(facts: Facts) -> [Address] {
        guard let service = facts[.keychainService]?.value, let key = facts[.profileKey]?.value else { return [] }
        let profile = Address(store: .keychain(Name(service)), key: Name(key))
        return [UserProfileDocument.detector.address(for: profile)]
    }

    /// Whose version or backup an entry is, where its owner is there or was.
    ///
    /// A key may end like a side key by chance: without an owner it is left alone, but for a backup, whose file is ours.
    public func annotation(of address: Address, in stores: any StoreReader) -> String? {
        guard let key = address.key else { return nil }
        switch address.store.kind {
        case .keychain:
            let suffix = UserProfileDocument.detector.suffix
            guard key.hasSuffix(suffix) else { return nil }
            let owner = Address(store: address.store, key: Name(key.text.dropLast(suffix.count)))
            guard owner.key?.isEmpty == false else { return nil }
            if stores.state(at: owner) != .absent { return "the schema version of \(owner)" }
            return owner.key == Name(UserProfile.modelIdentifier)
                ? "the schema version of \(owner), which is not there" : nil
        case .file:
            guard let backup = Backup(path: key.text) else { return nil }
            let owners = stores.stores.filter {
                $0.kind == .keychain && stores.state(of: Name(backup.owner), in: $0) != .absent
            }
            let owner = owners.count == 1 ? "\(Address(store: owners[0], key: Name(backup.owner)))" : backup.owner
            return "a sealed backup of \(owner), version \(backup.version), that an interrupted migration left"
        case .defaults, .sqlite: return nil
        }
    }

    /// The name of a backup taken apart: `user_profile_backup_v1.sealed`, or `…_v1-2.sealed` of a second one.
    struct Backup: Hashable {
        let owner: String
        let version: Int

        init?(path: String) {
            let ending = UserProfileDocument.backupEnding
            guard path.hasSuffix(ending) else { return nil }
            let name = (path.split(separator: "/").last ?? "").dropLast(ending.count)
            guard let mark = name.ranges(of: "_backup_v").last, mark.lowerBound > name.startIndex else { return nil }
            let numbers = name[mark.upperBound...].split(separator: "-", omittingEmptySubsequences: false)
            guard (1...2).contains(numbers.count), let version = Int(numbers[0]), numbers.allSatisfy({ Int($0) != nil })
            else { return nil }
            owner = String(name[..<mark.lowerBound])
            self.version = version
        }
    }
}
