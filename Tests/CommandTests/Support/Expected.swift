import Foundation
import Testing

/// Outputs that are kept in files, for a person to read and review.
enum Expected {
    private static let isRecording = ProcessInfo.processInfo.environment["VESTIGE_RECORD"] == "1"

    /// Compares a text with the file that is kept; with `VESTIGE_RECORD=1` the file is written, and the test fails.
    static func expect(_ text: String, is name: String, sourceLocation: SourceLocation = #_sourceLocation) throws {
        let file = URL(fileURLWithPath: Places.package + "/Tests/CommandTests/Expected/" + name)
        if isRecording {
            try Data(text.utf8).write(to: file)
            Issue.record("\(name) was recorded", sourceLocation: sourceLocation)
            return
        }
        let kept = (try? Data(contentsOf: file)).map { String(decoding: $0, as: UTF8.self) }
        #expect(
            text == kept, "\(name) is not what is kept; VESTIGE_RECORD=1 writes it anew", sourceLocation: sourceLocation
        )
    }
}
