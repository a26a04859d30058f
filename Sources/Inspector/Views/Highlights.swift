import Reports

/// The matches of what is looked for, marked wherever they are seen.
enum Highlights {
    static func draw(_ model: Model, in layout: Layout, on frame: inout Frame) {
        guard let text = model.markedText, !text.isEmpty else { return }
        frame.mark(Matcher(text), in: layout.body)
    }
}

extension Frame {
    /// Marks what a text is found in, within a part of the frame.
    fileprivate mutating func mark(_ matcher: Matcher, in rect: Rect) {
        let part = rect.intersection(bounds)
        for y in part.rows {
            let columns = part.columns.filter { (self[$0, y]?.columns ?? 0) > 0 }
            for range in matcher.ranges(in: columns.map { self[$0, y]?.text ?? "" }) {
                let start = columns[range.lowerBound]
                let end = range.upperBound < columns.count ? columns[range.upperBound] : part.columns.upperBound
                // A pane goes on being told by its title.
                if self[start, y]?.style.role == .title { continue }
                paint(Rect(x: start, y: y, width: end - start, height: 1), role: .match)
            }
        }
    }
}
