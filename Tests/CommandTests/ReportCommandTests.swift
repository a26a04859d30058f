import Foundation
import Testing

@Suite("The report for a ticket")
struct ReportCommandTests {
    @Test("-m reports on one migration, in the profile named, also where it is not the first that applies")
    func oneMigration() throws {
        let scratch = try Scratch(), legacy = Places.fixture("notes-legacy.xcappdata")
        func report(_ options: String...) throws -> Program.Run {
            try Program.run(["report", legacy, "--facts", Places.fixture("facts.json")] + options, in: scratch)
        }
        let all = try report(), one = try report("-m", "rudderstack-v2:sdk-1.2"), other = try report("-m", "person")
        #expect(all.text.contains("rudderstack-v2:documented"), "\(all.text)")
        #expect(one.text.contains("rudderstack-v2:sdk-1.2") && !one.text.contains("documented"), "\(one.text)")
        #expect(!other.text.contains("rudderstack-v2:"), "\(other.text)")
        #expect(try report("-m", "nothing").code == 64)
        #expect(try report("-m", "rudderstack-v2:nothing").errors.contains("sdk-1.1"))
    }
}
