/// A path below a folder, checked: no part is empty, `.`, `..`, or has a NUL.
struct RelativePath {
    /// The parts; none for the folder itself.
    let parts: [String]

    /// Checks a path; `nil` where it is not one, or leads out of the folder.
    init?(_ text: String) {
        guard !text.isEmpty else {
            parts = []
            return
        }
        // Split by bytes: a slash followed by a combining mark is one Character, and to the file system still a slash.
        let parts = text.utf8.split(separator: UInt8(ascii: "/"), omittingEmptySubsequences: false)
        guard
            parts.allSatisfy({
                !$0.isEmpty && !$0.contains(0) && !$0.elementsEqual(".".utf8) && !$0.elementsEqual("..".utf8)
            })
        else { return nil }
        self.parts = parts.map { String(Substring($0)) }
    }

    /// Two paths put together; either may be empty.
    static func join(_ folder: String, _ name: String) -> String {
        folder.isEmpty ? name : name.isEmpty ? folder : folder + "/" + name
    }
}
