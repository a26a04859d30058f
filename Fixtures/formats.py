"""What fixtures are made of: property lists, keyed archives, files, containers. Python's standard library alone."""

import datetime
import json
import os
import pathlib
import plistlib
import sqlite3
import struct
import tempfile

MODIFIED = 1725000000  # every file's time of modification: 2024-08-30T06:40:00Z
MANAGER = ".com.apple.mobile_container_manager.metadata.plist"
PREFERENCES = "Library/Preferences"


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


def xcappdata(files, app, name):
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


# --- keychain exports -------------------------------------------------------------------------------------------------

KEYCHAIN_MOMENT = "2024-08-30T06:40:00"
ACCESSIBLE = {
    "ak": "WhenUnlocked", "ck": "AfterFirstUnlock", "dk": "Always", "aku": "WhenUnlockedThisDeviceOnly",
    "cku": "AfterFirstUnlockThisDeviceOnly", "dku": "AlwaysThisDeviceOnly", "akpu": "WhenPasscodeSetThisDeviceOnly",
}


def keychain_item(service, account, data, group, accessible="ck", label="", generic=b"", kind="genp"):
    """An item of a keychain; data of None is a locked one. Of an internet password (inet) the service is the server."""
    data = data.encode() if isinstance(data, str) else data
    return {
        "service": service, "account": account, "data": data, "group": group, "accessible": accessible,
        "label": label, "generic": generic, "kind": kind,
    }


def objection_json(items):
    """What `ios keychain dump --json` of objection writes: 22 fields of text an item; no server, no word on a lock."""
    def fields(item):
        data = item["data"]
        try:
            text = "" if data is None else data.decode()
        except UnicodeDecodeError:
            text = ""
        names = {"genp": "GenericPassword", "inet": "InternetPassword", "cert": "Certificate", "keys": "Key"}
        moment = KEYCHAIN_MOMENT.replace("T", " ") + " +0000"
        values = {
            "access_control": "", "accessible_attribute": "kSecAttrAccessible" + ACCESSIBLE[item["accessible"]],
            "account": item["account"], "alias": "", "comment": "", "create_date": moment, "creator": "",
            "custom_icon": "", "data": text, "dataHex": "" if data is None else data.hex(), "description": "",
            "entitlement_group": item["group"], "generic": item["generic"].decode(), "invisible": "",
            "item_class": "kSecClass" + names[item["kind"]], "label": item["label"], "modification_date": moment,
            "negative": "", "protected": "", "script_code": "",
            "service": item["service"] if item["kind"] == "genp" else "", "type": "",
        }
        return values

    return json.dumps([fields(item) for item in items], indent=2, sort_keys=True).encode()


def graykey(items, form=xml, everything_as_data=False):
    """What GrayKey leaves; its old versions write every text as data that ends with a NUL."""
    def text(value):
        return value.encode() + b"\0" if everything_as_data else value

    lists = {"cert": [], "genp": [], "inet": [], "keys": []}
    for item in items:
        moments = moment(KEYCHAIN_MOMENT)
        attributes = {"acct": text(item["account"]), "agrp": text(item["group"]), "cdat": moments}
        if item["generic"]:
            attributes["gena"] = item["generic"]
        if item["label"]:
            attributes["labl"] = text(item["label"])
        attributes |= {"mdat": moments, "pdmn": text(item["accessible"])}
        attributes["svce" if item["kind"] == "genp" else "srvr"] = text(item["service"])
        attributes |= {"sync": 0, "tomb": 0}
        if item["data"] is not None:
            attributes["v_Data"] = item["data"]
        lists[item["kind"]].append(attributes)
    return form(lists)


def keychain_dumper(items):
    """The text that Keychain-Dumper prints: a block an item."""
    def block(item):
        def shown(text):
            return text if text else "(null)"

        data = item["data"]
        is_text = data is not None and data.isascii() and all(byte >= 32 or byte == 10 for byte in data)
        secret = f"Keychain Data: {data.decode()}" if is_text else f"Keychain Data (Hex): 0x{(data or b'').hex()}"
        if data is None:
            secret = "Keychain Data: (null)"
        accessible = f"kSecAttrAccessible{ACCESSIBLE[item['accessible']]}, protection level 1"
        if item["kind"] == "genp":
            lines = ["Generic Password", "----------------", f"Service: {shown(item['service'])}"]
        else:
            lines = ["Internet Password", "-----------------", f"Server: {shown(item['service'])}"]
        lines += [
            f"Account: {shown(item['account'])}", f"Entitlement Group: {shown(item['group'])}",
            f"Label: {shown(item['label'])}", f"Accessible Attribute: {accessible}",
        ]
        if item["kind"] == "genp":
            lines += ["Description: (null)", "Comment: (null)", "Synchronizable: 0",
                      f"Generic Field: {shown(item['generic'].decode())}"]
        return "\n".join(lines + [secret]) + "\n\n"

    return "".join(block(item) for item in items).encode()
