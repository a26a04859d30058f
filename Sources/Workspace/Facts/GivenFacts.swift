import DeviceDump
import Foundation
import MigrationEngine
import StoreFormats

/// Reads the facts that a person gives: as arguments, and in a file.
public enum GivenFacts {
    /// The largest file of facts, in bytes.
    static let fileLimit = 1 << 20

    /// Facts of arguments of the form `NAME=VALUE`; of one that is given twice, the last counts.
    ///
    /// - Throws: ``WorkspaceError/fact(_:)`` where an argument has not that form.
    public static func arguments(_ arguments: [String]) throws(WorkspaceError) -> Facts {
        var facts = Facts()
        for argument in arguments {
            guard let (name, value) = assignment(argument) else { throw .fact(.notAnAssignment(argument)) }
            facts[FactName(rawValue: name)] = Fact(value, from: "--fact")
        }
        return facts
    }

    /// Facts of a file: a JSON object of texts and numbers, or a line `name=value` for each.
    ///
    /// Empty lines and lines that begin with `#` are left out.
    ///
    /// - Throws: ``WorkspaceError/fact(_:)``, which names the file and the line.
    public static func file(_ path: String) throws(WorkspaceError) -> Facts {
        let name = path.split(separator: "/").last.map(String.init) ?? path
        let bytes: [UInt8]
        do {
            bytes = try POSIXFile.openFollowingLinks(path).read(upTo: fileLimit + 1)
        } catch {
            throw .fact(.unreadableFile(path, reason: error.sentence))
        }
        guard bytes.count <= fileLimit else {
            throw .fact(.unreadableFile(path, reason: "it has more than \(fileLimit) bytes"))
        }
        return try facts(Data(bytes), source: name)
    }

    /// The facts in the bytes of a file.
    static func facts(_ data: Data, source: String) throws(WorkspaceError) -> Facts {
        let first = data.first { ![0x20, 0x09, 0x0A, 0x0D, 0xEF, 0xBB, 0xBF].contains($0) }
        if first == UInt8(ascii: "{") || first == UInt8(ascii: "[") { return try json(data, source: source) }
        guard let text = String(validating: data, as: UTF8.self) else {
            throw .fact(.malformed(source, reason: "it is not UTF-8"))
        }
        return try lines(text, source: source)
    }

    private static func lines(_ text: String, source: String) throws(WorkspaceError) -> Facts {
        var facts = Facts()
        for (index, line) in text.split(omittingEmptySubsequences: false, whereSeparator: \.isNewline).enumerated() {
            let line = line.trimmingCharacters(in: .whitespaces.union(["\u{FEFF}"]))
            if line.isEmpty || line.hasPrefix("#") { continue }
            guard let (name, value) = assignment(line) else { throw .fact(.badLine(source, line: index + 1)) }
            let known = FactName(rawValue: name)
            guard facts[known] == nil else { throw .fact(.duplicate(source, name: name, line: index + 1)) }
            facts[known] = Fact(value, from: .given(source))
        }
        return facts
    }

    private static func json(_ data: Data, source: String) throws(WorkspaceError) -> Facts {
        let document: JSONDocument
        do {
            document = try JSONDocument(data)
        } catch {
            throw .fact(.malformed(source, reason: "\(error)"))
        }
        guard let members = document.value.members else { throw .fact(.notTextOrNumber(source, name: nil)) }
        if let name = members.duplicateKeys.first { throw .fact(.duplicate(source, name: name.text, line: nil)) }
        var facts = Facts()
        for member in members {
            let text: String
            switch member.value {
            case .string(let string): text = string
            case .integer(let integer): text = String(integer)
            case .real(let real): text = if case .literal(let literal) = real.form { literal } else { "\(real.value)" }
            default: throw .fact(.notTextOrNumber(source, name: member.key.text))
            }
            facts[FactName(rawValue: member.key.text)] = Fact(text, from: .given(source))
        }
        return facts
    }

    private static func assignment(_ text: String) -> (name: String, value: String)? {
        guard let sign = text.firstIndex(of: "=") else { return nil }
        let name = text[..<sign].trimmingCharacters(in: .whitespaces)
        let value = text[text.index(after: sign)...].trimmingCharacters(in: .whitespaces)
        return name.isEmpty || name.contains(where: \.isWhitespace) ? nil : (name, value)
    }

    /// Refuses a fact that has not the form that a migration asks for; facts that no migration asks for are let be.
    ///
    /// - Throws: ``WorkspaceError/fact(_:)``, which names the form and an example.
    public static func check(_ facts: Facts, against definitions: [FactDefinition]) throws(WorkspaceError) {
        for definition in definitions {
            guard let fact = facts[definition.name], !definition.accepts(fact.value) else { continue }
            throw .fact(.badForm(fact.value, source: fact.source.description, definition))
        }
    }
}

extension Migration {
    /// The variant of a name, or without one the default.
    ///
    /// - Throws: ``WorkspaceError/unknownProfile(_:migration:known:)``.
    public func profile(named name: String?) throws(WorkspaceError) -> Profile {
        let found = name.map { name in profiles.first { $0.id == name } } ?? profiles.first
        guard let found else {
            throw .unknownProfile(name ?? "", migration: id, known: profiles.map(\.id))
        }
        return found
    }
}
