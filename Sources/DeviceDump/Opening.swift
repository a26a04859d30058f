import Foundation
import MigrationEngine

/// How far the opening of a dump is.
package struct OpeningProgress: Hashable, Sendable {
    /// What is being done.
    package enum Phase: String, Hashable, Sendable {
        /// It is found out what the files are.
        case looking
        /// A key is derived from a password.
        case unlocking
        /// The containers are listed.
        case listing
        /// An export of a keychain is read.
        case readingKeychain = "reading the keychain"
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
}

/// What a dump is opened with.
package struct OpeningOptions: Hashable, Sendable {
    /// An export of the keychain; without one it is looked for in and beside the dump.
    package var keychain: String?
    /// Whose preferences a single file has, where its name does not say it.
    package var bundleIdentifier: String?
    /// How many rounds a key may be derived with: a dump may ask for more than anybody waits for.
    package var roundsLimit: Int

    /// Makes options.
    package init(
        keychain: String? = nil, bundleIdentifier: String? = nil, roundsLimit: Int = OpeningOptions.roundsLimit
    ) {
        self.keychain = keychain
        self.bundleIdentifier = bundleIdentifier
        self.roundsLimit = roundsLimit
    }

    /// The rounds that are done without being asked for: about five times those of a real backup.
    package static let roundsLimit = 50_000_000
}

/// What comes of opening a dump.
package enum Opening: Sendable {
    /// It is open.
    case opened(Dump)
    /// It is encrypted, and waits for a password.
    case locked(LockedDump)
}

/// What opens a dump that is encrypted.
package enum DumpSecret: Sendable {
    /// Its password, as it is typed.
    case password(String)
    /// The key that was derived from its password before.
    case key(Data)
}

/// A dump that is encrypted; it may be asked again after a wrong password.
package struct LockedDump: Sendable {
    /// The form.
    package let kind: Dump.Kind
    /// Where it is.
    package let location: DumpLocation
    let warnings: [DumpWarning]
    let options: OpeningOptions
    let unlock: Recognised.Unlock

    /// The dump, opened with its password or with the key that was derived from it.
    ///
    /// - Throws: ``DumpError``, such as for a wrong password.
    package func opened(with secret: DumpSecret, control: OpeningControl = .init()) throws(DumpError) -> Dump {
        try control.reach(.unlocking)
        let unlocked = try unlock(secret, options, control)
        return try Dump(kind, unlocked.source, unlocked.contents, options, warnings, control, key: unlocked.key)
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
        var (source, recognised, elsewhere) = try Recognition.recognise(source, control)
        switch recognised {
        case .open(let kind, let mount, let contents):
            if let mount { source = try mount(source, control) }
            return .opened(try Dump(kind, source, contents, options, elsewhere, control))
        case .locked(let kind, let unlock):
            return .locked(
                LockedDump(
                    kind: kind, location: source.location, warnings: elsewhere, options: options, unlock: unlock))
        case .sealed(let kind, let unseal):
            let sealed = source
            return .locked(
                LockedDump(kind: kind, location: source.location, warnings: elsewhere, options: options) {
                    (secret, options, control) throws(DumpError) in
                    try unlocked(try unseal(secret, sealed, control), secret, options, control)
                })
        // Recognition looks into what holds others.
        case .holding: throw DumpError(source.location.path, .notRecognised)
        case .refused(let form, let advice):
            throw DumpError(source.location.path, .refused(form: form, advice: advice))
        }
    }

    /// What is in files that a password has opened; where that is locked too, by the same password.
    private static func unlocked(
        _ files: DumpSource, _ secret: DumpSecret, _ options: OpeningOptions, _ control: OpeningControl
    ) throws(DumpError) -> Unlocked {
        let (source, recognised, _) = try Recognition.recognise(files, control)
        switch recognised {
        case .open(_, let mount, let contents):
            return Unlocked(source: try mount?(source, control) ?? source, contents: contents, key: nil)
        case .locked(_, let unlock): return try unlock(secret, options, control)
        case .sealed(_, let unseal): return try unlocked(try unseal(secret, source, control), secret, options, control)
        case .refused(let form, let advice):
            throw DumpError(source.location.path, .refused(form: form, advice: advice))
        case .holding: throw DumpError(source.location.path, .notRecognised)
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
        case .locked(let dump): throw DumpError(dump.location.path, .locked)
        }
    }
}
