import Testing

@testable import Specs

@Suite("The example specs")
struct ExampleTests {
    @Test("Every example reads without a problem", arguments: Specs.examples)
    func reads(name: String) throws {
        do {
            let spec = try Specs.example(name)
            #expect(!spec.profiles.flatMap(\.steps).isEmpty)
        } catch let problems as SpecProblems {
            Issue.record("\(name): \(problems.all.map(\.description).joined(separator: "\n"))")
        }
    }

    @Test("There are thirteen of them, eight of which are the package's")
    func count() {
        #expect(Specs.examples.count == 13)
        #expect(SpecCatalog.files.count == 8)
    }

    @Test("What an example expects is what comes of it", arguments: Specs.examples)
    func expectations(name: String) throws {
        let spec = try Specs.example(name)
        for expectation in spec.expectations {
            #expect(SpecTrial(expectation, of: spec).failures.map(\.sentence) == [], "\(expectation.name)")
        }
    }
}
