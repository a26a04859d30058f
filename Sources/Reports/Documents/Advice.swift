import DeviceDump
import MigrationEngine
import Workspace

/// What a person can do about what an answer or an error says; each front end has one table that words it as its own.
package enum Advice: Hashable, Sendable {
    /// Give a fact; `meaning` is what it is.
    case giveFact(FactName, example: String, meaning: String)
    /// Name an export of the keychain.
    case giveKeychain
    /// Give the password of a dump, or its key.
    case givePassword
    /// Say which container is meant.
    case chooseContainer
    /// Name a file for the ledger.
    case nameWorkspace
    /// Look at the steps of a migration.
    case showSteps(of: String)
    /// Replace what is at an export's target.
    case replaceTarget
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
        case .giveKeychain: "name an export of the keychain"
        case .givePassword: "give its password or its key"
        case .chooseContainer: "choose one"
        case .nameWorkspace: "name a file for the ledger"
        case .showSteps(let migration): "look at the steps of \(migration)"
        case .replaceTarget: "ask to replace it"
        case .acceptDrift: "accept the change deliberately"
        }
    }
}

extension DumpError {
    /// What helps, where there is something.
    package var advice: Advice? {
        switch problem {
        case .severalApps, .noSuchApp: .chooseContainer
        case .notAKeychain: .giveKeychain
        case .locked, .wrongPassword: .givePassword
        default: nil
        }
    }
}

extension WorkspaceError {
    /// What helps, where there is something.
    package var advice: Advice? {
        switch self {
        case .dump(let error): error.advice
        case .noStateFolder, .ledgerInsideDump, .foreignLedger, .ledger(_, .notALedger), .ledger(_, .damaged),
            .ledger(_, .danglingLink),
            .ledger(_, .besideAnother):
            .nameWorkspace
        case .export(_, .targetExists): .replaceTarget
        case .drift: .acceptDrift
        case .partly(_, let error), .uncertain(_, rereading: let error): error.advice
        default: nil
        }
    }
}

extension DumpWarning {
    /// What helps, where there is something.
    package var advice: Advice? {
        switch problem {
        case .severalKeychains: .giveKeychain
        case .unknownDomain:
            .giveFact(.bundleIdentifier, example: "com.example.app", meaning: "the app that the preferences are of")
        case .duplicateIdentifier: .chooseContainer
        case .lockedEntries: .givePassword
        default: nil
        }
    }
}

extension PlannedStep {
    /// What lets the step go on, where it waits: the facts that it lacks, and the keychain where it cannot know an item.
    func advice(_ definitions: [FactDefinition]) -> [Advice] {
        let facts = (outcome.reason?.missingFacts ?? []).map { name in
            let known = definitions.first { $0.name == name }
            return Advice.giveFact(name, example: known?.example ?? "…", meaning: known?.meaning ?? "")
        }
        let unreadable = outcome.reason?.unreadable
        let isWithoutKeychain = unreadable?.store.kind == .keychain && unreadable?.reason.cause == .missing
        return facts + (isWithoutKeychain ? [.giveKeychain] : [])
    }
}
