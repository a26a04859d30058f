extension Sequence {
    /// The first result that a function has of the elements, each of which it is asked about once.
    ///
    /// The first of a lazy collection asks twice about the element that it finds: of what recurses that doubles at every depth.
    package func firstResult<Result>(of function: (Element) throws -> Result?) rethrows -> Result? {
        for element in self {
            if let result = try function(element) { return result }
        }
        return nil
    }
}
