import MigrationEngine
import StoreFormats

extension Address {
    /// The entry and the parts that it lies in, the outermost first.
    var around: [Address] {
        let tokens = pointer.tokens
        return tokens.indices.map { entry.appending(JSONPointer(Array(tokens[..<$0]))) }
    }
}
