/// How near the name of a keychain's export is to that of a dump, as tools name the two alike:
/// `00008101-000A1B_keychain.plist` beside `00008101-000A1B_files_full.zip`, `keychain_ann.json` beside `Ann.zip`.
///
/// Names are taken as their words, runs of letters and digits in capitals or not, without the word `keychain`. They are near
/// where the one begins with all words of the other; the longer these are the nearer, and of two as long that one is nearer
/// that has no others.
struct NameLikeness: Comparable {
    /// How many letters the words have that are the same.
    private var common = 0
    private var isWhole = false

    /// Measures the name of an export against those of dumps, each as its words.
    init(of export: String, toNearestOf names: [[String]]) {
        let starts = Self.starts(of: export)
        for words in names {
            for start in starts where zip(start, words).allSatisfy({ $0 == $1 }) {
                let length = zip(start, words).reduce(0) { $0 + $1.0.count }
                self = max(self, NameLikeness(common: length, isWhole: length > 0 && start.count >= words.count))
            }
        }
    }

    private init(common: Int, isWhole: Bool) { (self.common, self.isWhole) = (common, isWhole) }

    /// Whether the export is called after none of them.
    var isNone: Bool { common == 0 }

    static func < (one: NameLikeness, other: NameLikeness) -> Bool {
        (one.common, one.isWhole ? 1 : 0) < (other.common, other.isWhole ? 1 : 0)
    }

    /// What the name of an export may have as that of its dump: all of it but that word, or what is behind that.
    private static func starts(of export: String) -> [[String]] {
        let name = export.lowercased()
        guard let word = name.range(of: "keychain") else { return [words(ofText: name)] }
        let end = name[word.upperBound...].lastIndex(of: ".") ?? name.endIndex
        let behind = words(ofText: String(name[word.upperBound..<end]))
        return [words(ofText: String(name[..<word.lowerBound])) + behind, behind]
    }

    /// Whether the name of an export has a word that does not say what it is, as everybody calls one, but whose.
    static func namesSomeone(_ export: String) -> Bool {
        (starts(of: export).first ?? []).contains { $0.allSatisfy(\.isLetter) && !plainWords.contains($0) }
    }

    /// What people and tools call an export of whomever.
    private static let plainWords: Set<String> = [
        "backup", "dump", "dumped", "dumper", "export", "exported", "extract", "extracted", "extraction", "decrypted",
        "plain", "raw", "all", "full", "item", "items", "entries", "device", "iphone", "ipad", "ios", "apple",
        "objection", "graykey", "ufed", "cellebrite", "elcomsoft", "data", "file", "files", "json", "plist", "txt",
        "csv", "xml", "db", "new", "old", "copy", "final", "latest", "last", "user", "users", "customer", "client",
        "support", "ticket", "case", "the", "my", "a", "app", "apps", "test", "sample", "example", "list", "passwords",
        "secrets", "generic", "internet", "out", "output", "result", "results", "from", "of", "and", "with", "legacy",
        "system", "login", "local", "udid", "v", "classes", "before", "after", "update", "original",
    ]

    /// What GrayKey calls the several files of one device behind the same name.
    private static let parts = [["files", "full"], ["files", "partial"], ["mem"]]

    /// The words of a dump's name, the same unpacked and not.
    static func words(of dump: String) -> [String] {
        let name = dump.lowercased()
        let ending =
            ArchiveFormat.ending(of: name)
            ?? (unreadEndings + loneEndings + [".xcappdata"]).first { name.hasSuffix($0) }
        let words = words(ofText: String(name.dropLast(ending?.count ?? 0).replacing("keychain", with: " ")))
        let part = parts.first { words.count > $0.count && words.suffix($0.count).elementsEqual($0) }
        return words.dropLast(part?.count ?? 0)
    }

    private static func words(ofText text: String) -> [String] {
        text.split { !$0.isLetter && !$0.isNumber }.map(String.init)
    }

    /// What the names of archives, and of images of disks, end with that are not read.
    private static let unreadEndings = [
        ".7z", ".rar", ".clbx", ".lz4", ".ipa", ".gz", ".bz2", ".xz", ".zst", ".z", ".lzma", ".zipx", ".cpio", ".dar",
        ".aff4",
        ".e01", ".ad1", ".dmg", ".img", ".iso", ".aar", ".aea", ".backup", ".gpg", ".pgp", ".age", ".enc",
    ]
    /// The same of what may be a dump by itself.
    private static let loneEndings = [".plist", ".sqlite", ".sqlite3", ".db"]

    /// Whether a file is called an archive, in a form that is read or not, or a part of one.
    static func isArchive(_ name: String) -> Bool { ArchiveFormat.ending(of: name) != nil || isUnreadArchive(name) }

    /// Whether a file is called an archive in a form that is not read, or a part of one.
    static func isUnreadArchive(_ name: String) -> Bool {
        let name = name.lowercased()
        guard ArchiveFormat.ending(of: name) == nil else { return false }
        return unreadEndings.contains(where: name.hasSuffix) || ArchiveFormat.isPart(name)
    }

    /// Whether a file is called as one that may be a dump by itself, where nothing else is one.
    static func isLone(_ name: String) -> Bool { loneEndings.contains(where: name.lowercased().hasSuffix) }

    /// Whether a name says that it is something else than a dump.
    static func isCalledOther(_ name: String) -> Bool {
        let others: Set = [
            "sysdiagnose", "log", "logs", "screenshot", "screenshots", "photos", "pictures", "mem", "memory",
        ]
        return words(of: name).contains(where: others.contains)
    }

    /// The identifiers of devices in a name, by their forms: forty digits, or eight and more behind a hyphen, and those of simulators.
    static func devices(in name: String) -> [String] {
        let digits = name.lowercased().split { !($0.isHexDigit && $0.isASCII) && $0 != "-" }
        return digits.flatMap { run -> [String] in
            let parts = run.split(separator: "-")
            if parts.map(\.count) == [8, 4, 4, 4, 12] { return [String(run)] }
            let long = parts.filter { $0.count == 40 }.map(String.init)
            // Some tools leave the hyphen out.
            let joined = parts.filter { $0.count == 24 && $0.hasPrefix("0000") }.map {
                "\($0.prefix(8))-\($0.dropFirst(8))"
            }
            let pairs = zip(parts, parts.dropFirst()).filter { first, second in
                first.count == 8 && first.hasPrefix("0000") && second.count >= 4
            }
            return long + joined + pairs.map { first, second in String(run[first.startIndex..<second.endIndex]) }
        }
    }
}
