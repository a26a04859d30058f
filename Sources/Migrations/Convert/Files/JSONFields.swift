import Foundation
import MigrationEngine
import StoreFormats

/// The members of a JSON object, read as strictly as the SDK reads them; errors say where.
///
/// Members that nobody asks for are ignored, and an optional member that is `null` counts as absent.
struct JSONFields {
    private let members: Members
    private let pointer: JSONPointer

    init(_ value: Value, at pointer: JSONPointer) throws(ConvertFormatError) {
        guard case .dictionary(let members) = value else {
            throw ConvertFormatError("\(value.typePhrase) stands where an object belongs", at: pointer)
        }
        self.members = members
        self.pointer = pointer
    }

    /// A member with its place; `nil` where it is absent or `null`.
    func optional(_ key: Name) throws(ConvertFormatError) -> (value: Value, pointer: JSONPointer)? {
        try Self.checkIsOne(key, of: members, at: pointer)
        guard let value = members[key], value != .null else { return nil }
        return (value, pointer.appending(key))
    }

    /// A member with its place.
    func required(_ key: Name) throws(ConvertFormatError) -> (value: Value, pointer: JSONPointer) {
        guard let member = try optional(key) else { throw ConvertFormatError("“\(key)” is missing", at: pointer) }
        return member
    }

    /// The text of a member.
    func string(_ key: Name) throws(ConvertFormatError) -> String {
        try Self.string(required(key))
    }

    /// The text of a member, or `nil` where it is absent.
    func optionalString(_ key: Name) throws(ConvertFormatError) -> String? {
        guard let member = try optional(key) else { return nil }
        return try Self.string(member)
    }

    /// The elements of a member.
    func elements(_ key: Name) throws(ConvertFormatError) -> [(value: Value, pointer: JSONPointer)] {
        try Self.elements(required(key))
    }

    /// The elements of a member, or `nil` where it is absent.
    func optionalElements(_ key: Name) throws(ConvertFormatError) -> [(value: Value, pointer: JSONPointer)]? {
        guard let member = try optional(key) else { return nil }
        return try Self.elements(member)
    }

    /// The texts under the keys of a member that is an object, or `nil` where it is absent.
    func optionalTexts(_ key: Name) throws(ConvertFormatError) -> [String: String]? {
        guard let member = try optional(key) else { return nil }
        return try Self.dictionary(member) { part throws(ConvertFormatError) in try Self.string(part) }
    }

    /// The Booleans under the keys of a member that is an object, or `nil` where it is absent.
    func optionalFlags(_ key: Name) throws(ConvertFormatError) -> [String: Bool]? {
        guard let member = try optional(key) else { return nil }
        return try Self.dictionary(member) { part throws(ConvertFormatError) in
            guard case .bool(let flag) = part.value else { throw Self.misplaced(part, "a Boolean") }
            return flag
        }
    }

    /// The text of a value.
    static func string(_ part: (value: Value, pointer: JSONPointer)) throws(ConvertFormatError) -> String {
        guard case .string(let text) = part.value else { throw misplaced(part, "a string") }
        return text
    }

    /// The elements of a value.
    static func elements(
        _ part: (value: Value, pointer: JSONPointer)
    ) throws(ConvertFormatError) -> [(value: Value, pointer: JSONPointer)] {
        guard case .array(let elements) = part.value else { throw misplaced(part, "an array") }
        return elements.enumerated().map { ($1, part.pointer.appending("\($0)")) }
    }

    private static func dictionary<Element>(
        _ part: (value: Value, pointer: JSONPointer),
        _ read: ((value: Value, pointer: JSONPointer)) throws(ConvertFormatError) -> Element
    ) throws(ConvertFormatError) -> [String: Element] {
        guard case .dictionary(let members) = part.value else { throw misplaced(part, "an object") }
        if let key = members.duplicateKeys.first { try checkIsOne(key, of: members, at: part.pointer) }
        var result: [String: Element] = [:]
        for member in members { result[member.key.text] = try read((member.value, part.pointer.appending(member.key))) }
        return result
    }

    /// Nothing says which of two values of one key is meant.
    static func checkIsOne(
        _ key: Name, of members: Members, at pointer: JSONPointer
    ) throws(ConvertFormatError) {
        guard members.count(where: { $0.key == key }) > 1 else { return }
        throw ConvertFormatError(repeated: key, at: pointer)
    }

    private static func misplaced(
        _ part: (value: Value, pointer: JSONPointer), _ expected: String
    ) -> ConvertFormatError {
        ConvertFormatError("\(part.value.typePhrase) stands where \(expected) belongs", at: part.pointer)
    }
}

/// Why a file of Convert's SDK is not what it should be: where, and what is wrong there.
public struct ConvertFormatError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The place in the JSON; the root where the text itself cannot be read.
    public let pointer: JSONPointer
    /// What is wrong there.
    public let problem: String
    /// Set where the SDK may read the text all the same, so that it is not corrupt: it is over a limit of the reader, or
    /// nothing says which of two values counts.
    let unknown: Unreadable?

    /// Makes an error at a place.
    package init(_ problem: String, at pointer: JSONPointer = JSONPointer()) {
        self.problem = problem
        self.pointer = pointer
        unknown = nil
    }

    fileprivate init(_ error: FormatError) {
        problem = error.description
        pointer = JSONPointer()
        unknown = error.isOverLimit ? Unreadable(error) : nil
    }

    fileprivate init(repeated key: Name, at pointer: JSONPointer) {
        problem = "“\(key)” stands more than once, and programs differ on which value counts,"
        self.pointer = pointer
        unknown = Unreadable(.ambiguous, "\(problem) at #\(pointer)")
    }

    /// Stops a step, or an app, where nobody can know what the SDK reads in a file.
    package func checkIsKnown(at address: Address) throws(StepStop) {
        if let unknown { throw .unreadable(address, unknown) }
    }

    /// The problem with its place, in one sentence without a full stop.
    public var description: String { pointer.isRoot ? problem : "\(problem) at #\(pointer)" }
}

extension JSONDocument {
    /// Reads the text of a file of the SDK.
    init(convertFile data: Data) throws(ConvertFormatError) {
        do {
            try self.init(data)
        } catch {
            throw ConvertFormatError(error)
        }
    }
}
