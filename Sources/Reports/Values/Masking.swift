import MigrationEngine
import StoreFormats
import Workspace

/// Whether secrets are shown, and what stands in their place where they are not.
public struct Masking: Hashable, Sendable {
    /// Whether secrets are shown.
    public var isRevealing: Bool

    /// Makes a choice.
    public init(isRevealing: Bool = false) {
        self.isRevealing = isRevealing
    }

    /// What stands in place of a secret, or `nil` where the value may be shown.
    ///
    /// A container is shown: in a few words it is its keys, and its parts are asked for one by one. A value is as secret as
    /// the entries that it was made from.
    package func placeholder(for value: Value, at address: Address, from sources: [Address] = []) -> String? {
        guard !isRevealing, !value.hasParts else { return nil }
        // Of a large text a row shows the beginning, of large data only the size.
        let looked = value.isLarge ? value.beginning : value
        guard ([address] + sources).contains(where: { Secrets.isSecret(looked, at: $0) }) else { return nil }
        return Secrets.placeholder(value)
    }

    /// A value in a few words.
    package func summary(of value: Value, at address: Address, from sources: [Address] = []) -> String {
        placeholder(for: value, at: address, from: sources) ?? value.summary
    }

    /// A sentence that may quote values.
    package func sentence(_ text: String) -> String {
        isRevealing ? text : Secrets.masked(text: text)
    }

    /// A value as lines.
    package func treeLines(of value: Value, at address: Address) -> [TreeLine] {
        value.treeLines { pointer, part in placeholder(for: part, at: address.appending(pointer)) }
    }

    /// Two values side by side, each masked by its own address.
    package func comparison(
        _ before: (value: Value?, address: Address), _ after: (value: Value?, address: Address),
        from sources: [Address] = []
    ) -> Comparison {
        Comparison(before.value, after.value) { side, pointer, part in
            let address = side == .left ? before.address : after.address
            return placeholder(for: part, at: address.appending(pointer), from: side == .right ? sources : [])
        }
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

extension Address {
    /// The address of a part of this value.
    package func appending(_ pointer: JSONPointer) -> Address {
        var address = self
        address.pointer.tokens += pointer.tokens
        return address
    }
}
