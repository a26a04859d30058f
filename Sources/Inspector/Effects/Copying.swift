import MigrationEngine
import Reports
import StoreFormats
import Workspace

extension Model {
    /// Copies a part of the row under the cursor; without one, asks which.
    mutating func copy(_ name: String) -> [any Effect] {
        guard let opened else { return [] }
        let parts = copiedParts
        if name.isEmpty {
            clipboard.isChoosing = true
            let letters = parts.map { "\($0.letter) \(isComparing ? $0.comparedWords : $0.words)" }
            message = .done("copy: " + (letters + ["p what was copied last, on a page"]).joined(separator: ", "))
            return []
        }
        if name == "page" { return showCopied() }
        guard let part = parts.first(where: { $0.rawValue == name }) else {
            let names = parts.map(\.rawValue) + ["page"]
            message = .refused("copy takes \(names.joined(separator: ", ")) here")
            return []
        }
        return isComparing ? copyCompared(part) : [Copying(part: part, model: self, opened: opened)]
    }

    /// Takes the key that says what to copy; `nil` where none is awaited, or where it begins a command.
    mutating func chooseCopied(_ key: Key) -> [any Effect]? {
        guard clipboard.isChoosing else { return nil }
        clipboard.isChoosing = false
        switch key {
        case .character(":"): return nil
        case .escape, .control("c"): return []
        case .character("p"): return showCopied()
        case .character(let letter):
            if let part = copiedParts.first(where: { $0.letter == letter }) { return copy(part.rawValue) }
            fallthrough
        default:
            message = .refused("\(key.notation) copies nothing here; \(self.key(.copy)) lists what can be copied")
            return []
        }
    }

    /// What can be copied of what the cursor is on.
    var copiedParts: [CopiedPart] {
        isComparing ? [.value, .migratedValue, .key, .address, .sentence] : opened?.copiedParts ?? []
    }

    /// Shows what was copied last, for the terminal's own selection.
    private mutating func showCopied() -> [any Effect] {
        guard clipboard.copied != nil else {
            message = .refused("nothing has been copied yet")
            return []
        }
        show(.copied)
        return []
    }
}

extension OpenContainer {
    /// What of the row under the cursor can be copied.
    var copiedParts: [CopiedPart] {
        switch row {
        case .step:
            (address == nil ? [] : [.value, .key, .address])
                + (written == nil ? [] : [.migratedValue, .migratedKey, .migratedAddress]) + [.sentence]
        case .entry: [.value, .key, .address, .sentence]
        case .unmapped, .store, .noise: [.address, .sentence]
        case nil: []
        }
    }

    /// The entry that the step under the cursor writes, what stands there then, and what that is made from.
    var written: (address: Address, state: EntryState, from: [Address])? {
        guard let planned = step else { return nil }
        let target = planned.target
        let change =
            planned.changes.first { $0.address == target } ?? planned.changes.first { $0.after != nil }
            ?? planned.changes.first
        if let change { return (change.address, change.after.map(EntryState.present) ?? .absent, change.from) }
        return target.map { ($0, stores.state(at: $0), []) }
    }
}

extension Model {
    /// Gives the terminal what was copied, and says so.
    fileprivate mutating func take(_ text: CopiedText, _ words: String) {
        clipboard.copy(text)
        let remarks = [
            text.isMasked ? "secrets are masked in it (\(key(.reveal)) shows them)" : nil,
            text.hasSigns ? "signs stand for what cannot be shown" : nil,
            text.isCut ? "only its first \(CopiedText.limit.asBytes): a terminal takes no more" : nil,
        ].compactMap(\.self)
        let copied =
            clipboard.isReachable
            ? ["copied the \(words)"] + remarks + ["if it is not in the clipboard, \(self.key(.copy)) p shows it"]
            : ["this terminal cannot copy; here is the \(words) for you to select"] + remarks
        message = Message(kind: .done, text: copied.joined(separator: "; "), quotesDump: false)
        if !clipboard.isReachable { show(.copied) }
    }
}

/// Makes the text of a part of a row of the comparison.
struct ComparisonCopying: Effect {
    let part: CopiedPart
    let wanted: CompareReport.Part
    let report: CompareReport
    let position: Int
    var label: String { "copying" }

    func perform(on inspection: Inspection, _ control: EffectControl) -> CopiedText? {
        report.copied(wanted, at: position)
    }

    func finish(_ text: CopiedText?, in model: inout Model) -> [any Effect] {
        if let text {
            model.take(text, part.comparedWords)
        } else {
            model.message = .refused("there is no \(part.comparedWords)")
        }
        return []
    }
}

/// Makes the text of a part of a row; a large value takes long.
struct Copying: Effect {
    let part: CopiedPart
    let model: Model
    let opened: OpenContainer
    var label: String { "copying" }

    /// What came of it: the text, or why there is none.
    enum Answer: Sendable {
        case text(CopiedText)
        case none(String)
    }

    func perform(on inspection: Inspection, _ control: EffectControl) throws(WorkspaceError) -> Answer {
        let answer = answer
        try control.goOn()
        return answer
    }

    func finish(_ answer: Answer, in model: inout Model) -> [any Effect] {
        switch answer {
        case .none(let reason): model.message = .refused(reason)
        case .text(let text): model.take(text, part.words)
        }
        return []
    }

    private var answer: Answer {
        let masking = model.masking
        func text(_ make: (Masking) -> String) -> Answer { .text(CopiedText(masking, make)) }
        func value(_ state: EntryState, _ address: Address, from sources: [Address] = []) -> Answer {
            switch state {
            case .present(let value): text { $0.line(of: value, at: address, from: sources) }
            case .absent: .none("there is no value at \(masking.line(of: address))")
            case .unreadable(let reason): .none("the value cannot be read: \(reason.explanation)")
            }
        }
        switch part {
        case .value: return opened.address.map { value(opened.stores.state(at: $0), $0) } ?? .none("there is no value")
        case .migratedValue:
            return opened.written.map { value($0.state, $0.address, from: $0.from) } ?? .none("there is no value")
        case .key, .migratedKey:
            let key = part == .key ? opened.address?.key : opened.written?.address.key
            return key.map { key in text { $0.written(key) } } ?? .none("there is no key")
        case .address, .migratedAddress:
            let address = part == .address ? opened.address : opened.written?.address
            return address.map { address in text { $0.line(of: address) } } ?? .none("there is no address")
        // It says what is so, and elsewhere on the timeline that is not.
        case .sentence: return opened.moment == .now ? text { sentence($0) } : .none(Model.notNow)
        }
    }

    private func sentence(_ masking: Masking) -> String {
        let sentences = RowSentence(
            of: opened.snapshot.told(masking), now: opened.stores, found: opened.snapshot.stores, masking)
        switch opened.row {
        case .step(let index):
            guard let plan = opened.plan else { return "" }
            return sentences.sentence(of: plan.steps[index], in: plan)
        case .entry(let store, let key):
            let address = Address(store: store, key: key)
            return sentences.sentence(of: address, is: opened.annotation(of: address))
        case .unmapped(let store, _), .store(let store), .noise(let store, _): return sentences.sentence(of: store)
        case nil: return ""
        }
    }
}
