import Files
import MigrationEngine
import SystemPackage

extension DumpError: CustomStringConvertible {
    /// What happened, why, and what the person can do.
    public var description: String {
        switch problem {
        case .notFound:
            "There is nothing at \(path). Check the path; the dump must still be where it was."
        case .gone:
            "\(path) is no longer what was opened: it was removed or replaced meanwhile. Open the dump again."
        case .changing:
            "\(path) was written to while it was read. Try again once nothing writes to the dump, or copy it first."
        case .inaccessible(let error):
            "\(path) cannot be read: \(error.words). \(error.adviceForReading)"
        case .symbolicLink(let target):
            "\(path) is a symbolic link to \(target), which is not followed. "
                + "Copy what it points to into the dump if it belongs there."
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
            "\(path) is not a dump that Vestige knows. It reads \(Recognition.forms). Name one of these."
        case .refused(let form, let advice):
            "\(path) is \(form). \(advice)"
        case .locked:
            "\(path) is encrypted. Give its password."
        case .severalDumps(let paths):
            "\(path) holds several dumps. Name one of them:\n" + Self.list(paths)
        case .noContainers:
            "\(path) has no container of an app. Check that the app was installed when the dump was made."
        case .severalApps(let names):
            "\(path) holds several apps. Choose one with --app:\n" + Self.list(names)
        case .notAKeychain(let error):
            "\(path) is not read as a keychain: \(error). Name another file with --keychain."
        case .noSuchApp(let identifier, let available):
            "\(path) has no app “\(identifier)”. Choose one of these with --app:\n" + Self.list(available)
        case .cancelled: "Stopped."
        }
    }

    private static func list(_ lines: [String]) -> String {
        let shown = 40
        let rest = lines.count > shown ? ["… and \(lines.count - shown) more"] : []
        return (lines.prefix(shown) + rest).map { "  \($0)" }.joined(separator: "\n")
    }
}

extension DumpWarning: CustomStringConvertible {
    /// What is the matter, and what it means for the rest.
    public var description: String {
        switch problem {
        case .foundElsewhere(let named, let root):
            "The dump is \(root); \(named) was named, which is \(named.hasPrefix(root + "/") ? "inside of" : "above") it."
        case .missing:
            "\(path) is missing; the rest of the dump is read."
        case .unreadable(let reason):
            reason.explanation
        case .symbolicLink(let target):
            "\(path) is a symbolic link to \(target), which is not followed."
        case .nameNotUTF8:
            "\(path): the name is not UTF-8; it is listed with replacement characters, has no address, and cannot be "
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
            "Nothing says which app's preferences \(path) has, as its name is not a bundle identifier; if you know, say "
                + "--fact bundleIdentifier=com.example.app, so that what belongs to that app is found."
        case .duplicateIdentifier(let identifier):
            "Several containers are named \(identifier); choose one by its path instead."
        case .keychainItem(let place, let reason):
            "\(path), \(place): \(reason)."
        case .moreKeychainItems(let count):
            "\(path): \(count) more of its items \(count == 1 ? "is" : "are") not as they should be."
        case .severalKeychains(let paths):
            "There are several keychain exports (\(paths.joined(separator: ", "))), and none is read; "
                + "name one with --keychain."
        case .foreignKeychainItems(let count):
            "\(path): \(count) item\(count == 1 ? "" : "s") of other apps or of the system "
                + "\(count == 1 ? "is" : "are") not shown."
        case .unassignedKeychainItems(let count):
            "\(path): nothing says that \(count) item\(count == 1 ? " is" : "s are") this app's; "
                + "\(count == 1 ? "it is" : "they are") listed in stores that begin with "
                + "“\(KeychainShare.unassigned)”, which no migration reads."
        case .sameKeychainAccount(let address):
            "\(path) has several items of one service and account; this one is shown as \(address)."
        case .moreSameKeychainAccounts(let count):
            "\(path): \(count) more of its items \(count == 1 ? "has" : "have") the service and account of another."
        }
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

extension Unreadable {
    /// The reason that an error is.
    init(_ error: DumpError) {
        let cause: Cause =
            switch error.problem {
            case .overLimit: .overLimit
            case .symbolicLink, .notAFile, .notAFolder, .refused: .unsupported
            case .locked: .locked
            default: .inaccessible
            }
        let path = error.path
        let explanation =
            switch error.problem {
            case .symbolicLink(let target): "\(path) is a symbolic link to \(target), which is not followed"
            case .notAFile(let what): "\(path) is \(what), which is not opened"
            case .notAFolder: "\(path) is not a folder"
            case .overLimit(let bytes, let limit):
                "\(path) has \(bytes) bytes, more than the \(limit) that are read at once"
            case .inaccessible(let error): "\(path) cannot be read: \(error.words)"
            case .gone: "\(path) was removed or replaced since the dump was opened"
            case .changing: "\(path) was written to while it was read"
            default: error.description
            }
        self.init(cause, explanation)
    }
}
