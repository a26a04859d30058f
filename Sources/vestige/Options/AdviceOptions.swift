import Reports

extension AdviceWords {
    /// How the command line words advice: as its options and subcommands.
    static let options = AdviceWords { advice in
        switch advice {
        case .giveFact(let name, let example, let meaning): "--fact \(name)=\(example)   \(meaning)"
        case .giveKeychain: "--keychain FILE   an export of the keychain"
        case .givePassword:
            "--password-file FILE, where - is standard input; VESTIGE_PASSWORD; or --key-file FILE, which --save-key wrote"
        case .chooseContainer: "--app BUNDLE-ID, or the path that inspect lists"
        case .nameWorkspace: "--workspace FILE"
        case .showSteps(let migration): "-m \(migration) lists its steps"
        case .replaceTarget: "--replace"
        case .acceptDrift: "--accept-drift"
        }
    }
}
