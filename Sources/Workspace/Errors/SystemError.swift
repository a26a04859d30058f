import Foundation

/// An error number of the operating system; its own words would depend on the host's language.
struct SystemError: Error, Hashable {
    let number: Int32

    init(_ number: Int32) { self.number = number }

    /// What the number means, as a part of a sentence.
    var sentence: String {
        switch number {
        case EACCES, EPERM: "permission is denied"
        case EROFS: "the disk is read-only"
        case ENOSPC, EDQUOT: "there is no space left"
        case ENOENT: "it is not there"
        case EEXIST, ENOTEMPTY: "there is something already"
        case ENOTDIR: "a part of the path is not a folder"
        case EISDIR: "it is a folder"
        case ELOOP: "a symbolic link is in the way"
        case EIO: "the disk reports an error"
        case EMFILE, ENFILE: "too many files are open"
        case ENAMETOOLONG: "a name is too long"
        case EXDEV: "it is on another disk"
        default: "the system reports error \(number)"
        }
    }
}
