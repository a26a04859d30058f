/// Runs a script on the inspector without a terminal, by the same events as the keyboard gives.
///
/// Every effect is performed before the next key, so a script never waits and never races.
public struct ScriptRunner {
    /// The inspector.
    public private(set) var model: Model
    private let perform: (Effect) -> EffectResult
    private let save: (String, Frame) throws -> Void

    /// Makes a runner.
    ///
    /// - Parameters:
    ///   - model: The inspector at its first screen.
    ///   - perform: Performs an effect.
    ///   - save: Writes a screen under a name.
    public init(
        _ model: Model, perform: @escaping (Effect) -> EffectResult,
        save: @escaping (String, Frame) throws -> Void = { _, _ in }
    ) {
        self.model = model
        self.perform = perform
        self.save = save
        send(.terminal(.resize(model.size)))
        send(.started)
    }

    /// Runs a script to its end, or until the inspector is left.
    ///
    /// - Throws: ``ScriptError`` where an expectation is not met or a screen cannot be written.
    public mutating func run(_ script: Script) throws(ScriptError) {
        for (line, command) in script.commands {
            if model.hasQuit { throw ScriptError(line: line, problem: "the inspector was left before this line") }
            try run(command, line: line)
        }
    }

    private mutating func run(_ command: Script.Command, line: Int) throws(ScriptError) {
        switch command {
        case .keys(let keys):
            for key in keys where !model.hasQuit { send(.terminal(.key(key))) }
        case .resize(let size): send(.terminal(.resize(size)))
        case .expect(let text, let isShown):
            let screen = model.render().text
            guard screen.contains(text) != isShown else { return }
            let problem = isShown ? "the screen does not show “\(text)”" : "the screen shows “\(text)”"
            throw ScriptError(line: line, problem: problem, screen: screen)
        case .expectStyle(let style, let text):
            let frame = model.render()
            guard !frame.shows(text, styled: style) else { return }
            throw ScriptError(line: line, problem: "“\(text)” is not shown as \(style)", screen: frame.roles)
        case .screen(let name):
            do {
                try save(name, model.render())
            } catch {
                throw ScriptError(line: line, problem: "the screen “\(name)” cannot be written: \(error)")
            }
        }
    }

    private mutating func send(_ event: Event) {
        var events = [event]
        while let next = events.popLast() {
            events = model.update(next).map { .finished(perform($0)) } + events
        }
    }
}
