import Foundation
import Testing

/// Expects that the one code block of an article is the marked part of a source file, without its indentation, and that
/// it has 15 to 35 lines.
func expectArticle(_ name: String, showsExampleOf sourceFile: String) throws {
    let source = URL(fileURLWithPath: sourceFile)
    let lines = try String(contentsOf: source, encoding: .utf8).components(separatedBy: "\n")
    let begin = try #require(lines.firstIndex { $0.hasSuffix("// example:begin") })
    let end = try #require(lines.firstIndex { $0.hasSuffix("// example:end") })
    let indentation = lines[begin].prefix { $0 == " " }
    let example = lines[(begin + 1)..<end].map { line in
        line.hasPrefix(indentation) ? String(line.dropFirst(indentation.count)) : line
    }

    // Tests/MigrationsTests/Examples/… is four levels below the package.
    let package = (0..<4).reduce(source) { folder, _ in folder.deletingLastPathComponent() }
    let article = try String(
        contentsOf: package.appendingPathComponent("Sources/Migrations/Migrations.docc/\(name).md"),
        encoding: .utf8)
    let blocks = article.components(separatedBy: "```")
    #expect(blocks.count == 3, "an article has one code block")
    #expect(blocks.dropFirst().first == (["swift"] + example + [""]).joined(separator: "\n"))
    #expect((15...35).contains(example.count), "an example has 15 to 35 lines, and this one \(example.count)")
}
