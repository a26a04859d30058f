#!/usr/bin/env python3
"""Reads a backup by itself, with Python's standard library alone: what an export has written is held against it.

    python3 Fixtures/read_backup.py BACKUP [PASSWORD]

Prints JSON: for each file `domain/path` its content in hexadecimal, and the size, the time and whether the digest, where
there is one, is right, as its row says. Ends with an error where anything is not as a backup has it.
"""

import hashlib
import json
import pathlib
import plistlib
import sqlite3
import struct
import sys
import tempfile

from ciphers import uncbc, unwrap


def class_keys(bag, password):
    """The keys of the classes that the password opens."""
    header, classes, current, offset = {}, {}, None, 0
    while offset < len(bag):
        tag, count = bag[offset:offset + 4], struct.unpack(">I", bag[offset + 4:offset + 8])[0]
        value, offset = bag[offset + 8:offset + 8 + count], offset + 8 + count
        if tag == b"UUID" and b"UUID" in header:
            current = classes.setdefault(len(classes), {})
        (header if current is None else current)[tag] = value
    number = lambda value: struct.unpack(">I", value)[0]
    key = password.encode()
    if b"DPSL" in header:
        key = hashlib.pbkdf2_hmac("sha256", key, header[b"DPSL"], number(header[b"DPIC"]), 32)
    key = hashlib.pbkdf2_hmac("sha1", key, header[b"SALT"], number(header[b"ITER"]), 32)
    found = {}
    for fields in classes.values():
        if number(fields[b"WRAP"]) == 2:
            found[number(fields[b"CLAS"])] = unwrap(key, fields[b"WPKY"])
    assert found and all(found.values()), "the password opens nothing"
    return found


def opened(keys, wrapped):
    key = unwrap(keys[struct.unpack("<I", wrapped[:4])[0]], wrapped[4:])
    assert key, "a wrapped key is damaged"
    return key


def resolved(archive, value):
    if isinstance(value, plistlib.UID):
        value = archive["$objects"][value.data]
    if isinstance(value, dict) and "NS.data" in value:
        value = resolved(archive, value["NS.data"])
    return None if value == "$null" else value


def files(folder, password):
    lists = plistlib.loads((folder / "Manifest.plist").read_bytes())
    assert lists["IsEncrypted"] == bool(password)
    keys = class_keys(lists["BackupKeyBag"], password) if password else None
    manifest = (folder / "Manifest.db").read_bytes()
    if keys:
        manifest = uncbc(opened(keys, lists["ManifestKey"]), manifest)
        # Some have a block of padding behind the pages.
        assert len(manifest) % 512 == 0 or len(manifest) % 512 == 16 and manifest.endswith(b"\x10" * 16)
        manifest = manifest[:len(manifest) // 512 * 512]
    assert manifest.startswith(b"SQLite format 3\0"), "Manifest.db is no database"
    answer, payloads = {}, set()
    with tempfile.NamedTemporaryFile() as copy:
        copy.write(manifest)
        copy.flush()
        database = sqlite3.connect(copy.name)
        assert database.execute("PRAGMA integrity_check").fetchall() == [("ok",)]
        rows = database.execute("SELECT fileID, domain, relativePath, file FROM Files WHERE flags = 1").fetchall()
        database.close()
    for name, domain, path, blob in rows:
        assert name == hashlib.sha1(f"{domain}-{path}".encode()).hexdigest()
        archive = plistlib.loads(blob)
        fields = archive["$objects"][archive["$top"]["root"].data]
        stored = (folder / name[:2] / name).read_bytes()
        payloads.add(f"{name[:2]}/{name}")
        content, wrapped = stored, resolved(archive, fields.get("EncryptionKey"))
        if keys and wrapped:
            content = uncbc(opened(keys, wrapped), stored)
            assert 1 <= content[-1] <= 16 and content.endswith(bytes([content[-1]]) * content[-1]), "no padding"
            content = content[:-content[-1]]
        digest = resolved(archive, fields.get("Digest"))
        answer[f"{domain}/{path}"] = {
            "content": content.hex(), "size": fields["Size"], "modified": fields["LastModified"],
            "digest": None if digest is None else digest == hashlib.sha1(stored).digest(),
        }
        assert fields["Size"] == len(content), f"{path}: its size is {len(content)}, and its row says {fields['Size']}"
    there = {str(f.relative_to(folder)) for f in folder.rglob("*") if f.is_file() and len(f.name) == 40}
    assert there == payloads, f"contents of nobody: {there - payloads}"
    return answer


if __name__ == "__main__":
    print(json.dumps(files(pathlib.Path(sys.argv[1]), sys.argv[2] if len(sys.argv) > 2 else "")))
