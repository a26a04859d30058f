import DeviceDump
import MigrationEngine
import Reports
import StoreFormats

/// The first screen of a dump that holds several containers: which one to open, the most urgent first.
package struct AppList: Sendable {
    /// An app with the containers that are its own, or a container that is no app's.
    struct App: Hashable, Sendable {
        /// Where it is in the dump; no two have the same.
        var path: String
        /// The same by its bytes: a name may stand in two normalizations.
        var id: Name { Name(path) }
        /// The bundle identifier, which several may have.
        var identifier: String
        /// Whose it is: an app's, a group's.
        var kind: String
        /// What people call it, where the dump says it.
        var name: String?
        /// Its version, where the dump says it.
        var version: String?
        /// The containers of its groups and extensions: what each is, and its identifier.
        var companions: [Companion] = []

        struct Companion: Hashable, Sendable {
            var kind: String
            var identifier: String
        }

        /// The texts that a filter looks at.
        fileprivate var texts: [String] {
            [name, identifier, version, kind == "app" ? nil : kind].compactMap(\.self) + companions.map(\.identifier)
        }
    }

    /// What is known of an app.
    struct Finding: Sendable {
        let answer: AppFinding
        /// How many files it has and their bytes, where they are counted.
        let measure: (files: Int, bytes: Int, isWhole: Bool)?
    }

    /// What is being found out of the apps.
    enum Examination: Hashable, Sendable {
        /// It goes on, in parts; whether one of them is being done.
        case running(isAwaited: Bool)
        /// The person has stopped it.
        case stopped
    }

    /// The dump, in a phrase.
    let title: String
    /// What is missing from the dump or not as it should be.
    var warnings: [String] = []
    /// The specs that were left out, in sentences.
    var unusable: [String] = []
    /// What there is to say before anything is opened.
    var allWarnings: [String] { unusable + warnings }
    /// What is the matter with the keychain, in a word or two.
    let keychain: String?
    /// The apps, in the order of the dump.
    private let apps: [App]
    /// The containers that belong to others and are not listed by themselves.
    private let others: [App]
    private let positions: [Name: Int]
    /// The identifiers that several have.
    private let ambiguous: Set<Name>
    /// The apps by their positions, in the order to show them, as far as the filter lets them through.
    private var shown: [Int]
    private var order: [Int]
    private var findings: [Name: Finding] = [:]
    /// How many of them are as urgent as what.
    private var needs: [AppFinding.Need: Int] = [:]
    /// The apps that may be other than what was found.
    private var stale: Set<Name> = []
    /// The row under the cursor.
    private(set) var cursor = 0
    private var wasMoved = false
    /// The text that those have which are shown.
    private(set) var filter = ""
    private(set) var examination = Examination.running(isAwaited: false)
    /// Counts what makes earlier findings void.
    private(set) var generation = 0

    init(title: String, apps: [App], others: [App] = [], keychain: String? = nil) {
        self.title = title
        self.keychain = keychain
        self.apps = apps
        self.others = others
        positions = Dictionary(apps.enumerated().map { ($0.element.id, $0.offset) }) { first, _ in first }
        appCount = apps.count { $0.kind == "app" }
        order = Array(apps.indices)
        shown = order
        let counts = Dictionary((apps + others).map { (Name($0.identifier), 1) }, uniquingKeysWith: +)
        ambiguous = Set(counts.filter { $0.value > 1 }.keys)
    }

    /// The containers of a dump: those of groups and extensions stand with the apps that they belong to.
    init(of containers: [Container], in kind: String) {
        let byPath = Dictionary(containers.map { ($0.path, $0) }) { first, _ in first }
        var apps = containers.map { container in
            App(
                path: container.path.text, identifier: container.identifier, kind: container.kind.rawValue,
                name: container.facts[.appName]?.value, version: container.facts[.appVersion]?.value,
                companions: container.companions.compactMap { path in
                    byPath[path].map { App.Companion(kind: $0.kind.rawValue, identifier: $0.identifier) }
                })
        }
        let owned = Set(containers.filter { $0.kind == .app }.flatMap(\.companions).map { Name($0.text) })
        let others = apps.filter { owned.contains($0.id) }
        apps.removeAll { owned.contains($0.id) }
        // What is no app's comes last.
        apps = apps.filter { $0.kind == "app" } + apps.filter { $0.kind != "app" }
        let keychain = containers.first.flatMap { first -> String? in
            guard let problem = first.keychain.problem else { return nil }
            return problem.cause == .missing ? "no keychain" : "keychain \(problem.cause.word)"
        }
        self.init(title: Self.title(containers, kind), apps: apps, others: others, keychain: keychain)
    }

    private static func title(_ containers: [Container], _ kind: String) -> String {
        let facts = containers.first?.facts ?? Facts()
        // A simulator's model and system are named with hyphens: iPhone-15, iOS-17-5.
        let model = facts[.deviceType]?.value.replacing("-", with: " "), name = facts[.deviceName]?.value
        let system = facts[.systemVersion]?.value.split(separator: "-").map(String.init) ?? []
        let version =
            system.first?.first?.isLetter == true
            ? system[0] + " " + system.dropFirst().joined(separator: ".") : "iOS " + system.joined(separator: "-")
        let parts = [
            name.map { "“\($0)”" }, model == name ? nil : model, system.isEmpty ? nil : version, kind,
            facts.downloadWordsWithZone.map { "of \($0)" },
        ]
        return parts.compactMap(\.self).joined(separator: " · ")
    }

    // MARK: What is shown

    /// How many apps there are, with those that the filter hides.
    var total: Int { apps.count }
    /// How many of them are apps, and not containers that no app has.
    let appCount: Int
    /// How many rows there are.
    var count: Int { shown.count }

    /// The app of a row.
    subscript(row: Int) -> App? { shown.indices.contains(row) ? apps[shown[row]] : nil }

    /// The app under the cursor.
    var selected: App? { self[cursor] }

    /// What is known of an app.
    func finding(of app: App) -> Finding? { findings[app.id] }

    /// How many apps have been looked at, and how many of them are as urgent as what.
    var found: (count: Int, needs: [AppFinding.Need: Int]) { (findings.count, needs) }

    mutating func moveCursor(to position: Int) {
        cursor = min(max(0, position), max(0, shown.count - 1))
        wasMoved = true
    }

    /// Moves the cursor to an app, where the filter shows it.
    mutating func moveCursor(to app: Name) {
        if let row = shown.firstIndex(where: { apps[$0].id == app }) { moveCursor(to: row) }
    }

    /// Shows only the apps that have a text in a name, an identifier, or what there is to do; all of them with none.
    mutating func filter(by text: String) {
        filter = text
        wasMoved = true
        arrange()
    }

    /// Puts the most urgent first, as long as the person has not begun to look around: nothing moves under the cursor.
    private mutating func arrange() {
        if !wasMoved {
            let ranks = apps.map { app in
                findings[app.id].map { $0.answer.need.rawValue } ?? AppFinding.Need.allCases.count
            }
            order = (0...AppFinding.Need.allCases.count).flatMap { rank in apps.indices.filter { ranks[$0] == rank } }
        }
        let current = selected?.id
        let matcher = Matcher(filter)
        shown =
            filter.isEmpty
            ? order
            : order.filter { position in
                let app = apps[position]
                return (app.texts + [findings[app.id]?.answer.summary].compactMap(\.self)).contains(
                    where: matcher.matches)
            }
        let kept = wasMoved ? current.flatMap { id in shown.firstIndex { apps[$0].id == id } } : nil
        cursor = min(kept ?? 0, max(0, shown.count - 1))
    }

    // MARK: What is found out

    /// The apps to look at next: the one under the cursor, those in the window, then the others.
    func next(_ number: Int, window: Range<Int>) -> [String] {
        guard findings.count < apps.count || !stale.isEmpty else { return [] }
        var next: [App] = []
        for position in [cursor].filter(shown.indices.contains).map({ shown[$0] })
            + shown[window.clamped(to: shown.indices)] + order
        {
            let app = apps[position]
            guard findings[app.id] == nil || stale.contains(app.id), !next.contains(where: { $0.id == app.id })
            else { continue }
            next.append(app)
            if next.count == number { break }
        }
        return next.map(\.path)
    }

    /// Notes that a part of the examination is asked for.
    mutating func await() { examination = .running(isAwaited: true) }

    /// Takes in what was found; what was asked for before the findings became void is left out.
    mutating func take(_ found: [(path: String, finding: Finding)], of generation: Int) {
        if examination == .running(isAwaited: true) { examination = .running(isAwaited: false) }
        guard generation == self.generation else { return }
        for (path, finding) in found where positions[Name(path)] != nil {
            let before = findings.updateValue(finding, forKey: Name(path))?.answer.need
            if let before, let count = needs[before] { needs[before] = count > 1 ? count - 1 : nil }
            needs[finding.answer.need, default: 0] += 1
            stale.remove(Name(path))
        }
        if !wasMoved { arrange() }
    }

    /// Whether there is something left to look at, and it is being looked at.
    var isExamining: Bool {
        if case .running = examination { findings.count < apps.count || !stale.isEmpty } else { false }
    }

    mutating func stop() { examination = .stopped }

    /// Looks at one app again; once something was done to it, at all of them, as any may share its groups.
    mutating func forget(_ path: String, wasChanged: Bool = false) {
        guard wasChanged || positions[Name(path)] != nil else { return }
        generation += 1
        if wasChanged { stale = Set(findings.keys) } else { stale.insert(Name(path)) }
    }

    /// Looks at every app again, and then puts the most urgent first.
    mutating func examineAgain() {
        generation += 1
        stale = Set(findings.keys)
        if examination == .stopped { examination = .running(isAwaited: false) }
        wasMoved = false
        arrange()
    }

    // MARK: What they are called

    /// What to call an app where it is typed: its identifier, or its path where several have that.
    func name(of app: App) -> String { ambiguous.contains(Name(app.identifier)) ? app.path : app.identifier }

    /// What can be typed: also the containers that belong to apps.
    var names: [String] { (apps + others).map(name) }

    /// The containers of a name: one, none, or those that share the identifier.
    func named(_ name: String) -> [App] {
        let all = apps + others, exact = all.filter { $0.id == Name(name) }
        return exact.isEmpty ? all.filter { Name($0.identifier) == Name(name) } : exact
    }
}
