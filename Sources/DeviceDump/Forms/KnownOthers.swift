import Foundation
import StoreFormats

/// A form that is recognised, so that it can be refused by its name.
struct RefusedForm: DumpForm {
    let words: String? = nil
    let innerFolders: [DumpPath] = []
    /// What it is, with its article and what is the matter with it.
    private let name: String
    private let advice: String
    private let matches: @Sendable (DumpSource) throws(DumpError) -> Bool

    private init(
        _ name: String, advice: String = takeContainer,
        where matches: @escaping @Sendable (DumpSource) throws(DumpError) -> Bool
    ) {
        self.name = name
        self.advice = advice
        self.matches = matches
    }

    func recognise(_ source: DumpSource) throws(DumpError) -> Recognised? {
        try matches(source) ? .refused(name: name, advice: advice) : nil
    }

    private static let takeContainer =
        "Take the app's container out of it and open that, for example as an .xcappdata folder."
    private static let sysdiagnoseAdvice =
        "Ask for the app's container, which Xcode downloads as an .xcappdata (Devices and Simulators)."

    /// Those that are folders.
    static let folders: [RefusedForm] = [
        RefusedForm("an unpacked (“unhashed”) iOS backup, which is not supported yet") { source in
            if source.loneFile != nil { return false }
            let names = ((try? source.files.children(of: .root, limit: 10_000)) ?? []).filter { $0.kind == .folder }
            return names.contains { $0.name.hasPrefix("AppDomain-") || $0.name.hasPrefix("AppDomainGroup-") }
                || names.contains { $0.name == "HomeDomain" }
        },
        RefusedForm("a sysdiagnose, which has no data of apps", advice: sysdiagnoseAdvice) { source in
            source.location.name.hasPrefix("sysdiagnose_")
                || source.files.hasFile("logs/SystemVersion/SystemVersion.plist")
        },
        RefusedForm("a full file system, which is not supported yet") { source in
            ["private/var/mobile", "filesystem1/private/var", "filesystem2/mobile", "var/mobile/Containers"]
                .contains(where: source.files.hasFolder)
        },
    ]

    /// Those that are single files, by their first bytes.
    static let files: [RefusedForm] = [
        file("a zip archive") {
            $0.starts(with: Data("PK\u{3}\u{4}".utf8)) || $0.starts(with: Data("PK\u{5}\u{6}".utf8))
        },
        file("a gzip archive") { $0.starts(with: [0x1F, 0x8B]) },
        file("a tar archive") { $0.count >= 262 && $0[257..<262].elementsEqual("ustar".utf8) },
        RefusedForm("a part of an iOS backup", advice: "Name the folder that it is in.") { (source) throws(DumpError) in
            guard let file = source.loneFile else { return false }
            let head = try source.head(of: file)
            return file == "Manifest.db" || head.starts(with: Data("mbdb".utf8))
        },
    ]

    private static func file(_ name: String, where matches: @escaping @Sendable (Data) -> Bool) -> RefusedForm {
        RefusedForm("\(name), which is not supported yet") { (source) throws(DumpError) in
            guard let file = source.loneFile else { return false }
            let head = try source.head(of: file)
            return matches(head)
        }
    }
}

/// A single file of a format that is known by name only.
struct UnreadFormat: DumpForm {
    let words: String? = nil
    let innerFolders: [DumpPath] = []

    func recognise(_ source: DumpSource) throws(DumpError) -> Recognised? {
        guard let file = source.loneFile, case .unsupported(let format)? = StoreFormat.sniff(try source.head(of: file))
        else { return nil }
        return .refused(
            name: "\(format), which is not supported yet",
            advice: "Open the dump that it comes from, or a property list file.")
    }
}
