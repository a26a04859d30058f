import MigrationEngine
import StoreFormats

/// Where one is: in the list of apps, or in an app at a row, on a page or in the detail that fills the screen.
struct Place: Hashable, Sendable {
    private enum Row: Hashable {
        case step(String)
        case other(SheetRow)
    }

    /// The path of the app in view, by its bytes; `nil` is the list of apps.
    fileprivate let container: Name?
    /// The app under the cursor of that list.
    fileprivate let app: Name?
    fileprivate let moment: Moment?
    private let row: Row?
    fileprivate let page: Page.Subject?
    fileprivate let isZoomed: Bool

    init(_ model: Model) {
        container = model.opened.map { Name($0.snapshot.path) }
        app = model.opened == nil ? model.apps?.selected?.id : nil
        moment = model.opened?.moment
        row = model.opened?.step.map { .step($0.id) } ?? model.opened?.row.map { .other($0) }
        page = model.page?.subject
        isZoomed = model.opened?.isZoomed ?? false
    }

    /// Whether only the row differs, or nothing was in view yet.
    fileprivate func isBeside(_ other: Place) -> Bool {
        container == other.container && moment == other.moment && page == other.page && isZoomed == other.isZoomed
    }

    fileprivate var hasRow: Bool { row != nil || app != nil }

    /// The row in a view of the same app; `nil` where nothing like it is there.
    fileprivate func row(in opened: OpenContainer) -> SheetRow? {
        switch row {
        case .step(let id): opened.plan?.steps.firstIndex { $0.id == id }.map(SheetRow.step)
        case .other(let row): row
        case nil: nil
        }
    }
}

/// Where one was, to go back there and forward again.
struct Places: Sendable {
    /// What may be in the way to a place; each is tried once.
    fileprivate enum Hurdle { case app, moment, fold, report }

    /// How many places are kept.
    private static let most = 200

    private var back: [Place] = [], forward: [Place] = []
    private var here: Place?
    /// Where one is going to, and what was opened or planned for that.
    fileprivate var wanted: (place: Place, tried: Set<Hurdle>)?

    /// Takes in where one is.
    ///
    /// - Parameter isNear: Whether one has come there row by row, which is no way that is gone back.
    fileprivate mutating func note(_ place: Place, isNear: Bool) {
        guard let here, here != place else { return self.here = place }
        self.here = place
        // A view that was just opened or planned puts its own cursor.
        if place.isBeside(here), isNear || !here.hasRow { return }
        back.append(here)
        if back.count > Self.most { back.removeFirst() }
        forward = []
    }

    func has(forward isForward: Bool) -> Bool { isForward ? !forward.isEmpty : !back.isEmpty }

    /// Sets out for the next place; where one is goes to the other side.
    fileprivate mutating func leave(forward isForward: Bool, from place: Place) {
        guard let next = isForward ? forward.popLast() : back.popLast() else { return }
        if isForward { back.append(place) } else { forward.append(place) }
        wanted = (next, [])
    }

    /// Ends the way, as near to the place as one has come.
    fileprivate mutating func arrive(at place: Place) { (here, wanted) = (place, nil) }
}

/// Back and forward through where one was.
extension Model {
    func reasonNoPlace(forward: Bool) -> String? {
        if let busy { return still(busy).text }
        return places.has(forward: forward) ? nil : forward ? "this is where you were last" : "this is where you began"
    }

    /// Takes in where one is; what is being typed may move the cursor before it is meant.
    mutating func notePlace(isNear: Bool) {
        guard prompt == nil, unopened == nil, places.wanted == nil else { return }
        places.note(Place(self), isNear: isNear)
    }

    /// Goes where one was before, or after that.
    mutating func goToPlace(forward: Bool) -> [any Effect] {
        places.leave(forward: forward, from: Place(self))
        return goOnToPlace()
    }

    /// Goes on to where one was, once what was in the way is opened or planned.
    mutating func goOnToPlace() -> [any Effect] {
        guard busy == nil, let (place, tried) = places.wanted else { return [] }
        if let (hurdle, effect) = hurdle(before: place), !tried.contains(hurdle) {
            places.wanted?.tried.insert(hurdle)
            page = nil
            return [effect]
        }
        if place.container == nil, let opened, apps != nil { leaveApp(opened) }
        let isThere = place.container == opened.map { Name($0.snapshot.path) }
        if isThere, page?.subject != place.page { page = place.page.map { Page(subject: $0) } }
        if isThere, let app = place.app { apps?.moveCursor(to: app) }
        if isThere, let opened {
            self.opened?.isZoomed = place.isZoomed
            self.opened?.focus = place.isZoomed ? .detail : .sheet
            if opened.moment == .now { self.opened?.showsTimeline = false }
            if let position = place.row(in: opened).flatMap(opened.sheet.position) {
                self.opened?.moveCursor(to: position)
            } else if place.hasRow {
                message = .refused("the row where you were is not shown here any more")
            }
        }
        places.arrive(at: Place(self))
        return []
    }

    /// What is between here and a place, and what takes it out of the way.
    private func hurdle(before place: Place) -> (Places.Hurdle, any Effect)? {
        guard let path = place.container else { return nil }
        guard let opened, Name(opened.snapshot.path) == path else {
            return (.app, Opening(path: path.text, name: path.text))
        }
        if let moment = place.moment, moment != opened.moment {
            return (.moment, Planning(opened.request(at: moment), label: "looking at that point"))
        }
        if case .entry(let store, let key)? = place.row(in: opened), opened.isFolded(key, in: store) {
            return (.fold, Planning(opened.showing(key, in: store), label: "unfolding"))
        }
        // The one that was last made may be another app's, or of what was there before.
        let made = place.page == .report ? reporting() : place.page == .verification ? verify() : []
        return made.first.map { (.report, $0) }
    }
}
