import StoreFormats

/// What a link that lets someone in has of it: the ticket in its path or in its query, such as `/magic/…` or
/// `/reset-password?id=…`, also where it is a UUID, or short.
extension SecretTexts {
    /// What a part of a path says of those behind it.
    private enum LinkPart {
        /// What follows lets someone in, whatever it looks like.
        case ticket
        /// What follows may be one, if it is no word.
        case door
    }

    /// Looks at what stands behind a `/` in a path, where the part before it says that it lets someone in; returns where to go
    /// on.
    mutating func take(pathAt index: Int) -> Int {
        guard let part = linkPart(before: index), !isAddress(around: index) else { return index + 1 }
        var place = index, last = index + 1
        for number in 0..<4 where place < bytes.count && bytes[place] == UInt8(ascii: "/") {
            let segment = linkWord(at: place + 1)
            if isTicket(segment, part, isNext: number == 0) {
                ranges.append(segment)
                last = segment.upperBound
            }
            place = segment.upperBound
        }
        if place < bytes.count, bytes[place] == UInt8(ascii: "?") { take(queryAt: place, isDoor: true) }
        return last
    }

    /// The password of a login without a scheme before it: `ann:password@host`.
    func login(beforeHostAt index: Int) -> Range<Int>? {
        let value = bytes[(index + 1)...].prefix(64).prefix { $0 > 0x20 && !"/@:\"'".utf8.contains($0) }.indices
        guard index > 0, SecretShapes.isAlphanumeric(bytes[index - 1]), value.count >= 6,
            value.upperBound + 1 < bytes.count, bytes[value.upperBound] == UInt8(ascii: "@"),
            SecretShapes.isAlphanumeric(bytes[value.upperBound + 1])
        else { return nil }
        return value
    }

    /// Looks at the query of a link, `?name=value&…`.
    ///
    /// - Parameter isDoor: Whether its path says that it lets someone in, whatever the names say.
    mutating func take(queryAt index: Int, isDoor: Bool? = nil) {
        let isDoor = isDoor ?? (linkPart(before: index) != nil)
        guard isDoor || isLink(around: index), !isAddress(around: index) else { return }
        var place = index
        while place < bytes.count, "?&;#".utf8.contains(bytes[place]) {
            let name = bytes[(place + 1)...].prefix(64).prefix { $0 != UInt8(ascii: "=") && $0 > 0x20 }
            guard name.endIndex < bytes.count, bytes[name.endIndex] == UInt8(ascii: "=") else { return }
            let value = linkWord(at: name.endIndex + 1)
            if isDoor || Self.doors.contains(Self.letters(name)), isTicket(value, .door, isNext: false) {
                ranges.append(value)
            }
            place = value.upperBound
        }
    }

    /// What the part of a path says that ends at a place.
    private func linkPart(before index: Int) -> LinkPart? {
        let before = bytes[max(0, index - 33)..<index]
        guard let start = before.lastIndex(where: { !SecretShapes.isAlphanumeric($0) && !"-_.".utf8.contains($0) }),
            bytes[start] == UInt8(ascii: "/"), start + 1 < index
        else { return nil }
        let name = Self.letters(bytes[(start + 1)..<index])
        if Self.tickets.contains(name) { return .ticket }
        return Self.doors.contains(name) ? .door : nil
    }

    /// A word of a link from a place on, which a full stop at its end is no part of.
    private func linkWord(at start: Int) -> Range<Int> {
        let word = bytes[min(start, bytes.count)...].prefix(512).prefix {
            SecretShapes.isAlphanumeric($0) || "-_.~+=%:@!$*,".utf8.contains($0)
        }
        var range = word.indices
        while let last = bytes[range].last, ".,!:".utf8.contains(last) { range = range.dropLast() }
        return range
    }

    /// Whether a word of a link is no word of a language, nor the name of a file or of a version.
    private func isTicket(_ range: Range<Int>, _ part: LinkPart, isNext: Bool) -> Bool {
        let word = bytes[range], digits = word.count(where: SecretShapes.isDigit)
        guard word.count >= 4 else { return false }
        if let dot = word.lastIndex(of: UInt8(ascii: ".")), word.endIndex - dot <= 6,
            word[(dot + 1)...].allSatisfy(SecretShapes.isLetter)
        {
            return false
        }
        let letters = word.count(where: SecretShapes.isLetter)
        if digits > 0 {
            // `step2`, `oauth2`, `2024-05`: words with a number, and dates, are shorter than tickets.
            let isNumbered = digits == 1 && SecretShapes.isDigit(word[range.upperBound - 1])
            return letters == 0 ? word.count == digits : !isNumbered || word.count > 12
        }
        // Words begin with a capital at most; one that is this long is none.
        let capitals = word.dropFirst().count { (0x41...0x5A).contains($0) }
        if capitals > 0 && capitals + 1 < letters || letters == word.count && letters > 24 { return true }
        return part == .ticket && isNext && letters == word.count && !Self.pages.contains(Self.letters(word))
    }

    /// Whether a place is within a link, by what stands before it.
    private func isLink(around index: Int) -> Bool { scheme(before: index) != nil }

    /// Whether a place is within the address of an entry, whose names are shown.
    private func isAddress(around index: Int) -> Bool {
        guard let scheme = scheme(before: index) else { return false }
        return ["defaults", "keychain", "file", "sqlite"].contains { scheme.elementsEqual($0.utf8) }
    }

    /// What stands before the `://` of the link that a place is in.
    private func scheme(before index: Int) -> ArraySlice<UInt8>? {
        let before = bytes[max(0, index - 512)..<index]
        let start =
            before.lastIndex { $0 <= 0x20 || "\"'<>()“”`".utf8.contains($0) }.map { $0 + 1 } ?? before.startIndex
        guard let mark = find("://", in: start..<index) else { return nil }
        return bytes[start..<mark].suffix(while: { SecretShapes.isAlphanumeric($0) || "+-.".utf8.contains($0) })
    }

    private static func letters(_ word: ArraySlice<UInt8>) -> String {
        String(decoding: word.filter(SecretShapes.isLetter).map { $0 | 0x20 }, as: UTF8.self)
    }

    /// Parts of a path behind which a ticket stands.
    private static let tickets: Set<String> = [
        "magic", "magiclink", "magiclinks", "magiclogin", "otl", "ott", "otp", "onetime", "onetimelink",
        "onetimelogin", "onetimepassword", "loginlink", "signinlink", "emaillink", "emaillogin", "passwordless",
    ]
    /// Parts of a path, and names in a query, behind which one may stand.
    private static let doors: Set<String> = [
        "reset", "resetpassword", "passwordreset", "pwreset", "resetpw", "recover", "recovery", "forgot",
        "forgotpassword", "password", "verify", "verifyemail", "emailverify", "verification", "confirm", "confirmation",
        "confirmemail", "activate", "activation", "invite", "invites", "invitation", "join", "login", "signin",
        "signup", "auth", "authenticate", "token", "tokens", "session", "unlock", "accept", "code", "ticket", "link",
        "oobcode", "hash", "magic", "magiclink", "otl",
    ]
    /// Pages of a path that has no ticket.
    private static let pages: Set<String> = [
        "link", "links", "login", "signin", "signup", "sent", "expired", "verify", "verification", "callback", "auth",
        "confirm", "confirmation", "email", "open", "success", "error", "invalid", "password", "request", "complete",
        "done", "start", "index", "code", "check", "about", "help", "send", "resend", "user", "users", "used", "failed",
        "failure", "token", "redirect", "continue", "welcome", "home", "settings", "account", "mail", "phone",
    ]
}
