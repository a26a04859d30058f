import Foundation

/// `vestige.specs-lint/1`: what is wrong with spec files, or doubtful in them.
package struct SpecsLintReport: Report {
    package static let name = "specs-lint"

    /// A finding with its place.
    package struct Finding: Encodable, Sendable {
        let code, severity: String
        let line, column: Int
        let sentence, fix: String

        package init(code: String, severity: String, line: Int, column: Int, sentence: String, fix: String) {
            (self.code, self.severity, self.line, self.column) = (code, severity, line, column)
            (self.sentence, self.fix) = (sentence, fix)
        }
    }

    /// A file with its findings, in its order.
    struct File: Encodable {
        let file: String
        let findings: [Finding]
    }

    let files: [File]
    /// How many findings of each severity there are.
    let errors, warnings, notes: Int

    /// Whether a file could not be read at all.
    private let isUnread: Bool

    private enum CodingKeys: String, CodingKey { case files, errors, warnings, notes }

    package init(_ files: [(file: String, findings: [Finding])], isUnread: Bool = false) {
        self.isUnread = isUnread
        self.files = files.map { File(file: $0.file, findings: $0.findings) }
        let all = files.flatMap(\.findings)
        errors = all.count { $0.severity == "error" }
        warnings = all.count { $0.severity == "warning" }
        notes = all.count { $0.severity == "note" }
    }

    package var status: ExitStatus { isUnread ? .unreadable : errors > 0 ? .checkFailed : .done }

    package func write(to document: inout Document) {
        for file in files {
            for finding in file.findings {
                document.line(
                    "\(file.file):\(finding.line):\(finding.column): \(finding.severity): \(finding.sentence) [\(finding.code)] "
                        + finding.fix)
            }
        }
        let counts = [(errors, "error"), (warnings, "warning"), (notes, "note")].filter { $0.0 > 0 }
        let sum = counts.map { $0.0.counted($0.1) }.joined(separator: ", ")
        document.line(
            sum.isEmpty ? "\(files.count.counted("file")): nothing to say" : "\(files.count.counted("file")): \(sum)")
    }
}

/// `vestige.specs-help/1`: what the language has: its keys and words, each with the part of a spec that it is of, and its operations.
package struct SpecsHelpReport: Report {
    package static let name = "specs-help"

    /// A part of a spec with its keys.
    package struct Section: Sendable {
        let name, summary: String
        /// Whether it is listed, a line for each key, and not all of one key told.
        let isWhole: Bool
        let keys: [Key]

        package init(name: String, summary: String, isWhole: Bool, keys: [Key]) {
            (self.name, self.summary, self.isWhole, self.keys) = (name, summary, isWhole, keys)
        }
    }

    /// A key, or a word that may stand in its place.
    package struct Key: Encodable, Sendable {
        let name, of, values, summary, example: String

        package init(name: String, of part: String, values: String, summary: String, example: String) {
            (self.name, of, self.values) = (name, part, values)
            (self.summary, self.example) = (summary, example)
        }
    }

    /// An operation.
    package struct Operation: Encodable, Sendable {
        let name, summary, arguments, takes, gives, inverse: String
        let errors: [String]
        /// How it is written, and what it makes of what, as JSON text.
        let example: Example

        package init(
            name: String, summary: String, arguments: String, takes: String, gives: String, inverse: String,
            errors: [String],
            example: Example
        ) {
            (self.name, self.summary, self.arguments, self.takes) = (name, summary, arguments, takes)
            (self.gives, self.inverse, self.errors, self.example) = (gives, inverse, errors, example)
        }
    }

    /// An example of an operation.
    package struct Example: Encodable, Sendable {
        let written, before, after: String

        package init(written: String, before: String, after: String) {
            (self.written, self.before, self.after) = (written, before, after)
        }
    }

    let keys: [Key]
    let operations: [Operation]
    private let sections: [Section]

    private enum CodingKeys: String, CodingKey { case keys, operations }

    package init(_ sections: [Section], _ operations: [Operation]) {
        (self.sections, self.operations) = (sections, operations)
        keys = sections.flatMap(\.keys)
    }

    package var status: ExitStatus { .done }

    package func write(to document: inout Document) {
        for (number, section) in sections.enumerated() {
            if number > 0 { document.blank() }
            guard !section.isWhole, let key = section.keys.first else {
                document.heading(section.name)
                document.line(section.summary)
                for key in section.keys { document.row([(key.name, 12)], key.summary, indent: 2) }
                continue
            }
            document.heading("\(key.name) of \(section.name)")
            document.line(key.summary)
            for (label, text) in [("values", key.values), ("example", key.example)] {
                document.field(label, text, width: 13, indent: 2)
            }
        }
        if !sections.isEmpty, !operations.isEmpty { document.blank() }
        guard let only = operations.first, operations.count == 1 else {
            guard !operations.isEmpty else { return }
            document.heading("operations")
            document.line("What do may list; vestige specs help NAME says all of one, as of every word here.")
            for operation in operations { document.row([(operation.name, 12)], operation.summary, indent: 2) }
            return
        }
        document.heading(sections.isEmpty ? only.name : "\(only.name), an operation")
        document.line(only.summary)
        let fields = [
            ("arguments", only.arguments), ("takes", only.takes), ("gives", only.gives), ("undone from", only.inverse),
            ("errors", (only.errors.filter { $0 != "wrong-type" } + ["wrong-type"]).joined(separator: ", ")),
            ("example", only.example.written),
            ("makes of", only.example.before), ("this", only.example.after),
        ]
        for (label, text) in fields { document.field(label, text, width: 13, indent: 2) }
    }
}

/// `vestige.specs-test/1`: what was tried with spec files, and what came of it; as text in the form of TAP 14.
package struct SpecsTestReport: Report {
    package static let name = "specs-test"

    /// One thing that was tried.
    package struct Case: Encodable, Sendable {
        /// The file, and what was tried, in a sentence.
        let spec, name: String
        /// Why it is not so; null where it is.
        @OrNull package var failure: String?
        /// Why it was not tried; null where it was.
        @OrNull package var skipped: String?
        /// Whether it failed only for want of something that can be read.
        package var isUnread = false

        private enum CodingKeys: String, CodingKey { case spec, name, failure, skipped }

        package init(spec: String, name: String, failure: String? = nil, skipped: String? = nil) {
            (self.spec, self.name) = (spec, name)
            _failure = OrNull(wrappedValue: failure)
            _skipped = OrNull(wrappedValue: skipped)
        }
    }

    let cases: [Case]
    let failed: Int
    /// A check that failed before what could not be read.
    package let status: ExitStatus

    private enum CodingKeys: String, CodingKey { case cases, failed }

    package init(_ cases: [Case], _ showing: Showing) {
        self.cases = cases.map { one in
            Case(
                spec: one.spec, name: one.name, failure: one.failure.map(showing.sentence),
                skipped: one.skipped.map(showing.sentence))
        }
        let failures = cases.filter { $0.failure != nil }
        failed = failures.count
        status = failures.isEmpty ? .done : failures.allSatisfy(\.isUnread) ? .unreadable : .checkFailed
    }

    package func write(to document: inout Document) {
        document.line("TAP version 14")
        document.line("1..\(cases.count)")
        for (number, one) in cases.enumerated() {
            let skipped = one.skipped.map { " # SKIP \($0)" } ?? ""
            // A number sign would begin a directive, and a backslash takes away what the character behind it means.
            let name = "\(one.spec): \(one.name)".replacing("\\", with: "\\\\").replacing("#", with: "\\#")
            document.line("\(one.failure == nil ? "ok" : "not ok") \(number + 1) - \(name)\(skipped)")
            if let failure = one.failure { document.line("# \(failure)", indent: 2) }
        }
    }

    /// The cases in the XML that continuous integration reads.
    package var junit: String {
        func escaped(_ text: String) -> String {
            text.unicodeScalars.map { scalar in
                switch scalar {
                case "&": "&amp;"
                case "<": "&lt;"
                case ">": "&gt;"
                case "\"": "&quot;"
                case "\n", "\t": " "
                case _ where scalar.properties.generalCategory == .control || scalar.properties.isNoncharacterCodePoint:
                    "\u{FFFD}"
                default: String(scalar)
                }
            }.joined()
        }
        let skipped = cases.count { $0.skipped != nil }
        var lines = [
            #"<?xml version="1.0" encoding="UTF-8"?>"#,
            #"<testsuite name="vestige specs test" tests="\#(cases.count)" failures="\#(failed)" skipped="\#(skipped)">"#,
        ]
        for one in cases {
            let head = #"  <testcase classname="\#(escaped(one.spec))" name="\#(escaped(one.name))""#
            if let failure = one.failure {
                lines.append(head + #"><failure message="\#(escaped(failure))"/></testcase>"#)
            } else if let skipped = one.skipped {
                lines.append(head + #"><skipped message="\#(escaped(skipped))"/></testcase>"#)
            } else {
                lines.append(head + "/>")
            }
        }
        return (lines + ["</testsuite>", ""]).joined(separator: "\n")
    }
}
