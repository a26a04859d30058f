import DeviceDump
import Reports

/// The first screen of a dump that holds several containers: which one to open.
package struct AppList: Sendable {
    /// One container.
    struct App: Hashable, Sendable {
        /// Where it is in the dump; no two have the same.
        var path: String
        /// The bundle identifier, which several may have.
        var identifier: String
        /// Whose it is: an app's, a group's.
        var kind: String
    }

    /// What there is to do and to see in one.
    struct Finding: Hashable, Sendable {
        var stores: Int
        var migrations: [String]

        /// The less, the earlier it is listed.
        fileprivate var rank: Int { (migrations.isEmpty ? 2 : 0) + (stores == 0 ? 1 : 0) }

        /// In a phrase.
        var summary: String {
            "\(stores.counted("store")) · \(migrations.isEmpty ? "no migration" : migrations.joined(separator: ", "))"
        }
    }

    /// The dump, in a phrase.
    let title: String
    /// The containers, in the order to show them.
    private(set) var apps: [App]
    /// What is known of them, by their paths.
    var findings: [String: Finding] = [:]
    /// The container under the cursor.
    private(set) var cursor = 0
    private var wasMoved = false

    init(title: String, apps: [App]) {
        self.title = title
        self.apps = apps
    }

    /// The containers of a dump, as they are there.
    init(of containers: [Container], in kind: String) {
        self.init(
            title: "\(kind) with \(containers.count.counted("container"))",
            apps: containers.map { App(path: $0.path, identifier: $0.identifier, kind: $0.kind.rawValue) })
    }

    mutating func moveCursor(to position: Int) {
        cursor = min(max(0, position), max(0, apps.count - 1))
        wasMoved = true
    }

    /// Puts those first in which there is something to do, or to see; not once the person has moved.
    mutating func sort() {
        guard !wasMoved else { return }
        let ranked = apps.map { (app: $0, rank: findings[$0.path]?.rank ?? 3) }
        apps = (0...3).flatMap { rank in ranked.filter { $0.rank == rank }.map(\.app) }
    }

    /// What to call a container where it is typed: its identifier, or its path where several have that.
    func name(of app: App) -> String {
        apps.count { $0.identifier == app.identifier } > 1 ? app.path : app.identifier
    }

    /// The containers of a name: one, none, or those that share the identifier.
    func named(_ name: String) -> [App] {
        let exact = apps.filter { $0.path == name }
        return exact.isEmpty ? apps.filter { $0.identifier == name } : exact
    }
}
