import MigrationEngine
import StoreFormats

extension RudderStackV2 {
    /// What the old SDK left, under the names and in the types that the SDK's own helper shows; what cannot be migrated is
    /// left out.
    ///
    /// - Throws: why the old SDK's store, or a value of it, cannot be read: that is not the same as nothing being there.
    package func persistence(
        in stores: any StoreReader, facts: Facts, rules: RudderStackRules
    ) throws(Unreadable) -> Members {
        guard let domain = sides(facts: facts).legacy.first else { return Members() }
        let legacy = RudderStackLegacy(domain: domain)
        var transaction = StoreTransaction(on: stores)
        if let problem = transaction.problem(with: domain) { throw problem }
        for key in RudderStackKeys.migrated {
            if case .unreadable(let reason) = transaction.read(legacy.address(key)) { throw reason }
        }
        guard (try? legacy.checkPresence(in: &transaction, rules: .documented, suite: nil)) != nil else {
            return Members()
        }
        var found = Members()
        func convert(_ row: RudderStackRow) -> Value? { try? row.convert(legacy, &transaction, facts, rules).value }
        func integer(_ value: Value) -> Value? { value.string.flatMap { Int128($0) }.map(Value.integer) }
        found["anonymousId"] = convert(.anonymousID)
        found["userId"] = convert(.userID)
        let traits = (try? RudderStackTraits.read(from: legacy, in: &transaction, rules: rules)).flatMap { $0 }
        found["traits"] = traits.map { .dictionary($0.members) }
        found["sessionId"] = convert(.sessionID).flatMap(integer)
        found["isManualSession"] = convert(.manualSession)
        found["lastActivityTime"] = convert(.lastActivityTime).flatMap(integer)
        found["applicationVersion"] = convert(.appVersion)
        let build = (try? legacy.string(RudderStackKeys.appBuild, in: &transaction)).flatMap { $0 }
        found["applicationBuild"] = build.map(Value.string)
        return found
    }
}
