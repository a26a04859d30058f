import Files
import Foundation

/// Why a keychain's export beside a dump may be another's.
package enum KeychainDoubt: Hashable, Sendable {
    /// It is named after another thing there that may be a dump, whose name this is.
    case namedAfter(String)
    /// Its name is as near to that of another thing there that may be a dump.
    case fitsAlso(String)
    /// It is named after something that neither the dump is nor anything beside it: a person, it may be.
    case namedOtherwise
    /// It is named after a device, which the dump is not.
    case ofDevice(String)
    /// What this is the name of lies there and cannot be looked at, so that it may be a dump.
    case notRead(String)
    /// More lies there than is looked at.
    case notAllLookedAt(Crowd)

    /// What there is too much of.
    package enum Crowd: Hashable, Sendable {
        /// Archives and folders, into more than so many of which it is not looked.
        case holders(limit: Int)
        /// Other files, of more than so many of which the beginning is not looked at.
        case files(limit: Int)
    }
}

/// What lies beside a dump, or beside what holds it, and may be another dump, whose a keychain's export there may be.
struct KeychainNeighbours {
    private let level: DumpSource.Surroundings
    private let source: DumpSource
    private let names: [String]
    private let words: [[String]]
    /// The devices that the dump is of.
    private let devices: [String]
    private let others: [(item: DumpItem, words: [String])]
    /// Those of them that an export of another dump has written, whatever it holds.
    private let exports: Set<DumpPath>
    /// The names of what is no other dump and not this one: what exports of it are called, and the folder that all is in.
    private let related: [[String]]
    private let options: OpeningOptions
    private let control: OpeningControl
    /// Of how many of them the beginning is looked at, into how many it is looked, and how many bytes are unpacked for that.
    static let headLimit = 1_000, lookLimit = 64
    private static let unpackedLimit = 1 << 28

    /// - Parameters:
    ///   - items: What lies there.
    ///   - names: Those of the dump and of what holds it; what goes by one of them in another form is the same.
    ///   - devices: What the dump says itself of the device that it is of; where that is nothing its names say it.
    init(
        at level: DumpSource.Surroundings, _ items: [DumpItem], of source: DumpSource, called names: [String],
        on devices: [String], _ options: OpeningOptions, _ control: OpeningControl
    ) {
        (self.level, self.source, self.names, self.options) = (level, source, names, options)
        self.control = control.unpacking(upTo: Self.unpackedLimit)
        let own = names.map(NameLikeness.words(of:)), all = Set(items.map(\.name))
        words = own
        self.devices = devices.isEmpty ? names.flatMap(NameLikeness.devices) : devices
        let written = level.written, path = level.path
        // Asked once, and only where something may be an export.
        lazy var attribute = try? source.exportAttribute(control)
        /// Whether an export has written it of this dump; `nil` where none has.
        func isOwnExport(_ item: DumpItem) -> Bool? {
            guard item.kind == .folder, let folder = try? OpenFile.folder(path + "/" + item.name),
                all.contains(HiddenName.exportList(for: item.name)) || folder.hasAttribute(ExportMark.attribute)
            else { return nil }
            return attribute.map(folder.hasAttribute) ?? false
        }
        var others: [(item: DumpItem, words: [String])] = [], exports: Set<DumpPath> = []
        var copies: [[String]] = []
        for item in items {
            let name = item.name, words = NameLikeness.words(of: name)
            if name.hasPrefix(".") || Archive.isAddition(item.path) || names.contains(name) { continue }
            // What an export has written into one folder is one dump, and what one has written of this dump is the same.
            if Self.isCalledExport(item) || written?.has(item.path) ?? false { continue }
            switch isOwnExport(item) {
            case true?:
                copies.append(words)
                continue
            case false?: exports.insert(item.path)
            case nil: if !words.isEmpty, own.contains(words) { continue }
            }
            others.append((item, words))
        }
        // What lies in the folder of one customer is that one's.
        copies += level.path.split(separator: "/").suffix(1).map { NameLikeness.words(of: String($0)) }
        (self.others, self.exports, related) = (others, exports, copies)
    }

    /// Whether a name says that the file is an export, and none that holds files.
    static func isCalledExport(_ item: DumpItem) -> Bool {
        item.kind != .folder && Dump.isCalledKeychain(item.name)
    }

    /// Why an export of this name may be another's; `nil` where it is taken for the dump's.
    func doubt(of export: String) -> KeychainDoubt? {
        let named = NameLikeness.devices(in: export), isOfDevice = isOfDevice(export)
        if let device = named.first, !devices.isEmpty, !isOfDevice { return .ofDevice(device.uppercased()) }
        let own = NameLikeness(of: export, toNearestOf: words)
        let rivals = others.map { ($0.item, NameLikeness(of: export, toNearestOf: [$0.words])) }
            .filter { $0.1 >= own }.sorted { $0.1 > $1.1 }
        var candidates: [(item: DumpItem, isNearer: Bool)] = []
        for (item, likeness) in rivals {
            let isNearer = likeness > own
            // Of one device there may be several copies.
            if isOfDevice, !isNearer || !NameLikeness.devices(in: item.name).contains(where: named.contains) {
                continue
            }
            candidates.append((item, isNearer))
        }
        if let doubt = doubt(about: candidates) { return doubt }
        let isNamed = !named.isEmpty || !own.isNone || !NameLikeness(of: export, toNearestOf: related).isNone
        return isNamed || !NameLikeness.namesSomeone(export) ? nil : .namedOtherwise
    }

    /// Whether the name of an export is that of the device that the dump is of.
    func isOfDevice(_ export: String) -> Bool { NameLikeness.devices(in: export).contains(where: devices.contains) }

    /// That something beside the dump may be another one, whatever an export there is called; `nil` where nothing is.
    var rival: KeychainDoubt? { doubt(about: others.map { ($0.item, false) }) }

    /// That one of several things may be a dump: the first that is known to be, or else why that is not known.
    private func doubt(about candidates: [(item: DumpItem, isNearer: Bool)]) -> KeychainDoubt? {
        var looks = (heads: Self.headLimit, all: Self.lookLimit), unknown: KeychainDoubt?
        for (item, isNearer) in candidates {
            guard let doubt = doubt(about: item, asNamedAfter: isNearer, &looks) else { continue }
            switch doubt {
            case .namedAfter, .fitsAlso, .ofDevice, .namedOtherwise: return doubt
            case .notRead, .notAllLookedAt: unknown = unknown ?? doubt
            }
        }
        return unknown
    }

    /// That something may be a dump: also where that is not known, as of an archive in a form that is not read.
    ///
    /// - Parameter isNearer: Whether the export is called after it: then it is enough that it is called as files are that may be
    ///   a dump.
    private func doubt(
        about item: DumpItem, asNamedAfter isNearer: Bool, _ looks: inout (heads: Int, all: Int)
    ) -> KeychainDoubt? {
        let doubt: KeychainDoubt = isNearer ? .namedAfter(item.name) : .fitsAlso(item.name)
        if exports.contains(item.path) { return doubt }
        let isFile = item.kind != .folder, isCalledOther = NameLikeness.isCalledOther(item.name)
        if isFile {
            if isNearer, NameLikeness.isArchive(item.name) || NameLikeness.isLone(item.name) { return doubt }
            if NameLikeness.isUnreadArchive(item.name) { return isCalledOther ? nil : doubt }
            // A property list or a database lies in many a folder, and is a dump where there is no other.
            if NameLikeness.isLone(item.name) { return source.loneFile != nil && !source.isMounted ? doubt : nil }
        }
        var other: DumpSource?
        switch item.kind {
        case .other: return nil
        case .folder, .file: break
        case .symbolicLink:
            // What is not there, and a pipe, is none.
            do throws(DumpError) { other = try source(of: item) } catch {
                switch error.problem {
                case .notFound, .notAFile: return nil
                default: return isCalledOther ? nil : .notRead(item.name)
                }
            }
        }
        if isFile, other.map({ $0.loneFile != nil }) ?? true, !NameLikeness.isArchive(item.name) {
            looks.heads -= 1
            guard looks.heads >= 0 else { return .notAllLookedAt(.files(limit: Self.headLimit)) }
            let head: Data
            do throws(DumpError) { head = try self.head(of: item, other) } catch {
                return isCalledOther ? nil : .notRead(item.name)
            }
            if ArchiveFormat(head) == nil { return nil }
        }
        looks.all -= 1
        guard looks.all >= 0 else { return .notAllLookedAt(.holders(limit: Self.lookLimit)) }
        do throws(DumpError) { if other == nil { other = try source(of: item) } } catch { return .notRead(item.name) }
        return other.flatMap { Recognition.mayBeDump($0, options, control) } ?? !isCalledOther ? doubt : nil
    }

    /// How a file begins, or what a link to one leads to.
    private func head(of item: DumpItem, _ other: DumpSource?) throws(DumpError) -> Data {
        let stream: any DumpStream
        if let other, let file = other.loneFile {
            stream = try other.files.stream(of: file)
        } else {
            stream = try level.files.stream(of: level.folder / item.path)
        }
        return try stream.next().prefix(512)
    }

    private func source(of item: DumpItem) throws(DumpError) -> DumpSource {
        if let folder = DumpPath(level.name).flatMap(source.above), folder.location.path == level.path {
            return item.kind == .folder ? folder.below(item.path) : try folder.file(item.path)
        }
        return try DumpSource(opening: level.path + "/" + item.name)
    }
}

extension Dump {
    /// Whether a file goes by its name for an export of a keychain, and for none that is packed.
    package static func isCalledKeychain(_ name: String) -> Bool {
        name.lowercased().contains("keychain") && !NameLikeness.isArchive(name)
    }
}
