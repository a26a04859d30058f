import Foundation
import TestSupport
import Testing

typealias Scratch = TemporaryFolder
typealias Tree = TestSupport.Tree

extension Scratch {
    /// Writes the app's UserDefaults in a copy of a dump of com.acme.notes anew, with another value, or without one, where a key is given.
    func set(_ key: String? = nil, to value: Any? = "changed", in dump: String) throws {
        let file = URL(fileURLWithPath: dump + "/AppData/Library/Preferences/com.acme.notes.plist")
        let content = try PropertyListSerialization.propertyList(from: Data(contentsOf: file), format: nil)
        var members = try #require(content as? [String: Any])
        if let key { members[key] = value }
        try PropertyListSerialization.data(fromPropertyList: members, format: .xml, options: 0).write(to: file)
    }
}
