import Foundation
import MigrationEngine
import StoreFormats

extension Value {
    /// Whether both are the same to whoever reads an entry: JSON and property lists by value, a text as its bytes.
    func isSame(as other: Value, in address: Address) -> Bool {
        if self == other { return true }
        let isBytes = address.store.kind == .file || address.store.kind == .keychain
        if isBytes, let left = bytes, let right = other.bytes, left == right { return true }
        // A dictionary of a property list has no order.
        if !isBytes, members != nil || isArray, case .same = likeness(to: other, within: DecodingBudget()) {
            return true
        }
        guard bytes != nil, other.bytes != nil, let left = decoded(), let right = other.decoded(),
            left.formats.last != .text, right.formats.last != .text
        else { return false }
        return left.value.isEquivalentJSON(to: right.value)
    }

    /// Whether a reader of the one does not read the other: JSON and a property list, or text and data where a store tells
    /// them apart.
    func hasOtherForm(than other: Value, in address: Address) -> Bool {
        let isBytes = address.store.kind == .file || address.store.kind == .keychain
        if isBytes ? bytes == other.bytes : self == other { return false }
        if !isBytes, ValueKinds(of: self) != ValueKinds(of: other) { return true }
        return decoded()?.formats != other.decoded()?.formats
    }

    private var bytes: Data? { data ?? string.map { Data($0.utf8) } }

    /// Whether a number is at least another one; `nil` where one of them is none.
    func isAtLeast(_ other: Value) -> Bool? {
        switch (self, other) {
        case (.integer(let left), .integer(let right)): left >= right
        case (.integer, .real), (.real, .integer), (.real, .real):
            double.flatMap { left in other.double.map { left >= $0 } }
        default: nil
        }
    }

    /// Whether a number of JSON lies in it of which 64 bits keep only the first digits.
    var losesDigits: Bool {
        switch self {
        case .real(let real): real.losesDigits
        case .array(let items): items.contains(where: \.losesDigits)
        case .dictionary(let members): members.contains(where: \.value.losesDigits)
        default: false
        }
    }

    var isArray: Bool { if case .array = self { true } else { false } }

    /// The first member whose key stands more than once beside it, at any depth: readers differ on which value counts.
    var repeatedMember: JSONPointer? {
        func first(_ parts: some Sequence<(Name, Value)>) -> JSONPointer? {
            for (name, value) in parts {
                if let inner = value.repeatedMember { return JSONPointer([name] + inner.tokens) }
            }
            return nil
        }
        switch self {
        case .dictionary(let members):
            if members.count > 1, let key = members.duplicateKeys.first { return JSONPointer([key]) }
            return first(members.lazy.map { ($0.key, $0.value) })
        case .array(let items): return first(items.lazy.enumerated().map { (Name("\($0)"), $1) })
        default: return nil
        }
    }

    /// The first thing in the value that no property list holds, in words; `nil` where one holds it all.
    var strangerToPropertyLists: String? {
        var rest = [self]
        while let value = rest.popLast() {
            switch value {
            case .null: return "null"
            case .integer(let integer) where integer < Int128(Int64.min) || integer > Int128(UInt64.max):
                return "an integer of more than 64 bits"
            case .real(let real):
                // A literal of JSON may be larger than any number of 64 bits.
                if case .literal = real.form, !real.value.isFinite { return "a number of more than 64 bits" }
            case .array(let items): rest += items
            case .set(let set): rest += set.elements
            case .dictionary(let members): rest += members.map(\.value)
            case .object, .reference: return value.typePhrase
            case .bool, .integer, .string, .data, .date, .uid: break
            }
        }
        return nil
    }

    /// The value with a part of what it holds replaced, also within JSON or a property list; with `nil` removed.
    fileprivate func replacingPart(at pointer: JSONPointer, with part: Value?, of address: Address) throws(StepStop)
        -> Value
    {
        guard !isArchive else {
            throw .failed(
                "edit-impossible",
                "\(address) lies in a keyed archive, of which no part is written: take the whole with type: keyed-archive "
                    + "dictionary, and end with encode: keyed-archive")
        }
        do throws(FormatError) {
            switch self {
            case .dictionary where KeychainItem(self) != nil && pointer.tokens.first == KeychainItem.dataKey:
                guard var item = KeychainItem(self) else { return self }
                let inner = JSONPointer(Array(pointer.tokens.dropFirst()))
                guard let data = try Self.replace(item.data, inner, part) else { break }
                item.data = data
                return item.value
            case .dictionary, .array: return try replacing(pointer, with: part)
            case .string(let text):
                if let data = try Self.replace(Data(text.utf8), pointer, part) {
                    return .string(String(decoding: data, as: UTF8.self))
                }
            case .data(let data): if let data = try Self.replace(data, pointer, part) { return .data(data) }
            default: break
            }
        } catch {
            throw .failed("edit-impossible", "\(address) cannot be changed: \(error.problem)")
        }
        throw .failed("edit-impossible", "\(address) cannot be changed: it lies in no JSON and no property list")
    }

    /// Whether it is a keyed archive, as which its parts are read.
    private var isArchive: Bool {
        if let item = KeychainItem(self) { return Value.data(item.data).isArchive }
        guard case .data(let data) = self else { return KeyedArchive.isKeyedArchive(self) }
        switch StoreFormat.sniff(data) {
        case .readable(.binaryPropertyList)?, .readable(.xmlPropertyList)?:
            guard let file = try? PropertyListFile(data) else { return false }
            return ["$archiver", "$objects", "$top"].allSatisfy { file.position(of: $0) != nil }
        default: return false
        }
    }

    private static func replace(_ data: Data, _ pointer: JSONPointer, _ part: Value?) throws(FormatError) -> Data? {
        switch StoreFormat.sniff(data) {
        case .readable(.json)?: return try JSONDocument(data).replacing(pointer, with: part).data
        case .readable(.binaryPropertyList)?, .readable(.xmlPropertyList)?:
            guard let key = pointer.tokens.first else { return nil }
            let file = try PropertyListFile(data), inner = JSONPointer(Array(pointer.tokens.dropFirst()))
            if inner.isRoot { return try file.rewriting([(key, part)]) }
            guard let position = file.position(of: key) else { return nil }
            return try file.rewriting([(key, file.value(at: position).replacing(inner, with: part))])
        default: return nil
        }
    }
}

extension StoreTransaction {
    /// The value of an entry with a part of what it holds replaced, also within JSON or a property list; with `nil` removed.
    func replacing(_ address: Address, of before: Value, with part: Value?) throws(StepStop) -> Value {
        do throws(FormatError) {
            if let after = try editing(address, holding: before, to: part) { return after }
        } catch {
            throw .failed("edit-impossible", "\(address) cannot be changed: \(error.problem)")
        }
        return try before.replacingPart(at: address.pointer, with: part, of: address)
    }
}
