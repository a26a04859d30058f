import Inspector
import Workspace

extension CursesTerminal {
    /// Runs the inspector on this terminal until the person leaves it.
    ///
    /// Each event is followed by one update of the screen; what takes long runs beside it. What still runs when the person
    /// leaves is stopped and waited for, so that it leaves nothing half done.
    ///
    /// - Parameter start: Makes the inspector's first screen for the size that the terminal has.
    ///
    /// - Throws: ``WorkspaceError`` where the dump could not be opened.
    package mutating func run(
        _ inspection: Inspection, start: (Size) throws(WorkspaceError) -> Model
    ) throws(WorkspaceError) {
        let wakeup = wakeup
        let queue = EffectQueue(inspection) { wakeup.wake() }
        var model = try start(size)
        func handle(_ event: Event) {
            for effect in model.update(event) { queue.start(effect) }
        }
        handle(.terminal(.resize(size)))
        handle(.started)
        while true {
            while !model.hasQuit, queue.waitForEvents() { queue.take().forEach(handle) }
            if model.hasQuit { break }
            present(model.render())
            handle(.terminal(nextEvent()))
        }
        if !model.leavesAtOnce { queue.close() }
        if let failure = model.failure { throw failure }
    }
}
