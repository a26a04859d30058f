"""Makes archives for tests, with Python's standard library.

    archives.py KIND TARGET SOURCE    KIND: zip, tar, tar.gz, tar.xz, tar.zst, locked (a zip with the password "test"),
                                      hostile
"""

import io
import lzma
import gzip
import os
import pathlib
import struct
import sys
import tarfile
import zipfile
import zlib


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


def as_locked(target, source):
    body, directory, count = b"", b"", 0
    for path, name in files(source):
        data, name = path.read_bytes(), name.encode()
        crc = zlib.crc32(data)
        sealed = Keys(b"test").encrypt(bytes(11) + bytes([crc >> 24]) + data)
        common = struct.pack("<HHHHHIIIHH", 20, 0x0801, 0, 0, 0x5921, crc, len(sealed), len(data), len(name), 0)
        directory += b"PK\1\2" + struct.pack("<H", 0x0314) + common + struct.pack("<HHHII", 0, 0, 0, 0o100644 << 16, len(body)) + name
        body += b"PK\3\4" + common + name + sealed
        count += 1
    end = b"PK\5\6" + struct.pack("<HHHHIIH", 0, 0, count, count, len(directory), len(body), 0)
    pathlib.Path(target).write_bytes(body + directory + end)


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


kind, target, source = sys.argv[1:]
if kind == "zip":
    as_zip(target, source)
elif kind == "locked":
    as_locked(target, source)
elif kind == "hostile":
    as_hostile(target, source)
else:
    data = as_tar(source)
    pack = {"tar": bytes, "tar.gz": gzip.compress, "tar.xz": lzma.compress, "tar.zst": as_zstd}[kind]
    pathlib.Path(target).write_bytes(pack(data))
