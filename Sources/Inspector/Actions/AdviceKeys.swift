import Reports
import Workspace

extension AdviceWords {
    /// How the inspector words advice: as its keys and commands, and where it has none, as how to start it.
    static let keys = AdviceWords { advice in
        switch advice {
        case .giveFact(let name, _, let meaning): "\(name): \(meaning); f gives it"
        case .giveKeychain: "quit, and start again with --keychain FILE, an export of the keychain"
        case .givePassword: "Enter asks for it"
        case .chooseContainer: ":app NAME opens another"
        case .nameWorkspace: "quit, and start again with --workspace FILE"
        case .showSteps(let migration): ":migration \(migration) shows its steps"
        case .replaceTarget: ":export! FOLDER replaces it"
        case .acceptDrift: "y goes on all the same"
        }
    }
}

extension WorkspaceError {
    /// What happened, and what the person can do about it here.
    var told: String { description + (advice.map { " (\(AdviceWords.keys($0)))" } ?? "") }
}
