import Foundation

/// The root object of a keyed archive in a binary property list, of which single fields are read.
///
/// For archives by the hundred thousand, of which a few numbers each are wanted: nothing else in them is decoded, or even
/// looked at. What is read is checked as ``KeyedArchive`` checks it; what is not read may be broken.
package struct KeyedArchiveRoot: Sendable {
    private let source: BinaryPropertyList.Source
    private let objects, root: BinaryPropertyList.Object

    /// Finds the root by `$top`, in a time that grows with the keys of `$top` alone.
    ///
    /// - Throws: ``FormatError`` where the bytes are no archive, or its root is no object with fields.
    package init(_ data: Data) throws(FormatError) {
        let source = BinaryPropertyList.Source(
            data: data, trailer: try BinaryPropertyList.Trailer(of: data), limits: .standard)
        let found = try source.withReader { reader throws(FormatError) in
            let list = try reader.object(source.trailer.top)
            guard let objects = try reader.member("$objects", of: list), objects.kind == .array else {
                throw FormatError(.keyedArchive, at: .offset(0), .invalid("it has no array $objects"))
            }
            guard let top = try reader.member("$top", of: list), let root = try reader.member("root", of: top),
                let object = try reader.referred(root, in: objects), object.kind == .dictionary
            else { throw FormatError(.keyedArchive, at: .offset(0), .invalid("its root is no object")) }
            return (objects, object)
        }
        self.source = source
        (objects, root) = found
    }

    /// The field of a name, where it is a plain value or Foundation's text or data; `nil` where it is not there, is null
    /// or is any other object.
    ///
    /// - Throws: ``FormatError`` where it is broken.
    package func value(of name: StaticString) throws(FormatError) -> Value? {
        try source.withReader { reader throws(FormatError) in
            guard let field = try reader.member(name, of: root) else { return nil }
            guard let object = try reader.referred(field, in: objects) else { return nil }
            guard object.kind == .dictionary else { return object.isContainer ? nil : try reader.scalar(object) }
            for name: StaticString in ["NS.data", "NS.string"] {
                guard let inner = try reader.member(name, of: object) else { continue }
                guard let content = try reader.referred(inner, in: objects), !content.isContainer else { return nil }
                return try reader.scalar(content)
            }
            return nil
        }
    }

    /// The field of a name, where it is an integer that a word holds.
    package func integer(_ name: StaticString) throws(FormatError) -> Int? {
        guard case .integer(let number)? = try value(of: name) else { return nil }
        return Int(exactly: number)
    }

    /// Whether there is a field of that name with something in it.
    package func has(_ name: StaticString) throws(FormatError) -> Bool {
        try source.withReader { reader throws(FormatError) in
            guard let field = try reader.member(name, of: root) else { return false }
            return try reader.referred(field, in: objects) != nil
        }
    }
}

extension BinaryPropertyList.ObjectReader {
    /// The value of a dictionary's first key with a name; `nil` where there is none, or it is no dictionary.
    fileprivate func member(
        _ name: StaticString, of object: BinaryPropertyList.Object
    ) throws(FormatError) -> BinaryPropertyList.Object? {
        guard object.kind == .dictionary else { return nil }
        let bytes = UnsafeRawBufferPointer(start: name.utf8Start, count: name.utf8CodeUnitCount)
        guard let position = position(of: bytes, in: object, within: 0..<object.count) else { return nil }
        return try self.object(try reference(object.count + position, of: object))
    }

    /// What an object stands for where it is a number of an archive's objects; `nil` where that is the null of archives.
    fileprivate func referred(
        _ object: BinaryPropertyList.Object, in objects: BinaryPropertyList.Object
    ) throws(FormatError) -> BinaryPropertyList.Object? {
        guard object.kind == .uid else { return object }
        let number = number(at: object.start, size: object.count)
        if number == 0 { return nil }
        guard number < UInt64(objects.count) else {
            throw FormatError(binary: object.offset, .outOfBounds("object #\(number) of the archive"))
        }
        return try self.object(try reference(Int(number), of: objects))
    }
}
