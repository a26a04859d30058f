import Foundation

/// A dictionary as the XML of a property list, of which one member after the other is replaced.
///
/// The bytes are those of ``XMLPropertyList/write(_:)``.
struct XMLDictionaryEditor: Sendable {
    private var members: Members
    /// The bytes as long as there are several members; fewer have forms of their own.
    private var text: [UInt8] = []
    /// How many of them each member has.
    private var lengths: [Int] = []

    /// Writes a dictionary.
    init(_ members: Members) throws(FormatError) {
        self.members = members
        try write()
    }

    private var isShort: Bool { members.count < 2 }

    private mutating func write() throws(FormatError) {
        (text, lengths) = ([], [])
        guard !isShort else { return }
        text = XMLPropertyListWriter.beginning
        for member in members {
            let bytes = try XMLPropertyListWriter.bytes(of: member)
            lengths.append(bytes.count)
            text += bytes
        }
        text += XMLPropertyListWriter.end
    }

    /// Replaces the member at a position, adds one at the end where there is none or, with `nil`, takes it away.
    ///
    /// - Returns: The bytes then.
    mutating func replace(at position: Int?, with member: Member?) throws(FormatError) -> Data {
        let wasShort = isShort
        var start = text.count - XMLPropertyListWriter.end.count
        if let position, !wasShort { start = lengths[position...].reduce(start, -) }
        switch (position, member) {
        case (let position?, let member?): members.all[position] = member
        case (let position?, nil): members.all.remove(at: position)
        case (nil, let member?): members.all.append(member)
        case (nil, nil): break
        }
        if isShort || wasShort {
            try write()
            return isShort ? try XMLPropertyList.write(.dictionary(members)) : Data(text)
        }
        let bytes = try member.map { member throws(FormatError) in try XMLPropertyListWriter.bytes(of: member) } ?? []
        text.replaceSubrange(start..<start + (position.map { lengths[$0] } ?? 0), with: bytes)
        if let position {
            lengths.replaceSubrange(position...position, with: member == nil ? [] : [bytes.count])
        } else if member != nil {
            lengths.append(bytes.count)
        }
        return Data(text)
    }
}
