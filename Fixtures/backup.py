"""The fixtures of backups: plain, encrypted, of iOS 9, decrypted by a tool, broken, hostile. The password is `test`."""

import hashlib
import struct

from ciphers import bytes_of, cbc, gcm, padded, wrap
from formats import *
from notes import APP, LEGACY, SETTINGS

FACTS = {}
GROUP, WIDGET, TIMER = f"group.{APP}", f"{APP}.widget", "com.acme.timer"
TEAM = "ABCDE12345"
PASSWORD = "test"
ROUNDS, FIRST_ROUNDS = 1000, 2000  # real ones have 10,000 and 10,000,000
DATE = moment("2024-08-30T06:39:58")


def files():
    """The files of the domains."""
    return {
        ("AppDomain-" + APP, f"{PREFERENCES}/{APP}.plist"): binary(woven(SETTINGS, LEGACY)),
        ("AppDomain-" + APP, f"{PREFERENCES}/{APP}.editor.plist"): xml({"zoom": 1.25}),
        ("AppDomain-" + APP, "Documents/welcome.json"): compact_json({"title": "Welcome", "read": True}).encode(),
        ("AppDomain-" + APP, "Documents/empty.txt"): b"",
        ("AppDomain-" + APP, "Documents/sixteen.txt"): b"sixteen bytes ok",
        ("AppDomain-" + TIMER, f"{PREFERENCES}/{TIMER}.plist"): xml({"laps": [61, 59.5, 62], "sound": "bell"}),
        ("AppDomainGroup-" + GROUP, f"{PREFERENCES}/{GROUP}.plist"): binary({"widget.note": 1}),
        ("AppDomainGroup-" + GROUP, "shared.json"): b'{"shared":true}',
        ("AppDomainPlugin-" + WIDGET, f"{PREFERENCES}/{WIDGET}.plist"): binary({"refresh": 15}),
        ("HomeDomain", f"{PREFERENCES}/.GlobalPreferences.plist"): binary({"AppleLocale": "de_DE"}),
    }


def file_id(domain, path):
    return hashlib.sha1(f"{domain}-{path}".encode()).hexdigest()


def described(path, size, mode, protection, key=None, target=None, digest=None):
    """An archived MBFile; the system's files have a digest of what is stored."""
    fields = {
        "RelativePath": (path, False), "Size": (size, True), "Mode": (mode, True), "UserID": (501, True),
        "GroupID": (501, True), "InodeNumber": (1000 + len(path), True), "ProtectionClass": (protection, True),
        "Flags": (0, True), "Birth": (MODIFIED, True), "LastModified": (MODIFIED, True),
        "LastStatusChange": (MODIFIED, True),
    }
    if target:
        fields["Target"] = (target, False)
    if digest:
        fields["Digest"] = (Instance(["NSData", "NSObject"], {"NS.data": (digest, True)}), False)
    if key:
        fields["EncryptionKey"] = (Instance(["NSMutableData", "NSData", "NSObject"], {"NS.data": (key, True)}), False)
    return archive(Instance(["MBFile", "NSObject"], fields))


def schema():
    return [
        "CREATE TABLE Files (fileID TEXT PRIMARY KEY, domain TEXT, relativePath TEXT, flags INTEGER, file BLOB)",
        "CREATE INDEX FilesDomainIdx ON Files(domain)",
        "CREATE INDEX FilesRelativePathIdx ON Files(relativePath)",
        "CREATE INDEX FilesFlagsIdx ON Files(flags)",
        "CREATE TABLE Properties (key TEXT PRIMARY KEY, value BLOB)",
    ]


def insert(file, domain, path, flags, blob):
    def text(value):
        return "NULL" if value is None else "CAST(x'" + value.encode().hex() + "' AS TEXT)"

    body = "NULL" if blob is None else f"x'{blob.hex()}'"
    return f"INSERT INTO Files VALUES ({text(file)}, {text(domain)}, {text(path)}, {flags}, {body})"


def folders(names):
    found = set()
    for domain, path in names:
        parts = path.split("/")[:-1]
        found |= {(domain, "/".join(parts[:count])) for count in range(len(parts) + 1)}
    return sorted(found)


def lists(is_encrypted, manifest=None):
    """Info.plist, Manifest.plist and Status.plist."""
    application = {
        "CFBundleVersion": "417", "ContainerContentClass": "Data/Application",
    }
    applications = {
        APP: {"CFBundleIdentifier": APP, **application, "Path": "/var/containers/Bundle/Application/A/Acme Notes.app"},
        TIMER: {"CFBundleIdentifier": TIMER, **application, "Path": "/var/containers/Bundle/Application/B/Timer.app"},
    }
    store = binary({"itemName": "Acme Notes", "bundleShortVersionString": "2.3.1"})
    return {
        "Info.plist": xml({
            "Device Name": "Test iPhone", "Product Type": "iPhone14,5", "Product Version": "16.5",
            "Installed Applications": [APP, TIMER], "Applications": {APP: {"iTunesMetadata": store}},
            "Last Backup Date": DATE, "iTunes Version": "12.12",
        }),
        "Status.plist": binary({
            "BackupState": "new", "Date": DATE, "IsFullBackup": True, "SnapshotState": "finished",
            "UUID": "B2D6E0C4-0000-4000-8000-000000000001", "Version": "3.3",
        }),
        "Manifest.plist": binary({
            "Version": "10.0", "SystemDomainsVersion": "24.0", "Date": DATE, "IsEncrypted": is_encrypted,
            "WasPasscodeSet": True, "Applications": applications,
            "Lockdown": {"DeviceName": "Test iPhone", "ProductType": "iPhone14,5", "ProductVersion": "16.5"},
            **(manifest or {}),
        }),
    }


# --- keys -------------------------------------------------------------------------------------------------------------


class Keys:
    """The keys of an encrypted backup."""

    def __init__(self, seed, has_first=True):
        self.classes = {number: bytes_of(f"{seed} class {number}", 32) for number in range(1, 12)}
        self.device = bytes_of(f"{seed} device", 32)
        salt, first = bytes_of(f"{seed} salt", 20), bytes_of(f"{seed} first salt", 20)
        key = PASSWORD.encode()
        if has_first:
            key = hashlib.pbkdf2_hmac("sha256", key, first, FIRST_ROUNDS, 32)
        self.derived = hashlib.pbkdf2_hmac("sha1", key, salt, ROUNDS, 32)

        def field(tag, value):
            value = struct.pack(">I", value) if isinstance(value, int) else value
            return tag.encode() + struct.pack(">I", len(value)) + value

        bag = field("VERS", 5 if has_first else 3) + field("TYPE", 1) + field("UUID", bytes_of(f"{seed} bag", 16))
        bag += field("HMCK", bytes_of(f"{seed} hmck", 40)) + field("WRAP", 0) + field("SALT", salt)
        bag += field("ITER", ROUNDS)
        if has_first:
            bag += field("DPWT", 1) + field("DPIC", FIRST_ROUNDS) + field("DPSL", first)
        for number in sorted(self.classes, reverse=True):
            # Of these the key within is encrypted once more, with one that stays in the device.
            is_device = number in (5, 9, 10, 11)
            key = cbc(self.device, self.classes[number]) if is_device else self.classes[number]
            bag += field("UUID", bytes_of(f"{seed} uuid {number}", 16)) + field("CLAS", number)
            bag += field("WRAP", 3 if is_device else 2) + field("KTYP", 0) + field("WPKY", wrap(self.derived, key))
        self.bag = bag

    def wrapped(self, number, key):
        return struct.pack("<I", number) + wrap(self.classes.get(number, self.device), key)


# --- the keychain -----------------------------------------------------------------------------------------------------


def der(tag, body):
    count = len(body)
    if count < 128:
        return bytes([tag, count]) + body
    length = count.to_bytes((count.bit_length() + 7) // 8, "big")
    return bytes([tag, 0x80 | len(length)]) + length + body


def der_value(value):
    if isinstance(value, bool):
        return der(1, b"\xff" if value else b"\0")
    if isinstance(value, int):
        return der(2, value.to_bytes(value.bit_length() // 8 + 1, "big", signed=True))
    if isinstance(value, bytes):
        return der(4, value)
    if isinstance(value, datetime.datetime):
        return der(0x18, value.strftime("%Y%m%d%H%M%SZ").encode())
    return der(0x0C, value.encode())


def der_set(members):
    return der(0x31, b"".join(sorted(
        der(0x30, der(0x0C, key.encode()) + der_value(value)) for key, value in members.items())))


CLASSES = {"ak": 6, "ck": 7, "dk": 8, "aku": 9, "cku": 10, "dku": 11}
KEYCHAIN = {
    "genp": [
        {"acct": "ada", "svce": f"{APP}.token", "agrp": f"{TEAM}.{APP}", "pdmn": "ck", "v_Data": b"refresh-token-1",
         "cdat": DATE, "mdat": DATE, "sync": 0, "tomb": 0, "labl": "Token"},
        {"acct": b"\x00\x01", "svce": f"{APP}.pin", "agrp": f"{TEAM}.{APP}", "pdmn": "ak",
         "v_Data": b"\x00\x01\xfe\xff", "cdat": DATE, "mdat": DATE, "sync": 0, "tomb": 0},
        {"acct": "device", "svce": f"{APP}.key", "agrp": f"{TEAM}.{APP}", "pdmn": "cku", "v_Data": b"hidden"},
        {"acct": "timer", "svce": f"{TIMER}.token", "agrp": f"{TEAM}.{TIMER}", "pdmn": "dk", "v_Data": b"t" * 300},
    ],
    "inet": [
        {"acct": "ada", "srvr": "api.example.com", "ptcl": "htps", "port": 443, "agrp": f"{TEAM}.{APP}", "pdmn": "ck",
         "v_Data": b"pa55", "cdat": DATE, "mdat": DATE},
    ],
    "cert": [],
    "keys": [],
}


def keychain(keys, seed, tables=None):
    """keychain-backup.plist; without keys all of it is sealed for the device. An item may be its DER by itself."""
    lists = {}
    for table, items in (tables or KEYCHAIN).items():
        lists[table] = []
        for number, item in enumerate(items, 1):
            is_raw = isinstance(item, bytes)
            key, kind = bytes_of(f"{seed} {table} {number}", 32), 7 if is_raw else CLASSES[item["pdmn"]]
            wrapped = wrap(keys.classes[kind] if keys else bytes_of(f"{seed} device", 32), key)
            sealed, tag = gcm(key, item if is_raw else der_set(item))
            lists[table].append({
                "v_Data": struct.pack("<III", 3, kind, len(wrapped)) + wrapped + sealed + tag,
                "v_PersistentRef": table.encode() + struct.pack(">Q", number),
            })
    return binary(lists)


# --- backups ----------------------------------------------------------------------------------------------------------


def backup(keys=None, seed="plain", more=(), keychain_of=None, classes={}):
    """A backup as Finder makes it; `more` are further statements for its manifest, `classes` further files by class."""
    everything = files() | {("KeychainDomain", "keychain-backup.plist"): keychain_of or keychain(keys, seed)}
    everything |= {("AppDomain-" + APP, path): path.encode() for path in classes}
    statements, parts = schema(), {}
    for domain, path in folders(everything):
        statements.append(insert(file_id(domain, path), domain, path, 2, described(path, 0, 0o40755, 0)))
    for (domain, path), content in sorted(everything.items()):
        name, size, key, wrapped = file_id(domain, path), len(content), None, None
        kind = classes.get(path, 4 if domain.startswith("AppDomain") else 3)
        if keys and content:
            key = bytes_of(f"{seed} {domain} {path}", 32)
            wrapped, content = keys.wrapped(kind, key), cbc(key, padded(content))
            if "damaged" in path:
                wrapped = wrapped[:-1] + bytes([wrapped[-1] ^ 1])
        digest = hashlib.sha1(content).digest() if domain == "HomeDomain" else None
        statements.append(insert(name, domain, path, 1, described(path, size, 0o100644, kind, wrapped, digest=digest)))
        parts[f"{name[:2]}/{name}"] = content
    link = "Library/link"
    statements.append(insert(
        file_id("AppDomain-" + APP, link), "AppDomain-" + APP, link, 4,
        described(link, 0, 0o120755, 0, target="/private/var/mobile/x")))
    manifest, extra = database(*statements, *more), {}
    if keys:
        key = bytes_of(f"{seed} manifest", 32)
        manifest, extra = cbc(key, padded(manifest)), {"BackupKeyBag": keys.bag, "ManifestKey": keys.wrapped(4, key)}
    return lists(bool(keys), extra) | {"Manifest.db": manifest} | parts


def encrypted():
    return backup(Keys("encrypted"), "encrypted")


def device_classes():
    """An encrypted backup with files whose keys only the device opens, whose class nobody knows, or that are damaged."""
    return backup(Keys("classes"), "classes", classes={
        "Documents/device-5.txt": 5, "Documents/device-11.txt": 11, "Documents/unknown-77.txt": 77,
        "Documents/damaged.txt": 4,
    })


def malformed(page):
    """A backup with noise in place of a page of Manifest.db, whose first one has the schema."""
    parts = backup(seed="malformed")
    data = parts["Manifest.db"]
    parts["Manifest.db"] = data[:page * 1024] + bytes_of("malformed", 1024) + data[(page + 1) * 1024:]
    return parts


def hostile_old():
    """A Manifest.mbdb whose names lead out of the backup, whose numbers are absurd, and whose last length overruns it."""
    domain, parts = "AppDomain-" + APP, old()
    for name, path in [
        (domain, "../../../etc/passwd"), (domain, "/etc/passwd"), (domain, "Documents/welcome.json"),
        (domain, "Library/link/through.txt"),
    ]:
        parts["Manifest.mbdb"] += record(name, path, 3, 0o100644, 3)
    parts["Manifest.mbdb"] += record(domain, "Documents/huge.txt", 2**64 - 1, 0o100644, 3)
    parts["Manifest.mbdb"] += record("AppDomain-../../x", "a", 3, 0o100644, 3) + struct.pack(">H", 65000) + b"short"
    parts[file_id(domain, "Documents/huge.txt")] = b"not huge"
    return parts


def decrypted():
    """What a tool leaves that decrypts a backup in place: Manifest.plist still says that it is encrypted."""
    keys = Keys("decrypted")
    parts = backup(seed="decrypted")
    return parts | lists(True, {"BackupKeyBag": keys.bag, "ManifestKey": keys.wrapped(4, bytes(32))})


def record(domain, path, size, mode, protection=0, key=None, target=None):
    """A record of Manifest.mbdb."""
    def text(value):
        return b"\xff\xff" if value is None else struct.pack(">H", len(value)) + value

    return (text(domain.encode()) + text(path.encode()) + text(target and target.encode()) + text(None) + text(key)
            + struct.pack(">HQIIIIIQBB", mode, 1000, 501, 501, MODIFIED, MODIFIED, MODIFIED, size, protection, 1)
            + text(b"com.example.attribute") + text(b"1"))


def old(keys=None):
    """A backup of iOS 9: a flat folder and Manifest.mbdb, whose key is derived in one stage."""
    everything, seed = files(), "old encrypted" if keys else "old"
    manifest, parts = b"mbdb\5\0", {}
    for domain, path in folders(everything):
        manifest += record(domain, path, 0, 0o40755)
    for (domain, path), content in sorted(everything.items()):
        size, wrapped = len(content), None
        if keys and content:
            key = bytes_of(f"{seed} {domain} {path}", 32)
            wrapped, content = keys.wrapped(3, key), cbc(key, padded(content))
        manifest += record(domain, path, size, 0o100644, 3, wrapped)
        parts[file_id(domain, path)] = content
    manifest += record("AppDomain-" + APP, "Library/link", 0, 0o120755, target="/private/var/mobile/x")
    return lists(bool(keys), {"BackupKeyBag": keys.bag} if keys else {}) | {"Manifest.mbdb": manifest} | parts


def broken():
    """A backup as people have it: lists missing, contents missing, contents of nobody, sizes that do not agree."""
    domain, parts = "AppDomain-" + APP, backup(seed="broken")
    for name in ("Info.plist", "Status.plist"):
        del parts[name]
    missing = file_id(domain, f"{PREFERENCES}/{APP}.editor.plist")
    del parts[f"{missing[:2]}/{missing}"]
    short = file_id(domain, "Documents/welcome.json")
    parts[f"{short[:2]}/{short}"] = b'{"title":"We'
    parts["00/" + "00" * 20] = b"nobody's"
    return parts


def hostile():
    """A manifest that wants to lead out of the backup, or astray."""
    domain = "AppDomain-" + APP
    blob, archive_of_nothing = described("x", 3, 0o100644, 4), binary({"$objects": [], "$top": {}})
    rows = [
        insert("../../../../etc/passwd", domain, "Documents/id.txt", 1, blob),
        insert("a" * 40 + "/../x", domain, "Documents/slash.txt", 1, blob),
        insert("AB" * 20, domain, "Documents/capital.txt", 1, blob),
        insert("01" * 20, domain, "../../../etc/passwd", 1, blob),
        insert("02" * 20, domain, "/etc/passwd", 1, blob),
        insert("03" * 20, "AppDomain-../../etc", "passwd", 1, blob),
        insert("04" * 20, domain, "Documents/no-archive.txt", 1, b"bplist00 and no more"),
        insert("05" * 20, domain, "Documents/empty-archive.txt", 1, archive_of_nothing),
        insert("06" * 20, domain, "Documents/null.txt", 1, None),
        insert("07" * 20, domain, "Documents/welcome.json", 1, blob),
        insert("08" * 20, domain, "Library/link/through.txt", 1, blob),
        insert("09" * 20, domain, "Documents/\u202etxt.exe", 1, blob),
        insert("0a" * 20, None, None, 16, None),
        insert("0b" * 20, domain, "Documents/caf\u00e9.txt", 1, blob),
        insert("0c" * 20, domain, "Documents/cafe\u0301.txt", 1, blob),
        "CREATE TRIGGER t BEFORE INSERT ON Files BEGIN DELETE FROM Files; END",
        "CREATE TRIGGER u BEFORE UPDATE ON Files BEGIN DELETE FROM Files; END",
    ]
    parts = backup(seed="hostile", more=rows)
    for number in (9, 11, 12):
        name = f"{number:02x}" * 20
        parts[f"{name[:2]}/{name}"] = b"%03d" % number
    return parts


def with_bag(spoil):
    """An encrypted backup whose keybag was spoiled; nothing behind it is ever looked at."""
    keys = Keys("bag")
    return lambda: lists(True, {"BackupKeyBag": spoil(keys.bag), "ManifestKey": keys.wrapped(4, bytes(32))}) | {
        "Manifest.db": bytes_of("bag manifest", 1024)}


def replaced(tag, value):
    """A bag with another value, or another length, of one of its fields."""
    return lambda bag: bag[:bag.index(tag) + 4] + value + bag[bag.index(tag) + 4 + len(value):]


def hostile_keychain():
    """An encrypted backup with items whose lengths lead past their end, and one that is whole."""
    keys, seed = Keys("hostile keychain"), "hostile keychain"
    name = der(0x0C, b"acct")
    items = [
        der(0x31, der(0x30, name + b"\x0c\x84\xff\xff\xff\xff")),
        b"\x31\x85\xff\xff\xff\xff\xff" + name,
        der(0x31, b"\x30\x7f" + name),
        KEYCHAIN["genp"][0],
    ]
    return backup(keys, seed, keychain_of=keychain(keys, seed, {"genp": items}))


def without_table(*statements):
    """A backup whose manifest has no table of files."""
    return lambda: lists(False) | {"Manifest.db": database(*statements)}


def ufed():
    """UFED's backup_keychain_v2.plist, with an item for each way in which one can be."""
    class_keys = {"7": bytes_of("ufed class 7", 32)}

    def sealed(key, data, seed):
        vector = bytes_of(f"ufed {seed} vector", 32)
        cipher, tag = gcm(key, data, vector)
        return archive(Instance(["_SFAuthenticatedCiphertext", "_SFCiphertext", "NSObject"], {
            "SFCiphertext": (cipher, True), "SFAuthenticationCode": (tag, True), "SFInitializationVector": (vector, True),
        }))

    entries = []
    for number, (table, item) in enumerate([("genp", KEYCHAIN["genp"][0]), ("inet", KEYCHAIN["inet"][0]), (None, KEYCHAIN["genp"][3])]):
        metadata, data = bytes_of(f"ufed metadata {number}", 32), bytes_of(f"ufed data {number}", 32)
        attributes = {key: value for key, value in item.items() if key != "v_Data"}
        entry = {
            "rowID": number + 1, "version": 8, "classKeyIdx": 7,
            "metadata": {
                "wrappedKey": sealed(class_keys["7"], metadata, f"key {number}"),
                "ciphertext": sealed(metadata, der_set(attributes), f"metadata {number}"), "tamperCheck": "x",
            },
            # Padded as a block cipher would.
            "data": {"unwrappedKey": data, "ciphertext": sealed(data, padded(der_set({"v_Data": item["v_Data"]})), f"data {number}")},
        }
        entries.append(entry | ({"table": table} if table else {}))
    entries.append({"rowID": 9, "rawData": b"locked"})
    entries.append(entries[0] | {"classKeyIdx": 6})
    return {"backup_keychain_v2.plist": binary({
        "classKeyIdxToUnwrappedMetadataClassKey": class_keys, "keychainEntries": entries})}


FIXTURES = {
    "keychain-ufed": ufed,
    "backup": backup,
    "backup-encrypted": encrypted,
    "backup-decrypted": decrypted,
    "backup-old": old,
    "backup-old-encrypted": lambda: old(Keys("old encrypted", has_first=False)),
    "backup-broken": broken,
    "backup-hostile": hostile,
    "backup-device-classes": device_classes,
    "backup-malformed": lambda: malformed(1),
    "backup-malformed-schema": lambda: malformed(0),
    "backup-hostile-old": hostile_old,
    "backup-view": without_table(
        "CREATE TABLE f (fileID, domain, relativePath, flags, file)", "CREATE VIEW Files AS SELECT * FROM f"),
    "backup-other-schema": without_table("CREATE TABLE Files (fileID TEXT PRIMARY KEY, domain TEXT)"),
    "backup-computed": without_table(
        "CREATE TABLE Files (fileID TEXT, domain TEXT, relativePath TEXT, flags INTEGER, "
        "file BLOB AS (zeroblob(1000000000)))"),
    "backup-bag-lengths": with_bag(replaced(b"SALT", b"\xff\xff\xff\xf0")),
    "backup-bag-rounds": with_bag(replaced(b"ITER", b"\0\0\0\4\xf0\0\0\0")),
    "backup-hostile-keychain": hostile_keychain,
    "backup-no-database": lambda: lists(False) | {"Manifest.db": b"not a database at all" * 60},
}
