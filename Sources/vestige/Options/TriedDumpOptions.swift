import ArgumentParser
import DeviceDump
import StoreFormats

/// How dumps are opened that a spec is tried on: each as it is, without a ledger.
struct TriedDumpOptions: ParsableArguments {
    @Option(
        help: ArgumentHelp("The app, by its bundle identifier, where a dump holds several.", valueName: "bundle-id"))
    var app: String?

    @Option(
        name: .customLong("keychain"),
        help: ArgumentHelp(
            "An export of the keychain; by default one in or beside each dump.", valueName: "file"),
        completion: .file())
    var keychain: String?

    @OptionGroup var password: PasswordOptions

    func validate() throws {
        guard password.savedKey == nil else {
            throw ValidationError("--save-key stands with commands that open one dump.")
        }
    }

    /// - Parameter bundleIdentifier: The app's, where somebody has said it.
    func open(_ path: String, bundleIdentifier: String? = nil) throws(DumpError) -> Dump {
        try password.open(path, OpeningOptions(keychain: keychain, bundleIdentifier: bundleIdentifier))
    }

    /// Opens an export of such a dump, which has its keychain in it.
    func reopen(_ path: String, bundleIdentifier: String?) throws(DumpError) -> Dump {
        try password.open(path, OpeningOptions(bundleIdentifier: bundleIdentifier))
    }
}
