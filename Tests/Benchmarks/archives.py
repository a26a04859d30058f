"""The figures of archives: a large zip's first screen, and how the time to open one grows with its members."""

import os
import pathlib
import sys
import zipfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
CONTAINER = "Fixtures/notes-legacy.xcappdata"
# What Python's zipfile does with a zip: reads its list.
ZIPFILE = """
import sys, zipfile
with zipfile.ZipFile(sys.argv[1]) as archive: print(len(archive.infolist()))
"""


def write(path, others):
    """A zip of a container, with other members in it."""
    folder = ROOT / CONTAINER
    with zipfile.ZipFile(path, "w", zipfile.ZIP_DEFLATED) as archive:
        for file in sorted(folder.rglob("*")):
            if file.is_file():
                archive.write(file, file.relative_to(folder.parent))
        for name, content, method in others:
            archive.writestr(f"{folder.name}/AppData/Library/Caches/{name}", content, method)


def measure(programs, runs, folder, Sample, in_turn):
    """For each figure: its name, the sample of Vestige and that of Python's zipfile."""
    block = os.urandom(10 << 20)
    large = folder / "large.zip"
    write(large, ((f"part-{number:03d}.bin", block, zipfile.ZIP_STORED) for number in range(200)))
    script = folder / "first.script"
    script.write_text("screen first\n")
    environment = os.environ | {"XDG_STATE_HOME": str(folder / "state")}
    vestige = programs / "vestige"

    def peer(path):
        return Sample([sys.executable, "-c", ZIPFILE, path])

    first = Sample([vestige, "run", script, large, "--size", "200x50"], environment)
    listed = peer(large)
    in_turn(runs, [first, listed])
    large.unlink()
    growth = []
    for count in (1_000, 4_000, 16_000):
        path = folder / f"members-{count}.zip"
        write(path, ((f"{number // 100}/{number}.txt", f"{number}", zipfile.ZIP_DEFLATED) for number in range(count)))
        sample, other = Sample([vestige, "inspect", path], environment), peer(path)
        in_turn(runs, [sample, other])
        growth.append((count, sample, other))
    return first, listed, growth
