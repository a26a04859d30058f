import Foundation

/// A folder opened for reading only.
///
/// Paths are relative to it. Each part of a path is opened from the part before it without following symbolic links,
/// so nothing outside of the folder is ever reached. Only regular files are opened.
public struct DumpFolder: Sendable {
    /// The absolute path, without symbolic links.
    public let path: String
    /// The only name at the top that is there for this folder, where the dump is a single file.
    let onlyFile: String?
    private let handle: Descriptor

    /// Opens a folder; symbolic links on the way to it are followed, as the person named it.
    init(opening path: String, onlyFile: String? = nil) throws(DumpError) {
        self.path = try Self.canonicalPath(path)
        self.onlyFile = onlyFile
        switch Descriptor.take(open(self.path, O_RDONLY | O_DIRECTORY | O_CLOEXEC)) {
        case .success(let handle): self.handle = handle
        case .failure(let code): throw DumpError(path, code.number == ENOTDIR ? .notAFolder : .init(code))
        }
    }

    /// The absolute path without symbolic links.
    static func canonicalPath(_ path: String) throws(DumpError) -> String {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw DumpError(path, .badPath) }
        guard let resolved = realpath(path, nil) else { throw DumpError(path, .init(POSIXCode(errno))) }
        defer { free(resolved) }
        guard let text = String(validatingCString: resolved) else { throw DumpError(path, .badPath) }
        return text
    }

    /// The path that an error is about, relative to this folder where it lies below it, so that the words do not depend
    /// on where the dump is.
    func relativePath(of error: DumpError) -> String {
        let prefix = path == "/" ? path : path + "/"
        return error.path.hasPrefix(prefix) ? String(error.path.dropFirst(prefix.count)) : error.path
    }

    /// The absolute path of a relative one.
    public func absolutePath(_ relativePath: String) -> String {
        relativePath.isEmpty ? path : path == "/" ? "/" + relativePath : path + "/" + relativePath
    }

    /// What is at a path, or `nil` where certainly nothing is.
    ///
    /// - Throws: where that cannot be known, or the path leads through a symbolic link.
    public func status(of relativePath: String) throws(DumpError) -> DumpItem? {
        do {
            return try located(relativePath).item
        } catch {
            guard error.problem == .notFound else { throw error }
            return nil
        }
    }

    /// The bytes of a file: mapped where there are more than a mebibyte of them, else copied.
    ///
    /// - Throws: where there is no file, it is not a regular one, it exceeds the limit, or the system refuses.
    public func read(_ relativePath: String, limit: Int? = nil) throws(DumpError) -> Data {
        let (parent, name, item) = try located(relativePath)
        switch item.kind {
        case .file: break
        case .folder: throw error(relativePath, .notAFile("a folder"))
        case .symbolicLink(let target): throw error(relativePath, .symbolicLink(target: target))
        case .other(let what): throw error(relativePath, .notAFile(what))
        }
        // The name may have come to stand for something else since; hence no blocking, no link, and a second look.
        let flags = O_RDONLY | O_NOFOLLOW | O_NONBLOCK | O_CLOEXEC
        let file: Descriptor, status: stat
        do {
            file = try Descriptor.take(openat(parent.raw, name, flags)).get()
            status = try file.status().get()
        } catch {
            throw self.error(relativePath, .init(error))
        }
        guard status.st_mode & S_IFMT == S_IFREG else {
            throw error(relativePath, .notAFile("not what it was a moment ago"))
        }
        let size = Int(clamping: status.st_size)
        if let limit, size > limit { throw error(relativePath, .overLimit(bytes: size, limit: limit)) }
        do {
            return try file.contents(size: size, limit: limit)
        } catch {
            throw self.error(relativePath, .init(error))
        }
    }

    /// The items directly in a folder, names in the order of their bytes, at most `limit` of them.
    ///
    /// - Throws: where it is not a folder, or cannot be listed.
    public func children(of relativePath: String = "", limit: Int = 200_000) throws(DumpError) -> [DumpItem] {
        let folder = try descriptor(of: relativePath)
        if let onlyFile {
            guard relativePath.isEmpty, let item = try status(of: onlyFile) else { return [] }
            return [item]
        }
        let names: [[UInt8]]
        do {
            names = try folder.names(limit: limit).get()
        } catch {
            throw self.error(relativePath, .init(error))
        }
        var items: [DumpItem] = []
        for bytes in names.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let exact = String(validating: bytes, as: UTF8.self)
            let itemPath = RelativePath.join(relativePath, exact ?? String(decoding: bytes, as: UTF8.self))
            switch Self.item(itemPath, isNameExact: exact != nil, cName: bytes, in: folder) {
            case .success(let item): items.append(item)
            case .failure(let code):
                // A name that is gone since is not there; one that may not be looked at is no reason to hide it.
                guard code.number == ENOENT else { throw self.error(relativePath, .init(code)) }
            }
        }
        return items
    }
}

extension DumpFolder {
    /// The folder that an item is in, the item's name in it, and the item.
    private func located(_ relativePath: String) throws(DumpError) -> (parent: Descriptor, name: String, item: DumpItem)
    {
        guard let checked = RelativePath(relativePath) else { throw error(relativePath, .badPath) }
        guard let name = checked.parts.last else {
            let item: DumpItem
            do {
                item = try Self.item("", isNameExact: true, cName: Array(".".utf8), in: handle).get()
            } catch {
                throw self.error("", .init(error))
            }
            return (handle, ".", item)
        }
        if let onlyFile, relativePath != onlyFile { throw error(relativePath, .notFound) }
        let parent: Descriptor
        do {
            parent = try descriptor(of: checked.parts.dropLast())
        } catch {
            // Nothing can lie below a file.
            throw error.problem == .notAFolder ? self.error(relativePath, .notFound) : error
        }
        switch parent.status(of: name) {
        case .success(let status):
            return (parent, name, DumpItem(relativePath, status, isNameExact: true) { parent.target(of: name) })
        case .failure(let code): throw error(relativePath, .init(code))
        }
    }

    /// Opens a folder below this one.
    private func descriptor(of relativePath: String) throws(DumpError) -> Descriptor {
        guard let checked = RelativePath(relativePath) else { throw error(relativePath, .badPath) }
        return try descriptor(of: checked.parts[...])
    }

    /// Opens a folder part by part.
    private func descriptor(of parts: ArraySlice<String>) throws(DumpError) -> Descriptor {
        var folder = handle
        for (index, part) in parts.enumerated() {
            let flags = O_RDONLY | O_DIRECTORY | O_NOFOLLOW | O_CLOEXEC
            switch Descriptor.take(openat(folder.raw, part, flags)) {
            case .success(let next): folder = next
            case .failure(let code):
                let reached = parts.prefix(index + 1).joined(separator: "/")
                // Systems disagree on the number for a link here, so the link itself is asked.
                if case .success(let status) = folder.status(of: part), status.st_mode & S_IFMT == S_IFLNK {
                    throw error(reached, .symbolicLink(target: folder.target(of: part)))
                }
                throw error(reached, code.number == ENOTDIR ? .notAFolder : .init(code))
            }
        }
        return folder
    }

    private static func item(
        _ path: String, isNameExact: Bool, cName: [UInt8], in folder: Descriptor
    ) -> Result<DumpItem, POSIXCode> {
        var status = stat()
        let name = cName.map { CChar(bitPattern: $0) } + [0]
        guard fstatat(folder.raw, name, &status, AT_SYMLINK_NOFOLLOW) == 0 else { return .failure(POSIXCode(errno)) }
        return .success(
            DumpItem(path, status, isNameExact: isNameExact) {
                isNameExact ? folder.target(of: String(decoding: cName, as: UTF8.self)) : "an unknown place"
            })
    }

    private func error(_ relativePath: String, _ problem: DumpError.Problem) -> DumpError {
        DumpError(absolutePath(relativePath), problem)
    }
}

extension DumpError.Problem {
    /// The problem that an error number is.
    init(_ code: POSIXCode) {
        // A name that is too long is no file's.
        self = [ENOENT, ENAMETOOLONG].contains(code.number) ? .notFound : .inaccessible(errno: code.number)
    }
}
