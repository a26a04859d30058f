import Foundation
import MigrationEngine
import Specs
import StoreFormats
import Testing

@testable import Inspector

@Suite("A masked value in a row")
struct MaskedRowTests {
    private func inspected(_ old: String, _ new: String, _ size: Size) throws -> Inspected {
        let text = """
            vestige: migration/1
            id: t
            stores: {app: defaults://com.acme.notes}
            steps:
            - {id: move, from: app/authToken, to: app/sessionToken}

            """
        let stores = MemoryStores([
            (.defaults("com.acme.notes"), ["authToken": .string(old), "sessionToken": .string(new)])
        ])
        return try Inspected(
            stores, migrations: [SpecMigration(try Spec(Data(text.utf8)))], size: size)
    }

    @Test("says that it is another one where the one beside it looks alike and differs", arguments: [80, 120, 200])
    func another(width: Int) throws {
        let rows = try inspected("hunter2horse", "grey5elephnt", Size(width: width, height: 30)).model.render().rows
        let row = rows[3] + rows[4]
        #expect(row.contains("authToken  ‹masked string, 12 characters›"), "\(rows)")
        #expect(row.contains("sessionToken  ‹another masked string, 12 characters›"), "\(rows)")
        let same = try inspected("hunter2horse", "hunter2horse", Size(width: width, height: 30))
        #expect(!same.screen.contains("another"), "\(same.screen)")
    }

    @Test("says less of the secret where there is no room for all, and never half a word", arguments: 44...80)
    func short(width: Int) throws {
        let rows = try inspected("hunter2horse", "grey5elephnt", Size(width: width, height: 30)).model.render().rows
        let forms = ["‹masked›", "‹masked string›", "‹masked string, 12 characters›"]
        let others = ["‹another›", "‹another masked string›", "‹another masked string, 12 characters›"]
        for (row, forms) in [(rows[3], forms), (rows[4], others)] {
            let mask = row.drop { $0 != "‹" }.trimmingCharacters(in: .whitespaces)
            #expect(forms.contains(mask), "\(row)")
        }
    }
}
