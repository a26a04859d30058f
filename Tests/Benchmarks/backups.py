"""The figures of backups: 1,200 apps and 199,200 rows, plain and encrypted, beside what Python's tools take to extract them.

The peers are `pyiosbackup` (plain and encrypted) and, for the key, `openssl kdf`. With pyiosbackup it is done what iLEAPP
does: the backup is opened, every store in it is taken out, and property lists and databases are parsed with plistlib and
sqlite3. `inspect` has the files of an app as the entries of stores too, and says of each whether it can be read; so there are
two figures: beside the extraction of the same stores, files and all, and beside that of the lists and databases alone. Where
the Python that is named has no pyiosbackup, the peer reads the rows with sqlite3 and plistlib in its place, and is named so.
"""

import hashlib
import os
import pathlib
import sqlite3
import struct
import subprocess
import sys

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "Fixtures"))

from backup import PASSWORD, Keys, described, file_id, lists, schema  # noqa: E402
from ciphers import cbc, padded  # noqa: E402
from formats import binary  # noqa: E402
import backup  # noqa: E402
from first_screen import FirstScreen  # noqa: E402

APPS, FILES = 1200, 164
ROUNDS, FIRST_ROUNDS = 10_000, 10_000_000

# Takes out one store and parses it; the last argument says whether files are stores.
PARSE = """
import pathlib, plistlib, sqlite3, sys
source, target = pathlib.Path(sys.argv[1]), pathlib.Path(sys.argv[2])
def is_store(path): return path.endswith((".plist", ".sqlite")) or path and sys.argv[-1] == "files"
def parse(domain, path, content):
    place = target / domain / path
    place.parent.mkdir(parents=True, exist_ok=True)
    place.write_bytes(content)
    if path.endswith(".plist"): return plistlib.loads(content)
    if not path.endswith(".sqlite"): return
    with sqlite3.connect(place) as database:
        for name, in database.execute("SELECT name FROM sqlite_master WHERE type = 'table'").fetchall():
            database.execute(f"SELECT * FROM {name}").fetchall()
"""
PYIOSBACKUP = PARSE + """
from pyiosbackup import Backup
for file in Backup.from_path(source, sys.argv[3]).iter_files():
    if is_store(file.relative_path): parse(file.domain, file.relative_path, file.read_bytes())
"""
PLAIN_PYTHON = PARSE + """
for name, domain, path, blob in sqlite3.connect(source / "Manifest.db").execute(
        "SELECT fileID, domain, relativePath, file FROM Files WHERE flags = 1"):
    archive = plistlib.loads(blob)
    archive["$objects"][archive["$top"]["root"].data]["Size"]
    if is_store(path): parse(domain, path, (source / name[:2] / name).read_bytes())
"""


def write(target, is_encrypted):
    """A backup with all of its contents; encrypted, all of one key, as Python alone would take hours for more."""
    target.mkdir()
    keys, extra, key = None, {}, bytes(range(32))
    if is_encrypted:
        backup.ROUNDS, backup.FIRST_ROUNDS = ROUNDS, FIRST_ROUNDS
        keys = Keys("large")
        extra = {"BackupKeyBag": keys.bag, "ManifestKey": keys.wrapped(4, key)}
    for name, content in lists(is_encrypted, extra).items():
        (target / name).write_bytes(content)
    wrapped = keys.wrapped(4, key) if keys else None
    bodies = {"list": binary({"key": "value"}), "file": b"x" * 31, "database": small_database(target.parent)}
    stored = {name: cbc(key, padded(body)) if keys else body for name, body in bodies.items()}
    blobs = {name: described("x", len(body), 0o100644, 4, wrapped) for name, body in bodies.items()}
    folder = described("x", 0, 0o40755, 0)
    manifest = target / ("plain.db" if keys else "Manifest.db")
    database = sqlite3.connect(manifest)
    for statement in schema():
        database.execute(statement)
    for number in range(256):
        (target / f"{number:02x}").mkdir()
    count = 0
    for app in range(APPS):
        domain = f"AppDomain-com.example.app{app:04}"
        rows = [(file_id(domain, ""), domain, "", 2, folder)]
        paths = [(f"Library/Preferences/com.example.app{app:04}.plist", "list")]
        paths += [(f"Documents/f{number // 50}/file{number}.dat", "file") for number in range(FILES - (app % 4 == 0))]
        paths += [("Documents/notes.sqlite", "database")] if app % 4 == 0 else []
        for path, kind in paths:
            name = file_id(domain, path)
            rows.append((name, domain, path, 1, blobs[kind]))
            (target / name[:2] / name).write_bytes(stored[kind])
        database.executemany("INSERT INTO Files VALUES (?, ?, ?, ?, ?)", rows)
        count += len(rows)
    database.commit()
    database.close()
    if keys:
        # Finder puts a block of padding behind the pages, as openssl does.
        subprocess.run(
            ["openssl", "enc", "-aes-256-cbc", "-K", key.hex(), "-iv", "0" * 32, "-in", manifest, "-out",
             target / "Manifest.db"], check=True)
        manifest.unlink()
        (target.parent / "key").write_text(keys.derived.hex() + "\n")
    return count


def small_database(folder):
    """The bytes of a database of fifty rows."""
    path = folder / "notes.sqlite"
    database = sqlite3.connect(path)
    database.execute("CREATE TABLE notes (id INTEGER PRIMARY KEY, text TEXT)")
    database.executemany("INSERT INTO notes VALUES (?, ?)", ((number, f"note {number}") for number in range(50)))
    database.commit()
    database.close()
    content = path.read_bytes()
    path.unlink()
    return content


def measure(Sample, in_turn, vestige, python, runs, folder, environment):
    """Rows of (figure, value, limit, what was measured) for the table."""
    has_peer = subprocess.run([python, "-c", "import pyiosbackup"], capture_output=True).returncode == 0
    rows = []

    def seconds(sample):
        return f"{sample.time:.2f} s"

    for is_encrypted in (False, True):
        name = "encrypted backup" if is_encrypted else "backup"
        dump, out = folder / ("encrypted" if is_encrypted else "plain"), folder / "extracted"
        count = write(dump, is_encrypted)
        key = ["--key-file", folder / "key"] if is_encrypted else []
        words = "pyiosbackup" if has_peer else "sqlite3 and plistlib"
        command = [python, "-c", PYIOSBACKUP] if has_peer else [sys.executable, "-c", PLAIN_PYTHON]
        peers = []
        if has_peer or not is_encrypted:
            peers = [Sample([*command, dump, out, PASSWORD if is_encrypted else "", what]) for what in ("files", "lists")]
        inspect = Sample([vestige, "inspect", dump, "--json", *key], environment)
        first = FirstScreen([vestige, dump, *key], "com.example.app", environment)
        samples = [inspect, first, *peers]
        for peer in peers:
            peer.prepare = lambda: subprocess.run(["rm", "-rf", out], check=True)
        in_turn(max(1, runs // 3), samples)
        if peers:
            spent = 0
            if is_encrypted:
                # What it takes to derive the key is not what is compared.
                unlock = Sample([python, "-c", "import sys\nfrom pyiosbackup import Backup\nfrom pyiosbackup.keybag import "
                                 "Keybag\nfrom pyiosbackup.manifest_plist import ManifestPlist\nimport pathlib\n"
                                 "Keybag.from_manifest(ManifestPlist.from_path(pathlib.Path(sys.argv[1]) / "
                                 "'Manifest.plist'), sys.argv[2])", dump, PASSWORD])
                in_turn(1, [unlock])
                spent = unlock.time
            for peer, what in zip(peers, ("extraction of the same stores", "extraction of the lists and databases alone")):
                other = peer.time - spent
                rows.append((f"inspect --json of a {name}, {count:,} rows, beside {words}'s {what}",
                             f"{inspect.time / other:.3f}×", (0.1, "0.1×"), f"{seconds(inspect)} : {other:.2f} s"))
        rows.append((f"the same, peak memory", f"{inspect.memory / 1000:.0f} MB", (200, "200 MB"), ""))
        rows.append((f"in a terminal, until the apps of the {name} are on the screen", f"{first.time:.3f} s", (0.3, "0.3 s"), ""))
        rows.append((f"the same, peak memory", f"{first.memory / 1000:.0f} MB", (200, "200 MB"), ""))
        subprocess.run(["rm", "-rf", out], check=True)
    rows += deriving(Sample, in_turn, vestige, runs, folder, environment)
    return rows


def deriving(Sample, in_turn, vestige, runs, folder, environment):
    """A key from its password, beside OpenSSL's for both of its stages."""
    small = folder / "small"
    small.mkdir()
    backup.ROUNDS, backup.FIRST_ROUNDS = ROUNDS, FIRST_ROUNDS
    keys = Keys("large")
    for name, content in backup.backup(keys, "large").items():
        (small / name).parent.mkdir(exist_ok=True)
        (small / name).write_bytes(content)
    (folder / "small-key").write_text(keys.derived.hex() + "\n")
    derive = Sample([vestige, "inspect", small, "--json"], environment | {"VESTIGE_PASSWORD": PASSWORD})
    given = Sample([vestige, "inspect", small, "--json", "--key-file", folder / "small-key"], environment)

    def kdf(digest, rounds):
        return Sample(["openssl", "kdf", "-keylen", "32", "-kdfopt", f"digest:{digest}", "-kdfopt", f"pass:{PASSWORD}",
                       "-kdfopt", "hexsalt:" + "00" * 20, "-kdfopt", f"iter:{rounds}", "PBKDF2"])

    first, second = kdf("SHA256", FIRST_ROUNDS), kdf("SHA1", ROUNDS)
    in_turn(max(1, runs // 2), [derive, given, first, second])
    ours, theirs = derive.time - given.time, first.time + second.time
    return [("deriving a key, 10,000,000 and 10,000 rounds, beside openssl kdf", f"{ours / theirs:.2f}×", (1.2, "1.2×"),
             f"{ours:.2f} s : {theirs:.2f} s")]
