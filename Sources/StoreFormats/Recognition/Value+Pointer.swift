extension Value {
    /// The part of this value at a pointer that may lead through what other formats hold, such as the JSON in a text;
    /// `nil` where there is none.
    ///
    /// Throws where the way leads through something that cannot be read: nothing is known then of what is in it.
    public func part(
        at pointer: JSONPointer, within budget: DecodingBudget = DecodingBudget()
    ) throws(FormatError) -> Value? {
        var value = self, budget = budget
        for token in pointer.tokens {
            var problem: FormatError?
            while let recognition = value.recognition(within: budget) {
                problem = recognition.problem
                guard let decoded = recognition.decoded else { break }
                (value, budget) = (decoded.value, budget.inner)
            }
            guard let part = value[JSONPointer([token])] else {
                if let problem { throw problem }
                return nil
            }
            value = part
        }
        return value
    }
}
