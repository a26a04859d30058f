import ArgumentParser
import Files
import Foundation
import Reports
import SystemPackage

/// How a subcommand answers: as text for people, in its stable form for programs, or as a page to send on.
struct OutputOptions: ParsableArguments {
    /// The forms of an answer.
    enum Form: String, EnumerableFlag {
        case json, markdown, html, ascii

        static func help(for form: Form) -> ArgumentHelp? {
            switch form {
            case .json: "Answer in the stable JSON form."
            case .markdown: "Answer as Markdown."
            case .html: "Answer as a page of HTML."
            case .ascii: "Answer as text in printable ASCII, without signs."
            }
        }
    }

    @Flag
    var forms: [Form] = []

    var form: Form? { forms.first }

    func validate() throws {
        guard Set(forms).count < 2 else {
            throw ValidationError("Ask for one of --json, --markdown, --html and --ascii.")
        }
    }

    /// Gives an answer; the program ends with its status.
    ///
    /// - Parameter done: What has been done already, also where the answer cannot be written.
    func answer(_ report: some Report, done: String? = nil) throws {
        do {
            try print(report)
        } catch let error as OutputError {
            throw OutputError(number: error.number, done: done)
        }
        guard report.status == .done else { throw ExitCode(report.status.rawValue) }
    }

    /// Prints an answer in the form that was asked for; the others are not made.
    func print(_ report: some Report) throws {
        switch form {
        case .json: try report.writeJSON { try StandardStreams.write($0) }
        case .markdown: try StandardStreams.write(Array(report.document.markdown(.options).utf8)[...])
        case .html:
            let page = report.document.html(title: "vestige \(type(of: report).name)", .options)
            try StandardStreams.write(Array(page.utf8)[...])
        case .ascii: try StandardStreams.write(Array(report.document.text(.ascii, .options).utf8)[...])
        case nil: try StandardStreams.write(Array(report.document.text(.unicode, .options).utf8)[...])
        }
    }
}

/// The one place that writes to standard output and standard error.
enum StandardStreams {
    /// Opens what stands in for streams that are closed: another file would get their numbers, and what is printed.
    ///
    /// A file that would become larger than the shell allows is an error like a full disk, and no end without a word.
    static func open() {
        signal(SIGXFSZ, SIG_IGN)
        for descriptor in [STDIN_FILENO, STDOUT_FILENO, STDERR_FILENO] where fcntl(descriptor, F_GETFD) < 0 {
            // A stream that is closed is told by an error: what it is for is what this one does not allow.
            _ = Foundation.open("/dev/null", descriptor == STDIN_FILENO ? O_WRONLY : O_RDONLY)
        }
    }

    /// Writes all of an answer.
    static func write(_ bytes: ArraySlice<UInt8>) throws(OutputError) {
        do throws(Errno) {
            try OpenFile.write(bytes, to: .standardOutput)
        } catch {
            throw OutputError(number: error.rawValue)
        }
    }

    /// Writes a message; where that cannot be done there is nobody to tell.
    static func writeError(_ text: String) { try? OpenFile.write(Array(text.utf8), to: .standardError) }
}

/// Why an answer could not be written.
struct OutputError: Error {
    let number: Int32
    /// What has been done all the same.
    var done: String?
}
