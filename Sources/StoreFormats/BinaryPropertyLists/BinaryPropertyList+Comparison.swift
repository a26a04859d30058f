import Foundation

extension BinaryPropertyList {
    /// Compares objects of two lists by their bytes, without decoding them.
    ///
    /// Two objects that have been compared are taken for the same from then on, so shared parts cost nothing more and
    /// cycles end: two lists are the same where no walk through both finds a difference. The top objects, of which the
    /// entries are compared by themselves, are taken for the same from the start.
    struct Comparison {
        private let left: BinaryPropertyListDictionary
        private let right: BinaryPropertyListDictionary
        /// Content above this many bytes is compared once; below, it takes no longer than to look that up.
        private static let sharedLength = 64

        /// The object of the right list that one of the left list was last compared with.
        private var pairs: [Int: Int]
        /// The pairs whose parts are still to be compared.
        private var pending: [(Object, Object)] = []

        init(_ left: BinaryPropertyListDictionary, _ right: BinaryPropertyListDictionary) {
            self.left = left
            self.right = right
            pairs = [left.source.trailer.top: right.source.trailer.top]
        }

        /// Whether what two references of the top dictionaries name is the same, by the positions of the references.
        mutating func hasSame(reference leftPosition: Int, _ rightPosition: Int) throws(FormatError) -> Bool {
            try left.source.withReader { leftReader throws(FormatError) in
                try right.source.withReader { rightReader throws(FormatError) in
                    let isSame = try compare(
                        leftReader.reference(leftPosition, of: left.object), leftReader,
                        rightReader.reference(rightPosition, of: right.object), rightReader)
                    guard isSame else { return false }
                    return try compareParts(leftReader, rightReader)
                }
            }
        }

        private mutating func compareParts(
            _ leftReader: ObjectReader, _ rightReader: ObjectReader
        ) throws(FormatError) -> Bool {
            while let (leftObject, rightObject) = pending.popLast() {
                for position in 0..<leftObject.referenceCount {
                    let isSame = try compare(
                        leftReader.reference(position, of: leftObject), leftReader,
                        rightReader.reference(position, of: rightObject), rightReader)
                    guard isSame else { return false }
                }
            }
            return true
        }

        /// Compares two objects but for their parts, which are left for later.
        private mutating func compare(
            _ leftNumber: Int, _ leftReader: ObjectReader, _ rightNumber: Int, _ rightReader: ObjectReader
        ) throws(FormatError) -> Bool {
            let leftObject = try leftReader.object(leftNumber), rightObject = try rightReader.object(rightNumber)
            let isShared = leftObject.isContainer || leftObject.length > Self.sharedLength
            if isShared, pairs.updateValue(rightNumber, forKey: leftNumber) == rightNumber { return true }
            guard leftObject.kind == rightObject.kind, leftObject.count == rightObject.count else { return false }
            if leftObject.isContainer {
                pending.append((leftObject, rightObject))
                return true
            }
            return leftReader.content(leftObject).elementsEqual(rightReader.content(rightObject))
        }
    }
}

extension BinaryPropertyListDictionary {
    /// How many UTF-16 code units the text of a key has; `nil` where the object is not a string.
    func keyLength(at position: Int) -> Int? {
        source.withReader { reader in
            guard let key = reader.keyObject(position, of: object), key.isText else { return nil }
            return key.count
        }
    }
}
