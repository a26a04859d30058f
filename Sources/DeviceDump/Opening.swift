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
    /// How much of it is done.
    package var done = 0
    /// How much there is, where that is known.
    package var total: Int?
}

/// Watches the opening of a dump, and stops it.
package struct OpeningControl: Sendable {
    private let progress: @Sendable (OpeningProgress) -> Void
    private let isCancelled: @Sendable () -> Bool

    /// Makes a control.
    package init(
        progress: @escaping @Sendable (OpeningProgress) -> Void = { _ in },
        isCancelled: @escaping @Sendable () -> Bool = { false }
    ) {
        self.progress = progress
        self.isCancelled = isCancelled
    }

    /// Says how far it is.
    ///
    /// - Throws: ``DumpError/Problem/cancelled`` where the person has stopped it.
    func reach(_ phase: OpeningProgress.Phase, _ done: Int = 0, of total: Int? = nil) throws(DumpError) {
        if isCancelled() { throw DumpError("", .cancelled) }
        progress(OpeningProgress(phase: phase, done: done, total: total))
    }
}

/// What a dump is opened with.
package struct OpeningOptions: Hashable, Sendable {
    /// An export of the keychain; without one it is looked for in and beside the dump.
    package var keychain: String?
    /// Whose preferences a single file has, where its name does not say it.
    package var bundleIdentifier: String?

    /// Makes options.
    package init(keychain: String? = nil, bundleIdentifier: String? = nil) {
        self.keychain = keychain
        self.bundleIdentifier = bundleIdentifier
    }
}

/// What comes of opening a dump.
package enum Opening: Sendable {
    /// It is open.
    case opened(Dump)
    /// It is encrypted, and waits for a password.
    case locked(LockedDump)
}

/// A dump that is encrypted.
package struct LockedDump: Sendable {
    /// The form.
    package let kind: Dump.Kind
    /// Where it is.
    package let location: DumpLocation
    let warnings: [DumpWarning]
    let options: OpeningOptions
    let unlock: Recognised.Unlock

    /// The dump, opened with a password.
    ///
    /// - Throws: ``DumpError``, such as for a wrong password.
    package func opened(with password: String, control: OpeningControl = .init()) throws(DumpError) -> Dump {
        try control.reach(.unlocking)
        let (source, contents) = try unlock(password, control)
        return try Dump(kind, source, contents, options, warnings, control)
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
        let (source, recognised, elsewhere) = try Recognition.recognise(source, control)
        switch recognised {
        case .open(let kind, let contents):
            return .opened(try Dump(kind, source, contents, options, elsewhere, control))
        case .locked(let kind, let unlock):
            return .locked(
                LockedDump(
                    kind: kind, location: source.location, warnings: elsewhere, options: options, unlock: unlock))
        case .refused(let form, let advice):
            throw DumpError(source.location.path, .refused(form: form, advice: advice))
        }
    }

    /// Opens a dump that needs no password.
    ///
    /// - Parameters:
    ///   - path: The dump.
    ///   - keychain: An export of the keychain; without one it is looked for in and beside the dump.
    ///   - bundleIdentifier: Whose preferences a single file has, where its name does not say it.
    public static func open(
        _ path: String, keychain: String? = nil, bundleIdentifier: String? = nil
    ) throws(DumpError) -> Dump {
        let options = OpeningOptions(keychain: keychain, bundleIdentifier: bundleIdentifier)
        switch try opening(path, options) {
        case .opened(let dump): return dump
        case .locked(let dump): throw DumpError(dump.location.path, .locked)
        }
    }
}
