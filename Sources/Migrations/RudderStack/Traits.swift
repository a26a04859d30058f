import MigrationEngine
import StoreFormats

/// The traits as the old SDK left them: a keyed archive, or the JSON string that the guide speaks of.
struct Traits {
    /// The keys that are identities rather than traits, which the new SDK keeps apart.
    static let identityKeys: Set<Name> = ["anonymousId", "id", "userId"]

    /// The traits with the identities.
    let members: Members

    /// Reads the traits, or `nil` where there are none.
    static func read(
        from legacy: LegacyStore, in transaction: inout StoreTransaction, variant: Variant
    ) throws(StepStop) -> Traits? {
        guard let value = try legacy.value(Keys.traits, in: &transaction) else { return nil }
        let recognition = value.recognition()
        if let problem = recognition?.problem {
            throw .failed("traits-corrupt", "\(Keys.traits) is damaged: \(problem); the other values still migrate")
        }
        if variant != .documented, value.data == nil || recognition?.decoded?.formats.contains(.keyedArchive) != true {
            throw .failed(
                "traits-not-archived", "\(Keys.traits) is \(value.typePhrase); the SDK reads only a keyed archive there"
            )
        }
        guard let decoded = value.members ?? recognition?.decoded?.value.members else {
            throw .failed(
                "traits-corrupt",
                """
                \(Keys.traits) is \(value.typePhrase) that holds neither a keyed archive nor JSON of a dictionary; \
                the other values still migrate
                """)
        }
        return Traits(members: decoded)
    }

    /// The user ID among the traits, where it is a string.
    var userID: String? { members["userId"]?.string }

    /// The traits without the identities as JSON in stored order, or `nil` where nothing is left.
    func json() throws(StepStop) -> String? {
        let kept = Members(members.filter { !Self.identityKeys.contains($0.key) })
        guard !kept.isEmpty else { return nil }
        let value = Value.dictionary(kept)
        if let (pointer, what) = value.firstPartBeyondJSON() {
            throw .failed(
                "traits-not-json",
                "\(Keys.traits)#\(pointer) is \(what), which JSON cannot hold; the other values still migrate")
        }
        do {
            return String(decoding: try JSONDocument.write(value), as: UTF8.self)
        } catch {
            throw .failed("traits-not-json", "\(Keys.traits): \(error)")
        }
    }
}

extension Value {
    /// The first part that JSON has no form for, and what it is.
    fileprivate func firstPartBeyondJSON(
        at pointer: JSONPointer = JSONPointer()
    ) -> (JSONPointer, String)? {
        switch self {
        case .null, .bool, .integer, .string: nil
        case .real(let real): real.value.isFinite ? nil : (pointer, "\(real.value)")
        case .array(let elements):
            elements.indices.lazy.compactMap {
                elements[$0].firstPartBeyondJSON(at: pointer.appending("\($0)"))
            }.first
        case .dictionary(let members):
            members.lazy.compactMap { $0.value.firstPartBeyondJSON(at: pointer.appending($0.key)) }.first
        default: (pointer, typePhrase)
        }
    }
}
