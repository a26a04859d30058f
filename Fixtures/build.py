#!/usr/bin/env python3
"""Writes the fixtures beside this file, with Python's standard library alone.

    python3 Fixtures/build.py                 write every fixture anew
    python3 Fixtures/build.py --check         fail where the fixtures differ from what this would write
    python3 Fixtures/build.py --million PATH  write a container with a store of a million keys (62 MB) to PATH

The same bytes come out on every run. Our own readers and writers take no part in this, so that they are tested
against something else.
"""

import argparse
import datetime
import filecmp
import json
import os
import pathlib
import plistlib
import shutil
import sqlite3
import struct
import sys
import tempfile

HERE = pathlib.Path(__file__).resolve().parent
MODIFIED = 1725000000  # every file's time of modification: 2024-08-30T06:40:00Z
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


# --- property lists ---------------------------------------------------------------------------------------------------


def binary(value):
    return plistlib.dumps(value, fmt=plistlib.FMT_BINARY, sort_keys=False)


def xml(value):
    return plistlib.dumps(value, fmt=plistlib.FMT_XML, sort_keys=False)


def compact_json(value):
    return json.dumps(value, ensure_ascii=False, separators=(",", ":"))


class Instance:
    """An object of a keyed archive: its class, the classes above that, and its fields."""

    def __init__(self, classes, fields):
        self.classes, self.fields = classes, fields


def archive(root):
    """What NSKeyedArchiver writes: every object in `$objects`, referred to by its number."""
    objects, numbers, classes = ["$null"], {}, {}

    def class_of(names):
        if names[0] not in classes:
            objects.append({"$classname": names[0], "$classes": names})
            classes[names[0]] = plistlib.UID(len(objects) - 1)
        return classes[names[0]]

    def add(value):
        if value is None:
            return plistlib.UID(0)
        if isinstance(value, (str, int, float, bool)):
            key = (type(value), value)
            if key not in numbers:
                numbers[key] = plistlib.UID(len(objects))
                objects.append(value)
            return numbers[key]
        number = len(objects)
        objects.append(None)
        if isinstance(value, dict):
            fields = {"NS.keys": [add(key) for key in value], "NS.objects": [add(item) for item in value.values()]}
            names = ["NSDictionary", "NSObject"]
        elif isinstance(value, list):
            fields = {"NS.objects": [add(item) for item in value]}
            names = ["NSArray", "NSObject"]
        elif isinstance(value, datetime.datetime):
            since = value - datetime.datetime(2001, 1, 1)
            fields, names = {"NS.time": since.total_seconds()}, ["NSDate", "NSObject"]
        else:
            fields, names = {}, value.classes
            for name, (item, is_inline) in value.fields.items():
                fields[name] = item if is_inline else add(item)
        fields["$class"] = class_of(names)
        objects[number] = fields
        return plistlib.UID(number)

    top = add(root)
    return binary({"$version": 100000, "$archiver": "NSKeyedArchiver", "$top": {"root": top}, "$objects": objects})


class RawList:
    """A binary property list put together object by object, also such as no writer would write."""

    def __init__(self):
        self.objects = []

    def add(self, body):
        self.objects.append(body)
        return len(self.objects) - 1

    @staticmethod
    def head(kind, count):
        if count < 15:
            return bytes([kind << 4 | count])
        for size, log in ((1, 0), (2, 1), (4, 2)):
            if count < 1 << 8 * size:
                return bytes([kind << 4 | 15, 0x10 | log]) + count.to_bytes(size, "big")
        raise ValueError(count)

    def ascii(self, data):
        """A string of one byte a character; the bytes need not be ASCII."""
        data = data if isinstance(data, bytes) else data.encode("ascii")
        return self.add(self.head(5, len(data)) + data)

    def utf16(self, text):
        data = text if isinstance(text, bytes) else text.encode("utf-16-be", "surrogatepass")
        return self.add(self.head(6, len(data) // 2) + data)

    def text(self, text):
        return self.ascii(text) if text.isascii() else self.utf16(text)

    def data(self, data):
        return self.add(self.head(4, len(data)) + data)

    def integer(self, value, size=8):
        log = {1: 0, 2: 1, 4: 2, 8: 3, 16: 4}[size]
        return self.add(bytes([0x10 | log]) + (value % (1 << 8 * size)).to_bytes(size, "big"))

    def date(self, seconds):
        return self.add(b"\x33" + struct.pack(">d", seconds))

    def real(self, value):
        return self.add(b"\x23" + struct.pack(">d", value))

    def bool(self, value):
        return self.add(b"\x09" if value else b"\x08")

    def array(self, numbers):
        return self.add(self.head(10, len(numbers)) + b"".join(n.to_bytes(2, "big") for n in numbers))

    def dictionary(self, pairs):
        numbers = [key for key, _ in pairs] + [value for _, value in pairs]
        return self.add(self.head(13, len(pairs)) + b"".join(n.to_bytes(2, "big") for n in numbers))

    def finish(self, top):
        body, offsets = b"bplist00", []
        for item in self.objects:
            offsets.append(len(body))
            body += item
        table = b"".join(offset.to_bytes(4, "big") for offset in offsets)
        trailer = struct.pack(">6xBBQQQ", 4, 2, len(offsets), top, len(body))
        return body + table + trailer


def doubling(levels):
    """A list of 173 bytes for 26 levels that is two times itself, again and again: 2**levels values written out."""
    objects = [bytes([0xA2, n + 1, n + 1]) for n in range(levels)] + [b"\x09"]
    body, offsets = b"bplist00", []
    for item in objects:
        offsets.append(len(body))
        body += item
    table = b"".join(offset.to_bytes(2, "big") for offset in offsets)
    return body + table + struct.pack(">6xBBQQQ", 2, 1, len(objects), 0, len(body))


# --- files ------------------------------------------------------------------------------------------------------------


class Link:
    """A symbolic link to a path."""

    def __init__(self, target):
        self.target = target


def write_tree(root, files):
    """Writes files by their relative paths, all with the same times and modes."""
    for name, content in files.items():
        path = root / name
        path.parent.mkdir(parents=True, exist_ok=True)
        if isinstance(content, Link):
            path.symlink_to(content.target)
            os.utime(path, (MODIFIED, MODIFIED), follow_symlinks=False)
            continue
        path.write_bytes(content if isinstance(content, bytes) else content.encode())
        path.chmod(0o644)
        os.utime(path, (MODIFIED, MODIFIED))
    for folder, _, _ in os.walk(root, topdown=False):
        os.chmod(folder, 0o755)
        os.utime(folder, (MODIFIED, MODIFIED))


def database(*statements):
    """A small SQLite database; the version of the library that wrote it is taken out of its header."""
    with tempfile.TemporaryDirectory() as folder:
        path = os.path.join(folder, "database")
        connection = sqlite3.connect(path, isolation_level=None)
        connection.execute("PRAGMA page_size = 1024")
        for statement in statements:
            connection.execute(statement)
        connection.close()
        data = bytearray(pathlib.Path(path).read_bytes())
    data[96:100] = (3039005).to_bytes(4, "big")
    return bytes(data)


def moment(text):
    return datetime.datetime.strptime(text, "%Y-%m-%dT%H:%M:%S")


# --- the parts of a container -----------------------------------------------------------------------------------------


def manager(identifier, uuid, content_class=2):
    return binary({
        "MCMMetadataIdentifier": identifier,
        "MCMMetadataUUID": uuid,
        "MCMMetadataContentClass": content_class,
        "MCMMetadataPersona": 501,
        "MCMMetadataInfo": {},
    })


def xcappdata(files, app=APP, name="Acme Notes"):
    """The files of an .xcappdata with these in its AppData."""
    info = {
        "CFBundleIdentifier": app,
        "XCApplicationName": name,
        "XCExecutableName": name.replace(" ", ""),
        "XCExecutableVersion": "2.3.1",
        "XCMinimumOSVersion": "15.0",
        "XCDownloadDate": "2024-08-30 06:39.58.214",
    }
    parts = {"AppDataInfo.plist": binary(info)}
    files = {MANAGER: manager(app, "6E3C6A0E-5D0B-4E07-9A55-0C6B7A3C2F11"), **files}
    return parts | {f"AppData/{path}": content for path, content in files.items()}


MANAGER = ".com.apple.mobile_container_manager.metadata.plist"
PREFERENCES = "Library/Preferences"
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


def preferences(domain, members, form=binary):
    return {f"{PREFERENCES}/{domain}.plist": form(members)}


def woven(first, second):
    """Both dictionaries in one, entries of each in turn, as cfprefsd leaves them in no order that helps."""
    result, pairs = {}, [list(first.items()), list(second.items())]
    while any(pairs):
        for rest in pairs:
            if rest:
                result.setdefault(*rest.pop(0))
    return result


def changed(members, without=(), **changes):
    return {key: value for key, value in (members | changes).items() if key not in without}


# --- the fixtures -----------------------------------------------------------------------------------------------------


def notes_legacy():
    notes = [{"id": 1, "title": "Einkauf", "pinned": True}, {"id": 2, "title": "Ideas", "pinned": False}]
    event = {"type": "track", "event": "Note Opened", "userId": "u-42", "originalTimestamp": "2024-08-30T05:16:40.000Z"}
    return xcappdata({
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
    return xcappdata(preferences(APP, woven(SETTINGS, members)))


def notes_traits_json():
    traits = (
        '{ "plan": "pro", "userId": "u-77", "score": 1.50, "id": "9", "anonymousId": "y",'
        ' "email": "a@b.c", "name": "J\\u00fcrgen", "tags": ["a", "b"] }'
    )
    return xcappdata(preferences(APP, woven(SETTINGS, changed(LEGACY, rs_traits=traits))))


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
    return xcappdata(preferences(APP, woven(SETTINGS, changed(LEGACY, rs_traits=archive(traits)))))


def notes_migrated():
    return xcappdata({**preferences(APP, woven(SETTINGS, LEGACY)), **preferences(SUITE, MIGRATED)})


def notes_half_migrated():
    suite = {
        "anonymous_id": MIGRATED["anonymous_id"],
        "user_id": "someone-else",
        "rudder.app_version": MIGRATED["rudder.app_version"],
    }
    return xcappdata({**preferences(APP, woven(SETTINGS, LEGACY)), **preferences(SUITE, suite)})


def notes_empty():
    return xcappdata(preferences(APP, SETTINGS))


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


FIXTURES = {
    "notes-legacy.xcappdata": notes_legacy,
    "notes-troubled.xcappdata": notes_troubled,
    "notes-traits-json.xcappdata": notes_traits_json,
    "notes-traits-strange.xcappdata": notes_traits_strange,
    "notes-migrated.xcappdata": notes_migrated,
    "notes-half-migrated.xcappdata": notes_half_migrated,
    "notes-empty.xcappdata": notes_empty,
    "hostile.xcappdata": hostile,
    "simulator": simulator,
}


def build(target):
    """Writes every fixture into a folder, each in place of the one that is there."""
    for name, files in FIXTURES.items():
        if (target / name).exists():
            shutil.rmtree(target / name)
        write_tree(target / name, files())
    facts = target / "facts.json"
    facts.write_text(json.dumps(FACTS, indent=2) + "\n")
    os.utime(facts, (MODIFIED, MODIFIED))


def entries(root):
    """Everything in a folder but folders, by relative path."""
    return {
        os.path.relpath(os.path.join(folder, name), root)
        for folder, folders, files in os.walk(root)
        for name in files + [name for name in folders if os.path.islink(os.path.join(folder, name))]
    }


def differences(expected, found):
    for name in [*FIXTURES, "facts.json"]:
        here, there = expected / name, found / name
        if here.is_file():
            if not there.is_file() or here.read_bytes() != there.read_bytes():
                yield name
            continue
        for path in sorted(entries(here) | entries(there)):
            one, other = here / path, there / path
            if one.is_symlink() or other.is_symlink():
                if not (one.is_symlink() and other.is_symlink() and os.readlink(one) == os.readlink(other)):
                    yield f"{name}/{path}"
            elif not (one.is_file() and other.is_file() and filecmp.cmp(one, other, shallow=False)):
                yield f"{name}/{path}"


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--check", action="store_true", help="fail where the fixtures differ")
    parser.add_argument("--million", metavar="PATH", help="write a container with a store of a million keys")
    arguments = parser.parse_args()
    if arguments.million:
        target = pathlib.Path(arguments.million)
        if target.exists():
            sys.exit(f"{target} exists already; name a new folder")
        write_tree(target, million())
    elif arguments.check:
        with tempfile.TemporaryDirectory() as folder:
            build(pathlib.Path(folder))
            found = list(differences(pathlib.Path(folder), HERE))
        if found:
            sys.exit("these fixtures are not what build.py writes (run it, and look at what changed):\n  " + "\n  ".join(found))
        print(f"{len(FIXTURES)} fixtures are as build.py writes them")
    else:
        build(HERE)


if __name__ == "__main__":
    main()
