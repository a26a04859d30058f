import Foundation
import SystemPackage

/// Puts changed contents back into an archive, which stays what it was: the members in their order, those without changes
/// as they stand there, packed, protected and described as they are.
///
/// What a password protects is not written, as nobody expects it without that afterwards.
extension ArchiveFiles: PackedFiles {
    package var holder: any DumpFiles { base }

    package func held(by holder: any DumpFiles) throws(DumpError) -> any DumpFiles {
        let files = try ArchiveFiles(file, in: holder, format, limits: limits, OpeningControl.current)
        return password.map { ArchiveFiles(files, password: $0) } ?? files
    }

    package func packing(_ changes: [FileChange], at time: Int) throws(DumpError) -> [FileChange] {
        guard !changes.isEmpty else { return [] }
        try checkIsUnchanged()
        let changed = Dictionary(changes.map { ($0.path, $0) }) { $1 }
        let linked = linked()
        for change in changes { try check(change, linked) }
        let written: PackedBytes
        do throws(DumpError) {
            written = tree.isLone ? try lone(changes) : format == .zip ? try zip(changed, time) : try tar(changed, time)
        } catch {
            guard case .brokenEntry(let reason) = error.problem else { throw error }
            throw DumpError(error.path, .notPackable("it is damaged there: \(reason)"))
        }
        try compare(written, with: changed)
        let file = file
        return [FileChange(file) { PackedStream(written, file) }]
    }

    /// Refuses what cannot be put back.
    private func check(_ change: FileChange, _ linked: [DumpPath: String]) throws(DumpError) {
        let path = change.path, node = tree.nodes[path]
        if let node, node.item.kind != .file { throw DumpError(path, .notPackable("it is not a file in the archive")) }
        let isNew = node == nil && change.content != nil
        if isNew ? tree.protected.count > 0 : node?.member.map({ tree.members[$0].isProtected }) ?? false {
            throw DumpError(
                path,
                .notPackable("\(file.name) is protected by a password, and entries without one are not put into it"))
        }
        if let link = linked[path] {
            throw DumpError(path, .notPackable("“\(link)” is a link to it, and would change with it"))
        }
    }

    /// The files that others are links to, with the name of one each.
    private func linked() -> [DumpPath: String] {
        var linked: [DumpPath: String] = [:]
        for member in tree.members {
            guard case .link(let name) = member.content, let path = ArchiveTree.path(name) else { continue }
            linked[path] = String(decoding: member.name.prefix(200), as: UTF8.self)
        }
        return linked
    }

    /// Goes through the members in their order: whether each stays, is replaced, or is left out.
    private func eachMember(
        _ changed: [DumpPath: FileChange],
        _ body: (ArchiveMember, DumpPath, _ content: (any DumpStream)?, _ stays: Bool) throws(DumpError) -> Void
    ) throws(DumpError) {
        let last = Dictionary(
            tree.members.enumerated().compactMap { number, member in ArchiveTree.path(member.name).map { ($0, number) }
            }
        ) { $1 }
        for (number, member) in tree.members.enumerated() {
            let path = ArchiveTree.path(member.name) ?? .root
            guard !path.isRoot, member.kind == .file, let change = changed[path] else {
                try body(member, path, nil, true)
                continue
            }
            // What has the same name and stood before it goes: it would come back where the last one is removed.
            try body(member, path, last[path] == number ? try change.content?() : nil, false)
        }
    }

    /// The changes of files that the archive does not have.
    private func added(_ changed: [DumpPath: FileChange]) -> [FileChange] {
        changed.values.filter { tree.nodes[$0.path] == nil && $0.content != nil }.sorted { $0.path < $1.path }
    }

    private func zip(_ changed: [DumpPath: FileChange], _ time: Int) throws(DumpError) -> PackedBytes {
        var writer = try ZipWriter(of: bytes, before: tree.foundBefore, file)
        try eachMember(changed) { (member, path, content, stays) throws(DumpError) in
            guard case .zip(let entry) = member.content else { return }
            if stays {
                try writer.keep(entry, path)
            } else if let content {
                try writer.write(content, in: entry, path, modified: time)
            }
        }
        for change in added(changed) {
            guard let content = try change.content?() else { continue }
            try writer.write(content, in: nil, change.path, modified: time)
        }
        return try writer.finish(comment: try ZipDirectory(in: bytes, file)?.comment ?? [])
    }

    /// The one file, compressed as it was.
    private func lone(_ changes: [FileChange]) throws(DumpError) -> PackedBytes {
        guard let only = changes.first, changes.count == 1, tree.nodes[only.path] != nil,
            let content = try only.content?()
        else { throw DumpError(file, .notPackable("it holds one file, and no other is put into it")) }
        let output = try ArchiveOutput(layers, file)
        while true {
            let part = try content.next()
            if part.isEmpty { return try output.finish() }
            try output.write(Array(part))
        }
    }

    private func tar(_ changed: [DumpPath: FileChange], _ time: Int) throws(DumpError) -> PackedBytes {
        var writer = try TarWriter(of: bytes, layers, file)
        try eachMember(changed) { (member, _, content, stays) throws(DumpError) in
            if stays {
                try writer.keep(member)
            } else if let content {
                try writer.write(content, in: member)
            } else {
                try writer.drop(member)
            }
        }
        for change in added(changed) {
            guard let content = try change.content?() else { continue }
            try writer.write(content, change.path, modified: time)
        }
        return try writer.finish()
    }

    /// Reads the new archive, and compares what was to stay with what was there.
    private func compare(_ written: PackedBytes, with changed: [DumpPath: FileChange]) throws(DumpError) {
        func mismatch(_ path: DumpPath) -> DumpError {
            DumpError(path, .notPackable("what was written of the archive reads back differently"))
        }
        let found = try ArchiveFiles(rereading: written, as: self)
        // Folders that are not listed come and go with what is in them.
        func stays(_ node: ArchiveTree.Node) -> Bool { changed[node.item.path] == nil && node.member != nil }
        let left = tree.nodes.filter(stays)
        guard found.tree.nodes.count(where: stays) == left.count else { throw mismatch(file) }
        for node in left {
            let path = node.item.path
            guard let other = found.tree.nodes[path], other.item == node.item else { throw mismatch(path) }
            guard node.item.kind == .file, let old = node.member, let new = other.member else { continue }
            let stream = try packedContent(of: tree.members[old], path)
            let again = try found.packedContent(of: found.tree.members[new], path)
            while true {
                let (part, same) = (try stream.next(), try again.next())
                guard part == same else { throw mismatch(path) }
                if part.isEmpty { break }
            }
        }
    }

    /// The content of a member as it is packed.
    private func packedContent(of member: ArchiveMember, _ path: DumpPath) throws(DumpError) -> PackedStream {
        switch member.content {
        case .none, .link: PackedStream(bytes[0..<0], path)
        case .plain(let range), .sparse(let range): PackedStream(bytes[range], path)
        case .zip(let entry): PackedStream(bytes[try ZipStream.content(of: entry, in: bytes, path)], path)
        }
    }
}
