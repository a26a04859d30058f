import Foundation
import MigrationEngine
import StoreFormats

/// A first draft of a spec from what lies in stores: every entry with its type, left until somebody decides.
package enum SpecDraft {
    /// The most entries of one store that are listed.
    static let limit = 500
    /// The same of a table: its rows are alike.
    static let rows = 20

    /// The draft as YAML, which reads without an error, in the canonical form.
    ///
    /// Items of which nobody knows whose they are stand in a remark: they may be another app's.
    ///
    /// - Parameter isSecret: Whether an entry is likely to be a secret; it is marked as that.
    package static func text(
        of stores: any StoreReader, bundleIdentifier: String, isSecret: (Address, Value) -> Bool
    ) -> String {
        let foreign = stores.stores.filter(\.isUnassigned)
        let unnamed = stores.stores.filter { AddressPattern(address: Address(store: $0)).hasStars }
        let listed = stores.stores.filter { store in
            let isFile = store.kind == .sqlite && SQLiteTable(store)?.table == nil
            return !isFile && !store.isUnassigned && !unnamed.contains(store) && stores.problem(with: store) == nil
                && stores.keys(in: store).count > 0
        }
        let own = listed.filter { !Noise.isSystemTable($0) }
        let names = aliases(of: own, bundleIdentifier: bundleIdentifier)
        var lines = [
            "vestige: migration/1", "id: \(word(bundleIdentifier.replacing(".", with: "-"), else: "app"))-next",
            "title: \(SpecWriting.quoted("What \(bundleIdentifier) left, and where it goes"))",
            "apps: [\(SpecWriting.quoted(bundleIdentifier))]",
        ]
        if !own.isEmpty { lines.append("stores:") }
        for store in own { lines.append("  \(names[store] ?? ""): \(SpecWriting.quoted("\(store)"))") }
        lines += [
            "steps:", "# Take an entry out of its list, and make a row of it, such as",
            "# - {id: theme, from: app/Theme, type: string, to: app/theme, source: remove}",
            "# vestige specs help lists what a row can do; vestige specs lint checks this file.",
        ]
        var others: [String] = []
        for store in own {
            let found = step(store, names[store] ?? "", stores, isSecret)
            lines += found.own
            others += found.others
        }
        others += listed.filter(Noise.isSystemTable).map { store in
            let count = stores.keys(in: store).count
            return "    - \(SpecWriting.quoted("\(store)/*"))  # \(count) \(count == 1 ? "row" : "rows")"
        }
        if !others.isEmpty {
            lines +=
                ["- id: of-others", "  because: \"the system's, or that of a widely used SDK\"", "  leave:"] + others
        }
        for store in stores.stores where stores.problem(with: store) != nil {
            lines.append("# \(SpecWriting.remark("\(store)")) cannot be read, so nothing is known of what is in it.")
        }
        for store in unnamed {
            lines.append("# \(SpecWriting.remark("\(store)")) \(unnameable).")
        }
        // A keychain that cannot be read at all has no stores.
        if !stores.stores.contains(where: { $0.kind == .keychain }),
            let problem = stores.problem(with: .keychain(Name(bundleIdentifier)))
        {
            lines.append("# Of the keychain nothing is known: \(SpecWriting.remark(problem.explanation)).")
        }
        if !foreign.isEmpty {
            lines.append(
                "# \(foreign.count) more of the keychain may be another app's, and no step may take from them: "
                    + SpecWriting.remark(foreign.prefix(5).map { "\($0)" }.joined(separator: ", "))
                    + (foreign.count > 5 ? ", …" : "") + ".")
        }
        if listed.isEmpty { lines.append("- {id: nothing, leave: [], because: the dump holds no entries}") }
        let text = lines.joined(separator: "\n") + "\n"
        return (try? Spec.formatted(Data(text.utf8))) ?? text
    }

    /// An alias for each store.
    static func aliases(of stores: [StoreID], bundleIdentifier: String) -> [StoreID: String] {
        var names: [StoreID: String] = [:], taken: Set<String> = ["value", "target", "store", "any", "fact"]
        for store in stores where names[store] == nil {
            let isOwn = store == .defaults(Name(bundleIdentifier))
            let name = SQLiteTable(store)?.table ?? store.name
            let last = name.text.split(separator: ".").last.map(String.init) ?? ""
            let word = isOwn ? "app" : word(last, else: store.kind.rawValue)
            var alias = word, number = 2
            while !taken.insert(alias).inserted { (alias, number) = ("\(word)\(number)", number + 1) }
            names[store] = alias
        }
        return names
    }

    private static func step(
        _ store: StoreID, _ name: String, _ stores: any StoreReader, _ isSecret: (Address, Value) -> Bool
    ) -> (own: [String], others: [String]) {
        let keys = stores.keys(in: store), count = min(store.kind == .sqlite ? rows : limit, keys.count)
        var own: [String] = [], others: [String] = [], unnamed = 0, misplaced: [String] = [], seen: Set<Name> = []
        for position in 0..<count {
            let key = keys.key(at: position), address = Address(store: store, key: key)
            guard seen.insert(key).inserted else { continue }
            if AddressPattern(address: address).hasStars {
                unnamed += 1
                continue
            }
            guard address.departure == nil else {
                misplaced.append("    # \(SpecWriting.remark("\(address)")) cannot be named in a spec")
                continue
            }
            let text = name + "/" + "\(address)".dropFirst("\(store)/".count)
            let about: String
            switch stores.state(of: key, in: store) {
            case .absent: continue
            case .unreadable: about = "cannot be read"
            case .present(let value):
                about =
                    (store.kind == .sqlite ? row(value) : kind(of: value))
                    + (isSecret(address, value) ? ", likely a secret" : "")
            }
            let line = "    - \(SpecWriting.quoted(text))  # \(about)"
            if Noise.holds(key, in: store) { others.append(line) } else { own.append(line) }
        }
        var lines: [String] = []
        if !own.isEmpty {
            lines += ["- id: \(name)-undecided", "  because: nobody has decided yet", "  leave:"] + own
        }
        if keys.count > count { lines.append("    # and \(keys.count - count) more") }
        lines += misplaced
        if unnamed > 0 {
            lines.append("    # \(unnamed) \(unnamed == 1 ? "entry" : "entries") of \(name) \(unnameable)")
        }
        return (lines, others)
    }

    private static let unnameable = "cannot be named in a spec, with U+FDD0 in the name, which is no character"

    /// What a row of a table has: its columns.
    private static func row(_ value: Value) -> String {
        guard case .dictionary(let members) = value else { return value.typeName }
        let names = members.prefix(20).map { SpecWriting.remark($0.key.text) }.joined(separator: ", ")
        return "a row: \(names)\(members.count > 20 ? ", …" : "")"
    }

    /// What a value is: its type, or the form that holds another.
    static func kind(of value: Value) -> String {
        if let item = KeychainItem(value) { return item.text == nil ? "data" : "text" }
        guard let decoded = value.decoded(), let form = decoded.formats.last else { return value.typeName }
        // What no type of the language stands for goes on as it is.
        guard ValueType.Kind(rawValue: decoded.value.typeName) != nil else {
            return "\(value.typeName), \(form.rawValue) of \(SpecWriting.remark(decoded.value.typePhrase))"
        }
        switch form {
        case .json: return "json \(decoded.value.typeName)"
        case .keyedArchive: return "keyed-archive \(decoded.value.typeName)"
        case .binaryPropertyList, .xmlPropertyList: return "property-list \(decoded.value.typeName)"
        case .text, .terminatedText: return "text"
        case .base64: return value.typeName
        }
    }

    /// A text as a name of the language.
    static func word(_ text: String, else other: String) -> String {
        let kept = text.unicodeScalars.filter {
            $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil || $0 == "-")
        }
        let word = String(String.UnicodeScalarView(kept)).lowercased()
        guard let first = word.first, first.isLetter, case .value(.string) = SpecScalar(word, isPlain: true) else {
            return other
        }
        return word
    }
}
