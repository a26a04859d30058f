import Foundation
import StoreFormats

/// A form that is recognised, so that it can be refused by its name.
struct UnsupportedForm: Sendable {
    /// What it is, with its article.
    let name: String
    /// Whether a folder is of this form.
    let matches: @Sendable (DumpFolder) -> Bool

    /// Forms of folders.
    static let folders: [UnsupportedForm] = [
        UnsupportedForm(name: "an iOS backup") { folder in
            ["Manifest.db", "Manifest.mbdb"].contains(where: folder.hasFile)
        },
        UnsupportedForm(name: "an unpacked (“unhashed”) iOS backup") { folder in
            let names = ((try? folder.children(limit: 10_000)) ?? []).filter { $0.kind == .folder }.map(\.name)
            return names.contains { $0.hasPrefix("AppDomain-") || $0.hasPrefix("AppDomainGroup-") }
                || names.contains("HomeDomain")
        },
        UnsupportedForm(name: "a sysdiagnose, which has no data of apps,") { folder in
            folder.name.hasPrefix("sysdiagnose_") || folder.hasFile("logs/SystemVersion/SystemVersion.plist")
        },
        UnsupportedForm(name: "a full file system") { folder in
            ["private/var/mobile", "filesystem1/private/var", "filesystem2/mobile", "var/mobile/Containers"]
                .contains(where: folder.hasFolder)
        },
    ]

    /// What a file is that is not a property list, by its first bytes and its name; `nil` where it is not known.
    static func file(_ name: String, head: Data) -> String? {
        if name.hasPrefix("sysdiagnose_") { return "a sysdiagnose, which has no data of apps," }
        if head.starts(with: [0x50, 0x4B, 0x03, 0x04]) || head.starts(with: [0x50, 0x4B, 0x05, 0x06]) {
            return "a zip archive"
        }
        if head.starts(with: [0x1F, 0x8B]) { return "a gzip archive" }
        if head.count >= 262, head[257..<262].elementsEqual("ustar".utf8) { return "a tar archive" }
        if name == "Manifest.db" || head.starts(with: Data("mbdb".utf8)) { return "a part of an iOS backup" }
        if case .unsupported(let format)? = StoreFormat.sniff(head) { return format }
        return nil
    }
}
