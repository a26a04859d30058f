import DeviceDump
import MigrationEngine
import Workspace

/// How the program ends: the one table of exit codes.
package enum ExitStatus: Int32, Hashable, Sendable, CaseIterable {
    /// Done, and nothing is pending.
    case done = 0
    /// Something is pending, or waits for a fact.
    case pending = 2
    /// A step is in conflict, or has failed.
    case problem = 3
    /// The dump has changed since steps were applied.
    case drift = 4
    /// A check failed.
    case checkFailed = 5
    /// The input cannot be read.
    case unreadable = 6
    /// An argument is wrong or missing.
    case usage = 64
    /// The ledger is in use, the file system refused, or the output cannot be written.
    case tryAgain = 75

    /// The status of several things: drift before what cannot be read, before a problem, before what is pending.
    package static func worst(of all: some Sequence<ExitStatus>) -> ExitStatus {
        let order: [ExitStatus] = [.drift, .unreadable, .problem, .pending]
        let all = Set(all)
        return order.first(where: all.contains) ?? .done
    }

    /// The status of drift; of files that only cannot be read it is not known that they have changed.
    init?(_ drift: [Drift]) {
        if drift.isEmpty { return nil }
        self = drift.allSatisfy(\.isUnreadable) ? .unreadable : .drift
    }

    /// The status of what a step does; a part of it that has failed is a problem, also where the rest goes on.
    init(_ outcome: Outcome) {
        self =
            switch outcome.kind {
            case _ where outcome.isPartial: .problem
            case .conflict, .failed: .problem
            case .migrates, .blocked: .pending
            case .unchanged, .skipped: .done
            }
    }
}

extension ExitStatus {
    /// How the program ends over an error.
    package init(_ error: WorkspaceError) {
        self =
            switch error {
            case .drift(let files): Self(files) ?? .drift
            case .changedSinceOpening: .drift
            case .ledger(_, let problem): Self(problem)
            case .readOnly, .cancelled: .tryAgain
            case .unstorable: .unreadable
            case .noStateFolder, .ledgerInsideDump, .foreignLedger, .unknownProfile, .unknownSteps, .notApplied,
                .ambiguousStep, .restsOn, .fact, .otherApp, .otherDatabase, .unnamedApp:
                .usage
            case .partly(_, let error), .uncertain(_, rereading: let error): Self(error)
            case .dump(let error): Self(error)
            case .export(_, let problem): Self(problem)
            }
    }

    /// How the program ends over an error: usage where another path or app must be named.
    package init(_ error: DumpError) {
        self =
            switch error.problem {
            case .notFound, .badPath, .severalDumps, .severalArchives, .severalApps, .noSuchApp, .noSuchGroup,
                .noSuchAppGroup, .groupsOfOneContainer, .groupInSeveralContainers,
                .keyFile:
                .usage
            case .symbolicLink, .notAFile, .notAFolder, .overLimit, .notRecognised, .insideDump, .somethingElse,
                .searchCut,
                .refused,
                .keychainAlone, .locked, .lockedArchive,
                .noContainers, .notAKeychain, .keychainInArchive, .brokenDatabase, .cutManifest, .rowsWithoutPlace,
                .unfinishedBackup,
                .notPackable,
                .tooManyRows, .brokenRecord,
                .noPayload,
                .badPayloadName, .payloadOfAnother,
                .damagedPayload, .lockedToDevice, .sealedPayload, .wrongPassword, .wrongArchivePassword, .wrongKey,
                .damagedKeybag,
                .tooManyRounds,
                .brokenArchive, .manyLayers, .nestedArchives, .unreadDatabase, .brokenEntry, .tooManyEntries,
                .tooLongNames, .endlessFolders, .bomb,
                .foreignManifest:
                .unreadable
            case .inaccessible, .gone, .changing, .overwritten, .cancelled, .noCopy: .tryAgain
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
            case .notAName, .nameTooLong, .targetExists, .notAnExport, .changedSince, .withoutList, .listTaken,
                .targetNotAFolder,
                .insideDump, .holdsDump,
                .holdsLedger, .noParentFolder:
                .usage
            case .mismatch: .checkFailed
            case .incompleteListing, .notAFilePath, .refused, .notRewritable, .fileNameTooLong, .noPlace, .noKeychain:
                .unreadable
            case .file, .notPlaced, .takenMeanwhile: .tryAgain
            }
    }
}
