#!/usr/bin/env python3
"""Writes archives, sound and hostile, of other fixtures or of any folder, with Python's standard library alone.

    python3 Fixtures/archives.py KIND TARGET SOURCE

They are not kept beside the fixtures: each would hold one of them a second time, and what a bomb is made of, or a hole of
4 GB, is nothing to keep. Of a zip with a password it is "test", where nothing else is said.
"""

import bz2
import io
import lzma
import gzip
import hashlib
import hmac
import os
import pathlib
import struct
import sys
import tarfile
import zipfile
import zlib

import ciphers


def files(source):
    if os.path.isfile(source):
        yield pathlib.Path(source), os.path.basename(source)
    for folder, folders, names in os.walk(source):
        folders.sort()
        for name in sorted(names):
            path = pathlib.Path(folder, name)
            yield path, os.path.relpath(path, pathlib.Path(source).parent)


def as_zip(target, source):
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, name in files(source):
            archive.write(path, name)


def as_tar(source):
    output = io.BytesIO()
    with tarfile.open(fileobj=output, mode="w") as archive:
        archive.add(source, os.path.basename(source))
    return output.getvalue()


def as_zstd(data):
    """A frame of blocks that are stored."""
    result, blocks = b"\x28\xb5\x2f\xfd" + bytes([0b10100000]) + struct.pack("<I", len(data)), range(0, len(data), 1 << 17)
    for start in blocks:
        part = data[start:start + (1 << 17)]
        result += ((len(part) << 3) | (start == blocks[-1])).to_bytes(3, "little") + part
    return result


class Keys:
    """The old encryption of zip archives."""

    def __init__(self, password):
        self.keys = [0x12345678, 0x23456789, 0x34567890]
        for byte in password:
            self.update(byte)

    def update(self, byte):
        a, b, c = self.keys
        a = self.crc(a, byte)
        b = (b + (a & 0xFF)) * 134775813 + 1 & 0xFFFFFFFF
        self.keys = [a, b, self.crc(c, b >> 24)]

    @staticmethod
    def crc(value, byte):
        value = (value ^ byte) & 0xFF ^ value & 0xFFFFFF00
        for _ in range(8):
            value = value >> 1 ^ (0xEDB88320 if value & 1 else 0)
        return value

    def encrypt(self, data):
        result = bytearray()
        for byte in data:
            value = self.keys[2] & 0xFFFF | 2
            result.append(byte ^ (value * (value ^ 1) >> 8) & 0xFF)
            self.update(byte)
        return bytes(result)


def as_elsewhere(target, source):
    """A zip with the password "other"."""
    as_locked(target, source, password=b"other")


def as_locked(target, source, isLocked=lambda name: True, password=b"test", again=()):
    body, directory, count = b"", b"", 0
    members = [(name, path.read_bytes(), isLocked(name)) for path, name in files(source)]
    for name, data, isProtected in [*members, *((name, data, True) for name, data, _ in members if name in again)]:
        name, crc = name.encode(), zlib.crc32(data)
        stored = Keys(password).encrypt(bytes(11) + bytes([crc >> 24]) + data) if isProtected else data
        flags = 0x0801 if isProtected else 0x0800
        common = struct.pack("<HHHHHIIIHH", 20, flags, 0, 0, 0x5921, crc, len(stored), len(data), len(name), 0)
        directory += b"PK\1\2" + struct.pack("<H", 0x0314) + common + struct.pack("<HHHII", 0, 0, 0, 0o100644 << 16, len(body)) + name
        body += b"PK\3\4" + common + name + stored
        count += 1
    end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, count, count, len(directory), len(body), 0)
    pathlib.Path(target).write_bytes(body + directory + end)


def as_aes(target, source):
    """A zip whose entries are encrypted as WinZip does it (AE-2, AES-256, method 99)."""
    body, directory, count = b"", b"", 0
    for path, name in files(source):
        data, name = path.read_bytes(), name.encode()
        salt = ciphers.bytes_of(f"aes {count}", 16)
        keys = hashlib.pbkdf2_hmac("sha1", b"test", salt, 1000, 66)
        cipher, packed = ciphers.AES(keys[:32]), deflated(data)
        stream = b"".join(cipher.block((number + 1).to_bytes(16, "little")) for number in range((len(packed) + 15) // 16))
        sealed = bytes(a ^ b for a, b in zip(packed, stream))
        stored = salt + keys[64:] + sealed + hmac.new(keys[32:64], sealed, "sha1").digest()[:10]
        extra = struct.pack("<HHH2sBH", 0x9901, 7, 2, b"AE", 3, 8)
        common = struct.pack("<HHHHHIIIHH", 51, 0x0801, 99, 0, 0x5921, 0, len(stored), len(data), len(name), len(extra))
        directory += b"PK\1\2" + struct.pack("<H", 0x0333) + common
        directory += struct.pack("<HHHII", 0, 0, 0, 0o100644 << 16, len(body)) + name + extra
        body += b"PK\3\4" + common + name + extra + stored
        count += 1
    write(target, body, directory, struct.pack("<4sHHHHIIH", b"PK\5\6", 0, 0, count, count, len(directory), len(body), 0))


def as_again(target, source):
    """A zip of which nothing needs the password but one file that stands in it a second time."""
    name = next(name for _, name in files(source) if name.endswith("/welcome.json"))
    as_locked(target, source, lambda name: False, again=[name])


def as_partly(target, source):
    """A zip of which the notes alone need the password."""
    as_locked(target, source, lambda name: "Documents/" in name)


def as_methods(target, source):
    """A zip in which each entry is packed in another way, with large sizes, names and comments of every kind."""
    methods = [zipfile.ZIP_STORED, zipfile.ZIP_DEFLATED, zipfile.ZIP_BZIP2, zipfile.ZIP_LZMA]
    with zipfile.ZipFile(target, "w") as archive:
        for index, (path, name) in enumerate(files(source)):
            info = zipfile.ZipInfo.from_file(path, name)
            info.compress_type = methods[index % 4]
            with archive.open(info, "w", force_zip64=True) as entry:
                entry.write(path.read_bytes())
        archive.comment = b"a comment"


def as_streamed(target, source):
    """A zip that was written to a pipe: what an entry has of sizes and checksum stands behind it."""
    class Pipe(io.RawIOBase):
        data = b""
        def writable(self): return True
        def write(self, part):
            self.data += bytes(part)
            return len(part)
    pipe = Pipe()
    with zipfile.ZipFile(pipe, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, name in files(source):
            archive.writestr(name, path.read_bytes())
    pathlib.Path(target).write_bytes(pipe.data)


def entries(source):
    return [[name.encode(), path.read_bytes(), {}] for path, name in files(source)]


def raw_zip(members):
    """A zip of (name, content, what is told otherwise): flags, crc, size, packed, offset, local, extra, data, time."""
    body, directory = b"", b""
    for name, data, other in members:
        packed = other.get("data", data)
        common = struct.pack(
            "<HHHHHIIIHH", 20, other.get("flags", 0x0800), other.get("method", 0), 0, 0x5921, other.get("crc", zlib.crc32(data)),
            other.get("packed", len(packed)), other.get("size", len(data)), len(name), len(other.get("extra", b"")))
        local = other.get("local", name)
        start = other.get("offset", len(body))
        directory += b"PK\1\2" + struct.pack("<H", 0x0314) + common
        directory += struct.pack("<HHHII", 0, 0, 0, 0o100644 << 16, start) + name + other.get("extra", b"")
        body += b"PK\3\4" + common[:22] + struct.pack("<HH", len(local), 0) + local + packed
    end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, len(members) & 0xFFFF, len(members) & 0xFFFF, len(directory), len(body), 0)
    return body, directory, end


def deflated(data):
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    return packer.compress(data) + packer.flush()


def write(target, *parts):
    pathlib.Path(target).write_bytes(b"".join(parts))


def as_before(target, source):
    """A program stands before the zip, and the places in it are counted from behind that."""
    write(target, b"#!/bin/sh\nexit 1\n" * 20, *raw_zip(entries(source)))


def as_broken(target, source):
    """Entries of which each is damaged in its own way, beside the others."""
    root = os.path.basename(source).encode() + b"/AppData/Documents/"
    text, zeros = b"text" * 100, bytes(1 << 20)
    write(target, *raw_zip(entries(source) + [
        [root + b"outside", text, {"offset": 1 << 30}],
        [root + b"ends-outside", text, {"packed": 1 << 30, "size": 1 << 30}],
        [root + b"other-name", text, {"local": root + b"some-name!"}],
        [root + b"checksum", text, {"crc": 1}],
        [root + b"longer", zeros, {"method": 8, "data": deflated(zeros), "size": 1000}],
        [root + b"shorter", text, {"method": 8, "data": deflated(text), "size": 1000}],
        [root + b"garbage", text, {"method": 8, "data": b"\xff" * 100}],
        [root + b"ends-early", zeros, {"method": 8, "data": deflated(zeros)[:500]}],
        [root + b"bomb", b"x", {"method": 8, "data": deflated(b"x"), "size": 0xF0000000}],
        [root + b"unknown-method", text, {"method": 77}],
        [root + b"enormous", text, {
            "offset": 0xFFFFFFFF, "size": 0xFFFFFFFF, "packed": 0xFFFFFFFF,
            "extra": struct.pack("<HHQQQ", 1, 24, (1 << 64) - 1, (1 << 64) - 1, (1 << 64) - 1)}],
        [root + b"whole", text, {}],
    ]))


def as_overlapping(target, source):
    members = entries(source)
    body, _, _ = raw_zip(members)
    data = bytes(1000)
    members += [[b"one", data, {}], [b"two", data, {"offset": len(body) + 500}]]
    write(target, *raw_zip(members))


def as_cut(target, source):
    body, directory, end = raw_zip(entries(source))
    write(target, body, directory[:-10])


def as_unlisted(target, source):
    """The list breaks off in its midst."""
    body, directory, end = raw_zip(entries(source))
    write(target, body, directory[:100] + bytes(len(directory) - 100), end)


def as_names(target, source):
    """Names in UTF-8 that nothing marks as such, one in another encoding with its UTF-8 beside it, others for all tools."""
    root = os.path.basename(source).encode() + b"/AppData/Documents/"
    plain, name = root + b"caf\x82.txt", root + "caf\u00e9.txt".encode()
    extra = b"\1" + struct.pack("<I", zlib.crc32(plain)) + name
    stale = b"\1" + struct.pack("<I", 1) + b"wrong"
    body, directory, end = raw_zip(entries(source) + [
        [plain, b"extra", {"flags": 0, "extra": struct.pack("<HH", 0x7075, len(extra)) + extra}],
        [root + b"stale", b"stale", {"flags": 0, "extra": struct.pack("<HH", 0x7075, len(stale)) + stale}],
        [root + "\u65e5.txt".encode(), b"unmarked", {"flags": 0}],
        [b"./" + root + b"dot//slash.txt", b"dot", {}],
        [root + b"n" * 5000, b"long", {}],
    ])
    comment = b"a comment with PK\5\6 in it, which is no end" + bytes(40)
    write(target, body, directory, end[:-2] + struct.pack("<H", len(comment)) + comment)


def as_deep(target, source):
    """Names that make far more folders than there are entries."""
    write(target, *raw_zip([[b"%d/" % index + b"a/" * 1500 + b"f", b"", {}] for index in range(300)]))


def as_shared(target, source):
    """Files in folders that are not listed, deep ones that they share."""
    names = [b"a/" * 700 + b"%d" % index for index in range(300)]
    names += [b"%d/" % index + b"folder of a usual length/" * 10 + b"f" for index in range(300)]
    write(target, *raw_zip([[name, b"", {}] for name in names]))


def as_sparse(target, source):
    """What GNU's tar writes of a file with holes, in its old and in its new way, a hard link and a long name."""
    root = os.path.basename(source) + "/AppData/Documents/"
    output = io.BytesIO(as_tar(source)[:-1024].rstrip(b"\0"))
    data = output.getvalue()
    data += bytes(-len(data) % 512)
    def header(name, size, kind, fields=b"", link=b""):
        block = bytearray(512)
        block[0:100] = name.encode()[:100].ljust(100, b"\0")
        block[100:108], block[124:136], block[136:148] = b"0000644\0", b"%011o\0" % size, b"14656421300\0"
        block[156:157], block[157:257], block[257:265] = kind, link.ljust(100, b"\0"), b"ustar  \0"
        block[386:386 + len(fields)] = fields
        block[148:156] = b" " * 8
        block[148:156] = b"%06o\0 " % sum(block)
        return bytes(block)
    spans = b"%011o\0%011o\0" % (1024, 512) + bytes(24 * 3) + b"\0" + b"%011o\0" % 1536
    data += header(root + "old-holes", 512, b"S", spans) + b"o" * 512
    def record(key, value):
        size = len(key) + len(value) + 3
        while len("%d" % size) + len(key) + len(value) + 3 != size:
            size = len("%d" % size) + len(key) + len(value) + 3
        return b"%d %s=%s\n" % (size, key, value)
    pax = record(b"GNU.sparse.major", b"1") + record(b"GNU.sparse.minor", b"0")
    pax += record(b"GNU.sparse.name", (root + "new-holes").encode()) + record(b"GNU.sparse.realsize", b"1536")
    body = b"1\n1024\n512\n".ljust(512, b"\0") + b"n" * 512
    data += header("pax", len(pax), b"x") + pax.ljust((len(pax) + 511) // 512 * 512, b"\0")
    data += header("GNUSparseFile.0/new-holes", len(body), b"0") + body
    long = (root + "l" * 200).encode()
    data += header("././@LongLink", len(long) + 1, b"L") + long.ljust(512, b"\0")
    data += header("short", 4, b"0") + b"long".ljust(512, b"\0")
    data += header(root + "hard", 0, b"1", link=(root + "old-holes").encode()) + bytes(1024)
    write(target, data)


def as_bombs(target, source):
    """A small gzip of a large tar that is all zeros."""
    output = io.BytesIO()
    with tarfile.open(fileobj=output, mode="w") as archive:
        info = tarfile.TarInfo("zeros")
        info.size = 300 << 20
        class Zeros:
            def read(self, count): return bytes(count)
        archive.addfile(info, Zeros())
    write(target, gzip.compress(output.getvalue()))


def as_bz2bomb(target, source):
    """The same of bzip2, in several streams one behind the other."""
    info = tarfile.TarInfo("zeros")
    info.size = 300 << 20
    write(target, bz2.compress(info.tobuf()) + bz2.compress(bytes(60 << 20)) * 5)


def as_outward(target, source):
    """A tar in which members want to lead out, are links to what is outside, are there twice, or are no files."""
    root = os.path.basename(source) + "/AppData/Documents/"
    with tarfile.open(target, "w") as archive:
        archive.add(source, os.path.basename(source))
        def put(name, data=b"", kind=tarfile.REGTYPE, link=""):
            info = tarfile.TarInfo(name)
            info.size, info.type, info.linkname = len(data), kind, link
            archive.addfile(info, io.BytesIO(data))
        put("../../outside", b"x")
        put("/tmp/absolute", b"x")
        put(root + "link", kind=tarfile.SYMTYPE, link="/etc")
        put(root + "link/passwd", b"through a link")
        put(root + "hard", kind=tarfile.LNKTYPE, link="../../../../etc/passwd")
        put(root + "pipe", kind=tarfile.FIFOTYPE)
        put(root + "twice", b"first")
        put(root + "twice", b"second")
        put(root + "caf\u00e9", b"one")
        put(root + "cafe\u0301", b"two")


def as_astray(target, source):
    """All entries lead out of it."""
    with zipfile.ZipFile(target, "w") as archive:
        for path, name in files(source):
            archive.write(path, "../" + name)


def as_large(target, source):
    """A zip that says at its end what one of more than 4 GB or 65,535 entries must, and one entry too many."""
    body, directory, end = raw_zip(entries(source))
    count = len(entries(source)) + 1
    large = b"PK\6\6" + struct.pack("<QHHIIQQQQ", 44, 45, 45, 0, 0, count, count, len(directory), len(body))
    locator = b"PK\6\7" + struct.pack("<IQI", 0, len(body) + len(directory), 1)
    end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, 0xFFFF, 0xFFFF, 0xFFFFFFFF, 0xFFFFFFFF, 0)
    write(target, body, directory, large, locator, end)


def as_wrapped(target, source):
    """What macOS writes past 4 GB: places and sizes without their upper bits. The large entry is a hole in the file."""
    root, gap = os.path.basename(source).encode() + b"/AppData/tmp/large", (1 << 32) + 1000
    first, _, _ = raw_zip([[root, b"", {}]])
    body, directory, end = raw_zip([[root, b"", {"size": 1000, "packed": 1000}]] + entries(source))
    rest = body[len(first):]
    moved = bytearray(directory)
    place, number = 0, 0
    while place < len(moved):
        name, extra, comment = struct.unpack_from("<HHH", moved, place + 28)
        start, = struct.unpack_from("<I", moved, place + 42)
        if number:
            struct.pack_into("<I", moved, place + 42, (start + gap) & 0xFFFFFFFF)
        place, number = place + 46 + name + extra + comment, number + 1
    start = len(first) + gap + len(rest)
    end = bytearray(end)
    struct.pack_into("<I", end, 16, start & 0xFFFFFFFF)
    with open(target, "wb") as file:
        file.write(body[:len(first)])
        file.seek(len(first) + gap)
        file.write(rest + bytes(moved) + bytes(end))


def as_zstdbomb(target, source):
    """A few kilobytes of zstd that say of each block which byte it repeats."""
    info = tarfile.TarInfo("zeros")
    info.size = 300 << 20
    head = info.tobuf()
    frame = b"\x28\xb5\x2f\xfd" + bytes([0b00000000, 0x58])
    frame += (len(head) << 3).to_bytes(3, "little") + head
    for index in range(2400):
        frame += ((128 << 10) << 3 | 1 << 1 | (index == 2399)).to_bytes(3, "little") + b"\0"
    write(target, frame)


def as_hostile(target, source):
    """A container in which entries want to lead out, are there twice, or are links."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, name in files(source):
            archive.write(path, name)
        root = os.path.basename(source) + "/AppData/"
        archive.writestr("../../outside.txt", "x")
        archive.writestr("/tmp/absolute.txt", "x")
        archive.writestr(root + "Documents/../../../up.txt", "x")
        archive.writestr(root + "Documents/twice.txt", "first")
        archive.writestr(root + "Documents/twice.txt", "second")
        archive.writestr(root + "Documents/Twice.txt", "third")
        archive.writestr(root + "Documents/caf\u00e9.txt", "one")
        archive.writestr(root + "Documents/cafe\u0301.txt", "two")
        link = zipfile.ZipInfo(root + "Documents/link")
        link.create_system, link.external_attr = 3, 0o120777 << 16
        archive.writestr(link, "/etc")
        archive.writestr(root + "Documents/link/passwd", "through a link")
        archive.writestr(root + "Documents/zeros", bytes(3 << 20))


def as_gz(target, source):
    """One file that is compressed by itself."""
    write(target, gzip.compress(pathlib.Path(source).read_bytes()))


def as_xz(target, source):
    """The same of xz."""
    write(target, lzma.compress(pathlib.Path(source).read_bytes()))


def as_gzgz(target, source):
    """The same, compressed once more, as a mail program does with what it is given."""
    write(target, gzip.compress(gzip.compress(pathlib.Path(source).read_bytes())))


def as_members(target, source):
    """A tar in three members of a gzip, the second without content, in which every byte stands as it is."""
    data = as_tar(source)
    write(target, *(gzip.compress(part, 0) for part in (data[: len(data) // 2], b"", data[len(data) // 2 :])))


def as_empties(target, source):
    """A gzip of 8 MB of members without content, in two layers of xz: a few kilobytes of which nothing comes."""
    packer = lzma.LZMACompressor(preset=0)
    members = gzip.compress(b"", mtime=0) * 50_000
    data = b"".join(packer.compress(members) for _ in range(8)) + packer.flush()
    write(target, lzma.compress(data))


def as_layers(target, source):
    """A tar that is compressed ten times over."""
    data = as_tar(source)
    for _ in range(10):
        data = gzip.compress(data)
    write(target, data)


def as_layeredbomb(target, source):
    """A zip in a zip: neither packs more than a thousand bytes into one, and both together do."""
    packer = zlib.compressobj(9, zlib.DEFLATED, -15)
    data = b"".join(packer.compress(bytes(1 << 20)) for _ in range(300)) + packer.flush()
    inner = b"".join(raw_zip([[b"a.xcappdata/AppData/Documents/zeros", b"", {"method": 8, "data": data, "size": 300 << 20}]]))
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("inner.zip", inner)


def as_notes(target, source):
    """Zips in a zip, none of which holds a dump."""
    with zipfile.ZipFile(target, "w") as archive:
        for number in range(3):
            inner = io.BytesIO()
            with zipfile.ZipFile(inner, "w") as one:
                one.writestr("note.txt", f"note {number}")
                one.writestr("other.txt", "more")
            archive.writestr(f"zips/{number}.zip", inner.getvalue())


def as_among(target, source):
    """The same with a zip beside them that holds one."""
    as_notes(target, source)
    inner = io.BytesIO()
    as_zip(inner, source)
    with zipfile.ZipFile(target, "a") as archive:
        archive.writestr("zips/dump.zip", inner.getvalue())


def as_windows(target, source):
    """What some programs of Windows write: backslashes between folders, and no word of a Unix."""
    body, directory, end = raw_zip([[name.replace(b"/", b"\\"), data, other] for name, data, other in entries(source)])
    record = b"PK\1\2" + struct.pack("<H", 0x0314)
    write(target, body, directory.replace(record, b"PK\1\2" + struct.pack("<H", 0x0014)), end)


def as_code_page(target, source):
    """Names without a word on what they are written in: two in code page 437, one in UTF-8."""
    members = [[name, data, {"flags": 0}] for name, data, _ in entries(source)]
    documents = next(name for name, _, _ in members if b"/Documents/" in name).split(b"/Documents/")[0] + b"/Documents/"
    for name in ["Übersicht.json".encode("cp437"), "¿qué?.json".encode("cp437"), "Größe.json".encode()]:
        members.append([documents + name, b"{}", {"flags": 0}])
    members.append([documents + b"\xff.json", b"{}", {}])
    write(target, *raw_zip(members))


def as_mail(target, source):
    """A dump in folders of its own, beside what people send with it, as macOS packs that."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for path, name in files(source):
            archive.write(path, "Ticket 42/For support/" + name)
            archive.writestr("__MACOSX/Ticket 42/For support/" + os.path.join(os.path.dirname(name), "._" + path.name), "x")
        archive.writestr("Ticket 42/Screenshots/1.png", b"\x89PNG")
        archive.writestr("Ticket 42/.DS_Store", "x")
        archive.writestr("Ticket 42/readme.txt", "it crashes")


def as_nested(target, source):
    """A zip in a folder of a zip, beside a note."""
    inner = io.BytesIO()
    as_zip(inner, source)
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        archive.writestr("mail/dump.zip", inner.getvalue())
        archive.writestr("mail/note.txt", "see the zip")


def as_innermost(target, source):
    """Six zips in one another."""
    data = io.BytesIO()
    as_zip(data, source)
    for number in range(5):
        outer = io.BytesIO()
        with zipfile.ZipFile(outer, "w", zipfile.ZIP_DEFLATED) as archive:
            archive.writestr(f"{number}.zip", data.getvalue())
        data = outer
    write(target, data.getvalue())


def as_many(target, source):
    """Forty zips in a zip, of which the last holds a dump."""
    with zipfile.ZipFile(target, "w") as archive:
        for number in range(40):
            inner = io.BytesIO()
            if number < 39:
                with zipfile.ZipFile(inner, "w") as one:
                    one.writestr("a.txt", "a")
                    one.writestr("b.txt", "b")
            else:
                as_zip(inner, source)
            archive.writestr(f"{number:02}.zip", inner.getvalue())


def as_document(target, source):
    """What Word writes, as far as anybody looks."""
    with zipfile.ZipFile(target, "w", zipfile.ZIP_DEFLATED) as archive:
        for name in ("[Content_Types].xml", "_rels/.rels", "word/document.xml"):
            archive.writestr(name, "<a/>")


def as_filled(target, source):
    """A dump in a zip in which a folder has a content too."""
    as_zip(target, source)
    with zipfile.ZipFile(target, "a") as archive:
        archive.writestr("notes/", "what is in a folder")


TARS = {"tar.gz.gz": lambda data: gzip.compress(gzip.compress(data)), "tar.gz.xz": lambda data: lzma.compress(gzip.compress(data)),
        "tar": bytes, "tar.gz": gzip.compress, "tar.bz2": bz2.compress, "tar.xz": lzma.compress, "tar.zst": as_zstd}
KINDS = [*TARS, *(name[3:] for name, made in list(globals().items()) if name.startswith("as_") and made not in (as_tar, as_zstd))]


def build(kind, target, source):
    """Writes an archive of a kind."""
    if kind in TARS:
        write(target, TARS[kind](as_tar(source)))
    else:
        globals()["as_" + kind](target, source)


if __name__ == "__main__":
    if len(sys.argv) != 4 or sys.argv[1] not in KINDS:
        sys.exit(f"it takes KIND TARGET SOURCE, and a kind is one of {', '.join(KINDS)}")
    build(*sys.argv[1:])
