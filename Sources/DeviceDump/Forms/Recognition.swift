import Foundation

/// Finds the dump that a path names, or lies in, or holds.
enum Recognition {
    /// The forms of folders.
    ///
    /// A device of a simulator comes before a container, as its `data` looks like one.
    private static let forms: [any DumpForm] = [XcodeContainer(), SimulatorDevice()]
    private static let lastForm = BareContainer()

    /// A dump: its form, its folder, and a warning where that is not the one that was named.
    typealias Found = (form: any DumpForm, root: DumpFolder, warnings: [DumpWarning])

    /// Recognises what is at a path.
    static func recognise(_ path: String) throws(DumpError) -> Found {
        let named = try DumpFolder.canonicalPath(path)
        var status = stat()
        guard stat(named, &status) == 0 else { throw DumpError(named, .init(POSIXCode(errno))) }
        switch status.st_mode & S_IFMT {
        case S_IFDIR: break
        case S_IFREG: return try file(named)
        default: throw DumpError(named, .notAFile("a pipe, a socket or a device"))
        }
        let folder = try DumpFolder(opening: named)
        // Asked at once, so that a folder without permission is not “not recognised”.
        let children = try folder.children()
        if let found = try here(folder) { return found }
        let below = try candidates(in: folder, children)
        if let only = below.first, below.count == 1 {
            return (only.form, only.root, [DumpWarning("", .foundElsewhere(named: named, root: only.root.path))])
        }
        throw DumpError(named, below.isEmpty ? .notRecognised : .severalDumps(below.map(\.root.path).sorted()))
    }

    /// The dump that a folder is, or that it is a known part of.
    private static func here(_ folder: DumpFolder) throws(DumpError) -> Found? {
        for form in forms {
            if let found = match(form, folder) { return found }
        }
        if let form = UnsupportedForm.folders.first(where: { $0.matches(folder) }) {
            throw DumpError(folder.path, .unsupported(form: form.name))
        }
        return match(lastForm, folder)
    }

    private static func match(_ form: any DumpForm, _ folder: DumpFolder) -> Found? {
        if form.matches(folder) { return (form, folder, []) }
        for inner in form.innerFolders where folder.path.hasSuffix("/" + inner) {
            let above = String(folder.path.dropLast(inner.count + 1))
            guard let root = try? DumpFolder(opening: above), form.matches(root) else { continue }
            return (form, root, [DumpWarning("", .foundElsewhere(named: folder.path, root: root.path))])
        }
        return nil
    }

    /// The dumps directly in a folder.
    ///
    /// - Throws: where the only one is of a form that is not supported.
    private static func candidates(in folder: DumpFolder, _ children: [DumpItem]) throws(DumpError) -> [Found] {
        var found: [Found] = [], unsupported: DumpError?
        for child in children where child.kind == .folder && child.isNameExact {
            guard let below = try? DumpFolder(opening: folder.absolutePath(child.path)) else { continue }
            if let form = (forms + [lastForm]).first(where: { $0.matches(below) }) {
                found.append((form, below, []))
            } else if let form = UnsupportedForm.folders.first(where: { $0.matches(below) }) {
                unsupported = unsupported ?? DumpError(below.path, .unsupported(form: form.name))
            }
        }
        if found.isEmpty, let unsupported { throw unsupported }
        return found
    }

    /// A single file.
    private static func file(_ path: String) throws(DumpError) -> Found {
        let parts = path.split(separator: "/", omittingEmptySubsequences: true)
        guard let name = parts.last.map(String.init) else { throw DumpError(path, .notRecognised) }
        let above = String(path.dropLast(name.count))
        let root = try DumpFolder(opening: above, onlyFile: name)
        let head = try root.head(of: name)
        if SinglePropertyList.matches(head) { return (SinglePropertyList(file: name), root, []) }
        if let form = UnsupportedForm.file(name, head: head) { throw DumpError(path, .unsupported(form: form)) }
        throw DumpError(path, .notRecognised)
    }
}

extension DumpFolder {
    /// The first bytes of a file, at most 512.
    fileprivate func head(of file: String) throws(DumpError) -> Data { try read(file).prefix(512) }
}
