import MigrationEngine
import StoreFormats
import Workspace

/// Whether secrets are shown, and what stands in their place where they are not.
package struct Masking: Hashable, Sendable {
    /// Whether secrets are shown.
    package var isRevealing: Bool
    /// The entries of which a migration says that they are no secret, whatever their keys say.
    package var publicEntries: Set<Address>

    /// Makes a choice.
    package init(isRevealing: Bool = false, publicEntries: Set<Address> = []) {
        self.isRevealing = isRevealing
        self.publicEntries = publicEntries
    }

    /// What stands in place of a secret, or `nil` where the value may be shown.
    ///
    /// A container is shown: in a few words it is its keys, and its parts are asked for one by one. A value is as secret as
    /// the entries that it was made from.
    ///
    /// - Parameter inFull: Whether all of the value is shown, part by part where it has parts; in a few words a large text
    ///   is its beginning and large data its size, and no more of them is looked into.
    package func placeholder(
        for value: Value, at address: Address, from sources: [Address] = [], inFull: Bool = false
    ) -> String? {
        guard !isRevealing, !(inFull ? value.parts != nil : value.hasParts) else { return nil }
        let looked = value.isLarge && !inFull ? value.beginning : value
        let context = context(of: address, from: sources)
        return Secrets.holdsSecret(looked, context, depth: 0, within: DecodingBudget())
            ? Secrets.placeholder(value) : nil
    }

    /// What the place of a value says of it; a value is as secret as the entries that it was made from.
    func context(of address: Address, from sources: [Address] = []) -> SecretContext {
        SecretContext([address] + sources, publicEntries: publicEntries)
    }

    /// A value in a few words.
    package func summary(of value: Value, at address: Address, from sources: [Address] = []) -> String {
        shown(value, at: address, from: sources).text
    }

    /// A value in a few words, of a keychain item what it holds, and whether that is masked.
    func shown(_ value: Value, at address: Address, from sources: [Address] = []) -> (text: String, isMasked: Bool) {
        if KeychainWords.isItem(value, at: address), let secret = value.members?[KeychainItem.dataKey] {
            return shown(secret, at: address.appending(JSONPointer([KeychainItem.dataKey])), from: sources)
        }
        let placeholder = placeholder(for: value, at: address, from: sources)
        return (placeholder ?? value.summary, placeholder != nil)
    }

    /// A sentence that may quote values.
    package func sentence(_ text: String) -> String {
        isRevealing ? text : Secrets.masked(text: text)
    }

    /// A value as lines.
    ///
    /// - Parameters:
    ///   - inFull: Whether texts are shown to their ends.
    ///   - withBytes: Whether data is then shown as its bytes in hexadecimal.
    ///   - limit: How many lines at most.
    package func treeLines(
        of value: Value, at address: Address, from sources: [Address] = [], inFull: Bool = false,
        withBytes: Bool = true, limit: Int = 2000
    ) -> [TreeLine] {
        let parts = SecretParts(of: value, context(of: address, from: sources), isRevealing)
        let isItem = KeychainWords.isItem(value, at: address)
        var lines = KeychainWords.ordered(value, at: address).treeLines(limit: limit) { pointer, part in
            placeholder(for: part, at: address.appending(pointer), from: sources, inFull: true)
                ?? parts.placeholder(for: part, at: pointer)
                ?? (isItem ? KeychainWords.words(for: part, at: pointer) : nil)
                ?? (inFull ? part.fullText(withBytes: withBytes) : nil)
        }
        guard isItem else { return lines }
        // The item itself is its parts; what it is called stands in its address.
        lines[0].text = "\(address.store.name.text), account \(address.key?.text ?? "")"
        for index in lines.indices where lines[index].depth == 1 {
            lines[index].key = lines[index].key.map { KeychainWords.label(of: Name($0)) ?? $0 }
        }
        return lines
    }

    /// Two values side by side; a part that is secret on one side is masked on both.
    ///
    /// - Parameter placeholders: The parts of the new value that a default made up; a default is nobody's secret.
    package func comparison(
        _ before: (value: Value?, address: Address), _ after: (value: Value?, address: Address),
        from sources: [Address] = [], placeholders: [JSONPointer] = []
    ) -> Comparison {
        let parts = [before, after].map { SecretParts(of: $0.value ?? .null, context(of: $0.address), isRevealing) }
        let items = [before, after].map { side in
            side.value.map { KeychainWords.isItem($0, at: side.address) } ?? false
        }
        var comparison = Comparison(
            before.value.map { KeychainWords.ordered($0, at: before.address) },
            after.value.map { KeychainWords.ordered($0, at: after.address) }
        ) { side, pointer, part in
            if side == .right, placeholders.contains(where: { pointer.isWithin($0) }) { return nil }
            let places = [before.address, after.address].map { $0.appending(pointer) }
            let place = side == .left ? places : places.reversed()
            return placeholder(
                for: part, at: place[0], from: [place[1]] + (side == .right ? sources : []), inFull: true)
                ?? parts[side == .left ? 0 : 1].placeholder(for: part, at: pointer)
                ?? (items[side == .left ? 0 : 1] ? KeychainWords.words(for: part, at: pointer) : nil)
        }
        if items.contains(true) { comparison.rename(items) { KeychainWords.label(of: $0) } }
        return comparison
    }
}

/// The parts of a value that are secret because of what stands beside them, and not by their own place or shape: the value
/// of a pair whose name says so, and all of the raw form of a keyed archive that holds a secret.
private struct SecretParts {
    private var pointers: Set<JSONPointer> = []
    /// As many parts as a tree has lines.
    private static let limit = 2000

    init(of value: Value, _ context: SecretContext, _ isRevealing: Bool) {
        guard !isRevealing else { return }
        let budget = DecodingBudget()
        var stack = [(JSONPointer(), value)], seen = 0
        while let (pointer, value) = stack.popLast(), seen < Self.limit {
            seen += 1
            let inner = if case .dictionary = value { value } else { value.decoded()?.value ?? value }
            if case .dictionary(let members) = inner {
                if context.meaning != .secret,
                    context.entering(archive: inner, depth: 0, within: budget).meaning == .secret
                {
                    pointers.insert(pointer)
                    continue
                }
                if SecretContext.isPairOfSecret(members) {
                    for member in members where SecretContext.isValueOfPair(member.key.text) {
                        pointers.insert(pointer.appending(member.key))
                    }
                }
            } else if case .array(let elements) = inner, SecretContext.isPairOfSecret(elements) {
                pointers.insert(pointer.appending("1"))
            }
            stack += (value.parts ?? []).prefix(Self.limit).map { (pointer.appending($0.key), $0.value) }
        }
    }

    func placeholder(for part: Value, at pointer: JSONPointer) -> String? {
        guard !pointers.isEmpty, part.parts == nil else { return nil }
        switch part {
        case .null, .bool, .date, .uid, .reference: return nil
        default: break
        }
        let isSecret = (0...pointer.tokens.count).contains {
            pointers.contains(JSONPointer(Array(pointer.tokens.prefix($0))))
        }
        return isSecret ? Secrets.placeholder(part) : nil
    }
}

extension Value {
    /// Whether the value is shown part by part, also where another format holds the parts.
    fileprivate var hasParts: Bool {
        switch self {
        case .array, .dictionary, .set, .object: true
        case .string, .data: !isLarge && (decoded()?.value.hasParts ?? false)
        default: false
        }
    }

    /// The beginning of a large text or data, as far as a row looks.
    fileprivate var beginning: Value {
        switch self {
        case .string(let text): .string(String(text.prefix(Self.glanceLimit / 4)))
        case .data(let data): .data(data.prefix(Self.glanceLimit))
        default: self
        }
    }
}

extension JSONPointer {
    /// Whether this is a part, or a part of it.
    fileprivate func isWithin(_ other: JSONPointer) -> Bool { tokens.starts(with: other.tokens) }
}

extension Value {
    /// How many bytes of data are shown.
    private static let hexadecimalLimit = 4096

    /// A text or data, which have no parts, to its end; `nil` of all else.
    fileprivate func fullText(withBytes: Bool) -> String? {
        let value = decoded()?.value ?? self
        switch value {
        case .string(let text): return (decoded().map { $0.formatName + " " } ?? "") + "\"\(text)\""
        case .data(let data) where withBytes:
            let digits = Hexadecimal.text(data.prefix(Self.hexadecimalLimit), separator: " ")
            let more = data.count > Self.hexadecimalLimit ? " …" : ""
            return data.isEmpty ? nil : summary + ": " + digits + more
        default: return nil
        }
    }
}

extension Address {
    /// The address of a part of this value.
    package func appending(_ pointer: JSONPointer) -> Address {
        var address = self
        address.pointer.tokens += pointer.tokens
        return address
    }
}
