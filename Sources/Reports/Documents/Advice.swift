import DeviceDump
import MigrationEngine
import Workspace

/// What a person can do about what an answer or an error says; each front end has one table that words it as its own.
package enum Advice: Hashable, Sendable {
    /// Give a fact; `meaning` is what it is.
    case giveFact(FactName, example: String, meaning: String)
    /// Open the dump anew with a fact.
    case startWithFact(FactName, value: String)
    /// Name an export of the keychain.
    case giveKeychain
    /// Name one of the dump that another is compared with.
    case giveNewKeychain
    /// Give a dump that has what this one lacks.
    case takeWhole
    /// Name the export of the keychain that steps were applied with, or go on without it.
    case giveKeychainAgain
    /// Say which access groups are this app's.
    case tellKeychainGroup
    /// Give the password of a dump, or its key.
    case givePassword
    /// Give the password of an archive, which has no key beside it.
    case giveArchivePassword
    /// Give the password of a part of a dump that is open, which is opened anew with it.
    case startWithPassword
    /// Give the spec that steps were applied with.
    case giveSpec
    /// Write a spec for an app of which no migration knows.
    case writeSpec
    /// Check what was applied.
    case verify
    /// Say which container is meant.
    case chooseContainer
    /// Say which container of a group, or of an extension, counts.
    case chooseGroup
    /// Name a file for the ledger.
    case nameWorkspace
    /// Look at the steps of a migration.
    case showSteps(of: String)
    /// Replace what is at an export's target.
    case replaceTarget
    /// Write the files of a dump by their own names, unpacked and decrypted.
    case exportUnpacked
    /// Raise a limit of what is done unasked, to as much as this dump needs.
    case raiseLimit(OpeningLimits.Name, to: Int)
    /// Go on although the dump has changed.
    case acceptDrift
}

/// How a front end words advice: as options of the command line, as keys and commands of the inspector.
package struct AdviceWords: Sendable {
    private let words: @Sendable (Advice) -> String

    package init(_ words: @escaping @Sendable (Advice) -> String) { self.words = words }

    package func callAsFunction(_ advice: Advice) -> String { words(advice) }

    /// Advice for nobody in particular.
    package static let plain = AdviceWords { advice in
        switch advice {
        case .giveFact(let name, let example, let meaning): "\(name)=…   \(meaning), such as \(example)"
        case .startWithFact(let name, let value): "give \(name)=\(value)"
        case .giveKeychain: "name an export of the keychain"
        case .giveNewKeychain: "name an export of the keychain of the new dump"
        case .takeWhole: "give a dump that has it; of a folder that was empty on the device, one that has it empty"
        case .giveKeychainAgain: "name that export of the keychain, or accept that it is not there"
        case .tellKeychainGroup: "name their access group, if they are this app's, or else the app's own"
        case .givePassword: "give its password or its key"
        case .giveArchivePassword: "give its password"
        case .startWithPassword: "give its password"
        case .giveSpec: "give the spec that the steps were applied with"
        case .writeSpec:
            "draft a spec: `vestige specs new DUMP`; or, with a dump from after an update, `vestige specs infer OLD NEW`"
        case .verify:
            "a colleague who has the dump, the ledger below and the spec, where steps are a spec's, sees the same: "
                + "`vestige verify DUMP --workspace FILE`, where FILE is that ledger"
        case .chooseContainer: "choose one"
        case .chooseGroup: "choose one by its path"
        case .nameWorkspace: "name a file for the ledger"
        case .showSteps(let migration): "look at the steps of \(migration)"
        case .replaceTarget: "have it replaced"
        case .exportUnpacked: "export the files unpacked"
        case .raiseLimit(let name, let value): "raise the limit to \(name.rawValue)=\(value)"
        case .acceptDrift: "accept the change deliberately"
        }
    }
}

extension DumpError {
    /// What helps, where there is something.
    package var advice: Advice? {
        switch problem {
        case .severalApps, .noSuchApp: .chooseContainer
        case .notAKeychain, .keychainInArchive, .keychainAlone: .giveKeychain
        case .notPackable: .exportUnpacked
        case .locked, .wrongPassword: .givePassword
        case .lockedArchive, .wrongArchivePassword: .giveArchivePassword
        default: problem.limit.map { .raiseLimit($0.name, to: $0.value) }
        }
    }
}

extension WorkspaceError {
    /// What helps, where there is something.
    package var advice: Advice? {
        switch self {
        case .dump(let error): error.advice
        case .fact(.namedOtherwise(let applied, _)), .fact(.onlyAtOpening(.bundleIdentifier, let applied)):
            .startWithFact(.bundleIdentifier, value: applied)
        case .noStateFolder, .ledgerInsideDump, .foreignLedger, .ledger(_, .notALedger), .ledger(_, .damaged),
            .ledger(_, .danglingLink),
            .ledger(_, .besideAnother):
            .nameWorkspace
        case .otherApp: .chooseContainer
        case .unnamedApp(_, let app): .startWithFact(.bundleIdentifier, value: app)
        case .export(_, .targetExists): .replaceTarget
        case .export(_, .noKeychain): .giveKeychain
        case .drift(let files): files.isOfKeychain ? .giveKeychainAgain : .acceptDrift
        case .partly(_, let error), .uncertain(_, rereading: let error): error.advice
        default: nil
        }
    }
}

extension DumpWarning {
    /// What helps, where there is something.
    package var advice: Advice? {
        switch problem {
        case .severalKeychains, .keychainOfAnother: .giveKeychain
        case .unknownDomain:
            .giveFact(.bundleIdentifier, example: "com.example.app", meaning: "the app that the preferences are of")
        case .unassignedKeychainItems: .tellKeychainGroup
        case .duplicateIdentifier: .chooseContainer
        case .duplicateGroup: .chooseGroup
        case .lockedEntries, .entriesStayLocked: .startWithPassword
        case .unreadable(let reason): reason.advice
        default: nil
        }
    }
}

extension Unreadable {
    /// Whether an export of the keychain would tell, where this is of a keychain: there is none, or the device keeps it.
    var isHelpedByExport: Bool { cause == .missing || cause == .locked }

    /// What helps an entry that cannot be read, where there is something.
    var advice: Advice? {
        if accessGroup != nil { return .tellKeychainGroup }
        return limit.flatMap { limit in
            OpeningLimits.Name(rawValue: limit.name).map { .raiseLimit($0, to: limit.value) }
        }
    }
}

extension ApplicableMigrations.UnknownReason {
    /// Whether the dump is of a form that never has a keychain, or has it locked: an export of it may be given beside.
    package var isWithoutKeychain: Bool { lack != nil }

    /// Without what, or from what, nobody can tell, where an export of the keychain may: there is none, or the one that was
    /// read has items that only the device opens.
    package var lack: String? {
        guard isOfKeychain, reason.isHelpedByExport else { return nil }
        return reason.cause == .missing ? "without a keychain" : "from this keychain"
    }
}

extension PlannedStep {
    /// What lets the step go on, where it waits: the facts that it lacks, and the keychain where it cannot know an item.
    func advice(_ definitions: [FactDefinition]) -> [Advice] {
        let facts = (outcome.reason?.missingFacts ?? []).map { name in
            let known = definitions.first { $0.name == name }
            return Advice.giveFact(name, example: known?.example ?? "…", meaning: known?.meaning ?? "")
        }
        guard let unreadable = outcome.reason?.unreadable, unreadable.store.kind == .keychain else { return facts }
        // The export that was given has the item: another one tells no more.
        if unreadable.reason.accessGroup != nil { return facts + [.tellKeychainGroup] }
        return facts + (unreadable.reason.isHelpedByExport ? [.giveKeychain] : [])
    }
}

extension WorkspaceError {
    /// The path of the dump that could not be opened, as it was named or found; `nil` where it is of something in a dump.
    package var dumpPath: String? {
        guard case .dump(let error) = self, error.path.hasPrefix("/") else { return nil }
        return error.path
    }
}
