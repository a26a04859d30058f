import MigrationEngine
import StoreFormats

/// The version in the name of a document's entry, such as `profile-v2.json`: each version has an entry of its own, and that
/// of the newest counts.
struct NameVersion: VersionDetector {
    /// What the name of the entry says; `nil` where there is none.
    private let number: Int?
    /// The addresses of all versions.
    private let pattern: AddressPattern?
    private let text: String
    let removesOlder: Bool

    /// - Parameters:
    ///   - pattern: Where each version is; not needed to read one.
    ///   - text: The name as the spec writes it.
    init(_ number: Int?, in pattern: AddressPattern?, text: String, removesOlder: Bool) {
        (self.number, self.pattern, self.text, self.removesOlder) = (number, pattern, text, removesOlder)
    }

    /// The version that a part of a name is: digits without a zero before them, as a step would write them.
    ///
    /// One of more digits than a number has is as new as can be.
    static func number(_ part: String) -> Int? {
        let isNumber = part == "0" || part.utf8.allSatisfy { (0x30...0x39).contains($0) } && part.utf8.first != 0x30
        return isNumber && !part.isEmpty ? Int(part) ?? .max : nil
    }

    var rule: String { "by the name of its entry, \(text)" }

    func version(
        of document: Value, at address: Address, newest: Int, in transaction: inout StoreTransaction, facts: Facts
    ) -> StoredVersion {
        guard let number else { return .unknown("the name of its entry says none") }
        return number > newest ? .newer(number, newestKnown: newest) : .stored(number)
    }

    func address(of version: Int, from address: Address) -> Address { pattern?.filled(["\(version)"]) ?? address }
}
