import StoreFormats

/// A document of an older version, and what of the newer one it has no room for.
public struct UndoneDocument: Sendable {
    /// The document.
    public var document: JSONDocument
    /// What was entered since and is not in the document: the field of the newer version, and its value.
    public var lost: [(pointer: JSONPointer, value: Value)]
}

extension DocumentStep {
    /// The older version of a document that this step made and that may have been edited since: edits of fields that
    /// both versions have are kept, and fields that the step took away come back.
    ///
    /// Where nothing was edited since, the result is what the step was given: byte for byte where the step is undone
    /// from its result alone, and otherwise but for the place of fields that come back.
    ///
    /// - Parameters:
    ///   - document: The document of the newer version.
    ///   - complement: What the step set aside: ``DocumentDraft/complement``. A step that is undone from its result alone
    ///     needs none.
    /// - Throws: ``StepStop`` where the step can only be undone from the image of what was there before, where it needs
    ///   what it set aside and that is not given, or where the document has lost a field that the step made.
    public func undo(
        _ document: JSONDocument, complement: DocumentComplement? = nil
    ) throws(StepStop) -> UndoneDocument {
        guard reversibility != .beforeImage else {
            throw .failed(
                "before-image-only", "the step from version \(from) to \(to) can only be undone by rolling it back")
        }
        let nothing = reversibility == .exact ? edits.map { _ in DocumentComplement.Part.nothing } : []
        let parts = complement?.setAside ?? nothing
        guard parts.count == edits.count else {
            throw .failed("wrong-complement", "what was set aside is not of the step from version \(from) to \(to)")
        }
        var draft = DocumentDraft(document)
        var lost: [(pointer: JSONPointer, value: Value)] = []
        for (edit, part) in zip(edits, parts).reversed() {
            try Self.undo(edit, part, on: &draft, lost: &lost)
        }
        return UndoneDocument(document: draft.document, lost: lost.reversed())
    }

    private static func undo(
        _ edit: DocumentEdit, _ part: DocumentComplement.Part, on draft: inout DocumentDraft,
        lost: inout [(pointer: JSONPointer, value: Value)]
    ) throws(StepStop) {
        switch edit {
        case .add(let pointer, let value, _):
            var old: Value?, made = try? value.make(Facts())
            switch part {
            case .kept: return
            case .taken(let before, let after): (old, made) = (before, after)
            case .nothing: break
            }
            if let value = draft[pointer], value != made { lost.append((pointer, value)) }
            try draft.set(pointer, to: old)
        case .rename(let pointer, let key):
            guard let last = pointer.tokens.last else { return }
            try draft.apply(.rename(pointer.sibling(key), to: last))
        case .remove(let pointer):
            // A field that somebody entered since is newer than the one that was taken away.
            if case .taken(let old?, _) = part, draft[pointer] == nil { try draft.set(pointer, to: old) }
        case .convert(let pointer, let conversion):
            guard let value = draft[pointer] else { return }
            var old: Value?, made: Value?
            if case .taken(let before, let after) = part { (old, made) = (before, after) }
            if let old, value == made {
                try draft.set(pointer, to: old)
            } else if let older = conversion.backward?(value) {
                try draft.set(pointer, to: older)
            } else {
                lost.append((pointer, value))
                try draft.set(pointer, to: old)
            }
        case .move(let pointer, let target): try draft.move(target, to: pointer)
        case .wrap(let pointer, let key):
            guard let value = draft[pointer.appending(key)] else {
                throw .failed(
                    "field-missing", "its field \(pointer.appending(key)) is not there, so the step cannot be undone")
            }
            for member in draft[pointer]?.members ?? Members() where member.key != key {
                lost.append((pointer.appending(member.key), member.value))
            }
            try draft.set(pointer, to: value)
        }
    }
}
