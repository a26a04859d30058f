import Reports

/// Writes down what a person does in the inspector, as a script that comes to the same.
///
/// What the program did not take, as something else was being done, is left out, and so is a password.
package struct Recorder: Sendable {
    private var lines: [String]
    /// Keys that are not written down yet.
    private var keys: [Key] = []
    private var hasPassword = false

    /// - Parameter size: The screen at the beginning.
    package init(size: Size) { lines = ["resize \(size)"] }

    /// Takes in an event, with the inspector before and after it.
    package mutating func take(_ event: TerminalEvent, _ before: Model, _ after: Model, _ effects: [any Effect]) {
        if case .resize(let size) = event {
            if size != before.size { write("resize \(size)") }
            return
        }
        if before.prompt?.purpose == .password {
            // Nothing of it is written anywhere.
            if !hasPassword { write("# a password was typed here: give it with --password-file") }
            hasPassword = true
            return
        }
        if let opening = effects.lazy.compactMap({ $0 as? Opening }).first, before.opened == nil, before.prompt == nil {
            // Which row an app has depends on how many were looked at by then.
            return write(command: "app \(opening.path)", isRefused: false)
        }
        if effects.contains(where: \.isCancelling), before.busy != nil {
            return write("# here \(before.busy?.label ?? "what was being done") was stopped")
        }
        switch event {
        case .key(let key): take(key, before, after)
        case .paste(let text):
            let line = String(text.map { $0.isNewline ? " " : $0 })
            if before.prompt?.purpose != .command, !line.isEmpty { write("paste \(line)") }
        case .mouse(let action, let position): write("\(action.rawValue) \(position.x + 1) \(position.y + 1)")
        case .resize, .woken, .touched, .closed: break
        }
    }

    private mutating func take(_ key: Key, _ before: Model, _ after: Model) {
        if after.hasQuit || after.isLeaving { return }
        guard before.prompt?.purpose == .command else {
            // The line that is typed is written once it is done.
            if after.wasHeldUp || after.prompt?.purpose == .command && before.prompt == nil { return }
            return keys.append(key)
        }
        guard key == .enter, let line = before.prompt?.text, !line.isEmpty, !after.wasHeldUp else { return }
        write(command: line, isRefused: after.message?.kind == .refused)
    }

    private mutating func write(command: String, isRefused: Bool) {
        // A line break would begin another line of the script.
        guard !command.contains(where: \.isNewline) else {
            return write(
                "# left out, as it has a line break: \(command.map { $0.isNewline ? " " : String($0) }.joined())")
        }
        write((isRefused ? "fails :" : ":") + command)
    }

    private mutating func write(_ line: String) {
        flush()
        lines.append(line)
    }

    /// Writes the keys down; several lines of them where they are many.
    private mutating func flush() {
        for start in stride(from: 0, to: keys.count, by: 20) {
            let part = keys[start..<min(keys.count, start + 20)]
            lines.append("key " + part.map(\.notation).joined(separator: " "))
        }
        keys = []
    }

    /// The script so far, which expects of each step what the inspector shows of it.
    package func script(_ model: Model) -> String {
        var recorder = self
        recorder.flush()
        let isNow = model.opened?.moment == .now
        let states = (isNow ? model.opened?.plan?.steps ?? [] : []).map { "expect-step \($0.id) \($0.status.rawValue)" }
        return (recorder.lines + states).joined(separator: "\n") + "\n"
    }
}
