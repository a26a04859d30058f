import Foundation

/// The XML form of property lists.
///
/// The reader knows no more of XML than property lists need: it opens no other file and expands no entity but the five
/// of XML itself and character references.
public enum XMLPropertyList {
    /// Reads a property list in UTF-8 or UTF-16.
    ///
    /// A dictionary whose only key is `CF$UID` with a whole number is a UID. A key that stands twice is kept twice.
    /// Integers are decimal or hexadecimal (`0x`) and have up to 128 bits; dates are `yyyy-MM-ddTHH:mm:ssZ`, in which
    /// the smaller units may be missing; ends of lines in text stay as they are, as Apple's reader leaves them. Errors name the line, the column and the offset.
    public static func parse(_ data: Data, limits: Limits = .standard) throws(FormatError) -> Value {
        try XMLScanner.scanning(data, limit: limits.bytes) { scanner throws(FormatError) in
            var parser = XMLPropertyListParser(limits: limits)
            return try parser.parse(&scanner)
        }
    }

    /// Writes a property list as Apple's tools lay it out: UTF-8, indented with tabs.
    ///
    /// What is written reads back as it was, but for the width of a number and the sign and payload of a NaN. Throws for what this form cannot hold: null, sets, objects, integers outside of −2⁶³ ..< 2⁶⁴, dates
    /// with a fraction of a second or outside of the years 1 to 9999, control characters in text, and a dictionary that
    /// would read as a UID.
    public static func write(_ value: Value) throws(FormatError) -> Data {
        try XMLPropertyListWriter.data(value)
    }
}
