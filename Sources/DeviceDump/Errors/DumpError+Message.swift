import Files
import MigrationEngine
import StoreFormats
import SystemPackage

extension DumpError: CustomStringConvertible {
    /// What happened, why, and what the person can do.
    package var description: String {
        // Whoever named a file may have put lines into its name.
        let path = path.onOneLine
        return switch problem {
        case .notFound:
            "There is nothing at \(path). Check the path."
        case .gone:
            "\(path) is no longer what was opened: it was removed or replaced meanwhile. Open the dump again."
        case .changing:
            "\(path) was written to while it was read. Try again once nothing writes to the dump, or copy it first."
        case .overwritten:
            "\(path) has changed since it was opened, and nothing in it is where it was. Open it again once nothing writes to it."
        case .inaccessible(let error):
            "\(path) cannot be read: \(error.words). \(error.adviceForReading)"
        case .symbolicLink(let target):
            "\(path) is a symbolic link to \(target), which is not followed. "
                + "Copy what it points to into the dump if it belongs there."
        case .notAFile("a folder"):
            "\(path) is a folder, not a file. Name the file itself."
        case .notAFile(let what):
            "\(path) is \(what), not a file. If it was to be read, save its content as a file and name that."
        case .notAFolder:
            "\(path) is not a folder. Name a dump's folder or a property list file."
        case .overLimit(let bytes, let limit):
            "\(path) has \(bytes) bytes, more than the \(limit) that are read at once. "
                + "Take a copy of the file out of the dump to look at it with another tool."
        case .badPath:
            "“\(path)” is not a path: it must not be empty, must be UTF-8, and have no NUL."
        case .notRecognised:
            "\(path) is not a dump that Vestige knows: none was found there, in the folders above, or inside, three levels of "
                + "folders down, eight in an archive. "
                + "It reads \(Recognition.forms). Name one of these. \(RefusedForm.askForContainer)"
        case .insideDump(let dump):
            "\(path) is a part of the dump \(dump.onOneLine), and none by itself. Name that."
        case .somethingElse(let holds, let leftOut):
            "\(path) is not a dump that Vestige knows: it holds \(holds), and the folders above are none either. "
                + leftOut.map { "\($0) " }.joined()
                + "It reads \(Recognition.forms). Name one of these. \(RefusedForm.askForContainer)"
        case .searchCut(let limit):
            "No dump was found among the first \(limit) files and folders in \(path), and there are more. Name the dump itself."
        case .refused(let form, let advice):
            "\(path) is \(form). \(advice)"
        case .keychainAlone:
            "\(path) is an export of a keychain, which goes with a dump: open that, and give this file with it."
        case .locked:
            "\(path) is encrypted. Its password opens it, or the key that was saved when it was opened before."
        case .lockedArchive:
            "\(path) is protected by a password. Whoever packed it can tell it."
        case .severalDumps(let paths):
            "\(path) holds several dumps. Name one of them:\n" + Self.list(paths)
        case .severalArchives(let dumps, let others):
            "\(path) holds several archives, and not all were looked into. Name the one with the dump. Not looked into, as there "
                + "are too many or they are too large:\n" + Self.list(others)
                + (dumps.isEmpty ? "" : "\nWith a dump, or damaged:\n" + Self.list(dumps))
        case .noContainers:
            "\(path) has no container of an app. Check that the app was installed when the dump was made."
        case .severalApps(let names):
            "\(path) holds several apps. Choose one of these:\n" + Self.list(names)
        case .notAKeychain(let error):
            "\(path) is not read as a keychain: \(error). Name another file."
        case .keychainInArchive:
            "\(path) is an archive, and no export of a keychain itself. Name the file in it: \(path)/NAME."
        case .noSuchApp(let identifier, let available):
            "\(path) has no app “\(identifier)”. Choose one of these:\n" + Self.list(available)
        case .noSuchGroup("", let available):
            "\(path): an access group without a name was given, as with a variable that is not set"
                + (available.isEmpty ? ". Leave it out." : ". Choose one of these:\n" + Self.list(available))
        case .noSuchAppGroup("", let available):
            "\(path): an app group without a name was given, as with a variable that is not set"
                + (available.isEmpty ? ". Leave it out." : ". Choose one of these:\n" + Self.list(available))
        case .noSuchGroup(let group, let available):
            available.isEmpty
                ? "\(path): no keychain item with an access group is read, so none is in “\(group)”. Give an export of the keychain "
                    + "with it."
                : "\(path) has no item in the access group “\(group)”. Choose one of these:\n" + Self.list(available)
        case .noSuchAppGroup(let group, let available):
            available.isEmpty
                ? "\(path) has no app group, so none is “\(group)”. Leave it out."
                : "\(path) has no app group “\(group)”. Choose one of these, or GROUP=PATH with the path of a "
                    + "container that does not say whose it is:\n"
                    + Self.list(available)
        case .groupInSeveralContainers(let group):
            "\(path): \(group) is in one container, and several were given. Leave out all but one."
        case .groupsOfOneContainer(let groups):
            "\(path) is that of one group, and was given for several: \(groups.joined(separator: ", ")). Leave out all but one."
        case .cancelled: "Stopped."
        case .brokenDatabase(let reason):
            "\(path) cannot be read: \(reason). Copy the dump again from its source, or have another one made."
        case .unreadDatabase(let reason):
            "\(path) is not read: \(reason). Take a copy of the file out of the dump to look at it with another tool."
        case .noCopy(let error):
            "\(path) can only be read as a private copy, and none can be made: \(error.words). "
                + "Make room in the folder for temporary files, or name another one in TMPDIR."
        case .notPackable(let reason):
            "\(path) cannot be written back into what holds it: \(reason). The files can be written by their own names, "
                + "unpacked and decrypted."
        case .cutManifest(let reason):
            "\(path) is damaged: \(reason). What comes before that is read, and of the rest nothing is known. "
                + "Copy it again from its source, or have another backup made."
        case .rowsWithoutPlace(let count):
            "\(path): \(Self.withoutPlace(count)). Have another backup made."
        case .unfinishedBackup(let state):
            "\(path) says that the backup was not finished (\(state)): what had not been sent is not in it, and no device takes "
                + "it back. Have another backup made, and let it come to its end."
        case .tooManyRows(let limit):
            "\(path) has more than the \(limit) rows that are read. No device has that many; have another dump made."
        case .brokenRecord(let reason):
            "\(path): what the backup's manifest says of it is broken: \(reason). Have another backup made if it matters."
        case .noPayload(let name):
            "\(path): the backup lists it, and its content, \(name), is not there. Ask for the whole backup folder."
        case .badPayloadName(let name):
            "\(path): the backup's name for its content, “\(name)”, is not one; it is not looked for. "
                + "Have another backup made if it matters."
        case .payloadOfAnother(let name):
            "\(path): \(Self.ofAnother(name)); it is not read. Have another backup made if it matters."
        case .damagedPayload(let reason):
            "\(path) cannot be decrypted: \(reason). Have another backup made if it matters."
        case .sealedPayload:
            "\(path) \(Self.sealed). Ask for the whole backup as the computer has it, and for its password."
        case .lockedToDevice(let number):
            "\(path) is locked (device key): its class, \(number), is one that only the device itself opens, whatever the "
                + "password. Look at it on that device."
        case .wrongPassword:
            "\(path) is not opened by this password. Check how it was typed. It is the one for encrypted backups, not the "
                + "device's passcode."
        case .wrongArchivePassword:
            "\(path) is not opened by this password. Check how it was typed, or ask whoever packed it."
        case .wrongKey:
            "\(path) is not opened by this key. Name the key that was saved of this very backup, or give the password."
        case .damagedKeybag(let reason):
            "\(path) cannot be opened with any password, as its keybag is damaged: \(reason). "
                + "Copy Manifest.plist again from its source."
        case .tooManyRounds(let rounds, let limit):
            "\(path) asks for \(rounds) rounds of key derivation, more than the \(limit) that are done unasked. "
                + "Raise the limit “rounds” if that is right."
        case .brokenArchive(let reason):
            "\(path) cannot be unpacked: \(reason). Copy it again from its source."
        case .manyLayers(let limit):
            "\(path) is compressed more than \(limit) times over, and is unpacked no further. Unpack one layer of it with "
                + "another tool (gunzip, xz -d), and name what comes of that."
        case .nestedArchives(let limit):
            "\(path) holds archives in one another, more than \(limit) levels of them, and is looked into no further. Unpack "
                + "some of them with another tool, and name the innermost."
        case .brokenEntry(let reason):
            "\(path) cannot be unpacked: \(reason). Copy the archive again from its source if it matters."
        case .tooLongNames(let limit):
            "\(path): the names of its entries have more than the \(limit) bytes together that are read unasked. "
                + "Raise the limit “names” if that is right, or unpack it, and name the folder."
        case .endlessFolders(let levels):
            "\(path) has entries in folders that it does not list, \(levels) levels deep, which no dump does. It is not "
                + "unpacked. Unpack it with another tool if you trust it, and name the folder."
        case .tooManyEntries(let limit):
            "\(path) has more than the \(limit) entries that are read unasked. "
                + "Raise the limit “entries” if that is right, or unpack it, and name the folder."
        case .bomb(let unpacked, let packed):
            "\(path) is packed in \(packed) bytes, and would unpack to \(unpacked) or more, which no dump does. It is not unpacked. "
                + "Raise the limit “ratio” if you trust it, or unpack it with another tool, and name the folder."
        case .keyFile(let reason):
            "\(path): \(reason). Name another file."
        case .foreignManifest:
            "\(path) is not opened by the key in Manifest.plist: the two are of different backups, or one is damaged. "
                + "Copy the backup folder again as a whole."
        }
    }

    private static func list(_ lines: [String]) -> String {
        let shown = 40
        let rest = lines.count > shown ? ["… and \(lines.count - shown) more"] : []
        return (lines.prefix(shown).map(\.onOneLine) + rest).map { "  \($0)" }.joined(separator: "\n")
    }
}

extension DumpWarning: CustomStringConvertible {
    /// What is the matter, and what it means for the rest.
    package var description: String {
        switch problem {
        case .foundElsewhere(let named, let root):
            "The dump is \(root); \(named) was named, which is \(named.hasPrefix(root + "/") ? "inside of" : "above") it."
        case .passedOver(let paths):
            paths.count == 1
                ? "\(paths[0]) lies beside the dump, and was not opened. Name it to open it."
                : "\(paths.prefix(5).joined(separator: ", "))\(paths.count > 5 ? " and \(paths.count - 5) more" : "") lie beside "
                    + "the dump, and were not opened. Name one to open it."
        case .otherCase(let name):
            "\(path) differs only in case from \(name), which is not there: a tool has changed the names, and what is in it is "
                + "not read. Have the dump copied with its names as they are."
        case .missing:
            "\(path) is missing; the rest of the dump is read."
        case .unreadable(let reason):
            reason.explanation
        case .symbolicLink(let target):
            "\(path) is a symbolic link to \(target), which is not followed."
        case .nameNotUTF8:
            "\(path): the name is not UTF-8; it is listed with the digits of its bytes, has no address, and cannot be "
                + "shown or migrated."
        case .listingCut(.depth(let limit)):
            "\(place) has more than \(limit) levels of folders; what lies deeper is not listed."
        case .listingCut(.count(let limit)):
            "\(place) has more than \(limit) items; the rest is not listed."
        case .contradiction(let name, let used, let other):
            "\(used.source) says that \(name) is “\(used.value)”, \(other.source) that it is “\(other.value)”; "
                + "the first is used."
        case .unknownApp:
            "Nothing in \(place) says which app it belongs to; it goes by the folder's name."
        case .unknownDomain:
            "Nothing says which app's preferences \(path) has, as its name is not a bundle identifier, so what "
                + "belongs to that app is not found."
        case .duplicateIdentifier(let identifier):
            "Several containers are named \(identifier); choose one by its path instead."
        case .duplicateGroup(let identifier):
            "Several containers are those of \(identifier), and nothing says which one counts."
        case .emptyKeychain:
            "\(path) has no item at all, not even one of the system's. If it is of a whole device, exporting it has failed: have it "
                + "exported again."
        case .keychainItem(let place, let reason):
            "\(path), \(place): \(reason)."
        case .moreKeychainItems(let count):
            "\(path): \(count) more of its items \(count == 1 ? "is" : "are") not as they should be."
        case .severalKeychains(let paths):
            "There are several keychain exports (\(paths.joined(separator: ", "))), and none is read."
        case .keychainReplaced(let other):
            "\(path) is not read: \(other), an export of a keychain in the backup's folder, is read in its place."
        case .keychainOfAnother(.namedAfter(let other)):
            "\(path) is named after \(other), so it is taken for that one's keychain, and not read."
        case .keychainOfAnother(.fitsAlso(let other)):
            "\(path) may be the keychain of \(other), which lies beside the dump, as well as the dump's, so it is not read."
        case .keychainOfAnother(.namedOtherwise):
            "\(path) is named after something else than the dump, so that it may be another's, and it is not read."
        case .keychainOfAnother(.ofDevice(let device)):
            "\(path) is named after another device than the dump's, the device \(device), so it is not read."
        case .keychainOfAnother(.notRead(let other)):
            "\(path) may be the keychain of \(other), which lies beside the dump and cannot be looked at, as well as the "
                + "dump's, so it is not read."
        case .keychainOfAnother(.notAllLookedAt(.holders(let limit))):
            "\(path) may be another's: more than \(limit) archives and folders lie beside the dump, and it is not looked into "
                + "all of them, so it is not read."
        case .keychainOfAnother(.notAllLookedAt(.files(let limit))):
            "\(path) may be another's: more than \(limit) files lie beside the dump, and it is not looked at all of them, so it "
                + "is not read."
        case .foreignKeychainItems(let count):
            "\(path): \(count) item\(count == 1 ? "" : "s") of other apps or of the system "
                + "\(count == 1 ? "is" : "are") not shown."
        case .unassignedKeychainItems(let count):
            "\(path): nothing says that \(count) item\(count == 1 ? " is" : "s are") this app's; "
                + "\(count == 1 ? "it is" : "they are") listed in stores that begin with "
                + "“\(KeychainShare.unassigned)”, which no migration reads."
        case .guessedKeychainItems(let group, let count):
            "\(path): \(count) item\(count == 1 ? " is" : "s are") taken for this app's because the access group \(group) begins with "
                + "its identifier; an extension or another app may have such a group for itself, and the dump says nothing of those."
        case .sameKeychainAccount(let address):
            "\(path) has several items of one service and account; this one is shown as \(address)."
        case .repeatedKey(let address):
            "\(path): the key of \(address) stands more than once, and programs differ on which value counts; no step "
                + "reads or changes it."
        case .moreRepeatedKeys(let count):
            "\(path): \(count) more of its keys \(count == 1 ? "stands" : "stand") more than once."
        case .unfinishedDatabase:
            "A journal lies beside \(path): it was copied while something wrote to it; its last change was not finished, and is taken back as far as that has it."
        case .finishedDatabase(let journal):
            "A journal lies beside \(path), of a change of several databases; \(journal), which all of them had for it, is not in the dump, so that the change is taken for finished, as SQLite takes it."
        case .otherVersion(let version, let known):
            "\(path) says that it is of version \(version); it is read as one of version \(known), the only one that is known."
        case .strayRows(let domain, let count):
            "\(path): \(count) row\(count == 1 ? "" : "s") of \(domain) \(count == 1 ? "has a name that is" : "have names that are") no "
                + "place in a backup; \(count == 1 ? "it is" : "they are") left out."
        case .rowsWithoutDomain(let count):
            "\(path): \(count) row\(count == 1 ? " does" : "s do") not name a domain as a text, and \(count == 1 ? "is" : "are") left out."
        case .tornIndex:
            "\(path): an index of it is not what its table holds, as in a copy that was made while it was written; the table is "
                + "read, and other tools may not find all that is in it."
        case .duplicateRows(let domain, let count):
            "\(path): \(count) row\(count == 1 ? "" : "s") of \(domain) \(count == 1 ? "has" : "have") the path of another; the first "
                + "one counts."
        case .rowsBelowFile(let count, let file):
            "\(path)\(count == 1 ? "" : " and \(count - 1) more"): the backup's manifest has a row for it, and another that says that "
                + "\(file), in which it would lie, is no folder; it is left out."
        case .rowsWithOthersBelow(let count):
            "\(path)\(count == 1 ? "" : " and \(count - 1) more"): the backup's manifest says that it is no folder, and has rows of what "
                + "lies in it; it is taken for a folder, and a content of its own is left out."
        case .withoutPayload(let count):
            count == 1
                ? "\(path): the backup lists it, and its content is not there."
                : "\(path) and \(count - 1) more files beside it are listed in the backup, and their contents are not there."
        case .orphanPayloads(let count):
            count == 1
                ? "\(path) is a content in the backup that belongs to no file of its manifest."
                : "\(path) and \(count - 1) more contents in the backup belong to no file of its manifest."
        case .payloadSize(let listed, let stored, let isEncrypted):
            "\(path): the backup says that it has \(listed) bytes, and stores \(stored)\(isEncrypted ? " encrypted ones" : ""); "
                + "what is stored is read."
        case .noPadding:
            "\(path): what is decrypted does not end as it should; all of it is read."
        case .otherDigest:
            "\(path): what the backup stores is not what its manifest has the digest of, and no device takes it back; it is "
                + "read as it is."
        case .otherPayloadNames(let count):
            "\(path)\(count == 1 ? "" : " and \(count - 1) more"): the backup stores \(count == 1 ? "its content" : "their contents") "
                + "under another name than a device gives; what is there is read."
        case .domainElsewhere(let domain, let entry, let container):
            "\(path) is called after \(domain), whose preferences are, or may be, in a container of its own; this one, which an app "
                + "writes while it may not use that, is \(entry). --app-group \(GroupClaims.claim(of: domain, at: container)) "
                + "takes it for \(domain)."
        case .moreBackupFindings(let count):
            "\(path): \(count) more of its files \(count == 1 ? "is" : "are") not as the backup's manifest says."
        case .strayEntries(let count, let first):
            Self.entries(count, first, of: path, "has a name that leads", "have names that lead")
                + " out of it or through what is not a folder; \(count == 1 ? "it is" : "they are") left out."
        case .longEntries(let count, let first, let limit):
            Self.entries(count, first, of: path, "has a name", "have names")
                + " of more than \(limit) bytes; \(count == 1 ? "it is" : "they are") left out."
        case .absoluteEntries(let count, let first):
            Self.entries(count, first, of: path, "has a name that begins", "have names that begin")
                + " at the root of a disk; \(count == 1 ? "it is" : "they are") read as if below the archive."
        case .anotherTar(let place):
            "\(path): behind its end, at byte \(place), another tar begins, which is not read, as no tool reads it unless told "
                + "to; cut it off there and open it by itself."
        case .sameEntries(let count, let first):
            Self.entries(count, first, of: path, "has the name", "have the names")
                + " of another; the last one counts, as where it is unpacked."
        case .twinEntries(let count, let first):
            Self.entries(count, first, of: path, "has a name that differs", "have names that differ")
                + " from another's only in case or in how accents are written; all are read, and a Mac would unpack one."
        case .lockedEntries(let count, let first):
            Self.entries(count, first, of: path, "needs", "need")
                + " a password, and the others do not; \(count == 1 ? "it is" : "they are") locked."
        case .backslashEntries(let count, let first):
            Self.entries(count, first, of: path, "has a name with backslashes", "have names with backslashes")
                + " between the folders, as some programs of Windows write them; they are read as slashes."
        case .codePageEntries(let count, let first):
            Self.entries(count, first, of: path, "has a name that is", "have names that are")
                + " not in UTF-8, read as code page 437, as the format of zips has it; on the device letters may be others."
        case .entriesStayLocked:
            "\(path): the password that was given is not that of its protected entries, which stay locked."
        case .bytesBefore(let count):
            "\(path): \(count) bytes stand before the archive that are none of it, as in one that unpacks itself."
        case .filledFolders(let count, let first):
            "\(path): \(count) of its entries, the first “\(first)”, \(count == 1 ? "is named as a folder and has" : "are named as folders and have") "
                + "a content, which is left out. Unpack it with another tool to look at it."
        case .bytesBehind(let count):
            "\(path): \(count) bytes stand behind what is compressed and are none of it; they are left out. Copy it again from "
                + "its source if something is missing."
        case .entryCount(let listed, let found):
            "\(path) says that it has \(listed) entries, and lists \(found); it may be damaged."
        case .decryptedBackup:
            "Manifest.plist says that the backup is encrypted, and \(path) is not: a tool has decrypted it. Its files are "
                + "read as they are."
        case .moreSameKeychainAccounts(let count):
            "\(path): \(count) more of its items \(count == 1 ? "has" : "have") the service and account of another."
        }
    }

    /// So many entries of an archive, with the first one.
    private static func entries(_ count: Int, _ first: String, of path: String, _ one: String, _ many: String) -> String
    {
        count == 1
            ? "\(path): its entry “\(first)” \(one)"
            : "\(path): \(count) of its entries (the first is “\(first)”) \(many)"
    }

    private var place: String { path.isEmpty ? "the dump" : path }
}

extension DumpWarning.Problem {
    /// The warning that an error is.
    init(_ error: DumpError) {
        if case .symbolicLink(let target) = error.problem {
            self = .symbolicLink(target: target)
        } else {
            self = .unreadable(.init(error))
        }
    }
}

extension DumpError {
    fileprivate static let sealed =
        "is encrypted with a key that a password opens, and the backup is read as one that has none"

    fileprivate static func withoutPlace(_ count: Int) -> String {
        "\(count) row\(count == 1 ? " does" : "s do") not say of which file \(count == 1 ? "it is" : "they are"), which may be any "
            + "that no other row lists"
    }

    fileprivate static func ofAnother(_ name: String) -> String {
        "the content that the backup's manifest names for it, \(name), is another file's by its name, or another row names it too"
    }
}

extension Unreadable {
    /// The reason that an error is.
    package init(_ error: DumpError) {
        let cause: Cause =
            switch error.problem {
            case .overLimit: .overLimit
            case .symbolicLink, .notAFile, .notAFolder, .refused, .unreadDatabase: .unsupported
            case .locked, .lockedArchive, .lockedToDevice, .sealedPayload: .locked
            case .tooManyRows, .bomb: .overLimit
            case .unfinishedBackup: .missing
            case .noPayload, .brokenDatabase, .cutManifest, .rowsWithoutPlace, .brokenRecord, .brokenArchive,
                .brokenEntry,
                .badPayloadName, .payloadOfAnother,
                .damagedPayload,
                .damagedKeybag,
                .foreignManifest:
                .corrupt
            default: .inaccessible
            }
        let path = error.path
        let explanation =
            switch error.problem {
            case .symbolicLink(let target): "\(path) is a symbolic link to \(target), which is not followed"
            case .notAFile(let what): Unreadable(notAFile: what, at: path).explanation
            case .notAFolder: "\(path) is not a folder"
            case .overLimit(let bytes, let limit):
                "\(path) has \(bytes) bytes, more than the \(limit) that are read at once"
            case .inaccessible(let error): "\(path) cannot be read: \(error.words)"
            case .noPayload(let name): "the backup lists \(path), and its content, \(name), is not there"
            case .damagedPayload(let reason): "\(path) cannot be decrypted: \(reason)"
            case .brokenEntry(let reason): "\(path) cannot be unpacked: \(reason)"
            case .badPayloadName(let name): "the backup's name for the content of \(path), “\(name)”, is not one"
            case .payloadOfAnother(let name): "\(path): \(DumpError.ofAnother(name))"
            case .brokenRecord(let reason): "what the backup's manifest says of \(path) is broken: \(reason)"
            case .sealedPayload: "\(path) \(DumpError.sealed)"
            case .lockedToDevice(let number):
                "\(path) is locked (device key): only the device itself opens its class, \(number)"
            case .unfinishedBackup(let state):
                "\(path) says that the backup was not finished (\(state)): what had not been sent is not in it"
            case .rowsWithoutPlace(let count): "\(path): \(DumpError.withoutPlace(count))"
            case .cutManifest(let reason): "\(path) is damaged: \(reason); of what comes after that nothing is known"
            case .gone: "\(path) was removed or replaced since the dump was opened"
            case .changing: "\(path) was written to while it was read"
            case .overwritten: "\(path) has changed since it was opened; open it again"
            default: error.description
            }
        self.init(cause, explanation)
        limit = error.problem.limit.map { .init($0.name.rawValue, to: $0.value) }
    }
}

extension Unreadable {
    /// The reason that an error is for what is at a path: where that is a link itself, and not beyond one, with its target.
    init(_ error: DumpError, at path: DumpPath) {
        self.init(error)
        // Of a target that is not UTF-8, or is not known, it is not known whether another is the same.
        guard case .symbolicLink(let target) = error.problem, error.path.utf8.elementsEqual(path.text.utf8),
            !target.isEmpty, !target.unicodeScalars.contains("\u{FFFD}")
        else { return }
        link = Name(target)
    }
}

extension String {
    /// The text without what would begin a line of its own in a list: a picture of it in its place.
    fileprivate var onOneLine: String {
        guard contains(where: \.isNewline) else { return self }
        return String(
            String.UnicodeScalarView(
                unicodeScalars.map { scalar in
                    guard Character(scalar).isNewline else { return scalar }
                    return scalar.value < 0x20 ? Unicode.Scalar(0x2400 + scalar.value) ?? "\u{2424}" : "\u{2424}"
                }))
    }
}
