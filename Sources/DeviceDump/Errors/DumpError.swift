import SystemPackage

/// Why a dump, or a part of it, could not be opened; the words are in `DumpError+Message.swift`.
package struct DumpError: Error, Hashable, Sendable {
    /// The file or folder: absolute where it is the dump itself, otherwise relative to the dump's root.
    package var path: String
    /// What is wrong with it.
    package var problem: Problem

    /// Makes an error.
    package init(_ path: String, _ problem: Problem) {
        self.path = path
        self.problem = problem
    }

    init(_ path: DumpPath, _ problem: Problem) { self.init(path.text, problem) }

    /// The same, with what was left out of that in which nothing was found.
    func telling(_ leftOut: [DumpWarning]) -> DumpError {
        guard case .somethingElse(let holds, let others) = problem else { return self }
        return DumpError(path, .somethingElse(holds: holds, leftOut: leftOut + others))
    }

    /// Whether the dump lists a file and does not hold its content, or not so that it can be read.
    package var isOfContent: Bool {
        switch problem {
        case .noPayload, .badPayloadName, .payloadOfAnother, .brokenRecord, .damagedPayload, .lockedToDevice,
            .sealedPayload,
            .brokenEntry, .bomb:
            true
        default: false
        }
    }

    /// Whether a password was given, and is not the one.
    var isWrongPassword: Bool { problem == .wrongPassword || problem == .wrongArchivePassword }

    /// What can be wrong.
    package enum Problem: Hashable, Sendable {
        /// There is nothing at the path.
        case notFound
        /// What was opened is no longer there, or something else is.
        case gone
        /// The file was written to while it was read.
        case changing
        /// An archive was written to since it was opened, so that nothing in it is where it was.
        case overwritten
        /// The file system refused, with its error number.
        case inaccessible(Errno)
        /// The path is, or leads through, a symbolic link inside of a dump.
        case symbolicLink(target: String)
        /// A file was expected and this is something else: what, in words.
        case notAFile(String)
        /// A folder was expected and this is something else.
        case notAFolder
        /// The file has more bytes than may be read.
        case overLimit(bytes: Int, limit: Int)
        /// The path has a NUL, or is not UTF-8.
        case badPath
        /// None of the known forms.
        case notRecognised
        /// It is a part of a dump, at this path, and none by itself.
        case insideDump(String)
        /// It has nothing in it that is known: what it has, in words.
        ///
        /// What an archive has and leaves out is told, as that may be what was looked for.
        case somethingElse(holds: String, leftOut: [DumpWarning] = [])
        /// None was found among as many files and folders as are looked at.
        case searchCut(limit: Int)
        /// A form that is recognised and not read: its name, and what to do about it.
        case refused(form: String, advice: String)
        /// An export of a keychain by itself, which goes with a dump.
        case keychainAlone
        /// The dump is encrypted, and a password opens it.
        case locked
        /// An archive, or what is looked for in it, is encrypted, and a password opens it.
        case lockedArchive
        /// The folder or the archive holds several dumps: their paths.
        case severalDumps([String])
        /// The folder or the archive holds several archives: the paths of those that hold a dump, and of those that were not
        /// looked into.
        case severalArchives([String], notLookedInto: [String])
        /// The dump has no container of an app.
        case noContainers
        /// The dump has several containers that could be meant, and none was chosen: their identifiers, or their paths
        /// where they have one identifier.
        case severalApps([String])
        /// The dump has no container of that identifier or path; those that it has.
        case noSuchApp(String, available: [String])
        /// The file that was named as a keychain is not read as one.
        case notAKeychain(KeychainError)
        /// The file that was named as a keychain is an archive with several files.
        case keychainInArchive
        /// No item of the keychain is in the access group that was named; the groups that there are.
        case noSuchGroup(String, available: [String])
        /// The dump has no app group of this identifier; those that it has.
        case noSuchAppGroup(String, available: [String])
        /// A person says that one container is that of several groups.
        case groupsOfOneContainer([String])
        /// A person says that one group is that of several containers.
        case groupInSeveralContainers(String)
        /// The person stopped it.
        case cancelled
        /// A database is not read: why, in words.
        case brokenDatabase(String)
        /// A database, or a part of one, is not read, though nothing is wrong with it: why, in words.
        case unreadDatabase(String)
        /// No private copy can be made of a file that is only read as a copy.
        case noCopy(Errno)
        /// The manifest of a backup is damaged: where.
        case cutManifest(String)
        /// So many rows of a backup's manifest do not say of which domain, or of which path, they are.
        case rowsWithoutPlace(count: Int)
        /// The backup was interrupted: its state in words of the device's.
        case unfinishedBackup(String)
        /// A database, or the manifest of a backup, has more rows than are read.
        case tooManyRows(limit: Int)
        /// What a backup's manifest says of a file is broken: how.
        case brokenRecord(String)
        /// A backup lists a file whose content, of this name, is not in it.
        case noPayload(String)
        /// A backup's name for the content of a file is none that can be one.
        case badPayloadName(String)
        /// A backup's name for the content of a file is the one that another file's has, or another row names the same content.
        case payloadOfAnother(String)
        /// The content of a file in a backup cannot be decrypted: why, in words.
        case damagedPayload(String)
        /// The key of a file's class does not leave the device.
        case lockedToDevice(class: Int)
        /// A file's content in a backup is encrypted, and nothing says that the backup is.
        case sealedPayload
        /// The password of an encrypted backup is another.
        case wrongPassword
        /// The password of an archive is another.
        case wrongArchivePassword
        /// The key that was given in place of a password is that of another dump.
        case wrongKey
        /// What says how an encrypted backup is opened is damaged: how.
        case damagedKeybag(String)
        /// Deriving the key takes more rounds than are done unasked.
        case tooManyRounds(Int, limit: Int)
        /// The file of a key or a password is none, or cannot be written: why.
        case keyFile(String)
        /// An archive is damaged, or was cut: how, and where.
        case brokenArchive(String)
        /// A file is compressed by more layers than are unpacked.
        case manyLayers(limit: Int)
        /// Archives lie in one another, more of them than are looked into.
        case nestedArchives(limit: Int)
        /// An entry of an archive is damaged, which says nothing of the others: how.
        case brokenEntry(String)
        /// The names in an archive have together more bytes than are read.
        case tooLongNames(limit: Int)
        /// The names in an archive make folders in folders, so many levels of them, without end.
        case endlessFolders(levels: Int)
        /// An archive has more entries than are read.
        case tooManyEntries(limit: Int)
        /// The contents of an archive are absurdly larger than the archive, or too large to be unpacked, in bytes.
        case bomb(unpacked: Int, packed: Int)
        /// A change cannot be written back into what holds the dump's files: why.
        case notPackable(String)
        /// The manifest of a backup is not opened by the key beside it.
        case foreignManifest
    }
}

extension DumpError.Problem {
    /// An entry of an archive of which another number of bytes comes out than the archive's list says; `nil` is more.
    static func otherSize(listed: Int, found: Int? = nil) -> Self {
        .brokenEntry(
            "the archive's list says that it has \(listed) bytes, and \(found.map(String.init) ?? "more") come out of it, so that one "
                + "of the two is damaged")
    }
}
