/// Finds the dump that a path names, or lies in, or holds.
enum Recognition {
    /// The forms, in the order in which they are asked.
    ///
    /// A device of a simulator comes before a container, as its `data` looks like one, and what is refused by name too.
    private static let all: [any DumpForm] =
        [
            RefusedForm.keychain, SinglePropertyList(), XcodeContainer(), SimulatorDevice(), Backup(), UnpackedBackup(),
            Archive(),
        ] + RefusedForm.folders + [FileSystem(), BareContainer()] + RefusedForm.files + [UnreadFormat()]

    /// The forms that are read, each with an article.
    static var words: [String] { all.compactMap(\.words) }

    /// The forms that are read, in a sentence.
    static var forms: String {
        words.dropLast().joined(separator: ", ") + " and " + (words.last ?? "")
    }

    /// What was found: its files, what they are, and a warning where that is not what was named.
    typealias Found = (source: DumpSource, recognised: Recognised, warnings: [DumpWarning])

    /// How many things may hold one another until a dump is found in them.
    private static let nesting = 4

    /// Recognises what files are; where they hold others, what those are.
    static func recognise(
        _ source: DumpSource, _ options: OpeningOptions, _ control: OpeningControl, nesting: Int = nesting
    ) throws(DumpError) -> Found {
        var found = try found(source, control)
        guard case .holding(let hold) = found.recognised else { return found }
        guard nesting > 0 else { throw DumpError(source.location.path, .notRecognised) }
        switch try hold(found.source, options, control) {
        case .sealed(let kind, let unseal): found.recognised = .sealed(kind, unseal: unseal)
        case .files(let files, let warnings):
            let inner = try recognise(files, options, control, nesting: nesting - 1)
            found = (inner.source, inner.recognised, found.warnings + warnings + inner.warnings)
        }
        return found
    }

    private static func found(_ source: DumpSource, _ control: OpeningControl) throws(DumpError) -> Found {
        try control.reach(.looking)
        // Asked at once, so that a folder without permission is not “not recognised”.
        let children: [DumpItem]
        do throws(DumpError) { children = try source.files.children() } catch {
            throw DumpError(source.location.path, error.problem)
        }
        for form in all {
            if let recognised = try form.recognise(source) { return (source, recognised, []) }
            for inner in form.innerFolders {
                guard let above = source.above(inner), let recognised = try form.recognise(above) else { continue }
                return (above, recognised, [elsewhere(source, above)])
            }
        }
        let below = try candidates(in: source, children, control)
        // What is refused counts only where there is nothing to read.
        let readable = below.filter { if case .refused = $0.recognised { false } else { true } }
        if readable.isEmpty, let recognised = try FileSystem(isSearching: true).recognise(source) {
            return (source, recognised, [])
        }
        if let only = readable.first ?? below.first, readable.count < 2 {
            return (only.source, only.recognised, [elsewhere(source, only.source)])
        }
        // What was packed may have been packed with the folders that it was in.
        let folders = children.filter { $0.kind == .folder && !Archive.isAddition($0.path) }
        if source.isMounted, readable.isEmpty, folders.count == 1, source.location.inside.parts.count < 8 {
            return try found(source.below(folders[0].path), control)
        }
        throw DumpError(
            source.location.path,
            readable.isEmpty ? .notRecognised : .severalDumps(readable.map(\.source.location.path).sorted()))
    }

    private static func elsewhere(_ named: DumpSource, _ found: DumpSource) -> DumpWarning {
        DumpWarning("", .foundElsewhere(named: named.location.path, root: found.location.path))
    }

    /// The dumps directly in a folder.
    private static func candidates(
        in source: DumpSource, _ children: [DumpItem], _ control: OpeningControl
    ) throws(DumpError) -> [(source: DumpSource, recognised: Recognised)] {
        guard source.loneFile == nil else { return [] }
        var found: [(source: DumpSource, recognised: Recognised)] = []
        for (position, child) in children.enumerated() where child.kind == .folder {
            try control.reach(.looking, position, of: children.count)
            let below = source.below(child.path)
            for form in all {
                // One that cannot be looked at is not what keeps the others from being found.
                guard let recognised = try? form.recognise(below) else { continue }
                found.append((below, recognised))
                break
            }
        }
        return found
    }
}
