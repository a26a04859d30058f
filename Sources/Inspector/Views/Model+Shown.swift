import MigrationEngine
import StoreFormats
import Workspace

extension Model {
    /// A value in a few words, masked where it is a secret.
    func shown(_ value: Value, at address: Address) -> Run {
        if let masked = masked(value, at: address) { return Run(masked, .masked) }
        return Run(value.summary)
    }

    /// What stands in place of a secret, or `nil` where the value may be shown.
    ///
    /// A container is shown: in a few words it is its keys, and its parts are asked for one by one.
    func masked(_ value: Value, at address: Address) -> String? {
        guard !isRevealing, value.parts == nil, Secrets.isSecret(value, at: address) else { return nil }
        return Secrets.placeholder(value)
    }

    /// A sentence that may quote values, with the secrets in it masked.
    func shown(sentence: String) -> String {
        isRevealing ? sentence : Secrets.masked(text: sentence)
    }
}
