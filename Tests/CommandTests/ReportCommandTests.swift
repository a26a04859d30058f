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

    @Test("What a step fails on and another one takes away is said to be so, and stands in one row")
    func takenAway() throws {
        let scratch = try Scratch(), dump = try scratch.copy("notes-traits-json.xcappdata")
        let options = [
            "-m", "rudderstack-v2:sdk-1.1", "--workspace", scratch("ledger"), "--fact", "uptime=5000",
            "--fact", "identifierForVendor=9B574574-74A7-4EDF-969D-164CB151B6C3",
        ]
        for verb in ["takes", "has taken"] {
            let text = try Program.run(["report", dump] + options, in: scratch).text
            #expect(text.contains("The step remove-legacy \(verb) away what Traits fails on"), "\(text)")
            #expect(!text.contains("stays in the dump as it is"), "\(text)")
            let rows = text.split(separator: "\n").filter { $0.contains(/rs_traits +JSON/) }
            #expect(rows.count == 1 && rows.allSatisfy { $0.contains("failed, dropped") }, "\(rows)")
            _ = try Program.run(["apply", dump, "--all", "--assume"] + options, in: scratch)
        }
    }
}
