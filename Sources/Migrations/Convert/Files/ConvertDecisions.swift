import Foundation
import StoreFormats

/// The decision file: what the SDK keeps of each visitor, and the order in which visitors were last used.
///
/// Edits change only what they must; members that the SDK does not know stay as they are.
public struct ConvertDecisions: Sendable {
    /// How many visitors are kept; a new one beyond that takes the place of the one used longest ago.
    public static let limit = 10_000

    /// The text with every saved change; `nil` where nothing was saved yet.
    public private(set) var document: JSONDocument?
    /// What is kept of each visitor, by the text of its ``ConvertVisitorKey``.
    public private(set) var visitors: [String: ConvertStoreData] = [:]
    /// The visitors, the one used longest ago first, as the SDK rebuilds the order: known keys, then missing ones.
    public private(set) var order: [String] = []

    /// Decisions of nobody, which no file holds yet.
    public init() {}

    /// Reads a file of the form `{"store": …, "order": …}`, where both are required.
    public init(_ data: Data) throws(ConvertFormatError) {
        try self.init(JSONDocument(convertFile: data))
    }

    init(_ document: JSONDocument) throws(ConvertFormatError) {
        self.document = document
        let fields = try JSONFields(document.value, at: JSONPointer())
        let store = try fields.required("store")
        let members = try Self.members(store.value, at: store.pointer)
        visitors = Dictionary(members.map { ($0.key, $0.data) }, uniquingKeysWith: { first, _ in first })
        var stored: [String] = []
        for element in try fields.elements("order") { stored.append(try JSONFields.string(element)) }
        var seen: Set<String> = []
        order = (stored.filter { visitors[$0] != nil } + members.map(\.key)).filter { seen.insert($0).inserted }
    }

    /// What a file is.
    enum Form {
        case current(ConvertDecisions)
        /// A map of visitors without an order, as a version before the first release wrote it.
        case flat(Members)
        case corrupt(ConvertFormatError)

        init(_ data: Data) {
            do throws(ConvertFormatError) {
                let document = try JSONDocument(convertFile: data)
                do throws(ConvertFormatError) {
                    self = .current(try ConvertDecisions(document))
                } catch {
                    let problem = error
                    guard case .dictionary(let members) = document.value,
                        members.allSatisfy({ ConvertVisitorKey.mayBe($0.key.text) }),
                        (try? ConvertDecisions.members(document.value, at: JSONPointer())) != nil
                    else { throw problem }
                    self = .flat(members)
                }
            } catch {
                self = .corrupt(error)
            }
        }
    }

    fileprivate static func members(
        _ value: Value, at pointer: JSONPointer
    ) throws(ConvertFormatError) -> [(key: String, data: ConvertStoreData)] {
        _ = try JSONFields(value, at: pointer)
        var result: [(key: String, data: ConvertStoreData)] = []
        let all = value.members ?? Members()
        if let key = all.duplicateKeys.first { try JSONFields.checkIsOne(key, of: all, at: pointer) }
        for member in all {
            result.append((member.key.text, try ConvertStoreData(member.value, at: pointer.appending(member.key))))
        }
        return result
    }

    /// The order as the file has it, without what was rebuilt.
    var storedOrder: [String] {
        guard case .array(let elements)? = document?.value[JSONPointer(["order"])] else { return [] }
        return elements.compactMap(\.string)
    }

    /// The members of `store` as the file has them.
    var stored: Members { document?.value[JSONPointer(["store"])]?.members ?? Members() }
}

extension ConvertDecisions {
    /// Marks a visitor as the one used last; that reaches the file with the next change.
    package mutating func touch(_ key: String) {
        order.removeAll { $0 == key }
        order.append(key)
    }

    /// Changes what is kept of a visitor, who becomes the one used last.
    ///
    /// A new visitor beyond the limit takes the place of the one used longest ago.
    package mutating func change(
        _ key: String, limit: Int = limit, _ body: (inout Members) -> Void
    ) throws(ConvertFormatError) {
        var order = order
        var edits: [(pointer: JSONPointer, value: Value?)] = []
        if visitors[key] == nil, visitors.count >= limit, let oldest = order.first {
            let name = stored.first { $0.key.text == oldest }?.key ?? Name(oldest)
            edits.append((JSONPointer(["store", name]), nil))
            order.removeFirst()
        }
        // The SDK's keys are Swift's texts: one that is stored in another normalization is the same visitor.
        let name = stored.first { $0.key.text == key }?.key ?? Name(key)
        var members = Self.completed(stored[name]?.members ?? Members())
        body(&members)
        order.removeAll { $0 == key }
        order.append(key)
        edits.append((JSONPointer(["store", name]), .dictionary(members)))
        edits.append((JSONPointer(["order"]), .array(order.map(Value.string))))
        self = try ConvertDecisions(Self.edited(document, edits))
    }

    private static func edited(
        _ document: JSONDocument?, _ edits: [(pointer: JSONPointer, value: Value?)]
    ) throws(ConvertFormatError) -> JSONDocument {
        do throws(FormatError) {
            if let document { return try document.replacing(edits) }
            return try JSONDocument(Data(#"{"store":{},"order":[]}"#.utf8)).replacing(edits)
        } catch {
            throw ConvertFormatError(error.description)
        }
    }

    /// The members of a visitor with an empty object for each part that is missing or `null`.
    static func completed(_ members: Members) -> Members {
        var members = members
        for name in ConvertStoreData.names where members[Name(name)] == nil || members[Name(name)] == .null {
            members[Name(name)] = .dictionary(Members())
        }
        return members
    }
}
