import Foundation
import MigrationEngine
import StoreFormats

/// One property list, or JSON, by itself, as a support mail or a copied preferences file brings it.
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
            facts[.bundleIdentifier] = Fact(name, from: .metadata("the file name \(file)"))
        }
        let container = Container(name, .app, in: root, at: "", facts: facts, layout: .singleFile(file))
        return ([container], [])
    }

    /// Whether bytes begin as a property list or as JSON does, of a version that is read or not; no name is asked.
    static func matches(_ head: Data) -> Bool {
        if head.starts(with: Data("bplist".utf8)) { return true }
        guard case .readable? = StoreFormat.sniff(head) else { return false }
        return true
    }
}
