import Foundation
import MigrationEngine
import StoreFormats

/// What the code of the article does to a stored person (seed 002), defects included: the profile `original`.
///
/// A migration is pending where the text does not decode as the current type; the version is asked once, before the first
/// block; each block then decodes what the ones before it left, and saves what its type knows. So a person of version 2,
/// which decodes as version 3 too, keeps its age; a null e-mail counts as none and becomes a placeholder; fields that no
/// type names are lost; and what decodes as no version is left without a word.
enum PersonOriginal {
    /// The fields of the types of each version, all strings.
    private static let types: [[Name]] = [
        ["name", "age"], ["name", "age", "email"], ["alias", "age", "email"], ["alias", "email"],
    ]
    private static let current = 3

    /// A block for each version.
    static func steps(at address: Address) -> [Step] {
        PersonDocument.steps.map { step in
            let from = step.from
            let rule = "as the article's code does it: PersonV\(from) is decoded and saved as PersonV\(from + 1)"
            return Step(
                id: step.id, title: step.title, sources: [address], targetKey: PersonDocument.key, target: address,
                rule: rule,
                disagreement: """
                    The article's code drops fields that its types do not name, never takes the age from a person of \
                    version 2, and says nothing of what it cannot decode; the other profiles do not follow it there.
                    """,
                facts: [.bundleIdentifier], reversibility: .beforeImage
            ) { transaction, _ throws(StepStop) in
                try take(from, at: address, rule: rule, in: &transaction)
            }
        }
    }

    private static func take(
        _ from: Int, at address: Address, rule: String, in transaction: inout StoreTransaction
    ) throws(StepStop) {
        guard let before = try text(transaction.original(address), at: address) else {
            throw .skipped("absent", "UserDefaults gives no text for \(address): the app begins without a person")
        }
        try checkIsKnown(before, at: address)
        try checkIsKnown(text(transaction.read(address), at: address), at: address)
        if decode(before, as: current) != nil {
            throw .skipped(
                "not-pending", "it decodes as the current person, so the app does nothing; fields that it ignores stay")
        }
        // What decodes as version 2 decodes as the current one too.
        let version = decode(before, as: 1) == nil ? 0 : 1
        guard version <= from else {
            throw .skipped("already-newer", "the app takes it for version \(version), so this block is passed over")
        }
        let now = try text(transaction.read(address), at: address)
        guard let now, let found = decode(now, as: from) else {
            if from > version, decode(before, as: version) != nil {
                throw .blocked(
                    "earlier-steps-first", "it is not of version \(from) yet: apply the steps before this one first")
            }
            throw .skipped(
                "not-decodable", "it does not decode as PersonV\(from): the app leaves it, and reports no failure")
        }
        var saved = found.fields
        switch from {
        case 0: saved["email"] = .string(PersonDocument.unknownEmail)
        case 1:
            saved["alias"] = saved["name"]
            saved["name"] = nil
        default: saved["age"] = nil
        }
        let fields = Members(saved.sorted { $0.key < $1.key })
        let data: String
        do {
            data = String(decoding: try JSONDocument.write(.dictionary(fields)), as: UTF8.self)
        } catch {
            throw .failed("edit-impossible", "the person cannot be written: \(error)")
        }
        let notes =
            found.lost.isEmpty
            ? [] : ["lost, as its type does not name it: \(found.lost.map(\.text).joined(separator: ", "))"]
        let dropped = found.lost + (from == 2 ? ["age"] : [])
        let placeholders = from == 0 ? [JSONPointer(["email"])] : []
        try transaction.write(
            .string(data), to: address, from: [address], rule: rule, notes: notes, placeholders: placeholders,
            dropped: dropped.map { Address(store: address.store, key: address.key, pointer: JSONPointer([$0])) },
            policy: .replaceExisting)
    }

    /// What `string(forKey:)` gives.
    private static func text(_ state: EntryState, at address: Address) throws(StepStop) -> String? {
        if case .unreadable(let reason) = state { throw .unreadable(address, reason) }
        return state.value?.textInUserDefaults
    }

    /// Stops where nobody can know what the app decodes: a text is over a limit, or has a field twice.
    private static func checkIsKnown(_ text: String?, at address: Address) throws(StepStop) {
        guard let text else { return }
        let document: JSONDocument
        do throws(FormatError) {
            document = try JSONDocument(Data(text.utf8))
        } catch {
            if error.isOverLimit { throw .overLimit(address, error) }
            return
        }
        if let twice = document.value.members?.duplicateKeys.first {
            throw .repeatedKey(JSONPointer([twice]), of: address)
        }
    }

    /// The fields of a type and the names of those that it does not know, where a text decodes as it.
    private static func decode(_ text: String, as version: Int) -> (fields: Members, lost: [Name])? {
        guard let members = (try? JSONDocument(Data(text.utf8)))?.value.members else { return nil }
        var fields = Members()
        for name in types[version] {
            guard case .string(let value)? = members[name] else { return nil }
            fields[name] = .string(value)
        }
        // A null e-mail is none.
        let lost = members.filter { !types[version].contains($0.key) && !($0.key == "email" && $0.value == .null) }
        return (fields, lost.map(\.key))
    }
}
