/// What is said of the version of a stored value, and what it looks like.
package struct VersionClaim: Hashable, Sendable {
    /// The version that is taken where none is stored.
    package static let missing = 1

    /// The stored version.
    package var stored: Int?
    /// The version that the value looks like, where its looks tell.
    package var looksLike: Int?

    package init(stored: Int?, looksLike: Int?) {
        self.stored = stored
        self.looksLike = looksLike
    }

    /// The version to go on with.
    ///
    /// A value that looks newer than its version says has most likely been migrated already, by something that was
    /// interrupted before it could say so; migrating it again would overwrite it. Somebody has to decide.
    ///
    /// - Parameter assumed: The version that somebody has decided for; it counts only where there is a question.
    package func version(of model: String, known: Int, assumed: Int?) throws(MigrationError) -> Int {
        if let stored, stored > known { throw .newerVersion(model: model, stored: stored, known: known) }
        let claimed = stored ?? Self.missing
        guard stored == nil || (looksLike ?? 0) > claimed else { return claimed }
        // Whoever names an older version than is stored says that the looks deceive.
        if let assumed { return max(assumed, claimed) }
        if let looksLike, looksLike > claimed {
            throw .versionUnclear(model: model, stored: stored, looksLike: looksLike)
        }
        return claimed
    }

    /// The stored version in words.
    package static func phrase(_ stored: Int?) -> String {
        stored.map { "version \($0) is stored for it" } ?? "no version is stored, which counts as version \(missing)"
    }
}
