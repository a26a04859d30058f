import Testing

@testable import Inspector
@testable import Workspace

@Suite("Exporting")
struct ExportingTests {
    @Test("files that are found to have changed while exporting are asked about, with their names")
    func driftElsewhere() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.performs = false
        inspected.command("export out")
        inspected.performs = true
        let drift = [Drift("other.plist", .missing)]
        inspected.fail(.drift(drift))
        #expect(inspected.message?.contains("other.plist is missing. y exports all the same") == true)
        inspected.press("y")
        #expect((inspected.asked.first as? Exporting)?.accepted == drift)
        #expect(inspected.message?.hasPrefix("exported to out") == true)
    }

    @Test("export without a folder says what is missing, also after Enter")
    func exportWithoutFolder() throws {
        var inspected = try Inspected(RudderStack.stores())
        for keys in ["e", "<Enter>"] {
            inspected.press(keys)
            #expect(inspected.model.prompt?.text == "export " && inspected.screen.contains("name the folder to write"))
        }
    }

    @Test("--unpacked stands on either side of the folder, and no other option is taken for one")
    func options() throws {
        for typed in ["export --unpacked out here", "export out here --unpacked"] {
            var inspected = try Inspected(RudderStack.stores())
            inspected.command(typed)
            let exporting = try #require(inspected.asked.first as? Exporting)
            #expect(exporting.path == "out here" && exporting.order.isUnpacked, "\(typed)")
        }
        for typed in ["export --unpacked", "export --unpackd out", "export! --replace out", "report --html"] {
            var inspected = try Inspected(RudderStack.stores())
            inspected.command(typed)
            #expect(inspected.asked.isEmpty && inspected.message?.contains(" takes a ") == true, "\(typed)")
        }
    }

    @Test("export asks for a folder, and takes the one named")
    func export() throws {
        var inspected = try Inspected(RudderStack.stores())
        inspected.press("e")
        #expect(inspected.model.prompt?.text == "export ")
        inspected.type("out here")
        inspected.press("<Enter>")
        let exporting = try #require(inspected.asked.first as? Exporting)
        #expect(exporting.path == "out here" && !exporting.isReplacing)
        #expect(inspected.message == "exported to out here, read back and compared")
        inspected.command("export! out")
        #expect((inspected.asked.first as? Exporting)?.isReplacing == true)
    }
}
