import DeviceDump

extension Workspace {
    /// The same container with the same given facts, as the dump and the ledger are now.
    ///
    /// Another program may have made the ledger, added to it, or let go of it. Whether files have changed is not looked for.
    ///
    /// - Throws: ``WorkspaceError`` where the dump or its container is not there any more, or the ledger cannot be read.
    package func reopened() throws(WorkspaceError) -> Workspace {
        _ = try ledgerFile.refresh()
        let fresh: Dump
        do throws(DumpError) { fresh = try dump.reopened() } catch { throw .dump(error) }
        let name = container.ledgerName
        guard let same = fresh.containers.first(where: { $0.ledgerName.utf8.elementsEqual(name.utf8) }) else {
            throw .dump(DumpError(dump.path, .gone))
        }
        return try Workspace(dump: fresh, container: same, facts: current.given, ledger: ledgerFile)
    }
}
