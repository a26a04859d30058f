import StoreFormats

/// One line of a value that is shown as a tree.
package struct TreeLine: Hashable, Sendable {
    /// How far in, from 0.
    package var depth: Int
    /// The key or the position, or `nil` for the whole.
    package var key: String?
    /// The value in a few words; of a container, what it is.
    package var text: String
    /// What its type is.
    package var type = ""
}

extension Value {
    /// The parts of a container with their names, looking into what another format holds; `nil` for a plain value.
    package var parts: [(key: Name, value: Value)]? {
        switch self {
        case .dictionary(let members): members.map { ($0.key, $0.value) }
        case .object(let object): object.fields.map { ($0.key, $0.value) }
        case .array(let elements): elements.enumerated().map { (Name(String($0.offset)), $0.element) }
        case .set(let set): set.elements.enumerated().map { (Name(String($0.offset)), $0.element) }
        case .string, .data: decoded()?.value.parts
        default: nil
        }
    }

    /// The value as lines, depth first.
    ///
    /// - Parameters:
    ///   - limit: How many lines at most; a last line says that there are more.
    ///   - display: What to show in place of a part, by its path; `nil` shows it as it is.
    package func treeLines(
        limit: Int = 2000, display: (JSONPointer, Value) -> String? = { _, _ in nil }
    ) -> [TreeLine] {
        var lines: [TreeLine] = []
        var stack: [(depth: Int, key: Name?, pointer: JSONPointer, value: Value)] = [(0, nil, JSONPointer(), self)]
        while let (depth, key, pointer, value) = stack.popLast() {
            guard lines.count < limit else {
                lines.append(TreeLine(depth: 0, key: nil, text: "… cut after \(limit) lines"))
                break
            }
            let hidden = display(pointer, value)
            lines.append(TreeLine(depth: depth, key: key?.text, text: hidden ?? value.summary, type: value.typeName))
            guard hidden == nil, let parts = value.parts else { continue }
            stack += parts.prefix(limit).reversed().map {
                (depth + 1, $0.key, pointer.appending($0.key), $0.value)
            }
        }
        return lines
    }
}
