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
    /// Whether a value that was there was replaced by a default.
    var replacesValues: Bool { get set }
    /// Whether a part of a value is lost that is no part by itself, such as the fraction of a number.
    var losesPart: Bool { get set }
    /// What a reader should know.
    var notes: [String] { get set }
    /// How much may still be made.
    var allowance: Allowance { get set }
    /// Where what stands in the value stood as it was given.
    var origins: PartOrigins { get set }

    /// Gives a part a value, or with `nil` takes it away.
    mutating func replace(_ pointer: JSONPointer, with value: Value?) throws(FormatError)
    /// Gives parts values in one pass.
    mutating func replaceParts(_ parts: [(pointer: JSONPointer, value: Value?)]) throws(FormatError)
    /// Gives members of a dictionary other keys, at the same places; none of those is there.
    mutating func renameMembers(of pointer: JSONPointer, _ keys: [Name: Name]) throws(FormatError)
}

/// A document while a step works on it.
///
/// Every edit changes only the bytes it must, so that fields which no edit names stay byte for byte.
public struct DocumentDraft: Draft {
    /// The document as edits have left it.
    public private(set) var document: JSONDocument
    /// The document as it was given.
    private let given: Value
    /// The facts that the step was given.
    public let facts: Facts
    /// The fields whose values were made up by a default.
    public package(set) var placeholders: [JSONPointer] = []
    /// The fields whose values were taken away, or replaced by others, by an edit as data.
    public var dropped: [JSONPointer] { origins.arrival().parts.missing(of: given) }
    /// Whether a value that was there was replaced by a default.
    public package(set) var replacesValues = false
    package var losesPart = false
    package var origins = PartOrigins()
    /// What a reader should know.
    public package(set) var notes: [String] = []
    package var allowance = Allowance.value
    /// What each edit as data took away, in the order of the edits.
    public private(set) var complement = DocumentComplement()

    /// Begins with a document.
    public init(_ document: JSONDocument, facts: Facts = Facts()) {
        self.document = document
        self.facts = facts
        given = document.value
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
        origins.takeUntold(pointer)
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
        origins.make(document.value, at: JSONPointer())
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

    package mutating func renameMembers(of pointer: JSONPointer, _ keys: [Name: Name]) throws(FormatError) {
        for (old, new) in keys { document = try document.renaming(pointer.appending(old), to: new) }
    }
}

/// A value of any kind while a step works on it.
package struct ValueDraft: Draft {
    package private(set) var value: Value
    package let facts: Facts
    package var placeholders: [JSONPointer] = []
    package var replacesValues = false
    package var losesPart = false
    package var origins = PartOrigins()
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

    package mutating func renameMembers(of pointer: JSONPointer, _ keys: [Name: Name]) throws(FormatError) {
        value = try value.renaming(keys, in: pointer)
    }
}

extension Draft {
    /// Notes that a part of the value is lost, and what it is in a sentence.
    package mutating func lose(_ sentence: String) {
        losesPart = true
        if !notes.contains(sentence) { notes.append(sentence) }
    }

    /// Makes an edit.
    package mutating func make(_ edit: DocumentEdit) throws(StepStop) { _ = try take(edit) }

    /// Gives a part a value, replacing what is there; with `nil` removes it.
    ///
    /// - Parameter origin: What stands there then.
    package mutating func put(
        _ pointer: JSONPointer, _ value: Value?, from origin: PartOrigins.Node = .nothing, isPlaceholder: Bool = false
    ) throws(StepStop) {
        try checkIsOne(pointer)
        if let value { try allowance.take(value, at: pointer.tokens.count) }
        let (holder, last) = (JSONPointer(pointer.tokens.dropLast()), pointer.tokens.last)
        var items: Int?
        if value == nil || last == "-", case .array(let all)? = self.value[holder] { items = all.count }
        do throws(FormatError) {
            try replace(pointer, with: value)
        } catch {
            throw .failed("edit-impossible", "its field \(pointer) cannot be set: \(error.problem)")
        }
        placeholders.removeAll { $0.isWithin(pointer) }
        if isPlaceholder { placeholders.append(pointer) }
        if value == nil {
            origins.remove(pointer, items: items)
        } else {
            // What is put at the end has a place there.
            origins.set(origin, at: items.map { holder.appending(Name("\($0)")) } ?? pointer)
        }
    }

    /// Gives a part a value that is made of the one there.
    ///
    /// - Parameters:
    ///   - names: The members of that which it is made of; `nil` where of all.
    ///   - madeUp: The parts of the new value that are made up.
    package mutating func make(
        _ value: Value, at pointer: JSONPointer, of names: Set<Name>? = nil, madeUp: [JSONPointer] = []
    ) throws(StepStop) {
        var origins = origins
        origins.make(value, at: pointer, of: names, madeUp: madeUp)
        try put(pointer, value)
        self.origins = origins
    }

    /// Takes members of one dictionary away, and nothing where they are not there.
    package mutating func remove(_ names: [Name], of pointer: JSONPointer) throws(StepStop) {
        guard let members = value[pointer]?.members else { return }
        let present = Set(members.lazy.map(\.key)).intersection(names)
        guard !present.isEmpty else { return }
        // Nothing says which of two values of one key is meant.
        guard members.duplicateKeys.isEmpty else {
            for name in names { try make(.remove(pointer.appending(name))) }
            return
        }
        do throws(FormatError) {
            try replaceParts(present.sorted().map { (pointer.appending($0), nil) })
        } catch {
            throw .failed("edit-impossible", "fields of \(pointer) cannot be taken away: \(error.problem)")
        }
        let depth = pointer.tokens.count
        placeholders.removeAll { place in
            place.tokens.count > depth && place.isWithin(pointer) && present.contains(place.tokens[depth])
        }
        for name in present { origins.remove(pointer.appending(name), items: nil) }
    }

    /// Gives members of one dictionary other keys, none of which is there.
    ///
    /// - Parameter words: What they are called in an error; `nil` is that they are fields of the dictionary.
    package mutating func rename(
        _ keys: [Name: Name], in pointer: JSONPointer, as words: String? = nil
    ) throws(StepStop) {
        do throws(FormatError) {
            try renameMembers(of: pointer, keys)
        } catch {
            let words = words ?? "fields of \(pointer)"
            throw .failed("edit-impossible", "\(words) cannot be renamed: \(error.problem)")
        }
        let depth = pointer.tokens.count
        placeholders = placeholders.map { place in
            guard place.isWithin(pointer), place.tokens.count > depth, let key = keys[place.tokens[depth]] else {
                return place
            }
            return JSONPointer(pointer.tokens + [key] + place.tokens.dropFirst(depth + 1))
        }
        let old = origins.root.at(pointer)
        for name in keys.keys { origins.set(.nothing, at: pointer.appending(name)) }
        for (name, key) in keys { origins.set(old[name], at: pointer.appending(key)) }
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
                case .replace: replacesValues = true
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
            guard let name = pointer.tokens.last else {
                throw .failed("edit-impossible", "the whole value cannot be renamed")
            }
            if name == key { return .nothing }
            try rename([name: key], in: JSONPointer(pointer.tokens.dropLast()), as: "its field \(pointer)")
            return .nothing
        case .remove(let pointer):
            let old = value[pointer]
            if old != nil { try put(pointer, nil) }
            return .taken(old, made: nil)
        case .convert(let pointer, let conversion):
            guard let old = value[pointer] else { throw missing(pointer) }
            guard let new = conversion.forward(old) else {
                throw .failed(
                    "not-convertible",
                    "its field \(pointer) is \(old.typePhrase) that cannot be converted: \(conversion.rule)")
            }
            try make(new, at: pointer)
            return .taken(old, made: new)
        case .move(let pointer, let target):
            try move(pointer, to: target)
            return .nothing
        case .wrap(let pointer, let key):
            guard let old = value[pointer] else { throw missing(pointer) }
            let origin = PartOrigins.Node([key: origins.root.at(pointer)])
            try setKeepingPlaceholders(pointer, to: .dictionary([(key, old)]), from: origin)
            placeholders = placeholders.map { $0.moved(from: pointer, to: pointer.appending(key)) }
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
        try setKeepingPlaceholders(target, to: moved, from: origins.root.at(pointer))
        try setKeepingPlaceholders(pointer, to: nil)
        placeholders = placeholders.map { $0.moved(from: pointer, to: target) }
    }

    private mutating func setKeepingPlaceholders(
        _ pointer: JSONPointer, to value: Value?, from origin: PartOrigins.Node = .nothing
    ) throws(StepStop) {
        let kept = placeholders
        try put(pointer, value, from: origin)
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
