import Foundation
import MigrationEngine

/// One property list, or dictionary in JSON, by itself, as a support mail or a copied preferences file brings it.
struct SinglePropertyList: DumpForm {
    let kind = Dump.Kind.propertyList
    let innerFolders: [String] = []
    /// The file's name.
    let file: String

    func matches(_ folder: DumpFolder) -> Bool { false }

    func contents(of root: DumpFolder) -> (containers: [Container], warnings: [DumpWarning]) {
        let name = file.hasSuffix(".plist") && file.utf8.count > 6 ? String(file.dropLast(6)) : file
        var facts = Facts()
        if file != name, ContainerMetadata.isReverseDomainName(name) {
            facts[.bundleIdentifier] = Fact(name, from: "the file name \(file)")
        }
        let container = Container(name, .app, in: root, at: "", facts: facts, layout: .singleFile(file))
        return ([container], [])
    }

    /// Whether bytes begin as a property list or a dictionary in JSON does; no name is asked.
    static func matches(_ head: Data) -> Bool {
        if head.starts(with: Data("bplist".utf8)) { return true }
        let marks: [[UInt8]] = [[0xEF, 0xBB, 0xBF], [0xFE, 0xFF], [0xFF, 0xFE]]
        let mark = marks.first { head.starts(with: $0) } ?? []
        // Of UTF-16, every other byte is the ASCII character.
        let text = head.dropFirst(mark.count).filter { $0 != 0 }.drop { [0x20, 0x09, 0x0A, 0x0D].contains($0) }
        return ["<?xml", "<!DOCTYPE plist", "<plist", "<!--", "{"].contains { text.starts(with: Data($0.utf8)) }
    }
}
