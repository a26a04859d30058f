import DeviceDump
import Workspace

extension ExitStatus {
    /// How the program ends over an error.
    package init(_ error: WorkspaceError) {
        self =
            switch error {
            case .drift, .changedSinceOpening: .drift
            case .ledger(_, let problem): Self(problem)
            case .readOnly, .cancelled: .tryAgain
            case .unstorable: .unreadable
            case .noStateFolder, .ledgerInsideDump, .unknownProfile, .unknownSteps, .notApplied, .ambiguousStep, .fact:
                .usage
            case .partly(_, let error): Self(error)
            case .dump(let error): Self(error)
            case .export(_, let problem): Self(problem)
            }
    }

    /// How the program ends over an error: usage where another path or app must be named.
    package init(_ error: DumpError) {
        self =
            switch error.problem {
            case .notFound, .badPath, .severalDumps, .severalApps, .noSuchApp, .keyFile: .usage
            case .symbolicLink, .notAFile, .notAFolder, .overLimit, .notRecognised, .refused, .locked, .noContainers,
                .notAKeychain, .brokenDatabase, .tooManyRows, .brokenRecord, .noPayload, .badPayloadName,
                .damagedPayload, .lockedToDevice, .wrongPassword, .wrongKey, .damagedKeybag, .tooManyRounds,
                .brokenArchive, .tooManyEntries, .bomb,
                .foreignManifest:
                .unreadable
            case .inaccessible, .gone, .changing, .cancelled, .noCopy: .tryAgain
            }
    }

    private init(_ problem: LedgerProblem) {
        self =
            switch problem {
            case .notALedger, .damaged, .newer: .unreadable
            case .danglingLink, .besideAnother: .usage
            case .inaccessible, .full, .changedByAnother: .tryAgain
            }
    }

    private init(_ problem: ExportProblem) {
        self =
            switch problem {
            case .notAName, .nameTooLong, .targetExists, .notAnExport, .targetNotAFolder, .insideDump, .holdsDump,
                .holdsLedger, .noParentFolder:
                .usage
            case .mismatch: .checkFailed
            case .incompleteListing, .notAFilePath, .notRewritable, .fileNameTooLong, .noPlace: .unreadable
            case .file, .notPlaced: .tryAgain
            }
    }
}
