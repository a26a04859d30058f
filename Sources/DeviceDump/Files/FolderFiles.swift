import Files
import Foundation
import SystemPackage

/// The files of a folder on the disk, opened for reading only.
///
/// Each part of a path is opened from the part before it without following symbolic links, so nothing outside of the
/// folder is ever reached. Only regular files are opened.
package struct FolderFiles: DumpFiles {
    /// The absolute path, without symbolic links.
    package let path: String
    private let handle: OpenFile
    /// The same path as the system takes it: it is asked for at each file that is not there.
    private let place: FilePath

    /// Opens a folder; symbolic links on the way to it are followed, as the person named it.
    package init(opening path: String) throws(DumpError) {
        self.path = try Self.canonicalPath(path)
        place = FilePath(self.path)
        do throws(Errno) {
            handle = try OpenFile.folder(self.path)
        } catch {
            throw DumpError(path, error == .notDirectory ? .notAFolder : .init(error))
        }
    }

    /// The absolute path without symbolic links of something that is there.
    package static func canonicalPath(_ path: String) throws(DumpError) -> String {
        guard !path.isEmpty, !path.utf8.contains(0) else { throw DumpError(path, .badPath) }
        guard let resolved = realpath(path, nil) else {
            let error = Errno.last
            // What a shell puts in place of `<(…)` has no path without links.
            if let type = try? Stat(FilePath(path)).type, let what = DumpItem.words(type) {
                throw DumpError(path, .notAFile(what))
            }
            throw DumpError(path, .init(error))
        }
        defer { free(resolved) }
        guard let text = String(validatingCString: resolved) else { throw DumpError(path, .badPath) }
        return text
    }

    package func item(at path: DumpPath) throws(DumpError) -> DumpItem? {
        if path.isRoot { try checkIsThere() }
        do throws(DumpError) {
            return try located(path).item
        } catch {
            guard error.problem == .notFound else { throw error }
            // In a folder that was removed nothing is found, and that says nothing.
            try checkIsThere()
            return nil
        }
    }

    package func children(of folder: DumpPath, limit: Int) throws(DumpError) -> [DumpItem] {
        let handle = try openFolder(folder)
        let names: [[UInt8]]
        do throws(Errno) { names = try handle.names(limit: limit) } catch { throw DumpError(folder, .init(error)) }
        if names.isEmpty { try checkIsThere() }
        var items: [DumpItem] = []
        for name in names.sorted(by: { $0.lexicographicallyPrecedes($1) }) {
            let path = folder.appending(name: name)
            do throws(Errno) {
                items.append(DumpItem(path, try handle.status(of: name)) { handle.target(of: name) })
            } catch {
                // A name that is gone since is not there; one that may not be looked at is no reason to hide it.
                guard error == .noSuchFileOrDirectory else { throw DumpError(path, .init(error)) }
            }
        }
        return items
    }

    package func bytes(at path: DumpPath, limit: Int?) throws(DumpError) -> Data {
        let (file, before) = try openFile(path)
        let size = Int(clamping: before.size)
        if let limit, size > limit { throw DumpError(path, .overLimit(bytes: size, limit: limit)) }
        let data: Data, after: Stat
        do throws(Errno) {
            data = try file.contents(limit: limit ?? .max)
            after = try file.status()
        } catch {
            throw DumpError(path, .init(error))
        }
        guard Self.isUnchanged(before, after) else { throw DumpError(path, .changing) }
        return data
    }

    package func stream(of path: DumpPath) throws(DumpError) -> any DumpStream {
        let (file, status) = try openFile(path)
        return Stream(file: file, before: status, path: path)
    }

    private struct Stream: DumpStream {
        let file: OpenFile, before: Stat, path: DumpPath

        func next() throws(DumpError) -> Data {
            let part: [UInt8], after: Stat
            do throws(Errno) {
                part = try file.read(upTo: 1 << 20)
                after = try file.status()
            } catch {
                throw DumpError(path, .init(error))
            }
            guard FolderFiles.isUnchanged(before, after) else { throw DumpError(path, .changing) }
            return Data(part)
        }
    }

    /// A file that is written to while it is read gives bytes that it never had.
    static func isUnchanged(_ before: Stat, _ after: Stat) -> Bool {
        after.size == before.size && after.st_mtim.tv_sec == before.st_mtim.tv_sec
            && after.st_mtim.tv_nsec == before.st_mtim.tv_nsec
    }

    package func version(of path: DumpPath) throws(DumpError) -> FileVersion {
        guard path.isRoot || hasFolder(path) else { return try digest(of: path) }
        let folder = try openFolder(path), status: Stat
        do throws(Errno) { status = try folder.status() } catch { throw DumpError(path, .init(error)) }
        return FileVersion(text: "\(status.deviceID.rawValue):\(status.inode.rawValue)")
    }

    package func reopened() throws(DumpError) -> any DumpFiles { try FolderFiles(opening: path) }

    package func diskPath(of file: DumpPath) -> String? {
        guard file.isUTF8, hasFile(file) else { return nil }
        return path == "/" ? "/" + file.text : path + "/" + file.text
    }
}

extension FolderFiles {
    /// Refuses where the folder that was opened is not at its path any more.
    private func checkIsThere() throws(DumpError) {
        let isSame: Bool
        do throws(Errno) {
            let opened = try handle.status(), there = try Stat(place)
            isSame = opened.deviceID == there.deviceID && opened.inode == there.inode
        } catch {
            isSame = false
        }
        if !isSame { throw DumpError(path, .gone) }
    }

    /// The folder that an item is in, the item's name in it, and the item.
    private func located(_ path: DumpPath) throws(DumpError) -> (parent: OpenFile, name: [UInt8], item: DumpItem) {
        let name = path.isRoot ? Array(".".utf8) : Array(path.lastPart), parent: OpenFile
        do throws(DumpError) {
            parent = try openFolder(path.parent ?? .root)
        } catch {
            // Nothing can lie below a file.
            throw error.problem == .notAFolder ? DumpError(path, .notFound) : error
        }
        do throws(Errno) {
            return (parent, name, DumpItem(path, try parent.status(of: name)) { parent.target(of: name) })
        } catch {
            throw DumpError(path, .init(error))
        }
    }

    /// Opens a folder part by part.
    private func openFolder(_ path: DumpPath) throws(DumpError) -> OpenFile {
        var folder = handle, reached = DumpPath.root
        for part in path.parts {
            reached = reached.appending(name: part)
            do throws(Errno) {
                folder = try folder.open(at: part, isFolder: true)
            } catch {
                // Systems disagree on the number for a link here, so the link itself is asked.
                if let status = try? folder.status(of: part), status.type == .symbolicLink {
                    throw DumpError(reached, .symbolicLink(target: Self.text(folder.target(of: part))))
                }
                throw DumpError(reached, error == .notDirectory ? .notAFolder : .init(error))
            }
        }
        return folder
    }

    /// Opens a regular file.
    private func openFile(_ path: DumpPath) throws(DumpError) -> (OpenFile, Stat) {
        let (parent, name, item) = try located(path)
        switch item.kind {
        case .file: break
        case .folder: throw DumpError(path, .notAFile("a folder"))
        case .symbolicLink(let target): throw DumpError(path, .symbolicLink(target: Self.text(target)))
        case .other(let what): throw DumpError(path, .notAFile(what))
        }
        // The name may have come to stand for something else since; hence no blocking, no link, and a second look.
        let file: OpenFile, status: Stat
        do throws(Errno) {
            file = try parent.open(at: name)
            status = try file.status()
        } catch {
            throw DumpError(path, .init(error))
        }
        guard status.type == .regular else { throw DumpError(path, .notAFile("not what it was a moment ago")) }
        return (file, status)
    }

    private static func text(_ target: [UInt8]) -> String { String(decoding: target, as: UTF8.self) }
}

extension DumpError.Problem {
    /// The problem that an error number is.
    init(_ error: Errno) {
        // A name that is too long is no file's.
        self = [.noSuchFileOrDirectory, .fileNameTooLong].contains(error) ? .notFound : .inaccessible(error)
    }
}
