import StoreFormats

/// What is known of an entry; these states are never merged into one another.
public enum EntryState: Hashable, Sendable {
    /// There is no such entry, and that is certain.
    case absent
    /// The entry has this value.
    case present(Value)
    /// There is, or may be, an entry, and it cannot be read: locked is not empty.
    case unreadable(Unreadable)

    /// The state of an entry that a change has given a value, or, with `nil`, removed.
    public init(_ value: Value?) {
        self = value.map(EntryState.present) ?? .absent
    }

    /// Whether it is known what is there, if anything.
    var isReadable: Bool { if case .unreadable = self { false } else { true } }

    /// The value, where it is present.
    public var value: Value? {
        if case .present(let value) = self { value } else { nil }
    }
}

/// Why an entry or a store cannot be read.
public struct Unreadable: Error, Hashable, Sendable {
    /// What kind of obstacle it is.
    public enum Cause: String, Hashable, Sendable, CaseIterable {
        /// It is encrypted and the key is not here.
        case locked
        /// Its bytes are damaged.
        case corrupt
        /// It is in a form that is recognised and not read.
        case unsupported
        /// Reading it would exceed a limit.
        case overLimit = "over-limit"
        /// The file system refused.
        case inaccessible
        /// Several values stand under its key, and readers differ on which one counts.
        case ambiguous
        /// The dump does not have such stores at all, so nothing is known of what they held: no keychain came with it.
        case missing = "not-in-dump"
    }

    /// What kind of obstacle it is.
    public var cause: Cause
    /// What happened and where, in a sentence.
    public var explanation: String
    /// What stands there, where nothing says which of several values counts; at most ``candidateLimit``.
    public var candidates: [EntryState] = []

    /// The access group of the keychain item of that name which nothing says to be the app's, where there is one.
    package var accessGroup: String?

    /// What a person may raise to have it read all the same: the name of a limit, and to how much.
    package struct Limit: Hashable, Sendable {
        package let name: String, value: Int

        package init(_ name: String, to value: Int) { (self.name, self.value) = (name, value) }
    }

    /// The limit that keeps it from being read, where that can be raised.
    package var limit: Limit?

    /// Where the symbolic link points that stands there, which is all that there is to know of one.
    package var link: Name?

    /// How many of the values under one key are read.
    public static let candidateLimit = 16

    /// Makes a reason.
    public init(_ cause: Cause, _ explanation: String) {
        self.cause = cause
        self.explanation = explanation
    }

    /// The reason that a folder, a pipe or a device is that stands where a file is looked for: what it stands for is not
    /// known, so the file is not absent.
    ///
    /// - Parameter what: What stands there, in words.
    package init(notAFile what: String, at path: String) {
        self.init(.unsupported, "\(path) is \(what), and no file")
    }

    /// The reason that a format error is.
    public init(_ error: FormatError) {
        let cause: Cause =
            if case .unsupported = error.problem { .unsupported } else { error.isOverLimit ? .overLimit : .corrupt }
        self.init(cause, error.description)
    }

    /// The reason that a format error in a file is.
    package init(_ error: FormatError, in file: String) {
        self.init(error)
        explanation = "\(file) is \(explanation)"
    }
}

extension PropertyListFile {
    /// What is known of the entry under a key; this is where it is decided what a key that stands more than once is.
    ///
    /// - Parameter file: The path of the file, as a reason names it; asked for only where there is one.
    package func state(of key: Name, in file: @autoclosure () -> String) -> EntryState {
        let positions = positions(of: key)
        guard positions.count > 1 else { return positions.first.map { state(at: $0, in: file()) } ?? .absent }
        let file = file()
        var reason = Unreadable(
            .ambiguous,
            "its key stands \(positions.count) times in \(file), and programs differ on which value counts; "
                + "no step reads or changes it until one is left")
        reason.candidates = positions.prefix(Unreadable.candidateLimit).map { state(at: $0, in: file) }
        return .unreadable(reason)
    }

    private func state(at position: Int, in file: @autoclosure () -> String) -> EntryState {
        do throws(FormatError) {
            return .present(try value(at: position))
        } catch {
            return .unreadable(Unreadable(error, in: file()))
        }
    }
}
