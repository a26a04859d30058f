import MigrationEngine

/// What ``Model/update(_:)`` asks for that takes time or touches the world; whoever runs the program performs it and
/// reports back with an ``EffectResult``.
public enum Effect: Sendable {
    /// Open a container of the dump.
    case open(String)
    /// Take steps of a migration.
    case apply(StepSelection, migration: any Migration, profile: Profile, facts: Facts, acceptingDrift: Bool)
    /// Take standing steps back.
    case rollback(RollbackTarget)
    /// Write the dump with what has been applied to a folder.
    case export(String, replacing: Bool)
    /// Look for a text in the rows of a container, from a row on.
    case search(RowSearch)
    /// Look through every store for what cannot be read; it runs beside everything else.
    case examine
    /// Stop what is being done.
    case cancel
}

extension Effect {
    /// What is being done, in words, while it is.
    var label: String {
        switch self {
        case .open(let identifier): "opening \(identifier)"
        case .apply: "applying"
        case .rollback: "rolling back"
        case .export(let path, _): "exporting to \(path)"
        case .search(let search): "looking for “\(search.text)”"
        case .examine: "looking for what cannot be read"
        case .cancel: "stopping"
        }
    }
}

/// What became of an effect.
public enum EffectResult: Sendable {
    /// A container was opened.
    case opened(OpenContainer)
    /// Steps were taken.
    case applied([AppliedStep], ContainerSnapshot)
    /// Steps were taken back: their names, the last one applied first.
    case rolledBack([String], ContainerSnapshot)
    /// The dump was exported: where to, and what the person should know.
    case exported(String, notes: [String])
    /// A container was looked through: its identifier, and what is missing or cannot be read.
    case examined(String, warnings: [String])
    /// A row was found, or none.
    case found(Int?, RowSearch)
    /// It could not be done: why, in a sentence; with what is known now, where that changed.
    case failed(String, ContainerSnapshot?)
    /// The person cancelled it.
    case cancelled
}

/// What the inspector reacts to.
public enum Event: Sendable {
    /// The program has started; the first screen is shown.
    case started
    /// Something from the terminal or from a script.
    case terminal(TerminalEvent)
    /// How far an effect is, in words.
    case progress(String)
    /// An effect has ended.
    case finished(EffectResult)
}
