/// What became of what the steps before have read, for the steps that ask for it: those that remove what has arrived.
package struct StepAccount: Sendable {
    private var account = PartAccount()
    /// What is not in the account yet: most migrations never ask.
    private var pending: [[PartEvent]] = []
    private var isComplete = true

    /// Nothing has been done.
    package init() {}

    /// Notes what a step did.
    package mutating func note(_ preview: StepPreview) { pending.append(preview.events) }

    /// Notes that something was done of which nobody knows what became of what it read: a step then looks itself.
    package mutating func noteUnknown() { isComplete = false }

    /// What a step is told; `nil` where it does not ask, or not all is known.
    mutating func told(_ step: Step) -> PartAccount? {
        guard step.asksAccount, isComplete else { return nil }
        account.note(pending)
        pending = []
        return account
    }
}
