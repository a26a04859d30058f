import Foundation
import StoreFormats

/// A value while a step works on it; what the step sets aside and makes up is recorded.
///
/// One text of JSON and a value of any kind are edited alike, so what an edit does is decided here and nowhere else.
package protocol Draft: Sendable {
    /// The value as edits have left it.
    var value: Value { get }
    /// The facts that the step was given.
    var facts: Facts { get }
    /// The parts whose values were made up by a default.
    var placeholders: [JSONPointer] { get set }
    /// The parts whose values were taken away, or replaced by others.
    var dropped: [JSONPointer] { get set }
    /// Whether a value that was there was replaced by a default.
    var replacesValues: Bool { get set }
    /// Whether a part of a value is lost that is no part by itself, such as the fraction of a number.
    var losesPart: Bool { get set }
    /// What a reader should know.
    var notes: [String] { get set }
    /// How much may still be made.
    var allowance: Allowance { get set }
    /// Where parts went that were put elsewhere, in the order of that.
    var moves: [PartMove] { get set }

    /// Gives a part a value, or with `nil` takes it away.
    mutating func replace(_ pointer: JSONPointer, with value: Value?) throws(FormatError)
    /// Gives parts values in one pass.
    mutating func replaceParts(_ parts: [(pointer: JSONPointer, value: Value?)]) throws(FormatError)
    /// Gives a member another key, at the same place.
    mutating func renameMember(at pointer: JSONPointer, to key: Name) throws(FormatError)
}

/// A part that was put elsewhere, or as a copy at a second place.
package struct PartMove: Sendable {
    package let from: JSONPointer, to: JSONPointer
    package let isCopy: Bool

    package init(from: JSONPointer, to: JSONPointer, isCopy: Bool = false) {
        (self.from, self.to, self.isCopy) = (from, to, isCopy)
    }

    /// Where a part was before it; `nil` for what stands where something went from.
    fileprivate func before(_ part: JSONPointer) -> JSONPointer? {
        if part.isWithin(to) { return part.moved(from: to, to: from) }
        return part.isWithin(from) && !isCopy ? nil : part
    }

    /// Where a part is after it.
    fileprivate func after(_ part: JSONPointer) -> JSONPointer { isCopy ? part : part.moved(from: from, to: to) }
}

/// A document while a step works on it.
///
/// Every edit changes only the bytes it must, so that fields which no edit names stay byte for byte.
public struct DocumentDraft: Draft {
    /// The document as edits have left it.
    public private(set) var document: JSONDocument
    /// The facts that the step was given.
    public let facts: Facts
    /// The fields whose values were made up by a default.
    public package(set) var placeholders: [JSONPointer] = []
    /// The fields whose values were taken away, or replaced by others, by an edit as data.
    public package(set) var dropped: [JSONPointer] = []
    /// Whether a value that was there was replaced by a default.
    public package(set) var replacesValues = false
    package var losesPart = false
    package var moves: [PartMove] = []
    /// What a reader should know.
    public package(set) var notes: [String] = []
    package var allowance = Allowance.value
    /// What each edit as data took away, in the order of the edits.
    public private(set) var complement = DocumentComplement()

    /// Begins with a document.
    public init(_ document: JSONDocument, facts: Facts = Facts()) {
        self.document = document
        self.facts = facts
    }

    /// The value of the document.
    package var value: Value { document.value }

    /// The value of a field, or `nil` where there is none.
    public subscript(pointer: JSONPointer) -> Value? { document.value[pointer] }

    /// Adds a note for the reader of the plan.
    public mutating func note(_ sentence: String) { notes.append(sentence) }

    /// Gives a field a value, replacing what is there; with `nil` removes it.
    public mutating func set(
        _ pointer: JSONPointer, to value: Value?, isPlaceholder: Bool = false
    ) throws(StepStop) {
        try put(pointer, value, isPlaceholder: isPlaceholder)
    }

    /// Replaces the whole document by other text, as a closure that works on bytes does.
    ///
    /// - Throws: ``StepStop`` `failed` where the text is not JSON.
    public mutating func replaceAll(with data: Data) throws(StepStop) {
        do throws(FormatError) {
            document = try JSONDocument(data)
        } catch {
            throw .failed("result-corrupt", "the step made \(error)")
        }
        placeholders.removeAll { document.value[$0] == nil }
    }

    /// Makes an edit, and sets aside what it takes away.
    public mutating func apply(_ edit: DocumentEdit) throws(StepStop) {
        complement.setAside.append(try take(edit))
    }

    package mutating func replace(_ pointer: JSONPointer, with value: Value?) throws(FormatError) {
        document = try document.replacing(pointer, with: value)
    }

    package mutating func replaceParts(_ parts: [(pointer: JSONPointer, value: Value?)]) throws(FormatError) {
        document = try document.replacing(parts)
    }

    package mutating func renameMember(at pointer: JSONPointer, to key: Name) throws(FormatError) {
        document = try document.renaming(pointer, to: key)
    }
}

/// A value of any kind while a step works on it.
package struct ValueDraft: Draft {
    package private(set) var value: Value
    package let facts: Facts
    package var placeholders: [JSONPointer] = []
    package var dropped: [JSONPointer] = []
    package var replacesValues = false
    package var losesPart = false
    package var moves: [PartMove] = []
    package var notes: [String] = []
    package var allowance = Allowance.value

    package init(_ value: Value, facts: Facts = Facts()) {
        self.value = value
        self.facts = facts
    }

    package mutating func replace(_ pointer: JSONPointer, with value: Value?) throws(FormatError) {
        self.value = try self.value.replacing(pointer, with: value)
    }

    package mutating func replaceParts(_ parts: [(pointer: JSONPointer, value: Value?)]) throws(FormatError) {
        value = try value.replacing(parts)
    }

    package mutating func renameMember(at pointer: JSONPointer, to key: Name) throws(FormatError) {
        value = try value.renaming(pointer, to: key)
    }
}

extension Draft {
    /// Where a part stood in the value as it was given; `nil` for one that was put where another went from.
    package func origin(of part: JSONPointer) -> JSONPointer? {
        moves.reversed().reduce(Optional(part)) { part, move in part.flatMap(move.before) }
    }

    /// Notes that a part is dropped, by where it stood, unless a copy of it stays.
    ///
    /// - Parameter kept: In what anything stays.
    package mutating func drop(_ part: JSONPointer, keeping kept: JSONPointer = JSONPointer()) {
        guard !placeholders.contains(where: part.isWithin), let origin = origin(of: part) else { return }
        if !copies(of: part).contains(where: { $0.isWithin(kept) && value[$0] != nil }) { dropped.append(origin) }
    }

    /// Where else the same stands, or stood, as at a part.
    package func copies(of part: JSONPointer) -> [JSONPointer] {
        var found: [JSONPointer] = [], then: JSONPointer? = part
        for (index, move) in moves.enumerated().reversed() {
            guard let place = then else { break }
            if move.isCopy {
                let isCopied = place.isWithin(move.to)
                if isCopied || place.isWithin(move.from) {
                    let twin =
                        isCopied ? place.moved(from: move.to, to: move.from) : place.moved(from: move.from, to: move.to)
                    found.append(moves[(index + 1)...].reduce(twin) { $1.after($0) })
                }
            }
            then = move.before(place)
        }
        return found
    }

    /// Makes an edit.
    package mutating func make(_ edit: DocumentEdit) throws(StepStop) { _ = try take(edit) }

    /// Gives a part a value, replacing what is there; with `nil` removes it.
    package mutating func put(
        _ pointer: JSONPointer, _ value: Value?, isPlaceholder: Bool = false
    ) throws(StepStop) {
        try checkIsOne(pointer)
        if let value { try allowance.take(value, at: pointer.tokens.count) }
        do throws(FormatError) {
            try replace(pointer, with: value)
        } catch {
            throw .failed("edit-impossible", "its field \(pointer) cannot be set: \(error.problem)")
        }
        placeholders.removeAll { $0.isWithin(pointer) }
        if isPlaceholder { placeholders.append(pointer) }
    }

    /// What an edit takes away: `nil` where there was nothing, or nothing is lost.
    mutating func take(_ edit: DocumentEdit) throws(StepStop) -> DocumentComplement.Part {
        try checkIsOne(edit.pointer)
        switch edit {
        case .add(let pointer, let added, let existing):
            let old = value[pointer]
            if old != nil {
                switch existing {
                case .refuse:
                    throw .failed(
                        "field-exists", "its field \(pointer) is there already, so the document is not of this version")
                case .keep: return .kept
                case .replace:
                    drop(pointer)
                    replacesValues = true
                }
            }
            let new = try added.make(facts)
            try put(pointer, new, isPlaceholder: true)
            // Beside what was there, the placeholder would tell of a secret which parts of it were others.
            notes.append(
                old.map { "\(pointer) is there already and is replaced by a placeholder; it was \($0.quoted)" }
                    ?? "\(pointer) is a placeholder: nobody entered \(new.jsonText)")
            return .taken(old, made: new)
        case .rename(let pointer, let key):
            guard value[pointer] != nil else { throw missing(pointer) }
            do throws(FormatError) {
                try renameMember(at: pointer, to: key)
            } catch {
                throw .failed("edit-impossible", "its field \(pointer) cannot be renamed: \(error.problem)")
            }
            placeholders = placeholders.map { $0.moved(from: pointer, to: pointer.sibling(key)) }
            moves.append(PartMove(from: pointer, to: pointer.sibling(key)))
            return .nothing
        case .remove(let pointer):
            let old = value[pointer]
            if old != nil {
                drop(pointer)
                try put(pointer, nil)
            }
            return .taken(old, made: nil)
        case .convert(let pointer, let conversion):
            guard let old = value[pointer] else { throw missing(pointer) }
            guard let new = conversion.forward(old) else {
                throw .failed(
                    "not-convertible",
                    "its field \(pointer) is \(old.typePhrase) that cannot be converted: \(conversion.rule)")
            }
            try put(pointer, new)
            return .taken(old, made: new)
        case .move(let pointer, let target):
            try move(pointer, to: target)
            return .nothing
        case .wrap(let pointer, let key):
            guard let old = value[pointer] else { throw missing(pointer) }
            try setKeepingPlaceholders(pointer, to: .dictionary([(key, old)]))
            placeholders = placeholders.map { $0.moved(from: pointer, to: pointer.appending(key)) }
            moves.append(PartMove(from: pointer, to: pointer.appending(key)))
            return .nothing
        }
    }

    package mutating func move(_ pointer: JSONPointer, to target: JSONPointer) throws(StepStop) {
        guard let moved = value[pointer] else { throw missing(pointer) }
        guard value[target] == nil else {
            throw .failed("field-exists", "its field \(target) is there already, so \(pointer) cannot move to it")
        }
        guard !target.isWithin(pointer) else {
            throw .failed("edit-impossible", "its field \(pointer) cannot be moved into itself")
        }
        try setKeepingPlaceholders(target, to: moved)
        try setKeepingPlaceholders(pointer, to: nil)
        placeholders = placeholders.map { $0.moved(from: pointer, to: target) }
        moves.append(PartMove(from: pointer, to: target))
    }

    private mutating func setKeepingPlaceholders(_ pointer: JSONPointer, to value: Value?) throws(StepStop) {
        let kept = placeholders
        try put(pointer, value)
        placeholders = kept
    }

    /// Nothing says which of two values of one key an edit means.
    private func checkIsOne(_ pointer: JSONPointer) throws(StepStop) {
        if let pointer = value.repeatedKey(on: pointer) { throw .repeatedKey(pointer) }
    }

    private func missing(_ pointer: JSONPointer) -> StepStop {
        .failed("field-missing", "its field \(pointer) is not there, so the document is not of this version")
    }
}

extension JSONPointer {
    /// The pointer after what is at one place has moved to another.
    func moved(from old: JSONPointer, to new: JSONPointer) -> JSONPointer {
        isWithin(old) ? JSONPointer(new.tokens + tokens.dropFirst(old.tokens.count)) : self
    }

    /// The pointer to another member of the same object.
    func sibling(_ key: Name) -> JSONPointer { JSONPointer(tokens.dropLast() + [key]) }
}
