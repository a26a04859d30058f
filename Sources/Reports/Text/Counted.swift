extension Int {
    /// The number with its noun: `1 byte`, `2 bytes`, `3 entries`.
    package func counted(_ noun: String, _ plural: String? = nil) -> String {
        "\(self) \(self == 1 ? noun : plural ?? noun + "s")"
    }
}
