import Crypto
import Foundation
import MigrationEngine
import StoreFormats
import SystemPackage

extension Dump.Kind {
    /// A backup by Finder, iTunes or idevicebackup2.
    package static let backup = Dump.Kind(rawValue: "backup")
}

/// A backup as Finder, iTunes and idevicebackup2 make it: a manifest, and a file of a meaningless name for each payload.
struct Backup: DumpForm {
    let words: String? = "an iOS backup"
    /// Payloads lie in folders named after the first two digits of their names.
    let innerFolders: [DumpPath] = (0..<256).compactMap { DumpPath(Hexadecimal.text([UInt8($0)])) }

    static let database: DumpPath = "Manifest.db"
    static let oldManifest: DumpPath = "Manifest.mbdb"

    func recognise(_ source: DumpSource) throws(DumpError) -> Recognised? {
        guard source.loneFile == nil else { return nil }
        let files = source.files
        guard let manifest = [Self.database, Self.oldManifest].first(where: files.hasFile) else { return nil }
        let isPlain = Self.isPlain(manifest, in: files)
        let info = BackupInfo(files)
        // With a key for the manifest, and a manifest that needs none, a tool has decrypted all of it.
        let isDecrypted = manifest == Self.database && isPlain && info.manifestKey != nil
        if info.isEncrypted || info.manifestKey != nil, !isDecrypted {
            return .locked(.backup) { (secret, options, control) throws(DumpError) in
                try Self.unlocked(source, manifest, isPlain: isPlain, info, secret, options, control)
            }
        }
        return .open(
            .backup,
            mount: { (source, control) throws(DumpError) in
                source.mounting(
                    try BackupFiles(
                        of: source.files, keys: nil, listedIn: ManifestFile(file: manifest, info: info), control))
            },
            contents: { (source, control) throws(DumpError) in
                var contents = try BackupContents(of: source, info, control).contents
                if info.isEncrypted { contents.warnings.append(DumpWarning(manifest, .decryptedBackup)) }
                return contents
            })
    }

    static func isPlain(_ manifest: DumpPath, in files: any DumpFiles) -> Bool {
        let magic = manifest == database ? SQLiteMagic.database : OldManifest.magic
        return (try? files.stream(of: manifest).next().starts(with: magic)) ?? false
    }

    private static func unlocked(
        _ source: DumpSource, _ manifest: DumpPath, isPlain: Bool, _ info: BackupInfo, _ secret: DumpSecret,
        _ options: OpeningOptions, _ control: OpeningControl
    ) throws(DumpError) -> Unlocked {
        let path = source.location.path, bag: Keybag
        guard let data = info.keybag else { throw DumpError(path, .damagedKeybag("Manifest.plist has none")) }
        do throws(Keybag.Damage) { bag = try Keybag(data) } catch { throw DumpError(path, .damagedKeybag(error.words)) }
        let derived: Data
        switch secret {
        case .key(let key): derived = key
        case .password(let password):
            derived = try bag.derivedKey(from: password, limit: options.limits[.rounds], at: path, control)
        }
        guard let keys = BackupKeys(bag, with: derived) else {
            if case .key = secret { throw DumpError(path, .wrongKey) }
            throw DumpError(path, .wrongPassword)
        }
        let files = try BackupFiles(
            of: source.files, keys: keys,
            listedIn: ManifestFile(file: manifest, info: info, keys: isPlain ? nil : keys), control)
        return Unlocked(
            source: source.mounting(files),
            contents: { (source, control) throws(DumpError) in
                try BackupContents(of: source, info, keys: keys, control).contents
            }, key: derived)
    }
}

/// The manifest of a backup, and how it is read.
struct ManifestFile: Sendable {
    /// `Manifest.db` or `Manifest.mbdb`.
    let file: DumpPath
    let info: BackupInfo
    /// The keys, where it is encrypted.
    var keys: BackupKeys?

    /// Reads it in the folder of a backup.
    func manifest(in files: any DumpFiles, _ control: OpeningControl) throws(DumpError) -> BackupManifest {
        let limits = BackupManifest.Limits()
        guard file == Backup.database else {
            let data = try files.bytes(at: file, limit: OldManifest.limit)
            do throws(OldManifest.Failure) {
                return BackupManifest(
                    try OldManifest(data, rows: limits.rows), file, unfinished: info.unfinished)
            } catch {
                switch error {
                case .notAManifest: throw DumpError(file, .brokenDatabase("it does not begin as one does"))
                case .tooManyRows: throw DumpError(file, .tooManyRows(limit: limits.rows))
                }
            }
        }
        guard let key = try key() else {
            do throws(DumpError) {
                return try BackupManifest(
                    try DatabaseFile(file, in: files, control), file, unfinished: info.unfinished, limits: limits,
                    control)
            } catch {
                guard case .brokenDatabase = error.problem, info.isMissing, !Backup.isPlain(file, in: files) else {
                    throw error
                }
                throw DumpError(
                    file,
                    .brokenDatabase(
                        "it is not a SQLite database; if it is encrypted, Manifest.plist must be beside it and whole")
                )
            }
        }
        let pages = try encryptedPages(key, in: files, control)
        let head: Data
        do throws(Errno) { head = try pages.read(at: 0, upTo: SQLiteMagic.database.count) } catch {
            throw DumpError(file, .inaccessible(error))
        }
        guard head == SQLiteMagic.database else { throw DumpError(file, .foreignManifest) }
        return try BackupManifest(
            try DatabaseFile(file, pages, logDamage: unreadLog(in: files)), file, unfinished: info.unfinished,
            limits: limits, control)
    }

    /// That a log or a journal lies beside an encrypted one, which is not read: nothing says by which key.
    private func unreadLog(in files: any DumpFiles) throws(DumpError) -> DumpError? {
        for case let path? in [DatabaseFile.journal(of: file), DatabaseFile.log(of: file)] {
            guard let item = try files.item(at: path), item.kind != .file || item.size > 0 else { continue }
            let words = "\(path) lies beside it and is not read, as it is encrypted: changes in it are missing"
            return DumpError(file, .brokenDatabase(words))
        }
        return nil
    }

    private func encryptedPages(
        _ key: SymmetricKey, in files: any DumpFiles, _ control: OpeningControl
    ) throws(DumpError) -> EncryptedPages {
        EncryptedPages(try PackedBytes(of: file, in: files, control), key: key)
    }

    /// A private copy of the database, decrypted, with what a log beside it has.
    func copy(in files: any DumpFiles, _ control: OpeningControl) throws(DumpError) -> DatabaseCopy {
        let pages: any DatabasePages =
            if let key = try key() { try encryptedPages(key, in: files, control) } else {
                try DatabaseFile.pages(of: file, DatabaseFile.Companions(of: file, in: files), in: files, control)
            }
        return try DatabaseCopy(file, of: pages, control)
    }

    /// Whether a block of padding is behind the encrypted database, whose pages have a multiple of 512 bytes; both occur.
    func isPadded(in files: any DumpFiles) throws(DumpError) -> Bool {
        guard keys != nil, let size = try files.item(at: file)?.size else { return false }
        return size % 512 == 16
    }

    /// The key that it is encrypted with.
    func key() throws(DumpError) -> SymmetricKey? {
        guard let keys else { return nil }
        guard let (number, wrapped) = info.manifestKey else {
            throw DumpError(file, .damagedKeybag("Manifest.plist has no key for \(file)"))
        }
        do throws(BackupKeys.Failure) { return try keys.unwrap(wrapped, class: number) } catch {
            throw DumpError(file, .damagedKeybag("the key for \(file) in Manifest.plist is not one of its keybag's"))
        }
    }
}

/// What the property lists of a backup say of it; each of them may be missing.
struct BackupInfo: Sendable {
    /// An app that was installed.
    struct App: Sendable {
        var name: (text: String, source: String)?
        var version: (text: String, source: String)?
        /// Whether it is listed as an app, and not as a part of one.
        var isListed = false
    }

    /// Whether `Manifest.plist` says that the backup is encrypted.
    private(set) var isEncrypted = false
    /// Whether `Manifest.plist` is not there.
    private(set) var isMissing = false
    private(set) var keybag: Data?
    /// The key of `Manifest.db`, wrapped, with its class.
    private(set) var manifestKey: (class: UInt32, wrapped: Data)?
    /// That the backup was interrupted, as `Status.plist` has another `SnapshotState` than `finished`: what had not been
    /// sent is not in it, and no device takes it back.
    private(set) var unfinished: DumpError?
    /// What they say of the device and the backup.
    private(set) var facts = Facts()
    /// The identifiers of the device, each as ``NameLikeness/devices(in:)`` has it.
    private(set) var devices: [String] = []
    /// Whether `Manifest.plist`, or `Info.plist`, says which apps were installed.
    private(set) var listsApps = false
    /// The apps by their identifiers.
    private(set) var apps: [Name: App] = [:]
    private(set) var warnings: [DumpWarning] = []

    private static let manifest: DumpPath = "Manifest.plist", info: DumpPath = "Info.plist"
    private static let status: DumpPath = "Status.plist"

    /// Reads those in a folder; one that is expected and missing is a warning.
    init(_ files: any DumpFiles, isExpected: Bool = true) {
        var metadata = ContainerMetadata()
        func list(_ file: DumpPath) -> PropertyListFile? {
            if !files.isThere(file) {
                if isExpected { warnings.append(DumpWarning(file, .missing)) }
                return nil
            }
            return metadata.list(at: file, in: files)
        }
        let manifest = list(Self.manifest), info = list(Self.info), status = list(Self.status)
        isMissing = manifest == nil
        func value(_ key: Name, in list: PropertyListFile?) -> Value? {
            list.flatMap { list in list.position(of: key).flatMap { try? list.value(at: $0) } }
        }
        if case .bool(true)? = value("IsEncrypted", in: manifest) { isEncrypted = true }
        keybag = value("BackupKeyBag", in: manifest)?.data
        if let key = value("ManifestKey", in: manifest)?.data, key.count > 4 {
            manifestKey = (key.prefix(4).reversed().reduce(0) { $0 << 8 | UInt32($1) }, Data(key.dropFirst(4)))
        }
        if let state = value("SnapshotState", in: status)?.string, state != "finished" {
            unfinished = DumpError(Self.status, .unfinishedBackup(state))
        }
        func note(_ name: FactName, _ value: Value?, _ file: DumpPath) {
            guard facts[name] == nil, let text = value?.string, !text.isEmpty else { return }
            facts[name] = Fact(text, from: .metadata(file.text))
        }
        let lockdown = value("Lockdown", in: manifest)?.members ?? Members()
        // A device that it was made for is another one than that which is made of it by restoring.
        for value in [
            value("Unique Identifier", in: info), value("Target Identifier", in: info), lockdown["UniqueDeviceID"],
        ] {
            devices += value?.string.map(NameLikeness.devices) ?? []
        }
        note(.deviceName, value("Device Name", in: info), Self.info)
        note(.deviceName, lockdown["DeviceName"], Self.manifest)
        note(.deviceType, value("Product Type", in: info), Self.info)
        note(.deviceType, lockdown["ProductType"], Self.manifest)
        note(.systemVersion, value("Product Version", in: info), Self.info)
        note(.systemVersion, lockdown["ProductVersion"], Self.manifest)
        // That of Manifest.plist is of the first backup into the folder at times.
        for (date, file) in [
            (value("Date", in: status), Self.status), (value("Last Backup Date", in: info), Self.info),
            (value("Date", in: manifest), Self.manifest),
        ] {
            guard facts[.downloadDate] == nil, case .date(let date)? = date, let text = date.iso8601 else { continue }
            let words = text.prefix(19).replacing("T", with: " ")
            facts[.downloadDate] = Fact("\(words) UTC", from: .metadata(file.text))
        }
        let listed = value("Applications", in: manifest)?.members
        listsApps = listed != nil
        readApps(listed, value("Applications", in: info)?.members)
        if case .array(let installed)? = value("Installed Applications", in: info) {
            listsApps = true
            for app in installed.compactMap(\.string) { apps[Name(app), default: App()].isListed = true }
        }
        warnings += metadata.warnings
    }

    /// `Manifest.plist` lists every bundle; `Info.plist` has, of those from the store, what the store says of them.
    private mutating func readApps(_ manifest: Members?, _ info: Members?) {
        for member in manifest ?? Members() {
            let fields = member.value.members ?? Members()
            var app = App()
            let bundle = fields["Path"]?.string?.split(separator: "/").last.map(String.init)
            app.isListed =
                fields["ContainerContentClass"]?.string.map { $0 == "Data/Application" } ?? bundle?.hasSuffix(".app")
                ?? true
            if let bundle, bundle.hasSuffix(".app"), bundle.utf8.count > 4 {
                app.name = (String(bundle.dropLast(4)), Self.manifest.text)
            }
            if let version = fields["CFBundleVersion"]?.string { app.version = (version, Self.manifest.text) }
            apps[member.key] = app
        }
        for member in info ?? Members() {
            guard let data = member.value.members?["iTunesMetadata"]?.data, let list = try? PropertyListFile(data)
            else { continue }
            if let name = ContainerMetadata.text("itemName", in: list) {
                apps[member.key, default: App()].name = (name, Self.info.text)
            }
            if let version = ContainerMetadata.text("bundleShortVersionString", in: list) {
                apps[member.key, default: App()].version = (version, Self.info.text)
            }
        }
    }
}
