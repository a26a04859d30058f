import Foundation
import MigrationEngine
import StoreFormats

/// A first draft of a spec from what lies in stores: every entry with its type, left until somebody decides.
package enum SpecDraft {
    /// The most entries of one store that are listed.
    static let limit = 500

    /// What the keys of the system and of widely used SDKs begin with: seldom anything of the app's own.
    private static let noise = [
        "Apple", "NS", "AK", "PK", "IN", "METAL", "WebKit", "com.apple.", "MSAppCenter", "firebase", "/firebase", "FIR",
        "GUL",
        "com.google.", "com.facebook.", "FBSDK", "com.crashlytics", "SentryDefault", "INNext", "UI",
    ]

    /// The draft as YAML, which reads without an error.
    ///
    /// - Parameter isSecret: Whether an entry is likely to be a secret; it is marked as that.
    package static func text(
        of stores: any StoreReader, bundleIdentifier: String, isSecret: (Address, Value) -> Bool
    ) -> String {
        var names: [StoreID: String] = [:], taken: Set<String> = ["value", "target", "store", "any", "fact"]
        let listed = stores.stores.filter {
            $0.kind != .sqlite && stores.problem(with: $0) == nil && stores.keys(in: $0).count > 0
        }
        for store in listed {
            let isOwn = store == .defaults(Name(bundleIdentifier))
            let last = store.name.text.split(separator: ".").last.map(String.init) ?? ""
            let word = isOwn ? "app" : word(last, else: store.kind.rawValue)
            var name = word, number = 2
            while !taken.insert(name).inserted { (name, number) = ("\(word)\(number)", number + 1) }
            names[store] = name
        }
        var lines = [
            "vestige: migration/1", "id: \(word(bundleIdentifier.replacing(".", with: "-"), else: "app"))-next",
            "title: \(quoted("What \(bundleIdentifier) left, and where it goes"))",
            "apps: [\(quoted(bundleIdentifier))]",
        ]
        if !listed.isEmpty { lines.append("stores:") }
        for store in listed { lines.append("  \(names[store] ?? ""): \(quoted("\(store)"))") }
        lines += [
            "steps:", "# Take an entry out of its list, and make a row of it, such as",
            "# - {id: theme, from: app/Theme, type: string, to: app/theme, source: remove}",
            "# vestige specs help lists what a row can do; vestige specs lint checks this file.",
        ]
        for store in listed { lines += step(store, names[store] ?? "", stores, isSecret) }
        for store in stores.stores where stores.problem(with: store) != nil {
            lines.append("# \(plain("\(store)")) cannot be read, so nothing is known of what is in it.")
        }
        if listed.isEmpty { lines.append("- {id: nothing, leave: [], because: the dump holds no entries}") }
        return lines.joined(separator: "\n") + "\n"
    }

    private static func step(
        _ store: StoreID, _ name: String, _ stores: any StoreReader, _ isSecret: (Address, Value) -> Bool
    ) -> [String] {
        let keys = stores.keys(in: store), count = min(limit, keys.count)
        var own: [String] = [], others: [String] = [], seen: Set<Name> = []
        for position in 0..<count {
            let key = keys.key(at: position), address = Address(store: store, key: key)
            guard seen.insert(key).inserted else { continue }
            let text = name + "/" + "\(address)".dropFirst("\(store)/".count)
            let about: String
            switch stores.state(of: key, in: store) {
            case .absent: continue
            case .unreadable: about = "cannot be read"
            case .present(let value):
                about = kind(of: value) + (isSecret(address, value) ? ", likely a secret" : "")
            }
            let line = "    - \(quoted(text))".padded(to: 50) + "  # " + about
            if noise.contains(where: key.hasPrefix) { others.append(line) } else { own.append(line) }
        }
        var lines: [String] = []
        if !own.isEmpty {
            lines += ["- id: \(name)-undecided", "  because: nobody has decided yet", "  leave:"] + own
        }
        if keys.count > count { lines.append("    # and \(keys.count - count) more") }
        if !others.isEmpty {
            lines +=
                ["- id: \(name)-of-others", "  because: \"the system's, or that of a widely used SDK\"", "  leave:"]
                + others
        }
        return lines
    }

    /// What a value is: its type, or the form that holds another.
    private static func kind(of value: Value) -> String {
        if let item = KeychainItem(value) { return item.text == nil ? "data" : "text" }
        guard let decoded = value.decoded(), let form = decoded.formats.last else { return value.typeName }
        switch form {
        case .json: return "json \(decoded.value.typeName)"
        case .keyedArchive: return "keyed-archive \(decoded.value.typeName)"
        case .binaryPropertyList, .xmlPropertyList: return "property-list \(decoded.value.typeName)"
        case .text, .terminatedText: return "text"
        case .base64: return value.typeName
        }
    }

    /// A text as a name of the language.
    private static func word(_ text: String, else other: String) -> String {
        let kept = text.unicodeScalars.filter {
            $0.isASCII && ($0.properties.isAlphabetic || $0.properties.numericType != nil || $0 == "-")
        }
        let word = String(String.UnicodeScalarView(kept)).lowercased()
        guard let first = word.first, first.isLetter, case .value(.string) = SpecScalar(word, isPlain: true) else {
            return other
        }
        return word
    }

    /// A text as a scalar, in quotes unless it stands for itself without.
    private static func quoted(_ text: String) -> String {
        let isPlain = text.utf8.allSatisfy { byte in
            (0x30...0x39).contains(byte) || (0x41...0x5A).contains(byte) || (0x61...0x7A).contains(byte)
                || "/._~%:-".utf8.contains(byte)
        }
        if isPlain, text.first?.isLetter ?? false, !text.hasSuffix(":"),
            case .value(.string) = SpecScalar(text, isPlain: true)
        {
            return text
        }
        return "\"" + plain(text).replacing("\\", with: "\\\\").replacing("\"", with: "\\\"") + "\""
    }

    /// A text without what a spec may not hold.
    private static func plain(_ text: String) -> String {
        String(
            String.UnicodeScalarView(
                text.unicodeScalars.map { scalar in
                    let kind = scalar.properties.generalCategory
                    let isHidden =
                        [.control, .format, .lineSeparator, .paragraphSeparator].contains(kind)
                        || scalar.properties.isNoncharacterCodePoint
                    return isHidden ? "\u{FFFD}" : scalar
                }))
    }
}

extension String {
    fileprivate func padded(to width: Int) -> String { self + String(repeating: " ", count: max(0, width - count)) }
}
