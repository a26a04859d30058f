import ArgumentParser

/// An option that several groups have, declared once.
///
/// A group inside of a group would say the same, but the parser checks one anew for each that it is in: at a depth of
/// three that took longer than to plan a migration, in a debug build.
struct SharedOption: Sendable {
    let name: String
    let help: ArgumentHelp
    let completion: CompletionKind

    init(_ name: String, _ help: ArgumentHelp, completion: CompletionKind = .file()) {
        (self.name, self.help, self.completion) = (name, help, completion)
    }
}

extension Option where Value == [String] {
    init(_ shared: SharedOption) {
        self.init(wrappedValue: [], name: .customLong(shared.name), help: shared.help, completion: shared.completion)
    }
}

extension Option where Value == String? {
    init(_ shared: SharedOption) {
        self.init(wrappedValue: nil, name: .customLong(shared.name), help: shared.help, completion: shared.completion)
    }
}
