import Files
import Foundation
import SystemPackage

/// A file that a report is written to.
package enum ReportFile {
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
            return error == .fileExists ? "there is something already" : error.words
        }
    }

    /// The report beside an export: where it is, or why there is none.
    package struct Beside: Sendable {
        /// Where it was to be written.
        package let path: String
        /// Why it was not.
        package let problem: String?

        /// Writes it.
        ///
        /// The export stands, whatever becomes of it; and what is there stays, also where the export has replaced another: nothing
        /// says whose file that is.
        package init(_ target: String, _ document: Document, _ words: AdviceWords) {
            path = Self.path(beside: target)
            problem = ReportFile.write(document.markdown(words), to: path)
        }

        /// That none was made.
        package init(_ target: String, problem: String) {
            (path, self.problem) = (Self.path(beside: target), problem)
        }

        private static func path(beside target: String) -> String { target + "-report.md" }

        /// Where it is, or why there is none, without a full stop.
        package var words: String {
            problem.map { "no report is beside it: \(path): \($0)" } ?? "its report is \(path)"
        }
    }
}
