import Inspector

extension CursesTerminal {
    /// Runs the inspector on this terminal until the person leaves it.
    ///
    /// Each event is followed by one update of the screen; what takes long runs beside it.
    ///
    /// - Parameter start: Makes the inspector's first screen for the size that the terminal has.
    public mutating func run<Failure: Error>(
        _ inspection: Inspection, start: (Size) throws(Failure) -> Model
    ) throws(Failure) {
        let wakeup = wakeup
        let queue = EffectQueue(inspection) { wakeup.wake() }
        var model = try start(size)
        _ = model.update(.terminal(.resize(size)))
        for effect in model.update(.started) { queue.start(effect) }
        while !model.hasQuit {
            present(model.render())
            var events = [Event.terminal(nextEvent())]
            events += queue.take()
            for event in events where !model.hasQuit {
                for effect in model.update(event) { queue.start(effect) }
            }
        }
    }
}
