import MigrationEngine
import Reports
import StoreFormats

/// A search through the rows of a container; it may take long, so it runs as an effect.
public struct RowSearch: Sendable {
    /// What to look for; a capital letter in it makes the search heed case.
    public let text: String
    /// Whether to look downwards.
    public let isForward: Bool
    private let container: OpenContainer

    init(_ text: String, isForward: Bool, in container: OpenContainer) {
        self.text = text
        self.isForward = isForward
        self.container = container
    }

    /// The next row that holds the text in its key, its title or its value, the rows taken as a ring.
    ///
    /// - Parameter isCancelled: Asked now and then; the search ends where it says so.
    public func run(isCancelled: () -> Bool = { false }) -> Int? {
        let count = container.sheet.count
        guard count > 0, !text.isEmpty else { return nil }
        let matcher = Matcher(text)
        for distance in 1...count {
            if distance % 4096 == 0, isCancelled() { return nil }
            let position = (container.cursor + (isForward ? distance : count - distance % count)) % count
            if let row = container.sheet[position], container.texts(of: row).contains(where: matcher.matches) {
                return position
            }
        }
        return nil
    }
}

/// A text to look for, with smart case: a capital letter in it makes case matter.
struct Matcher: Sendable {
    private let text: String
    private let heedsCase: Bool

    init(_ text: String) {
        heedsCase = text.contains(where: \.isUppercase)
        self.text = heedsCase ? text : text.lowercased()
    }

    func matches(_ other: String) -> Bool {
        heedsCase ? other.contains(text) : other.lowercased().contains(text)
    }
}

extension OpenContainer {
    /// The texts of a row that a search looks at.
    func texts(of row: SheetRow) -> [String] {
        switch row {
        case .step(let index):
            guard let planned = plan?.steps[index] else { return [] }
            let step = planned.step
            let keys = step.sources.compactMap(\.key) + [step.targetKey].compactMap(\.self)
            let values = planned.changes.compactMap(\.after) + step.sources.compactMap { stores.state(at: $0).value }
            return [step.title, planned.outcome.kind.rawValue] + keys + values.map(\.summary)
        case .unmapped(let store, _), .store(let store): return [store.name]
        case .entry(let store, let key):
            return [key] + (stores.state(of: key, in: store).value.map { [$0.summary] } ?? [])
        }
    }
}
