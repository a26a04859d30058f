import Reports

/// Everything that the inspector shows and remembers; only ``update(_:)`` changes it.
public struct Model: Sendable {
    /// The screen.
    public internal(set) var size: Size
    /// Which characters may be drawn.
    public let glyphs: Glyphs
    /// The apps to choose from, where the dump holds several.
    public internal(set) var apps: AppList?
    /// The container that is open.
    public internal(set) var opened: OpenContainer?
    /// Whether secrets are shown.
    public internal(set) var masking: Masking
    /// What was last said to the person.
    public internal(set) var message: Message?
    /// The line that the person is typing.
    var prompt: Prompt?
    /// The page that covers the panes, while there is one.
    var page: Page?
    /// What is being done in the background, in words.
    public internal(set) var busy: String?
    /// The number typed before a movement.
    var count: Int?
    /// The commands typed so far, the newest last.
    var commandHistory: [String] = []
    /// Whether the person has asked to leave.
    public internal(set) var hasQuit = false

    /// Makes the model of a dump with several apps, or of one container.
    public init(
        size: Size, glyphs: Glyphs = .unicode, apps: AppList? = nil, opened: OpenContainer? = nil,
        masking: Masking = Masking()
    ) {
        self.size = size
        self.glyphs = glyphs
        self.apps = apps
        self.opened = opened
        self.masking = masking
    }
}

/// A page of text that covers the panes.
struct Page: Hashable, Sendable {
    /// What it says.
    enum Subject: Hashable, Sendable {
        /// Every action with its keys.
        case help
        /// What is missing from the dump or cannot be read, and how the dump has changed.
        case warnings
    }

    let subject: Subject
    /// The first line shown.
    var top = 0
}

/// A sentence for the person, and how much it matters.
public struct Message: Hashable, Sendable {
    /// How much it matters.
    public enum Kind: Hashable, Sendable {
        /// What was done.
        case done
        /// Why something was not done.
        case refused
    }

    /// How much it matters.
    public var kind: Kind
    /// The sentence.
    public var text: String
    /// Whether the sentence may quote what a dump holds, whose secrets are masked; one about this machine does not.
    var quotesDump = true

    /// What was done.
    static func done(_ text: String) -> Message { Message(kind: .done, text: text) }
    /// Why something was not done.
    static func refused(_ text: String) -> Message { Message(kind: .refused, text: text) }
}
