import Foundation

/// A document of which one part after the other is replaced: it is read once, and what is found in it is kept for the next.
///
/// Its bytes and its value are those of a document that is read anew for each edit.
struct EditedDocument: Sendable {
    /// What its bytes hold.
    private(set) var value: Value
    /// How many values are in it, at most.
    private(set) var count: Int
    let format: StoreFormat
    private var data: Data
    private var text: JSONEditor?

    /// What has more values than this is read anew each time: whether that is within the limits is seen there.
    private static let countLimit = 1 << 20

    /// - Parameters:
    ///   - value: What the bytes hold.
    ///   - format: In what format.
    /// - Returns: `nil` for what no part of can be replaced.
    init?(_ data: Data, holding value: Value, in format: StoreFormat) {
        switch (format, value) {
        case (.json, .dictionary), (.json, .array): text = JSONEditor([UInt8](data))
        case (.binaryPropertyList, .dictionary), (.xmlPropertyList, .dictionary): break
        default: return nil
        }
        count = value.expandedCount
        (self.data, self.value, self.format) = (data, value, format)
    }

    /// Replaces a part, adds it or, with `nil`, takes it away; after anything but a success it is not to be used again.
    ///
    /// - Returns: The bytes then; `nil` where they are to be read anew for this edit.
    /// - Throws: What is thrown there.
    mutating func replace(_ pointer: JSONPointer, with part: Value?) throws(FormatError) -> Data? {
        // A name with a $ may make an archive of it.
        guard let key = pointer.tokens.first, !key.hasPrefix("$"), count < Self.countLimit,
            value.repeatedKey(on: pointer) == nil
        else { return nil }
        let kept = part.flatMap { readBack($0, below: pointer.tokens.count) }
        guard part == nil || kept != nil else { return nil }
        if format == .json {
            guard var editor = text else { return nil }
            text = nil
            let isChanged = try editor.replaceNext(pointer, with: part)
            text = editor
            guard isChanged else { return data }
            data = Data(editor.bytes)
        } else {
            guard let members = value.members else { return nil }
            var member = part
            let rest = JSONPointer(Array(pointer.tokens.dropFirst()))
            if !rest.isRoot {
                guard let old = members[key] else { return nil }
                member = try old.replacing(rest, with: part)
            }
            data =
                format == .xmlPropertyList
                ? try XMLPropertyList.write(.dictionary(members.edited([(key, member)])))
                : try PropertyListFile(data).rewriting([(key, member)])
        }
        value = try value.replacing(pointer, with: kept)
        count += kept?.expandedCount ?? 0
        // What it is goes by its beginning.
        return StoreFormat.sniff(data) == .readable(format) ? data : nil
    }

    /// A value as it is read once it is written; `nil` where it cannot be, or lies too deep.
    private func readBack(_ part: Value, below depth: Int) -> Value? {
        var limits = Limits.standard
        limits.depth = max(0, limits.depth - depth)
        do throws(FormatError) {
            switch format {
            case .json: return try JSONDocument(JSONDocument.write(part), limits: limits).value
            case .xmlPropertyList: return try XMLPropertyList.parse(XMLPropertyList.write(part), limits: limits)
            case .binaryPropertyList:
                return try BinaryPropertyList(BinaryPropertyList.write(part), limits: limits).value()
            case .keyedArchive, .base64, .text, .terminatedText: return nil
            }
        } catch {
            return nil
        }
    }
}

extension PartMemo {
    /// Replaces a part of the document that the value holds, where it has been looked into; for an edit that others follow.
    ///
    /// - Parameters:
    ///   - place: Where in the value the document is.
    ///   - data: Its bytes.
    ///   - pointer: The part, from there.
    /// - Returns: The bytes then, and where what lies on the ways to their parts is kept; `nil` where the document is to be
    ///   read anew for this edit.
    package func editing(
        _ data: () -> Data, at place: JSONPointer, _ pointer: JSONPointer, with part: Value?
    ) throws(FormatError) -> (data: Data, memo: PartMemo)? {
        guard var document = takeDocument(at: place, data), let edited = try document.replace(pointer, with: part)
        else {
            return nil
        }
        return (edited, PartMemo(document, of: edited.count, at: place))
    }
}
