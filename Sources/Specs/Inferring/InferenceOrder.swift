/// The order in which steps lose nothing: what is read is read before it is overwritten.
enum InferenceOrder {
    /// Sorts steps so that each stands behind those that must come before it, and otherwise where it stood; in time
    /// proportional to the steps and what is between them.
    ///
    /// - Parameter earlier: For each step those that must come before it.
    /// - Returns: Groups in their order: of one step, or of several of which each must come before another, so that no
    ///   order does.
    static func groups(_ earlier: [[Int]]) -> [[Int]] {
        var groups: [[Int]] = [], number = 0
        var numbers = [Int?](repeating: nil, count: earlier.count), lowest = [Int](repeating: 0, count: earlier.count)
        var isOpen = [Bool](repeating: false, count: earlier.count), open: [Int] = []
        for start in earlier.indices where numbers[start] == nil {
            // Of each step that is being looked at how many of the earlier ones were.
            var path: [(step: Int, next: Int)] = []
            func enter(_ step: Int) {
                (numbers[step], lowest[step]) = (number, number)
                number += 1
                open.append(step)
                isOpen[step] = true
                path.append((step, 0))
            }
            enter(start)
            while let (step, next) = path.last {
                if next < earlier[step].count {
                    path[path.count - 1].next += 1
                    let other = earlier[step][next]
                    if let known = numbers[other] {
                        if isOpen[other] { lowest[step] = min(lowest[step], known) }
                    } else {
                        enter(other)
                    }
                    continue
                }
                path.removeLast()
                if let parent = path.last?.step { lowest[parent] = min(lowest[parent], lowest[step]) }
                guard lowest[step] == numbers[step] else { continue }
                var group: [Int] = []
                while let last = open.popLast() {
                    isOpen[last] = false
                    group.append(last)
                    if last == step { break }
                }
                groups.append(group.sorted())
            }
        }
        return groups
    }
}
