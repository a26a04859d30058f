import Reports

extension Frame {
    /// Draws runs of text one after the other within a width, cut with an ellipsis at its end.
    mutating func draw(_ runs: [Run], at x: Int, _ y: Int, width: Int) {
        let end = x + width
        var column = x
        for (index, run) in runs.enumerated() where column < end {
            let isLast = index == runs.count - 1
            let needed = glyphs.columns(run.text, limit: end - column)
            // A run that fits but is followed by others keeps its own width; the last one is cut where the room ends.
            let room = isLast || needed > end - column ? end - column : needed
            draw(run.text, at: column, y, width: room, role: run.role)
            column += min(needed, room)
        }
    }
}
