import Foundation
import SystemPackage

extension Errno {
    /// What the error number means, as the end of a sentence; the system's own words would depend on the host's language.
    package var words: String {
        switch self {
        case .permissionDenied, .notPermitted: "permission is denied"
        case .readOnlyFileSystem: "the disk is read-only"
        case .noSpace, .diskQuotaExceeded: "there is no space left"
        case .noSuchFileOrDirectory: "it is not there"
        case .fileExists, .directoryNotEmpty: "a file or a folder of that name is there already"
        case .notDirectory: "a part of the path is not a folder"
        case .isDirectory: "it is a folder"
        case .noSuchAddressOrDevice: "there is no such device"
        case .tooManySymbolicLinkLevels: "a symbolic link is in the way"
        case .ioError: "the disk reports an error"
        case .tooManyOpenFiles, .tooManyOpenFilesInSystem: "too many files are open"
        case .fileNameTooLong: "a name is too long"
        case .improperLink: "it is on another disk"
        case .fileTooLarge: "it is too large"
        case .noMemory: "there is not enough memory"
        case .brokenPipe: "nobody reads it any more"
        case .badFileDescriptor: "it is closed"
        case .resourceBusy, .textFileBusy: "it is in use"
        case .invalidArgument: "the system does not accept it"
        case .staleNFSFileHandle: "it was on a network disk that has gone"
        case .resourceTemporarilyUnavailable: "the system is busy"
        default: "the system reports error \(rawValue)"
        }
    }

    /// What a person can do so that it can be read.
    package var adviceForReading: String {
        switch self {
        case .permissionDenied, .notPermitted:
            "Give yourself permission to read it, or copy the dump to a folder of your own."
        case .ioError: "Copy the dump again from its source."
        default: "Try again, or copy the dump to another place."
        }
    }

    /// The number that the last call of the system left.
    package static var last: Errno { Errno(rawValue: errno) }
}
