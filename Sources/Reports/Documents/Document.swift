import MigrationEngine
import StoreFormats

/// An answer as blocks for a person to read, from which text, Markdown, HTML and panes of a screen are drawn.
///
/// What it says is made from a report, in which secrets are masked already.
package struct Document: Sendable {
    /// A part of an answer; a step with a star has as many as entries, so the large ones are held apart.
    package enum Block: Sendable {
        /// What the blocks that follow are about.
        case heading(String, indent: Int)
        /// A sentence, or a line by itself.
        case line([Run], indent: Int)
        /// A text with a word for what it is, such as `rule`, filled up to a width.
        case field(String, width: Int, Run, indent: Int)
        /// A word for what it is and what there is to say, in several looks.
        case facets(String, [Run])
        /// Columns, each but the last filled up to a width; a longer one takes the room that it needs.
        case row([(text: String, width: Int)], String, indent: Int)
        /// Rows of as many cells as there are titles.
        indirect case table([String], [[String]])
        /// What a step does or did, by its sign and a word.
        indirect case step(PlannedStep)
        /// A value in full, as deep as it goes.
        indirect case value(ShownValue, role: Role, indent: Int)
        /// A value before and after.
        indirect case comparison(ShownComparison)
        /// What the person can do, under a word for what it is about.
        indirect case advice(String, Advice, indent: Int)
        /// Room between two parts.
        case blank
    }

    package private(set) var blocks: [Block] = []

    package init() {}

    /// Sentences, each by itself.
    package init(sentences: [String]) { for sentence in sentences { line(sentence) } }

    mutating func heading(_ text: String, indent: Int = 0) { blocks.append(.heading(text, indent: indent)) }
    mutating func line(_ text: String, role: Role = .text, indent: Int = 0) { line([Run(text, role)], indent: indent) }
    mutating func line(_ runs: [Run], indent: Int = 0) { blocks.append(.line(runs, indent: indent)) }
    mutating func field(_ label: String, _ text: String, role: Role = .text, width: Int = 6, indent: Int = 4) {
        blocks.append(.field(label, width: width, Run(text, role), indent: indent))
    }
    mutating func facets(_ label: String, _ runs: [Run]) { blocks.append(.facets(label, runs)) }
    mutating func row(_ columns: [(String, Int)], _ last: String = "", indent: Int = 0) {
        blocks.append(.row(columns.map { ($0.0, $0.1) }, last, indent: indent))
    }
    mutating func table(_ titles: [String], _ rows: [[String]]) { blocks.append(.table(titles, rows)) }
    mutating func append(_ block: Block) { blocks.append(block) }
    mutating func step(_ planned: PlannedStep) { blocks.append(.step(planned)) }
    mutating func value(_ value: ShownValue, role: Role = .text, indent: Int = 0) {
        blocks.append(.value(value, role: role, indent: indent))
    }
    mutating func comparison(_ comparison: ShownComparison) { blocks.append(.comparison(comparison)) }
    mutating func advice(_ label: String, _ advice: Advice, indent: Int = 0) {
        blocks.append(.advice(label, advice, indent: indent))
    }
    /// Room, but not before the first part, nor behind what a step does, which is the head of all that follows.
    mutating func blank() {
        switch blocks.last {
        case nil, .step: break
        default: blocks.append(.blank)
        }
    }
}

/// A value before and after, where each is, and what the new one was made from.
package struct ShownComparison: Sendable {
    let before: (value: Value?, address: Address)
    let after: (value: Value?, address: Address)
    let sources: [Address]
    /// What stands over each side.
    var titles: (before: String, after: String)
    /// The parts of the new value that nobody entered.
    let placeholders: [JSONPointer]
    let showing: Showing

    /// The sides part by part, with their secrets masked.
    var comparison: Comparison {
        showing.masking.comparison(before, after, from: sources, placeholders: placeholders)
    }

    /// The same without the parts that are the same: of a document that many steps change one part each is told.
    var differences: Comparison {
        showing.masking.comparison(before, after, from: sources, placeholders: placeholders, isWhole: false)
    }
}
