/// The folders that the program has for itself, by the specification of XDG (Base Directory).
package enum OwnFolder {
    /// What a folder is for: the variable that names where it lies, and where that is otherwise, below `$HOME`.
    package enum Use: String {
        /// What the program is to know of always: `vestige` below `$XDG_CONFIG_HOME`, by default `$HOME/.config`.
        case config = "XDG_CONFIG_HOME"
        /// Ledgers: `vestige` below `$XDG_STATE_HOME`, by default `$HOME/.local/state`.
        case state = "XDG_STATE_HOME"

        fileprivate var otherwise: String {
            switch self {
            case .config: "/.config"
            case .state: "/.local/state"
            }
        }
    }

    /// The path of a folder; `nil` where nothing says where it lies.
    ///
    /// The specification says to ignore a path that is not absolute.
    package static func path(_ use: Use, in environment: [String: String]) -> String? {
        func absolute(_ name: String) -> String? { environment[name].flatMap { $0.hasPrefix("/") ? $0 : nil } }
        return (absolute(use.rawValue) ?? absolute("HOME").map { $0 + use.otherwise }).map { $0 + "/vestige" }
    }
}
