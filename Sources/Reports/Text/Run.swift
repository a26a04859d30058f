import MigrationEngine
import StoreFormats

/// A run of text in one role.
package struct Run: Hashable, Sendable {
    package var text: String
    package var role: Role = .text

    package init(_ text: String, _ role: Role = .text) {
        self.text = text
        self.role = role
    }
}

extension Run {
    /// A value in a few words, masked where it is a secret.
    package init(_ value: Value, at address: Address, from sources: [Address] = [], _ masking: Masking) {
        let shown = masking.shown(value, at: address, from: sources)
        self.init(shown.text, shown.isMasked ? .masked : .text)
    }
}
