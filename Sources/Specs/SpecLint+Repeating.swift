import MigrationEngine
import StoreFormats

/// Why a row changes its own result once more, or fails on it, and what keeps it from that.
struct EndlessRow {
    let sentence: String, fix: String
}

extension SpecRow {
    /// Why the row has something to do the second time; `nil` where nothing tells that it has.
    var endless: EndlessRow? {
        guard onError != .skip, onCode.isEmpty else { return nil }
        // Most rows are none of these, and a file may have thousands.
        let isInPlace = if case .inPlace = to { true } else { false }
        guard isInPlace || exists == .overwrite || exists == .larger || addresses.contains(where: { $0.stars > 0 })
        else { return nil }
        let read = types.isEmpty ? ValueKinds.any : types.reduce(into: []) { $0.formUnion($1.kinds) }
        let made = operations.reduce(read) { $1.gives($0) }
        if isInPlace { return endlessInPlace(read, made) }
        guard !conditions.contains(where: { $0.tellsApart(made) }) else { return nil }
        return endlessStar ?? endlessExchange
    }

    // MARK: In place

    /// - Parameters:
    ///   - read: The types that its value may have as it is read.
    ///   - made: Those that its result may have.
    private func endlessInPlace(_ read: ValueKinds, _ made: ValueKinds) -> EndlessRow? {
        guard let last = operations.last else { return nil }
        let form = types.lazy.compactMap(\.form).first
        // A type is asked before a condition is, but for one on the type of what stands there.
        let isRefused = form.map { _ in last.name != "encode" } ?? (!types.isEmpty && made.isDisjoint(with: read))
        if isRefused, form != nil || !conditions.contains(where: { $0.refuses(made) }) {
            let stored = form.map { $0 == .json ? "string" : "data" } ?? types[0].kind?.rawValue ?? "string"
            let decoding = form.map { ", do: [{decode: \($0.rawValue)}, …]" } ?? ""
            return EndlessRow(
                sentence:
                    "\(last.name) makes what the type of the row refuses, so that the row fails on its own result",
                fix:
                    "\(form == nil ? "Say" : "Leave type out, and say") with if what is still to be changed: "
                    + "if: [value is \(stored)]\(decoding)."
            )
        }
        guard !conditions.contains(where: { $0.tellsApart(made) }),
            let operation = operations.first(where: { !$0.mayRepeat })
        else { return nil }
        let takes = operation.takes ?? OperationTable[operation.name]?.takes ?? .any
        let word = made.isDisjoint(with: takes) ? takes.typeWord : nil
        return EndlessRow(
            sentence: "\(operation.name) works in place on its own result once more, or fails on it",
            fix: word.map { "Say with if what is still to be changed: if: [value is \($0)]." } ?? operation.guardAdvice)
    }

    // MARK: Elsewhere

    /// A target that a source with a star fits too.
    private var endlessStar: EndlessRow? {
        let sources = addresses.flatMap(\.templates).filter { $0.stars > 0 }.map(\.signs)
        guard !sources.isEmpty else { return nil }
        let left = except.flatMap(\.templates).map(\.signs)
        for target in self.to.targets {
            for signs in target.address.templates.map(\.signs)
            where sources.contains(where: { $0 != signs && $0.overlaps(signs) })
                && !left.contains(where: signs.isWithin)
            {
                return EndlessRow(
                    sentence:
                        "what \(target.address.text) stands for may fit the row's own source, so that the second time it is "
                        + "taken once more",
                    fix: "Leave it out with except: [\(target.address.text)].")
            }
        }
        return nil
    }

    /// Values that take each other's places, or one that is written over what it is made of.
    private var endlessExchange: EndlessRow? {
        guard exists == .overwrite || exists == .larger else { return nil }
        let isPlain = operations.isEmpty
        let isExchanged: Bool
        switch (from, to) {
        case (.all(let members, _), .members(let targets)):
            isExchanged = targets.contains { target in
                let written = Set(target.target.address.templates)
                return members.contains { name, source in
                    guard let read = source.address?.templates, !written.isDisjoint(with: read) else { return false }
                    return !isPlain || name != target.name
                }
            }
        default:
            let written = Set(to.targets.flatMap(\.address.templates))
            isExchanged =
                operations.contains { !$0.mayRepeat }
                && addresses.contains { !written.isDisjoint(with: $0.templates) }
        }
        guard isExchanged else { return nil }
        return EndlessRow(
            sentence: "the row overwrites what it reads, so that the second time it changes its own result",
            fix: Self.markAdvice)
    }

    /// How values take each other's places once: nothing of the values themselves tells whether they have.
    static let markAdvice =
        "Let it leave a mark too, and ask for that: do: [{add: {done: true}}], to: {…, done: app/KEY}, if: [app/KEY is absent]."
}

extension Condition {
    /// Whether it is on the type of the value as a whole, and never holds of what a row makes.
    fileprivate func refuses(_ made: ValueKinds) -> Bool {
        if case .test(.value(let pointer), .isType(let kind, true), _, _) = self, pointer.isRoot {
            made.isDisjoint(with: kind.asked)
        } else {
            false
        }
    }

    /// Whether it may hold of what a row reads and not of what it makes of that.
    fileprivate func tellsApart(_ made: ValueKinds) -> Bool {
        switch self {
        case .test(.value(let pointer), .isType(let kind, true), _, _) where pointer.isRoot:
            !made.isSubset(of: kind.asked)
        case .any(let all, _): all.contains { $0.tellsApart(made) }
        case .test: true
        }
    }
}

extension ValueKinds {
    /// The type as a condition names it; `nil` where no word is for just these.
    fileprivate var typeWord: String? {
        ValueType.Kind.allCases.first { ![.flag, .text, .uuid].contains($0) && $0.asked == self }?.rawValue
    }
}

extension SpecOperation {
    /// Whether it leaves its own result as it is, as far as can be told without its arguments.
    fileprivate var mayRepeat: Bool {
        ["case", "trim", "remove", "in", "each", "round"].contains(name) || name == "add" && inverse == .complement
    }

    /// What tells what is still to be changed, where its type does not.
    fileprivate var guardAdvice: String {
        switch name {
        case "strip": "Pass over what is changed already: error: {no-prefix: skip}, or no-suffix."
        case "table": "Pass over what is changed already: error: {not-in-table: skip}."
        case "rename", "move", "copy", "pick", "add", "wrap":
            "Say with if what is still to be changed, such as if: [value#/FIELD exists]."
        default: "Put the result elsewhere with to:, or say with if what tells that it is still to be changed."
        }
    }
}
