import ArgumentParser
import DeviceDump
import Files
import Foundation
import Inspector
import MigrationEngine
import Migrations
import Reports
import Specs
import SystemPackage
import Workspace

/// The options of every subcommand that looks at a dump.
struct DumpOptions: ParsableArguments {
    @Argument(
        help: """
            What came off the device: an .xcappdata, a container, a simulator's device folder, a backup, a file system, \
            an archive of one of them, a property list.
            """,
        completion: .file())
    var dump: String

    @Option(
        help: ArgumentHelp(
            "The app, by its bundle identifier, where the dump holds several; by default the one that a --spec is for.",
            valueName: "bundle-id"))
    var app: String?

    @Option(
        name: .customLong("fact"),
        help: ArgumentHelp(
            """
            A fact that is not in the dump, such as now=1725000000, "now=2024-08-30 10:00", "now=3h after the dump" or \
            "uptime=1 day 4 h"; may be repeated.
            """, valueName: "name=value"))
    var factArguments: [String] = []

    @Option(
        name: .customLong("facts"),
        help: ArgumentHelp("A file of facts: a JSON object, or name=value, a line each.", valueName: "file"),
        completion: .file())
    var factsFile: String?

    @Option(
        name: .customLong("keychain"),
        help: ArgumentHelp(
            "An export of the keychain: objection's JSON, a GrayKey-style or UFED's property list, Keychain-Dumper's text; "
                + "by default one in or beside the dump. It may lie in an archive: mail.zip/keychain.json.",
            valueName: "file"),
        completion: .file())
    var keychainFile: String?

    @Option(
        name: .customLong("keychain-group"),
        help: ArgumentHelp(
            "An access group that this app reads beside its own, as of the items that are listed as unassigned; may be repeated: "
                + "all others are not its then, and the app's own alone says that it reads no other; none says that items without a "
                + "group are its. Remembered with the steps that were applied.", valueName: "group"))
    var keychainGroups: [String] = []

    @Option(
        name: .customLong("app-group"),
        help: ArgumentHelp(
            "An app group that this app uses although it is called after another app of the dump; of several containers of one "
                + "group, or of one extension, the path of the one that counts; GROUP=PATH where nothing says whose the container at "
                + "a path is. May be repeated, and is remembered with the steps that were applied.", valueName: "group")
    )
    var appGroups: [String] = []

    @Option(
        name: .customLong("workspace"),
        help: ArgumentHelp(
            "The ledger to use; by default one for each dump below $XDG_STATE_HOME/vestige, and with run one of the script's own.",
            valueName: "file"),
        completion: .file())
    var workspaceFile: String?

    @Option(.specFiles) var specFiles: [String]
    @Option(.passwordFiles) var passwordFiles: [String]
    @Option(.keyFile) var keyFile: String?
    @Option(.savedKey) var savedKey: String?

    @Option(
        name: .customLong("limit"),
        help: ArgumentHelp(
            "Raise a limit of what is done for a dump unasked; may be repeated. By default: "
                + OpeningLimits.Name.allCases.map { "\($0.rawValue)=\($0.standard) (\($0.words))" }
                .joined(separator: ", ") + ".",
            valueName: "name=value"),
        transform: RaisedLimit.init(reading:))
    var limits: [RaisedLimit] = []

    @Flag(help: "Show secrets, which are masked otherwise.")
    var reveal = false

    var specs: GivenSpecs { GivenSpecs(files: specFiles) }

    private var passwords: GivenPasswords {
        GivenPasswords(passwordFiles: passwordFiles, keyFile: keyFile, savedKey: savedKey)
    }

    func validate() throws {
        SpecCatalog.readAhead()
        try specs.read()
    }

    /// The same options for another dump of the same app, which is opened as it is.
    ///
    /// - Parameter new: What is said of its keychain and its groups beside what is said of this one's.
    func ofOther(_ dump: String, _ new: NewDumpOptions) -> DumpOptions {
        var other = self
        (other.dump, other.keychainFile, other.savedKey) = (dump, new.keychain, nil)
        (other.keychainGroups, other.appGroups) = (new.keychainGroups, new.appGroups)
        return other
    }

    /// What an answer may show: secrets or not, and what the migrations that apply know to be none.
    ///
    /// - Parameter found: Those that apply, where the answer has asked already.
    func showing(in snapshot: WorkspaceSnapshot, _ found: ApplicableMigrations? = nil) -> Showing {
        Showing(Masking(of: snapshot, among: specs.migrations, found: found, isRevealing: reveal))
    }

    /// The same of containers as they are in a dump.
    func masking(_ facts: Facts, in containers: [Container]) -> Masking {
        Masking(isRevealing: reveal, secrecy: EntrySecrecy(of: specs.migrations, in: containers, given: facts))
    }

    /// The facts of `--fact`, completed by those of `--facts`; refuses one that no migration asks for, or of another form.
    func givenFacts() throws(WorkspaceError) -> Facts {
        var given = try GivenFacts.arguments(factArguments)
        if let factsFile { given = given.completed(by: try GivenFacts.file(factsFile)) }
        return given.names.isEmpty
            ? given
            : try GivenFacts.checked(
                given, of: specs.migrations, own: specs.own, clock: stampNow().date)
    }

    /// Where the ledger is kept.
    var ledger: LedgerLocation {
        workspaceFile.map(LedgerLocation.file) ?? .standard(environment: ProcessInfo.processInfo.environment)
    }

    /// Opens the dump as far as that goes without asking anybody for a password.
    func opening(_ control: OpeningControl) throws(WorkspaceError) -> Opening {
        let options = try openingOptions()
        do throws(DumpError) {
            return try passwords.opening(dump, options, control: control)
        } catch {
            throw error.problem == .cancelled ? .cancelled : .dump(error)
        }
    }

    /// Opens the dump.
    func openDump() throws(WorkspaceError) -> Dump {
        let options = try openingOptions()
        do throws(DumpError) { return try passwords.open(dump, options) } catch { throw .dump(error) }
    }

    /// What it reads, as a person has named it, and the folders of the person's own specs, settings and ledgers.
    var named: [String] {
        let own = [OwnFolder.Use.config, .state].map { OwnFolder.path($0, in: ProcessInfo.processInfo.environment) }
        let files = [keychainFile, factsFile, keyFile, workspaceFile] + own
        return [dump] + specFiles + passwordFiles + files.compactMap(\.self)
    }

    /// Writes the key of a dump that a person has opened with a password, where that was asked for.
    func saveKey(of dump: Dump) throws(WorkspaceError) {
        do throws(DumpError) { try passwords.saveKey(of: dump) } catch { throw .dump(error) }
    }

    private func openingOptions() throws(WorkspaceError) -> OpeningOptions {
        OpeningOptions(
            keychain: keychainFile,
            claims: GroupClaims(keychain: keychainGroups, app: appGroups), of: app,
            bundleIdentifier: try givenFacts()[.bundleIdentifier]?.value,
            limits: OpeningLimits(Dictionary(limits.map { ($0.name, $0.value) }) { $1 }))
    }

    /// What has changed in a dump since steps were applied, in whichever container.
    func drift(of dump: Dump) -> Result<[Drift], WorkspaceError> {
        Result { () throws(WorkspaceError) in try Workspace.drift(of: dump, ledger: ledger) }
    }

    /// Opens the workspace for what only a ledger can tell: one that is named must be there.
    func openLedger() throws -> Workspace {
        if let workspaceFile, access(workspaceFile, F_OK) != 0, errno == ENOENT {
            throw fail("there is no ledger at \(workspaceFile); check what --workspace names", .usage)
        }
        return try openStores()
    }

    /// Opens the workspace of the container that was named or is the only one.
    ///
    /// - Parameter findingDrift: Whether to look for what has changed since steps were applied.
    func openWorkspace(findingDrift: Bool = true) throws(WorkspaceError) -> Workspace {
        let dump = try openDump()
        let workspace = try Workspace.open(
            dump: dump, container: app ?? specs.app(in: dump), facts: givenFacts(), ledger: ledger,
            asked: specs.migrations.flatMap(\.facts), findingDrift: findingDrift)
        workspace.snapshot.forgotten.forEach(tell)
        return workspace
    }

    /// Says what has become of remembered facts.
    func tell(_ problem: WorkspaceError) {
        let (sentence, isMasked) = problem.told(asking: specs.migrations.flatMap(\.facts))
        printError("vestige: " + sentence, isMasked: isMasked)
    }

    /// The same, for what needs stores: a dump that is a single file must be one.
    func openStores(findingDrift: Bool = true) throws -> Workspace {
        let workspace = try openWorkspace(findingDrift: findingDrift)
        if let problem = workspace.dump.problem { throw fail(problem.explanation, .unreadable) }
        return workspace
    }
}

/// A limit as `--limit` names it: `rounds=100000000`.
struct RaisedLimit {
    let name: OpeningLimits.Name
    let value: Int

    /// - Throws: `ValidationError` where it names no limit, or no number above zero.
    init(reading argument: String) throws {
        let parts = argument.split(separator: "=", maxSplits: 1).map(String.init)
        guard let name = parts.first.flatMap(OpeningLimits.Name.init) else {
            let known = OpeningLimits.Name.allCases.map(\.rawValue)
            throw ValidationError(
                "there is no limit “\(parts.first ?? "")”. \(Nearest.advice(on: [parts.first ?? ""], among: known, "There are"))"
            )
        }
        guard parts.count == 2, let value = Int(parts[1]), value > 0 else {
            throw ValidationError("it takes a number above zero, such as \(name.rawValue)=\(name.standard)")
        }
        (self.name, self.value) = (name, value)
    }
}

/// Refuses to write over what is only read: a dump, what lies in one, and a file.
///
/// - Parameter dumps: Those that are open, of which a part may have been named.
func refuseInside(_ path: String, of named: [String], _ dumps: [Dump] = []) throws {
    let dump = dumps.first { $0.protects(path) }?.location.disk
    guard let read = dump ?? named.first(where: { CanonicalPath.isSame(path, asNamed: $0) }) else { return }
    throw fail("\(path) is, or lies in, \(read), into which nothing is written: name another place", .usage)
}

/// Writes a file that a person has named for it.
///
/// Where the one that is there has other names, which may be a dump's, those keep what it holds. A pipe is refused, as nobody may
/// ever read it.
func write(_ text: String, over path: String) throws(Errno) {
    if let status = try? OpenFile.status(at: path) {
        if status.type == .fifo { throw .noSuchAddressOrDevice }
        if status.type == .regular, status.linkCount > 1 { try OpenFile.remove(path) }
    }
    try OpenFile.overwrite(path, mode: 0o666).write(Data(text.utf8))
}

/// Who does something now, on this machine.
func stampNow() -> LedgerEntry.Stamp {
    LedgerEntry.Stamp(date: Date(), author: NSUserName(), toolVersion: Version.current)
}
