import Files
import Foundation
import SystemPackage

/// A file that a report is written to.
package enum ReportFile {
    private static let isThere = "a file or a folder of that name is there already, and it is not replaced"

    /// What a report is written as, by the ending of its file's name.
    package enum Form: Sendable {
        case markdown, html, text

        /// Which can be had, in a sentence.
        package static let all =
            "a report is written as Markdown (.md), HTML (.html) or text (.txt), and not in the format that this name asks for"

        /// `nil` where the ending asks for another form; without one, or with a number or a date, it is text.
        package init?(of path: String) {
            let parts = (path.split(separator: "/").last ?? "").split(separator: ".")
            let ending = parts.count > 1 ? parts[parts.count - 1].lowercased() : ""
            switch ending {
            case "md", "markdown": self = .markdown
            case "html", "htm": self = .html
            case "", "txt", "text": self = .text
            default:
                guard ending.first?.isNumber == true else { return nil }
                self = .text
            }
        }
    }

    /// Writes it where there is nothing; why not, where that cannot be done.
    package static func write(_ text: String, to path: String) -> String? {
        do throws(Errno) {
            let file = try OpenFile.create(path, mode: 0o600)
            do throws(Errno) {
                try file.write(Data(text.utf8))
                return nil
            } catch {
                try? OpenFile.remove(path)
                throw error
            }
        } catch {
            return error == .fileExists ? isThere : error.words
        }
    }

    /// The report beside an export: where it is, or why there is none.
    package struct Beside: Sendable {
        /// Where it was to be written.
        package let path: String
        /// Why it was not.
        package let problem: String?

        /// What was there already, of an earlier export or of anybody.
        private let earlier: String?

        /// Writes it.
        ///
        /// The export stands, whatever becomes of it; and what is there stays, also where the export has replaced another, as
        /// nothing says whose file that is: the report then has a number in its name.
        package init(_ target: String, _ document: Document, _ words: AdviceWords) {
            let text = document.markdown(words), first = Self.path(beside: target, 1)
            var path = first, problem = ReportFile.write(text, to: path), number = 1
            while problem == ReportFile.isThere, number < 100 {
                number += 1
                path = Self.path(beside: target, number)
                problem = ReportFile.write(text, to: path)
            }
            (self.path, self.problem, earlier) = (path, problem, number > 1 ? first : nil)
        }

        /// That none was made.
        package init(_ target: String, problem: String) {
            (path, self.problem, earlier) = (Self.path(beside: target, 1), problem, nil)
        }

        private static func path(beside target: String, _ number: Int) -> String {
            target + "-report" + (number > 1 ? "-\(number)" : "") + ".md"
        }

        /// Where it is, or why there is none, without a full stop.
        package var words: String {
            if let problem { return "no report is beside it: \(path): \(problem)" }
            return "its report is \(path)" + (earlier.map { "; \($0) was there before, and is none of it" } ?? "")
        }
    }
}
