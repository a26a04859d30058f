import Reports

/// The first screen of a dump that holds several apps: which one to open.
public struct AppList: Sendable {
    /// One app.
    public struct App: Hashable, Sendable {
        /// The bundle identifier.
        public var identifier: String
        /// What there is to say of it, in a phrase.
        public var summary: String

        /// Makes an app.
        public init(identifier: String, summary: String) {
            self.identifier = identifier
            self.summary = summary
        }
    }

    /// The dump, in a phrase.
    public let title: String
    /// The apps, in the order to show them.
    public let apps: [App]
    /// The app under the cursor.
    var cursor = 0

    /// Makes a list.
    public init(title: String, apps: [App]) {
        self.title = title
        self.apps = apps
    }
}
