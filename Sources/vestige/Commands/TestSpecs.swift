import ArgumentParser
import DeviceDump
import Files
import Foundation
import MigrationEngine
import Reports
import Specs
import SystemPackage
import Workspace

/// Spec files tried on what they expect, and on dumps.
struct TestSpecs: ParsableCommand {
    static let configuration = CommandConfiguration(
        commandName: "test", abstract: "Try a spec on what it expects, and on dumps; answers in the form of TAP.",
        usage: "vestige specs test <file> [<dump> ...] [<options>]",
        discussion: """
            What a spec has under expect: is tried in memory. On every dump each profile is planned, applied, verified, \
            exported, applied again, taken step by step and rolled back; what was rolled back is exported once for each dump, as it \
            is the same for every profile. All of it is removed afterwards, and the dump is not changed. One that cannot be read \
            keeps nobody from the others. The folder that TMPDIR \
            names, or else /tmp, needs room for one copy of the largest dump, and for what the steps change in it. Facts that \
            are only assumed are agreed to.

            Exit code 5: something is not as it must be, or nothing was found to try. 6: only something cannot be read, such as \
            a dump, or a fixture of an expectation.
            """)

    @Argument(help: "The spec file.", completion: .file())
    var file: String
    @Argument(help: "Dumps to try it on.", completion: .file())
    var dumps: [String] = []
    @OptionGroup var tried: TriedDumpOptions
    @Option(
        name: .customLong("fact"),
        help: ArgumentHelp("A fact that is not in the dumps; may be repeated.", valueName: "name=value"))
    var factArguments: [String] = []
    @Option(
        name: .customLong("facts"), help: ArgumentHelp("A file of facts.", valueName: "file"), completion: .file())
    var factsFile: String?
    @Option(help: ArgumentHelp("Write the result as JUnit's XML too.", valueName: "file"), completion: .file())
    var junit: String?
    @Flag(help: "Show secrets, which are masked otherwise.")
    var reveal = false
    @OptionGroup var output: OutputOptions

    /// What it reads, as a person has named it.
    private var named: [String] {
        [file] + dumps + tried.passwordFiles + [tried.keychain, tried.keyFile, factsFile].compactMap(\.self)
    }

    private var masking: Masking { Masking(isRevealing: reveal) }

    /// The same, where values of stores are quoted: those at, or made of what is at, some places.
    private func masking(
        _ places: [Address], of migration: SpecMigration, given facts: Facts, planning plan: Plan?,
        in stores: any StoreReader
    ) -> Masking {
        var masking = masking
        masking.secrecy.note(naming: migration.facts)
        let known = migration.factsKnown(in: stores, given: facts)
        masking.secrecy.note(migration, given: known)
        masking.origins.follow([Change](), given: known, reading: places, in: stores, masking)
        if let plan { masking.origins.follow(plan, in: stores, masking) }
        return masking
    }

    func run() throws {
        try reportingFailures {
            if let junit {
                guard junit != "-" else {
                    throw fail("--junit names a file: on standard output is the answer, in the form of TAP", .usage)
                }
                try refuseInside(junit, of: named)
            }
            let spec = try SpecFile.read(file), migration = SpecMigration(spec)
            guard !spec.expectations.isEmpty || !dumps.isEmpty else {
                throw fail(
                    "\(file) expects nothing, and no dump is named: there is nothing to try. Add expect: to it, or name dumps",
                    .usage)
            }
            var given = try GivenFacts.arguments(factArguments)
            if let factsFile { given = given.completed(by: try GivenFacts.file(factsFile)) }
            // A file of facts may be for several specs: those that this one does not ask for are left out.
            let asked = Set(migration.facts.map(\.name))
            var known = Facts()
            for name in given.names where asked.contains(name) || name == .bundleIdentifier {
                known[name] = given[name]
            }
            known = try GivenFacts.checked(known, of: [migration], clock: stampNow().date)
            var opened: [Dump] = [], missing: Set<FactName> = []
            var cases = spec.expectations.map { result(of: $0, in: spec, &opened) }
            // Nothing of an export stays where the program is asked to end.
            try Interruption.holding {
                for dump in dumps { cases += try self.cases(of: migration, on: dump, facts: known, &opened, &missing) }
            }
            do throws(DumpError) { try tried.checkGroups(in: opened) } catch { throw WorkspaceError.dump(error) }
            if cases.allSatisfy({ $0.skipped != nil }) {
                let facts = missing.map(\.rawValue).sorted().map { "--fact \($0)=VALUE" }.joined(separator: " ")
                cases.append(
                    SpecsTestReport.Case(
                        spec: spec.id, name: "something was tried",
                        failure: missing.isEmpty
                            ? "no dump has anything for the spec, and nothing is expected of it: check that the dumps are "
                                + "of its app, and its addresses with specs lint --dump"
                            : "every step that finds something waits for a fact: give it with \(facts)"))
            }
            let report = SpecsTestReport(cases, Showing(masking))
            if let junit {
                // Those of expectations, too.
                try refuseInside(junit, of: named, opened)
                do throws(Errno) { try write(report.junit, over: junit) } catch {
                    throw fail("\(junit) cannot be written: \(error.words)", .tryAgain)
                }
            }
            try output.answer(report)
        }
    }

    /// What came of an expectation.
    ///
    /// - Parameter opened: Takes in the dump that it begins with.
    private func result(
        of expectation: SpecExpectation, in spec: Spec, _ opened: inout [Dump]
    ) -> SpecsTestReport.Case {
        var result = SpecsTestReport.Case(spec: spec.id, name: expectation.name)
        let fixture: (any StoreReader, Facts)?
        do throws(UnusableFixture) {
            fixture = try self.fixture(of: expectation, in: spec, &opened)
        } catch {
            (result.failure, result.isUnread) = (error.sentence, true)
            return result
        }
        let trial = SpecTrial(expectation, of: spec, on: fixture), failures = trial.failures
        if !failures.isEmpty {
            let masking = self.masking(
                failures.flatMap(\.places), of: SpecMigration(spec), given: fixture?.1 ?? Facts(), planning: trial.plan,
                in: trial.stores)
            result.failure = failures.map { masking.sentence($0.sentence, of: $0.places) }.joined(separator: "; ")
        }
        return result
    }

    /// What a dump is called: the last part of its path, or all of it where that of another is the same.
    private func name(of path: String) -> String {
        let name = GivenSpecs.name(path)
        return dumps.count { GivenSpecs.name($0) == name } > 1 ? path : name
    }

    private func cases(
        of migration: SpecMigration, on path: String, facts: Facts, _ opened: inout [Dump],
        _ missing: inout Set<FactName>
    ) throws -> [SpecsTestReport.Case] {
        let name = name(of: path)
        let dump: Dump, container: Container
        do throws(DumpError) {
            (dump, container) = try tried.open(
                path, for: [migration.spec], bundleIdentifier: facts[.bundleIdentifier]?.value)
            if let problem = dump.problem { return [.unread(name, problem.explanation, by: migration)] }
        } catch {
            // The others are tried nevertheless.
            guard error.problem != .cancelled else { throw WorkspaceError.cancelled }
            return [.unread(name, told("\(error)", error.advice), by: migration)]
        }
        opened.append(dump)
        let folder = NSTemporaryDirectory() + "vestige-specs-test-\(UUID().uuidString)"
        defer { try? FileManager.default.removeItem(atPath: folder) }
        var cases: [SpecsTestReport.Case] = []
        var isExported = false
        for profile in migration.profiles {
            let trial = try MigrationTrial(
                of: migration, profile: profile, on: dump, container: tried.app ?? [migration.spec].app(in: dump),
                facts: facts,
                in: folder + "/" + profile.id, stamp: stampNow(), exportsRolledBack: !isExported,
                isCancelled: { Interruption.isRequested }
            ) { path throws(DumpError) in
                try tried.reopen(path, bundleIdentifier: facts[.bundleIdentifier]?.value)
            }
            isExported = isExported || trial.concerned > 0
            let about = "\(name), \(profile.id): "
            for check in trial.checks {
                cases.append(
                    SpecsTestReport.Case(
                        spec: migration.id, name: about + check.name,
                        failure: check.failure.map {
                            masking(
                                check.places, of: migration, given: facts.completed(by: container.facts),
                                planning: trial.plan, in: container
                            ).sentence($0, of: check.places)
                        }, skipped: check.skipped?.onOneLine))
            }
            if trial.concerned == 0 {
                cases.append(
                    SpecsTestReport.Case(
                        spec: migration.id, name: about + "something is there to try",
                        skipped: "every step is skipped or waits"))
            }
            missing.formUnion(trial.missing)
            if !trial.missing.isEmpty {
                let names = trial.missing.map(\.rawValue).joined(separator: ", ")
                cases.append(
                    SpecsTestReport.Case(
                        spec: migration.id, name: about + "every step could be tried",
                        skipped: "some wait for facts: \(names)"))
            }
            if !trial.groups.isEmpty {
                let options = trial.groups.map { "--keychain-group \($0)" }.joined(separator: " ")
                cases.append(
                    SpecsTestReport.Case(
                        spec: migration.id, name: about + "every keychain item could be read",
                        skipped: "nothing says that some are the app's; if they are, \(options)"))
            }
        }
        return cases
    }

    /// A dump that an expectation cannot begin with, in a sentence: where it is named, why, and what to do.
    private struct UnusableFixture: Error {
        let sentence: String
    }

    /// The stores of the dump that an expectation begins with, and its facts; `nil` where it begins with none.
    private func fixture(
        of expectation: SpecExpectation, in spec: Spec, _ opened: inout [Dump]
    ) throws(UnusableFixture) -> (any StoreReader, Facts)? {
        guard let fixture = expectation.fixture else { return nil }
        let folder =
            file == "-"
            ? ""
            : file.split(separator: "/", omittingEmptySubsequences: false).dropLast()
                .map { $0 + "/" }.joined()
        let said = expectation.facts.first { $0.0 == .bundleIdentifier }?.1
        func unusable(_ why: String) -> UnusableFixture {
            UnusableFixture(
                sentence: """
                    \(file):\(fixture.place.line): its fixture cannot be used: \(why.onOneLine.withoutFullStop). Put the dump there, or correct \
                    fixture:, which is a path from the folder of this file
                    """)
        }
        func resolved(_ path: String) -> String { URL(fileURLWithPath: path).resolvingSymlinksInPath().path }
        let home = resolved(folder.isEmpty ? "." : folder)
        guard resolved(folder + fixture.path).hasPrefix(home.hasSuffix("/") ? home : home + "/") else {
            throw unusable("\(fixture.path) is a link that leads out of the folder of the file")
        }
        let dump: Dump, container: Container
        do throws(DumpError) {
            (dump, container) = try tried.open(
                folder + fixture.path, app: said, for: [spec], bundleIdentifier: said)
        } catch {
            throw unusable(told("\(error)", error.advice))
        }
        opened.append(dump)
        if let problem = dump.problem { throw unusable(problem.explanation) }
        return (container, container.facts)
    }
}

extension SpecsTestReport.Case {
    /// A dump on which nothing could be tried.
    fileprivate static func unread(_ dump: String, _ why: String, by migration: SpecMigration) -> Self {
        var unread = Self(spec: migration.id, name: "\(dump): it can be tried", failure: why.onOneLine)
        unread.isUnread = true
        return unread
    }
}

extension String {
    /// Its lines without their indentation, one behind the other.
    fileprivate var onOneLine: String {
        split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " } }.joined(separator: " ")
    }
}

extension String {
    /// What another sentence may follow.
    fileprivate var withoutFullStop: Substring { hasSuffix(".") ? dropLast() : self[...] }
}
