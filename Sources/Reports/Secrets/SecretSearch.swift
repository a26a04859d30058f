import Foundation
import MigrationEngine
import StoreFormats

/// Looking for secrets in values, also in another format.
extension Secrets {
    /// Whether a value is secret, or holds a secret, also in another format.
    static func holdsSecret(
        _ value: Value, _ context: SecretContext, depth: Int, within budget: SearchBudget
    ) -> Bool {
        search(value, context, depth: depth, within: budget, countingNames: true) { _, _, _, isSecret in isSecret }
    }

    /// Looks for secrets in a value, also in another format, until it has seen enough.
    ///
    /// - Parameters:
    ///   - countingNames: Whether text that a dictionary is decoded from counts as a secret where the name of a member is masked,
    ///     as the text shows it; what is made of the dictionary is none for that.
    ///   - found: Is given each part that has no parts, or is masked as a whole: with what its place says of it, its depth, and
    ///     whether it is secret. Says whether that is enough.
    /// - Returns: Whether it was.
    static func search(
        _ value: Value, _ context: SecretContext, depth: Int, within budget: SearchBudget,
        countingNames: Bool = false, _ found: (Value, SecretContext, Int, Bool) -> Bool
    ) -> Bool {
        guard depth < depthLimit else { return found(value, context, depth, true) }
        switch value {
        case .array(let elements):
            let parts = SecretParts(elements)
            return elements.enumerated().contains { position, element in
                let inner = context.entering(
                    element: Name("\(position)"), isSecret: parts.isSecret(at: position, element))
                return search(element, inner, depth: depth + 1, within: budget, countingNames: countingNames, found)
            }
        case .set(let set):
            return set.elements.contains {
                search($0, context, depth: depth + 1, within: budget, countingNames: countingNames, found)
            }
        case .dictionary(let members):
            // In the raw form of an archive, keys lie apart from their values.
            if archiveHoldsSecret(value, context, depth: depth, within: budget), found(value, context, depth, true) {
                return true
            }
            return search(members, context, depth: depth, within: budget, countingNames: countingNames, found)
        case .object(let object):
            return search(object.fields, context, depth: depth, within: budget, countingNames: countingNames, found)
        case .null, .bool, .date, .uid, .reference: return found(value, context, depth, context.isKeychain)
        case .integer(let number):
            let isSecret =
                context.meaning == .secret || context.knows(value) || context.opens(value)
                || !SecretNumbers.ranges(in: Array("\(number)".utf8)).isEmpty
            return found(value, context, depth, isSecret)
        case .real: return found(value, context, depth, context.meaning == .secret || context.knows(value))
        case .string, .data:
            return search(
                scalar: value, context, recognition: value.recognition(within: budget.decoding), depth: depth,
                within: budget, countingNames: countingNames, found)
        }
    }

    private static func search(
        _ members: Members, _ context: SecretContext, depth: Int, within budget: SearchBudget,
        countingNames: Bool = false, _ found: (Value, SecretContext, Int, Bool) -> Bool
    ) -> Bool {
        let parts = SecretParts(members)
        return members.contains {
            let inner = context.entering($0.key.text, isSecret: parts.isSecret($0.key, $0.value))
            return search($0.value, inner, depth: depth + 1, within: budget, countingNames: countingNames, found)
        }
    }

    /// Whether text or data is a secret, or holds one in another format, as which it has been recognised.
    static func isSecret(
        scalar value: Value, _ context: SecretContext, recognition: Recognition?, depth: Int,
        within budget: SearchBudget
    ) -> Bool {
        search(scalar: value, context, recognition: recognition, depth: depth, within: budget, countingNames: true) {
            _, _, _, isSecret in isSecret
        }
    }

    private static func search(
        scalar value: Value, _ context: SecretContext, recognition: Recognition?, depth: Int,
        within budget: SearchBudget, countingNames: Bool,
        _ found: (Value, SecretContext, Int, Bool) -> Bool
    ) -> Bool {
        if context.makesSecret(value) { return found(value, context, depth, true) }
        // What is over the budget cannot be looked into.
        if recognition?.isOverBudget == true { return found(value, context, depth, true) }
        if let decoded = recognition?.decoded {
            if countingNames, hasSecretName(decoded.value, depth: depth), found(value, context, depth, true) {
                return true
            }
            return search(
                decoded.value, context, depth: depth + 1, within: budget.inner, countingNames: countingNames, found)
        }
        let isSecret = budget.verdict(on: value) { saysSecret(scalar: value, isDamaged: recognition?.problem != nil) }
        return found(value, context, depth, isSecret)
    }

    /// Whether a member of a value has a name that is masked; the text that the value was decoded from shows it.
    private static func hasSecretName(_ value: Value, depth: Int) -> Bool {
        guard depth < depthLimit else { return true }
        func isIn(_ members: Members) -> Bool {
            members.contains { (member: Member) -> Bool in
                let name = member.key.utf8
                // Most are shorter than any token, and no address has no such sign, in plain or escaped.
                let mayBe = name.count >= SecretTokens.shortest || name.contains { "@%".utf8.contains($0) }
                return mayBe && !SecretShapes.ranges(inName: Array(name)).isEmpty
                    || hasSecretName(member.value, depth: depth + 1)
            }
        }
        return switch value {
        case .array(let elements): elements.contains { hasSecretName($0, depth: depth + 1) }
        case .set(let set): set.elements.contains { hasSecretName($0, depth: depth + 1) }
        case .dictionary(let members): isIn(members)
        case .object(let object): isIn(object.fields)
        default: false
        }
    }

    /// Whether text or data that is in no format says a secret.
    private static func saysSecret(scalar value: Value, isDamaged: Bool) -> Bool {
        switch value {
        case .string(let text): return !SecretTexts.ranges(in: text, isValue: true).isEmpty
        case .data(let data):
            if closedFormat(of: data) != nil { return true }
            // With two bytes a character, what is ASCII is UTF-8 as well: with a NUL after each.
            if let text = UTF16Text.decoded(data) { return !SecretTexts.ranges(in: text, isValue: true).isEmpty }
            if let text = String(validating: data, as: UTF8.self) {
                // Text of four bytes a character is UTF-8 too, with many a NUL, and so are the lengths of short texts.
                return !SecretTexts.ranges(in: text, isValue: true).isEmpty
                    || data.contains(where: isControl) && namesSecret(texts(in: data))
            }
            // Damaged, in another encoding, or in a format of no one's: its keys and values may lie anywhere.
            return isDamaged ? saysSecret(texts(in: data)) : namesSecret(texts(in: data))
        default: return false
        }
    }

    /// Whether a byte is none of a text, nor parts its lines.
    private static func isControl(_ byte: UInt8) -> Bool { byte < 0x20 && !"\t\n\r".utf8.contains(byte) }

    /// Whether the raw form of a keyed archive holds a secret; its keys lie apart from their values there.
    static func archiveHoldsSecret(
        _ value: Value, _ context: SecretContext, depth: Int, within budget: SearchBudget
    ) -> Bool {
        guard let recognition = value.recognition(within: budget.decoding) else { return false }
        if recognition.isOverBudget { return true }
        if let decoded = recognition.decoded?.value {
            return holdsSecret(decoded, context, depth: depth + 1, within: budget.inner)
        }
        guard case .array(let objects)? = value.members?["$objects"] else { return true }
        return saysSecret(objects.lazy.compactMap(\.string))
    }

    /// Whether any of the texts of something damaged is a key that says secret, or is a secret itself.
    private static func saysSecret(_ texts: some Sequence<String>) -> Bool {
        texts.contains { SecretWords.meaning(of: $0) == .secret || !SecretTexts.ranges(in: $0).isEmpty }
    }

    /// Whether any of the texts in bytes is the name of a secret by itself, or says one.
    ///
    /// Random bytes make short texts too, which count only where they are no more than the word.
    private static func namesSecret(_ texts: some Sequence<String>) -> Bool {
        texts.contains { text in
            let isName = text.utf8.allSatisfy { SecretShapes.isAlphanumeric($0) || "_-.".utf8.contains($0) }
            let name = text.utf8.count < 6 ? text.lowercased().filter(\.isLetter) : text
            if isName, name.utf8.count >= 4, SecretWords.meaning(of: name) == .secret { return true }
            // The lengths of a name and of its value may be signs, too.
            let parts = text.utf8.count < 16 ? [] : text.split { !($0.isLetter || $0.isNumber || "_-.".contains($0)) }
            if parts.count > 1, parts.contains(where: { $0.utf8.count >= 5 && SecretWords.meaning(of: $0) == .secret })
            {
                return true
            }
            return text.utf8.count >= 10 && text.utf8.contains { "=:\"".utf8.contains($0) }
                && !SecretTexts.ranges(in: text).isEmpty
        }
    }

    /// The runs of ASCII in data, of four characters or more, also those with two bytes a character.
    private static func texts(in data: Data) -> [String] {
        let isShown = { (byte: UInt8) in byte >= 0x20 && byte < 0x7F }
        let wide = Data(data.filter { $0 != 0 })
        return [data, wide].flatMap { bytes in
            bytes.split { !isShown($0) }.filter { $0.count >= 4 }.map { String(decoding: $0, as: UTF8.self) }
        }
    }
}

/// Text of two bytes a character: with a mark of its byte order, or without one where most high bytes are zero.
private enum UTF16Text {
    static func decoded(_ data: Data) -> String? {
        // Four bytes a character begin so too.
        if data.starts(with: [0xFF, 0xFE, 0, 0]) { return nil }
        if data.starts(with: [0xFF, 0xFE]) || data.starts(with: [0xFE, 0xFF]) {
            return String(data: data, encoding: .utf16)
        }
        guard data.count >= 4, data.count.isMultiple(of: 2) else { return nil }
        let zeros = data.enumerated().reduce(into: (even: 0, odd: 0)) { zeros, byte in
            guard byte.element == 0 else { return }
            if byte.offset.isMultiple(of: 2) { zeros.even += 1 } else { zeros.odd += 1 }
        }
        let half = data.count / 2
        if zeros.even == 0, zeros.odd * 4 >= half * 3 { return String(data: data, encoding: .utf16LittleEndian) }
        if zeros.odd == 0, zeros.even * 4 >= half * 3 { return String(data: data, encoding: .utf16BigEndian) }
        return nil
    }
}
