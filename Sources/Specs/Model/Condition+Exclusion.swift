import MigrationEngine
import StoreFormats

extension [Condition] {
    /// Whether these and others never hold together, as two of them tell: of one entry, fact or store what is certain to be
    /// two things.
    ///
    /// - Parameters:
    ///   - source: What both rows read, in the same way: their values are one then.
    ///   - isChanged: Whether one of some entries is another when the others are asked.
    func exclude(_ others: [Condition], of source: SpecAddress?, unless isChanged: ([SpecAddress]) -> Bool) -> Bool {
        contains { one in
            others.contains { other in
                guard one.excludes(other, isOneValue: source != nil) else { return false }
                let isOfValue = one.asksOfValue || other.asksOfValue
                return !isChanged(one.addresses + other.addresses + (isOfValue ? [source].compactMap(\.self) : []))
            }
        }
    }
}

extension Condition {
    fileprivate func excludes(_ other: Condition, isOneValue: Bool) -> Bool {
        switch (self, other) {
        case (.any(let all, _), _): return all.allSatisfy { $0.excludes(other, isOneValue: isOneValue) }
        case (_, .any(let all, _)): return all.allSatisfy { excludes($0, isOneValue: isOneValue) }
        case (.test(let subject, let test, _, _), .test(let otherSubject, let otherTest, _, _)):
            return subject.isSame(as: otherSubject, isOneValue: isOneValue)
                && (test.excludes(otherTest) || otherTest.excludes(test))
        }
    }
}

extension Condition.Subject {
    /// Whether both are the same whichever row asks, and whatever another row has written.
    fileprivate func isSame(as other: Self, isOneValue: Bool) -> Bool {
        switch (self, other) {
        case (.value(let one), .value(let other)): isOneValue && one == other
        case (.address(let one), .address(let other)): one.templates == other.templates
        case (.fact(let one), .fact(let other)): one == other
        case (.store(let one), .store(let other)): one == other
        default: false
        }
    }
}

extension Condition.Test {
    fileprivate func excludes(_ other: Self) -> Bool {
        switch (self, other) {
        case (.isAbsent, .exists), (.isAbsent, .isEmpty(true)), (.isAbsent, .isType(_, true)),
            (.isAbsent, .isLiteral(_, true)), (.isAbsent, .compares):
            true
        case (.isEmpty(let isMeant), .isEmpty(let other)): isMeant != other
        case (.isType(let kind, true), .isType(let other, true)): kind.asked.isDisjoint(with: other.asked)
        case (.isType(let kind, true), .isType(let other, false)): kind == other
        case (.isLiteral(let value, true), .isLiteral(let other, let isMeant)):
            // 1 and 1.0 are one number.
            (value == other || value.double.map { $0 == other.double } ?? false) != isMeant
        case (.compares(let comparison, .number(let number)), .compares(let other, .number(let otherNumber))):
            comparison.excludes(other, from: number, to: otherNumber)
        default: false
        }
    }
}

extension Condition.Comparison {
    /// Whether no number is as this says of one number and as the other says of another.
    fileprivate func excludes(_ other: Self, from number: Value, to otherNumber: Value) -> Bool {
        guard let lower = number.double, let upper = otherNumber.double else { return false }
        return switch (self, other) {
        case (.above, .below), (.above, .atMost), (.atLeast, .below): upper <= lower
        case (.atLeast, .atMost): upper < lower
        default: false
        }
    }
}

extension SpecRow {
    /// The source that it has in common with another row, where that is its only one and both read it as the same types.
    func source(sharedWith other: SpecRow) -> SpecAddress? {
        guard case .first(let sources) = from, case .first(let others) = other.from, types == other.types,
            sources.count == 1, others.count == 1, let address = sources[0].address,
            address.templates == others[0].address?.templates, sources[0].ignored == others[0].ignored
        else { return nil }
        return address
    }
}
