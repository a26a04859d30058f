import StoreFormats

/// An edit of a document as data: what it does, in which words, and from what it can be undone.
public enum DocumentEdit: Sendable {
    /// Gives a field that is not there a value that nobody entered: a placeholder.
    case add(JSONPointer, DefaultValue, existing: ExistingField = .refuse)
    /// Gives a field another key, at the same place.
    case rename(JSONPointer, to: Name)
    /// Takes a field away; nothing where it is not there.
    case remove(JSONPointer)
    /// Gives a field the value that a conversion makes of its own.
    case convert(JSONPointer, Conversion)
    /// Takes a field to another place, at the end of the object there.
    case move(JSONPointer, to: JSONPointer)
    /// Puts the value of a field into an object under a key: `5` becomes `{"value": 5}`.
    case wrap(JSONPointer, under: Name)

    /// What to do where a field that is to be added is there already.
    public enum ExistingField: Hashable, Sendable {
        /// Stop: the document is not what the step takes it for.
        case refuse
        /// Leave it as it is.
        case keep
        /// Replace it, with a note that says so.
        case replace
    }

    /// From what the edit can be undone.
    public var reversibility: Step.Reversibility {
        switch self {
        case .add(_, _, existing: .refuse), .rename, .move, .wrap: .exact
        case .add, .remove: .complement
        case .convert(_, let conversion): conversion.isInvertible ? .exact : .complement
        }
    }

    /// The field that is edited.
    var pointer: JSONPointer {
        switch self {
        case .add(let pointer, _, _), .rename(let pointer, _), .remove(let pointer), .convert(let pointer, _),
            .move(let pointer, _), .wrap(let pointer, _):
            pointer
        }
    }

    /// What the edit does, in words.
    public var rule: String {
        switch self {
        case .add(let pointer, let value, _): "adds \(pointer) as \(value.phrase), a placeholder"
        case .rename(let pointer, let key): "renames \(pointer) to \(key)"
        case .remove(let pointer): "removes \(pointer)"
        case .convert(let pointer, let conversion): "converts \(pointer): \(conversion.rule)"
        case .move(let pointer, let target): "moves \(pointer) to \(target)"
        case .wrap(let pointer, let key): "puts the value of \(pointer) into an object under \(key)"
        }
    }

    /// The facts that the edit may ask for.
    public var facts: [FactName] {
        if case .add(_, let value, _) = self { value.facts } else { [] }
    }
}
