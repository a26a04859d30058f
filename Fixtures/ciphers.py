"""AES and what is made of it, in Python alone: slow, for small fixtures."""

import hashlib
import struct


def _tables():
    """The S-box and its inverse, from the inverses in GF(2^8) and the affine map."""
    sbox, p, q = [0] * 256, 1, 1
    while True:
        p ^= (p << 1 & 0xFF) ^ (0x1B if p & 0x80 else 0)
        for shift in (1, 2, 4):
            q ^= q << shift & 0xFF
        q ^= 0x09 if q & 0x80 else 0
        rotated = [(q << n | q >> 8 - n) & 0xFF for n in range(5)]
        sbox[p] = rotated[0] ^ rotated[1] ^ rotated[2] ^ rotated[3] ^ rotated[4] ^ 0x63
        if p == 1:
            break
    sbox[0] = 0x63
    return sbox


SBOX = _tables()


def _double(byte):
    return (byte << 1 ^ (0x11B if byte & 0x80 else 0)) & 0xFF


INVERSE = [SBOX.index(byte) for byte in range(256)]


class AES:
    """The block cipher."""

    def __init__(self, key):
        words, count = [list(key[i:i + 4]) for i in range(0, len(key), 4)], len(key) // 4
        rounds, constant = count + 6, 1
        for n in range(count, 4 * (rounds + 1)):
            word = list(words[n - 1])
            if n % count == 0:
                word = [SBOX[b] for b in word[1:] + word[:1]]
                word[0] ^= constant
                constant = _double(constant)
            elif count > 6 and n % count == 4:
                word = [SBOX[b] for b in word]
            words.append([a ^ b for a, b in zip(words[n - count], word)])
        self.keys = [sum(words[4 * r:4 * r + 4], []) for r in range(rounds + 1)]

    def block(self, data):
        state = [a ^ b for a, b in zip(data, self.keys[0])]
        for key in self.keys[1:]:
            state = [SBOX[state[(n + 4 * (n % 4)) % 16]] for n in range(16)]
            if key is not self.keys[-1]:
                mixed = []
                for column in range(0, 16, 4):
                    a = state[column:column + 4]
                    every = a[0] ^ a[1] ^ a[2] ^ a[3]
                    mixed += [a[n] ^ every ^ _double(a[n] ^ a[(n + 1) % 4]) for n in range(4)]
                state = mixed
            state = [a ^ b for a, b in zip(state, key)]
        return bytes(state)


    def unblock(self, data):
        state = [a ^ b for a, b in zip(data, self.keys[-1])]
        for key in self.keys[-2::-1]:
            state = [INVERSE[state[(n - 4 * (n % 4)) % 16]] for n in range(16)]
            state = [a ^ b for a, b in zip(state, key)]
            if key is not self.keys[0]:
                mixed = []
                for column in range(0, 16, 4):
                    a = state[column:column + 4]
                    twice = [_double(byte) for byte in a]
                    four = [_double(byte) for byte in twice]
                    eight = [_double(byte) for byte in four]
                    nine = [x ^ y for x, y in zip(eight, a)]
                    mixed += [
                        eight[n] ^ four[n] ^ twice[n] ^ nine[(n + 1) % 4] ^ twice[(n + 1) % 4]
                        ^ nine[(n + 2) % 4] ^ four[(n + 2) % 4] ^ nine[(n + 3) % 4] for n in range(4)
                    ]
                state = mixed
        return bytes(state)


def cbc(key, data):
    """CBC with a zero first vector and without padding."""
    cipher, last, result = AES(key), bytes(16), b""
    for start in range(0, len(data), 16):
        last = cipher.block(bytes(a ^ b for a, b in zip(data[start:start + 16], last)))
        result += last
    return result


def uncbc(key, data):
    """What `cbc` has encrypted."""
    cipher, last, result = AES(key), bytes(16), b""
    for start in range(0, len(data), 16):
        block = data[start:start + 16]
        result += bytes(a ^ b for a, b in zip(cipher.unblock(block), last))
        last = block
    return result


def padded(data):
    count = 16 - len(data) % 16
    return data + bytes([count]) * count


def wrap(kek, key):
    """RFC 3394."""
    cipher, a, r = AES(kek), b"\xa6" * 8, [key[i:i + 8] for i in range(0, len(key), 8)]
    for j in range(6):
        for i in range(len(r)):
            block = cipher.block(a + r[i])
            a = (int.from_bytes(block[:8], "big") ^ (len(r) * j + i + 1)).to_bytes(8, "big")
            r[i] = block[8:]
    return a + b"".join(r)


def unwrap(kek, wrapped):
    """The key that `wrap` has wrapped, or None."""
    cipher, a = AES(kek), wrapped[:8]
    r = [wrapped[i:i + 8] for i in range(8, len(wrapped), 8)]
    for j in range(5, -1, -1):
        for i in range(len(r) - 1, -1, -1):
            t = int.from_bytes(a, "big") ^ (len(r) * j + i + 1)
            block = cipher.unblock(t.to_bytes(8, "big") + r[i])
            a, r[i] = block[:8], block[8:]
    return b"".join(r) if a == b"\xa6" * 8 else None


def _product(x, y):
    z = 0
    for bit in range(128):
        if x >> (127 - bit) & 1:
            z ^= y
        y = y >> 1 ^ (0xE1 << 120 if y & 1 else 0)
    return z


def gcm(key, data, vector=b""):
    """GCM: the encrypted bytes and the tag; without a vector as CommonCrypto does it."""
    cipher = AES(key)
    h = int.from_bytes(cipher.block(bytes(16)), "big")

    def ghash(text):
        text += bytes(-len(text) % 16)
        total = 0
        for start in range(0, len(text), 16):
            total = _product(total ^ int.from_bytes(text[start:start + 16], "big"), h)
        return total

    if len(vector) == 0:
        first = bytes(16)
    elif len(vector) == 12:
        first = vector + b"\0\0\0\1"
    else:
        text = vector + bytes(-len(vector) % 16) + struct.pack(">QQ", 0, len(vector) * 8)
        first = ghash(text).to_bytes(16, "big")
    counter, result = int.from_bytes(first[12:], "big"), b""
    for start in range(0, len(data), 16):
        counter = counter + 1 & 0xFFFFFFFF
        stream = cipher.block(first[:12] + counter.to_bytes(4, "big"))
        result += bytes(a ^ b for a, b in zip(data[start:start + 16], stream))
    text = result + bytes(-len(result) % 16) + struct.pack(">QQ", 0, len(result) * 8)
    tag = ghash(text) ^ int.from_bytes(cipher.block(first), "big")
    return result, tag.to_bytes(16, "big")


def bytes_of(seed, count):
    """Bytes that look random and are the same each time."""
    return hashlib.shake_256(seed.encode()).digest(count)


# FIPS 197 and RFC 3394 give these.
assert AES(bytes(range(32))).block(bytes.fromhex("00112233445566778899aabbccddeeff")).hex() == (
    "8ea2b7ca516745bfeafc49904b496089")
assert wrap(bytes(range(32)), bytes.fromhex("00112233445566778899aabbccddeeff" "000102030405060708090a0b0c0d0e0f")).hex() == (
    "28c9f404c4b810f4cbccb35cfb87f8263f5786e2d80ed326cbc7f0e71a99f43bfb988b9b7a02dd21")
