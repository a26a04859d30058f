import MigrationEngine
import StoreFormats

extension ConvertMigration {
    /// How many lines of a file are told.
    private static let lineLimit = 50
    /// Larger files are not looked into, in bytes.
    private static let sizeLimit = 4 << 20

    /// The ID of a visitor, in both of its places: a random one, with which nobody can act as anybody.
    public func publicEntries(facts: Facts) -> [Address] {
        [ConvertLocation.visitorID]
            + [facts[.bundleIdentifier]].compactMap(\.self).map { ConvertLocation.mirror(bundleIdentifier: $0.value) }
    }

    /// What an entry is to the SDK: decisions by visitor, the queue by event, a configuration by its project.
    public func annotation(of address: Address, in stores: any StoreReader) -> String? {
        guard address.pointer.isRoot else { return nil }
        switch address {
        case ConvertLocation.visitorID: return "visitor ID; the SDK reads it first"
        case _ where ConvertLocation.isMirror(address):
            return "visitor ID mirror; read where the keychain holds no ID"
        case ConvertLocation.uploadMarker:
            return "mark of an upload under way; until it is over the SDK does not read the event queue"
        default: break
        }
        let isDecisions = ConvertLocation.decisions.contains(address)
        let configKey = ConvertLocation.sanitizedKey(of: address)
        guard isDecisions || configKey != nil || address == ConvertLocation.eventQueue,
            let data = stores.state(at: address).value?.data, data.count <= Self.sizeLimit
        else { return nil }
        do throws(ConvertFormatError) {
            if isDecisions { return try Self.decisions(ConvertDecisions.Form(data), at: address) }
            if let configKey { return Self.config(try ConvertConfig(data), key: configKey) }
            return Self.queue(try ConvertEventPayload.queue(data))
        } catch {
            switch error.unknown?.cause {
            case nil: return "corrupt for the SDK: \(error)"
            case .overLimit?: return "not looked into, as it is over a limit: \(error)"
            default: return "not known: \(error)"
            }
        }
    }

    private static func decisions(
        _ form: ConvertDecisions.Form, at address: Address
    ) throws(ConvertFormatError) -> String {
        switch form {
        case .corrupt(let error): throw error
        case .flat(let members):
            return "decisions of \(count(members.count, "visitor")) in the form before the first release"
        case .current(let decisions):
            let place = address == ConvertLocation.decisions[0] ? "" : ", where the SDK does not look"
            let lines = decisions.order.reversed().prefix(lineLimit).map { key in
                let data = decisions.visitors[key]
                let chosen = (data?.bucketing ?? [:]).sorted { $0.key < $1.key }.map { "\($0.key) → \($0.value)" }
                let goals = (data?.goalTriggered ?? [:]).filter(\.value).keys.sorted().map { "goal \($0)" }
                let all = (chosen + goals).joined(separator: ", ")
                return "\(key): \(all.isEmpty ? "nothing" : all)"
            }
            return text("decisions of \(count(decisions.order.count, "visitor")), the last used first\(place)", lines)
        }
    }

    private static func queue(_ queue: [ConvertEventPayload]) -> String {
        let visitors = queue.flatMap(\.visitors)
        let lines = visitors.lazy.flatMap { visitor in visitor.events.lazy.map { "\(visitor.visitorID): \($0)" } }
        let events = count(visitors.reduce(0) { $0 + $1.events.count }, "event")
        return text("\(events) of \(count(visitors.count, "visitor")), not sent", lines.prefix(lineLimit).map(\.self))
    }

    private static func config(_ config: ConvertConfig, key: String) -> String {
        let parts = ConvertConfig.Part.allCases.compactMap { part -> String? in
            guard case .array(let elements)? = config[part] else { return nil }
            return "\(part.rawValue): \(elements.count)"
        }
        let owner = "account \(config.accountID ?? "?"), project \(config.projectID ?? "?")"
        return text("configuration of \(owner), cached for the SDK key \(key)", parts)
    }

    private static func count(_ number: Int, _ noun: String) -> String { "\(number) \(noun)\(number == 1 ? "" : "s")" }

    private static func text(_ first: String, _ lines: [String]) -> String {
        ([first] + lines).joined(separator: "\n")
    }
}

extension ConvertTrackedEvent: CustomStringConvertible {
    /// The event in a phrase.
    public var description: String {
        switch self {
        case .bucketing(let experience, let variation): "bucketing \(experience) → \(variation)"
        case .conversion(let goal, let goalData, _):
            "conversion of goal \(goal)" + ((goalData ?? []).isEmpty ? "" : " with \((goalData ?? []).count) data")
        }
    }
}
