import Foundation
import StoreFormats
import Synchronization

/// Draws facts for which any new UUID will do: of one app each is drawn once while the program runs, so that a preview and
/// what is applied agree; what a ledger has recorded goes before it.
public struct FactDraw: Hashable, Sendable {
    private struct Key: Hashable {
        let app: Name
        let fact: FactName
    }

    private static let drawn = Mutex<[Key: String]>([:])

    /// Whose facts they are.
    private let app: Name

    /// Makes a draw.
    ///
    /// - Parameter app: Tells whose facts they are: two apps have none in common.
    public init(for app: Name) { self.app = app }

    /// The value of a fact.
    func fact(_ name: FactName) -> Fact {
        let value = Self.drawn.withLock { drawn in
            let key = Key(app: app, fact: name), value = drawn[key] ?? UUID().uuidString
            drawn[key] = value
            return value
        }
        return Fact(value, from: .drawn("a draw, as any new one will do"))
    }
}
