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

    @Test("names every code of the linter with its severity", arguments: SpecProblem.Code.allCases)
    func codes(code: SpecProblem.Code) {
        #expect(Self.article.contains("| \(code.rawValue) | \(code.severity.rawValue) | "))
    }

    @Test("names every key of a file, of a step, and of a fact")
    func keys() {
        let keys = SpecReader.keys.filter { $0 != "vestige" } + SpecReader.common + SpecReader.kinds.flatMap(\.keys)
        for key in keys {
            let isNamed = ["`\(key)`", "`\(key):", "{\(key),", " \(key),", " \(key)}"].contains(
                where: Self.article.contains)
            #expect(isNamed, "\(key)")
        }
    }
}
