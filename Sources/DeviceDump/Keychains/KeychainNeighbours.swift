import Files
import Foundation

/// Why a keychain's export beside a dump may be another's.
package enum KeychainDoubt: Hashable, Sendable {
    /// It is named after another thing there that may be a dump, whose name this is.
    case namedAfter(String)
    /// Its name is as near to that of another thing there that may be a dump.
    case fitsAlso(String)
    /// It is named after a device, which the dump is not.
    case ofDevice(String)
}

/// What lies beside a dump, or beside what holds it, and may be another dump, whose a keychain's export there may be.
struct KeychainNeighbours {
    private let level: DumpSource.Surroundings
    private let source: DumpSource
    private let names: [String]
    private let words: [[String]]
    private let others: [(item: DumpItem, words: [String])]
    private let options: OpeningOptions
    private let control: OpeningControl
    /// Of how many of them the beginning is looked at, into how many it is looked, and how many bytes are unpacked for that.
    private static let headLimit = 1_000, lookLimit = 64, unpackedLimit = 1 << 28

    /// - Parameters:
    ///   - items: What lies there.
    ///   - names: Those of the dump and of what holds it; what goes by one of them in another form is the same.
    init(
        at level: DumpSource.Surroundings, _ items: [DumpItem], of source: DumpSource, called names: [String],
        _ options: OpeningOptions, _ control: OpeningControl
    ) {
        (self.level, self.source, self.names, self.options) = (level, source, names, options)
        self.control = control.unpacking(upTo: Self.unpackedLimit)
        let own = names.map(NameLikeness.words(of:)), all = Set(items.map(\.name))
        words = own
        // What an export has written into a folder is one dump.
        if level.isExport {
            others = []
            return
        }
        others = items.lazy.map { ($0, NameLikeness.words(of: $0.name)) }.filter { item, words in
            let name = item.name
            return !name.hasPrefix(".") && !Archive.isAddition(item.path) && !names.contains(name)
                && !Self.isCalledExport(item) && !all.contains(HiddenName.exportList(for: name))
                && (words.isEmpty || !own.contains(words))
        }
    }

    /// Whether a name says that the file is an export, and none that holds files.
    static func isCalledExport(_ item: DumpItem) -> Bool {
        item.kind != .folder && item.name.lowercased().contains("keychain") && !NameLikeness.isArchive(item.name)
    }

    /// Why an export of this name may be another's; `nil` where it is taken for the dump's.
    func doubt(of export: String) -> KeychainDoubt? {
        let devices = NameLikeness.devices(in: export), ofDump = names.flatMap(NameLikeness.devices)
        let isOfDevice = devices.contains(where: ofDump.contains)
        if let device = devices.first, !ofDump.isEmpty, !isOfDevice { return .ofDevice(device.uppercased()) }
        let own = NameLikeness(of: export, toNearestOf: words)
        let rivals = others.map { ($0.item, NameLikeness(of: export, toNearestOf: [$0.words])) }
            .filter { $0.1 >= own }.sorted { $0.1 > $1.1 }
        var looks = (heads: Self.headLimit, all: Self.lookLimit)
        for (item, likeness) in rivals {
            let isNearer = likeness > own
            // Of one device there may be several copies.
            if isOfDevice, !isNearer || !NameLikeness.devices(in: item.name).contains(where: devices.contains) {
                continue
            }
            if mayBeDump(item, ifCalledOne: isNearer, &looks) {
                return isNearer ? .namedAfter(item.name) : .fitsAlso(item.name)
            }
        }
        return nil
    }

    /// Whether nothing beside the dump may be another one; what may be is named where that is not so.
    var rival: String? {
        var looks = (heads: Self.headLimit, all: Self.lookLimit)
        return others.first { mayBeDump($0.item, ifCalledOne: false, &looks) }?.item.name
    }

    /// Whether one may be a dump: also where that is not known, as of an archive in a form that is not read.
    ///
    /// - Parameter suffices: Whether it is enough that it is called as files are that may be one, as where the export is
    ///   called after it.
    private func mayBeDump(
        _ item: DumpItem, ifCalledOne suffices: Bool, _ looks: inout (heads: Int, all: Int)
    ) -> Bool {
        let isFile = item.kind != .folder
        if isFile, suffices, NameLikeness.isArchive(item.name) || NameLikeness.isLone(item.name) { return true }
        let isCalledOther = NameLikeness.isCalledOther(item.name)
        if isFile, NameLikeness.isUnreadArchive(item.name) { return !isCalledOther }
        // A property list or a database lies in many a folder, and is a dump where there is no other.
        if isFile, NameLikeness.isLone(item.name) { return source.loneFile != nil && !source.isMounted }
        if isFile, !NameLikeness.isArchive(item.name) {
            looks.heads -= 1
            guard looks.heads >= 0, beginsAsArchive(item) else { return false }
        }
        looks.all -= 1
        guard looks.all >= 0, let other = source(of: item) else { return true }
        return Recognition.mayBeDump(other, options, control) ?? !isCalledOther
    }

    private func beginsAsArchive(_ item: DumpItem) -> Bool {
        let head = try? level.files.stream(of: level.folder / item.path).next().prefix(512)
        return head.map { ArchiveFormat($0) != nil } ?? false
    }

    private func source(of item: DumpItem) -> DumpSource? {
        if let folder = DumpPath(level.name).flatMap(source.above), folder.location.path == level.path {
            return item.kind == .folder ? folder.below(item.path) : try? folder.file(item.path)
        }
        return try? DumpSource(opening: level.path + "/" + item.name)
    }
}
