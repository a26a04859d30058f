import Foundation
import MigrationEngine

private let standardNames = ["Library", "Preferences", "Application Support", "Caches", "Documents"].map {
    Array($0.utf8)
}
/// What is shown of a name as an address has it.
private let shownCharacters = CharacterSet(charactersIn: "\u{20}"..."\u{7E}").subtracting(["%"])

extension DumpFiles {
    /// Why what is not found at a path may be there all the same; `nil` where it is not there.
    ///
    /// What stands above it may not be a folder, or not be readable; the file may have stayed in iCloud, which leaves
    /// `.NAME.icloud` for it; or its name may be composed of other characters, which on an Apple file system is the same name
    /// (APFS and HFS+ compare what is normalized, and Foundation writes names decomposed). A folder that every container has may have
    /// lost its capitals on the way.
    func doubt(aboutMissing path: DumpPath) -> Unreadable? {
        if let obstacle = obstacle(above: path) { return Unreadable(obstacle) }
        var folder = DumpPath.root
        for name in path.parts {
            guard let here = DumpPath(bytes: name).map({ folder / $0 }) else { return nil }
            guard !isThere(here) else {
                folder = here
                continue
            }
            if let stub = here.iCloudStub, isThere(stub) {
                return Unreadable(
                    .missing,
                    "\(here) has stayed in iCloud, and \(stub) stands for it: have it downloaded there, and copied again"
                )
            }
            if let twin = twin(of: name, in: folder) {
                let shown = twin.text.addingPercentEncoding(withAllowedCharacters: shownCharacters) ?? twin.text
                return Unreadable(
                    .ambiguous,
                    "\(shown) is there, whose name has the same characters, composed in another way: on a device it is the same "
                        + "file, and an address is to name it so")
            }
            guard standardNames.contains(where: name.elementsEqual), let text = String(validating: name, as: UTF8.self),
                let other = DumpPath(text.lowercased()).map({ folder / $0 }), isThere(other)
            else { return nil }
            return Unreadable(
                .missing,
                "\(other) may be \(here), whose name has lost its capitals: give the folders of the container their names"
            )
        }
        return nil
    }

    /// What goes by the same name as another, in another normalization.
    private func twin(of name: some Collection<UInt8>, in folder: DumpPath) -> DumpPath? {
        guard name.contains(where: { $0 >= 0x80 }), let text = String(validating: name, as: UTF8.self) else {
            return nil
        }
        let others = [text.precomposedStringWithCanonicalMapping, text.decomposedStringWithCanonicalMapping]
        return others.lazy.filter { !$0.utf8.elementsEqual(name) }.compactMap { DumpPath($0) }.map { folder / $0 }
            .first(where: isThere)
    }
}

extension DumpPath {
    /// What macOS leaves in place of a file that stays in iCloud.
    var iCloudStub: DumpPath? {
        guard let name = parts.last, let stub = DumpPath(bytes: Array(".".utf8) + name + ".icloud".utf8) else {
            return nil
        }
        return (parent ?? .root) / stub
    }
}
