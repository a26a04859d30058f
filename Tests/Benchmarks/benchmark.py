#!/usr/bin/env python3
"""Measures the figures that Vestige promises, each beside the peer that it is a ratio of, in one run.

    python3 Tests/Benchmarks/benchmark.py                   build for release, measure, print a table
    python3 Tests/Benchmarks/benchmark.py --programs DIR    measure the programs in a folder instead
    python3 Tests/Benchmarks/benchmark.py --backups         measure backups alone; --peers names a Python with pyiosbackup

The store of a million keys is written to a temporary folder, which is removed. Each command runs several times, in turn
with its peer, plistutil or Python's plistlib; a figure is the median. Needs plistutil (Debian: libplist-utils). Not a test: nothing waits for it to pass.
"""

import argparse
import json
import os
import pathlib
import shutil
import statistics
import subprocess
import sys
import tempfile
import time

import archives
import backups
from first_screen import Runs

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
STORE = "Library/Preferences/com.acme.notes.plist"
ENTRY = "defaults://com.acme.notes/cache.item.0500000.state"
PEER = "plistutil"
# What Python's plistlib does with a list: reads it, and with a second argument writes it again in binary form.
PLISTLIB = """
import plistlib, sys
with open(sys.argv[1], "rb") as file: value = plistlib.load(file)
if len(sys.argv) > 2:
    value.pop("rs_user_id", None)
    with open(sys.argv[2], "wb") as file: plistlib.dump(value, file, fmt=plistlib.FMT_BINARY, sort_keys=False)
"""
XML_BYTES = 96_000_000
MEMORY = "/dev/shm" if os.access("/dev/shm", os.W_OK) else None


class Sample(Runs):
    """Runs of one command: seconds and peak memory in kilobytes (Linux), both as the system counts them."""

    def __init__(self, command, environment=None, prepare=None):
        self.command, self.environment = [str(part) for part in command], environment
        self.prepare = prepare
        super().__init__()

    def run(self):
        if self.prepare:
            self.prepare()
        with open(os.devnull, "w") as nowhere:
            start = time.perf_counter()
            process = subprocess.Popen(self.command, stdout=nowhere, env=self.environment)
            _, status, usage = os.wait4(process.pid, 0)
            self.seconds.append(time.perf_counter() - start)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"{' '.join(self.command)} ended with {process.returncode}")
        self.kilobytes.append(usage.ru_maxrss)


def in_turn(runs, samples):
    for sample in samples:
        sample.run()  # not counted: brings files and libraries into memory
        sample.seconds.clear()
        sample.kilobytes.clear()
    for _ in range(runs):
        for sample in samples:
            sample.run()


def build():
    # As the README builds it to be kept: a third of the start is the loading of libraries.
    release = ["swift", "build", "-c", "release", "--static-swift-stdlib"]
    for product in ("vestige", "vestige-benchmarks"):
        subprocess.run([*release, "--product", product], cwd=ROOT, check=True)
    shown = subprocess.run([*release, "--show-bin-path"], cwd=ROOT, check=True, capture_output=True, text=True)
    return pathlib.Path(shown.stdout.strip())


def key_presses(program, dump, facts):
    """The median, the largest and the number of times for each key, in milliseconds."""
    given = [f"{name}={value}" for name, value in facts.items()]
    answer = subprocess.run([program, "keys", dump, *given], check=True, capture_output=True, text=True)
    presses = {}
    for line in answer.stdout.splitlines():
        name, median, largest, count = line.split()
        presses[name] = (int(median) / 1000, int(largest) / 1000, int(count))
    return presses


def planning(program, counts):
    """The seconds that the engine takes to plan so many changes, and by a spec that says the same."""
    halves = [str(count // 2) for count in counts]  # each entry that moves is two changes
    answer = subprocess.run([program, "changes", *halves], check=True, capture_output=True, text=True)
    return [[int(time) / 1e6 for time in line.split()[1:3]] for line in answer.stdout.splitlines()]


def lint(program, rows, folder, runs):
    """The median seconds that a spec of so many rows takes to be read and linted."""
    lines = [f"- {{id: r{n}, from: app/a{n}, type: string, do: [trim], to: app/b{n}, source: remove}}" for n in range(rows)]
    file = folder / "rows.yaml"
    file.write_text("\n".join(
        ["vestige: migration/1", "id: rows", "stores: {app: defaults://com.acme.notes}", "steps:", *lines, ""]))
    sample = Sample([program, "specs", "lint", file])
    in_turn(runs, [sample])
    return statistics.median(sample.seconds)


def ledgers(program, counts):
    """The seconds that ledgers of so many entries take to open, to verify and to export, each."""
    answer = subprocess.run([program, "entries", *map(str, counts)], check=True, capture_output=True, text=True)
    return [[int(time) / 1e6 for time in line.split()[2:5]] for line in answer.stdout.splitlines()]


def exports(program, counts):
    """The seconds that exports of so many new keychain items, and of so many new files, take.

    In memory, where the system has a folder there: how the time to make files on a disk grows is the disk's.
    """
    environment = os.environ | ({"TMPDIR": MEMORY} if MEMORY else {})
    runs = []
    for _ in range(5):
        answer = subprocess.run(
            [program, "items", *map(str, counts)], check=True, capture_output=True, text=True, env=environment)
        runs.append([int(line.split()[4]) / 1e6 for line in answer.stdout.splitlines()])
    times = [statistics.median(times) for times in zip(*runs)]
    return times[::2], times[1::2]


def measure(programs, runs, folder):
    dump = folder / "million"
    subprocess.run([sys.executable, ROOT / "Fixtures/build.py", "--million", dump], check=True)
    facts_file = ROOT / "Fixtures/facts.json"
    script = folder / "first.script"
    script.write_text("screen first\n")
    # No ledger of the person who runs this is looked for.
    environment = os.environ | {"XDG_STATE_HOME": str(folder / "state")}
    vestige = programs / "vestige"

    peer = Sample([PEER, "-i", dump / STORE, "-o", "/dev/null"])
    first = Sample([vestige, "run", script, dump, "--facts", facts_file, "--size", "200x50"], environment)
    show = Sample([vestige, "show", dump, ENTRY], environment)
    version = Sample([vestige, "--version"], environment)
    in_turn(runs, [peer, first, show])
    in_turn(5 * runs, [version])

    # A step that removes seven keys of the million has the whole store written again, read back and compared.
    applied = os.environ | {"XDG_STATE_HOME": str(folder / "applied")}
    subprocess.run(
        [vestige, "apply", dump, "-m", "rudderstack-v2:sdk-1.2", "--all", "--facts", facts_file],
        env=applied, check=True, stdout=subprocess.DEVNULL,
    )
    target = folder / "exported"
    plistlib_write = Sample([sys.executable, "-c", PLISTLIB, dump / STORE, folder / "written.plist"])
    export = Sample(
        [vestige, "export", dump, "--to", target], applied, lambda: shutil.rmtree(target, ignore_errors=True)
    )
    xml = folder / "large.plist"
    write_xml(xml)
    plistlib_xml = Sample([sys.executable, "-c", PLISTLIB, xml])
    inspect_xml = Sample([vestige, "inspect", xml], environment)
    in_turn(max(1, runs // 2), [plistlib_write, export, plistlib_xml, inspect_xml])
    presses = key_presses(programs / "vestige-benchmarks", dump, json.loads(facts_file.read_text()))

    lines = [lint(programs / "vestige", count, folder, runs) for count in (2_500, 10_000)]
    (fewer, _), (many, _), (in_swift, by_spec) = planning(programs / "vestige-benchmarks", [25_000, 100_000, 200_000])
    items, files = exports(programs / "vestige-benchmarks", [1_000, 4_000])
    small, large = ledgers(programs / "vestige-benchmarks", [1_000, 4_000])

    first_of_zip, zipfile, growth = archives.measure(programs, max(1, runs // 2), folder, Sample, in_turn)

    rows = []

    def row(figure, value, limit, measured):
        rows.append((figure, measured, value, limit, "yes" if float(value.split()[0].rstrip("×")) <= limit[0] else "NO"))

    def ratio(figure, one, other, limit, unit):
        row(figure, f"{one / other:.3f}×", (limit, f"{limit}×"), f"{unit(one)} : {unit(other)}")

    def seconds(number):
        return f"{number:.3f} s"

    def megabytes(number):
        return f"{number / 1000:.1f} MB"

    ratio("run to the first frame, time", first.time, peer.time, 0.1, seconds)
    ratio("run to the first frame, peak memory", first.memory, peer.memory, 0.25, megabytes)
    ratio("show of one key, time", show.time, peer.time, 0.1, seconds)
    ratio("export of the store, beside plistlib's read and write, time", export.time, plistlib_write.time, 0.2, seconds)
    ratio(
        "export of the store, beside plistlib's read and write, peak memory", export.memory, plistlib_write.memory, 0.3,
        megabytes,
    )
    ratio("inspect of 96 MB of XML, beside plistlib's read, time", inspect_xml.time, plistlib_xml.time, 0.35, seconds)
    ratio(
        "inspect of 96 MB of XML, beside plistlib's read, peak memory", inspect_xml.memory, plistlib_xml.memory, 3,
        megabytes,
    )
    row("plan of 100,000 changes", f"{many:.3f} s", (1, "1 s"), "median of 5")
    row("the same beside 25,000 changes: 4× where it grows linearly", f"{many / fewer:.2f}×", (6, "6×"), f"{fewer:.3f} s")
    ratio("plan of 100,000 keys that move, by a spec, beside the same in Swift", by_spec, in_swift, 1.3, seconds)
    row("lint of a spec of 10,000 rows", f"{lines[1]:.3f} s", (0.5, "0.5 s"), f"2,500 rows: {seconds(lines[0])}")
    for what, less, more in zip(("open", "verify", "export"), small, large):
        row(
            f"to {what} with a ledger of 4,000 entries, beside 1,000", f"{more / less:.2f}×", (6, "6×"),
            f"{seconds(more)} : {seconds(less)}",
        )
    for what, (less, more) in (("keychain items", items), ("files", files)):
        row(
            f"export of 4,000 new {what}, beside 1,000", f"{more / less:.2f}×", (6, "6×"),
            f"{seconds(more)} : {seconds(less)}{', in memory' if MEMORY else ''}",
        )
    slowest = max(presses, key=lambda name: presses[name][0])
    count = sum(count for _, _, count in presses.values())
    largest = max(largest for _, largest, _ in presses.values())
    row(
        "a key to its frame at 200×50, slowest key", f"{presses[slowest][0]:.2f} ms", (5, "5 ms"),
        f"{slowest}; largest of {count}: {largest:.2f} ms",
    )
    row(
        "first screen of a container in a zip of 2 GB", f"{first_of_zip.time:.3f} s", (0.5, "0.5 s"),
        f"Python's zipfile, which lists it: {seconds(zipfile.time)}",
    )
    for (less, one, _), (more, other, peer_of_more) in zip(growth, growth[1:]):
        row(
            f"inspect of a zip of {more:,} members, beside {less:,}", f"{other.time / one.time:.2f}×", (6, "6×"),
            f"{seconds(other.time)} : {seconds(one.time)}; zipfile lists it in {seconds(peer_of_more.time)}",
        )
    row("vestige --version", f"{version.time * 1000:.1f} ms", (15, "15 ms"), f"{len(version.seconds)} runs")
    return rows, presses


def write_xml(path):
    entry = (
        "\t<key>cache.item.{0:07d}.state</key>\n\t<dict>\n\t\t<key>count</key>\n\t\t<integer>{0}</integer>\n"
        "\t\t<key>name</key>\n\t\t<string>item no. {0}</string>\n\t\t<key>seen</key>\n\t\t<true/>\n\t</dict>\n"
    )
    with open(path, "w") as file:
        file.write('<?xml version="1.0" encoding="UTF-8"?>\n<plist version="1.0">\n<dict>\n')
        number = 0
        while file.tell() < XML_BYTES:
            file.write("".join(entry.format(n) for n in range(number, number + 1000)))
            number += 1000
        file.write("</dict>\n</plist>\n")


def table(rows):
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", metavar="DIR", type=pathlib.Path, help="where the built programs are")
    parser.add_argument("--runs", metavar="N", type=int, default=7, help="how often each command runs (default: 7)")
    parser.add_argument("--backups", action="store_true", help="measure backups alone")
    parser.add_argument("--peers", metavar="PYTHON", default=sys.executable, help="a Python that has pyiosbackup")
    arguments = parser.parse_args()
    if not shutil.which(PEER):
        sys.exit(f"{PEER} is needed to compare with: apt-get install libplist-utils")
    programs = arguments.programs or build()
    with tempfile.TemporaryDirectory(prefix="vestige-benchmark-") as folder:
        folder = pathlib.Path(folder)
        environment = os.environ | {"XDG_STATE_HOME": str(folder / "state")}
        vestige = programs.resolve() / "vestige"
        rows, presses = ([], {}) if arguments.backups else measure(programs.resolve(), arguments.runs, folder)
        for figure, value, limit, measured in backups.measure(
            Sample, in_turn, vestige, arguments.peers, arguments.runs, folder, environment
        ):
            met = "yes" if float(value.split()[0].rstrip("×")) <= limit[0] else "NO"
            rows.append((figure, measured, value, limit, met))
    print(f"\nbeside {PEER} or, where it says so, plistlib, medians of {arguments.runs} runs in turn")
    if os.getloadavg()[0] > os.cpu_count():
        print("other programs keep this machine busy: the ratios stand, the times in ms are too long")
    table([("figure", "measured", "result", "at most", "met")] + [
        (figure, measured, value, limit[1], met) for figure, measured, value, limit, met in rows
    ])
    if arguments.backups:
        return
    print("\na key to its frame, ms")
    table([("key", "median", "largest", "presses")] + [
        (name, f"{median:.2f}", f"{largest:.2f}", str(count)) for name, (median, largest, count) in presses.items()
    ])


if __name__ == "__main__":
    main()
