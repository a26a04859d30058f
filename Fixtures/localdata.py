"""The fixtures of an app with LocalData, as its guide has it: a token, an age, a name, and an account in a file."""

import hashlib
import hmac
import struct

from formats import *

APP = "com.myapp"
GROUP = f"ABCDE12345.{APP}"
FACTS = {}
MASTER_KEY = bytes(range(32))
ACCOUNT = {"id": "a-1", "plan": "gold"}
SEALED = "Library/Application Support/LocalData/account.sealed"


def stored(value):
    """A value as LocalData keeps it in UserDefaults: the bytes of its JSON."""
    return compact_json(value).encode()


# --- something sealed, put together without our own writer --------------------------------------------------------


def hkdf_expand(key, purpose):
    return hmac.digest(key, purpose.encode() + b"\x01", "sha256")


def chacha_block(key, counter, nonce):
    """RFC 8439, section 2.3."""
    def turn(state, a, b, c, d):
        for first, second, third, shift in ((a, b, d, 16), (c, d, b, 12), (a, b, d, 8), (c, d, b, 7)):
            state[first] = (state[first] + state[second]) & 0xFFFFFFFF
            mixed = state[third] ^ state[first]
            state[third] = (mixed << shift | mixed >> 32 - shift) & 0xFFFFFFFF

    start = [*struct.unpack("<4I", b"expand 32-byte k"), *struct.unpack("<8I", key), counter, *struct.unpack("<3I", nonce)]
    state = list(start)
    for _ in range(10):
        for column in range(4):
            turn(state, column, column + 4, column + 8, column + 12)
        for column in range(4):
            turn(state, column, 4 + (column + 1) % 4, 8 + (column + 2) % 4, 12 + (column + 3) % 4)
    return struct.pack("<16I", *((one + other) & 0xFFFFFFFF for one, other in zip(start, state)))


def chacha_poly(key, nonce, content, authenticated):
    """RFC 8439, section 2.8: ciphertext and tag."""
    def padded(data):
        return data + bytes(-len(data) % 16)

    stream = b"".join(chacha_block(key, 1 + n, nonce) for n in range(len(content) // 64 + 1))
    sealed = bytes(one ^ other for one, other in zip(content, stream))
    once = chacha_block(key, 0, nonce)
    r = int.from_bytes(once[:16], "little") & 0x0FFFFFFC0FFFFFFC0FFFFFFC0FFFFFFF
    message = padded(authenticated) + padded(sealed) + struct.pack("<QQ", len(authenticated), len(sealed))
    total = 0
    for start in range(0, len(message), 16):
        total = (total + int.from_bytes(message[start:start + 16] + b"\x01", "little")) * r % ((1 << 130) - 5)
    tag = (total + int.from_bytes(once[16:32], "little")) & (1 << 128) - 1
    return sealed + tag.to_bytes(16, "little")


def sealed_account(material):
    """The account, sealed for its place with HKDF-SHA256 and ChaCha20-Poly1305."""
    context, content = "file://AppSupport/LocalData/account.sealed", stored(ACCOUNT)
    salt = hashlib.sha256(f"vestige.seal/1 salt {context}".encode()).digest()[:16]
    root = hkdf_expand(hmac.digest(salt, material, "sha256"), "")
    text = struct.pack(">Q", len(context)) + context.encode() + content
    nonce = hmac.digest(hkdf_expand(root, "vestige.seal/1 nonce"), text, "sha256")[:12]
    sealed = b"VSTGSEAL" + bytes([1, 2, 1, 16, 0, 0, 0, 0]) + salt + nonce
    sealed += hmac.digest(hkdf_expand(root, "vestige.seal/1 check"), sealed, "sha256")[:8]
    sealed += chacha_poly(hkdf_expand(root, "vestige.seal/1 encryption 2"), nonce, content, sealed + context.encode())
    return sealed + hashlib.sha256(sealed).digest()


# --- the dumps ----------------------------------------------------------------------------------------------------


LEGACY = {
    "old_key_name": stored("not-a-real-token-0001"), "legacy_age": stored("42"),
    "first_name": stored("Ada"), "last_name": stored("Lovelace"),
}
MIGRATED = {"age_in_years": stored(42), "full_name": stored("Ada Lovelace")}
PLAIN = {"Documents/LocalData/account.json": stored(ACCOUNT)}


def dump(members, token=None, files=None, master_key=MASTER_KEY):
    """A dump with these in UserDefaults, a token in the keychain where it is given, and these files."""
    items = []
    if master_key is not None:
        items.append(keychain_item(APP, "master_key", master_key, GROUP, accessible="cku"))
    if token is not None:
        items.append(keychain_item(APP, "modern_token", stored(token), GROUP, accessible="ak"))
    settings = preferences(APP, {"onboarding.done": True} | members)
    keychain = {"keychain.json": objection_json(items)} if items else {}
    return xcappdata(settings | (files or {}), APP, "My App") | keychain


FIXTURES = {
    "localdata-healthy.xcappdata": lambda: dump(LEGACY, files=PLAIN),
    # Killed between the store and the delete: both copies are there, and equal.
    "localdata-half-equal.xcappdata": lambda: dump(
        LEGACY | MIGRATED, "not-a-real-token-0001", PLAIN | {SEALED: sealed_account(MASTER_KEY)}),
    # Both are there, and the app has gone on with the new ones.
    "localdata-half-different.xcappdata": lambda: dump(
        LEGACY | {"age_in_years": stored(43), "full_name": stored("Ada King")}, "not-a-real-token-0002", PLAIN),
    # Written by other code, no number, one half of a name, and sealed with a key that is gone.
    "localdata-broken.xcappdata": lambda: dump(
        {"old_key_name": "a-text-and-no-data", "legacy_age": stored("forty"), "first_name": stored("Ada")},
        files=PLAIN | {SEALED: sealed_account(bytes(32))}),
    "localdata-migrated.xcappdata": lambda: dump(
        MIGRATED, "not-a-real-token-0001", {SEALED: sealed_account(MASTER_KEY)}),
    # No keychain came with it: whether the token is there already cannot be known.
    "localdata-no-keychain.xcappdata": lambda: dump(LEGACY, files=PLAIN, master_key=None),
}
