extension Workspace {
    /// The same container with the same given facts, as the ledger is now: another program may have made it, added to it,
    /// or let go of it.
    ///
    /// - Throws: ``WorkspaceError`` where the ledger cannot be read any more.
    package func reopened() throws(WorkspaceError) -> Workspace {
        _ = try ledgerFile.refresh()
        return try opening(container: container.path)
    }
}
