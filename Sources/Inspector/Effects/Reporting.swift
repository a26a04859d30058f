import Foundation
import Reports
import Workspace

/// A report on the app, as it was last made, in lines of a width.
struct WrittenReport: Sendable {
    private let document: Document
    private let words: AdviceWords
    private(set) var lines: [Document.Line] = []
    private var width = 0

    init(_ document: Document, _ words: AdviceWords) { (self.document, self.words) = (document, words) }

    /// Makes the lines for a width, where they are for another.
    mutating func write(width: Int, _ glyphs: Glyphs) {
        guard width != self.width else { return }
        (lines, self.width) = (document.lines(width: width, glyphs, words), width)
    }
}

/// Makes the report of the app, to be shown or written to a file.
struct Reporting: Effect {
    /// The file, by whose ending it is Markdown, HTML or text; empty where it is shown.
    let path: String
    let chosen: Choice?
    let request: ViewRequest
    var label: String { "writing the report" }

    /// - Parameter path: As a person types it, with `~` for the home folder.
    init(_ path: String, chosen: Choice?, request: ViewRequest) {
        (self.path, self.chosen, self.request) = (path.atHome, chosen, request)
    }

    func perform(
        on inspection: Inspection, _ control: EffectControl
    ) throws(WorkspaceError) -> (report: WrittenReport, problem: String?) {
        let workspace = try inspection.workspace(of: request.container)
        let words = inspection.options.reportWords
        let document = try workspace.report(inspection.reporting(chosen), control)
        let report = WrittenReport(document, words)
        try control.goOn()
        guard !path.isEmpty else { return (report, nil) }
        if workspace.protects(path) { return (report, "it is in the dump, which is never changed") }
        let text =
            switch path.split(separator: ".").last?.lowercased() {
            case "md", "markdown": document.markdown(words)
            case "html", "htm": document.html(title: "vestige report", words)
            default: document.text(.unicode, words)
            }
        return (report, ReportFile.write(text, to: path))
    }

    func finish(_ answer: (report: WrittenReport, problem: String?), in model: inout Model) -> [any Effect] {
        if let problem = answer.problem {
            model.message = Message(kind: .refused, text: "\(path): \(problem); name another file", quotesDump: false)
        } else if path.isEmpty {
            model.reports[.report] = answer.report
            model.show(.report)
            model.message = .done(":report FILE writes it: .md, .html, or else text; its secrets are masked")
        } else {
            model.message = Message(
                kind: .done, text: "the report is written to \(path); its secrets are masked", quotesDump: false)
        }
        return []
    }
}

/// Checks what was applied, and shows what came of it.
struct Verifying: Effect {
    let request: ViewRequest
    var label: String { "verifying" }

    func perform(on inspection: Inspection, _ control: EffectControl) throws(WorkspaceError) -> Document {
        try inspection.workspace(of: request.container).verify(inspection.migrations, control)
    }

    func finish(_ document: Document, in model: inout Model) -> [any Effect] {
        model.reports[.verification] = WrittenReport(document, .keys(model.settings))
        model.show(.verification)
        return []
    }
}

extension Inspection {
    /// What a report is made of: of the migration that was chosen, else of all that apply.
    func reporting(_ chosen: Choice?) -> ReportRequest {
        let migration = chosen.flatMap { choice in migrations.first { $0.id == choice.migration } }
        let profile = migration.flatMap { migration in migration.profiles.first { $0.id == chosen?.profile } }
        return ReportRequest(
            migrations: migrations,
            chosen: migration.flatMap { migration in profile.map { (migration: migration, profile: $0) } },
            toolVersion: "vestige \(options.stamp().toolVersion)", words: options.reportWords)
    }
}

extension String {
    /// A path with the home folder in place of `~`, as a shell writes it, which is not asked here.
    var atHome: String {
        let home = ProcessInfo.processInfo.environment["HOME"] ?? ""
        return !home.isEmpty && (self == "~" || hasPrefix("~/")) ? home + dropFirst() : self
    }
}
