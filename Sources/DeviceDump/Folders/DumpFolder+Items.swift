extension DumpFolder {
    /// Every item below a folder, depth first; what cannot be listed is a warning, and the rest goes on.
    ///
    /// - Parameter skipping: folders that are left out with all that is in them, by their paths below this folder.
    public func items(
        below relativePath: String = "", limits: DumpListing.Limits = .init(), skipping: Set<String> = []
    ) -> DumpListing {
        var listing = DumpListing()
        walk(relativePath, limits: limits, skipping: skipping, warnings: &listing.warnings) { item in
            listing.items.append(item)
            return true
        }
        return listing
    }

    /// Whether an item below a folder meets a condition; also `true` where that cannot be known.
    func contains(
        below relativePath: String, skipping: Set<String>, where condition: (DumpItem) -> Bool
    ) -> Bool {
        var found = false, warnings: [DumpWarning] = []
        walk(relativePath, limits: .init(), skipping: skipping, warnings: &warnings) { item in
            found = condition(item)
            return !found
        }
        return found || !warnings.isEmpty
    }

    /// Visits every item below a folder until the visitor returns `false`.
    ///
    /// No folder stays open while what is in it is visited, so the depth of a tree costs no descriptors.
    private func walk(
        _ start: String, limits: DumpListing.Limits, skipping: Set<String>, warnings: inout [DumpWarning],
        visit: (DumpItem) -> Bool
    ) {
        var room = limits.count, wasTooDeep = false
        // What is left to visit on each level, last first.
        var levels: [[DumpItem]] = []
        func enter(_ folder: String) {
            do {
                let children = try children(of: folder, limit: room + 1)
                levels.append(children.reversed())
            } catch {
                guard error.problem != .notFound else { return }
                warnings.append(DumpWarning(folder, .init(error, in: self)))
            }
        }
        enter(start)
        while let item = levels.last?.last {
            levels[levels.count - 1].removeLast()
            defer { while levels.last?.isEmpty == true { levels.removeLast() } }
            if item.kind == .folder, skipping.contains(item.path) { continue }
            guard room > 0 else {
                warnings.append(DumpWarning(start, .listingCut(.count(limit: limits.count))))
                return
            }
            room -= 1
            if !item.isNameExact { warnings.append(DumpWarning(item.path, .nameNotUTF8)) }
            guard visit(item) else { return }
            guard item.kind == .folder, item.isNameExact else { continue }
            if levels.count < limits.depth {
                enter(item.path)
            } else if !wasTooDeep {
                wasTooDeep = true
                warnings.append(DumpWarning(start, .listingCut(.depth(limit: limits.depth))))
            }
        }
    }
}

extension DumpWarning.Problem {
    /// The warning that an error is.
    init(_ error: DumpError, in root: DumpFolder) {
        if case .symbolicLink(let target) = error.problem {
            self = .symbolicLink(target: target)
        } else {
            self = .unreadable(.init(error, in: root))
        }
    }
}
