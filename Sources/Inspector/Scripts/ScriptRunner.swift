import MigrationEngine
import Reports
import StoreFormats
import Synchronization

/// Runs a script on the inspector without a terminal, by the same events as the keyboard gives.
///
/// Every effect is performed before the next key, so a script never waits and never races.
package struct ScriptRunner {
    /// The inspector.
    package private(set) var model: Model
    /// What writes the script down once more, as `vestige record` does of a session.
    var recorder: Recorder?
    private let inspection: Inspection
    private let save: (String, Frame) throws -> Void
    private let isCancelled: @Sendable () -> Bool

    /// Makes a runner.
    ///
    /// - Parameters:
    ///   - model: The inspector at its first screen.
    ///   - inspection: What effects work on.
    ///   - isCancelled: Asked before each line, and by what is being done, whether to stop.
    ///   - save: Writes a screen under a name.
    package init(
        _ model: Model, on inspection: Inspection, isCancelled: @escaping @Sendable () -> Bool = { false },
        save: @escaping (String, Frame) throws -> Void = { _, _ in }
    ) {
        self.model = model
        self.inspection = inspection
        self.save = save
        self.isCancelled = isCancelled
        send(.terminal(.resize(model.size)))
        send(.started)
    }

    /// Runs a script to its end, or until the inspector is left.
    ///
    /// - Throws: ``ScriptError`` where a command fails, an expectation is not met or a screen cannot be written, or it was stopped.
    package mutating func run(_ script: Script) throws(ScriptError) {
        for (line, command) in script.commands {
            if isCancelled() { throw ScriptError(line: line, problem: "the script was stopped before this line") }
            if model.hasQuit { throw ScriptError(line: line, problem: "the inspector was left before this line") }
            do throws(Failure) {
                try run(command)
            } catch {
                throw ScriptError(line: line, problem: error.problem, screen: error.screen)
            }
        }
    }

    private struct Failure: Error {
        let problem: String
        var screen: String?
    }

    private mutating func run(_ command: Script.Command) throws(Failure) {
        switch command {
        case .keys(let keys):
            for key in keys where !model.hasQuit && !isCancelled() { send(.terminal(.key(key))) }
        case .command(let line, let fails): try type(line, fails: fails)
        case .paste(let text): send(.terminal(.paste(text)))
        case .mouse(let action, let position): send(.terminal(.mouse(action, position)))
        case .resize(let size): send(.terminal(.resize(size)))
        case .expect(let text, let isShown):
            guard model.render().text.contains(text) != isShown else { return }
            let told = model.masking.sentence(text)
            throw unmet(isShown ? "the screen does not show “\(told)”" : "the screen shows “\(told)”")
        case .expectStyle(let style, let text):
            let frame = model.render()
            guard !frame.shows(text, styled: style) else { return }
            throw Failure(problem: "“\(model.masking.sentence(text))” is not shown as \(style)", screen: frame.roles)
        case .expectStep(let id, let state): try expect(step: id, state)
        case .expectValue(let address, let value): try expect(address, value)
        case .expectCopied(let text):
            guard let copied = model.clipboard.copied else { throw unmet("nothing was copied") }
            guard !copied.text.utf8.elementsEqual(text.utf8) else { return }
            throw unmet(model.masking.sentence("“\(copied.text)” was copied, not “\(text)”"))
        case .screen(let name):
            do {
                try save(name, model.render())
            } catch {
                throw Failure(problem: "the screen “\(name)” cannot be written: \(error)")
            }
        }
    }

    /// Types a command line; what is refused says so in a message of that kind.
    private mutating func type(_ line: String, fails: Bool) throws(Failure) {
        if model.prompt != nil {
            throw unmet("“:\(model.masking.sentence(line))” would be typed into another line; key <Esc> leaves it")
        }
        for character in ":" + line { send(.terminal(.key(.character(character)))) }
        send(.terminal(.key(.enter)))
        let refused = model.message.flatMap { $0.kind == .refused ? $0.shown(model.masking) : nil }
        let typed = model.masking.sentence(line)
        switch (refused, fails) {
        case (let reason?, false): throw unmet("“:\(typed)” failed: \(reason)")
        case (nil, true): throw unmet("“:\(typed)” was to fail and did not")
        default: break
        }
    }

    private func expect(step id: String, _ state: String) throws(Failure) {
        let steps = model.opened?.plan?.steps ?? []
        guard let step = steps.first(where: { $0.id == id }) else {
            let known =
                steps.isEmpty ? "no migration is in view" : "the steps are \(steps.map(\.id).joined(separator: ", "))"
            throw unmet("there is no step “\(id)”; \(known)")
        }
        let states = [step.status.rawValue, step.outcome.kind.rawValue]
        guard !states.contains(state) else { return }
        throw unmet("the step \(id) is \(states.joined(separator: " and ")), not \(state)")
    }

    private func expect(_ address: Address, _ expected: Value?) throws(Failure) {
        guard let opened = model.opened else { throw unmet("no app is open") }
        switch (opened.stores.state(at: address), expected) {
        case (.absent, nil): return
        case (.present(let value), let expected?)
        where value.isEquivalentJSON(to: expected, tellingIntegersFromReals: true): return
        case (.absent, _): throw unmet("\(address) is absent")
        case (.present(let value), _):
            throw unmet("\(address) is \(model.masking.summary(of: value, at: address)) (\(value.typeName))")
        case (.unreadable(let reason), _):
            throw unmet("\(address) cannot be read: \(model.masking.sentence(reason.explanation))")
        }
    }

    private func unmet(_ problem: String) -> Failure { Failure(problem: problem, screen: model.render().text) }

    private mutating func send(_ event: Event) {
        var events = [event]
        while !events.isEmpty {
            let event = events.removeFirst(), before = model, effects = model.update(event)
            if case .terminal(let event) = event { recorder?.take(event, before, model, effects) }
            for effect in effects {
                events += Self.events(of: effect, on: inspection, isCancelled: isCancelled)
            }
        }
    }

    /// Performs an effect to its end: what it reports on the way, then its end.
    package static func events(
        of effect: any Effect, on inspection: Inspection, isCancelled: @escaping @Sendable () -> Bool = { false }
    ) -> [Event] {
        let reported = Mutex<[Event]>([])
        let control = EffectControl(
            post: { event in reported.withLock { $0.append(event) } }, isCancelled: isCancelled)
        let end = effect.run(on: inspection, control)
        return reported.withLock { $0 } + [end]
    }
}
