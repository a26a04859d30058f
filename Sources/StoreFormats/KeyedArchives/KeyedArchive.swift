/// Archives of `NSKeyedArchiver`: property lists whose objects refer to one another by number.
///
/// No class is instantiated: the walker knows the fields of Foundation's plain classes and shows every other as it is.
public enum KeyedArchive {
    /// Whether a property list has the shape of an archive, `$objects` is an array and `$top` a dictionary, or says that it
    /// is one, in which case reading it says what is broken.
    ///
    /// The name of the archiver and the version are not asked of the shape, since other archivers write it too.
    public static func isKeyedArchive(_ value: Value) -> Bool {
        guard case .dictionary(let members) = value else { return false }
        // Of many members few begin so, and each is looked at once.
        let own = Members(members.all.filter { $0.key.utf8.first == UInt8(ascii: "$") })
        if case .array? = own["$objects"], case .dictionary? = own["$top"] { return true }
        return own["$archiver"]?.string?.hasSuffix("KeyedArchiver") ?? false
    }

    /// Reads an archive.
    ///
    /// Where `$top` holds `root` and nothing else the result is that object, otherwise a dictionary of all its keys.
    ///
    /// - Arrays, sets, dictionaries with text for keys, text, data, dates, `NSNull` and boxed numbers become the values
    ///   that they are, also where they are instances of a subclass.
    /// - `NSURL` and `NSUUID` stay objects, so that nobody takes them for text; their first field, `absoluteString` or
    ///   `UUIDString`, is the text.
    /// - Every other class, and a known one with unknown fields, is an object with its fields as archived.
    /// - A place where an object would enter itself is a ``Value/reference(_:)``.
    /// - A UID that names no object stays a UID. An object whose class cannot be told is an object without a class name
    ///   that keeps its `$class`; a dictionary without `$class` is a dictionary.
    ///
    /// Throws where the shape is not that of an archive, where the root itself is such a broken object, and over a limit;
    /// objects that are shared count each time they are used.
    public static func decode(_ archive: Value, limits: Limits = .standard) throws(FormatError) -> Value {
        guard let members = archive.members else {
            throw FormatError(.keyedArchive, at: .offset(0), .invalid("it is not a dictionary"))
        }
        guard case .array(let objects)? = members["$objects"] else {
            throw FormatError(.keyedArchive, at: .offset(0), .invalid("it has no array $objects"))
        }
        guard case .dictionary(let top)? = members["$top"] else {
            throw FormatError(.keyedArchive, at: .offset(0), .invalid("it has no dictionary $top"))
        }
        var walker = KeyedArchiveWalker(objects: objects, limits: limits)
        guard top.count == 1, let root = top["root"] else {
            return try walker.value(of: .dictionary(top))
        }
        if case .uid(let number) = root { try walker.requireUsable(number) }
        return try walker.value(of: root)
    }

    /// The keys of a dictionary that stayed an object, in `NS.keys` or in `NS.key.0` and so on; none of anything else.
    ///
    /// Such a dictionary has a key that is no text, or keys and values that do not pair.
    package static func keys(apartIn fields: Members) -> [Value] {
        fields.all.filter { $0.key == "NS.keys" || $0.key.hasPrefix("NS.key.") }
            .flatMap { if case .array(let keys) = $0.value { keys } else { [$0.value] } }
    }

    /// Whether a field of such a dictionary holds its values, or one of them.
    package static func isOfValues(_ field: Name) -> Bool {
        field == "NS.objects" || field.hasPrefix("NS.object.")
    }
}
