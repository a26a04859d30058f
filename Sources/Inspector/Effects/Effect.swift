import DeviceDump
import Reports
import Workspace

/// Something that takes time or touches the world: what it is called while it runs, what it does, and what the screen
/// makes of it.
///
/// ``Model/update(_:)`` asks for effects; whoever runs the program performs them off the thread that draws.
package protocol Effect: Sendable {
    /// What it finds out.
    associatedtype Answer: Sendable

    /// Where it runs: of one lane, one effect at a time.
    var lane: Lane { get }
    /// What is being done, in words, while it is.
    var label: String { get }
    /// Whether it looks at the cancel flag, so that Esc stops it.
    var canBeStopped: Bool { get }
    /// Whether it writes what the person is to have of it, so that `q` stops it in place of leaving.
    var isWriting: Bool { get }
    /// Whether it does nothing but stop what runs in its lane.
    var isCancelling: Bool { get }

    /// Does it, off the thread that draws.
    func perform(on inspection: Inspection, _ control: EffectControl) throws(WorkspaceError) -> Answer
    /// Takes in what was found out, and says what is to be done about it.
    func finish(_ answer: Answer, in model: inout Model) -> [any Effect]
    /// Takes in why it could not be done.
    func fail(_ error: WorkspaceError, in model: inout Model) -> [any Effect]
}

/// Where an effect runs.
///
/// What the person asked for is done one thing after the other; what only fills in the screen runs beside it, and where
/// it is asked for again, only the last asking counts.
package enum Lane: Hashable, Sendable, CaseIterable {
    /// What the person asked for.
    case main
    /// The rows in the window.
    case rows
    /// The row under the cursor in full.
    case detail
    /// Which rows a filter lets through.
    case filter
    /// Where what is typed is, and how often.
    case search
    /// What cannot be read.
    case examination
    /// What there is to do in each app.
    case apps
    /// Whether another program has changed the ledger.
    case ledger
    /// The row under the cursor of a comparison in full.
    case comparison
    /// What differs between two moments or two sets of facts.
    case difference
}

extension Effect {
    package var lane: Lane { .main }
    package var canBeStopped: Bool { true }
    package var isWriting: Bool { false }
    package var isCancelling: Bool { false }

    /// Says why; what has changed all the same, such as the steps before the one that failed, is planned anew.
    package func fail(_ error: WorkspaceError, in model: inout Model) -> [any Effect] {
        guard lane == .main else { return [] }
        model.message = model.refused(error)
        return model.opened.map { [Planning($0.request)] } ?? []
    }

    /// Performs the effect to its end.
    package func run(on inspection: Inspection, _ control: EffectControl = EffectControl()) -> Event {
        do throws(WorkspaceError) {
            // What is only opened when it is read says how far it is, and stops, as what is opened at once.
            let opening = lane == .main ? control.opening(label) : OpeningControl(isCancelled: control.isCancelled)
            let answer = try OpeningControl.$current.withValue(opening) {
                Result { () throws(WorkspaceError) in try perform(on: inspection, control) }
            }.get()
            return .finished(lane) { finish(answer, in: &$0) }
        } catch {
            return .finished(lane) { fail(error, in: &$0) }
        }
    }
}

/// Stops what runs in a lane, as soon as that looks.
package struct Cancelling: Effect {
    package var lane = Lane.main
    package var label: String { "stopping" }
    package var isCancelling: Bool { true }
    package func perform(on inspection: Inspection, _ control: EffectControl) {}
    package func finish(_ answer: Void, in model: inout Model) -> [any Effect] { [] }
}

/// How a running effect says how far it is, and learns that it is to stop.
package struct EffectControl: Sendable {
    private let post: @Sendable (Event) -> Void
    package let isCancelled: @Sendable () -> Bool

    /// Makes a control; without arguments, of an effect that nobody watches or stops.
    package init(
        post: @escaping @Sendable (Event) -> Void = { _ in }, isCancelled: @escaping @Sendable () -> Bool = { false }
    ) {
        self.post = post
        self.isCancelled = isCancelled
    }

    /// Says how far it is.
    func say(_ text: String) { post(.progress(text)) }

    /// Shows what is known so far.
    func show(_ change: @escaping @Sendable (inout Model) -> Void) { post(.changed(change)) }

    /// Ends the effect where the person has stopped it.
    func goOn() throws(WorkspaceError) {
        if isCancelled() { throw .cancelled }
    }
}

/// What the inspector reacts to.
package enum Event: Sendable {
    /// The program has started; the first screen is shown.
    case started
    /// Something from the terminal or from a script.
    case terminal(TerminalEvent)
    /// How far an effect is, in words.
    case progress(String)
    /// What an effect knows so far.
    case changed(@Sendable (inout Model) -> Void)

    /// Nobody tells when another program writes to the ledger.
    package static func unwatched(because problem: String) -> Event {
        .changed { model in
            let text = "what another program does to the ledger is not seen by itself (\(problem)); "
            model.message = .refused(text + "\(model.key(.reload)) looks")
        }
    }

    /// An effect has ended; what the model makes of it.
    case finished(Lane, @Sendable (inout Model) -> [any Effect])
}
