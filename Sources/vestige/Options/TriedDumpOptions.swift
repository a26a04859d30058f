import ArgumentParser
import DeviceDump
import MigrationEngine
import Specs
import StoreFormats

/// How dumps are opened that a spec is tried on: each as it is, without a ledger.
struct TriedDumpOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp(
            "The app, by its bundle identifier, where a dump holds several; by default the one that the spec is for.",
            valueName: "bundle-id"))
    var app: String?

    @Option(
        name: .customLong("keychain"),
        help: ArgumentHelp(
            "An export of the keychain; by default one in or beside each dump.", valueName: "file"),
        completion: .file())
    var keychain: String?

    @Option(
        name: .customLong("keychain-group"),
        help: ArgumentHelp(
            "An access group that the app reads beside its own, in each dump; may be repeated: all others are not its then.",
            valueName: "group"))
    var keychainGroups: [String] = []

    @Option(
        name: .customLong("app-group"),
        help: ArgumentHelp(
            "An app group that the app uses although it is called after another app, in each dump; may be repeated.",
            valueName: "group"))
    var appGroups: [String] = []

    @Option(.passwordFiles) var passwordFiles: [String]
    @Option(.keyFile) var keyFile: String?

    private var passwords: GivenPasswords {
        GivenPasswords(passwordFiles: passwordFiles, keyFile: keyFile, savedKey: nil)
    }

    /// Opens a dump, and finds its app.
    ///
    /// - Parameters:
    ///   - app: Which app of several, where `--app` does not say it.
    ///   - specs: What it is opened for: of several apps the only one that they are for.
    ///   - bundleIdentifier: The app's, where somebody has said it.
    func open(
        _ path: String, app: String? = nil, for specs: [Spec], bundleIdentifier: String? = nil
    ) throws(DumpError) -> (Dump, Container) {
        let dump = try passwords.open(path, OpeningOptions(keychain: keychain, bundleIdentifier: bundleIdentifier))
        let meant = dump.containers.count > 1 ? app ?? specs.app(in: dump) : nil
        let container = try dump.container(self.app ?? meant)
        return dump.claiming(GroupClaims(keychain: keychainGroups, app: appGroups), for: container)
    }

    /// Refuses a group that none of the dumps has, as one that is not spelt right.
    func checkGroups(in dumps: [Dump]) throws(DumpError) {
        let claims =
            keychainGroups.map { GroupClaims(keychain: [$0]) } + appGroups.map { GroupClaims(app: [$0]) }
        for claim in claims {
            let refusals = dumps.map { $0.refusal(of: claim, for: $0.containers) }
            // That which has most to choose from says what there is.
            guard !refusals.contains(where: { $0 == nil }) else { continue }
            let most = zip(dumps, refusals).max { $0.0.accessGroups.count < $1.0.accessGroups.count }
            if let refusal = most?.1 { throw refusal }
        }
    }

    /// Opens an export of such a dump, which has its keychain in it.
    func reopen(_ path: String, bundleIdentifier: String?) throws(DumpError) -> Dump {
        try passwords.open(path, OpeningOptions(bundleIdentifier: bundleIdentifier))
    }
}
