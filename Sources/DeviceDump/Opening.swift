import Foundation
import MigrationEngine
import StoreFormats
import Synchronization

/// How far the opening of a dump is.
package struct OpeningProgress: Hashable, Sendable {
    /// What is being done.
    package enum Phase: String, Hashable, Sendable {
        /// It is found out what the files are.
        case looking
        /// A key is derived from a password.
        case unlocking
        /// What is compressed as a whole is unpacked.
        case unpacking
        /// The containers are listed.
        case listing
        /// An export of a keychain is read.
        case readingKeychain = "reading the keychain"
        /// A database is copied, as it must be where a log is beside it or it lies in an archive.
        case copying = "copying a database"
    }

    /// What is being done.
    package var phase: Phase
    /// How much of it is done; while a key is derived that is an estimate.
    package var done = 0
    /// How much there is, where that is known; while a key is derived, its rounds.
    package var total: Int?
}

/// Watches the opening of a dump, and stops it.
package struct OpeningControl: Sendable {
    private let progress: @Sendable (OpeningProgress) -> Void
    /// Whether the person has stopped it.
    let isStopped: @Sendable () -> Bool

    /// How many bytes more are unpacked only to see what they are; `nil` where all are that are asked for.
    private var unpackable: Countdown?

    /// A number that several count down.
    private final class Countdown: Sendable {
        private let left: Mutex<Int>
        init(_ count: Int) { left = Mutex(count) }
        /// Whether nothing is left once so much is taken.
        func isSpent(taking count: Int) -> Bool {
            left.withLock { left in
                left -= count
                return left <= 0
            }
        }
    }

    /// The control of what is being done on this thread, for what is only opened when it is read.
    @TaskLocal package static var current = OpeningControl()

    /// Makes a control.
    package init(
        progress: @escaping @Sendable (OpeningProgress) -> Void = { _ in },
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) {
        self.progress = progress
        isStopped = isCancelled
    }

    /// Says how far it is.
    ///
    /// - Throws: ``DumpError/Problem/cancelled`` where the person has stopped it.
    func reach(_ phase: OpeningProgress.Phase, _ done: Int = 0, of total: Int? = nil) throws(DumpError) {
        if isStopped() { throw DumpError("", .cancelled) }
        progress(OpeningProgress(phase: phase, done: done, total: total))
    }

    /// The same, where no more than so many bytes are unpacked under it; where that is said already it stays so.
    func unpacking(upTo limit: Int) -> OpeningControl {
        var control = self
        control.unpackable = unpackable ?? Countdown(limit)
        return control
    }

    /// Whether all is unpacked that is.
    var isSpent: Bool { unpackable?.isSpent(taking: 0) ?? false }

    /// Says that so many bytes more were unpacked.
    ///
    /// - Throws: where these are more than are.
    func spend(_ count: Int) throws(DumpError) {
        if unpackable?.isSpent(taking: count) ?? false { throw DumpError("", .notRecognised) }
    }

    /// What parts of a work come to that need nothing of one another, in their order; they are done on all cores, each under
    /// this control.
    package func concurrently<Result: Sendable>(_ count: Int, _ part: @Sendable (Int) -> Result) -> [Result] {
        StoreFormats.concurrently(count) { position in Self.$current.withValue(self) { part(position) } }
    }
}

/// What a person says of the groups that an app may use, which nothing in the dump says.
package struct GroupClaims: Hashable, Sendable {
    /// The access groups of keychain items that it reads beside its own.
    ///
    /// Where there is one it reads no others; the app's own alone says that it reads none.
    package private(set) var keychain: [String]
    /// App groups that it uses although they are called after another app; of several containers of one group or extension the
    /// path of the one that counts; `GROUP=PATH` where nothing in the dump says that the container there is the group's.
    package private(set) var app: [String]

    /// What is said in place of an access group where items without one are the app's.
    package static let withoutGroup = "none"
    /// What a claim says of where a group lies; `nil` where it is a name or a path alone.
    static func place(in claim: String) -> (group: String, path: DumpPath)? {
        let parts = claim.split(separator: "=", maxSplits: 1, omittingEmptySubsequences: false)
        // The dump's own folder, which a container by itself is, has no name.
        guard parts.count == 2, !parts[0].isEmpty, !parts[0].utf8.contains(UInt8(ascii: "/")),
            let path = parts[1] == "." ? .root : DumpPath(parts[1])
        else { return nil }
        return (String(parts[0]), path)
    }

    /// The claim that a group lies in a container.
    static func claim(of group: String, at container: DumpPath) -> String {
        "\(group)=\(container.isRoot ? "." : container.text)"
    }

    /// Those that say where a group lies only where there is such a place: what is said of one dump may be said of another.
    func holding(_ isPlace: (String) -> Bool) -> GroupClaims {
        GroupClaims(keychain: keychain, app: app.filter { Self.place(in: $0) == nil || isPlace($0) })
    }

    /// The app groups that are named.
    var appGroups: [String] { app.map { Self.place(in: $0)?.group ?? $0 } }

    /// Makes claims.
    package init(keychain: [String] = [], app: [String] = []) { (self.keychain, self.app) = (keychain, app) }

    /// Whether nothing is said.
    package var isEmpty: Bool { keychain.isEmpty && app.isEmpty }

    /// These with others behind them, each once.
    package func adding(_ others: GroupClaims) -> GroupClaims {
        func joined(_ own: [String], _ others: [String]) -> [String] {
            var known = Set<Name>()
            return (own + others).filter { known.insert(Name($0)).inserted }
        }
        // What is said of a group last counts.
        let placed = Set(others.app.compactMap { Self.place(in: $0).map { Name($0.group) } })
        let kept = app.filter { claim in Self.place(in: claim).map { !placed.contains(Name($0.group)) } ?? true }
        return GroupClaims(keychain: joined(keychain, others.keychain), app: joined(kept, others.app))
    }
}

/// What a dump is opened with.
package struct OpeningOptions: Hashable, Sendable {
    /// An export of the keychain; without one it is looked for in and beside the dump.
    package var keychain: String?
    /// What a person says of the groups of an app.
    package var claims: GroupClaims
    /// Which app that is; `nil` is the only one.
    package var claimant: String?
    /// Whose preferences a single file has, where its name does not say it.
    package var bundleIdentifier: String?
    /// How much is done for it unasked.
    package var limits: OpeningLimits
    /// What opens it where it is locked; of a locked thing in another the outermost takes the first password.
    package var secrets: [DumpSecret]

    /// Makes options.
    package init(
        keychain: String? = nil, claims: GroupClaims = GroupClaims(), of claimant: String? = nil,
        bundleIdentifier: String? = nil, limits: OpeningLimits = .init(), secrets: [DumpSecret] = []
    ) {
        self.keychain = keychain
        (self.claims, self.claimant) = (claims, claimant)
        self.bundleIdentifier = bundleIdentifier
        self.limits = limits
        self.secrets = secrets
    }
}

/// What comes of opening a dump.
package enum Opening: Sendable {
    /// It is open.
    case opened(Dump)
    /// It is encrypted, and waits for a password.
    case locked(LockedDump)
}

/// What opens a dump that is encrypted.
package enum DumpSecret: Hashable, Sendable {
    /// Its password, as it is typed.
    case password(String)
    /// The key that was derived from its password before.
    case key(Data)
}

/// A dump that is encrypted, or what holds it; it may be asked again after a wrong password.
package struct LockedDump: Sendable {
    /// The form of what is locked.
    package let kind: Dump.Kind
    /// Where that is.
    package let location: DumpLocation
    /// Whether a key that was derived from its password opens it too.
    package let takesKey: Bool
    let attempt: @Sendable (DumpSecret, OpeningControl) throws(DumpError) -> Opening

    /// That it is locked, as an error, for where nobody is asked for the password.
    package var error: DumpError { DumpError(location.path, takesKey ? .locked : .lockedArchive) }

    /// What a password, or the key that was derived from it, opens; where that holds something that is locked too, and
    /// this password is not that one's, it is locked.
    ///
    /// - Throws: ``DumpError``, such as for a wrong password.
    package func opening(with secret: DumpSecret, control: OpeningControl = .init()) throws(DumpError) -> Opening {
        try attempt(secret, control)
    }

    /// The dump, where one password opens all of it.
    ///
    /// - Throws: ``DumpError``, such as for a wrong password.
    package func opened(with secret: DumpSecret, control: OpeningControl = .init()) throws(DumpError) -> Dump {
        switch try opening(with: secret, control: control) {
        case .opened(let dump): return dump
        case .locked(let inner):
            throw DumpError(inner.location.path, inner.takesKey ? .wrongPassword : .wrongArchivePassword)
        }
    }
}

/// What is given to open things that are locked, one in another.
private struct Secrets: Sendable {
    var left: [DumpSecret]
    var last: DumpSecret?

    /// What to try on the next one: a key where that is for it, else the next password, else the last one again, which is
    /// a guess.
    mutating func take(key isForKey: Bool) -> (secret: DumpSecret, isGuess: Bool)? {
        let position =
            left.firstIndex { if case .key = $0 { isForKey } else { false } }
            ?? left.firstIndex { if case .password = $0 { true } else { false } }
        guard let position else { return last.map { ($0, true) } }
        let secret = left.remove(at: position)
        if case .password = secret { last = secret }
        return (secret, false)
    }
}

extension Dump {
    /// Opens a dump: recognises its form by its content and reads its metadata and its keychain, and nothing else.
    ///
    /// A folder one level too high or too low is found too, which is a warning.
    ///
    /// - Throws: ``DumpError``; also where the keychain was named and is not read, and where the person stops it.
    package static func opening(
        _ path: String, _ options: OpeningOptions = .init(), control: OpeningControl = .init()
    ) throws(DumpError) -> Opening {
        try opening(try DumpSource(opening: path), options, control)
    }

    static func opening(
        _ source: DumpSource, _ options: OpeningOptions, _ control: OpeningControl
    ) throws(DumpError) -> Opening {
        try opening(source, options, Secrets(left: options.secrets), [], control)
    }

    private static func opening(
        _ source: DumpSource, _ options: OpeningOptions, _ secrets: Secrets, _ warnings: [DumpWarning],
        _ control: OpeningControl
    ) throws(DumpError) -> Opening {
        let found = try Recognition.recognise(source, options, control)
        var source = found.source
        let warnings = warnings + found.warnings
        switch found.recognised {
        case .open(let kind, let mount, let contents):
            if let mount { source = try mount(source, control) }
            return .opened(try Dump(kind, source, contents, options, warnings, control))
        case .locked(let kind, let unlock):
            return try unlocking(kind, at: source.location, secrets, takesKey: true, control) {
                (secret, _, control) throws(DumpError) in
                let unlocked = try unlock(secret, options, control)
                return .opened(
                    try Dump(kind, unlocked.source, unlocked.contents, options, warnings, control, key: unlocked.key))
            }
        case .sealed(let kind, let unseal):
            return try unlocking(kind, at: source.location, secrets, takesKey: false, control) {
                [source] (secret, secrets, control) throws(DumpError) in
                try opening(try unseal(secret, source, control).entered(), options, secrets, warnings, control)
            }
        // Recognition looks into what holds others.
        case .holding: throw DumpError(source.location.path, .notRecognised)
        case .refused(let problem): throw DumpError(source.location.path, problem)
        }
    }

    /// Opens what is locked with what was given, or leaves it locked.
    private static func unlocking(
        _ kind: Kind, at location: DumpLocation, _ secrets: Secrets, takesKey: Bool, _ control: OpeningControl,
        _ open: @escaping @Sendable (DumpSecret, Secrets, OpeningControl) throws(DumpError) -> Opening
    ) throws(DumpError) -> Opening {
        let locked = Opening.locked(
            LockedDump(kind: kind, location: location, takesKey: takesKey) { (secret, control) throws(DumpError) in
                try control.reach(.unlocking)
                var given = Secrets(left: [secret])
                _ = given.take(key: takesKey)
                return try open(secret, given, control)
            })
        var secrets = secrets
        guard let (secret, isGuess) = secrets.take(key: takesKey) else { return locked }
        try control.reach(.unlocking)
        do throws(DumpError) { return try open(secret, secrets, control) } catch {
            guard isGuess, error.isWrongPassword else { throw error }
            return locked
        }
    }

    /// Opens a dump that needs no password.
    ///
    /// - Parameters:
    ///   - path: The dump.
    ///   - keychain: An export of the keychain; without one it is looked for in and beside the dump.
    ///   - bundleIdentifier: Whose preferences a single file has, where its name does not say it.
    package static func open(
        _ path: String, keychain: String? = nil, bundleIdentifier: String? = nil
    ) throws(DumpError) -> Dump {
        let options = OpeningOptions(keychain: keychain, bundleIdentifier: bundleIdentifier)
        switch try opening(path, options) {
        case .opened(let dump): return dump
        case .locked(let dump): throw dump.error
        }
    }
}
