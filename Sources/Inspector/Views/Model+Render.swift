import Reports

extension Model {
    /// Draws the screen.
    package func render() -> Frame {
        var frame = Frame(size, glyphs: glyphs)
        guard let layout = Layout(self) else {
            let sentences = ["at least \(Layout.minimum) is needed; this is \(size)", "needs \(Layout.minimum)"]
            let text = sentences.first { glyphs.columns($0) <= size.width } ?? "<\(Layout.minimum)"
            frame.draw(text, at: 0, size.height / 2, width: size.width, role: .warning)
            return frame
        }
        HeaderView.draw(self, in: layout, on: &frame)
        if let page {
            PageView.draw(page, self, in: layout, on: &frame)
        } else if opened != nil {
            SheetView.draw(self, in: layout, on: &frame)
            DetailView.draw(self, in: layout, on: &frame)
        } else {
            AppListView.draw(self, in: layout, on: &frame)
        }
        StatusView.draw(self, in: layout, on: &frame)
        FooterView.draw(self, in: layout, on: &frame)
        return frame
    }
}
