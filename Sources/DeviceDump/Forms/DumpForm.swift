/// A form of dumps.
///
/// A new form is one file with such a type, and an entry in ``Recognition``.
protocol DumpForm: Sendable {
    /// The form.
    var kind: Dump.Kind { get }
    /// Folders inside of a dump of this form that people name in place of it, relative to it.
    var innerFolders: [String] { get }
    /// Whether a folder is a dump of this form, by its content.
    func matches(_ folder: DumpFolder) -> Bool
    /// The containers of a dump of this form, in no order, and what is missing.
    func contents(of root: DumpFolder) -> (containers: [Container], warnings: [DumpWarning])
}

extension DumpFolder {
    /// Whether there is a folder at a path; `false` also where that cannot be known.
    func hasFolder(_ relativePath: String) -> Bool { kind(of: relativePath) == .folder }

    /// Whether there is a file at a path; `false` also where that cannot be known.
    func hasFile(_ relativePath: String) -> Bool { kind(of: relativePath) == .file }

    /// The last part of the path.
    var name: String { path.split(separator: "/").last.map(String.init) ?? "" }

    private func kind(of relativePath: String) -> DumpItem.Kind? { (try? status(of: relativePath))?.kind }
}
