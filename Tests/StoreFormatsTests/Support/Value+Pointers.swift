import StoreFormats

extension Value {
    /// Pointers to everything in the value.
    func pointers(at pointer: JSONPointer = JSONPointer()) -> [JSONPointer] {
        switch self {
        case .array(let elements):
            [pointer] + elements.indices.flatMap { elements[$0].pointers(at: pointer.appending(Name(String($0)))) }
        case .dictionary(let members):
            [pointer] + members.flatMap { $0.value.pointers(at: pointer.appending($0.key)) }
        default: [pointer]
        }
    }
}
