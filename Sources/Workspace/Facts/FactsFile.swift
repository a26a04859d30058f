import DeviceDump
import Foundation
import StoreFormats

/// What a file of remembered facts has, of whichever dumps.
struct FactsFile {
    /// What is remembered of an app of one dump.
    struct Share: Codable {
        /// What tells the dump from others; `nil` where an earlier version has kept the facts.
        var identity: String?
        /// What an earlier version told it by: the number of its file or folder, a time of that, the app, and when it was taken; `nil`
        /// of the first one, which said nothing of the dump.
        var mark: String?
        /// The container, as ``FactsFile/key(of:)`` has it.
        var container: String
        /// The app, when the dump was taken and where it lay, for people.
        var app: String?
        var taken: String?
        var path: String?
        /// The facts by their names.
        var facts: [String: Entry]

        /// Whose they are, in words; `nil` where nothing says it.
        var whose: String? {
            if identity == nil, mark == nil { return nil }
            let words = mark?.split(separator: " ", maxSplits: 3, omittingEmptySubsequences: false).map(String.init)
            let told = words.flatMap { $0.count == 4 ? (app: $0[2], taken: $0[3]) : nil }
            let app = app ?? told?.app ?? "", taken = taken ?? told?.taken ?? ""
            return ([app.isEmpty ? container : app] + (taken.isEmpty ? [] : ["taken \(taken)"])).joined(separator: ", ")
        }
    }

    /// A fact.
    struct Entry: Codable {
        let value: String
        let from: String
    }

    /// Why bytes are not those of such a file.
    enum Flaw: Error {
        /// They are nothing that was ever written.
        case damaged
        /// A newer version has written them.
        case newer
    }

    /// What there is, that which was written last at the end.
    var shares: [Share] = []

    private static let format = "vestige.facts/1"

    private struct Form: Codable {
        let format: String
        var dumps: [Share]
    }

    private struct Head: Decodable {
        let format: String
    }

    /// The two forms before, by containers.
    private struct Marked: Decodable {
        let mark: String
        let facts: [String: Entry]
    }

    private typealias Unmarked = [String: Entry]

    init() {}

    /// Reads a file, also one of an earlier version.
    init(_ data: Data) throws(Flaw) {
        let decoder = JSONDecoder()
        if let head = try? decoder.decode(Head.self, from: data), head.format != Self.format { throw .newer }
        if let form = try? decoder.decode(Form.self, from: data) {
            shares = form.dumps
        } else if let marked = try? decoder.decode([String: Marked].self, from: data) {
            shares = marked.map { Share(mark: $1.mark, container: $0, facts: $1.facts) }
        } else if let unmarked = try? decoder.decode([String: Unmarked].self, from: data) {
            shares = unmarked.map { Share(container: $0, facts: $1) }
        } else {
            throw .damaged
        }
    }

    /// The file as bytes.
    func data() throws -> Data {
        let encoder = JSONEncoder()
        encoder.outputFormatting = [.prettyPrinted, .sortedKeys]
        return try encoder.encode(Form(format: Self.format, dumps: shares))
    }

    /// The name of a container: two that only look the same are two.
    static func key(of container: Container) -> String {
        container.ledgerName.utf8.reduce(into: "") { key, byte in
            let isPlain = (0x21...0x7E).contains(byte) && byte != UInt8(ascii: "%")
            key += isPlain ? String(UnicodeScalar(byte)) : String(format: "%%%02X", byte)
        }
    }
}
