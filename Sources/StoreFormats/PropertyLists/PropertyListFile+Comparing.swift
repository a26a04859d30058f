import Foundation

/// How a file differs from what edits should have made of another.
package enum PropertyListDifference: Hashable, Sendable {
    /// An entry is not there, or not in its place among those that were kept.
    case missing(Name)
    /// An entry is there that should not be.
    case extra(Name)
    /// An entry has another value.
    case value(Name)
}

extension PropertyListFile {
    /// The first thing that is not as edits should have made it of another file; `nil` where all is.
    ///
    /// Both files are read anew from their bytes and side by side, so that a fault of the rewriting shows. Values of
    /// binary lists that were kept are compared by their bytes, each pair of objects once, and not decoded: this takes
    /// time in proportion to the files, whatever is in them.
    package func difference(
        from original: PropertyListFile, after edits: [(key: Name, value: Value?)]
    ) throws(FormatError) -> PropertyListDifference? {
        let edited = EditedKeys(edits), keys = Keys(of: self), originalKeys = Keys(of: original)
        var found: [Int: Int] = [:]
        var comparison = Comparison(original: original, written: self)
        var next = 0
        /// The next position of the written file that no edit is about.
        func nextKept() -> Int? {
            while next < keys.count {
                defer { next += 1 }
                guard let edit = edited.edit(at: next, of: keys) else { return next }
                if found[edit] == nil { found[edit] = next }
            }
            return nil
        }
        for position in 0..<originalKeys.count where edited.edit(at: position, of: originalKeys) == nil {
            guard let written = nextKept(), try comparison.hasSameKey(position, written) else {
                return .missing(original.key(at: position))
            }
            guard try comparison.hasSameValue(position, written) else { return .value(original.key(at: position)) }
        }
        if let extra = nextKept() { return .extra(key(at: extra)) }
        for (index, value) in edited.last {
            let key = edits[index].key
            switch (found[index], value) {
            case (nil, nil): break
            case (nil, _?): return .missing(key)
            case (_?, nil): return .extra(key)
            case (let position?, let value?):
                guard try self.value(at: position) == value else { return .value(key) }
            }
        }
        return nil
    }

    /// The keys that edits are about; of two edits of one key the later counts.
    private struct EditedKeys {
        /// The edits that count, by their index, with their values.
        private(set) var last: [(index: Int, value: Value?)] = []
        private var indices: [Name: Int] = [:]
        /// How many UTF-16 code units they have, so that most keys of a file need not be read.
        private var lengths: Set<Int> = []

        init(_ edits: [(key: Name, value: Value?)]) {
            for (index, edit) in edits.enumerated() {
                indices[edit.key] = index
                lengths.insert(edit.key.text.utf16.count)
            }
            last = indices.values.sorted().map { ($0, edits[$0].value) }
        }

        /// The edit of the key at a position, by its index.
        func edit(at position: Int, of keys: Keys) -> Int? {
            if let length = keys.length(position), !lengths.contains(length) { return nil }
            return indices[keys.key(position)]
        }
    }

    /// The keys of a file, for walks through all of them: to take the file's content out of its cases for each takes longer
    /// than to look at a key.
    private struct Keys {
        let count: Int
        let key: (Int) -> Name
        /// How many UTF-16 code units a key has, where that is known without reading it.
        let length: (Int) -> Int?

        init(of file: PropertyListFile) {
            count = file.count
            if case .binary(_, let dictionary) = file.content {
                (key, length) = (dictionary.key, dictionary.keyLength)
            } else {
                (key, length) = (file.key, { _ in nil })
            }
        }
    }

    /// The comparing of entries of two files.
    private struct Comparison {
        let original: PropertyListFile
        let written: PropertyListFile
        private let originalCount: Int
        private let writtenCount: Int
        private var objects: BinaryPropertyList.Comparison?

        init(original: PropertyListFile, written: PropertyListFile) {
            (self.original, originalCount) = (original, original.count)
            (self.written, writtenCount) = (written, written.count)
            if case .binary(_, let left) = original.content, case .binary(_, let right) = written.content {
                objects = BinaryPropertyList.Comparison(left, right)
            }
        }

        mutating func hasSameKey(_ left: Int, _ right: Int) throws(FormatError) -> Bool {
            if let isSame = try objects?.hasSame(reference: left, right) { return isSame }
            return original.key(at: left) == written.key(at: right)
        }

        mutating func hasSameValue(_ left: Int, _ right: Int) throws(FormatError) -> Bool {
            if let isSame = try objects?.hasSame(reference: originalCount + left, writtenCount + right) {
                return isSame
            }
            return try original.value(at: left) == written.value(at: right)
        }
    }
}
