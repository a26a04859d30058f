import Crypto
import Foundation
import MigrationEngine
import Synchronization

/// The files of a backup, a folder for each domain; what is stored encrypted is decrypted as it is read.
struct BackupFiles: DumpFiles {
    let base: any DumpFiles
    let manifest: BackupManifest
    let keys: BackupKeys?
    let manifestFile: ManifestFile
    private let notes = Notes()

    /// What is only found out by looking at contents.
    private final class Notes: Sendable {
        let withoutPadding = Mutex<Set<DumpPath>>([])
        let otherDigests = Mutex<Set<DumpPath>>([])
        let payloads = Mutex<StoredPayloads?>(nil)
    }

    init(
        of base: any DumpFiles, keys: BackupKeys?, listedIn file: ManifestFile, _ control: OpeningControl
    ) throws(DumpError) {
        self.base = base
        self.keys = keys
        manifestFile = file
        manifest = try file.manifest(in: base, control)
    }

    func reopened() throws(DumpError) -> any DumpFiles {
        try BackupFiles(of: try base.reopened(), keys: keys, listedIn: manifestFile, OpeningControl.current)
    }

    func item(at path: DumpPath) throws(DumpError) -> DumpItem? {
        if path.isRoot {
            try checkIsThere()
            return DumpItem(path: .root, kind: .folder)
        }
        guard let entry = try entry(at: path) else {
            try checkIsThere()
            return nil
        }
        return try item(entry, path)
    }

    private func item(_ entry: BackupEntry, _ path: DumpPath) throws(DumpError) -> DumpItem {
        // That it is there is certain, also where what the manifest says of it is broken; reading it says so.
        let kind: DumpItem.Kind =
            switch entry.kind {
            case .file: .file
            case .folder: .folder
            case .symbolicLink: try link(entry, path)
            case .other: .other("something that backups have no name for")
            }
        return DumpItem(
            path: path, kind: kind, size: entry.kind == .file ? entry.size : 0,
            mode: entry.mode & 0o7777 == 0 ? nil : entry.mode & 0o7777,
            modified: entry.modified.map { .init(seconds: $0, nanoseconds: 0) })
    }

    /// A link; one of which nothing says where it leads keeps nothing else from being read.
    private func link(_ entry: BackupEntry, _ path: DumpPath) throws(DumpError) -> DumpItem.Kind {
        do throws(DumpError) {
            return .symbolicLink(target: try manifest.record(of: entry, at: path).target)
        } catch {
            guard case .brokenRecord = error.problem else { throw error }
            return .other("a link of which the backup's manifest does not say where it leads")
        }
    }

    func children(of folder: DumpPath, limit: Int) throws(DumpError) -> [DumpItem] {
        if folder.isRoot {
            try checkIsThere()
            return manifest.domains.prefix(limit).map { DumpItem(path: $0, kind: .folder) }
        }
        guard let entry = try entry(at: folder) else { throw DumpError(folder, .notFound) }
        guard entry.kind == .folder else { throw try refusal(of: entry, folder) ?? DumpError(folder, .notAFolder) }
        let (domain, place) = Self.parts(folder), tree = try manifest.tree(of: domain)
        var items: [DumpItem] = []
        for child in (tree.children[place] ?? []).prefix(limit) {
            guard let entry = tree.entries[child] else { continue }
            items.append(try item(entry, domain / child))
        }
        return items
    }

    func incompleteness(of folder: DumpPath) -> DumpWarning? {
        let doubt: DumpError?
        do throws(DumpError) {
            doubt = folder.isRoot ? manifest.doubt : try manifest.tree(of: Self.parts(folder).domain).doubt
        } catch {
            doubt = error
        }
        return doubt.map { DumpWarning(manifest.file, .unreadable(Unreadable($0))) }
    }

    func stream(of path: DumpPath) throws(DumpError) -> any DumpStream {
        let (key, payload, digest) = try content(of: path), notes = notes
        var stored: any DumpStream
        do throws(DumpError) { stored = try base.stream(of: payload) } catch {
            throw try reason(error, of: payload, path)
        }
        if let digest {
            stored = DigestedStream(stored) { found in
                if found != digest { _ = notes.otherDigests.withLock { $0.insert(path) } }
            }
        }
        // An empty file has no key, and one of a backup that is not encrypted has none.
        guard let key else { return stored }
        return DecryptingStream(stored, key: key, at: path, isPadded: true) {
            _ = notes.withoutPadding.withLock { $0.insert(path) }
        }
    }

    func pages(of path: DumpPath, _ control: OpeningControl) throws(DumpError) -> (any DatabasePages)? {
        let (key, payload, _) = try content(of: path)
        guard let key else { return nil }
        do throws(DumpError) { return EncryptedPages(try PackedBytes(of: payload, in: base, control), key: key) } catch
        {
            throw try reason(error, of: payload, path)
        }
    }

    /// The key of a file's content, where it is stored encrypted, where that lies, and its SHA-1 digest where the backup has one.
    private func content(
        of path: DumpPath
    ) throws(DumpError) -> (key: SymmetricKey?, payload: DumpPath, digest: Data?) {
        guard let entry = try entry(at: path) else { throw DumpError(path, .notFound) }
        guard entry.kind == .file else {
            throw try refusal(of: entry, path) ?? DumpError(path, .notAFile("a folder"))
        }
        // A look at its row takes longer than all the rest, and tells nothing where nothing is encrypted.
        let hasKey = keys != nil && entry.keyClass != nil
        let payload = try payload(of: entry, path)
        if try isSealed(entry) { throw DumpError(path, .sealedPayload) }
        let record =
            hasKey || entry.isBroken || entry.hasDigest ? try manifest.record(of: entry, at: path) : BackupRecord()
        return (try key(of: record, path), payload, record.digest.flatMap { $0.count == 20 ? $0 : nil })
    }

    /// Whether a content is encrypted in a backup that is said not to be: its row has a key for it, and it is as large as what the
    /// row says once that is encrypted, which is never as large as what is not.
    private func isSealed(_ entry: BackupEntry) throws(DumpError) -> Bool {
        guard keys == nil, entry.keyClass != nil, let name = entry.payload else { return false }
        if let stored = payloads.stored[name]?.size { return stored == Self.sealedSize(entry) }
        return try payloads.size(at: place(of: name), in: base) == Self.sealedSize(entry)
    }

    /// How many bytes a content has once it is encrypted: it is padded to whole blocks, by one at least.
    private static func sealedSize(_ entry: BackupEntry) -> Int { entry.size / 16 * 16 + 16 }

    /// Why a payload is not read.
    private func reason(_ error: DumpError, of payload: DumpPath, _ path: DumpPath) throws(DumpError) -> DumpError {
        guard error.problem == .notFound else { return DumpError(path, error.problem) }
        // In a backup that was removed nothing is found, and that says nothing.
        _ = try base.item(at: payload)
        return DumpError(path, .noPayload(payload.text))
    }

    /// The key of a content; `nil` where it is stored as it is.
    func key(of record: BackupRecord, _ path: DumpPath) throws(DumpError) -> SymmetricKey? {
        guard let keys, let wrapped = record.wrappedKey else { return nil }
        do throws(BackupKeys.Failure) {
            return try keys.unwrap(wrapped, class: record.protectionClass)
        } catch {
            switch error {
            case .lockedToDevice: throw DumpError(path, .lockedToDevice(class: Int(record.protectionClass)))
            case .noClass:
                throw DumpError(path, .damagedPayload("the backup has no key of its class, \(record.protectionClass)"))
            case .damaged: throw DumpError(path, .damagedPayload("its key is damaged"))
            }
        }
    }

    func isReadable(_ path: DumpPath) -> Bool {
        guard let entry = try? entry(at: path), entry.kind == .file, !entry.isBroken, let name = entry.payload else {
            return false
        }
        if let keys, let number = entry.keyClass, !keys.opens(class: number) { return false }
        if (try? isSealed(entry)) == true { return false }
        if entry.isNamedOtherwise, (try? manifest.isOfAnother(name)) != false { return false }
        guard let stored = payloads.stored[name] else { return !payloads.isComplete && (try? stream(of: path)) != nil }
        return stored.isReadable || (try? stream(of: path)) != nil
    }

    func version(of path: DumpPath) throws(DumpError) -> FileVersion {
        if path.isRoot { return try base.version(of: .root) }
        guard let entry = try entry(at: path), entry.kind == .folder else { return try digest(of: path) }
        return try base.version(of: .root)
    }

    func problems(below folder: DumpPath) -> [DumpWarning] {
        if folder.isRoot { return manifest.domains.flatMap(problems(below:)) }
        let (domain, place) = Self.parts(folder), tree: BackupTree
        do throws(DumpError) { tree = try manifest.tree(of: domain) } catch {
            return [DumpWarning(folder, .init(error))]
        }
        // One file is looked at by itself, as an export does with each that it has written.
        if let entry = tree.entries[place], entry.kind == .file {
            let findings = findings(among: CollectionOfOne((place, entry)), of: domain, StoredPayloads())
            return findings.others + findings.missing.map { DumpWarning($0, .withoutPayload(count: 1)) }
                + findings.renamed.map { DumpWarning($0, .otherPayloadNames(count: 1)) }
        }
        var warnings: [DumpWarning] = []
        if tree.strayPaths > 0 {
            warnings.append(DumpWarning(manifest.file, .strayRows(domain: domain.text, count: tree.strayPaths)))
        }
        if tree.duplicates > 0 {
            warnings.append(DumpWarning(manifest.file, .duplicateRows(domain: domain.text, count: tree.duplicates)))
        }
        if let hidden = tree.hidden {
            let problem = DumpWarning.Problem.rowsBelowFile(count: hidden.count, file: (domain / hidden.below).text)
            warnings.append(DumpWarning(domain / hidden.first, problem))
        }
        if let filled = tree.filled {
            warnings.append(DumpWarning(domain / filled.first, .rowsWithOthersBelow(count: filled.count)))
        }
        let within = tree.entries.lazy.filter { $0.value.kind == .file && $0.key.relative(to: place) != nil }
        let (findings, missing, renamed) = findings(among: within.map { ($0.key, $0.value) }, of: domain, payloads)
        if let first = missing.min() { warnings.append(DumpWarning(first, .withoutPayload(count: missing.count))) }
        if let first = renamed.min() { warnings.append(DumpWarning(first, .otherPayloadNames(count: renamed.count))) }
        let shown = 100
        warnings += findings.prefix(shown)
        if findings.count > shown {
            warnings.append(DumpWarning(folder, .moreBackupFindings(findings.count - shown)))
        }
        return warnings
    }

    /// What is not as it should be with files of a domain, those whose content is not there, and those whose content has another
    /// name than theirs.
    private func findings(
        among files: some Sequence<(DumpPath, BackupEntry)>, of domain: DumpPath, _ payloads: StoredPayloads
    ) -> (others: [DumpWarning], missing: [DumpPath], renamed: [DumpPath]) {
        var others: [DumpWarning] = [], missing: [DumpPath] = [], renamed: [DumpPath] = []
        let withoutPadding = notes.withoutPadding.withLock { $0 }, otherDigests = notes.otherDigests.withLock { $0 }
        let hasNotes = !withoutPadding.isEmpty || !otherDigests.isEmpty
        for (below, entry) in files {
            let isEncrypted = keys != nil && entry.keyClass != nil
            let expected = isEncrypted ? Self.sealedSize(entry) : entry.size
            // Most are as they should be.
            let size = entry.payload.flatMap { payloads.stored[$0]?.size }
            let isAsListed = size == expected && !entry.isBroken && !entry.isNamedOtherwise
            if isAsListed && !hasNotes { continue }
            let path = domain / below
            if withoutPadding.contains(path) { others.append(DumpWarning(path, .noPadding)) }
            if otherDigests.contains(path) { others.append(DumpWarning(path, .otherDigest)) }
            if isAsListed { continue }
            do throws(DumpError) {
                if entry.isBroken { _ = try manifest.record(of: entry, at: path) }
                let payload = try payload(of: entry, path)
                if entry.isNamedOtherwise { renamed.append(path) }
                let stored = if let size { Optional(size) } else { try payloads.size(at: payload, in: base) }
                guard let found = stored else {
                    missing.append(path)
                    continue
                }
                if try isSealed(entry) {
                    others.append(DumpWarning(path, .init(DumpError(path, .sealedPayload))))
                } else if found != expected {
                    others.append(
                        DumpWarning(path, .payloadSize(listed: entry.size, stored: found, isEncrypted: isEncrypted)))
                }
            } catch {
                others.append(DumpWarning(path, .init(DumpError(path, error.problem))))
            }
        }
        return (others.sorted { $0.path < $1.path }, missing, renamed)
    }

    /// The payloads that no row names, as a warning.
    func orphans(_ control: OpeningControl) throws(DumpError) -> [DumpWarning] {
        // Behind damage there are the rows of others.
        guard manifest.damage == nil else { return [] }
        let known = try manifest.payloads(control)
        let orphans = payloads.stored.keys.filter { !known.contains($0) }
        guard let first = orphans.min() else { return [] }
        return [DumpWarning(place(of: first), .orphanPayloads(count: orphans.count))]
    }

    // MARK: Places

    private static func parts(_ path: DumpPath) -> (domain: DumpPath, below: DumpPath) {
        let domain = path.first
        return (domain, path.relative(to: domain) ?? .root)
    }

    /// Refuses where the backup is not at its place any more: nothing is known of it then.
    ///
    /// Asked for whatever is not found, so that the folder, which may have hundreds of others in it, is not listed for it.
    private func checkIsThere() throws(DumpError) {
        if try base.item(at: .root) == nil { throw DumpError(.root, .gone) }
    }

    /// The item at a path; `nil` where the backup certainly has none.
    func entry(at path: DumpPath) throws(DumpError) -> BackupEntry? {
        let (domain, below) = Self.parts(path)
        guard manifest.isDomain(domain) else {
            if let doubt = manifest.doubt { throw doubt }
            return nil
        }
        let tree = try manifest.tree(of: domain)
        if !tree.hasHidden, let entry = tree.entries[below] { return entry }
        for folder in below.folders {
            guard let entry = tree.entries[folder] else { break }
            if let refusal = try refusal(of: entry, domain / folder) { throw refusal }
            guard entry.kind == .folder else { return nil }
        }
        if let entry = tree.entries[below] { return entry }
        if let doubt = tree.doubt { throw doubt }
        return nil
    }

    /// Why nothing is read through an item: it is a link.
    private func refusal(of entry: BackupEntry, _ path: DumpPath) throws(DumpError) -> DumpError? {
        guard entry.kind == .symbolicLink else { return nil }
        let target = try manifest.record(of: entry, at: path).target
        return DumpError(path, .symbolicLink(target: String(decoding: target, as: UTF8.self)))
    }

    /// Where the content of a file is stored.
    func payload(of entry: BackupEntry, _ path: DumpPath) throws(DumpError) -> DumpPath {
        guard let name = entry.payload else {
            throw DumpError(path, .badPayloadName(try manifest.badPayloadName(of: entry)))
        }
        if entry.isNamedOtherwise, try manifest.isOfAnother(name) {
            throw DumpError(path, .payloadOfAnother(place(of: name).text))
        }
        return place(of: name)
    }

    private func place(of payload: PayloadName) -> DumpPath {
        let digits = payload.digits
        return DumpPath(bytes: manifest.hasPayloadFolders ? digits.prefix(2) + [UInt8(ascii: "/")] + digits : digits)
            ?? .root
    }

    /// What is stored, listed on first use.
    private var payloads: StoredPayloads {
        notes.payloads.withLock { known in
            if let known { return known }
            let listed = StoredPayloads(in: base, inFolders: manifest.hasPayloadFolders)
            known = listed
            return listed
        }
    }
}

/// The payloads that a backup's folder holds, with their sizes; a look at each by itself takes far longer.
private struct StoredPayloads: Sendable {
    /// What is known of each.
    private(set) var stored: [PayloadName: (size: Int, isReadable: Bool)] = [:]
    /// Whether nothing was left out, so that what is not here is not there.
    private(set) var isComplete = false

    /// Nothing is listed.
    init() {}

    init(in files: any DumpFiles, inFolders: Bool) {
        // Of a folder that cannot be listed nothing is known to be missing.
        guard let top = inFolders ? try? files.children(of: .root) : [] else { return }
        isComplete = true
        let folders =
            inFolders ? top.filter { $0.kind == .folder && $0.path.bytes.count == 2 }.map(\.path) : [.root]
        let listed = OpeningControl.current.concurrently(folders.count) { position in
            try? files.children(of: folders[position], limit: .max)
        }
        for (folder, items) in zip(folders, listed) {
            guard let items else {
                isComplete = false
                continue
            }
            for item in items {
                let digits = item.path.lastPart
                guard let name = PayloadName(digits), !inFolders || digits.starts(with: folder.bytes) else { continue }
                // What has the name of a payload and is no file is asked for by itself.
                guard item.kind == .file else {
                    isComplete = false
                    continue
                }
                // What everybody may read is read without a try.
                stored[name] = (item.size, item.mode.map { $0 & 0o004 != 0 } ?? false)
            }
        }
    }

    /// The size of a payload that is not among those that were listed; `nil` where it is not there.
    ///
    /// - Throws: where what is there is no file.
    func size(at place: DumpPath, in files: any DumpFiles) throws(DumpError) -> Int? {
        guard !isComplete, let item = try files.item(at: place) else { return nil }
        guard item.kind == .file else { throw DumpError(place, .noPayload(place.text)) }
        return item.size
    }
}

/// Makes the SHA-1 digest of what goes through it.
private final class DigestedStream: DumpStream {
    private let base: any DumpStream
    private let atEnd: (Data) -> Void
    private var digest = Insecure.SHA1()

    init(_ base: any DumpStream, atEnd: @escaping (Data) -> Void) {
        (self.base, self.atEnd) = (base, atEnd)
    }

    func next() throws(DumpError) -> Data {
        let part = try base.next()
        if part.isEmpty { atEnd(Data(digest.finalize())) } else { digest.update(data: part) }
        return part
    }
}
