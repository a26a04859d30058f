import CNcurses
import Inspector
import Workspace

extension CursesTerminal {
    /// Runs the inspector on this terminal until the person leaves it.
    ///
    /// Each event is followed by one update of the screen; what takes long runs beside it. What still runs when the person
    /// leaves is stopped and waited for, so that it leaves nothing half done.
    ///
    /// - Parameters:
    ///   - recording: Whether what the person does is written down.
    ///   - start: Makes the inspector's first screen for the size that the terminal has.
    /// - Returns: The script of what the person did, where it was to be written down.
    /// - Throws: ``WorkspaceError`` where the dump could not be opened.
    @discardableResult
    package mutating func run(
        _ inspection: Inspection, recording: Bool = false, start: (Size) throws(WorkspaceError) -> Model
    ) throws(WorkspaceError) -> String? {
        let wakeup = wakeup
        let queue = EffectQueue(inspection) { wakeup.wake() }
        var model = try start(size)
        model.clipboard.isReachable = takesCopies
        var recorder = recording ? Recorder(size: size) : nil
        func handle(_ event: Event) {
            let before = recorder == nil ? nil : model, effects = model.update(event)
            if let before, case .terminal(let event) = event { recorder?.take(event, before, model, effects) }
            for effect in effects { queue.start(effect) }
        }
        handle(.terminal(.resize(size)))
        handle(.started)
        var takesMouse = false
        while true {
            while !model.hasQuit, queue.waitForEvents() { queue.take().forEach(handle) }
            if model.hasQuit { break }
            if let text = model.clipboard.take() { copy(text) }
            if model.takesMouse != takesMouse {
                takesMouse = model.takesMouse
                takeMouse(takesMouse)
            }
            if let problem = watch(inspection.ledgerPath(of: model)) { handle(.unwatched(because: problem)) }
            if model.isToBeDrawnAnew {
                model.isToBeDrawnAnew = false
                repaint()
            }
            present(model.render())
            handle(.terminal(nextEvent()))
        }
        if !model.leavesAtOnce {
            queue.close()
            inspection.letGo()
        }
        if let failure = model.failure { throw failure }
        return recorder?.script(model)
    }
}

extension MouseAction {
    /// What `cn_mouse` tells by a number; `nil` where there is nothing more.
    init?(curses number: Int32) {
        switch number {
        case 1: self = .press
        case 2: self = .wheelUp
        case 3: self = .wheelDown
        case 4: self = .release
        default: return nil
        }
    }
}

extension Key {
    /// The key that curses names with a code, or `nil` where the program has no use for it.
    init?(curses code: Int32) {
        switch code {
        case KEY_ENTER: self = .enter
        case KEY_BTAB: self = .backTab
        case KEY_BACKSPACE: self = .backspace
        case KEY_DC: self = .delete
        case KEY_IC: self = .insert
        case KEY_UP: self = .up
        case KEY_DOWN: self = .down
        case KEY_LEFT: self = .left
        case KEY_RIGHT: self = .right
        case KEY_HOME: self = .home
        case KEY_END: self = .end
        case KEY_PPAGE: self = .pageUp
        case KEY_NPAGE: self = .pageDown
        default:
            let number = Int(code) - Int(CN_KEY_F0)
            guard (1...12).contains(number) else { return nil }
            self = .function(number)
        }
    }
}
