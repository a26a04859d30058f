import Foundation

/// Finds the dump that a path names, or lies in, or holds.
enum Recognition {
    /// The forms, in the order in which they are asked.
    ///
    /// A device of a simulator comes before a container, as its `data` looks like one, and what is refused by name too.
    private static let all: [any DumpForm] =
        [
            RefusedForm.keychain, RefusedForm.crashReport, RefusedForm.iCloudStub, RefusedForm.part,
            RefusedForm.backupList, RefusedForm.downloadInfo,
            SinglePropertyList(), XcodeContainer(),
            SimulatorDevice(),
            Backup(), UnpackedBackup(),
            Archive(),
        ] + RefusedForm.folders + [FileSystem(), BareContainer()] + RefusedForm.files
        + [SingleDatabase(), UnreadFormat()]

    /// The forms that are read, each with an article.
    static var words: [String] { all.compactMap(\.words) }

    /// The forms that are read, in a sentence.
    static var forms: String {
        words.dropLast().joined(separator: ", ") + " and " + (words.last ?? "")
    }

    /// What was found: its files, what they are, and warnings where that is not what was named.
    struct Found {
        var source: DumpSource
        var recognised: Recognised
        var warnings: [DumpWarning]

        init(_ source: DumpSource, _ recognised: Recognised, _ warnings: [DumpWarning] = []) {
            (self.source, self.recognised, self.warnings) = (source, recognised, warnings)
        }

        /// The same, with what lies beside it and was not taken.
        fileprivate func passingOver(_ others: [DumpSource]) -> Found {
            guard !others.isEmpty else { return self }
            let passed = DumpWarning("", .passedOver(others.map(\.location.path).sorted()))
            return Found(source, recognised, [passed] + warnings)
        }
    }

    /// How many things may hold one another until a dump is found in them.
    private static let nesting = 4
    /// How many levels of folders are looked through: what was packed may have been packed with those that it was in.
    private static func levels(of source: DumpSource) -> Int { source.isMounted ? 8 : 3 }
    /// How many folders above are looked at, whether they are the dump of which a folder is a part.
    private static let levelsAbove = 10
    /// How many files and folders are looked at.
    private static let searchLimit = 2_000
    /// In how many archives it is looked whether there is a dump, where several lie side by side, and of how many bytes each;
    /// and how many bytes are unpacked for that, of all together.
    private static let archiveLimit = 32, archiveSizeLimit = 1 << 26, unpackedLimit = 1 << 30
    /// How many files beside a dump are looked at, whether they are archives.
    private static let besideLimit = 100

    /// Recognises what files are; where they hold others, what those are.
    static func recognise(
        _ source: DumpSource, _ options: OpeningOptions, _ control: OpeningControl, nesting: Int = nesting
    ) throws(DumpError) -> Found {
        var archives = archiveLimit
        return try recognise(source, options, control, nesting: nesting, &archives)
    }

    /// - Parameter archives: In how many archives more it is looked whether there is a dump.
    private static func recognise(
        _ source: DumpSource, _ options: OpeningOptions, _ control: OpeningControl, nesting: Int, _ archives: inout Int
    ) throws(DumpError) -> Found {
        var found: Found
        do throws(DumpError) {
            found = try Self.found(source, control) { (archive) throws(DumpError) in
                try look(into: archive, options, control, nesting: nesting, &archives)
            }
        } catch {
            // A path leads into an archive alone.
            guard error.problem == .notRecognised, !source.rest.isRoot else { throw error }
            throw DumpError(source.location.path + "/" + source.rest.text, .notFound)
        }
        guard case .holding(let hold) = found.recognised else {
            guard source.rest.isRoot else { throw DumpError(source.location.path + "/" + source.rest.text, .notFound) }
            return found
        }
        guard nesting > 0 else { throw DumpError(source.location.path, .nestedArchives(limit: Self.nesting)) }
        switch try hold(found.source, options, control) {
        case .sealed(let kind, let unseal): found.recognised = .sealed(kind, unseal: unseal)
        case .files(let files, let warnings):
            let inner: Found
            do throws(DumpError) {
                inner = try recognise(files.entered(), options, control, nesting: nesting - 1, &archives)
            } catch {
                throw error.telling(warnings.filter(\.leavesOut))
            }
            let named = source.rest.isRoot ? source.location.path : nil
            found = Found(inner.source, inner.recognised, warnings + joined(found.warnings, inner.warnings, named))
        }
        return found
    }

    /// Where the dump is, once: what was named, and what was found in the end.
    ///
    /// - Parameter named: The path of what was named, where that is all of the outer one.
    private static func joined(
        _ outer: [DumpWarning], _ inner: [DumpWarning], _ named: String?
    ) -> [DumpWarning] {
        guard let place = inner.firstIndex(where: { if case .foundElsewhere = $0.problem { true } else { false } }),
            case .foundElsewhere(_, let root) = inner[place].problem
        else { return outer + inner }
        var inner = inner
        if case .foundElsewhere(let named, _)? = outer.last?.problem {
            inner[place].problem = .foundElsewhere(named: named, root: root)
            return outer.dropLast() + inner
        }
        if let named { inner[place].problem = .foundElsewhere(named: named, root: root) }
        return outer + inner
    }

    /// What a look into one of several archives shows.
    private enum Looked {
        /// There is no dump in it.
        case nothing
        /// There is one, or may be one where nothing is known of it: it is damaged.
        case dump(Found?)
        /// What is in it is refused by its name.
        case refused(Found)
        /// It was not looked into: that would take too long.
        case notLookedInto
    }

    /// Looks whether there is a dump in one of several archives.
    private static func look(
        into archive: DumpSource, _ options: OpeningOptions, _ control: OpeningControl, nesting: Int,
        _ archives: inout Int
    ) throws(DumpError) -> Looked {
        let control = control.unpacking(upTo: unpackedLimit)
        guard archives > 0, nesting > 0, archive.loneSize <= archiveSizeLimit, !control.isSpent else {
            return .notLookedInto
        }
        archives -= 1
        do throws(DumpError) {
            let found = try recognise(archive, options, control, nesting: nesting, &archives)
            if control.isSpent { return .notLookedInto }
            if case .refused = found.recognised { return .refused(found) }
            return .dump(found)
        } catch {
            if error.problem == .cancelled { throw error }
            if control.isSpent { return .notLookedInto }
            // Of what is not recognised not all was looked at.
            switch error.problem {
            case .somethingElse, .refused: return .nothing
            default: return .dump(nil)
            }
        }
    }

    /// Whether what lies beside a dump may be one too, as far as a look into it shows; `nil` where that is not known.
    static func mayBeDump(_ source: DumpSource, _ options: OpeningOptions, _ control: OpeningControl) -> Bool? {
        var archives = archiveLimit
        switch try? look(into: source, options, control, nesting: nesting, &archives) {
        case .nothing: return false
        case .refused(let found):
            guard case .refused(let problem) = found.recognised else { return false }
            return RefusedForm.isUnread(problem)
        case .dump(let found?):
            // Many a folder has a property list or a database, which is a dump where there is nothing else.
            if case .open = found.recognised, found.source.loneFile != nil { return false }
            return true
        case .dump(nil), .notLookedInto, nil: return nil
        }
    }

    /// What these files are.
    ///
    /// - Parameter look: Looks into one of several archives.
    private static func found(
        _ source: DumpSource, _ control: OpeningControl,
        look: (DumpSource) throws(DumpError) -> Looked = { _ in .dump(nil) }
    ) throws(DumpError) -> Found {
        try control.reach(.looking)
        // Asked at once, so that a folder without permission is not “not recognised”.
        do throws(DumpError) { _ = try source.files.children() } catch {
            throw DumpError(source.location.path, error.problem)
        }
        for form in all {
            if let recognised = try form.recognise(source) { return Found(source, recognised) }
            for inner in form.innerFolders {
                guard let above = source.above(inner), let recognised = try form.recognise(above) else { continue }
                return Found(above, recognised, [elsewhere(source, above)])
            }
        }
        guard source.loneFile == nil else { throw DumpError(source.location.path, .notRecognised) }
        return try foundInside(source, control, look)
    }

    /// The dump of which a folder is a part that is not one of those that its form names as inner ones.
    private static func dump(above source: DumpSource, _ control: OpeningControl) -> DumpSource? {
        let parts = source.location.path.split(separator: "/")
        for count in 1...levelsAbove where count < parts.count {
            guard let folder = DumpPath(parts.suffix(count).joined(separator: "/")),
                let above = source.above(folder), above.location.path != NSHomeDirectory()
            else { continue }
            switch try? recognised(above) {
            // It may be a part of another itself.
            case .open, .locked: return (try? found(above, control))?.source ?? above
            default: continue
            }
        }
        return nil
    }

    /// What files are, by the endings of their names.
    private static func words(for files: [FileInside]) -> String {
        guard !files.isEmpty else { return "no file" }
        var counts: [String: Int] = [:]
        for file in files {
            let ending = file.path.name.split(separator: ".", omittingEmptySubsequences: false).dropFirst().last ?? ""
            let isPlain =
                (1...8).contains(ending.utf8.count)
                && ending.utf8.allSatisfy { ($0 | 0x20) > 0x60 && ($0 | 0x20) < 0x7B || (0x30...0x39).contains($0) }
            counts[isPlain ? "." + ending.lowercased() : "", default: 0] += 1
        }
        let others = counts.removeValue(forKey: "") ?? 0
        let sorted = counts.sorted { ($1.value, $0.key) < ($0.value, $1.key) }, shown = sorted.prefix(3)
        var words = shown.map { "\($0.value) \($0.key) file\($0.value == 1 ? "" : "s")" }
        let rest = others + sorted.dropFirst(3).reduce(0) { $0 + $1.value }
        if rest > 0 { words.append("\(rest) \(words.isEmpty ? "" : "other ")file\(rest == 1 ? "" : "s")") }
        return words.count == 1 ? words[0] : words.dropLast().joined(separator: ", ") + " and " + (words.last ?? "")
    }

    private static func elsewhere(_ named: DumpSource, _ found: DumpSource) -> DumpWarning {
        DumpWarning("", .foundElsewhere(named: named.location.path, root: found.location.path))
    }

    private typealias Candidate = (source: DumpSource, recognised: Recognised)

    /// The dump in a folder that is none: what people send lies in folders of its own, beside notes and pictures.
    ///
    /// Several on whatever level are named, and none is chosen. An archive counts only where there is nothing that is
    /// unpacked, and a property list or a database by itself only where nothing else is at hand, as many a folder has one:
    /// of these the ones that lie nearest. What is refused counts last.
    private static func foundInside(
        _ source: DumpSource, _ control: OpeningControl, _ look: (DumpSource) throws(DumpError) -> Looked
    ) throws(DumpError) -> Found {
        var level = [source], files: [FileInside] = [], looked = 0, goesOn = false, failure: DumpError?
        var readable: [Candidate] = [], refused: [Candidate] = []
        func note(_ error: DumpError, at place: DumpSource) throws(DumpError) {
            if error.problem == .cancelled { throw error }
            if case .inaccessible = error.problem { failure = failure ?? DumpError(place.location.path, error.problem) }
        }
        let levels = levels(of: source)
        for depth in 0...levels {
            var next: [DumpSource] = []
            for folder in level where depth < levels || files.count <= searchLimit {
                // One that cannot be looked at is not what keeps the others from being found.
                var children: [DumpItem] = []
                do throws(DumpError) { children = try folder.files.children() } catch { try note(error, at: folder) }
                children = children.filter { !Archive.isAddition($0.path) }
                if files.count <= searchLimit {
                    files += children.filter { $0.kind == .file }.map { FileInside(folder, $0.path, depth) }
                }
                // On the last level there are files alone.
                guard depth < levels else {
                    goesOn = goesOn || children.contains { $0.kind == .folder }
                    continue
                }
                for child in children where child.kind == .folder && looked <= searchLimit {
                    try control.reach(.looking, looked)
                    looked += 1
                    let below = folder.below(child.path)
                    do throws(DumpError) {
                        switch try recognised(below) {
                        case .refused(let problem)?: refused.append((below, .refused(problem)))
                        case let found?: readable.append((below, found))
                        case nil: next.append(below)
                        }
                    } catch {
                        try note(error, at: below)
                    }
                }
            }
            level = next
        }
        // Containers by themselves, and side by side, may be those of one device.
        if readable.count > 1, readable.allSatisfy(\.recognised.isContainer),
            let recognised = try FileSystem(isSearching: true).recognise(source)
        {
            return Found(source, recognised)
        }
        if let found = try only(of: readable, in: source) {
            let beside = files.prefix(besideLimit).compactMap { try? $0.folder.file($0.path) }
            return found.passingOver(beside.filter { Archive.isOne($0) })
        }
        if let recognised = try FileSystem(isSearching: true).recognise(source) { return Found(source, recognised) }
        var inside = try candidates(among: files, control), isEmpty = ""
        var opened: Found?
        if inside.readable.joined().count > 1, let archives = inside.readable.first, !archives.isEmpty {
            let shown = try looks(into: archives, look)
            guard shown.others.isEmpty || shown.dumps.count + shown.others.count == 1 else {
                throw DumpError(
                    source.location.path,
                    .severalArchives(
                        shown.dumps.map(\.source.location.path).sorted(),
                        notLookedInto: shown.others.map(\.source.location.path).sorted()))
            }
            inside.readable[0] = shown.dumps + shown.others
            inside.refused += shown.refused
            opened = shown.opened
            if inside.readable[0].isEmpty { isEmpty = ", with no dump in the archives" }
        }
        for (position, candidates) in inside.readable.enumerated() {
            guard let found = try only(of: candidates, in: source) else { continue }
            // Of a lone file it is not known that it is the only one, where not all were looked at.
            if position > 0, max(looked, files.count) > searchLimit { break }
            if position > 0, let dump = dump(above: source, control) {
                throw DumpError(source.location.path, .insideDump(dump.location.path))
            }
            let others = inside.readable[(position + 1)...].joined().map(\.source)
            guard position == 0, let opened else { return found.passingOver(others) }
            return Found(opened.source, opened.recognised, joined(found.warnings, opened.warnings, nil)).passingOver(
                others)
        }
        if let failure { throw failure }
        if let dump = dump(above: source, control) {
            throw DumpError(source.location.path, .insideDump(dump.location.path))
        }
        if max(looked, files.count) > searchLimit {
            throw DumpError(source.location.path, .searchCut(limit: searchLimit))
        }
        guard let first = (refused + inside.refused).first else {
            if !goesOn, let pictures = pictures(files) {
                throw DumpError(
                    source.location.path, .refused(form: pictures, advice: RefusedForm.askForContainer))
            }
            // What lies further down is not known.
            throw DumpError(
                source.location.path, goesOn ? .notRecognised : .somethingElse(holds: words(for: files) + isEmpty))
        }
        return Found(first.source, first.recognised, [elsewhere(source, first.source)])
    }

    /// What archives that lie side by side hold.
    private static func looks(
        into archives: [Candidate], _ look: (DumpSource) throws(DumpError) -> Looked
    ) throws(DumpError) -> (dumps: [Candidate], opened: Found?, refused: [Candidate], others: [Candidate]) {
        var dumps: [Candidate] = [], opened: Found?, refused: [Candidate] = [], others: [Candidate] = []
        for archive in archives {
            switch try look(archive.source) {
            case .nothing: break
            case .dump(let found):
                dumps.append(archive)
                // Of several none is opened, and what was unpacked of them goes.
                opened = dumps.count == 1 ? found : nil
            case .refused(let found): refused.append((found.source, found.recognised))
            case .notLookedInto: others.append(archive)
            }
        }
        return (dumps, opened, refused, others)
    }

    /// That files are pictures and films, which and how many; `nil` where one is anything else.
    private static func pictures(_ files: [FileInside]) -> String? {
        let endings: Set = [
            "jpg", "jpeg", "png", "heic", "heif", "gif", "webp", "tif", "tiff", "dng", "mov", "mp4", "m4v", "aae",
        ]
        guard !files.isEmpty,
            files.allSatisfy({ endings.contains(($0.path.name as NSString).pathExtension.lowercased()) })
        else { return nil }
        return "nothing but pictures and films (\(words(for: files))), which have no data of apps"
    }

    /// A file in a folder that is no dump, so many levels down.
    private struct FileInside {
        let folder: DumpSource, path: DumpPath, depth: Int

        init(_ folder: DumpSource, _ path: DumpPath, _ depth: Int) {
            (self.folder, self.path, self.depth) = (folder, path, depth)
        }
    }

    /// The files that are dumps by themselves: archives, then what lies on each level, property lists before databases.
    private static func candidates(
        among files: [FileInside], _ control: OpeningControl
    ) throws(DumpError) -> (readable: [[Candidate]], refused: [Candidate]) {
        var archives: [Candidate] = [], refused: [Candidate] = []
        var lists: [Int: [Candidate]] = [:], databases: [Int: [Candidate]] = [:]
        for inside in files.prefix(searchLimit) where inside.path.isUTF8 {
            try control.reach(.looking)
            guard let file = try? inside.folder.file(inside.path), let found = try? recognised(file) else { continue }
            switch found {
            case .refused(let problem): refused.append((file, .refused(problem)))
            case .open:
                if SinglePropertyList.isPropertyList(file) {
                    lists[inside.depth, default: []].append((file, found))
                } else if SingleDatabase.isDatabase(file) {
                    databases[inside.depth, default: []].append((file, found))
                }
            default: archives.append((file, found))
            }
        }
        let levels = Set(lists.keys).union(databases.keys).sorted()
        return ([archives] + levels.flatMap { [lists[$0] ?? [], databases[$0] ?? []] }, refused)
    }

    private static func only(of found: [Candidate], in source: DumpSource) throws(DumpError) -> Found? {
        guard let only = found.first else { return nil }
        guard found.count == 1 else {
            throw source.several(found.map(\.source.location.path))
        }
        return Found(only.source, only.recognised, [elsewhere(source, only.source)])
    }

    private static func recognised(_ source: DumpSource) throws(DumpError) -> Recognised? {
        if source.loneFile == nil { _ = try source.files.children(of: .root, limit: 1) }
        for form in all where !(form is UnreadFormat) && (form as? RefusedForm)?.isOnlyNamed != true {
            if let recognised = try? form.recognise(source) { return recognised }
        }
        return nil
    }
}
