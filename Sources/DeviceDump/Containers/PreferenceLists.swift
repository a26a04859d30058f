import StoreFormats

/// The property lists among the preferences of a container, by whose names it is told whose it is where nothing else says so.
struct PreferenceLists {
    /// A list, and the domain that it is called after.
    typealias Named = (name: String, file: DumpPath)

    /// Those with the name of a bundle, or of a group, that is not one of Apple's.
    private let all: [Named]
    /// The domains of all lists.
    let domains: [[UInt8]]

    /// Looks at the names of the lists of a container.
    init(of container: DumpPath, in files: any DumpFiles) {
        let folder = container / ContainerPlaces.preferencesFolder
        let items = ((try? files.children(of: folder)) ?? []).filter { $0.kind == .file }
        let lists = items.compactMap { item in
            ContainerPlaces.domain(ofFile: item.path, in: folder).map { (name: Array($0), item.path) }
        }
        domains = lists.map(\.name)
        all = lists.compactMap { name, file in
            guard let name = String(validating: name, as: UTF8.self), Self.isReverseDomainName(name),
                !name.hasPrefix("com.apple.")
            else { return nil }
            return (name, file)
        }
    }

    /// The list that a container of a kind is called after: the only one, or the one that all others extend, as suites do.
    ///
    /// That of a group begins with `group.`, and no other does.
    func naming(_ kind: Container.Kind) -> Named? {
        let named = all.filter { $0.name.hasPrefix("group.") == (kind == .group) }
        guard let shortest = named.min(by: { $0.name.utf8.count < $1.name.utf8.count }),
            named.allSatisfy({ $0.name == shortest.name || $0.name.hasPrefix(shortest.name + ".") })
        else { return nil }
        return shortest
    }

    /// What the app may be called whose container it is; a group is called after one of its apps.
    var likelyApps: [String] {
        all.map { $0.name.hasPrefix("group.") ? String($0.name.dropFirst("group.".count)) : $0.name }
    }

    /// Whether a name has the form of a bundle identifier: two or more parts of letters, digits, `-` and `_`.
    static func isReverseDomainName(_ name: String) -> Bool {
        let parts = name.split(separator: ".", omittingEmptySubsequences: false)
        return parts.count >= 2
            && parts.allSatisfy { part in
                !part.isEmpty
                    && part.unicodeScalars.allSatisfy {
                        $0.isASCII && ($0.properties.isAlphabetic || ("0"..."9").contains($0) || $0 == "-" || $0 == "_")
                    }
            }
    }
}
