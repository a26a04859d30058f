import MigrationEngine
import StoreFormats

/// Reads addresses, and checks what can be known of them without the facts.
extension SpecReader {
    /// A fact that the file or the language has.
    mutating func factName(_ word: String, at place: SpecProblem.Place) -> FactName? {
        let name = FactName(rawValue: word)
        guard facts[name] == nil else { return name }
        return unknown(word, at: place, of: "fact", among: facts.keys.map(\.rawValue).sorted(), .unknownName)
    }

    /// An address, by itself or in a store that an alias stands for.
    mutating func address(_ text: String, at place: SpecProblem.Place) -> SpecAddress? {
        if text.contains(bytes: "://") {
            return checkAddress(text, at: place).map { SpecAddress(alias: nil, templates: [$0], text: text) }
        }
        let parts = text.parts(at: "/", most: 2)
        let alias = String(parts[0])
        guard let places = stores[alias] else {
            if parts.count == 1, stores.isEmpty {
                report(
                    .address, at: place, "“\(text)” is no address", fix: "Write it as defaults://com.acme.notes/key.")
                return nil
            }
            return unknown(alias, at: place, of: "store", among: stores.keys.sorted(), .unknownName)
        }
        var templates: [AddressTemplate] = []
        for store in places {
            guard parts.count > 1 else {
                templates.append(store)
                continue
            }
            guard let template = store.key(parts[1]) ?? checkAddress(Self.join(store.text, parts[1]), at: place) else {
                return nil
            }
            templates.append(template)
        }
        return SpecAddress(alias: alias, templates: templates, text: text)
    }

    /// A key in a store; under `#/` the key is a field of the document.
    private static func join(_ store: String, _ rest: Substring) -> String {
        guard store.hasSuffix("#/") else { return store + "/" + rest }
        let parts = rest.parts(at: "#", most: 2)
        let field = parts[0].replacing("~", with: "~0").replacing("/", with: "~1")
        return store + field + (parts.count > 1 ? parts[1] : "")
    }

    /// Checks what can be known of an address without the facts.
    mutating func checkAddress(_ text: String, at place: SpecProblem.Place) -> AddressTemplate? {
        func refuse(_ why: String, _ fix: String) -> AddressTemplate? {
            report(.address, at: place, why, fix: fix)
            return nil
        }
        if AddressTemplate.holdsStar(text) {
            return refuse("“\(text)” has U+FDD0, which is no character", "Take it out, also where it is %EF%B7%90.")
        }
        guard let template = AddressTemplate(text) else {
            return refuse(
                "a brace in “\(text)” is left open, or is empty", "Write a fact as {name}, and a brace as %7B.")
        }
        if template.stars > 0, text.hasPrefix("sqlite://"),
            text.dropFirst("sqlite://".count).parts(at: "/").prefix(3).contains(where: { $0.contains("*") })
        {
            report(
                .wildcards, at: place,
                "a * in \(text) would stand for a part of a database's name, and there it stands for rows",
                fix: "Write the names of the folder, the file and the table out.")
            return nil
        }
        if let own = Self.ownPlace(of: text) {
            report(
                .ownStore, at: place, "\(text) is never there: what lies in that folder has a store of its own",
                fix: "Write \(own).")
            return nil
        }
        if template.address == nil, !checkParts(of: template, text, at: place) { return nil }
        return template
    }

    /// Checks an address of which a part is left open, or which is none.
    private mutating func checkParts(
        of template: AddressTemplate, _ text: String, at place: SpecProblem.Place
    ) -> Bool {
        func refuse(_ why: String, _ fix: String) -> Bool {
            report(.address, at: place, why, fix: fix)
            return false
        }
        var plain = ""
        for piece in template.pieces {
            switch piece {
            case .text(let text): plain += text
            case .star: plain.append(AddressTemplate.star)
            case .fact(let word):
                plain.append(AddressTemplate.star)
                guard let name = factName(word.rawValue, at: place) else { return false }
                if let kind = facts[name]?.kind, ![.name, .uuid, .integer].contains(kind) {
                    return refuse(
                        "the fact \(name) is \(kind.rawValue), which may not stand in an address", "Make it type: name."
                    )
                }
            }
        }
        do throws(AddressError) {
            let address = try Address(parsing: plain.hasSuffix("#/") ? String(plain.dropLast(2)) : plain)
            if let why = address.departure {
                return refuse(
                    "\(text) \(why)",
                    address.store.kind == .file && !StoreID.isOfFiles(address.store.name)
                        ? "\(advice(onFolder: address.store.name.text)) Those of an app group are file://group.com.acme.notes/…"
                        : address.store.isUnassigned
                            ? "Give an export of the app's own keychain, and name the item by its service."
                            : "Name an entry within the store.")
            }
        } catch {
            // As it stands in the file, and not with words in the places of facts and stars.
            return refuse(
                "\(error)".replacing("“\(error.text)”", with: "“\(text)”"),
                text.hasPrefix("group://")
                    ? "Files of an app group are file://group.com.acme.notes/…, by the name of the group."
                    : "Write it as defaults://com.acme.notes/key, or with an alias of stores.")
        }
        return true
    }

    /// The store of files that is meant, or all that there are.
    private func advice(onFolder name: String) -> String {
        Nearest.advice(on: [name], among: StoreID.containerFolders.map(\.store), "The stores of files of an app are")
    }

    /// The address of what lies in a folder of a store that is a store of its own, or is a domain; `nil` where the address
    /// is right as it is.
    ///
    /// It goes by the text, in which facts and stars stand for what is not known.
    private static func ownPlace(of text: String) -> String? {
        guard let kind = ["file://", "sqlite://"].first(where: text.hasPrefix) else { return nil }
        let halves = text.dropFirst(kind.count).parts(at: "#", most: 2)
        let parts = halves[0].parts(at: "/"), pointer = halves.count > 1 ? "#" + halves[1] : ""
        guard parts.count > 1, let store = PercentEncoding.decode(parts[0]) else { return nil }
        // The path of a database is one part.
        let path = kind == "sqlite://" ? parts[1].replacing("%2f", with: "/").replacing("%2F", with: "/") : nil
        let steps = path?.parts(at: "/") ?? Array(parts[1...])
        let decoded = steps.map { PercentEncoding.decode($0) ?? String($0) }
        // No such folder is deeper than this, however long the path is.
        let deepest = StoreID.containerFolders.map { $0.path.parts(at: "/").count }.max() ?? 0
        for count in decoded.indices.prefix(deepest).map({ $0 + 1 }) {
            let beginning = decoded.prefix(count).joined(separator: "/")
            guard let inner = StoreID.store(of: beginning, in: store) else { continue }
            let rest = steps.dropFirst(count).joined(separator: path == nil ? "/" : "%2F")
            let table = path == nil ? "" : parts.dropFirst(2).map { "/" + $0 }.joined()
            return kind + inner + (rest.isEmpty ? "" : "/" + rest) + table + pointer
        }
        let preferences = StoreID.preferencesFolder.split(separator: "/")
        guard path == nil, preferences.count == 2, store == preferences[0], decoded.count > 1,
            decoded[0] == preferences[1],
            let last = steps.last, last.hasSuffix(".plist"), last != ".plist", !StoreID.isOfGroup(last)
        else { return nil }
        let name = (steps.dropFirst().dropLast() + [last.dropLast(".plist".count)]).joined(separator: "%2F")
        // The key is the first part of what points into the file.
        let tokens = pointer.dropFirst(2).parts(at: "/", most: 2).filter { !$0.isEmpty }
        return "defaults://" + name + (tokens.first.map { "/" + $0 } ?? "") + (tokens.count > 1 ? "#/" + tokens[1] : "")
    }
}
