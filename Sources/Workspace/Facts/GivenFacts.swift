import DeviceDump
import Files
import Foundation
import MigrationEngine
import StoreFormats
import Synchronization
import SystemPackage

/// Reads the facts that a person gives: as arguments, and in a file.
package enum GivenFacts {
    /// The largest file of facts, in bytes.
    static let fileLimit = 1 << 20

    /// Facts of arguments of the form `NAME=VALUE`.
    ///
    /// - Throws: ``WorkspaceError/fact(_:)`` where an argument has not that form, or gives a fact a second time.
    package static func arguments(_ arguments: [String]) throws(WorkspaceError) -> Facts {
        var facts = Facts()
        for argument in arguments {
            guard let (name, value) = assignment(argument) else { throw .fact(.notAnAssignment(argument)) }
            let known = FactName(rawValue: name)
            guard facts[known] == nil else { throw .fact(.duplicate("--fact", name: name, line: nil)) }
            facts[known] = Fact(value, from: "--fact")
        }
        return facts
    }

    /// Facts of a file: a JSON object of texts and numbers, or a line `name=value` for each.
    ///
    /// Empty lines and lines that begin with `#` are left out.
    ///
    /// - Throws: ``WorkspaceError/fact(_:)``, which names the file and the line.
    package static func file(_ path: String) throws(WorkspaceError) -> Facts {
        let isPipe = path == "-" || isPipe(path)
        let name = isPipe ? "standard input, or a pipe" : path.split(separator: "/").last.map(String.init) ?? path
        guard !OpenFile.isNamedPipe(path) else {
            throw .fact(.unreadableFile(path, reason: "it is a named pipe, which may have no writer"))
        }
        let bytes: [UInt8]
        do throws(Errno) {
            bytes = try isPipe ? piped(path) : OpenFile.input(path, limit: fileLimit)
        } catch {
            let isLong = error == .fileTooLarge
            throw .fact(.unreadableFile(path, reason: isLong ? "it has more than \(fileLimit) bytes" : error.words))
        }
        return try facts(Data(bytes), source: name)
    }

    /// What was read of pipes: they can be read once only, and are asked for by several.
    private static let known = Mutex<[String: [UInt8]]>([:])

    private static func isPipe(_ path: String) -> Bool {
        (try? Stat(path, followTargetSymlink: true))?.type == .fifo
    }

    private static func piped(_ path: String) throws(Errno) -> [UInt8] {
        try known.withLock { known throws(Errno) in
            if let bytes = known[path] { return bytes }
            let bytes = try OpenFile.input(path, limit: fileLimit)
            known[path] = bytes
            return bytes
        }
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

    /// The facts as steps read them, such as a date as a number of seconds; a time that counts from the dump's is told by
    /// ``MigrationEngine/Facts/told(by:)`` once that is open.
    ///
    /// - Parameters:
    ///   - own: The migrations among them that the person has given, whose facts are rather meant.
    ///   - clock: What `now` means in a fact, for whoever writes it.
    /// - Throws: ``WorkspaceError/fact(_:)`` where nobody uses a fact of that name, with the names that there are, or
    ///   where it has not the form that a migration asks for, with an example.
    package static func checked(
        _ facts: Facts, of migrations: [any Migration], own: [any Migration] = [], clock: Date? = nil
    ) throws(WorkspaceError) -> Facts {
        let definitions = migrations.flatMap(\.facts)
        for name in facts.names where !ofMetadata.contains(name) && !definitions.contains(where: { $0.name == name }) {
            let source = facts[name].map(\.source.description) ?? ""
            let declaring = migrations.filter { $0.unusedFacts.contains(name) }
            guard declaring.isEmpty else {
                throw .fact(.unused(name.rawValue, source: source, by: declaring.map(\.id)))
            }
            let likely = Set(own.flatMap(\.facts).map(\.name)).map(\.rawValue).sorted()
            if Nearest.name(to: name.rawValue, among: likely) != nil {
                throw .fact(.unknown(name.rawValue, source: source, known: likely))
            }
        }
        return try checked(facts, against: definitions, clock: clock)
    }

    /// The same of some facts that are asked for.
    static func checked(
        _ facts: Facts, against definitions: [FactDefinition], clock: Date? = nil
    ) throws(WorkspaceError) -> Facts {
        var checked = facts
        for name in facts.names {
            guard let fact = facts[name] else { continue }
            let source = fact.source.description
            let asked = definitions.filter { $0.name == name }
            guard !asked.isEmpty || ofMetadata.contains(name) else {
                let known = Set(definitions.map(\.name) + ofMetadata).map(\.rawValue).sorted()
                throw .fact(.unknown(name.rawValue, source: source, known: known))
            }
            for definition in asked {
                switch definition.reading(of: fact.value, from: TimeAnchors(clock: clock?.timeIntervalSince1970)) {
                case .value(let value): checked[name] = fact.read(as: value, by: definition)
                case .waits: checked.awaitTime(of: definition)
                case .backwards, .malformed: throw .fact(.badForm(fact.value, source: source, definition))
                }
            }
        }
        return checked
    }

    /// The facts that a dump's metadata may tell, and that may be given in their place.
    static let ofMetadata: [FactName] = [
        .bundleIdentifier, .appVersion, .appName, .groupIdentifier, .downloadDate, .deviceName, .deviceType,
        .systemVersion,
    ]
}

extension History {
    /// The facts that the standing steps were applied with, each from its last entry.
    ///
    /// What the dump says of itself it says again, so that is left out.
    package var facts: Facts {
        var facts = Facts()
        for entry in standing {
            for name in entry.facts.names {
                guard let fact = entry.facts[name] else { continue }
                if case .metadata = fact.source { continue }
                facts[name] = fact.recorded(in: entry.number)
            }
        }
        return facts
    }
}

extension Fact {
    /// The same with the value that its text stands for; of a time that is told by its distance, the source has the text too.
    package func read(as value: String, by definition: FactDefinition) -> Fact {
        guard case .given(let how) = source, definition.value(of: self.value) == nil else {
            return Fact(value, from: source)
        }
        return Fact(value, from: .given("\(how): \(self.value)"))
    }
}

extension TimeAnchors {
    /// The times that facts tell.
    package init(of facts: Facts, clock: Date? = nil) {
        self.init(
            dump: facts[.downloadDate].flatMap { Facts.seconds(ofDownload: $0.value) }.flatMap(Double.init),
            clock: clock?.timeIntervalSince1970, start: facts[.now].flatMap { Double($0.value) })
    }
}

extension Facts {
    /// The facts with the values of those whose texts count from a time that only the dump tells.
    ///
    /// - Parameter others: Those of the ledger and of the dump.
    /// - Throws: ``WorkspaceError/fact(_:)`` where the dump does not tell it.
    package func told(by others: Facts) throws(WorkspaceError) -> Facts {
        var told = self
        // Others may count from this one.
        for definition in untold.values.sorted(by: {
            $0.name == .now || $1.name != .now && $0.name.rawValue < $1.name.rawValue
        }) {
            guard let fact = self[definition.name] else { continue }
            var known = told.completed(by: others)
            for name in known.untold.keys { known[name] = nil }
            known = known.completed(by: Facts.assumed(from: known))
            told[definition.name] = fact.read(
                as: try definition.told(fact.value, from: TimeAnchors(of: known), by: fact.source.description),
                by: definition)
        }
        return told
    }

    /// When the dump was made, for people: `2024-08-30 06:39:58 UTC`, or without the zone where the dump does not say it;
    /// `nil` where nothing says when.
    package var downloadWords: String? {
        self[.downloadDate].map { made in
            let date = Self.seconds(ofDownload: made.value).flatMap(Double.init).flatMap {
                Timestamp(secondsSinceEpoch: $0).iso8601
            }
            let zone = made.value.hasSuffix(Self.zone) ? Self.zone : ""
            return date.map { "\($0.prefix(10)) \($0.dropFirst(11).prefix(8))\(zone)" } ?? made.value
        }
    }

    /// The same with a word where the zone is not known.
    package var downloadWordsWithZone: String? {
        downloadWords.map { $0.hasSuffix(Self.zone) ? $0 : "\($0), zone not given" }
    }

    /// What stands behind a time that says its zone: no dump says another.
    private static let zone = " UTC"

    /// What is likely where nobody has said it: the new version first starts when the dump was made.
    package static func assumed(from facts: Facts) -> Facts {
        guard let made = facts[.downloadDate], let seconds = Self.seconds(ofDownload: made.value) else {
            return Facts()
        }
        let words = facts.downloadWords ?? made.value, zone = words.hasSuffix(Self.zone) ? "" : ", taken as UTC"
        return Facts([
            .now: Fact(seconds, from: .assumed("the dump was made then, at \(words)\(zone) (\(made.source))"))
        ])
    }

    /// The seconds since 1970 of a time such as `2019-02-02 11:31.02.515`, as Xcode writes it, without a time zone, or
    /// `2023-04-05 06:07:00 UTC`.
    fileprivate static func seconds(ofDownload text: String) -> String? {
        let text = text.hasSuffix(zone) ? text.dropLast(zone.count) : text[...]
        let parts = text.split { " -:.".contains($0) }.map { Int($0) }
        let numbers = parts.compactMap(\.self)
        guard parts.count == numbers.count, (6...7).contains(numbers.count) else { return nil }
        let date = String(
            format: "%04d-%02d-%02dT%02d:%02d:%02dZ", numbers[0], numbers[1], numbers[2], numbers[3], numbers[4],
            numbers[5])
        return FactDefinition(.now, "", form: .moment, example: "").value(of: date)
    }
}

extension FactDefinition {
    /// The value of a text that a person gives.
    ///
    /// - Throws: ``WorkspaceError/fact(_:)`` where it has not the form, or where what it counts from is not known.
    package func told(
        _ text: String, from anchors: TimeAnchors, by source: String
    ) throws(WorkspaceError) -> String {
        switch reading(of: text, from: anchors) {
        case .value(let value): return value
        case .waits(let anchor): throw .fact(.untold(text, source: source, self, anchor))
        case .backwards: throw .fact(.backwards(text, source: source, self))
        case .malformed: throw .fact(.badForm(text, source: source, self))
        }
    }
}
