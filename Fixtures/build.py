#!/usr/bin/env python3
"""Writes the fixtures beside this file, with Python's standard library alone.

    python3 Fixtures/build.py                 write every fixture anew
    python3 Fixtures/build.py --check         fail where the fixtures differ from what this would write
    python3 Fixtures/build.py --million PATH  write a container with a store of a million keys (62 MB) to PATH
    python3 Fixtures/build.py --rows PATH     write a container with a database of ten million rows (330 MB) to PATH

The same bytes come out on every run. Our own readers and writers take no part in this, so that they are tested
against something else.
"""

import argparse
import filecmp
import json
import os
import pathlib
import shutil
import sqlite3
import sys
import tempfile

import backup
import convert
import klivvr
import localdata
import notes
import person
import sdks
from formats import MODIFIED, write_tree

HERE = pathlib.Path(__file__).resolve().parent
# A module for each system, with FIXTURES (functions by name) and FACTS.
SYSTEMS = [notes, convert, person, klivvr, localdata, sdks, backup]
FIXTURES = {name: files for system in SYSTEMS for name, files in system.FIXTURES.items()}
FACTS = {name: value for system in SYSTEMS for name, value in system.FACTS.items()}


def build(target):
    """Writes every fixture into a folder, each in place of the one that is there."""
    for name, files in FIXTURES.items():
        if (target / name).exists():
            shutil.rmtree(target / name)
        write_tree(target / name, files())
    facts = target / "facts.json"
    facts.write_text(json.dumps(FACTS, indent=2) + "\n")
    os.utime(facts, (MODIFIED, MODIFIED))


def rows(target):
    """A container with a table of ten million rows by number, and one of a million by text."""
    write_tree(target, FIXTURES["notes-empty.xcappdata"]())
    path = target / "AppData/Documents/rows.sqlite"
    path.parent.mkdir(parents=True, exist_ok=True)
    database = sqlite3.connect(path)
    database.executescript("PRAGMA journal_mode = OFF; PRAGMA synchronous = OFF")
    database.execute("CREATE TABLE numbers (id INTEGER PRIMARY KEY, name TEXT, part REAL)")
    database.executemany("INSERT INTO numbers VALUES (?, ?, ?)", ((n, f"name {n}", n / 3) for n in range(10_000_000)))
    database.execute("CREATE TABLE texts (key TEXT PRIMARY KEY, content BLOB)")
    database.executemany("INSERT INTO texts VALUES (?, ?)", ((f"k{n:08}", bytes(20)) for n in range(1_000_000)))
    database.commit()
    database.close()


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
    parser.add_argument("--rows", metavar="PATH", help="write a container with a database of ten million rows")
    arguments = parser.parse_args()
    if arguments.million or arguments.rows:
        target = pathlib.Path(arguments.million or arguments.rows)
        if target.exists():
            sys.exit(f"{target} exists already; name a new folder")
        if arguments.million:
            write_tree(target, notes.million())
        else:
            rows(target)
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
