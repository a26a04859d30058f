import ArgumentParser
import Files
import Foundation
import Inspector
import Migrations
import Reports
import SystemPackage
import Terminal
import Workspace

/// The inspector.
struct Open: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "open",
        abstract: "Open the inspector: both stores side by side, the steps, and what each value becomes.",
        usage: "vestige [open] <dump> [<options>]",
        discussion: """
            Press ? in the inspector for its keys. NO_COLOR turns colours off.

            Keys, colours and the mouse are set in the file vestige/config below $XDG_CONFIG_HOME (by default ~/.config), \
            a line for each:

              key difference = d D              the keys of an action, in place of its own
              key apply-all =                   no key
              colour problem = magenta bold     how a kind of text looks
              colour match = black on yellow
              mouse = off                       the terminal's own; M takes it

            Actions are named as after the colon (? lists them). A line that begins with # is a remark.
            """)

    @OptionGroup var options: DumpOptions
    @OptionGroup var look: LookOptions

    func run() throws {
        try reportingFailures {
            do {
                try show()
            } catch WorkspaceError.cancelled {
                throw fail(
                    "the opening of \(options.dump) was stopped. Nothing was written; start again to open it",
                    .tryAgain,
                    except: options.dump)
            }
        }
    }

    private func show() throws {
        let inspection = try look.inspection(options), settings = try look.settings(orOwn: true)
        var terminal = try terminal(settings)
        try terminal.run(inspection) { size throws(WorkspaceError) in
            try look.start(inspection, options, settings, size)
        }
    }
}

extension Open {
    /// The terminal; where there is none, what is wrong with the dump is said before that.
    private func terminal(_ settings: Settings) throws -> CursesTerminal {
        do {
            return try CursesTerminal(looks: settings.looks)
        } catch {
            _ = try options.openDump()
            throw error
        }
    }
}

/// The options of what shows the inspector's screens.
struct LookOptions: ParsableArguments {
    @OptionGroup var choice: MigrationOption

    @Option(
        name: .customLong("compare"),
        help: ArgumentHelp(
            "A dump made after the real update: begin with both side by side, and what should have come; c comes back to it.",
            valueName: "dump"),
        completion: .file())
    var other: String?

    @OptionGroup var newDump: NewDumpOptions

    @Flag(help: "Draw with printable ASCII alone.")
    var ascii = false

    @Option(
        name: .customLong("config"),
        help: ArgumentHelp(
            "Keys, colours and the mouse, in place of those of vestige/config below $XDG_CONFIG_HOME.",
            valueName: "file"),
        completion: .file())
    var config: String?

    var glyphs: Glyphs { ascii ? .ascii : .unicode }

    /// What the person has set.
    ///
    /// - Parameter orOwn: Whether the person's own file counts where none is named: a script means the keys of the table.
    func settings(orOwn: Bool) throws -> Settings {
        let own = orOwn ? OwnFolder.path(.config, in: ProcessInfo.processInfo.environment).map { $0 + "/config" } : nil
        guard let path = config ?? own, config != nil || access(path, F_OK) == 0 else { return .standard }
        // A pipe or a device may have no end, and is read before there is a screen.
        if access(path, F_OK) == 0, !SpecFile.isRegular(path) {
            throw fail("\(path) cannot be read: it is no file", .usage)
        }
        let bytes: [UInt8]
        do throws(Errno) {
            bytes = try OpenFile.input(path, limit: 1 << 20)
        } catch {
            throw fail("\(path) cannot be read: \(error.words)", .usage)
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw fail("\(path) is not UTF-8 text", .usage)
        }
        do throws(SettingsProblems) {
            return try Settings(parsing: text)
        } catch {
            let lines = error.all.map { "\(path):\($0.line): \($0.sentence)" }.joined(separator: "\n")
            throw fail("\(path) cannot be used; mend these lines, or take them out:\n\(lines)", .usage)
        }
    }

    /// The first screen of it.
    func start(
        _ inspection: Inspection, _ options: DumpOptions, _ settings: Settings, _ size: Size
    ) throws(WorkspaceError) -> Model {
        try inspection.start(
            container: options.app, dump: options.dump, size: size, glyphs: glyphs,
            masking: Masking(isRevealing: options.reveal), settings: settings)
    }

    /// The inspection of the dump that the options name.
    func inspection(_ options: DumpOptions, ledger: LedgerLocation? = nil) throws -> Inspection {
        let migration = choice.migration ?? options.specs.only
        if let migration { _ = try migration.resolved(among: options.specs.migrations) }
        let facts = try options.givenFacts()
        var made = Inspection.Options(
            migrations: options.specs.migrations, facts: facts, ledger: ledger ?? options.ledger,
            chosen: migration.map { Choice($0.migration, profile: $0.profile) },
            rereading: options.specs.rereading, other: other.map { otherDump($0, options) },
            namingOther: { otherDump($0, options) }, reportWords: .options, stamp: stampNow)
        // That of a script is nobody else's.
        made.keepsLedger = ledger == nil
        made.isChosenByFile = choice.migration == nil
        made.named = Set(options.specs.own.map(\.id))
        made.unusable = options.specs.unusable
        return Inspection(
            options: made,
            didUnlock: { dump throws(WorkspaceError) in try options.saveKey(of: dump) }
        ) { control throws(WorkspaceError) in try options.opening(control) }
    }

    /// The dump to compare with; a password is tried on both.
    private func otherDump(_ path: String, _ options: DumpOptions) -> Inspection.OtherDump {
        let options = options.ofOther(path, newDump)
        return Inspection.OtherDump(path) { control throws(WorkspaceError) in
            switch try options.opening(control) {
            case .opened(let dump): return dump
            case .locked(let locked): throw .dump(locked.error)
            }
        }
    }

    func validate() throws {
        guard newDump.isEmpty || other != nil else {
            throw ValidationError("--new-keychain, --new-keychain-group and --new-app-group stand with --compare.")
        }
    }
}
