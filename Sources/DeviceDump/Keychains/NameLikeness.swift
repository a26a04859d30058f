/// How near the name of a keychain's export is to that of a dump, as tools name the two alike:
/// `00008101-000A1B_keychain.plist` beside `00008101-000A1B_files_full.zip`, `keychain_ann.json` beside `Ann.zip`.
///
/// Names are taken as their words, runs of letters and digits in capitals or not. It counts how long the words are that both
/// begin with, before and behind the word `keychain` or behind it alone; of two as long, that one is nearer that has no others.
struct NameLikeness: Comparable {
    /// How many letters the words have that are the same.
    private var common = 0
    private var isWhole = false

    /// Measures the name of an export against those of dumps, each as its words.
    init(of export: String, toNearestOf names: [[String]]) {
        let starts = Self.starts(of: export)
        for words in names {
            for start in starts where start.first == words.first {
                let same = zip(start, words).prefix { $0 == $1 }.map(\.0)
                let length = same.reduce(0) { $0 + $1.count }
                self = max(self, NameLikeness(common: length, isWhole: length > 0 && same.count == words.count))
            }
        }
    }

    private init(common: Int, isWhole: Bool) { (self.common, self.isWhole) = (common, isWhole) }

    static func < (one: NameLikeness, other: NameLikeness) -> Bool {
        (one.common, one.isWhole ? 1 : 0) < (other.common, other.isWhole ? 1 : 0)
    }

    /// What the name of an export may begin as that of its dump with: all of it but that word, or what is behind that.
    private static func starts(of export: String) -> [[String]] {
        let name = export.lowercased()
        guard let word = name.range(of: "keychain") else { return [words(name)] }
        let end = name[word.upperBound...].lastIndex(of: ".") ?? name.endIndex
        let behind = words(String(name[word.upperBound..<end]))
        return [words(String(name[..<word.lowerBound])) + behind, behind]
    }

    /// The words of a dump's name.
    static func words(of dump: String) -> [String] { words(stem(of: dump)) }

    private static func words(_ name: String) -> [String] {
        name.split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    /// A dump's name in small letters, the same unpacked and not.
    static func stem(of dump: String) -> String {
        let name = dump.lowercased(), ending = ArchiveFormat.ending(of: name) ?? ".xcappdata"
        return String(name.dropLast(name.hasSuffix(ending) ? ending.count : 0))
    }

    /// The identifiers of devices in a name, by their forms: forty digits, or eight and more behind a hyphen, and those of simulators.
    static func devices(in name: String) -> [Substring] {
        let digits = name.lowercased().split { !($0.isHexDigit && $0.isASCII) && $0 != "-" }
        return digits.flatMap { run -> [Substring] in
            let parts = run.split(separator: "-")
            if parts.map(\.count) == [8, 4, 4, 4, 12] { return [run] }
            let long = parts.filter { $0.count == 40 }
            let pairs = zip(parts, parts.dropFirst()).filter { first, second in
                first.count == 8 && first.hasPrefix("0000") && second.count >= 4
            }
            return long + pairs.map { first, second in run[first.startIndex..<second.endIndex] }
        }
    }
}
