import Reports

/// One thing that the person can do: the keys, the command, the help and the footer all come from here.
package struct Action: Sendable {
    /// The parts of the help.
    package enum Group: String, Sendable, CaseIterable {
        case moving = "Moving"
        case looking = "Looking"
        case migrating = "Migrating"
        case program = "Program"
    }

    /// The name, which is also the command after `:`.
    package let name: String
    /// What a command takes after its name, as the help writes it; empty where it takes nothing.
    package let argument: String
    /// The keys that do it.
    package let keys: [Key]
    /// The part of the help it stands in.
    package let group: Group
    /// What the footer calls it; `nil` where it is not shown there.
    package let label: String?
    /// What it does, in one line.
    package let help: String
    /// Whether the footer shows it now, where it can be done.
    let isUseful: @Sendable (Model) -> Bool
    /// Why it cannot be done now, or `nil`.
    let disabledReason: @Sendable (Model) -> String?
    /// Does it, with what followed the command's name.
    let perform: @Sendable (inout Model, String) -> [any Effect]

    init(
        _ name: String, _ keys: [Key], _ group: Group, argument: String = "", label: String? = nil, help: String,
        useful: @escaping @Sendable (Model) -> Bool = { _ in true },
        disabled: @escaping @Sendable (Model) -> String? = { _ in nil },
        perform: @escaping @Sendable (inout Model, String) -> [any Effect]
    ) {
        self.name = name
        self.argument = argument
        self.keys = keys
        self.group = group
        self.label = label
        self.help = help
        isUseful = useful
        disabledReason = disabled
        self.perform = perform
    }
}

extension Action {
    /// Every action, in the order of the help.
    package static let all = moving + looking + migrating + program

    /// The actions of the footer, the most useful first.
    static let footer = [
        "accept", "out", "fact", "apply", "select", "apply-selected", "rollback", "in", "search", "quit",
    ]
    .compactMap(named)

    /// The action of a name, or of a beginning that only one name has.
    static func named(_ name: String) -> Action? {
        if let exact = all.first(where: { $0.name == name }) { return exact }
        let matching = all.filter { $0.name.hasPrefix(name) }
        return matching.count == 1 && !name.isEmpty ? matching.first : nil
    }

    /// The action of a key.
    static func action(of key: Key) -> Action? { byKey[key] }

    private static let byKey = Dictionary(
        all.flatMap { action in action.keys.map { ($0, action) } }, uniquingKeysWith: { first, _ in first })
}

extension Model {
    /// Does an action, or says why it cannot be done.
    mutating func perform(_ action: Action, argument: String = "") -> [any Effect] {
        // The question stands until it is answered, also by a command.
        if !["accept", "command", "fact"].contains(action.name) { question = nil }
        if let reason = action.disabledReason(self) {
            message = .refused("\(action.name): \(reason)")
            return []
        }
        return action.perform(&self, argument)
    }
}
