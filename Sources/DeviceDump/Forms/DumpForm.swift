import Files
import Foundation
import MigrationEngine
import SystemPackage

/// A form of dumps.
///
/// A new form is one file with such a type, and an entry in ``Recognition``. What it reads are ``DumpFiles``, so that it
/// is found in a folder as well as in whatever else has files.
protocol DumpForm: Sendable {
    /// What it is, with an article, for the list of the forms that are read; `nil` of one that is only refused.
    var words: String? { get }
    /// Folders inside of a dump of this form that people name in place of it.
    var innerFolders: [DumpPath] { get }
    /// What these files are to this form; `nil` where they are nothing of it.
    ///
    /// - Throws: where that cannot be known.
    func recognise(_ source: DumpSource) throws(DumpError) -> Recognised?
}

/// What a form has found.
enum Recognised: Sendable {
    /// A dump that can be read; where its items are not those of the folder, `mount` makes the files that they are.
    case open(Dump.Kind, mount: Mount? = nil, contents: Contents)
    /// A dump that a password opens.
    case locked(Dump.Kind, unlock: Unlock)
    /// Something that holds files, among which the dump is looked for.
    case holding(Hold)
    /// The same, found to be one that a password opens.
    case sealed(Dump.Kind, unseal: Unseal)
    /// Something that is known and not read: why.
    case refused(DumpError.Problem)

    /// Whether it is a container by itself.
    var isContainer: Bool {
        if case .open(.container, _, _) = self { true } else { false }
    }

    /// Makes of the files that were found those of which the dump consists.
    typealias Mount = @Sendable (DumpSource, OpeningControl) throws(DumpError) -> DumpSource
    /// Lists what it holds.
    typealias Hold = @Sendable (DumpSource, OpeningOptions, OpeningControl) throws(DumpError) -> Held
    /// Makes of a password the files that it opens.
    typealias Unseal = @Sendable (DumpSecret, DumpSource, OpeningControl) throws(DumpError) -> DumpSource
    /// Reads what a dump consists of; asked again when the dump is read anew.
    typealias Contents = @Sendable (DumpSource, OpeningControl) throws(DumpError) -> DumpContents
    /// Makes of a password, or of the key that was derived from one, the files that it opens, and how to read them.
    typealias Unlock = @Sendable (DumpSecret, OpeningOptions, OpeningControl) throws(DumpError) -> Unlocked
}

/// What something holds that holds files.
enum Held: Sendable {
    /// These files, and what is not as it should be with what holds them.
    case files(DumpSource, [DumpWarning])
    /// Files that a password opens.
    case sealed(Dump.Kind, Recognised.Unseal)
}

/// What a password has opened.
struct Unlocked: Sendable {
    /// The files.
    let source: DumpSource
    /// Reads what the dump consists of.
    let contents: Recognised.Contents
    /// What opens the dump without the password, where there is such a key.
    let key: Data?
}

/// What a dump consists of.
struct DumpContents: Sendable {
    /// The containers, in no order.
    var containers: [Container]
    /// What is missing or not as expected.
    var warnings: [DumpWarning] = []
    /// The keychain that the form itself holds, where a person names no other.
    var keychain: FoundKeychain?
    /// The identifiers of the device that it says it is of, as ``NameLikeness/devices(in:)`` has them.
    var devices: [String] = []
    /// Whether the device has apps, other than iOS's own, of which the dump has no container, or may have.
    var hasFurtherApps = false
    /// The apps that the dump tells of; empty where it has one container, and says nothing of other apps and of extensions.
    var apps = AppIdentifiers([])
    /// What only a look at all of it shows.
    var survey: (@Sendable (OpeningControl) throws(DumpError) -> [DumpWarning])?
}

/// A keychain in a dump, in a form that only the dump's own reader knows.
enum FoundKeychain: Sendable {
    /// It is read.
    case read(KeychainFile)
    /// It is there, and its items are locked: any export of it tells more.
    case locked(KeychainFile)
    /// It is there and cannot be read: why.
    case unreadable(DumpPath, Unreadable)
}

/// Files that may be a dump, and where they are.
package struct DumpSource: Sendable {
    /// The files.
    package let files: any DumpFiles
    /// Where they are.
    package let location: DumpLocation
    /// The file, where all of it is that one.
    package private(set) var loneFile: DumpPath?
    /// Whose preferences a single file has, where a person has said it.
    var bundleIdentifier: String?
    /// Where in the location the files begin, where they are made of what is there: their paths are none on the disk.
    private var mountPoint: DumpPath?
    /// Whether the paths of its files are not those of a folder on the disk.
    var isMounted: Bool { mountPoint != nil }
    /// What lies around these; `nil` where that is nothing that can be looked at.
    let surroundings: Surroundings?
    /// What lies around the archives that hold these, the innermost first.
    private let aroundArchives: [Surroundings]
    /// What holds all of the files, of which these may be a part.
    private let base: any DumpFiles
    /// What is named of that which is in the file: the rest of a path that leads into an archive.
    private(set) var rest = DumpPath.root

    /// A folder that files lie in, or what holds them.
    struct Surroundings: Sendable {
        /// Files of which the folder is one.
        let files: any DumpFiles
        let folder: DumpPath
        /// The path of the folder that it goes by, without a slash behind it.
        let path: String
        /// The name of what lies in it.
        let name: String

        /// What an export has written into it, as the list of that says which lies beside it; `nil` where none has.
        var written: ExportList? {
            guard let slash = path.utf8.lastIndex(of: UInt8(ascii: "/")),
                let parent = try? OpenFile.folder(slash == path.startIndex ? "/" : String(path[..<slash]))
            else { return nil }
            let name = path[path.utf8.index(after: slash)...]
            guard let folder = try? parent.open(at: name.utf8, isFolder: true) else { return nil }
            return ExportMark(of: name).list(of: folder, in: parent)
        }

        /// The folder around this one in the same files.
        var above: Surroundings? {
            folder.parent.map { parent in
                Surroundings(
                    files: files, folder: parent, path: path.dropping("/" + folder.name), name: folder.name)
            }
        }
    }

    /// What lies around these: the folder that they lie in; in an archive also those above that one; then what lies around
    /// each archive that holds them.
    var allSurroundings: [Surroundings] {
        var all = [surroundings].compactMap(\.self)
        // Without an archive the first of these is all.
        if aroundArchives.isEmpty { return all }
        while let above = all.last?.above { all.append(above) }
        for archive in aroundArchives {
            var next: Surroundings? = archive
            while let level = next, !all.contains(where: { $0.path.utf8.elementsEqual(level.path.utf8) }) {
                all.append(level)
                // On the disk only what lies beside the archive goes with it.
                next = level.path.utf8.count > location.disk.utf8.count ? level.above : nil
            }
        }
        return all
    }

    /// What lies on the disk around these, or around the outermost archive that holds them.
    var surroundingsOnDisk: Surroundings? {
        (aroundArchives.last ?? surroundings).flatMap { $0.folder.isRoot ? $0 : nil }
    }

    /// What lies on the disk around the folder that these lie in, or that archive.
    var outerSurroundings: Surroundings? {
        guard let level = surroundingsOnDisk else { return nil }
        let parts = level.path.split(separator: "/").map(String.init)
        guard let name = parts.last,
            let files = try? FolderFiles(opening: "/" + parts.dropLast().joined(separator: "/"))
        else { return nil }
        return Surroundings(files: files, folder: .root, path: parts.dropLast().map { "/" + $0 }.joined(), name: name)
    }

    /// Opens what a person has named: a folder, a file by itself, or what lies in an archive.
    package init(opening path: String) throws(DumpError) {
        let (path, rest) = try Self.reached(path)
        self.rest = rest
        let parts = path.split(separator: "/").map(String.init), name = parts.last.flatMap(DumpPath.init(_:))
        // Above the root of the disk there is nothing.
        let around = try? FolderFiles(opening: "/" + parts.dropLast().joined(separator: "/"))
        location = DumpLocation(disk: path)
        aroundArchives = []
        let folder = parts.dropLast().map { "/" + $0 }.joined()
        surroundings = name.flatMap { name in
            around.map { Surroundings(files: $0, folder: .root, path: folder, name: name.text) }
        }
        if let around, let name, let item = try around.item(at: name), item.kind != .folder {
            if case .other(let what) = item.kind { throw DumpError(path, .notAFile(what)) }
            base = FileAlone(name, of: around)
            loneFile = name
        } else {
            base = try FolderFiles(opening: path)
        }
        files = base
    }

    /// What is on the disk of a path, and the rest, where that leads into a file.
    private static func reached(_ path: String) throws(DumpError) -> (disk: String, rest: DumpPath) {
        let failure: DumpError
        do throws(DumpError) { return (try FolderFiles.canonicalPath(path), .root) } catch { failure = error }
        var parts = path.split(separator: "/"), inside: [Substring] = []
        while !parts.isEmpty {
            let above = (path.hasPrefix("/") ? "/" : "") + parts.joined(separator: "/")
            if let found = try? FolderFiles.canonicalPath(above) {
                // A slash behind it leads nowhere else.
                let rest = inside.isEmpty ? .root : DumpPath(inside.joined(separator: "/"))
                guard let rest, (try? OpenFile.status(at: found))?.type == .regular else { break }
                return (found, rest)
            }
            inside.insert(parts.removeLast(), at: 0)
        }
        // Nothing lies below a file.
        throw failure.problem == .inaccessible(.notDirectory) ? DumpError(path, .notFound) : failure
    }

    /// What a path leads to that goes on in these files, which were just found in an archive: one of their folders, or one
    /// of the files, which may be an archive that it goes on in.
    func entered() throws(DumpError) -> DumpSource {
        if rest.isRoot { return self }
        let missing = DumpError(location.path + "/" + rest.text, .notFound)
        if let loneFile {
            guard let left = rest.relative(to: loneFile) else { throw missing }
            return going(on: left)
        }
        for path in rest.folders + [rest] {
            guard let item = try files.item(at: path) else { throw missing }
            if item.kind == .folder { continue }
            // What lies beside it is what lies in its folder.
            let folder = path.parent ?? .root, name = path.relative(to: folder) ?? path
            return try (folder.isRoot ? self : below(folder)).file(name).going(on: rest.relative(to: path) ?? .root)
        }
        return below(rest)
    }

    /// The same, where a path goes on in it.
    func going(on rest: DumpPath) -> DumpSource {
        var source = self
        source.rest = rest
        return source
    }

    /// Files that nothing lies around.
    init(_ files: any DumpFiles, at location: DumpLocation) {
        base = files
        self.files = files
        self.location = location
        surroundings = nil
        aroundArchives = []
    }

    private init(_ base: any DumpFiles, _ location: DumpLocation, of other: DumpSource) {
        self.base = base
        self.location = location
        mountPoint = other.mountPoint
        aroundArchives = other.aroundArchives
        let inside = location.inside.relative(to: other.mountPoint ?? .root) ?? .root
        files = inside.isRoot ? base : Subtree(base, below: inside)
        surroundings =
            inside.parent.map { folder in
                Surroundings(
                    files: base, folder: folder, path: location.path.dropping("/" + inside.name), name: inside.name)
            } ?? other.surroundings
    }

    /// Other files in place of these, which are made of them: their place stays, and what lies around them.
    func mounting(_ files: any DumpFiles) -> DumpSource { DumpSource(mounting: files, on: self) }

    private init(mounting files: any DumpFiles, on other: DumpSource) {
        base = files
        self.files = files
        location = other.location
        surroundings = other.surroundings
        let isHeld = other.loneFile != nil
        aroundArchives = (isHeld ? [other.surroundings].compactMap(\.self) : []) + other.aroundArchives
        bundleIdentifier = other.bundleIdentifier
        mountPoint = other.location.inside
        rest = other.rest
    }

    /// How many bytes the file on the disk has that these files are, or are packed in; `Int.max` where it is none.
    func sizeOnDisk() throws(DumpError) -> Int {
        do throws(Errno) {
            let status = try OpenFile.status(at: location.disk)
            return status.type == .regular ? Int(clamping: status.size) : .max
        } catch {
            throw DumpError(location.disk, .init(error))
        }
    }

    /// What is known of the file on the disk that the files are packed in; `nil` where they are in none.
    var archiveOnDisk: Stat? {
        guard isMounted, let status = try? OpenFile.status(at: location.disk), status.type == .regular else {
            return nil
        }
        return status
    }

    /// How many bytes the file has that all of it is; none where it is a folder.
    var loneSize: Int { loneFile.flatMap { try? files.item(at: $0) }.map { $0?.size ?? 0 } ?? 0 }

    /// The same with one of its files alone, as if a person had named it.
    func alone(_ file: DumpPath) -> DumpSource {
        var source = mounting(FileAlone(file, of: files))
        source.loneFile = file
        return source
    }

    /// One of these files in its place, as if a person had named it.
    func file(_ path: DumpPath) throws(DumpError) -> DumpSource {
        isMounted ? DumpSource(alone: path, of: self) : try DumpSource(opening: location.path + "/" + path.text)
    }

    private init(alone file: DumpPath, of folder: DumpSource) {
        base = FileAlone(file, of: folder.files)
        files = base
        location = DumpLocation(disk: folder.location.disk, inside: folder.location.inside / file)
        let inside = folder.location.inside.relative(to: folder.mountPoint ?? .root) ?? .root
        surroundings = Surroundings(files: folder.base, folder: inside, path: folder.location.path, name: file.name)
        aroundArchives = folder.aroundArchives
        bundleIdentifier = folder.bundleIdentifier
        mountPoint = location.inside
        loneFile = file
    }

    /// A folder of these files as a source of its own.
    func below(_ path: DumpPath) -> DumpSource {
        DumpSource(base, DumpLocation(disk: location.disk, inside: location.inside / path), of: self)
    }

    /// The error of several dumps in it, one of which is to be named.
    func several(_ paths: [String]) -> DumpError { DumpError(location.path, .severalDumps(paths.sorted())) }

    /// The source of which this is a folder; `nil` where that cannot be looked at.
    func above(_ folder: DumpPath) -> DumpSource? {
        guard loneFile == nil, location.ends(with: folder) else { return nil }
        if let mountPoint {
            // What holds the files is none of them.
            guard let inside = location.inside.relative(to: mountPoint), inside.bytes.count >= folder.bytes.count else {
                return nil
            }
            if inside == folder {
                return DumpSource(base, DumpLocation(disk: location.disk, inside: mountPoint), of: self)
            }
        }
        if location.inside.isRoot { return try? DumpSource(opening: location.disk.dropping(folder.text)) }
        let kept = location.inside.bytes.dropLast(folder.bytes.count + 1)
        return DumpPath(bytes: kept).map { DumpSource(base, DumpLocation(disk: location.disk, inside: $0), of: self) }
    }

    /// The same source as it is now.
    func reopened() throws(DumpError) -> DumpSource {
        var source = DumpSource(try base.reopened(), location, of: self)
        source.loneFile = loneFile
        source.bundleIdentifier = bundleIdentifier
        return source
    }
}

extension DumpSource {
    /// How many archives a path may lead through, one in another.
    private static let nesting = 4

    /// A regular file anywhere on the disk or in an archive there, that a person named or that was found beside a dump: its
    /// path as it goes by, the files of its folder with that one alone, and its path in these.
    ///
    /// - Parameter options: The passwords to try on an archive, and the limits of what it may hold.
    static func file(
        at path: String, _ options: OpeningOptions = .init(), _ control: OpeningControl = .current
    ) throws(DumpError) -> (path: String, files: any DumpFiles, file: DumpPath) {
        var source = try DumpSource(opening: path)
        for _ in 0..<nesting {
            guard case .holding(let hold)? = try Archive().recognise(source) else { break }
            let held: DumpSource
            switch try hold(source, options, control) {
            case .files(let files, _): held = files
            case .sealed(_, let unseal): held = try unsealed(source, unseal, options, control)
            }
            // One file that is compressed by itself goes by the name that it has so.
            guard held.loneFile != nil || !source.rest.isRoot else { break }
            source = try held.entered()
        }
        guard source.rest.isRoot else { throw DumpError(source.location.path + "/" + source.rest.text, .notFound) }
        guard let file = source.loneFile else { throw DumpError(source.location.path, .notAFile("a folder")) }
        return (source.location.path, source.files, file)
    }

    private static func unsealed(
        _ source: DumpSource, _ unseal: Recognised.Unseal, _ options: OpeningOptions, _ control: OpeningControl
    ) throws(DumpError) -> DumpSource {
        for case .password(let password) in options.secrets {
            do throws(DumpError) { return try unseal(.password(password), source, control) } catch {
                guard error.isWrongPassword else { throw error }
            }
        }
        throw DumpError(source.location.path, .lockedArchive)
    }
}

extension String {
    /// A path without what it ends in, as many bytes: an accent may follow a slash, and both are one character.
    fileprivate func dropping(_ end: String) -> String {
        String(decoding: utf8.dropLast(end.utf8.count), as: UTF8.self)
    }
}
