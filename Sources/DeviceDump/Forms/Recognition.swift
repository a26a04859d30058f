/// Finds the dump that a path names, or lies in, or holds.
enum Recognition {
    /// The forms, in the order in which they are asked.
    ///
    /// A device of a simulator comes before a container, as its `data` looks like one, and what is refused by name too.
    private static let all: [any DumpForm] =
        [
            RefusedForm.keychain, RefusedForm.crashReport, SinglePropertyList(), XcodeContainer(), SimulatorDevice(),
            Backup(), UnpackedBackup(),
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
    /// How many levels of folders are looked through: what was packed may have been packed with those that it was in.
    private static func levels(of source: DumpSource) -> Int { source.isMounted ? 8 : 3 }
    /// How many files and folders are looked at.
    private static let searchLimit = 2_000

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
            found = (inner.source, inner.recognised, warnings + joined(found.warnings, inner.warnings))
        }
        return found
    }

    /// Where the dump is, once: what was named, and what was found in the end.
    private static func joined(_ outer: [DumpWarning], _ inner: [DumpWarning]) -> [DumpWarning] {
        guard case .foundElsewhere(let named, _)? = outer.last?.problem,
            let place = inner.firstIndex(where: { if case .foundElsewhere = $0.problem { true } else { false } }),
            case .foundElsewhere(_, let root) = inner[place].problem
        else { return outer + inner }
        var inner = inner
        inner[place].problem = .foundElsewhere(named: named, root: root)
        return outer.dropLast() + inner
    }

    private static func found(_ source: DumpSource, _ control: OpeningControl) throws(DumpError) -> Found {
        try control.reach(.looking)
        // Asked at once, so that a folder without permission is not “not recognised”.
        do throws(DumpError) { _ = try source.files.children() } catch {
            throw DumpError(source.location.path, error.problem)
        }
        for form in all {
            if let recognised = try form.recognise(source) { return (source, recognised, []) }
            for inner in form.innerFolders {
                guard let above = source.above(inner), let recognised = try form.recognise(above) else { continue }
                return (above, recognised, [elsewhere(source, above)])
            }
        }
        guard source.loneFile == nil else { throw DumpError(source.location.path, .notRecognised) }
        return try foundInside(source, control)
    }

    private static func elsewhere(_ named: DumpSource, _ found: DumpSource) -> DumpWarning {
        DumpWarning("", .foundElsewhere(named: named.location.path, root: found.location.path))
    }

    private typealias Candidate = (source: DumpSource, recognised: Recognised)

    /// The dump in a folder that is none: what people send lies in folders of its own, beside notes and pictures.
    ///
    /// The first level that has something to read counts. What is refused counts only where there is nothing to read, and a
    /// property list only where nothing else is at hand, as many a folder has one.
    private static func foundInside(_ source: DumpSource, _ control: OpeningControl) throws(DumpError) -> Found {
        var level = [source], refused: [Candidate] = [], lists: [Candidate] = [], looked = 0
        for depth in 0..<levels(of: source) {
            var readable: [Candidate] = [], next: [DumpSource] = []
            for folder in level {
                // One that cannot be looked at is not what keeps the others from being found.
                let children = (try? folder.files.children()) ?? []
                for child in children where !Archive.isAddition(child.path) && looked < searchLimit {
                    try control.reach(.looking, looked)
                    looked += 1
                    switch child.kind {
                    case .folder:
                        let below = folder.below(child.path)
                        switch recognised(below) {
                        case .refused(let problem)?: refused.append((below, .refused(problem)))
                        case let found?: readable.append((below, found))
                        case nil: next.append(below)
                        }
                    // On the disk there may be files of anything further down.
                    case .file where child.path.isUTF8 && (depth == 0 || source.isMounted):
                        guard let file = try? folder.file(child.path), let found = recognised(file) else { continue }
                        switch found {
                        case .refused(let problem): refused.append((file, .refused(problem)))
                        case .open:
                            if depth == 0, SinglePropertyList.isPropertyList(file) { lists.append((file, found)) }
                        default: readable.append((file, found))
                        }
                    default: break
                    }
                }
            }
            if depth == 0, readable.isEmpty, let recognised = try FileSystem(isSearching: true).recognise(source) {
                return (source, recognised, [])
            }
            if let found = try only(of: readable, in: source) { return found }
            level = next
        }
        if let found = try only(of: lists, in: source) { return found }
        guard let first = refused.first else { throw DumpError(source.location.path, .notRecognised) }
        return (first.source, first.recognised, [elsewhere(source, first.source)])
    }

    private static func only(of found: [Candidate], in source: DumpSource) throws(DumpError) -> Found? {
        guard let only = found.first else { return nil }
        guard found.count == 1 else {
            throw source.several(found.map(\.source.location.path))
        }
        return (only.source, only.recognised, [elsewhere(source, only.source)])
    }

    private static func recognised(_ source: DumpSource) -> Recognised? {
        for form in all where !(form is UnreadFormat) {
            if let recognised = try? form.recognise(source) { return recognised }
        }
        return nil
    }
}
