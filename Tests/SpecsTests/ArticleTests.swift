import Foundation
import TestSupport
import Testing

@testable import Specs

@Suite("The reference of the language")
struct ArticleTests {
    static let article =
        (try? String(contentsOfFile: Places.package + "/Sources/Specs/Specs.docc/Specs.md", encoding: .utf8)) ?? ""

    @Test("has a row for every operation, made of the table", arguments: OperationTable.all.map(\.name))
    func operations(name: String) throws {
        let one = try #require(OperationTable[name])
        let errors = one.errors.isEmpty ? "-" : one.errors.map { "`\($0)`" }.joined(separator: ", ")
        let row = [
            "`\(name)`", one.arguments, one.takes.phrase, one.gives.phrase, one.inverse, errors,
            "`\(one.example.written)`",
        ]
        #expect(Self.article.contains("| " + row.joined(separator: " | ") + " |"))
    }

    @Test(
        "names every code of the linter with its severity and what it finds, made of the table",
        arguments: SpecProblem.Code.allCases)
    func codes(code: SpecProblem.Code) {
        #expect(Self.article.contains("| \(code.rawValue) | \(code.severity.rawValue) | \(code.about) |"))
    }

    @Test(
        "has a row for every key, made of the tables that the reader goes by", arguments: KeySection.written.map(\.name)
    )
    func keys(section: String) {
        for key in KeySection.written.first(where: { $0.name == section })?.keys ?? [] {
            let row = "| `\(key.name)` | \(key.values.markdown) | \(key.summary) |"
            let isThere = Self.article.contains(row)
            #expect(isThere, "\(row)")
        }
    }
}

extension KeyDefinition.Values {
    /// As the reference writes it, the default in bold.
    fileprivate var markdown: String {
        switch self {
        case .phrase(let phrase): phrase
        case .words(let words): words.enumerated().map { $0 == 0 ? "**`\($1)`**" : "`\($1)`" }.joined(separator: ", ")
        }
    }
}
