import Foundation
import MigrationEngine
import Migrations
import StoreFormats

/// What SDK v2 leaves on a device, as vector R1 of the known test vectors has it, to be changed key by key.
struct LegacyFixture {
    static let bundle = "com.acme.notes"
    static let domain = StoreID.defaults(Name(bundle))
    static let suite = StoreID.defaults("\(bundle).analytics.wk")

    var legacy: Members
    var migrated: Members?
    var facts: Facts

    /// Everything that the old SDK writes.
    static func complete() throws -> LegacyFixture {
        LegacyFixture(
            legacy: [
                "rs_user_id": .string("u-42"),
                "rs_traits": .data(
                    try archive([
                        "email": .string("a@b.c"), "age": .integer(30), "vip": .bool(true), "id": .string("9"),
                        "userId": .string("x"), "anonymousId": .string("y"),
                    ])),
                "rl_session_id": .integer(1_724_990_100),
                "rl_session_manual_track_status": .bool(false),
                "rl_last_event_time_stamp": .integer(1_724_995_000),
                "rs_application_version_key": .string("2.3.1"),
                "rs_application_build_key": .string("417"),
                "theme": .string("dark"),
            ],
            facts: Facts([
                .bundleIdentifier: Fact(bundle, from: "test"),
                .writeKey: Fact("wk", from: "test"),
                .identifierForVendor: Fact("9B574574-74A7-4EDF-969D-164CB151B6C3", from: "test"),
                .now: Fact("1725000000", from: "test"),
                .uptime: Fact("10000", from: "test"),
            ]))
    }

    var stores: MemoryStores {
        MemoryStores([(Self.domain, legacy)] + (migrated.map { [(Self.suite, $0)] } ?? []))
    }

    func plan(_ profile: String = "documented") throws -> Plan {
        Plan(
            of: RudderStackV2(), profile: try Self.profile(profile), facts: facts, stores: stores, history: History([]),
            check: {})
    }

    static func profile(_ id: String) throws -> Profile {
        guard let profile = RudderStackV2().profiles.first(where: { $0.id == id }) else { throw NoSuchProfile(id: id) }
        return profile
    }

    struct NoSuchProfile: Error {
        let id: String
    }

    /// A keyed archive of a dictionary, as `NSKeyedArchiver` lays it out; `extra` adds objects of other classes.
    static func archive(_ members: Members, extra: [(key: String, object: Value, className: String)] = []) throws
        -> Data
    {
        var objects: [Value] = [.string("$null")]
        func add(_ value: Value) -> Value {
            objects.append(value)
            return .uid(UInt64(objects.count - 1))
        }
        func addClass(_ name: String) -> Value {
            add(.dictionary(["$classname": .string(name), "$classes": .array([.string(name), .string("NSObject")])]))
        }
        var keys = members.map { add(.string($0.key.text)) }
        var values = members.map { add($0.value) }
        for (key, object, className) in extra {
            keys.append(add(.string(key)))
            var fields = object.members ?? Members()
            fields["$class"] = addClass(className)
            values.append(add(.dictionary(fields)))
        }
        let root = add(
            .dictionary(["NS.keys": .array(keys), "NS.objects": .array(values), "$class": addClass("NSDictionary")]))
        return try BinaryPropertyList.write(
            .dictionary([
                "$version": .integer(100_000), "$archiver": .string("NSKeyedArchiver"),
                "$top": .dictionary(["root": root]), "$objects": .array(objects),
            ]))
    }
}

extension Plan {
    /// What the steps write to the new suite.
    var written: Members {
        Members(
            steps.flatMap(\.changes).filter { $0.address.store == LegacyFixture.suite }.compactMap { change in
                change.address.key.flatMap { key in change.after.map { Member(key: key, value: $0) } }
            })
    }

    func step(_ id: String) -> PlannedStep? { steps.first { $0.id == id } }

    /// The outcome of a step with its reason's code, such as `skipped absent`.
    func outcome(_ id: String) -> String? {
        step(id).map { [$0.outcome.kind.rawValue, $0.outcome.reason?.code].compactMap(\.self).joined(separator: " ") }
    }
}
