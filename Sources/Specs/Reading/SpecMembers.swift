/// The members of a mapping by their keys; of two with one key the last.
///
/// They are few and asked for often, which takes longer where each key is hashed.
struct SpecMembers: Sendable {
    private(set) var all: [(key: String, value: SpecNode)] = []

    subscript(key: String) -> SpecNode? {
        get { all.last { $0.key.utf8.count == key.utf8.count && $0.key == key }?.value }
        set {
            all.removeAll { $0.key == key }
            if let newValue { all.append((key, newValue)) }
        }
    }
}
