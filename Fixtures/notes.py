"""The fixtures of an app with RudderStack's SDK v2, of a hostile app, and of a simulator."""

import json
import plistlib

from formats import *

APP = "com.acme.notes"
WRITE_KEY = "wk-1a2b3c"
VENDOR_ID = "9B574574-74A7-4EDF-969D-164CB151B6C3"
NOW, UPTIME = 1725000000, 10000
FACTS = {
    "now": str(NOW),
    "uptime": str(UPTIME),
    "identifierForVendor": VENDOR_ID,
    "writeKey": WRITE_KEY,
}
SUITE = f"{APP}.analytics.{WRITE_KEY}"

SETTINGS = {
    "AppleLanguages": ["de-DE", "en-DE"],
    "AppleLocale": "de_DE",
    "MSAppCenterInstallId": "0D3F5A0C-2C5E-4E0B-8A54-6C7D0B9F1E21",
    "MSAppCenterCorrelationIds": archive(["c1", "c2"]),
    "WebKitDatabasesEnabledPreferenceKey": True,
    "onboarding.done": True,
    "editor.fontSize": 14.5,
    "editor.theme": "sepia",
    "sync.lastRun": moment("2024-08-30T05:20:11"),
    "sync.state": {
        "cursor": 9007199254740993,
        "folders": ["Inbox", "Work", "Réception"],
        "retry": {"count": 0, "after": 1.5, "enabled": False},
    },
    "draft": compact_json({"title": "Einkauf", "body": "Milch, Brot", "pinned": True}).encode(),
    "thumbnail": bytes(range(48)),
    "sessionToken": "not-a-real-token-0001",
}

TRAITS = {"email": "a@b.c", "age": 30, "vip": True, "id": "9", "userId": "x", "anonymousId": "y"}

SERVER_CONFIG = binary({
    "source": {
        "_id": "src-1",
        "_name": "Acme Notes iOS",
        "_writeKey": WRITE_KEY,
        "_enabled": True,
        "_updatedAt": "2024-08-01T09:00:00.000Z",
        "_destinations": [],
    }
})

LEGACY = {
    "rs_user_id": "u-42",
    "rs_traits": archive(TRAITS),
    "rl_session_id": 1724990100,
    "rl_session_manual_track_status": False,
    "rl_session_auto_track_status": True,
    "rl_session_stopped_status": False,
    "rl_last_event_time_stamp": 1724995000,
    "rs_application_version_key": "2.3.1",
    "rs_application_build_key": "417",
    "rs_server_config": SERVER_CONFIG,
    "rs_server_last_updated": 1724990050,
    "rs_opt_status": False,
    "rs_opt_in_time": 1717230000,
    "rs_opt_out_time": 1717229000,
}

# What the migration guide makes of the above with FACTS.
MIGRATED = {
    "anonymous_id": VENDOR_ID.lower(),
    "user_id": "x",
    "traits": compact_json({"email": "a@b.c", "age": 30, "vip": True}),
    "session_id": "1724990100",
    "is_manual_session": True,
    "last_activity_time": "5000000",
    "rudder.app_version": "2.3.1",
    "rudder.app_build": 417,
}


# --- the fixtures -----------------------------------------------------------------------------------------------------


def notes_app(files):
    return xcappdata(files, APP, "Acme Notes")


def notes_legacy():
    notes = [{"id": 1, "title": "Einkauf", "pinned": True}, {"id": 2, "title": "Ideas", "pinned": False}]
    event = {"type": "track", "event": "Note Opened", "userId": "u-42", "originalTimestamp": "2024-08-30T05:16:40.000Z"}
    return notes_app({
        **preferences(APP, woven(SETTINGS, LEGACY)),
        **preferences(f"{APP}.editor", {"recent": [3, 1, 2], "zoom": 1.25, "spellcheck": True}),
        **preferences("com.apple.FileProvider/com.acme.notes.files", {"domainVersion": 3}, xml),
        "Library/Application Support/com.acme.notes/library.json": json.dumps({"version": 4, "notes": notes}, indent=2),
        "Library/Application Support/com.acme.notes/notes.sqlite": database(
            "CREATE TABLE notes (id INTEGER PRIMARY KEY, title TEXT, body TEXT)",
            "INSERT INTO notes VALUES (1, 'Einkauf', 'Milch, Brot')",
        ),
        "Library/rl_persistence.sqlite": database(
            "CREATE TABLE events (id INTEGER PRIMARY KEY AUTOINCREMENT, message TEXT, updated INTEGER)",
            f"INSERT INTO events (message, updated) VALUES ('{compact_json(event)}', 1724995000)",
        ),
        "Library/Caches/com.acme.notes/cache.bin": bytes(range(256)),
        "Documents/welcome.json": compact_json({"title": "Welcome", "read": False}),
        "Documents/inbox/2024-08-30.txt": "Milch\nBrot\n",
        "tmp/upload.part": b"\x00\x01\x02\x03",
    })


def notes_troubled():
    members = changed(
        LEGACY,
        without=["rs_user_id"],
        rs_traits=archive(TRAITS)[:-40],
        rl_session_id="1724980000",
        rl_session_manual_track_status="YES",
        rl_last_event_time_stamp=1724989999,
        rs_application_version_key=2.3,
        rs_application_build_key="417-beta",
        rs_server_config=b"",
    )
    return notes_app(preferences(APP, woven(SETTINGS, members)))


def notes_traits_json():
    traits = (
        '{ "plan": "pro", "userId": "u-77", "score": 1.50, "id": "9", "anonymousId": "y",'
        ' "email": "a@b.c", "name": "J\\u00fcrgen", "tags": ["a", "b"] }'
    )
    return notes_app(preferences(APP, woven(SETTINGS, changed(LEGACY, rs_traits=traits))))


def notes_traits_strange():
    traits = {
        "email": "a@b.c",
        "signedUp": moment("2023-01-15T10:30:00"),
        "homepage": Instance(
            ["NSURL", "NSObject"],
            {"NS.base": (None, False), "NS.relative": ("https://example.com/u-42", False)},
        ),
        "badge": Instance(
            ["Acme.Badge", "NSObject"], {"level": (3, True), "title": ("Gold", False), "since": (1.5, True)}
        ),
        "userId": "u-42",
    }
    return notes_app(preferences(APP, woven(SETTINGS, changed(LEGACY, rs_traits=archive(traits)))))


def notes_migrated():
    return notes_app({**preferences(APP, woven(SETTINGS, LEGACY)), **preferences(SUITE, MIGRATED)})


def notes_half_migrated():
    suite = {
        "anonymous_id": MIGRATED["anonymous_id"],
        "user_id": "someone-else",
        "rudder.app_version": MIGRATED["rudder.app_version"],
    }
    return notes_app({**preferences(APP, woven(SETTINGS, LEGACY)), **preferences(SUITE, suite)})


def notes_empty():
    return notes_app(preferences(APP, SETTINGS))


def hostile_list():
    raw, pairs = RawList(), []

    def put(key, value):
        pairs.append((key if isinstance(key, int) else raw.text(key), value))

    put("plain", raw.text("a value like any other"))
    put("\x1b[2J\x1b]0;owned\x07", raw.text("\x1b[31mred\x1b[0m"))
    put("line\nbreak\ttab\rreturn", raw.text("one\ntwo\r\nthree"))
    put("right\u202eot\u202cleft", raw.text("\u2067hidden\u2069 \u200bzero\u200dwidth\ufeff"))
    put("c1\u009b2J\u0085end", raw.text("\u009b31m\u0090q\u009c"))
    put("e\u0301", raw.text("decomposed"))
    put("\u00e9", raw.text("precomposed"))
    put(raw.ascii(b"high\xff\xc3\xa9bytes"), raw.ascii(b"caf\xe9 \x80\xfe"))
    put(raw.utf16(b"\xd8\x00\x00x"), raw.utf16(b"\x00a\xdc\x00\x00b"))
    put("", raw.text("the key is empty"))
    put("nul\x00inside", raw.text("a\x00b"))
    put("a/b%2Fc#/d~1e?f", raw.text("looks like an address"))
    put("../../etc/passwd", raw.text("looks like a path"))
    put("k" * 4096, raw.text("v" * 4096))
    put("wide \U0001f469\u200d\U0001f469\u200d\U0001f467 \u6f22\u5b57", raw.text("e" + "\u0301" * 200))
    put("twice", raw.text("first"))
    put("twice", raw.text("second"))
    put("doubling", raw.data(doubling(26)))
    put("date.nan", raw.date(float("nan")))
    put("date.infinite", raw.date(float("inf")))
    put("date.before", raw.date(float("-inf")))
    put("date.far", raw.date(1e300))
    put("real.nan", raw.real(float("nan")))
    put("real.negative.zero", raw.real(-0.0))
    put("integer.2^63", raw.integer(1 << 63, 16))
    put("integer.2^64", raw.integer(1 << 64, 16))
    put("integer.largest", raw.integer((1 << 127) - 1, 16))
    put("integer.smallest", raw.integer(-(1 << 127), 16))
    put("integer.minus.one.of.16.bytes", raw.integer(-1, 16))
    inner = raw.bool(True)
    for _ in range(100):
        inner = raw.array([inner])
    put("deep.100", inner)
    for _ in range(3000):
        inner = raw.array([inner])
    put("deep.3100", inner)
    shared = raw.bool(True)
    for _ in range(40):
        shared = raw.array([shared, shared])
    put("doubling.in.place", shared)
    cycle = raw.add(b"")
    raw.objects[cycle] = b"\xa1" + cycle.to_bytes(2, "big")
    put("cycle", cycle)
    put("dangling", raw.add(b"\xa1\xff\xfe"))
    put("archive.cyclic", raw.data(cyclic_archive()))
    put("archive.of.itself", raw.data(archive(["nested"] * 2)))
    put("password", raw.text("correct horse battery staple"))
    put("accessToken", raw.text("not-a-real-token-0002"))
    put("api_key", raw.data(b"not-a-real-key-0003"))
    put("contact", raw.text("jane.roe@example.com"))
    put("rs_user_id", raw.text("u-42\x1b[2K\u202e"))
    put("rs_traits", raw.data(cyclic_archive()))
    put("rl_session_id", raw.integer(-1, 16))
    put("rl_last_event_time_stamp", raw.real(float("nan")))
    put("rs_application_build_key", raw.text("99999999999999999999999999"))
    return raw.finish(raw.dictionary(pairs))


def cyclic_archive():
    uid = plistlib.UID
    return binary({
        "$version": 100000,
        "$archiver": "NSKeyedArchiver",
        "$top": {"root": uid(1)},
        "$objects": [
            "$null",
            {"NS.keys": [uid(2), uid(3)], "NS.objects": [uid(1), uid(4)], "$class": uid(5)},
            "self",
            "email",
            "a@b.c",
            {"$classname": "NSMutableDictionary", "$classes": ["NSMutableDictionary", "NSDictionary", "NSObject"]},
        ],
    })


def hostile():
    bomb = (
        '<?xml version="1.0"?>\n<!DOCTYPE plist [\n<!ENTITY a "lol">\n'
        + "".join(f'<!ENTITY {chr(98 + n)} "{f"&{chr(97 + n)};" * 10}">\n' for n in range(9))
        + "]>\n<plist version=\"1.0\"><dict><key>laugh</key><string>&j;</string></dict></plist>\n"
    )
    app = "com.acme.hostile"
    return xcappdata(
        {
            f"{PREFERENCES}/{app}.plist": hostile_list(),
            **preferences("com.acme.fine", {"still": "readable"}),
            f"{PREFERENCES}/com.acme.truncated.plist": binary(LEGACY)[:300],
            f"{PREFERENCES}/com.acme.empty.plist": b"",
            f"{PREFERENCES}/com.acme.xpc.plist": b"bplist15" + bytes(40),
            f"{PREFERENCES}/com.acme.array.plist": binary([1, 2, 3]),
            f"{PREFERENCES}/com.acme.bomb.plist": bomb,
            f"{PREFERENCES}/com.acme.link.plist": Link("/etc/passwd"),
            f"{PREFERENCES}/com.acme.plist.lock": b"",
            "Documents/passwd": Link("/etc/passwd"),
            "Documents/nowhere": Link("../../../missing"),
            "Documents/outside": Link("../../.."),
            "Documents/\u202etxt.exe": "a name that reads backwards\n",
            "Documents/deep.json": "[" * 5000 + "]" * 5000,
            "Documents/plain.txt": "still readable\n",
        },
        app=app,
        name="Hostile",
    )


def simulator():
    device = {
        "UDID": "2B0C3A55-6E1F-4E3B-9A0B-5D2A7F1C9E42",
        "name": "iPhone 15",
        "runtime": "com.apple.CoreSimulator.SimRuntime.iOS-17-5",
        "deviceType": "com.apple.CoreSimulator.SimDeviceType.iPhone-15",
        "state": 1,
    }
    apps, groups = "data/Containers/Data/Application", "data/Containers/Shared/AppGroup"
    containers = {
        f"{apps}/4F1D2C3B-0A59-4C6E-8B7D-1E2F3A4B5C6D": {
            MANAGER: manager(APP, "A1B2C3D4-0001-4000-8000-000000000001"),
            **preferences(APP, woven(SETTINGS, LEGACY)),
            "Documents/welcome.json": compact_json({"title": "Welcome", "read": True}),
        },
        f"{apps}/7A6B5C4D-3E2F-4A1B-9C0D-8E7F6A5B4C3D": {
            MANAGER: manager("com.acme.timer", "A1B2C3D4-0002-4000-8000-000000000002"),
            **preferences("com.acme.timer", {"laps": [61, 59.5, 62], "sound": "bell"}, xml),
        },
        f"{groups}/9D8C7B6A-5F4E-4D3C-8B2A-1F0E9D8C7B6A": {
            MANAGER: manager("group.com.acme.notes", "A1B2C3D4-0003-4000-8000-000000000003", content_class=7),
            **preferences("group.com.acme.notes", {"widget.note": 1, "shared.since": moment("2024-05-01T00:00:00")}),
        },
    }
    files = {"device.plist": xml(device)}
    for folder, parts in containers.items():
        files |= {f"{folder}/{path}": content for path, content in parts.items()}
    return files


def million():
    """The files of a container whose app has a million keys, the legacy ones among them."""
    count, legacy = 1_000_000, dict(LEGACY)
    members, every = {}, count // (len(legacy) + 1)
    for number in range(count - len(LEGACY)):
        if number % every == every - 1 and legacy:
            key = next(iter(legacy))
            members[key] = legacy.pop(key)
        members[f"cache.item.{number:07}.state"] = f"item no. {number:07}"
    assert len(members) == count and not legacy
    return {
        MANAGER: manager(APP, "6E3C6A0E-5D0B-4E07-9A55-0C6B7A3C2F11"),
        **preferences(APP, members),
    }


def notes_databases():
    """SQLite in the forms that apps have it in, and files that are called so and are none, or are damaged."""
    store = database(
        "CREATE TABLE store (key TEXT PRIMARY KEY, value)",
        f"INSERT INTO store VALUES ('device_id', '7f3c'), ('profile', x'{archive(TRAITS).hex()}')",
        "INSERT INTO store VALUES ('launches', 12), ('rate', 0.5), ('a/b', NULL), ('password', 'open sesame')",
        "CREATE TABLE texts (lang TEXT, number INTEGER, text TEXT, PRIMARY KEY (lang, number)) WITHOUT ROWID",
        "INSERT INTO texts VALUES ('en', 2, 'two'), ('en', 1, 'one'), ('de', 1, 'eins')",
        'CREATE TABLE "odd "" name / \u00e9" (rowid TEXT, value INTEGER, doubled INTEGER AS (value * 2))',
        "INSERT INTO \"odd \"\" name / \u00e9\" VALUES ('x', 21), (NULL, 4)",
        "CREATE TABLE loose (id TEXT PRIMARY KEY)",
        "INSERT INTO loose VALUES (NULL), ('1'), (NULL)",
        "CREATE TABLE rows (id INTEGER PRIMARY KEY, text TEXT)",
        "WITH RECURSIVE n(i) AS (SELECT 1 UNION ALL SELECT i + 3 FROM n WHERE i < 3500)"
        " INSERT INTO rows SELECT i, 'row ' || i FROM n",
        "CREATE VIEW shown AS SELECT * FROM store",
        "CREATE TRIGGER kept BEFORE DELETE ON store BEGIN SELECT raise(ABORT, 'no'); END",
    )
    model = database(
        "CREATE TABLE ZNOTE (Z_PK INTEGER PRIMARY KEY, Z_ENT INTEGER, Z_OPT INTEGER, ZCREATED TIMESTAMP, ZTITLE VARCHAR)",
        "INSERT INTO ZNOTE VALUES (1, 1, 3, 746687999.5, 'Einkauf')",
        "CREATE TABLE Z_PRIMARYKEY (Z_ENT INTEGER PRIMARY KEY, Z_NAME VARCHAR, Z_SUPER INTEGER, Z_MAX INTEGER)",
        "INSERT INTO Z_PRIMARYKEY VALUES (1, 'Note', 0, 1)",
    )
    return notes_app({
        **preferences(APP, SETTINGS),
        "Documents/notes.sqlite": store,
        "Library/Application Support/model/Model.sqlite": model,
        "Documents/damaged.sqlite": store[:4096] + b"\xff" * (len(store) - 4096),
        "Documents/cut.sqlite": store[:1500],
        # What SQLCipher leaves has no header that says what it is.
        "Documents/sealed.db": bytes(byte ^ 0x5A for byte in store[:2048]),
        "Documents/empty.db": b"",
        "Documents/unnamed": model,
    })


FIXTURES = {
    "notes-legacy.xcappdata": notes_legacy,
    "notes-troubled.xcappdata": notes_troubled,
    "notes-traits-json.xcappdata": notes_traits_json,
    "notes-traits-strange.xcappdata": notes_traits_strange,
    "notes-migrated.xcappdata": notes_migrated,
    "notes-half-migrated.xcappdata": notes_half_migrated,
    "notes-empty.xcappdata": notes_empty,
    "notes-databases.xcappdata": notes_databases,
    "hostile.xcappdata": hostile,
    "simulator": simulator,
}
