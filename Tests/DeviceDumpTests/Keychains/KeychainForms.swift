import Foundation

@testable import DeviceDump

/// Exports for tests, put together as texts, so that no writer of ours takes part.
enum KeychainForms {
    struct Entry {
        var service = "s", account = "a", secret: Data? = Data("x".utf8), group = "ABCDE12345.com.acme.notes"
        var kind = "genp", label = ""
    }

    static func objection(_ entries: [Entry]) -> Data {
        let objects = entries.map { entry in
            let name = entry.kind == "inet" ? "Internet" : "Generic"
            let hex = entry.secret.map { $0.map { String(format: "%02x", $0) }.joined() } ?? ""
            return """
                  {
                    "account": "\(entry.account)",
                    "accessible_attribute": "kSecAttrAccessibleAfterFirstUnlock",
                    "create_date": "2023-04-05 06:07:08 +0000",
                    "data": "\(entry.secret.flatMap { String(validating: $0, as: UTF8.self) } ?? "")",
                    "dataHex": "\(hex)",
                    "entitlement_group": "\(entry.group)",
                    "item_class": "kSecClass\(name)Password",
                    "label": "\(entry.label)",
                    "service": "\(entry.service)",
                    "unknown":  "kept as it is"
                  }
                """
        }
        return Data("[\n\(objects.joined(separator: ",\n"))\n]\n".utf8)
    }

    static func propertyList(
        _ entries: [Entry], asData: Bool = false, format: PropertyListSerialization.PropertyListFormat = .xml
    ) throws -> Data {
        func text(_ text: String) -> Any { asData ? Data(text.utf8) + [0] : text }
        var lists: [String: [[String: Any]]] = ["genp": [], "inet": [], "cert": [], "keys": []]
        for entry in entries {
            var item: [String: Any] = [
                "acct": text(entry.account), "agrp": text(entry.group), "pdmn": text("ck"),
                entry.kind == "inet" ? "srvr" : "svce": text(entry.service), "tomb": 0, "unknown": "kept as it is",
                "cdat": Date(timeIntervalSince1970: 1_680_674_828),
            ]
            if !entry.label.isEmpty { item["labl"] = text(entry.label) }
            if let secret = entry.secret { item["v_Data"] = secret }
            lists[entry.kind]?.append(item)
        }
        return try PropertyListSerialization.data(fromPropertyList: lists, format: format, options: 0)
    }

    static func keychainDumper(_ entries: [Entry]) -> Data {
        var text = Data()
        for entry in entries {
            let isInternet = entry.kind == "inet"
            let heading = isInternet ? "Internet Password" : "Generic Password"
            text += Data(
                """
                \(heading)
                \(String(repeating: "-", count: heading.count))
                \(isInternet ? "Server" : "Service"): \(entry.service.isEmpty ? "(null)" : entry.service)
                Account: \(entry.account.isEmpty ? "(null)" : entry.account)
                Entitlement Group: \(entry.group.isEmpty ? "(null)" : entry.group)
                Label: \(entry.label.isEmpty ? "(null)" : entry.label)
                Accessible Attribute: kSecAttrAccessibleAfterFirstUnlock, protection level 1
                Keychain Data: 
                """.utf8)
            text += (entry.secret ?? Data("(null)".utf8)) + Data("\n\n".utf8)
        }
        return text
    }

    /// The same entries in every form, with the form's name.
    static func all(_ entries: [Entry]) throws -> [(name: String, data: Data)] {
        [
            ("keychain.json", objection(entries)), ("keychain.plist", try propertyList(entries)),
            ("keychain-binary.plist", try propertyList(entries, format: .binary)),
            ("keychain-old.plist", try propertyList(entries, asData: true)),
            ("keychain.txt", keychainDumper(entries)),
        ]
    }
}
