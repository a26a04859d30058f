import StoreFormats

/// What the times are counted from that a person gives by their distance, such as `3h after the dump`; each in seconds since
/// 1970.
public struct TimeAnchors: Hashable, Sendable {
    /// One of them.
    public enum Anchor: Hashable, Sendable {
        /// When the dump was made.
        case dump
        /// When the person gives the fact.
        case clock
        /// When the new version first starts, the fact `now`.
        case start
    }

    /// When the dump was made; `nil` where it does not say so.
    public var dump: Double?
    /// When the person gives the fact, by the clock of their machine: it counts only where they write `now` themselves.
    public var clock: Double?
    /// When the new version first starts, which an uptime counts back from.
    public var start: Double?

    /// Makes anchors; one that is not given is not known.
    public init(dump: Double? = nil, clock: Double? = nil, start: Double? = nil) {
        (self.dump, self.clock, self.start) = (dump, clock, start)
    }

    fileprivate subscript(anchor: Anchor) -> Double? {
        switch anchor {
        case .dump: dump
        case .clock: clock
        case .start: start
        }
    }
}

/// What comes of a text that a person gives for a fact.
public enum FactReading: Hashable, Sendable {
    /// The value that it stands for, as steps read it.
    case value(String)
    /// It is a time that counts from one that is not known.
    case waits(TimeAnchors.Anchor)
    /// It is the time since a moment that is later than the one that it would count back from.
    case backwards
    /// It has not the form of the fact.
    case malformed
}

extension FactDefinition {
    /// What comes of a text that a person gives: beside what ``value(of:)`` takes, times as people write them.
    ///
    /// A moment is also `now`, `the dump`, `3h after the dump`, `2 days before 2024-08-30 10:00` or `20 min ago`; a number of
    /// seconds also `3h`, `1 day 4 h`, or `since` such a moment.
    public func reading(of text: String, from anchors: TimeAnchors = TimeAnchors()) -> FactReading {
        if let value = value(of: text) { return .value(value) }
        let words = text.lowercased().split { $0 == " " || $0 == "\t" }.joined(separator: " ")
        switch form {
        case .moment: return WrittenTime.moment(words, anchors).reading
        case .seconds: return WrittenTime.length(words, anchors).reading
        default: return .malformed
        }
    }
}

/// Moments and lengths of time as people write them, in microseconds: no fraction of a second is lost to binary numbers.
enum WrittenTime {
    /// A time, or why there is none.
    enum Result {
        case micros(Int)
        case waits(TimeAnchors.Anchor)
        case backwards, malformed

        fileprivate var reading: FactReading {
            switch self {
            case .micros(let micros): WrittenTime.text(micros).map(FactReading.value) ?? .malformed
            case .waits(let anchor): .waits(anchor)
            case .backwards: .backwards
            case .malformed: .malformed
            }
        }
    }

    /// A moment in lower case, its words one blank apart.
    static func moment(_ words: String, _ anchors: TimeAnchors) -> Result {
        if let point = point(words, anchors) { return point }
        if words.hasSuffix(" ago") { return sum(words.dropLast(4), -1, point("now", anchors)) }
        for (word, sign) in [(" after ", 1), (" before ", -1)] {
            guard let place = words.firstRange(of: word) else { continue }
            return sum(words[..<place.lowerBound], sign, point(String(words[place.upperBound...]), anchors))
        }
        return .malformed
    }

    /// A length of time in lower case, its words one blank apart.
    static func length(_ words: String, _ anchors: TimeAnchors) -> Result {
        for word in ["since ", "rebooted at ", "rebooted "] where words.hasPrefix(word) {
            let result = moment(String(words.dropFirst(word.count)), anchors)
            guard case .micros(let then) = result else { return result }
            guard let start = anchors.start.flatMap(Self.micros) else { return .waits(.start) }
            return start < then ? .backwards : .micros(start - then)
        }
        return micros(ofLength: words[...]).map(Result.micros) ?? .malformed
    }

    /// A moment that is not told by its distance from another; `nil` where it is none.
    private static func point(_ words: String, _ anchors: TimeAnchors) -> Result? {
        let anchor: TimeAnchors.Anchor
        switch words {
        case "now": anchor = .clock
        case "the dump", "dump", "the time of the dump": anchor = .dump
        default:
            let seconds = FactDefinition("", "", form: .moment, example: "").value(of: words)
            return seconds.flatMap(micros(ofNumber:)).map(Result.micros)
        }
        return anchors[anchor].flatMap(micros).map(Result.micros) ?? .waits(anchor)
    }

    private static func sum(_ length: Substring, _ sign: Int, _ point: Result?) -> Result {
        guard let length = micros(ofLength: length), let point else { return .malformed }
        guard case .micros(let micros) = point else { return point }
        let sum = micros.addingReportingOverflow(sign * length)
        return sum.overflow || sum.partialValue < 0 ? .malformed : .micros(sum.partialValue)
    }

    private static func micros(_ seconds: Double) -> Int? { Int(exactly: (seconds * 1_000_000).rounded()) }

    /// The seconds as text, with as many decimals as they have; `nil` beyond what a clock can show.
    static func text(_ micros: Int) -> String? {
        let (whole, rest) = micros.quotientAndRemainder(dividingBy: 1_000_000)
        guard micros >= 0, whole < 1_000_000_000_000 else { return nil }
        guard rest > 0 else { return "\(whole)" }
        var digits = String(String(1_000_000 + rest).dropFirst())
        while digits.last == "0" { digits.removeLast() }
        return "\(whole).\(digits)"
    }

    private static let units: [(names: [String], seconds: Int)] = [
        (["s", "sec", "secs", "second", "seconds"], 1), (["m", "min", "mins", "minute", "minutes"], 60),
        (["h", "hr", "hrs", "hour", "hours"], 3600), (["d", "day", "days"], 86400),
        (["w", "week", "weeks"], 604_800),
    ]

    /// So many seconds as numbers each with a unit; `nil` of less than none.
    static func words(forSeconds seconds: Int) -> String? {
        guard seconds >= 0 else { return nil }
        var rest = seconds
        let parts = [("d", 86400), ("h", 3600), ("min", 60), ("s", 1)].compactMap { name, length -> String? in
            let count = rest / length
            rest %= length
            return count > 0 ? "\(count)\(name)" : nil
        }
        return parts.isEmpty ? "0s" : parts.joined(separator: " ")
    }

    /// Numbers each with a unit, such as `3h`, `1 day, 4 h` or `an hour and 20 min`.
    private static func micros(ofLength text: Substring) -> Int? {
        var rest = text, sum: Int?
        func word(_ isPart: (Character) -> Bool) -> String {
            let word = rest.prefix(while: isPart)
            rest = rest.dropFirst(word.count)
            return String(word)
        }
        while true {
            _ = word { $0 == " " || $0 == "," }
            if rest.isEmpty { return sum }
            var number = word { $0.isASCII && ($0.isNumber || $0 == ".") }
            if number.isEmpty {
                let name = word(\.isLetter)
                if name == "and", sum != nil { continue }
                guard name == "a" || name == "an" else { return nil }
                number = "1"
            }
            _ = word { $0 == " " }
            let name = word(\.isLetter)
            guard let count = micros(ofNumber: number), let unit = units.first(where: { $0.names.contains(name) })
            else { return nil }
            let part = count.multipliedReportingOverflow(by: unit.seconds)
            let all = (sum ?? 0).addingReportingOverflow(part.partialValue)
            guard !part.overflow, !all.overflow else { return nil }
            sum = all.partialValue
        }
    }

    /// Digits, at most twelve before the point and six behind it.
    private static func micros(ofNumber text: String) -> Int? {
        let parts = text.split(separator: ".", omittingEmptySubsequences: false)
        guard parts.count <= 2, parts.allSatisfy({ !$0.isEmpty }), parts[0].count <= 12,
            parts.count == 1 || parts[1].count <= 6, let whole = Int(parts[0])
        else { return nil }
        let decimals = parts.count == 2 ? parts[1] + String(repeating: "0", count: 6 - parts[1].count) : "0"
        return Int(decimals).map { whole * 1_000_000 + $0 }
    }

    /// A date such as `2024-08-30`, with or without a time behind it, `t` or a blank between them, and a zone: `z`, `utc`,
    /// `+02:00`, `+0200` or `+02`; without a zone it is in UTC.
    static func micros(ofDate text: String) -> Int? {
        let day = text.prefix(10)
        var time = text.dropFirst(10), zone = "Z"
        guard time.isEmpty || time.count > 1 && "tT ".contains(time.removeFirst()) else { return nil }
        func trim() { while time.last == " " { time.removeLast() } }
        if let name = ["z", "utc", "gmt"].first(where: { time.lowercased().hasSuffix($0) }) {
            time.removeLast(name.count)
        } else if let sign = time.lastIndex(where: { $0 == "+" || $0 == "-" }) {
            let digits = time[sign...].dropFirst().filter { $0 != ":" }
            guard digits.count == 2 || digits.count == 4 else { return nil }
            zone = "\(time[sign])\(digits.prefix(2)):\(digits.count == 4 ? String(digits.suffix(2)) : "00")"
            time = time[..<sign]
        }
        trim()
        // A day has no zone of its own: it begins at 0:00 in UTC.
        if text.count == 10 { time = "00:00:00" } else if time.count == 5 { time += ":00" }
        return Timestamp.microseconds(ofISO8601: "\(day)T\(time)\(zone)").flatMap { $0 < 0 ? nil : Int(exactly: $0) }
    }
}
