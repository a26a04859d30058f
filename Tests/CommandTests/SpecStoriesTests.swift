import Foundation
import Testing

/// The three stories of the article, as a person types them.
@Suite("The stories of specs")
struct SpecStoriesTests {
    /// Something of the article: a file, or a command with its answer.
    private enum Part {
        case file(String)
        case command(String, answer: [String])
    }

    private static func parts() throws -> [Part] {
        let path = Places.package + "/Sources/Specs/Specs.docc/Stories.md"
        let blocks = try String(contentsOfFile: path, encoding: .utf8).components(separatedBy: "```")
        var parts: [Part] = []
        for block in blocks.enumerated().filter({ $0.offset % 2 == 1 }).map(\.element) {
            if block.hasPrefix("yaml\n") {
                parts.append(.file(String(block.dropFirst("yaml\n".count))))
                continue
            }
            for command in block.components(separatedBy: "\n$ ").dropFirst() {
                var lines = command.components(separatedBy: "\n")
                while lines.last == "" { lines.removeLast() }
                parts.append(.command(lines[0], answer: Array(lines.dropFirst())))
            }
        }
        return parts
    }

    /// Whether an answer has these lines; a line that is an ellipsis stands for any number of them.
    private static func fits(_ answer: ArraySlice<String>, _ lines: ArraySlice<String>) -> Bool {
        guard let line = lines.first else { return answer.isEmpty }
        guard line == "…" else {
            return answer.first == line && fits(answer.dropFirst(), lines.dropFirst())
        }
        return (answer.startIndex...answer.endIndex).contains { fits(answer[$0...], lines.dropFirst()) }
    }

    @Test("Every command of the article answers as the article says")
    func answers() throws {
        let scratch = try Scratch(), own = ["notes.yaml", "junit.xml", "after", "draft.yaml"]
        var count = 0
        for part in try Self.parts() {
            switch part {
            case .file(let text): try scratch.write("notes.yaml", Data(text.utf8))
            case .command(let command, let answer):
                let arguments = command.split(separator: " ").dropFirst().map(String.init).map {
                    own.contains($0) ? scratch($0) : $0
                }
                let run = try Program.run(arguments, in: scratch)
                if arguments.starts(with: ["specs", "infer"]) { try scratch.write("draft.yaml", run.output) }
                var lines = (run.text + run.errors).replacingOccurrences(of: scratch(""), with: "")
                    .components(separatedBy: "\n")
                while lines.last == "" { lines.removeLast() }
                lines.append("# ends with \(run.code)")
                #expect(Self.fits(lines[...], answer[...]), "\(command)\n\(lines.joined(separator: "\n"))")
                count += 1
            }
        }
        #expect(count == 12)
        #expect(try String(contentsOfFile: scratch("junit.xml"), encoding: .utf8).contains(#"failures="0""#))
    }
}
