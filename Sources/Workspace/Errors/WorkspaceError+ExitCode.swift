import DeviceDump

extension WorkspaceError {
    /// The exit code of the program: 4 drift, 5 verification failed, 6 corrupt or unsupported, 64 usage, 75 try again.
    public var exitCode: Int32 {
        switch self {
        case .drift: 4
        case .ledger(_, let problem): problem.exitCode
        case .readOnly, .cancelled: 75
        case .unstorable: 6
        case .noStateFolder, .ledgerInsideDump, .unknownProfile, .unknownSteps, .notApplied, .fact: 64
        case .dump(let error): error.exitCode
        case .export(_, let problem): problem.exitCode
        }
    }
}

extension LedgerProblem {
    fileprivate var exitCode: Int32 {
        switch self {
        case .notALedger, .damaged, .newer: 6
        case .inaccessible, .full, .changedByAnother: 75
        }
    }
}

extension ExportProblem {
    fileprivate var exitCode: Int32 {
        switch self {
        case .targetExists, .targetNotAFolder, .insideDump, .holdsDump, .holdsLedger, .noParentFolder: 64
        case .mismatch: 5
        case .incompleteListing, .notAFilePath, .notRewritable: 6
        case .file, .notPlaced: 75
        }
    }
}

extension DumpError {
    /// The exit code of the program: 64 where another path or app must be named, 6 for what is not read, 75 otherwise.
    public var exitCode: Int32 {
        switch problem {
        case .notFound, .badPath, .severalDumps, .severalApps, .noSuchApp: 64
        case .symbolicLink, .notAFile, .notAFolder, .overLimit, .notRecognised, .unsupported, .noContainers,
            .notAKeychain:
            6
        case .inaccessible: 75
        }
    }
}
