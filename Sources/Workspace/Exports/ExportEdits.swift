import DeviceDump
import Foundation
import MigrationEngine
import StoreFormats

/// What standing steps make of the files of a dump.
struct ExportEdits {
    /// What becomes of one file.
    enum Edit {
        /// It becomes these bytes.
        case bytes(Data)
        /// It is left out.
        case removal
        /// These entries of the domain that it holds are replaced, added or, with `nil`, removed.
        case entries([(key: Name, value: Value?)])
        /// These items of the keychain's export are replaced, added or removed.
        case keychain(KeychainExport, [KeychainExport.Edit])
    }

    /// An edit with the path of its file.
    struct FileEdit {
        let path: DumpPath
        var edit: Edit
    }

    /// The edits, in the order in which their files were first touched.
    private(set) var files: [FileEdit] = []
    /// Entries that have no file.
    private(set) var withoutFile: [Address] = []
    /// The items among them that steps have made of what they took from elsewhere: without them the copy has lost it.
    private(set) var withoutKeychain: [Address] = []
    /// What the form of a keychain's export has no place for.
    var withoutPlace: [ExportSummary.Skipped] {
        files.flatMap { file -> [ExportSummary.Skipped] in
            guard case .keychain(let export, let edits) = file.edit else { return [] }
            let names = export.attributesWithoutPlace(in: edits)
            let reasons = [
                names.isEmpty
                    ? nil : "\(export.form) has no place for the new items' \(names.joined(separator: ", "))",
                edits.lazy.compactMap { $0.value.flatMap(export.loss) }.first,
            ]
            return reasons.compactMap(\.self).map { ExportSummary.Skipped(path: file.path.text, reason: $0) }
        }
    }
    private var positions: [DumpPath: Int] = [:]
    /// Where the copy is to be.
    private let target: String
    /// Where the keychain's export is to be in it.
    private let keychainPath: DumpPath?

    init(to target: String, keychainAt path: DumpPath? = nil) { (self.target, keychainPath) = (target, path) }

    /// The edit of a file, or `nil` where it stays as it is.
    subscript(path: DumpPath) -> Edit? { positions[path].map { files[$0].edit } }

    /// Adds the edits of a container's stores.
    ///
    /// A domain keeps its format, also where its last entry is removed: then it is an empty list, as the app that had the
    /// file would leave it. A domain that has no file gets one only with an entry in it.
    mutating func add(_ overlay: Overlay, of container: Container) throws(WorkspaceError) {
        var items: [KeychainExport.Edit] = []
        for store in overlay.editedStores {
            let edits = overlay.edits(in: store)
            switch store.kind {
            case .defaults:
                guard case .inDump(let file)? = container.file(of: Address(store: store)) else {
                    withoutFile += edits.map { Address(store: store, key: $0.key) }
                    continue
                }
                add(.entries(edits.map { ($0.key, $0.value) }), to: file)
            case .keychain:
                for edit in edits {
                    guard keychainPath != nil,
                        let item = container.keychainEdit(of: edit.key, in: store, to: edit.value)
                    else {
                        withoutFile.append(Address(store: store, key: edit.key))
                        if keychainPath == nil, edit.value != nil {
                            withoutKeychain.append(Address(store: store, key: edit.key))
                        }
                        continue
                    }
                    items.append(item)
                }
            case .sqlite:
                let place = Address(store: store).description
                throw .export(target, .refused(place, reason: SQLiteTable.refusal))
            case .file:
                for edit in edits {
                    let address = Address(store: store, key: edit.key)
                    guard case .inDump(let file)? = container.file(of: address) else {
                        withoutFile.append(address)
                        continue
                    }
                    switch edit.value {
                    case nil: add(.removal, to: file)
                    case .data(let data)?: add(.bytes(data), to: file)
                    case _?:
                        throw .export(target, .refused(file.text, reason: "only bytes can be the content of a file"))
                    }
                }
            }
        }
        if !items.isEmpty, let export = container.keychainFile?.export, let keychainPath {
            if let refusal = export.refusal {
                throw .export(target, .refused(keychainPath.text, reason: refusal))
            }
            add(.keychain(export, items), to: keychainPath)
        }
    }

    private mutating func add(_ edit: Edit, to path: DumpPath) {
        guard let position = positions[path] else {
            positions[path] = files.count
            return files.append(FileEdit(path: path, edit: edit))
        }
        // Two containers may have the same file; no entry of it is changed by both.
        if case .entries(let earlier) = files[position].edit, case .entries(let later) = edit {
            files[position].edit = .entries(earlier + later)
        } else if case .keychain(let export, let earlier) = files[position].edit, case .keychain(_, let later) = edit {
            files[position].edit = .keychain(export, earlier + later)
        } else {
            files[position].edit = edit
        }
    }
}

extension ExportEdits.Edit {
    /// How many bytes it brings to a file, about.
    var size: Int {
        switch self {
        case .bytes(let data): data.count
        case .removal: 0
        case .entries(let entries): entries.reduce(0) { $0 + ($1.value.map(\.size) ?? 0) }
        case .keychain(_, let edits): edits.reduce(0) { $0 + ($1.value?.value.size ?? 0) }
        }
    }

    /// Whether what else the file has stays.
    var keepsRest: Bool {
        switch self {
        case .bytes, .removal: false
        case .entries, .keychain: true
        }
    }

    /// What becomes of a file that has these bytes, or is not there; `nil` where none is to be there.
    func applied(to original: Data?) throws(FormatError) -> Data? {
        switch self {
        case .bytes(let data): return data
        case .removal: return nil
        case .entries(let entries):
            if let original { return try PropertyListFile(original).rewriting(entries) }
            let members = Members().edited(entries)
            return members.isEmpty ? nil : try BinaryPropertyList.write(.dictionary(members))
        case .keychain(let export, let edits):
            return try export.rewriting(edits)
        }
    }

    /// What is wrong with bytes that this edit should have made of others; `nil` where they are as they should be.
    ///
    /// Reads both by themselves, so that a fault of the rewriting shows.
    func difference(between original: Data?, and written: Data) throws(FormatError) -> String? {
        switch self {
        case .bytes(let data): return data == written ? nil : "the bytes differ"
        case .removal: return "it should not be there"
        case .entries(let entries):
            let none = try BinaryPropertyList.write(.dictionary(Members()))
            let original = try PropertyListFile(original ?? none)
            switch try PropertyListFile(written).difference(from: original, after: entries) {
            case nil: return nil
            case .missing(let key)?: return "the key “\(key)” is missing"
            case .extra(let key)?: return "the key “\(key)” is extra"
            case .value(let key)?: return "the value of “\(key)” differs"
            }
        case .keychain(let export, let edits):
            // The edits name items of what was read when the dump was opened.
            if let original, (try? KeychainExport(original))?.items != export.items {
                return "the file has changed since the dump was opened"
            }
            return export.difference(after: edits, and: written)
        }
    }
}
