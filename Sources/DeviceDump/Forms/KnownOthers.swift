import Foundation
import StoreFormats

/// A form that is recognised, so that it can be refused by its name.
struct RefusedForm: DumpForm {
    let words: String? = nil
    let innerFolders: [DumpPath] = []
    /// Whether it is refused only where a person has named it: any folder may have one beside a dump, or without one.
    private(set) var isOnlyNamed = false
    private let problem: DumpError.Problem
    private let matches: @Sendable (DumpSource) throws(DumpError) -> Bool

    private init(
        _ problem: DumpError.Problem, where matches: @escaping @Sendable (DumpSource) throws(DumpError) -> Bool
    ) {
        self.problem = problem
        self.matches = matches
    }

    /// - Parameter name: What it is, with its article and what is the matter with it.
    private init(
        _ name: String, advice: String, where matches: @escaping @Sendable (DumpSource) throws(DumpError) -> Bool
    ) {
        self.init(.refused(form: name, advice: advice), where: matches)
    }

    /// A file that is known by how it begins.
    private init(_ name: String, advice: String, head: @escaping @Sendable (Data) -> Bool) {
        self.init(name, advice: advice) { (source) throws(DumpError) in
            guard let file = source.loneFile else { return false }
            return head(try source.head(of: file))
        }
    }

    /// The same, refused only where a person has named it.
    private var onlyNamed: RefusedForm {
        var form = self
        form.isOnlyNamed = true
        return form
    }

    func recognise(_ source: DumpSource) throws(DumpError) -> Recognised? {
        try matches(source) ? .refused(problem) : nil
    }

    /// Whether a folder is a person's on a Mac: what iOS gives to an app, which may look like one, has none of these.
    static func isHomeOfMac(_ files: any DumpFiles) -> Bool {
        let marks: [DumpPath] = ["Desktop", "Downloads", "Library/Containers", "Library/Keychains"]
        return files.hasFolder("Library/Preferences") && marks.contains(where: files.hasFolder)
    }

    /// What a person who was sent something else asks for.
    static let askForContainer =
        "Ask for the app's container, which Xcode downloads as an .xcappdata (Devices and Simulators), or for a backup."

    private static let openDocument =
        "Open it in its program; if a dump is attached in it, save that, and name it. " + askForContainer

    /// Those that are folders.
    static let folders: [RefusedForm] = [
        RefusedForm("a sysdiagnose, which has no data of apps", advice: askForContainer) { source in
            source.location.name.hasPrefix("sysdiagnose_")
                || source.files.hasFile("logs/SystemVersion/SystemVersion.plist")
        },
        RefusedForm("an app itself (an .ipa), which has no data of its user", advice: askForContainer) { source in
            // Some tools put what the app has stored beside it.
            guard source.loneFile == nil, !source.files.hasFolder("Container") else { return false }
            let bundles = (try? source.files.children(of: "Payload", limit: 100)) ?? []
            return bundles.contains { $0.kind == .folder && $0.name.hasSuffix(".app") }
        },
        RefusedForm("a photo library, which has no data of apps", advice: askForContainer) { source in
            source.loneFile == nil
                && (source.location.name.hasSuffix(".photoslibrary") || source.files.hasFile("database/Photos.sqlite"))
        },
        RefusedForm("a log archive, which has no data of apps", advice: askForContainer) { source in
            source.loneFile == nil && source.location.name.hasSuffix(".logarchive")
        },
        RefusedForm("an app itself, which has no data of its user", advice: askForContainer) { source in
            guard source.loneFile == nil else { return false }
            if source.files.hasFile("Info.plist") {
                return [".app", ".xcarchive"].contains(where: source.location.name.hasSuffix)
            }
            // Where iOS installs it; up to iOS 7 that was beside what it has stored.
            guard !source.files.hasFolder("Library"), !source.files.hasFolder("Documents") else { return false }
            var metadata = ContainerMetadata()
            guard let list = metadata.list(at: ContainerMetadata.managerFile, in: source.files) else { return false }
            // What iOS calls a bundle container.
            if let place = list.position(of: "MCMMetadataContentClass"), (try? list.value(at: place)) == .integer(1) {
                return true
            }
            let bundles = (try? source.files.children(of: .root, limit: 100)) ?? []
            return bundles.contains {
                $0.kind == .folder && $0.name.hasSuffix(".app") && source.files.hasFile($0.path / "Info.plist")
            }
        },
        RefusedForm(
            "the home folder of a Mac, which has the preferences of many programs",
            advice: "Name the dump in it that you were sent. " + askForContainer
        ) { source in
            source.loneFile == nil && isHomeOfMac(source.files)
        },
        RefusedForm("the result of a test, which has no data of apps", advice: askForContainer) { source in
            source.loneFile == nil && source.location.name.hasSuffix(".xcresult")
        },
        RefusedForm("data of an Android app", advice: "Vestige reads dumps of iOS apps. " + askForContainer) { source in
            source.loneFile == nil
                && (source.files.hasFolder("shared_prefs") || source.files.hasFolder("data/data")
                    || source.files.hasFolder("data/user/0"))
        },
        RefusedForm("an Android app itself (an .apk)", advice: "Vestige reads dumps of iOS apps. " + askForContainer) {
            $0.loneFile == nil && $0.files.hasFile("AndroidManifest.xml")
        },
        // What these programs write is a zip.
        RefusedForm("a document of Microsoft Office", advice: openDocument) { source in
            source.loneFile == nil && source.files.hasFile("[Content_Types].xml")
                && ["word", "xl", "ppt", "visio"].contains { source.files.hasFolder($0) }
        },
        RefusedForm("a document of OpenOffice, or a book (EPUB)", advice: openDocument) { source in
            source.loneFile == nil && source.files.hasFile("mimetype")
                && (source.files.hasFile("content.xml") || source.files.hasFile("META-INF/container.xml"))
        },
        RefusedForm("a document of Pages, Numbers or Keynote", advice: openDocument) { source in
            source.loneFile == nil
                && (source.files.hasFile("Index/Document.iwa") || source.files.hasFile("Index.zip"))
                && source.files.hasFolder("Metadata")
        },
        RefusedForm(
            "a backup without its list of files (Manifest.db), so that nothing tells what its files are",
            advice: "Ask for the whole backup folder."
        ) { source in
            guard source.loneFile == nil, source.files.hasFile("Manifest.plist") || source.files.hasFile("Status.plist")
            else { return false }
            return Backup().innerFolders.contains(where: source.files.hasFolder)
        },
    ]

    /// A keychain by itself.
    static let keychain = RefusedForm(.keychainAlone) { (source) throws(DumpError) in
        guard let file = source.loneFile else { return false }
        let head = try source.head(of: file)
        if head.starts(with: SQLiteMagic.database) {
            return (try? DeviceKeychain(file, in: source.files, .current)) != nil
        }
        guard KeychainExport.mayBe(head),
            let data = try? source.files.bytes(at: file, limit: KeychainExport.byteLimit),
            let export = try? KeychainExport(data)
        else { return false }
        // A property list of an app may have lists of the same names.
        return export.items.contains { !$0.group.isEmpty }
    }

    /// A property list that is a part of a dump, named by itself.
    static let part = RefusedForm("a part of the dump that it lies in", advice: "Name the folder.") { source in
        guard let file = source.loneFile, let around = source.surroundings else { return false }
        let files = around.files, folder = around.folder
        return switch file.name {
        case "Info.plist", "Manifest.plist", "Status.plist":
            files.hasFile(folder / Backup.database) || files.hasFile(folder / Backup.oldManifest)
        case "AppDataInfo.plist": files.hasFolder(folder / "AppData")
        default: false
        }
    }

    /// A list that describes a backup, by itself.
    static let backupList = RefusedForm(
        "a list that describes an iOS backup, without the backup", advice: "Ask for the whole backup folder, in a zip."
    ) { source in
        source.loneFile.map(source.isBackupList) ?? false
    }

    /// What Xcode writes beside a container, without one.
    static let downloadInfo = RefusedForm(
        "what describes a downloaded container, without the container",
        advice: "AppData belongs beside it: ask for the whole .xcappdata, in a zip."
    ) { source in
        source.loneFile?.name == "AppDataInfo.plist"
    }

    /// What stands for a file that has stayed in iCloud: a property list, too.
    static let iCloudStub = RefusedForm(
        "what macOS leaves of a file that is in iCloud alone",
        advice: "Have the file downloaded there (in the Finder, Download Now), and copied again."
    ) { source in
        source.loneFile.map { $0.name.hasPrefix(".") && $0.name.hasSuffix(".icloud") } ?? false
    }

    /// What a crash leaves: JSON too, whose first line says what it is.
    static let crashReport = RefusedForm("a crash report, which has no data of apps", advice: askForContainer) { head in
        head.first == UInt8(ascii: "{")
            && head.prefix { $0 != UInt8(ascii: "\n") }.range(of: Data("\"bug_type\"".utf8)) != nil
    }

    /// Those that are single files, by their first bytes.
    static let files: [RefusedForm] =
        [
            RefusedForm("a backup of an Android device", advice: "Vestige reads dumps of iOS apps. " + askForContainer)
            {
                head in head.starts(with: Data("ANDROID BACKUP\n".utf8))
            },
            RefusedForm("a part of an iOS backup", advice: "Name the folder that it is in.") {
                (source) throws(DumpError) in
                guard let file = source.loneFile else { return false }
                let head = try source.head(of: file)
                return file == Backup.database || head.starts(with: OldManifest.magic)
            },
            RefusedForm(
                "what SQLite keeps beside a database, which lies there", advice: "Name that: this is read with it."
            ) { $0.hasCompanionDatabase ?? false }.onlyNamed,
            RefusedForm(
                "what SQLite keeps beside a database, without the database", advice: "Ask for both, in one zip."
            ) { (source) throws(DumpError) in
                guard source.hasCompanionDatabase == false, let file = source.loneFile else { return false }
                let head = try source.head(of: file)
                return (SQLiteMagic.logs + [SQLiteMagic.journal]).contains(where: head.starts)
            }.onlyNamed,
            RefusedForm("an empty file", advice: "Copy it again from its source.") { (source) throws(DumpError) in
                guard let file = source.loneFile else { return false }
                return try source.head(of: file).isEmpty
            }.onlyNamed,
            RefusedForm(
                "a web page",
                advice: "What was to be downloaded was not. Open its link in a browser, and name the file itself."
            ) { head in
                let text = String(decoding: head, as: UTF8.self).lowercased().drop {
                    $0.isWhitespace || $0 == "\u{FEFF}"
                }
                return text.hasPrefix("<!doctype html") || text.hasPrefix("<html")
            },
            RefusedForm(
                "a mail", advice: "Open it in a mail program, save what is attached to it, and name that.",
                head: isMail),
            RefusedForm(
                "a mail or a document of Microsoft Office",
                advice: "Open it in its program; if something is attached to it, save that, and name it."
            ) { $0.starts(with: [0xD0, 0xCF, 0x11, 0xE0, 0xA1, 0xB1, 0x1A, 0xE1]) },
            RefusedForm("a disk image", advice: unpack) { source in
                source.loneFile.map { $0.name.lowercased().hasSuffix(".dmg") } ?? false
            },
        ]
        + pictures.map { picture in
            RefusedForm("\(picture.name), which has no data of apps", advice: askForContainer) {
                $0.dropFirst(picture.offset).starts(with: picture.magic)
            }.onlyNamed
        }
        + [
            RefusedForm("one of several parts of an archive", advice: join) { source in
                source.loneFile.map { ArchiveFormat.isPart($0.name) } ?? false
            },
            RefusedForm("the last of several parts of a zip", advice: join) { source in
                guard let file = source.loneFile, let around = source.surroundings,
                    file.name.lowercased().hasSuffix(".zip")
                else { return false }
                return ["z01", "Z01"].contains { ending in
                    around.files.hasFile(
                        around.folder / (DumpPath(bytes: file.lastPart.dropLast(3) + ending.utf8) ?? .root))
                }
            },
        ]
        + otherArchives.map { archive in
            RefusedForm("\(archive.name), which is not read", advice: unpack) { $0.starts(with: archive.magic) }
        } + [
            // What is a property list or a database is read, whatever its name.
            RefusedForm(
                "named as the content of a file in a backup, and the list that says which file it is, and how it is "
                    + "encrypted, is not with it", advice: "Ask for the whole backup folder."
            ) { (source) throws(DumpError) in
                guard let file = source.loneFile, PayloadName(file.lastPart) != nil else { return false }
                guard let backup = backup(around: source) else { return true }
                throw DumpError(source.location.path, .insideDump(backup))
            }
        ]

    /// The backup of which a file is a content: in its folder, or in one of the folders in that.
    private static func backup(around source: DumpSource) -> String? {
        guard let around = source.surroundings else { return nil }
        func isOne(_ files: any DumpFiles, _ folder: DumpPath) -> Bool {
            files.hasFile(folder / Backup.database) || files.hasFile(folder / Backup.oldManifest)
        }
        if isOne(around.files, around.folder) { return around.path }
        if let above = around.above { return isOne(above.files, above.folder) ? above.path : nil }
        let above = around.path.split(separator: "/").dropLast().map { "/" + $0 }.joined()
        guard let files = try? FolderFiles(opening: above.isEmpty ? "/" : above) else { return nil }
        return isOne(files, .root) ? above : nil
    }

    /// Whether a text begins as a mail does, with or without the line that a mailbox, or Apple's Mail, puts before it.
    private static func isMail(_ head: Data) -> Bool {
        var lines = head.split(separator: UInt8(ascii: "\n"), omittingEmptySubsequences: false)[...]
        if let first = lines.first,
            first.starts(with: "From ".utf8)
                || first.allSatisfy({ (0x30...0x39).contains($0) || [0x20, 0x0D].contains($0) })
        {
            lines = lines.dropFirst()
        }
        // A mail has a header of fields, of which these are in any; a line that goes on is indented.
        let fields = lines.prefix { !$0.isEmpty && $0.first != 0x0D }.filter { ![0x20, 0x09].contains($0.first) }
        guard let first = fields.first?.prefix(while: { $0 != UInt8(ascii: ":") }),
            first.count < fields.first?.count ?? 0,
            !first.isEmpty, first.allSatisfy({ (0x21...0x7E).contains($0) })
        else { return false }
        let names = fields.map { String(decoding: $0.prefix { $0 != UInt8(ascii: ":") }, as: UTF8.self).lowercased() }
        let sure: Set = ["received", "return-path", "delivered-to", "message-id", "mime-version", "dkim-signature"]
        let usual: Set = ["from", "to", "subject", "date", "cc", "reply-to", "content-type"]
        return names.contains(where: sure.contains) || names.count(where: usual.contains) > 1
    }

    private static let pictures: [(name: String, offset: Int, magic: [UInt8])] = [
        ("a picture", 0, [0xFF, 0xD8, 0xFF]), ("a picture", 0, [0x89, 0x50, 0x4E, 0x47]),
        ("a picture", 0, Array("GIF8".utf8)), ("a picture or a film", 4, Array("ftyp".utf8)),
        ("a document (PDF)", 0, Array("%PDF".utf8)),
    ]

    private static let join =
        "Put them together (zip -s 0 parts.zip --out whole.zip, or 7-Zip), and name what that makes."
    private static let unpack = "Unpack it with another tool, and name what was in it."

    /// Whether something is refused only because it is packed in a form that is not read, so that a dump may be in it.
    static func isUnread(_ problem: DumpError.Problem) -> Bool {
        if case .refused(_, advice: Self.unpack) = problem { true } else { false }
    }
    private static let otherArchives: [(name: String, magic: [UInt8])] = [
        ("a RAR archive", Array("Rar!\u{1A}\u{7}".utf8)), ("a 7z archive", [0x37, 0x7A, 0xBC, 0xAF, 0x27, 0x1C]),
        ("an Apple Archive", Array("AA01".utf8)),
        ("an Apple Archive", Array("YAA1".utf8)), ("an encrypted Apple Archive", Array("AEA1".utf8)),
        ("an Apple Archive", Array("pbz".utf8)),
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
            .refused(
                form: "\(format), which is not supported yet",
                advice: "Open the dump that it comes from, or a property list file."))
    }
}

extension DumpSource {
    /// Whether the database lies beside it that a file is called after as SQLite calls what it keeps of one; `nil` where it is not
    /// called so.
    fileprivate var hasCompanionDatabase: Bool? {
        guard let file = loneFile, let around = surroundings,
            let ending = ["-wal", "-shm", "-journal"].first(where: { file.name.hasSuffix($0) }),
            let database = DumpPath(bytes: file.lastPart.dropLast(ending.utf8.count))
        else { return nil }
        return around.files.hasFile(around.folder / database)
    }

    /// Whether a file by itself is one of the lists that describe a backup, by its name and what only those have.
    fileprivate func isBackupList(_ file: DumpPath) -> Bool {
        let marks: [String: [Name]] = [
            "Manifest.plist": ["BackupKeyBag"], "Info.plist": ["Target Identifier", "Last Backup Date"],
            "Status.plist": ["SnapshotState"],
        ]
        var metadata = ContainerMetadata()
        guard let marks = marks[file.name], let list = metadata.list(at: file, in: files) else { return false }
        return marks.contains { list.position(of: $0) != nil }
    }
}
