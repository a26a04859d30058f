import Crypto
import Foundation
import MigrationEngine
import StoreFormats

extension Change {
    /// The lists of texts that a change has, by the role in which a ledger keeps them.
    var texts: [(role: String, texts: [String])] {
        [
            ("from", from.map(\.description)), ("note", notes), ("placeholder", placeholders.map(\.description)),
            ("dropped", dropped.map(\.description)),
        ]
    }
}

extension EntryState {
    var parts: (name: String, reason: Unreadable?) {
        switch self {
        case .absent: ("absent", nil)
        case .present: ("present", nil)
        case .unreadable(let reason): ("unreadable", reason)
        }
    }
}

extension LedgerEntry {
    /// SHA-256 of all that an entry says.
    ///
    /// Every text goes in with its length before it, every list with its count, so that no two entries say the same bytes.
    ///
    /// - Parameter withEffects: Whether the effects of its changes are part of that.
    func digest(
        in container: Name, _ images: [(before: Data?, after: Data?)], withEffects: Bool
    ) -> Data {
        var hash = SHA256()
        func add(_ number: Int) {
            withUnsafeBytes(of: Int64(number).bigEndian) { hash.update(bufferPointer: $0) }
        }
        func add(_ text: String) {
            add(text.utf8.count)
            hash.update(data: Data(text.utf8))
        }
        func add(_ digest: Data?) {
            add(digest == nil ? 0 : 1)
            hash.update(data: digest ?? Data())
        }
        add(container.text)
        add(number)
        if case .rolledBack(let number) = event { add(number) } else { add(0) }
        add(Int(bitPattern: UInt(date.timeIntervalSinceReferenceDate.bitPattern)))
        for text in [author, toolVersion, migration, profile, step] { add(text) }
        add(changes.count)
        for (change, images) in zip(changes, images) {
            let state = change.before.parts
            for text in [change.address.description, state.name] { add(text) }
            for text in [state.reason?.cause.rawValue, state.reason?.explanation] { add(text ?? "") }
            add(images.before)
            add(images.after)
            add(change.rule)
            if withEffects { add(change.effect.rawValue) }
            for (_, texts) in change.texts {
                add(texts.count)
                texts.forEach(add)
            }
        }
        let names = facts.names.sorted { $0.rawValue.utf8.lexicographicallyPrecedes($1.rawValue.utf8) }
        add(names.count)
        for name in names {
            guard let fact = facts[name] else { continue }
            for text in [name.rawValue, fact.value, fact.source.kind, fact.source.text] { add(text) }
        }
        let paths = digests.sorted { $0.key < $1.key }
        add(paths.count)
        for (path, digest) in paths { [path.text, digest].forEach(add) }
        // Most rest on none, and entries of earlier schemas said nothing of it.
        if !restsOn.isEmpty {
            add(restsOn.count)
            restsOn.sorted().forEach(add)
        }
        return Data(hash.finalize())
    }
}
