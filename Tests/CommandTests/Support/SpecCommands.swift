import Foundation
import Testing

/// Commands with the spec of the README, and others, on a dump of the app that it is for.
protocol SpecCommands {}

extension SpecCommands {
    /// The spec of the README and what it says that comes of it.
    static func example() throws -> (spec: String, plan: String) {
        let readme = try String(contentsOfFile: Places.package + "/README.md", encoding: .utf8)
        let section = try #require(readme.components(separatedBy: "## A migration of your own\n").last)
        let parts = section.components(separatedBy: "```")
        try #require(parts.count > 4)
        return (String(parts[1].dropFirst("yaml\n".count)), String(parts[3].dropFirst(1)))
    }

    static var dump: String { Places.fixture("notes-legacy.xcappdata") }
}
