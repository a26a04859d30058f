import Foundation

/// A point in time as property lists store it: seconds since 2001-01-01T00:00:00Z, in 64 bits.
///
/// Any 64 bits are a timestamp, also NaN and infinities, which hostile files hold and `Foundation.Date` cannot print.
public struct Timestamp: Hashable, Sendable {
    /// Seconds between 1970-01-01 and 2001-01-01.
    public static let referenceSinceEpoch: Double = 978_307_200

    /// Seconds since 2001-01-01T00:00:00Z; may be NaN or infinite.
    public let secondsSinceReference: Double

    /// Makes a point in time from seconds since 2001-01-01T00:00:00Z.
    public init(secondsSinceReference: Double) {
        self.secondsSinceReference = secondsSinceReference
    }

    /// Makes a point in time from seconds since 1970-01-01T00:00:00Z.
    public init(secondsSinceEpoch: Double) {
        self.init(secondsSinceReference: secondsSinceEpoch - Self.referenceSinceEpoch)
    }

    /// Makes a point in time from a date of the Gregorian calendar, from the year 1 on, and a time of day in UTC; `nil` where
    /// there is no such date or time.
    package init?(year: Int, month: Int, day: Int, hour: Int, minute: Int, second: Int) {
        let isLeap = year % 4 == 0 && (year % 100 != 0 || year % 400 == 0)
        let lengths = [31, isLeap ? 29 : 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31]
        guard (1...9999).contains(year), (1...12).contains(month), (1...lengths[month - 1]).contains(day),
            (0..<24).contains(hour), (0..<60).contains(minute), (0..<60).contains(second)
        else { return nil }
        let earlier = year - 1
        let days =
            earlier * 365 + earlier / 4 - earlier / 100 + earlier / 400 + lengths[..<(month - 1)].reduce(0, +) + day - 1
        // 719162 days lie between 0001-01-01 and 1970-01-01.
        self.init(secondsSinceEpoch: Double((days - 719_162) * 86_400 + hour * 3600 + minute * 60 + second))
    }

    /// The microseconds since 1970-01-01T00:00:00Z of a date with its time and offset from UTC; `nil` of any other text.
    ///
    /// As ISO 8601 and RFC 3339 have it: `2024-08-30T06:40:00.5+02:00`. Decimals after the sixth are left out.
    package static func microseconds(ofISO8601 text: String) -> Int128? { instant(ofISO8601: text)?.microseconds }

    /// The same, with what a number of microseconds does not hold: decimals after the sixth that are not zero, and an offset
    /// from UTC as it is written, such as `+02:00`.
    package static func instant(
        ofISO8601 text: String
    ) -> (microseconds: Int128, hasFinerDecimals: Bool, offset: String?)? {
        let bytes = Array(text.utf8)
        func number(_ range: Range<Int>) -> Int? {
            guard range.upperBound <= bytes.count, bytes[range].allSatisfy({ (0x30...0x39).contains($0) }) else {
                return nil
            }
            return Int(String(decoding: bytes[range], as: UTF8.self))
        }
        guard bytes.count >= 20, bytes[4] == 0x2D, bytes[7] == 0x2D, bytes[10] == 0x54, bytes[13] == 0x3A,
            bytes[16] == 0x3A,
            let year = number(0..<4), let month = number(5..<7), let day = number(8..<10), let hour = number(11..<13),
            let minute = number(14..<16), let second = number(17..<19),
            let date = Timestamp(year: year, month: month, day: day, hour: hour, minute: minute, second: second)
        else { return nil }
        var micros = Int128(date.secondsSinceReference + referenceSinceEpoch) * 1_000_000
        var position = 19, hasFinerDecimals = false
        if bytes[position] == UInt8(ascii: ".") {
            let digits = bytes[20...].prefix { (0x30...0x39).contains($0) }
            guard !digits.isEmpty, let fraction = Int128(String(decoding: digits.prefix(6), as: UTF8.self)) else {
                return nil
            }
            hasFinerDecimals = digits.dropFirst(6).contains { $0 != UInt8(ascii: "0") }
            micros += (0..<max(0, 6 - digits.count)).reduce(fraction) { value, _ in value * 10 }
            position += 1 + digits.count
        }
        let zone = Array(bytes[position...])
        if zone == [UInt8(ascii: "Z")] { return (micros, hasFinerDecimals, nil) }
        guard zone.count == 6, zone[0] == 0x2B || zone[0] == 0x2D, zone[3] == 0x3A,
            let hours = number(position + 1..<position + 3), let minutes = number(position + 4..<position + 6),
            hours < 24,
            minutes < 60
        else { return nil }
        let offset = Int128(hours * 3600 + minutes * 60) * 1_000_000
        return (
            zone[0] == 0x2B ? micros - offset : micros + offset, hasFinerDecimals, String(decoding: zone, as: UTF8.self)
        )
    }

    /// Whether both have the same bits.
    public static func == (left: Timestamp, right: Timestamp) -> Bool {
        left.secondsSinceReference.bitPattern == right.secondsSinceReference.bitPattern
    }

    /// Feeds the bits to a hasher.
    public func hash(into hasher: inout Hasher) {
        hasher.combine(secondsSinceReference.bitPattern)
    }

    /// The point in time as ISO 8601 in UTC with as many decimals as it has, up to six; `nil` outside the years 1 to 9999.
    public var iso8601: String? {
        guard secondsSinceReference.isFinite else { return nil }
        let whole = secondsSinceReference.rounded(.down)
        var micros = Int(((secondsSinceReference - whole) * 1_000_000).rounded())
        guard abs(whole) < 1e12 else { return nil }
        var seconds = Int(whole) + Int(Self.referenceSinceEpoch)
        if micros == 1_000_000 { (seconds, micros) = (seconds + 1, 0) }
        let day = Int((Double(seconds) / 86_400).rounded(.down))
        let (year, month, dayOfMonth) = Self.civil(daysSinceEpoch: day)
        guard (1...9999).contains(year) else { return nil }
        let second = seconds - day * 86_400
        var fraction = ""
        if micros > 0 {
            fraction = "." + Self.padded(micros, 6)
            while fraction.hasSuffix("0") { fraction.removeLast() }
        }
        return "\(Self.padded(year, 4))-\(Self.padded(month, 2))-\(Self.padded(dayOfMonth, 2))"
            + "T\(Self.padded(second / 3600, 2)):\(Self.padded(second / 60 % 60, 2)):\(Self.padded(second % 60, 2))"
            + "\(fraction)Z"
    }

    /// The number as text, left-padded with zeros to a width.
    private static func padded(_ number: Int, _ width: Int) -> String {
        let digits = String(number)
        return String(repeating: "0", count: max(0, width - digits.count)) + digits
    }

    /// The date of the proleptic Gregorian calendar that lies a number of days after 1970-01-01.
    ///
    /// Counts in eras of 400 years that begin on 1 March, so that the leap day is the last of its year.
    private static func civil(daysSinceEpoch: Int) -> (year: Int, month: Int, day: Int) {
        let shifted = daysSinceEpoch + 719_468
        let era = (shifted >= 0 ? shifted : shifted - 146_096) / 146_097
        let dayOfEra = shifted - era * 146_097
        let yearOfEra = (dayOfEra - dayOfEra / 1460 + dayOfEra / 36_524 - dayOfEra / 146_096) / 365
        let dayOfYear = dayOfEra - (365 * yearOfEra + yearOfEra / 4 - yearOfEra / 100)
        let shiftedMonth = (5 * dayOfYear + 2) / 153
        let month = shiftedMonth < 10 ? shiftedMonth + 3 : shiftedMonth - 9
        return (
            yearOfEra + era * 400 + (month <= 2 ? 1 : 0), month, dayOfYear - (153 * shiftedMonth + 2) / 5 + 1
        )
    }
}
