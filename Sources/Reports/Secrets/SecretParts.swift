import MigrationEngine
import StoreFormats

/// Which parts of a list or a dictionary another part of it says are secret: the value beside its name, all that stands in
/// the rows of a table one column of which is secret, lists beside a list of their names, and the values of an archived
/// dictionary that lie apart from its keys.
struct SecretParts {
    private enum Rule {
        case none
        /// The value of a pair.
        case value
        /// The words of a command, or the values of a list of names and values, at these positions.
        case words(Set<Int>)
        /// Every list, or list of lists, of so many elements.
        case lists(of: Int)
        /// The values of an archived dictionary.
        case archived
    }

    private let rule: Rule

    /// The longest name of a secret, in bytes; what is longer is a sentence.
    private static let nameLength = 64
    private static let names: Set<String> = [
        "name", "key", "field", "header", "label", "account", "type", "id", "title", "attribute",
        "option", "property", "setting", "parameter", "zname", "zkey", "k", "kind",
    ]
    /// What a list of names is called beside the lists of their values.
    private static let lists: Set<String> = [
        "names", "keys", "fields", "headers", "labels", "columns", "attributes", "header", "cols",
    ]

    /// Whether a column of a table, or a member, has names, by what it is called.
    static func isOfNames(_ key: String) -> Bool { names.contains(key.lowercased()) }

    /// The members of a dictionary: `{"name": "password", "value": …}`, `{"columns": ["user", "password"], "rows": …}`; or of
    /// an archived one that is shown as an object, as a key of it is no text or its keys and values do not pair.
    init(_ members: Members) {
        if KeyedArchive.keys(apartIn: members).contains(where: Self.hasName) {
            rule = .archived
            return
        }
        guard (2...16).contains(members.count) else {
            rule = .none
            return
        }
        for member in members {
            let key = member.key.text.lowercased()
            if Self.isOfNames(key), Self.isName(member.value) {
                rule = .value
                return
            }
            if Self.lists.contains(key), case .array(let names) = member.value, Self.isHeader(names) {
                rule = .lists(of: names.count)
                return
            }
        }
        rule = .none
    }

    /// The elements of a list: names, each with its value behind it, the words of a command, or rows of which the first one has
    /// the names.
    init(_ elements: [Value]) {
        if elements.count == 2, Self.isName(elements[0]) {
            rule = .value
        } else if (12...24).contains(elements.count), SecretTexts.isPhrase(elements.lazy.map(\.string)) {
            rule = .words(Set(elements.indices))
        } else if elements.count > 1, case .array(let names)? = elements.first, Self.isHeader(names) {
            rule = .lists(of: names.count)
        } else {
            let words = Self.secretWords(of: elements).union(Self.headerValues(of: elements))
            rule = words.isEmpty ? .none : .words(words)
        }
    }

    /// Whether a member of the dictionary is secret.
    func isSecret(_ key: Name, _ value: Value) -> Bool {
        switch rule {
        case .none, .words: false
        case .value: SecretWords.isOfValues(key.text)
        case .lists(let count): !Self.lists.contains(key.text.lowercased()) && Self.isList(value, of: count)
        case .archived: KeyedArchive.isOfValues(key)
        }
    }

    /// Whether an element of the list is secret.
    func isSecret(at position: Int, _ value: Value) -> Bool {
        switch rule {
        case .none, .archived: false
        case .value: position == 1
        case .words(let positions): positions.contains(position)
        case .lists(let count): position > 0 && Self.isList(value, of: count)
        }
    }

    /// Whether a value is the name of a secret.
    private static func isName(_ value: Value) -> Bool {
        guard case .string(let name) = value, name.utf8.count <= nameLength else { return false }
        return SecretWords.meaning(of: name) == .secret
    }

    /// Whether a key of an archived dictionary, a text or an object around one, is the name of a secret.
    private static func hasName(_ key: Value) -> Bool {
        guard case .object(let object) = key else { return isName(key) }
        return object.fields.contains { isName($0.value) }
    }

    /// The words of a command, `["curl", "-u", "ann:…"]`, that are secret in a line of them.
    private static func secretWords(of elements: [Value]) -> Set<Int> {
        guard (2...256).contains(elements.count), elements.contains(where: { $0.string?.hasPrefix("-") ?? false })
        else { return [] }
        var line = "", ends: [Int] = []
        for element in elements {
            guard let word = element.string else { return [] }
            line += line.isEmpty ? word : " " + word
            ends.append(line.utf8.count)
        }
        let ranges = SecretTexts.ranges(in: line)
        return Set(
            ends.indices.filter { index in
                let start = index == 0 ? 0 : ends[index - 1] + 1
                return ranges.contains { $0.lowerBound < ends[index] && start < $0.upperBound }
            })
    }

    /// The values in a flat list of names, each with its value behind it, as of headers: `["Host", "a", "X-Api-Key", …]`.
    private static func headerValues(of elements: [Value]) -> Set<Int> {
        guard (4...256).contains(elements.count), elements.count.isMultiple(of: 2) else { return [] }
        return Set(elements.indices.filter { !$0.isMultiple(of: 2) && isName(elements[$0 - 1]) })
    }

    /// Whether a list has nothing but names, two or more, with that of a secret among them.
    private static func isHeader(_ elements: [Value]) -> Bool {
        guard (2...256).contains(elements.count) else { return false }
        return elements.allSatisfy { ($0.string?.utf8.count ?? .max) <= nameLength } && elements.contains(where: isName)
    }

    private static func isList(_ value: Value, of count: Int) -> Bool {
        guard case .array(let elements) = value else { return false }
        if elements.count == count { return true }
        return !elements.isEmpty
            && elements.allSatisfy { if case .array(let row) = $0 { row.count == count } else { false } }
    }
}
