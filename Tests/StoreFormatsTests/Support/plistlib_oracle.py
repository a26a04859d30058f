"""What Python's plistlib makes of property lists, for comparison with our readers and writers.

    plistlib_oracle.py dump    reads paths from standard input, one a line, and prints a line for each:
                               "value " and the canonical text, or "refused " and the name of the exception
    plistlib_oracle.py rewrite the same, and writes what was read to the path with ".again" after it

The canonical text is JSON of [tag, content] where every content is text, an array of such pairs (array), or an array of
[key, pair] (dictionary). Reals are the 16 hexadecimal digits of their 64 bits, dates are whole microseconds since
2001-01-01, data is base64.
"""

import base64
import datetime
import json
import plistlib
import struct
import sys

REFERENCE = datetime.datetime(2001, 1, 1)


def canonical(value):
    if value is None:
        return ["null", ""]
    if isinstance(value, bool):
        return ["bool", "true" if value else "false"]
    if isinstance(value, int):
        return ["integer", str(value)]
    if isinstance(value, float):
        return ["real", struct.pack(">d", value).hex()]
    if isinstance(value, str):
        return ["string", value]
    if isinstance(value, (bytes, bytearray)):
        return ["data", base64.b64encode(value).decode("ascii")]
    if isinstance(value, datetime.datetime):
        return ["date", str((value - REFERENCE) // datetime.timedelta(microseconds=1))]
    if isinstance(value, plistlib.UID):
        return ["uid", str(value.data)]
    if isinstance(value, (list, tuple)):
        return ["array", [canonical(element) for element in value]]
    if isinstance(value, dict):
        return ["dictionary", [[key, canonical(element)] for key, element in value.items()]]
    raise TypeError(type(value).__name__)


def reading(path, rewrites):
    try:
        with open(path, "rb") as file:
            data = file.read()
        value = plistlib.loads(data)
        text = json.dumps(canonical(value), separators=(",", ":"))
        if rewrites:
            form = plistlib.FMT_BINARY if data.startswith(b"bplist") else plistlib.FMT_XML
            with open(path + ".again", "wb") as file:
                plistlib.dump(value, file, fmt=form, sort_keys=False)
        return "value " + text
    except Exception as error:
        return "refused " + type(error).__name__


for line in sys.stdin:
    print(reading(line.rstrip("\n"), sys.argv[1] == "rewrite"))
