import Yams

/// What the library finds wrong with a text, in words that say what was meant.
extension SpecText {
    static func problem(_ error: YamlError, in text: String) -> SpecProblem {
        func at(_ mark: Mark) -> SpecProblem.Place { .init(line: mark.line, column: mark.column) }
        switch error {
        case .duplicatedKeysInMapping(let keys, let context):
            let key = keys.first ?? ""
            let lines = lines(of: key, in: text, from: context.mark.line)
            return SpecProblem(
                .duplicateKey, at: at(context.mark), "the key \(key) stands twice\(lines)",
                fix: "Keep one of them.")
        case .composer(_, let problem, let mark, _) where problem.contains("another document"):
            return SpecProblem(
                .secondDocument, at: at(mark), "a second document begins", fix: "Put it into a file of its own.")
        case .scanner(let context, let problem, let mark, _), .parser(let context, let problem, let mark, _),
            .composer(let context, let problem, let mark, _):
            if problem.hasPrefix("Maximum nesting level") {
                return SpecProblem(
                    .overLimit, at: at(mark), "parts lie more than \(Limit.depth) deep in one another",
                    fix: "Flatten them.")
            }
            let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
            let found = Finding(
                problem: problem, place: at(mark), context: context?.text ?? "", from: context.map { at($0.mark) },
                lines: lines)
            if let meant = found.meant { return meant }
            let about = context.map { " (\($0.text))" } ?? ""
            return SpecProblem(
                .notYAML, at: at(mark), "this is not YAML: \(problem)\(about)",
                fix: "Check the quotes, the brackets and the indentation.")
        default:
            return SpecProblem(
                .notYAML, at: .init(line: 1, column: 1), "this is not YAML", fix: "Check its syntax.")
        }
    }

    /// The most keys that stand twice, and the longest text in which more than one is looked for: each is parsed anew.
    private static let mostTwins = 20, longestWithTwins = 256 << 10

    /// A key that stands twice and where, and the text with a name in its place that nothing has, as long as it was.
    static func twin(
        _ error: YamlError, in text: String, number: Int
    ) -> (key: String, place: SpecProblem.Place, text: String)? {
        guard case .duplicatedKeysInMapping(let keys, let context) = error, let key = keys.first,
            number < mostTwins, text.utf8.count <= longestWithTwins,
            let sign = Unicode.Scalar(0xF_0000 + UInt32(number))
        else { return nil }
        var lines = text.split(separator: "\n", omittingEmptySubsequences: false).map(String.init)
        let row = context.mark.line - 1, letters = key.unicodeScalars
        guard lines.indices.contains(row), !letters.isEmpty else { return nil }
        let scalars = Array(lines[row].unicodeScalars)
        var start = context.mark.column - 1
        if scalars.indices.contains(start), "\"'".unicodeScalars.contains(scalars[start]) { start += 1 }
        guard start >= 0, start + letters.count <= scalars.count,
            scalars[start..<(start + letters.count)].elementsEqual(letters)
        else { return nil }
        var line = String.UnicodeScalarView(scalars[..<start])
        line += repeatElement(sign, count: letters.count)
        line += scalars[(start + letters.count)...]
        lines[row] = String(line)
        return (key, .init(line: context.mark.line, column: context.mark.column), lines.joined(separator: "\n"))
    }

    /// The lines in which a key seems to stand, for a reader who looks for them.
    private static func lines(of key: String, in text: String, from first: Int) -> String {
        let lines = text.split(separator: "\n", omittingEmptySubsequences: false)
        let found = lines.indices.filter { index in
            guard index + 1 >= first else { return false }
            let line = lines[index].drop { " -{\"'".contains($0) }
            return line.hasPrefix(key) && line.dropFirst(key.count).drop { "\"' ".contains($0) }.first == ":"
        }
        guard let one = found.first, let other = found.dropFirst().first else { return "" }
        return ", in the lines \(one + 1) and \(other + 1)"
    }
}

/// What the library says, with the lines around it.
private struct Finding {
    let problem: String
    let place: SpecProblem.Place
    /// What the library was reading, and where that began.
    let context: String
    let from: SpecProblem.Place?
    let lines: [Substring]

    /// What was meant, as far as the lines tell it.
    var meant: SpecProblem? {
        if context.contains("quoted scalar"), problem.contains("end of stream") {
            return error(from, "the quote that opens here is not closed", "Close it at the end of the text.")
        }
        if problem.contains("undefined alias") || context.contains("scanning an alias")
            || context.contains("scanning an anchor")
        {
            let sign = context.contains("anchor") ? "&" : "*"
            return SpecProblem(
                .notInTheLanguage, at: from ?? place,
                "a text that begins with \(sign) is an alias or an anchor of YAML, which a spec does not have",
                fix: "Put the text in quotes, such as \"\(sign)\(word(at: from ?? place))\".")
        }
        if problem.contains("mapping values are not allowed") { return misplacedColon }
        if problem.contains("could not find expected ':'"), let from {
            if let joined = joinedColon(in: from.line) { return joined }
            return error(
                from, "this line is no key with a value, and the one above it has ended",
                "Write it as key: value, or put the text that goes on over two lines in quotes.")
        }
        if context.contains("flow") {
            let what = context.contains("sequence") ? "bracket" : "brace"
            return error(
                from, "the \(what) that opens here is not closed, or a comma is missing before line \(place.line)",
                "Close it, and put a comma between its parts.")
        }
        if problem.contains("did not find expected key") || problem.contains("'-' indicator") {
            return indentation
        }
        return nil
    }

    private func error(_ place: SpecProblem.Place?, _ sentence: String, _ fix: String) -> SpecProblem {
        SpecProblem(.notYAML, at: place ?? self.place, sentence, fix: fix)
    }

    private func line(_ number: Int) -> Substring? { lines.indices.contains(number - 1) ? lines[number - 1] : nil }

    /// The letters and digits behind a sign.
    private func word(at place: SpecProblem.Place) -> String {
        let rest = line(place.line)?.dropFirst(max(0, place.column - 1)).drop { "*&".contains($0) } ?? ""
        let word = rest.prefix { !" ,]}\r".contains($0) }
        return word.isEmpty ? "/key" : String(word.prefix(40))
    }

    /// A colon where no key can be: a second one in a text, one without a blank in the line above, or a line that is
    /// indented as if it belonged to a value.
    private var misplacedColon: SpecProblem? {
        guard let text = line(place.line) else { return nil }
        let before = text.prefix(max(0, place.column - 1))
        if let colon = before.range(of: ": ") {
            let key = before[..<colon.lowerBound].drop { " -{".contains($0) }
            let value = text[colon.upperBound...].trimmingBlanks
            return error(
                place, "a text without quotes has a second colon with a blank behind it",
                key.utf8.count + value.utf8.count < 80 && !value.contains { "\"\\{}[]".contains($0) }
                    ? "Write \(key): \"\(value)\"." : "Put the text in quotes.")
        }
        var number = place.line - 1
        while number > 0, line(number).map({ $0.trimmingBlanks.isEmpty || $0.trimmingBlanks.hasPrefix("#") }) ?? false {
            number -= 1
        }
        if let joined = joinedColon(in: number) { return joined }
        guard let above = line(number) else { return nil }
        let (own, other) = (text.indentation, above.keyColumn)
        guard own != other else { return nil }
        return error(
            place, "this line is indented by \(own), and the key above it, which has a value already, by \(other)",
            "Indent it by \(other) to stand beside that key.")
    }

    /// A key whose colon has no blank behind it, as `from:app/key`.
    private func joinedColon(in number: Int) -> SpecProblem? {
        guard let text = line(number) else { return nil }
        let body = text.drop { " -{".contains($0) },
            key = body.prefix { $0.isLetter || $0.isNumber || "_-".contains($0) }
        let rest = body.dropFirst(key.count)
        guard !key.isEmpty, rest.first == ":", let next = rest.dropFirst().first, next != " ", next != "/" else {
            return nil
        }
        let value = rest.dropFirst().trimmingBlanks
        return error(
            .init(line: number, column: text.count - body.count + key.count + 1),
            "the colon behind \(key) has no blank behind it, so that this is one text",
            "Write \(key): \(value.prefix(60)).")
    }

    private var indentation: SpecProblem? {
        guard let from, let text = line(place.line) else { return nil }
        let isItem = problem.contains("'-'") || text.trimmingBlanks.hasPrefix("- ") && !context.contains("mapping")
        let wanted = from.column - 1, own = text.indentation
        guard own != wanted else {
            return isItem
                ? error(
                    place, "this line stands among the items of the list from line \(from.line) on, and has no dash",
                    "Indent it by \(wanted + 2) to belong to the item above, or begin it with a dash.") : nil
        }
        return error(
            .init(line: place.line, column: own + 1),
            "this line is indented by \(own), and the \(isItem ? "list" : "keys") it may belong to, from line \(from.line) "
                + "on, by \(wanted)", "Indent it by \(wanted)\(isItem ? ", and begin it with a dash" : "").")
    }
}

extension Substring {
    fileprivate var trimmingBlanks: Substring {
        var text = drop { " \r".contains($0) }
        while let last = text.last, " \r".contains(last) { text.removeLast() }
        return text
    }

    /// How many blanks stand before the first character.
    fileprivate var indentation: Int { prefix { $0 == " " }.count }

    /// The indentation of the first key, also behind dashes.
    fileprivate var keyColumn: Int { prefix { " -".contains($0) }.count }
}
