import Foundation
import StoreFormats
import TestSupport
import Testing

@testable import Specs

@Suite("Drafts that are proven as a whole")
struct InferenceProofTests: ProvenDrafts {
    private static func position(of text: String, in draft: SpecInference) -> String.Index? {
        draft.text.range(of: text)?.lowerBound
    }

    @Test("What is read is read before another step overwrites it, whatever the order of the keys")
    func order() throws {
        let old: AppKeys = ["p": .string("alpha one"), "q": .string("beta two")]
        let new: AppKeys = ["q": .string("alpha one"), "r": .string("beta two")]
        let draft = try Self.infer(old, new)
        let first = try #require(Self.position(of: "to: app/r", in: draft), "\(draft.text)")
        let second = try #require(Self.position(of: "to: app/q", in: draft), "\(draft.text)")
        #expect(first < second, "\(draft.text)")
        #expect(draft.explained == 2 && draft.text.contains("the steps turn all 3 entries"), "\(draft.text)")
        #expect(try Self.outcome(draft, old, new) == (3, 0), "\(draft.text)")
        #expect(Spec.lint(Data(draft.text.utf8)).allSatisfy { $0.code != .removedEarly }, "\(draft.text)")
    }

    @Test("A longer row of names that each move on by one is put into its order too")
    func chain() throws {
        let names = (0..<80).map { "name\($0)x" }
        var old: AppKeys = [:], new: AppKeys = [:]
        for (number, name) in names.enumerated() {
            old[name] = .string("the text number \(number)")
            new[number + 1 < names.count ? names[number + 1] : "last"] = old[name]
        }
        let draft = try Self.infer(old, new)
        #expect(try Self.outcome(draft, old, new) == (81, 0), "\(draft.text)")
        #expect(draft.explained == 80 && draft.unexplained == 0, "\(draft.text)")
    }

    @Test(
        "Keys that take one another's values are told as that and are not claimed, as no order of steps does it",
        arguments: [["a", "b"], ["p", "q", "r"]])
    func cycles(names: [String]) throws {
        var old: AppKeys = ["other": .string("another text")], new: AppKeys = ["renamed": .string("another text")]
        for (number, name) in names.enumerated() {
            old[name] = .string("the text number \(number)")
            new[names[(number + 1) % names.count]] = old[name]
        }
        let draft = try Self.infer(old, new)
        #expect(draft.explained == 1 && draft.unexplained == names.count, "\(draft.text)")
        #expect(draft.text.contains("take one another's values, which no order of steps does"), "\(draft.text)")
        #expect(!draft.text.contains("to: app/\(names[0])"), "\(draft.text)")
        #expect(draft.text.contains("the steps turn 2 of the \(names.count + 2) entries"), "\(draft.text)")
    }

    @Test("Groups come in the order that is asked for, and each cycle is one group")
    func groups() {
        #expect(InferenceOrder.groups([[], [], []]) == [[0], [1], [2]])
        #expect(InferenceOrder.groups([[1], [2], []]) == [[2], [1], [0]])
        #expect(InferenceOrder.groups([[1], [0], [1]]) == [[0, 1], [2]])
        #expect(InferenceOrder.groups([[2], [0], [1], []]) == [[0, 1, 2], [3]])
        let many = (0..<20_000).map { $0 + 1 < 20_000 ? [$0 + 1] : [] }
        #expect(InferenceOrder.groups(many).first == [19_999], "however deep they lie")
    }

    /// Random renames among few names: whatever is claimed comes out.
    @Test("What a draft of random renames claims comes out as it is in the new stores", arguments: 0..<60)
    func law(seed: Int) throws {
        var random = SeededGenerator(seed: UInt64(seed))
        let names = ["a", "b", "c", "d", "e", "f", "g"]
        var old: AppKeys = [:], new: AppKeys = [:]
        for name in names where Int.random(in: 0..<3, using: &random) > 0 { old[name] = .string("value of \(name)") }
        for name in names where Bool.random(using: &random) {
            if let value = old.sorted(by: { $0.key < $1.key }).randomElement(using: &random)?.value {
                new[name] = value
            }
        }
        let draft = try Self.infer(old, new)
        let comparison = try InferenceTests.outcome(
            draft.text, old.map { (InferenceTests.app + $0.key, $0.value) },
            new.map { (InferenceTests.app + $0.key, $0.value) })
        let planned = comparison.entries.filter { $0.planned != nil }
        #expect(planned.allSatisfy { $0.verdict == .asPlanned }, "seed \(seed)\n\(draft.text)")
        #expect(planned.count >= draft.explained, "seed \(seed)\n\(draft.text)")
    }

    @Test("What may have become more than the steps make is not taken away")
    func doubted() throws {
        let draft = try Self.infer(
            ["email": .string("ada@acme.com")], ["user": .string("ada"), "domain": .string("acme.com")])
        if draft.doubtful > 0 || draft.unexplained > 0 {
            #expect(!draft.text.contains("source: remove"), "\(draft.text)")
        }
    }

    @Test(
        "Rows that move alike are steps of their own where another row's target fits the star that would stand for them",
        arguments: ["p.", "p.q."])
    func fittingTarget(prefix: String) throws {
        var old: AppKeys = ["other": .integer(1_700_000_000_123)], new: AppKeys = ["\(prefix)other": "1700000000123"]
        for name in ["a", "b", "c"] {
            (old["k.\(name)"], new["p.\(name)"]) = (.string("the text \(name)"), .string("the text \(name)"))
        }
        let draft = try Self.infer(old, new)
        #expect(draft.explained == 4 && draft.unexplained == 0, "\(draft.text)")
        #expect(try Self.outcome(draft, old, new) == (8, 0), "\(draft.text)")
    }

    @Test("What a row with a star would take of what another step writes, the rows that it stands for leave")
    func fittingSource() throws {
        var old: AppKeys = ["number": "1700000"], new: AppKeys = ["k.number": 1_700_000]
        for name in ["a", "b", "c"] {
            (old["k.\(name)"], new["p.\(name)"]) = (.string("the text \(name)"), .string("the text \(name)"))
        }
        let draft = try Self.infer(old, new)
        #expect(draft.explained == 4 && draft.unexplained == 0, "\(draft.text)")
        #expect(try Self.outcome(draft, old, new) == (8, 0), "\(draft.text)")
    }
}
