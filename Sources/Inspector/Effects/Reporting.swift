import Foundation
import Reports
import StoreFormats
import Workspace

/// A report on the app, as it was last made, in lines of a width.
struct WrittenReport: Sendable {
    /// What it was made of: a view of an app, and whether secrets are shown.
    struct Purpose: Hashable, Sendable {
        fileprivate let container: String
        fileprivate let revision: Int
        fileprivate let isRevealing: Bool
    }

    /// The comparison that it says, where it was asked for on the page of one.
    fileprivate let compared: CompareReport?

    /// What it was made of, or last tried to be.
    fileprivate(set) var purpose: Purpose
    private let document: Document
    private let words: AdviceWords
    private(set) var lines: [Document.Line] = []
    private var width = 0

    init(_ document: Document, _ words: AdviceWords, of purpose: Purpose, compared: CompareReport? = nil) {
        (self.document, self.words, self.purpose, self.compared) = (document, words, purpose, compared)
    }

    /// Makes the lines for a width, where they are for another.
    mutating func write(width: Int, _ glyphs: Glyphs) {
        guard width != self.width else { return }
        (lines, self.width) = (document.lines(width: width, glyphs, words), width)
    }
}

/// Makes the report of the app, or of the comparison in view, to be shown or written to a file.
struct Reporting: Effect {
    /// The file, by whose ending it is Markdown, HTML or text; empty where it is shown.
    let path: String
    let chosen: Choice?
    let compared: CompareReport?
    let purpose: WrittenReport.Purpose
    /// Whether the page is there, and only follows what is in view.
    let isAnew: Bool
    var label: String { "writing the report" }

    fileprivate init(
        _ path: String, chosen: Choice?, compared: CompareReport?, of purpose: WrittenReport.Purpose, isAnew: Bool
    ) {
        (self.path, self.chosen, self.compared) = (path, chosen, compared)
        (self.purpose, self.isAnew) = (purpose, isAnew)
    }

    func perform(
        on inspection: Inspection, _ control: EffectControl
    ) throws(WorkspaceError) -> (report: WrittenReport, problem: String?) {
        let workspace = try inspection.workspace(of: purpose.container)
        let words = inspection.options.reportWords
        var request = inspection.reporting(chosen)
        // A file is for others.
        request.isRevealing = path.isEmpty && purpose.isRevealing
        let time = inspection.options.stamp().date
        let document =
            if let compared {
                compared.document(
                    madeWith: request.toolVersion,
                    at: Timestamp(secondsSinceReference: time.timeIntervalSinceReferenceDate))
            } else {
                try workspace.report(request, control)
            }
        let report = WrittenReport(document, words, of: purpose, compared: compared)
        try control.goOn()
        guard !path.isEmpty else { return (report, nil) }
        if inspection.protects(path) { return (report, "it is in a dump, which is never changed") }
        let text =
            switch ReportFile.Form(of: path) {
            case .markdown: document.markdown(words)
            case .html: document.html(title: "vestige \(compared == nil ? "report" : "compare")", words)
            case .text, nil: document.text(.unicode, words)
            }
        return (report, ReportFile.write(text, to: path))
    }

    func finish(_ answer: (report: WrittenReport, problem: String?), in model: inout Model) -> [any Effect] {
        if let problem = answer.problem {
            model.message = Message(kind: .refused, text: "\(path): \(problem); name another file", quotesDump: false)
        } else if path.isEmpty {
            model.reports[.report] = answer.report
            guard !isAnew else { return [] }
            model.show(.report)
            model.message = .done(
                compared != nil && purpose.isRevealing
                    ? "\(model.key(.reveal)) masks the secrets of the comparison, and then :report FILE writes it"
                    : ":report FILE writes it as Markdown (.md), HTML (.html) or text, and masks its secrets")
        } else {
            model.message = Message(
                kind: .done, text: "the report is written to \(path); its secrets are masked", quotesDump: false)
        }
        return []
    }

    func fail(_ error: WorkspaceError, in model: inout Model) -> [any Effect] { model.failReport(error, isAnew) }
}

/// Checks what was applied, and shows what came of it.
struct Verifying: Effect {
    let purpose: WrittenReport.Purpose
    /// Whether the page is there, and only follows what is in view.
    let isAnew: Bool
    var label: String { "verifying" }

    func perform(on inspection: Inspection, _ control: EffectControl) throws(WorkspaceError) -> Document {
        try inspection.workspace(of: purpose.container)
            .verify(inspection.migrations, isRevealing: purpose.isRevealing, control)
    }

    func finish(_ document: Document, in model: inout Model) -> [any Effect] {
        model.reports[.verification] = WrittenReport(document, .keys(model.settings), of: purpose)
        if !isAnew { model.show(.verification) }
        return []
    }

    func fail(_ error: WorkspaceError, in model: inout Model) -> [any Effect] { model.failReport(error, isAnew) }
}

extension Model {
    /// Makes the report of the app in view, or of the comparison on the page, to be shown or written to a file; nothing where no
    /// app is open.
    ///
    /// - Parameter typed: The file, as a person types it; empty to show it.
    mutating func report(to typed: String = "") -> [any Effect] {
        let path = typed.asPath
        if path.hasPrefix("--") {
            message = .refused("report takes a file, whose name's end says the form: \(ReportFile.Form.all)")
            return []
        }
        if !path.isEmpty, ReportFile.Form(of: path) == nil {
            message = Message(kind: .refused, text: "\(path): \(ReportFile.Form.all)", quotesDump: false)
            return []
        }
        let compared = isComparing ? comparison?.report : reportedComparison
        let showsSecrets = isComparing ? comparison?.purpose?.isRevealing : reports[.report]?.purpose.isRevealing
        if isComparing, compared == nil || showsSecrets != masking.isRevealing {
            message = .refused("nothing is compared yet")
            return []
        }
        if !path.isEmpty, compared != nil, showsSecrets != false {
            message = .refused("the comparison shows secrets; \(key(.reveal)) masks them, and then it can be written")
            return []
        }
        return reporting(compared, to: path)
    }

    /// Makes the report of the app in view, or of a comparison of it; nothing where none is open.
    func reporting(_ compared: CompareReport? = nil, to path: String = "", isAnew: Bool = false) -> [any Effect] {
        reportPurpose.map {
            [Reporting(path, chosen: reportChoice, compared: compared, of: $0, isAnew: isAnew)]
        } ?? []
    }

    /// The comparison that the page says as a report.
    private var reportedComparison: CompareReport? { page?.subject == .report ? reports[.report]?.compared : nil }

    /// Checks what was applied to the app in view; nothing where none is open.
    func verify(isAnew: Bool = false) -> [any Effect] {
        reportPurpose.map { [Verifying(purpose: $0, isAnew: isAnew)] } ?? []
    }

    /// Makes the report on the page anew, where it is of something else than what is in view now.
    mutating func reportAnew() -> [any Effect] {
        guard !isLeaving, busy == nil, let page, let made = reports[page.subject]?.purpose,
            opened?.isPlanned == true, let purpose = reportPurpose, made != purpose
        else { return [] }
        // What is beside it is compared anew where one comes back to.
        if reportedComparison != nil {
            closePage()
            return compareAnew()
        }
        // What is stopped, or fails, is not tried again for the same.
        reports[page.subject]?.purpose = purpose
        return page.subject == .report ? reporting(isAnew: true) : verify(isAnew: true)
    }

    private var reportPurpose: WrittenReport.Purpose? {
        opened.map {
            WrittenReport.Purpose(
                container: $0.snapshot.path, revision: $0.revision, isRevealing: masking.isRevealing)
        }
    }

    /// Says why there is no report; one that only follows what is in view has nothing planned anew.
    fileprivate mutating func failReport(_ error: WorkspaceError, _ isAnew: Bool) -> [any Effect] {
        let old = "the page is as it was; \(key(.reload)) makes it anew"
        message = refused(error, stopped: isAnew ? "stopped; \(old)" : "stopped")
        return isAnew ? [] : opened.map { [Planning($0.request)] } ?? []
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
            leftOut: unusable, toolVersion: "vestige \(options.stamp().toolVersion)", words: options.reportWords)
    }
}

extension String {
    /// A path as a person types it: in quotation marks or not, with `~` for the home folder.
    var asPath: String { unquoted.atHome }

    /// A path with the home folder in place of `~`, as a shell writes it, which is not asked here.
    private var atHome: String {
        let home = ProcessInfo.processInfo.environment["HOME"] ?? ""
        return !home.isEmpty && (self == "~" || hasPrefix("~/")) ? home + dropFirst() : self
    }
}
