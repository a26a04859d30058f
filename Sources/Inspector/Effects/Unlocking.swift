import DeviceDump
import Reports
import Workspace

/// A dump that is not open yet: why not, and what to show first once it is.
package struct UnopenedDump: Sendable {
    /// What the person named.
    let name: String
    /// The container to begin with; `nil` is the only one, else the list of apps.
    let container: String?
    /// What a password opens, where it is known that one is needed.
    var locked: Inspection.Locked?
}

/// Opens the dump.
struct OpeningDump: Effect {
    let dump: UnopenedDump
    var label: String { "opening \(dump.name)" }

    func perform(on inspection: Inspection, _ control: EffectControl) throws(WorkspaceError) -> Inspection.First {
        try inspection.openDump(control.opening(label), container: dump.container)
    }

    func finish(_ first: Inspection.First, in model: inout Model) -> [any Effect] { model.show(first) }

    /// Without the dump there is nothing to show: whoever runs the program says why.
    func fail(_ error: WorkspaceError, in model: inout Model) -> [any Effect] {
        model.failure = error
        model.hasQuit = true
        return []
    }
}

/// Opens a locked dump with a password, which nothing keeps.
struct Unlocking: Effect {
    let dump: UnopenedDump
    let locked: Inspection.Locked
    let password: String
    var label: String { "unlocking \(dump.name)" }

    func perform(on inspection: Inspection, _ control: EffectControl) throws(WorkspaceError) -> Inspection.First {
        try inspection.unlock(locked, password, control.opening(label), container: dump.container)
    }

    func finish(_ first: Inspection.First, in model: inout Model) -> [any Effect] { model.show(first) }

    /// It may be tried again: the line is there at once, so that no password is typed where keys do things.
    func fail(_ error: WorkspaceError, in model: inout Model) -> [any Effect] {
        model.message = model.refused(error)
        model.prompt = Prompt(.password)
        return []
    }
}

extension EffectControl {
    /// The control of the opening of a dump, which says how far that is.
    func opening(_ label: String) -> OpeningControl {
        OpeningControl(progress: { progress in say("\(label): \(progress.words)") }, isCancelled: isCancelled)
    }
}

extension OpeningProgress {
    /// What is being done, and how much of it is done where that is known.
    fileprivate var words: String {
        guard let total, total > 0 else { return phase.rawValue }
        return "\(phase.rawValue), \(min(100, done * 100 / total)) %"
    }
}

extension Model {
    /// Shows what an open dump begins with, or asks for the password that it needs.
    fileprivate mutating func show(_ first: Inspection.First) -> [any Effect] {
        // Whatever a key typed ahead was told is true no more.
        message = nil
        switch first {
        case .locked(let locked):
            unopened?.locked = locked
            prompt = Prompt(.password)
            return []
        case .open(let apps, let opened):
            unopened = nil
            (self.apps, self.opened) = (apps, opened)
            return start()
        }
    }
}
