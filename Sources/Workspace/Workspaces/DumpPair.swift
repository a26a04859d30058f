import DeviceDump
import MigrationEngine
import StoreFormats

/// Two dumps of one app, before and after something happened to it, each as it is, without a ledger.
package struct DumpPair: Sendable {
    /// One of them: what it was called when it was named, and the app's container in it.
    package struct Side: Sendable {
        package let dump: Dump
        package let container: Container
        fileprivate let name: String

        /// - Parameters:
        ///   - name: What the person has named.
        ///   - container: The app; `nil` where the dump has one only.
        /// - Throws: ``WorkspaceError/dump(_:)``.
        package init(_ dump: Dump, named name: String, container: String?) throws(WorkspaceError) {
            (self.dump, self.name) = (dump, name)
            do throws(DumpError) { self.container = try dump.container(container) } catch { throw .dump(error) }
        }

        private init(_ dump: Dump, _ container: Container, _ name: String) {
            (self.dump, self.container, self.name) = (dump, container, name)
        }

        /// The same, where a person has said of another dump which groups the app may use.
        fileprivate func claiming(_ claims: GroupClaims) -> Side {
            let (dump, container) = dump.claiming(claims, for: container)
            return Side(dump, container, name)
        }
    }

    package let before: Side
    package let after: Side
    /// The facts that were given, and those of the dump that was made before.
    package let facts: Facts

    /// Puts two dumps side by side.
    ///
    /// - Throws: ``WorkspaceError/otherApp(_:_:)`` where they are of two apps, ``WorkspaceError/unnamedApp(_:app:)`` where nobody
    ///   knows that, and ``WorkspaceError/otherDatabase(_:_:)`` of two databases by themselves.
    package init(before: Side, after: Side, facts given: Facts) throws(WorkspaceError) {
        let after = after.claiming(before.dump.claims(of: before.container))
        (self.before, self.after) = (before, after)
        if before.dump.kind == .database, after.dump.kind == .database, let old = before.dump.loneFile?.name,
            let new = after.dump.loneFile?.name, Name(old) != Name(new)
        {
            throw .otherDatabase(old, new)
        }
        let sides = [before, after], apps = sides.map { $0.container.facts[.bundleIdentifier]?.value }
        if let old = apps[0], let new = apps[1], Name(old) != Name(new) { throw .otherApp(old, new) }
        let isAlike = Name(before.container.identifier) == Name(after.container.identifier)
        for (side, app) in zip(sides, apps) where app == nil && !isAlike {
            throw .unnamedApp(side.name, app: apps.compactMap(\.self).first ?? "com.example.app")
        }
        let known = try given.told(by: before.container.facts).completed(by: before.container.facts)
        facts = known.completed(by: Facts.assumed(from: known))
    }

    /// Compares them; with a migration also with what it would have made of the first.
    ///
    /// - Parameter read: What to read a container through, so that it can be stopped.
    package func comparison(
        with migration: (migration: any Migration, profile: Profile)?,
        through read: (Container) -> any StoreReader = { $0 }
    ) -> StoreComparison {
        // A plan takes for granted what a comparison need not, and what came of it less still.
        let ground = migration.map { _ in read(before.container) }
        return StoreComparison(
            read(before.container.assumingNothing), read(after.container.assumingNothing), with: migration, on: ground,
            facts: facts)
    }
}
