import Foundation
import MigrationEngine

extension DumpError: CustomStringConvertible {
    /// What happened, why, and what the person can do.
    public var description: String {
        switch problem {
        case .notFound:
            "There is nothing at \(path). Check the path; the dump must still be where it was."
        case .inaccessible(let number):
            "\(path) cannot be read: \(SystemError.words(number)). \(SystemError.advice(number))"
        case .symbolicLink(let target):
            "\(path) is a symbolic link to \(target), which is not followed. "
                + "Copy what it points to into the dump if it belongs there."
        case .notAFile(let what):
            "\(path) is \(what), not a file. Name a dump's folder or a property list file."
        case .notAFolder:
            "\(path) is not a folder. Name a dump's folder or a property list file."
        case .overLimit(let bytes, let limit):
            "\(path) has \(bytes) bytes, more than the \(limit) that are read at once. "
                + "Take a copy of the file out of the dump to look at it with another tool."
        case .badPath:
            "“\(path)” is not the path of a file in a dump: it must be UTF-8, "
                + "and its parts must not be empty, “.” or “..”."
        case .notRecognised:
            "\(path) is not a dump that Vestige knows. It reads an .xcappdata folder, an app's data container, "
                + "the folder of one simulator device, and a single property list file. Name one of these."
        case .unsupported(let form):
            "\(path) is \(form), which is not supported yet. "
                + "Take the app's container out of it and open that, for example as an .xcappdata folder."
        case .severalDumps(let paths):
            "\(path) holds several dumps. Name one of them:\n" + Self.list(paths)
        case .noContainers:
            "\(path) has no container of an app. Check that the app was installed when the dump was made."
        case .severalApps(let identifiers):
            "\(path) holds several apps. Choose one with --app:\n" + Self.list(identifiers)
        case .notAKeychain(let error):
            "\(path) is not read as a keychain: \(error). Name another file with --keychain."
        case .noSuchApp(let identifier, let available):
            "\(path) has no app “\(identifier)”. Choose one of these with --app:\n" + Self.list(available)
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
            "\(path): the name is not UTF-8; it is listed with replacement characters and cannot be read."
        case .listingCut(.depth(let limit)):
            "\(place) has more than \(limit) levels of folders; what lies deeper is not listed."
        case .listingCut(.count(let limit)):
            "\(place) has more than \(limit) items; the rest is not listed."
        case .contradiction(let name, let used, let other):
            "\(used.source) says that \(name) is “\(used.value)”, \(other.source) that it is “\(other.value)”; "
                + "the first is used."
        case .unknownApp:
            "Nothing in \(place) says which app it belongs to; it goes by the folder's name."
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
        case .sameKeychainAccount(let address):
            "\(path) has several items of one service and account; this one is shown as \(address)."
        }
    }

    private var place: String { path.isEmpty ? "the dump" : path }
}

extension Unreadable {
    /// The reason that an error is, with its path relative to the dump.
    init(_ error: DumpError, in root: DumpFolder) {
        let cause: Cause =
            switch error.problem {
            case .overLimit: .overLimit
            case .symbolicLink, .notAFile, .notAFolder, .unsupported: .unsupported
            default: .inaccessible
            }
        let path = root.relativePath(of: error)
        let explanation =
            switch error.problem {
            case .symbolicLink(let target): "\(path) is a symbolic link to \(target), which is not followed"
            case .notAFile(let what): "\(path) is \(what), which is not opened"
            case .notAFolder: "\(path) is not a folder"
            case .overLimit(let bytes, let limit):
                "\(path) has \(bytes) bytes, more than the \(limit) that are read at once"
            case .inaccessible(let number): "\(path) cannot be read: \(SystemError.words(number))"
            default: error.description
            }
        self.init(cause, explanation)
    }
}

/// Error numbers of the operating system in words.
///
/// Its own words would depend on the host's language.
enum SystemError {
    /// What a number means, as the end of a sentence.
    static func words(_ number: Int32) -> String {
        switch number {
        case EACCES, EPERM: "permission is denied"
        case ENOENT: "it is not there"
        case EIO: "the disk reports an error"
        case EMFILE, ENFILE: "too many files are open"
        case ELOOP: "there are too many symbolic links on the way"
        case ENOTDIR: "a part of the path is not a folder"
        case EFBIG: "it grew beyond the limit while it was read"
        case ENOMEM: "there is not enough memory"
        default: "the system reports error \(number)"
        }
    }

    /// What a person can do about it.
    static func advice(_ number: Int32) -> String {
        switch number {
        case EACCES, EPERM: "Give yourself permission to read it, or copy the dump to a folder of your own."
        case EIO: "Copy the dump again from its source."
        default: "Try again, or copy the dump to another place."
        }
    }
}
