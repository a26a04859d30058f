import Foundation
import MigrationEngine
import StoreFormats

extension Dump.Kind {
    /// A single property list.
    package static let propertyList = Dump.Kind(rawValue: "property-list")
}

/// One property list, or JSON, by itself, as a support mail or a copied preferences file brings it.
struct SinglePropertyList: DumpForm {
    let words: String? = "a single property list file"
    let innerFolders: [DumpPath] = []

    func recognise(_ source: DumpSource) throws(DumpError) -> Recognised? {
        guard let file = source.loneFile, Self.matches(try source.head(of: file)) else { return nil }
        return .open(.propertyList) { (source, _) throws(DumpError) in Self.contents(of: source) }
    }

    private static func contents(of source: DumpSource) -> DumpContents {
        guard let file = source.loneFile else { return DumpContents(containers: []) }
        let name = Self.domain(ofFileNamed: file.name)
        var facts = Facts(), warnings: [DumpWarning] = []
        if let given = source.bundleIdentifier {
            facts[.bundleIdentifier] = Fact(given, from: .given("--fact"))
        } else if file.name != name, PreferenceLists.isReverseDomainName(name) {
            facts[.bundleIdentifier] = Fact(name, from: .metadata("the file name \(file.name)"))
        } else {
            warnings = [DumpWarning(file, .unknownDomain)]
        }
        let identifier = source.bundleIdentifier ?? name
        // Of a suite that apps share there is no app.
        let kind = identifier.hasPrefix("group.") ? Container.Kind.group : .app
        let container = Container(
            identifier, kind, at: .root, of: source.files, facts: facts, warnings: warnings,
            places: ContainerPlaces(domain: identifier, in: file))
        return DumpContents(containers: [container])
    }

    /// The domain that a file is called after, also where a browser or the Finder has numbered a second copy of it.
    private static func domain(ofFileNamed name: String) -> String {
        guard name.hasSuffix(".plist"), name.utf8.count > 6 else { return name }
        let stem = String(name.dropLast(6))
        guard let number = stem.range(of: #" \(?[0-9]{1,3}\)?$"#, options: .regularExpression) else { return stem }
        let domain = String(stem[..<number.lowerBound])
        return PreferenceLists.isReverseDomainName(domain) ? domain : stem
    }

    /// Whether a file is a property list, and no JSON.
    static func isPropertyList(_ source: DumpSource) -> Bool {
        guard let file = source.loneFile, let head = try? source.head(of: file) else { return false }
        return matches(head) && StoreFormat.sniff(head) != .readable(.json)
    }

    /// Whether bytes begin as a property list or as JSON does, of a version that is read or not; no name is asked.
    private static func matches(_ head: Data) -> Bool {
        if head.starts(with: Data("bplist".utf8)) { return true }
        guard case .readable? = StoreFormat.sniff(head) else { return false }
        return true
    }
}

extension DumpSource {
    /// The first bytes of a file.
    func head(of file: DumpPath) throws(DumpError) -> Data { try files.stream(of: file).next().prefix(512) }
}
