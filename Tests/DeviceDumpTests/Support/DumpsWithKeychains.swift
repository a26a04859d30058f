import Foundation

@testable import DeviceDump

/// Dumps with exports of a keychain in them and beside them.
protocol DumpsWithKeychains {}

extension DumpsWithKeychains {
    typealias Entry = KeychainForms.Entry
    static var group: String { "ABCDE12345.com.acme.notes" }

    /// A dump with these files in its root folder and beside it.
    func tree(inside: [String: Data] = [:], beside: [String: Data] = [:]) throws -> TemporaryTree {
        let tree = try TemporaryTree()
        try tree.xcappdata("work/notes.xcappdata")
        for (name, data) in inside { try tree.file("work/notes.xcappdata/" + name, data) }
        for (name, data) in beside { try tree.file("work/" + name, data) }
        return tree
    }

    func open(_ tree: TemporaryTree, keychain: String? = nil) throws -> (dump: Dump, container: Container) {
        let dump = try Dump.open(tree.at("work/notes.xcappdata"), keychain: keychain.map(tree.at))
        return (dump, try dump.container(nil))
    }
}
