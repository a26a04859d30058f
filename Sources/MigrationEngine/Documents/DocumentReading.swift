import StoreFormats

/// A document as it was found.
public struct DocumentReading: Sendable {
    /// A document and the form of its entry.
    public struct Content: Sendable {
        /// The form of the entry.
        public var container: DocumentContainer
        /// The document.
        public var document: JSONDocument

        /// Makes a content.
        public init(container: DocumentContainer, document: JSONDocument) {
            self.container = container
            self.document = document
        }
    }

    /// What is known of its version.
    public var version: StoredVersion
    /// What is there, where it could be read.
    public var content: Content?

    /// Makes a reading.
    public init(version: StoredVersion, content: Content? = nil) {
        self.version = version
        self.content = content
    }
}
