import Foundation
import MigrationEngine
import StoreFormats

extension Step {
    /// A corrupt event queue is set aside.
    static let convertQueueCorrupt: Step = {
        let rule = "a corrupt event queue moves aside, before the SDK deletes it; the SDK then starts with an empty one"
        return Step(
            id: "queue-corrupt", title: "Corrupt event queue", sources: [ConvertLocation.eventQueue],
            targetKey: ConvertLocation.eventQueue.key, target: ConvertLocation.eventQueue, rule: rule,
            disagreement: "One unknown event type or key of goal data makes the SDK discard the whole queue.",
            reversibility: .beforeImage
        ) { transaction, _ throws(StepStop) in
            guard let data = try transaction.file(ConvertLocation.eventQueue) else {
                throw .skipped("absent", "there is no event queue: no event waits to be sent")
            }
            do throws(ConvertFormatError) {
                _ = try ConvertEventPayload.queue(data)
            } catch {
                try transaction.setAside(ConvertLocation.eventQueue, data, because: error, rule: rule)
            }
        }
    }()

    /// The mark of an upload is told.
    static let convertQueueUpload = Step(
        id: "queue-upload", title: "Upload mark", sources: [ConvertLocation.uploadMarker],
        rule: "not migrated: while the mark is there, the SDK leaves the event queue to the upload that set it",
        disagreement: "The guide does not name the file event-queue.uploading; the SDK writes it."
    ) { transaction, _ throws(StepStop) in
        switch transaction.read(ConvertLocation.uploadMarker) {
        case .absent: throw .skipped("absent", "no upload was under way")
        case .unreadable(let reason): throw .unreadable(ConvertLocation.uploadMarker, reason)
        case .present: break
        }
        throw .skipped(
            "left",
            """
            an upload was under way: events in the queue may have been sent already, and until the system reports the \
            upload's end the SDK does not read the queue
            """)
    }

    /// Corrupt configurations are set aside.
    static let convertConfigCorrupt: Step = {
        let rule =
            "a cached configuration that is not a JSON object moves aside, before the SDK deletes it and fetches anew"
        return Step(
            id: "config-corrupt", title: "Corrupt config", sources: [], rule: rule,
            disagreement:
                "The guide speaks of corruption only for the event queue; the SDK deletes a corrupt cache too.",
            reversibility: .beforeImage
        ) { transaction, _ throws(StepStop) in
            let configs = try transaction.convertConfigs()
            for address in configs {
                guard let data = try transaction.file(address) else { continue }
                do throws(ConvertFormatError) {
                    _ = try ConvertConfig(data)
                } catch {
                    try transaction.setAside(address, data, because: error, rule: rule)
                }
            }
        }
    }()

    /// SDK keys that share a file are told.
    static let convertConfigNames = Step(
        id: "config-names", title: "Config names", sources: [],
        rule: "not migrated: of an SDK key only “/” becomes “_” in the file's name, so a/b and a_b share one file",
        disagreement: "The guide calls the key in the name sanitized and does not say that two keys may become one.",
        facts: [.sdkKeys]
    ) { transaction, facts throws(StepStop) in
        let configs = try transaction.convertConfigs()
        if let given = facts[.sdkKeys] {
            let keys = given.value.split(separator: ",").map { $0.trimmed }.filter { !$0.isEmpty }
            for address in configs {
                var sharing: [String] = []
                for key in keys where ConvertLocation.config(sdkKey: key) == address && !sharing.contains(key) {
                    sharing.append(key)
                }
                guard sharing.count > 1 else { continue }
                throw .conflict(
                    at: address, "colliding-names",
                    "the SDK keys \(sharing.joined(separator: " and ")) share \(address): each fetch writes over the other's"
                )
            }
            return
        }
        let ambiguous = configs.compactMap(ConvertLocation.sanitizedKey).filter { $0.contains("_") }
        guard let first = ambiguous.first else { return }
        throw .skipped(
            "ambiguous-names",
            """
            config-\(first).json may belong to \(first) and to a key with “/” in place of “_”; the fact sdkKeys tells \
            whether two keys share it
            """)
    }
}

extension StoreTransaction {
    /// The cached configurations, of which there is at least one.
    fileprivate mutating func convertConfigs() throws(StepStop) -> [Address] {
        let folder = StoreID.files("AppSupport")
        if let problem = problem(with: folder) { throw .unreadable(Address(store: folder), problem) }
        let keys = keys(in: folder)
        if let problem = keys.problem(under: ConvertLocation.folder) {
            throw .unreadable(Address(store: folder, key: ConvertLocation.folder), problem)
        }
        note(ConvertLocation.configNames, in: folder)
        let configs = ConvertLocation.configs(among: keys)
        if configs.isEmpty { throw .skipped("absent", "there is no cached configuration") }
        return configs
    }
}

extension Substring {
    /// The text without the spaces around it.
    fileprivate var trimmed: String {
        let start = drop { $0 == " " }
        return String(start.reversed().drop { $0 == " " }.reversed())
    }
}

extension StoreTransaction {
    /// The bytes of a file, or `nil` where there is none.
    package mutating func file(_ address: Address) throws(StepStop) -> Data? {
        switch read(address) {
        case .absent: return nil
        case .unreadable(let reason): throw .unreadable(address, reason)
        case .present(.data(let data)): return data
        case .present(let value):
            throw .failed("wrong-type", "\(address) is \(value.typePhrase), where the bytes of a file belong")
        }
    }

    /// Moves a corrupt file to a name with `.corrupt` at its end, never over another file.
    ///
    /// Nothing reads it there, so what it held is dropped, though its bytes stay. One that is over a limit stays: the SDK may
    /// read it.
    mutating func setAside(
        _ address: Address, _ data: Data, because error: ConvertFormatError, rule: String
    ) throws(StepStop) {
        try error.checkIsKnown(at: address)
        var target = address
        for number in 1...100 {
            target.key = (address.key ?? "") + (number == 1 ? ".corrupt" : ".corrupt-\(number)")
            let held = read(target)
            guard held == .absent || held == .present(.data(data)) else { continue }
            try write(
                .data(data), to: target, from: [address], rule: rule, notes: [error.description], effect: .dropped)
            return remove(address, rule: rule, effect: .carried)
        }
        throw .failed("no-name-left", "every name that \(address) could be moved to is taken")
    }
}
