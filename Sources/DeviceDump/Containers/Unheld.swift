import MigrationEngine

/// What dumps of a form never hold of an app: nothing is known of it, which is not to say that there was none.
///
/// This is the one table of that. A form names its line, and whoever reads stores asks ``ContainerPlaces``, which goes by
/// it. Each reason begins a sentence that has no full stop. A keychain has no column, as an export of it may lie beside a dump
/// of any form: ``KeychainState`` says whether one does.
struct Unheld: Hashable, Sendable {
    /// Why there are no containers of app groups.
    var groups: String?
    /// Why there are no containers of extensions.
    var extensions: String?
    /// Why there are no files but those that the form itself consists of.
    var files: String?
    /// Why there are no UserDefaults but those that the form itself consists of.
    ///
    /// Steps may make others, so for them these are taken to be empty, which a plan says; ``Container/assumingNothing`` has
    /// them unknown.
    var domains: String?
    /// Why there is nothing in `Library/Caches` and `tmp` of any container.
    var caches: String?

    /// Whether a list says what there was, so that a folder that is not there was not on the device either.
    var isListed = false

    /// The folder of a simulator device, and a full file system.
    static let nothing = Unheld()
    /// A backup with its list of files.
    static let ofBackup = Unheld(caches: ofUnpackedBackup.caches, isListed: true)
    /// A backup that a tool has unpacked, all of it or a part.
    static let ofUnpackedBackup = Unheld(caches: "a backup never holds caches and temporary files")
    /// An `.xcappdata`.
    static let ofXcodeContainer = Unheld(
        groups: "an .xcappdata has no app groups; only a dump of the whole device, or of a simulator, has",
        extensions:
            "an .xcappdata has no extensions' containers; only a dump of the whole device, or of a simulator, has")
    /// A container by itself.
    static let ofContainer = Unheld(
        groups: "a container by itself has no app groups; each has a container of its own",
        extensions: "a container by itself has none of the app's extensions; each has a container of its own")
    /// The folder of one domain of a backup.
    static let ofDomain = Unheld(
        groups: ofContainer.groups, extensions: ofContainer.extensions, caches: ofUnpackedBackup.caches)
    /// A single property list.
    static let ofPropertyList = Unheld(
        groups: "a single property list has no app groups", files: "a single property list comes without files",
        domains: "a single property list comes without the app's other UserDefaults")
    /// A single SQLite file.
    static let ofDatabase = Unheld(
        groups: "a single database has no app groups", files: "a single database comes without other files",
        domains: "a single database comes without the app's UserDefaults")
}
