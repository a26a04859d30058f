import StoreFormats

/// Characters that are drawn like others: letters of Cyrillic and of Greek like those of Latin, and several dashes.
///
/// By themselves they are what people write; only beside what they look like is it told which they are.
enum Lookalikes {
    /// What each is drawn like.
    private static let likes = Dictionary(
        zip(
            "АВСЕНІЈКМОРЅТХУасеіјорѕхуһԁԛԝΑΒΕΖΗΙΚΜΝΟΡΤΧΥο‐‑−ʼ".unicodeScalars,
            "ABCEHIJKMOPSTXYaceijopsxyhdqwABEZHIKMNOPTXYo---'".unicodeScalars
        ).map { ($0, $1) }, uniquingKeysWith: { first, _ in first })

    /// Two texts that differ, in which such characters are their codes where nothing else differs in a word.
    static func told(
        _ left: String, _ right: String, within budget: inout TextDifference.Budget
    ) -> (left: String, right: String) {
        guard [left, right].contains(where: { $0.unicodeScalars.contains { likes[$0] != nil } }) else {
            return (left, right)
        }
        var texts = (left: "", right: "")
        for piece in TextDifference(left, right, within: &budget).pieces {
            switch piece {
            case .same(let text):
                texts.left += text
                texts.right += text
            case .changed(let left, let right):
                let isAlike = drawn(left).elementsEqual(drawn(right))
                texts.left += isAlike ? named(left, beside: right) : left
                texts.right += isAlike ? named(right, beside: left) : right
            }
        }
        return texts
    }

    private static func drawn(_ text: String) -> [Unicode.Scalar] { text.unicodeScalars.map { likes[$0] ?? $0 } }

    /// A text with the codes of the characters that differ from those of one that is drawn alike.
    private static func named(_ text: String, beside other: String) -> String {
        zip(text.unicodeScalars, other.unicodeScalars).reduce(into: "") { named, pair in
            if pair.0 == pair.1 || likes[pair.0] == nil {
                named.unicodeScalars.append(pair.0)
            } else {
                named += "‹\(pair.0.code)›"
            }
        }
    }
}
