import Foundation
import MigrationEngine
import StoreFormats

// MARK: Times

extension OperationTable {
    static let times = [time]

    private static let time = OperationDefinition(
        "time", "A point in time in another unit or form; an uptime needs the facts now and uptime.",
        arguments: "from and to: \(Moment.names.joined(separator: ", "))", takes: [.string, .integer, .real, .date],
        gives: [.string, .integer, .real, .date],
        "complement: what the new form is too coarse for is set aside, and an offset from UTC",
        errors: ["before-boot", "not-a-time"],
        example: .init(
            written: "time: {from: iso8601, to: milliseconds}", before: #""2024-08-30T06:40:00Z""#,
            after: "1725000000000")
    ) { (reader: inout OperationReader) -> SpecOperation? in
        guard let members = reader.members(["from", "to"], required: ["from", "to"]) else { return nil }
        guard let from = reader.reader.word(members["from"], of: "from", Moment.Unit.self),
            let to = reader.reader.word(members["to"], of: "to", Moment.Unit.self)
        else { return nil }
        let needsBoot = from.isUptime || to.isUptime
        var operation = reader.value(
            "\(from.rawValue) to \(to.rawValue)", .complement, facts: needsBoot ? [.now, .uptime] : [],
            gives: to.kinds, changesMeaning: from.isUptime != to.isUptime,
            loses: { old, new in
                let text = from == .iso8601 ? old.string.flatMap(Timestamp.instant) : nil
                // How a number of 64 bits tells a fraction is finer than anybody means.
                let before = needsBoot ? nil : Moment(old, in: from), after = Moment(new, in: to)
                let isCoarser =
                    before.flatMap { before in after.map { $0.microseconds != before.microseconds } } ?? false
                let losses = [
                    isCoarser
                        ? "what \(to.rawValue) are too coarse for is dropped"
                        : text?.hasFinerDecimals ?? false ? "what is less than a microsecond is dropped" : nil,
                    text?.offset.flatMap { offset in
                        offset == "+00:00" ? nil : "the offset \(offset) is dropped: the same time is told in UTC"
                    },
                ].compactMap(\.self)
                return losses.isEmpty ? nil : losses.joined(separator: "; ")
            }
        ) { value, facts throws(StepStop) in
            let boot = needsBoot ? try facts.value(.boot).double : nil
            guard var moment = Moment(value, in: from) else {
                throw .failed("not-a-time", "\(value.quoted) is no time in \(from.rawValue)")
            }
            if let boot, from.isUptime { moment = moment.adding(boot) }
            if let boot, to.isUptime {
                moment = moment.adding(-boot)
                guard moment.isNotNegative else {
                    throw .failed(
                        "before-boot",
                        """
                        the time is before the last start of the device (\(Value.real(boot).wholeText)): it was \
                        restarted since, so the time has no uptime
                        """)
                }
            }
            guard let result = moment.value(in: to) else {
                throw .failed("not-a-time", "\(value.quoted) cannot be told in \(to.rawValue)")
            }
            return result
        }
        operation.takes = from.read
        // Seconds keep a fraction.
        if let old = from.perSecond, let new = to.perSecond, new < old, to.kinds == .integer {
            operation.warning = (
                .narrowing, "\(to.rawValue) are coarser than \(from.rawValue)",
                "Nothing, where whole \(to.rawValue) are what the reader expects."
            )
        }
        return operation
    }
}

extension OperationTable {
    /// The seconds since 1970 of a text of ISO 8601.
    static func seconds(ofISO8601 value: Value) -> Double? { Moment(value, in: .iso8601)?.inSeconds }
}

/// A point in time since 1970: exact as long as it is a whole number of microseconds.
private enum Moment {
    case microseconds(Int128)
    case seconds(Double)

    enum Unit: String, CaseIterable {
        case seconds, milliseconds, microseconds, date, iso8601
        case appleSeconds = "apple-seconds"
        case uptimeSeconds = "uptime-seconds"
        case uptimeMilliseconds = "uptime-milliseconds"

        var isUptime: Bool { self == .uptimeSeconds || self == .uptimeMilliseconds }

        /// How many there are in a second; `nil` where it is no number.
        var perSecond: Int128? {
            switch self {
            case .seconds, .appleSeconds, .uptimeSeconds: 1
            case .milliseconds, .uptimeMilliseconds: 1000
            case .microseconds: 1_000_000
            case .date, .iso8601: nil
            }
        }

        /// What a time in it is stored as.
        var read: ValueKinds {
            switch self {
            case .date: .date
            case .iso8601: .string
            default: .number
            }
        }

        var kinds: ValueKinds {
            switch self {
            case .date: .date
            case .iso8601: .string
            case .seconds, .appleSeconds, .uptimeSeconds: .number
            case .milliseconds, .microseconds, .uptimeMilliseconds: .integer
            }
        }
    }

    static let names = Unit.allCases.map(\.rawValue)
    private static let reference = Int128(Timestamp.referenceSinceEpoch)

    init?(_ value: Value, in unit: Unit) {
        switch (value, unit.perSecond) {
        case (.integer(let integer), let perSecond?):
            let micros = integer.multipliedReportingOverflow(by: 1_000_000 / perSecond)
            guard !micros.overflow, abs(Double(micros.partialValue)) < 1e24 else { return nil }
            self = .microseconds(micros.partialValue + (unit == .appleSeconds ? Self.reference * 1_000_000 : 0))
        case (.real(let real), let perSecond?):
            guard real.value.isFinite else { return nil }
            self = .seconds(
                real.value / Double(perSecond) + (unit == .appleSeconds ? Timestamp.referenceSinceEpoch : 0))
        case (.date(let date), nil) where unit == .date:
            guard date.secondsSinceReference.isFinite else { return nil }
            self = .seconds(date.secondsSinceReference + Timestamp.referenceSinceEpoch)
        case (.string(let text), nil) where unit == .iso8601:
            guard let micros = Timestamp.microseconds(ofISO8601: text) else { return nil }
            self = .microseconds(micros)
        default: return nil
        }
    }

    /// The whole number of microseconds that is nearest; `nil` beyond 128 bits.
    var microseconds: Int128? {
        switch self {
        case .microseconds(let micros): micros
        case .seconds(let seconds): Int128(exactly: (seconds * 1_000_000).rounded())
        }
    }

    var isNotNegative: Bool {
        switch self {
        case .microseconds(let micros): micros >= 0
        case .seconds(let seconds): seconds >= 0
        }
    }

    var inSeconds: Double {
        switch self {
        case .microseconds(let micros): Double(micros) / 1_000_000
        case .seconds(let seconds): seconds
        }
    }

    func adding(_ seconds: Double) -> Moment {
        if case .microseconds(let micros) = self, let whole = Int64(exactly: seconds) {
            return .microseconds(micros + Int128(whole) * 1_000_000)
        }
        return .seconds(inSeconds + seconds)
    }

    func value(in unit: Unit) -> Value? {
        let shifted = unit == .appleSeconds ? adding(-Timestamp.referenceSinceEpoch) : self
        switch unit {
        case .date: return .date(Timestamp(secondsSinceEpoch: inSeconds))
        case .iso8601: return Timestamp(secondsSinceEpoch: inSeconds).iso8601.map(Value.string)
        case .seconds, .appleSeconds, .uptimeSeconds:
            if case .microseconds(let micros) = shifted, micros % 1_000_000 == 0 { return .integer(micros / 1_000_000) }
            return Int64(exactly: shifted.inSeconds).map { .integer(Int128($0)) } ?? .real(shifted.inSeconds)
        case .milliseconds, .microseconds, .uptimeMilliseconds:
            let perSecond = unit.perSecond ?? 1
            // By way of whole microseconds: a fraction in binary may be a little less than the milliseconds that are meant.
            return shifted.microseconds.map { .integer($0 / (1_000_000 / perSecond)) }
        }
    }
}

extension Value {
    /// The text of a number, without a fraction that is zero.
    var wholeText: String { double.flatMap { Int64(exactly: $0) }.map { "\($0)" } ?? numberText }
}

// MARK: Formats

extension OperationTable {
    static let formats = [decode, encode]

    private static let decode = OperationDefinition(
        "decode", "What text or data holds in a format.",
        arguments: Form.allCases.map(\.rawValue).joined(separator: ", "), takes: [.string, .data], gives: .any,
        "complement: the writing is set aside", errors: Form.allCases.map { "not-\($0.rawValue)" },
        example: .init(written: "decode: json", before: #""{\"a\":1}""#, after: #"{"a":1}"#)
    ) { (reader: inout OperationReader) -> SpecOperation? in
        guard let form = reader.reader.word(reader.required(), of: "decode", Form.self) else { return nil }
        return reader.value("what it holds as \(form.rawValue)", .complement, gives: form.holds) {
            value, _ throws(StepStop) in
            let held = try form.decode(value)
            if let pointer = held.repeatedMember { throw .repeatedKey(pointer) }
            return held
        }
    }

    private static let encode = OperationDefinition(
        "encode", "Text or data that holds the value in a format; json makes a string.",
        arguments: Form.allCases.map(\.rawValue).joined(separator: ", "), takes: .any, gives: [.string, .data], "exact",
        errors: Form.allCases.map { "not-\($0.rawValue)" },
        example: .init(written: "encode: json", before: #"{"a":1}"#, after: #""{\"a\":1}""#)
    ) { (reader: inout OperationReader) -> SpecOperation? in
        guard let form = reader.reader.word(reader.required(), of: "encode", Form.self) else { return nil }
        var operation = reader.value(
            "written as \(form.rawValue)", gives: form.written, back: { try? form.decode($0) }
        ) { value, _ throws(StepStop) in
            if let pointer = value.repeatedMember { throw .repeatedKey(pointer) }
            return try form.encode(value)
        }
        operation.takes = form == .json ? .any.subtracting([.date, .data]) : form.holds
        return operation
    }
}

/// A format in which text or data holds a value.
enum Form: String, CaseIterable, Hashable, Sendable {
    case json
    case propertyList = "property-list"
    case keyedArchive = "keyed-archive"
    case base64, hex, utf8

    /// The types that it is written as.
    var written: ValueKinds {
        switch self {
        case .json, .base64, .hex: .string
        case .propertyList, .keyedArchive, .utf8: .data
        }
    }

    /// The types that it can hold.
    var holds: ValueKinds {
        switch self {
        case .json, .propertyList, .keyedArchive: .any
        case .base64, .hex: .data
        case .utf8: .string
        }
    }

    /// What text or data holds.
    func decode(_ value: Value) throws(StepStop) -> Value {
        let bytes = value.string.map { Data($0.utf8) } ?? value.data
        guard let bytes else { throw refused("it is \(value.typePhrase), where text or data belongs") }
        switch self {
        case .base64:
            // Line breaks in it are common, and are no part of it.
            let text = value.string?.filter { !$0.isWhitespace } ?? ""
            guard value.string != nil, let data = Data(base64Encoded: text), data.base64EncodedString() == text else {
                throw refused("it is no text in base64")
            }
            return .data(data)
        case .hex:
            guard let data = value.string.flatMap({ Hexadecimal.data(Array($0.utf8)) }) else {
                throw refused("it is no text of hexadecimal digits")
            }
            return .data(data)
        case .utf8:
            guard let text = String(validating: bytes, as: UTF8.self) else { throw refused("its bytes are not UTF-8") }
            return .string(text)
        case .json, .propertyList, .keyedArchive: break
        }
        do throws(FormatError) {
            switch self {
            case .propertyList: return try Self.list(bytes)
            case .keyedArchive: return try KeyedArchive.decode(Self.list(bytes))
            default: return try JSONDocument(bytes).value
            }
        } catch {
            if error.isOverLimit {
                throw .failed("unreadable-over-limit", "\(error): over a limit of this reader, not damage")
            }
            throw refused("\(error)")
        }
    }

    private static func list(_ bytes: Data) throws(FormatError) -> Value {
        let isXML = if case .readable(.xmlPropertyList)? = StoreFormat.sniff(bytes) { true } else { false }
        return isXML ? try XMLPropertyList.parse(bytes) : try BinaryPropertyList(bytes).value()
    }

    /// Text or data that holds a value.
    func encode(_ value: Value) throws(StepStop) -> Value {
        do throws(FormatError) {
            switch self {
            case .json: return .string(String(decoding: try JSONDocument.write(value), as: UTF8.self))
            case .propertyList:
                guard !value.holdsNull else {
                    throw FormatError(.binaryPropertyList, at: .offset(0), .unwritable("null"))
                }
                return .data(try BinaryPropertyList.write(value))
            case .keyedArchive: return .data(try KeyedArchive.write(value))
            case .base64, .hex, .utf8: break
            }
        } catch {
            throw refused("\(error.problem)")
        }
        switch (self, value) {
        case (.base64, .data(let data)): return .string(data.base64EncodedString())
        case (.hex, .data(let data)): return .string(Hexadecimal.text(data))
        case (.utf8, .string(let text)): return .data(Data(text.utf8))
        default: throw refused("\(rawValue) holds \(holds.phrase), and this is \(value.typePhrase)")
        }
    }

    fileprivate func refused(_ why: String) -> StepStop { .failed("not-\(rawValue)", why) }
}

extension Value {
    /// Whether a null lies in it, which Foundation writes in no property list.
    fileprivate var holdsNull: Bool {
        switch self {
        case .null: true
        case .array(let items): items.contains(where: \.holdsNull)
        case .dictionary(let members): members.contains(where: \.value.holdsNull)
        default: false
        }
    }
}
