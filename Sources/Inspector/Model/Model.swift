import MigrationEngine
import Reports
import Workspace

/// Everything that the inspector shows and remembers; only ``update(_:)`` changes it.
///
/// It is a value: drawing it reads no file and runs no migration.
package struct Model: Sendable {
    /// The screen.
    package internal(set) var size: Size
    /// Which characters may be drawn.
    package let glyphs: Glyphs
    /// What the person has set.
    package let settings: Settings
    /// The dump while it is not open: it is being opened, or locked.
    var unopened: UnopenedDump?
    /// The apps to choose from, where the dump holds several.
    var apps: AppList?
    /// The container that is open.
    var opened: OpenContainer?
    /// Whether secrets are shown; what the migrations that apply call public is none.
    package internal(set) var masking: Masking {
        get {
            var masking = opened?.view.masking ?? Masking()
            masking.isRevealing = isRevealing
            return budget.map(masking.within) ?? masking
        }
        set { isRevealing = newValue.isRevealing }
    }
    private var isRevealing: Bool
    /// What one look at the stores may decode; an effect that looks at several values gives it to all of them.
    var budget: AnswerBudget?
    /// What was last said to the person.
    package internal(set) var message: Message?
    /// Where one was before.
    var places = Places()
    /// Whether the last event moved row by row.
    var hasMovedNearby = false
    /// The line that the person is typing.
    var prompt: Prompt?
    /// Where one was when a text to look for began to be typed.
    var searchOrigin: SearchOrigin?
    /// What the person was asked and has not answered.
    var question: Question?
    /// The names of facts that count only until the program is left, by the app's path, until the person was told so at the end.
    var unremembered: [String: Set<FactName>] = [:]
    /// The page that covers the panes, while there is one.
    var page: Page?
    /// The dump that the app is compared with; `nil` where none was named.
    var otherDump: ComparedDump?
    /// The two moments, or sets of facts, that were last compared.
    var difference: ComparedDump?
    /// What is compared on the page; without one, the other dump.
    var comparison: ComparedDump? {
        get { page?.subject == .difference ? difference : otherDump }
        set { if page?.subject == .difference { difference = newValue } else { otherDump = newValue } }
    }
    /// Whether the page of a difference is there for the fact that is typed.
    var isProposingTyped = false
    /// The pages of the app that are made when they are asked for, as they were last made.
    var reports: [Page.Subject: WrittenReport] = [:]
    /// What was copied, and what is being chosen to be.
    package var clipboard = Clipboard()
    /// What the person asked for and is being done.
    var busy: Busy?
    /// Whether the ledger's file was written since it was last looked at.
    var isTouched = false
    /// Whether that is a search, which another one may replace, and how many that were replaced have not ended.
    var isSearching = false
    var replaced = 0
    /// The number typed before a movement.
    var count: Int?
    /// Whether the mouse is the program's; else it is the terminal's, to select with.
    package internal(set) var takesMouse: Bool
    /// Whether the next frame is to be sent whole, as something else may have written on the terminal.
    package var isToBeDrawnAnew = false
    /// The name of a folder that was to be proposed, and the first like it that is not there yet, once anybody has looked.
    var freeFolder: (asked: String, free: String)?
    /// The commands typed so far, the newest last.
    var commandHistory: [String] = []
    /// How much of the body the list takes where the person has moved the line between the panes, below and beside it.
    var shares: (below: Double?, beside: Double?) = (nil, nil)
    /// Whether the last event asked for something while something else was being done, and so for nothing.
    var wasHeldUp = false
    /// Whether the line between the panes is held with the mouse.
    var isDragging = false
    /// Whether the person has asked to leave while something was being done, which is stopped first.
    var isLeaving = false
    /// Whether the person does not want to wait for that.
    package internal(set) var leavesAtOnce = false
    /// Whether the inspector is to be left.
    package internal(set) var hasQuit = false
    /// Why it is left, where the dump could not be opened.
    package internal(set) var failure: WorkspaceError?
    /// Why the app in view is not compared with the other dump.
    package var comparisonFailure: WorkspaceError? { otherDump?.failure?.error }

    /// The same for one look at several values.
    var withinOneBudget: Model {
        var model = self
        model.budget = AnswerBudget()
        return model
    }

    /// Makes the model of a dump with several apps, or of one container.
    package init(
        size: Size, glyphs: Glyphs = .unicode, unopened: UnopenedDump? = nil, apps: AppList? = nil,
        opened: OpenContainer? = nil, masking: Masking = Masking(), settings: Settings = .standard
    ) {
        self.unopened = unopened
        self.size = size
        self.glyphs = glyphs
        self.settings = settings
        takesMouse = settings.takesMouse
        self.apps = apps
        self.opened = opened
        isRevealing = masking.isRevealing
    }
}

/// Something that the person asked for and that is being done.
struct Busy: Hashable, Sendable {
    /// What, in words.
    var label: String
    /// Whether Esc stops it.
    var canBeStopped: Bool
    /// Whether `q` stops it too, in place of leaving.
    var isWriting = false
    /// Whether it was told to stop, which it does as soon as it looks, and once it has put away what it began.
    var isStopping = false
}

/// A sentence for the person, and how much it matters.
package struct Message: Hashable, Sendable {
    /// How much it matters.
    package enum Kind: Hashable, Sendable {
        /// What was done.
        case done
        /// Why something was not done.
        case refused
    }

    /// How much it matters.
    package var kind: Kind
    /// The sentence.
    package var text: String
    /// Whether the sentence may quote what a dump holds, whose secrets are masked; one about this machine does not.
    var quotesDump = true
    /// The path of the dump, which is shown as it is.
    var path: String?
    /// The text that it says was found, until it says which of how many matches that is.
    var search: String?

    /// The sentence as it is shown.
    func shown(_ masking: Masking) -> String { quotesDump ? masking.sentence(text, except: path) : text }

    /// What was done.
    static func done(_ text: String) -> Message { Message(kind: .done, text: text) }
    /// Why something was not done.
    static func refused(_ text: String) -> Message { Message(kind: .refused, text: text) }
}

extension Model {
    /// What went wrong, on one line.
    ///
    /// - Parameter stopped: What is said where the person has stopped it.
    func refused(_ error: WorkspaceError, stopped: String = "stopped") -> Message {
        if error == .cancelled { return .refused(stopped) }
        var message = Message.refused(
            error.told(settings).split(whereSeparator: \.isNewline).map { $0.drop { $0 == " " } }.joined(separator: " ")
        )
        message.path = error.dumpPath
        if error.quotesFacts { (message.text, message.quotesDump) = (masking.told(error), false) }
        return message
    }
}
