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
        "Ask for the app's container, which Xcode downloads as an .xcappdata (Devices and Simulators), or for a backup."

    /// Those that are folders.
    static let folders: [RefusedForm] = [
        RefusedForm("a sysdiagnose, which has no data of apps", advice: sysdiagnoseAdvice) { source in
            source.location.name.hasPrefix("sysdiagnose_")
                || source.files.hasFile("logs/SystemVersion/SystemVersion.plist")
        },
        RefusedForm("an app itself (an .ipa), which has no data of its user", advice: sysdiagnoseAdvice) { source in
            guard source.loneFile == nil else { return false }
            let bundles = (try? source.files.children(of: "Payload", limit: 100)) ?? []
            return bundles.contains { $0.kind == .folder && $0.name.hasSuffix(".app") }
        },
        RefusedForm("a photo library, which has no data of apps", advice: sysdiagnoseAdvice) { source in
            source.loneFile == nil
                && (source.location.name.hasSuffix(".photoslibrary") || source.files.hasFile("database/Photos.sqlite"))
        },
    ]

    /// A keychain by itself.
    static let keychain = RefusedForm(
        "an export of a keychain", advice: "Open the app's dump, and name this file with --keychain."
    ) { (source) throws(DumpError) in
        guard let file = source.loneFile, KeychainExport.mayBe(try source.head(of: file)),
            let data = try? source.files.bytes(at: file, limit: KeychainExport.byteLimit),
            let export = try? KeychainExport(data)
        else { return false }
        // A property list of an app may have lists of the same names.
        return export.items.contains { !$0.group.isEmpty }
    }

    /// Those that are single files, by their first bytes.
    static let files: [RefusedForm] = [
        RefusedForm("a backup of an Android device", advice: "Vestige reads dumps of iOS apps: " + sysdiagnoseAdvice) {
            (source) throws(DumpError) in
            guard let file = source.loneFile else { return false }
            return try source.head(of: file).starts(with: Data("ANDROID BACKUP\n".utf8))
        },
        RefusedForm("a part of an iOS backup", advice: "Name the folder that it is in.") { (source) throws(DumpError) in
            guard let file = source.loneFile else { return false }
            let head = try source.head(of: file)
            return file == "Manifest.db" || head.starts(with: Data("mbdb".utf8))
        },
    ]
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
