import MigrationEngine
import StoreFormats

extension RudderStackRow {
    static let sessionID = RudderStackRow(
        id: "session-id", title: "Session ID", keys: [RudderStackKeys.sessionID], targetKey: "session_id",
        rule: { _ in "the number as a string" },
        convert: { legacy, transaction, _, _ throws(StepStop) in
            let number = try sessionNumber(legacy, &transaction)
            var notes = RudderStackLeftovers(in: legacy.domain, transaction.seen).notes
            do throws(StepStop) {
                if try legacy.flag(RudderStackKeys.sessionStopped, in: &transaction) ?? false {
                    notes.append("the old SDK had ended this session; migrating it would resume it")
                }
            } catch {
                notes.append(
                    "whether the old SDK had ended this session is not known: \(error)")
            }
            return Result(
                value: .string(String(number)), from: [legacy.address(RudderStackKeys.sessionID)], notes: notes)
        })

    static let manualSession = RudderStackRow(
        id: "manual-session", title: "Session mode", keys: [RudderStackKeys.manualSession],
        targetKey: "is_manual_session",
        disagreement: """
            The guide inverts the flag, as is right for the key of SDK v1; in v2 true means manual already, and the SDK \
            copies it.
            """,
        rule: { rules in
            rules == .documented
                ? "the inverted Boolean (the guide's mapping table)" : "the Boolean as it is: true is a manual session"
        },
        convert: { legacy, transaction, _, rules throws(StepStop) in
            if rules != .documented { _ = try sessionNumber(legacy, &transaction) }
            guard let flag = try legacy.flag(RudderStackKeys.manualSession, in: &transaction) else {
                throw .skipped("absent", "\(RudderStackKeys.manualSession) is not there; sessions are automatic")
            }
            return Result(
                value: .bool(rules == .documented ? !flag : flag),
                from: [legacy.address(RudderStackKeys.manualSession)],
                effect: rules == .documented ? .changed : nil)
        })

    static let lastActivityTime = RudderStackRow(
        id: "last-activity-time", title: "Last activity time", keys: [RudderStackKeys.lastEvent],
        targetKey: "last_activity_time", facts: [.now, .uptime],
        disagreement: """
            The guide and SDK 1.1 keep milliseconds of uptime; from SDK 1.2 the reader expects milliseconds since 1970. A \
            value in the wrong unit resets the session.
            """,
        rule: { rules in
            rules == .sdk1_2
                ? "milliseconds since 1970 as a string"
                : "milliseconds of uptime as a string: the timestamp less the boot time, which is now less uptime"
        },
        convert: { legacy, transaction, facts, rules throws(StepStop) in
            if rules != .documented { _ = try sessionNumber(legacy, &transaction) }
            guard let number = try legacy.number(RudderStackKeys.lastEvent, in: &transaction) else {
                throw .skipped(
                    "absent", "\(RudderStackKeys.lastEvent) is not there: no event was recorded in a session")
            }
            let timestamp: Double =
                switch number {
                case .integer(let integer): Double(integer)
                case .real(let real): real.value
                default: .nan
                }
            let seconds =
                rules == .sdk1_2
                ? try epochSeconds(timestamp, facts) : try uptimeSeconds(timestamp, facts)
            guard let milliseconds = UInt64(exactly: (seconds * 1000).rounded(.towardZero)) else {
                throw .failed(
                    "not-a-time",
                    "\(RudderStackKeys.lastEvent) is \(timestamp), which is not a point in time")
            }
            // A moment becomes a time since the last boot.
            return Result(
                value: .string(String(milliseconds)), from: [legacy.address(RudderStackKeys.lastEvent)],
                effect: rules == .sdk1_2 ? nil : .changed)
        })

    /// The session ID: what `NSNumber.uint64Value` gives of a number that is not negative.
    private static func sessionNumber(
        _ legacy: RudderStackLegacy, _ transaction: inout StoreTransaction
    ) throws(StepStop) -> UInt64 {
        guard let value = try legacy.number(RudderStackKeys.sessionID, in: &transaction) else {
            throw .skipped(
                "condition-not-met", "\(RudderStackKeys.sessionID) is not there: the old SDK had no active session")
        }
        let number: UInt64? =
            switch value {
            case .integer(let integer): UInt64(exactly: integer)
            case .real(let real): UInt64(exactly: real.value.rounded(.towardZero))
            default: nil
            }
        guard let number else {
            let what =
                switch value {
                case .integer(let integer) where integer < 0: "negative"
                case .real(let real) where real.value < 0: "negative"
                case .real(let real) where real.value.isNaN: "not a number"
                default: "beyond 64 bits"
                }
            throw .failed("out-of-range", "\(RudderStackKeys.sessionID) is \(what)")
        }
        return number
    }

    /// The timestamp, checked as every version of the SDK checks it.
    private static func epochSeconds(_ timestamp: Double, _ facts: Facts) throws(StepStop) -> Double {
        guard timestamp > 0 else {
            throw .skipped(
                "condition-not-met",
                "\(RudderStackKeys.lastEvent) is \(timestamp.text), which cannot be the time of an event")
        }
        let now = try facts.seconds(.now)
        guard timestamp <= now else {
            throw .skipped(
                "condition-not-met",
                "\(RudderStackKeys.lastEvent) is \(timestamp.text), after now (\(now.text)); the clock was changed, or now is wrong"
            )
        }
        return timestamp
    }

    /// The uptime at which the event occurred (seed 000, "Timestamp conversion").
    private static func uptimeSeconds(_ timestamp: Double, _ facts: Facts) throws(StepStop) -> Double {
        try facts.require(.now, .uptime)
        let timestamp = try epochSeconds(timestamp, facts)
        let boot = try facts.seconds(.now) - facts.seconds(.uptime)
        guard timestamp >= boot else {
            throw .skipped(
                "before-boot",
                """
                the last event (\(timestamp.text)) was before the last boot (\(boot.text)): the device was restarted \
                since, so the time cannot be converted; the session will reset naturally
                """)
        }
        return timestamp - boot
    }
}

extension Double {
    /// The number without a fraction that is zero.
    fileprivate var text: String { Int(exactly: self).map(String.init) ?? String(self) }
}
