import MigrationEngine

/// A part of a dump that is missing, unreadable or not as expected; the rest of the dump opens all the same.
package struct DumpWarning: Hashable, Sendable {
    /// The file or folder, relative to the dump's root; empty for the root.
    package var path: String
    /// What is the matter with it.
    package var problem: Problem

    /// Makes a warning.
    package init(_ path: String, _ problem: Problem) {
        self.path = path
        self.problem = problem
    }

    init(_ path: DumpPath, _ problem: Problem) { self.init(path.text, problem) }

    /// Why a listing is not complete.
    package enum Cut: Hashable, Sendable {
        /// It stops at this many levels.
        case depth(limit: Int)
        /// It stops at this many items.
        case count(limit: Int)
    }

    /// What can be the matter.
    package enum Problem: Hashable, Sendable {
        /// The dump is not the folder that was named but one above or below it: both absolute paths.
        case foundElsewhere(named: String, root: String)
        /// Beside the dump lie others that were not taken: their absolute paths.
        case passedOver([String])
        /// A part that dumps of this form have is not there.
        case missing
        /// The part is there under a name in another case; the name that it has on the device.
        case otherCase(String)
        /// The part is there and cannot be read.
        case unreadable(Unreadable)
        /// A symbolic link, which is not followed.
        case symbolicLink(target: String)
        /// A file name that is not UTF-8: it is listed with the digits of its bytes, and has no address.
        case nameNotUTF8
        /// The folder has more items, or more levels, than are listed.
        case listingCut(Cut)
        /// Two files disagree on a fact; the first one is used.
        case contradiction(FactName, used: Fact, other: Fact)
        /// Nothing says which app the container belongs to; the identifier is the folder's name.
        case unknownApp
        /// Nothing says which app's preferences the single file is: neither its name nor a fact.
        case unknownDomain
        /// Several containers have this identifier.
        case duplicateIdentifier(String)
        /// Several containers of groups, or of extensions, have this identifier, and nobody has said which one counts.
        case duplicateGroup(String)
        /// A keychain export, as tools write it of a whole device, has no item at all.
        case emptyKeychain
        /// An item of a keychain export is broken: where in the file, and how.
        case keychainItem(place: String, reason: String)
        /// So many further items of a keychain export are broken.
        case moreKeychainItems(Int)
        /// There are several keychain exports, so that none is read: their paths.
        case severalKeychains([String])
        /// A backup's own keychain is not read, as an export lies in its folder: the path of that.
        case keychainReplaced(by: String)
        /// A keychain export beside the dump may be another's, and is not taken: why.
        case keychainOfAnother(KeychainDoubt)
        /// So many items of a keychain belong to other apps or to the system.
        case foreignKeychainItems(Int)
        /// So many items of a keychain belong to an app that nothing names; they are in stores of their own.
        case unassignedKeychainItems(Int)
        /// So many items of a keychain are in an access group that only begins as the app's identifier, and are taken for its.
        case guessedKeychainItems(group: String, count: Int)
        /// Another item has the same service and account; where this one is shown instead.
        case sameKeychainAccount(Address)
        /// So many further items have the service and account of another.
        case moreSameKeychainAccounts(Int)
        /// A key of a property list stands more than once, so that nothing says which of its values counts.
        case repeatedKey(Address)
        /// So many further keys of a property list stand more than once.
        case moreRepeatedKeys(Int)
        /// A journal lies beside a database, whose last change was not finished.
        case unfinishedDatabase
        /// A journal lies beside a database, whose last change was one of several databases, and finished: the journal that all of
        /// them had for it is not in the dump.
        case finishedDatabase(journal: String)
        /// A file says that it is of a version of its format that is not known; it is read as one that is.
        case otherVersion(String, known: String)
        /// The manifest has so many rows whose domain or path can be none; they are left out.
        case strayRows(domain: String, count: Int)
        /// The manifest has so many rows with the path of another; the first one counts.
        case duplicateRows(domain: String, count: Int)
        /// So many rows of the manifest name no domain, or not as a text; they are left out.
        case rowsWithoutDomain(count: Int)
        /// An index of the manifest is not what its table holds, which is read.
        case tornIndex
        /// So many rows of the manifest lie below what another row says is no folder, and are left out; the path is that of
        /// the first.
        case rowsBelowFile(count: Int, file: String)
        /// So many rows of the manifest are no folders and have others below them; the path is that of the first.
        case rowsWithOthersBelow(count: Int)
        /// So many files of the container have no content in the backup; the path is that of the first.
        case withoutPayload(count: Int)
        /// So many contents in the backup belong to no file; the path is that of the first.
        case orphanPayloads(count: Int)
        /// The content of a file has another size than its manifest says.
        case payloadSize(listed: Int, stored: Int, isEncrypted: Bool)
        /// The content of a file does not end as encrypted ones do; all of it is taken.
        case noPadding
        /// The content of a file has another SHA-1 digest than its manifest says.
        case otherDigest
        /// So many files of the container have contents that are not named after them; the path is that of the first.
        case otherPayloadNames(count: Int)
        /// So many further files of the container are not as the manifest says.
        case moreBackupFindings(Int)
        /// So many entries of an archive, with the first one, have names that lead out of it, or through what is not a
        /// folder; they are left out.
        case strayEntries(Int, first: String)
        /// So many entries of an archive have names that are longer than any system opens; they are left out.
        case longEntries(Int, first: String, limit: Int)
        /// So many entries of an archive have names that begin at the root of a disk; they are read below the archive's.
        case absoluteEntries(Int, first: String)
        /// Behind the end of a tar, at a byte, another one begins, which is not read.
        case anotherTar(at: Int)
        /// So many entries of an archive have the name of another; the last one counts.
        case sameEntries(Int, first: String)
        /// So many entries of an archive have names that differ from another's only in case, or in how accents are written.
        case twinEntries(Int, first: String)
        /// So many entries of an archive need a password, and the others do not.
        case lockedEntries(Int, first: String)
        /// So many entries of an archive have backslashes for slashes.
        case backslashEntries(Int, first: String)
        /// So many entries of an archive have names that are not in UTF-8, and are read as code page 437.
        case codePageEntries(Int, first: String)
        /// So many entries of an archive are named as folders and have a content, which is left out.
        case filledFolders(Int, first: String)
        /// No password that was given opens the entries of an archive that need one.
        case entriesStayLocked
        /// So many bytes stand before an archive.
        case bytesBefore(Int)
        /// So many bytes stand behind what is compressed, and are left out.
        case bytesBehind(Int)
        /// An archive says that it has another number of entries.
        case entryCount(listed: Int, found: Int)
        /// A list among an app's preferences is called after a group, or an extension, whose own container has that domain.
        case domainElsewhere(String, entry: String, container: DumpPath)
        /// The backup says that it is encrypted, and its manifest is not.
        case decryptedBackup
    }

    /// Whether something of an archive is left out.
    var leavesOut: Bool {
        switch problem {
        case .strayEntries, .longEntries, .filledFolders, .anotherTar: true
        default: false
        }
    }

    /// Whether only reading the content of a file shows it.
    package var isOfReading: Bool {
        switch problem {
        case .noPadding, .otherDigest: true
        default: false
        }
    }
}
