#!/usr/bin/env python3
"""Measures the figures that Vestige promises, each beside the peer that it is a ratio of, in one run.

    python3 Tests/Benchmarks/benchmark.py                   build for release, measure, print a table
    python3 Tests/Benchmarks/benchmark.py --programs DIR    measure the programs in a folder instead

The store of a million keys is written to a temporary folder, which is removed. Each command runs several times, in turn
with its peer; a figure is the median. Needs plistutil (Debian: libplist-utils). Not a test: nothing waits for it to pass.
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

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
STORE = "Library/Preferences/com.acme.notes.plist"
ENTRY = "defaults://com.acme.notes/cache.item.0500000.state"
PEER = "plistutil"


class Sample:
    """Runs of one command: seconds and peak memory in kilobytes (Linux), both as the system counts them."""

    def __init__(self, command, environment=None):
        self.command, self.environment = [str(part) for part in command], environment
        self.seconds, self.kilobytes = [], []

    def run(self):
        with open(os.devnull, "w") as nowhere:
            start = time.perf_counter()
            process = subprocess.Popen(self.command, stdout=nowhere, env=self.environment)
            _, status, usage = os.wait4(process.pid, 0)
            self.seconds.append(time.perf_counter() - start)
        process.returncode = os.waitstatus_to_exitcode(status)
        if process.returncode != 0:
            sys.exit(f"{' '.join(self.command)} ended with {process.returncode}")
        self.kilobytes.append(usage.ru_maxrss)

    @property
    def time(self):
        return statistics.median(self.seconds)

    @property
    def memory(self):
        return statistics.median(self.kilobytes)


def in_turn(runs, samples):
    for sample in samples:
        sample.run()  # not counted: brings files and libraries into memory
        sample.seconds.clear()
        sample.kilobytes.clear()
    for _ in range(runs):
        for sample in samples:
            sample.run()


def build():
    for product in ("vestige", "vestige-benchmarks"):
        subprocess.run(["swift", "build", "-c", "release", "--product", product], cwd=ROOT, check=True)
    shown = subprocess.run(
        ["swift", "build", "-c", "release", "--show-bin-path"], cwd=ROOT, check=True, capture_output=True, text=True
    )
    return pathlib.Path(shown.stdout.strip())


def key_presses(program, dump, facts):
    """The median, the largest and the number of times for each key, in milliseconds."""
    given = [f"{name}={value}" for name, value in facts.items()]
    answer = subprocess.run([program, dump, *given], check=True, capture_output=True, text=True)
    presses = {}
    for line in answer.stdout.splitlines():
        name, median, largest, count = line.split()
        presses[name] = (int(median) / 1000, int(largest) / 1000, int(count))
    return presses


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
    presses = key_presses(programs / "vestige-benchmarks", dump, json.loads(facts_file.read_text()))

    rows = []

    def row(figure, value, limit, measured):
        rows.append((figure, measured, value, limit, "yes" if float(value.split()[0].rstrip("×")) <= limit[0] else "NO"))

    def ratio(figure, one, other, limit, unit):
        row(figure, f"{one / other:.3f}×", (limit, f"{limit}×"), f"{unit(one)} : {unit(other)}")

    def seconds(number):
        return f"{number:.3f} s"

    def megabytes(number):
        return f"{number / 1000:.1f} MB"

    ratio("run to the first frame, time", first.time, peer.time, 0.15, seconds)
    ratio("run to the first frame, peak memory", first.memory, peer.memory, 0.25, megabytes)
    ratio("show of one key, time", show.time, peer.time, 0.1, seconds)
    slowest = max(presses, key=lambda name: presses[name][0])
    count = sum(count for _, _, count in presses.values())
    largest = max(largest for _, largest, _ in presses.values())
    row(
        "a key to its frame at 200×50, slowest key", f"{presses[slowest][0]:.2f} ms", (5, "5 ms"),
        f"{slowest}; largest of {count}: {largest:.2f} ms",
    )
    row("vestige --version", f"{version.time * 1000:.1f} ms", (15, "15 ms"), f"{len(version.seconds)} runs")
    return rows, presses


def table(rows):
    widths = [max(len(row[column]) for row in rows) for column in range(len(rows[0]))]
    for row in rows:
        print("  ".join(cell.ljust(width) for cell, width in zip(row, widths)).rstrip())


def main():
    parser = argparse.ArgumentParser(description=__doc__, formatter_class=argparse.RawDescriptionHelpFormatter)
    parser.add_argument("--programs", metavar="DIR", type=pathlib.Path, help="where the built programs are")
    parser.add_argument("--runs", metavar="N", type=int, default=7, help="how often each command runs (default: 7)")
    arguments = parser.parse_args()
    if not shutil.which(PEER):
        sys.exit(f"{PEER} is needed to compare with: apt-get install libplist-utils")
    programs = arguments.programs or build()
    with tempfile.TemporaryDirectory(prefix="vestige-benchmark-") as folder:
        rows, presses = measure(programs.resolve(), arguments.runs, pathlib.Path(folder))
    print(f"\nbeside {PEER}, medians of {arguments.runs} runs in turn")
    if os.getloadavg()[0] > os.cpu_count():
        print("other programs keep this machine busy: the ratios stand, the times in ms are too long")
    table([("figure", "measured", "result", "at most", "met")] + [
        (figure, measured, value, limit[1], met) for figure, measured, value, limit, met in rows
    ])
    print("\na key to its frame, ms")
    table([("key", "median", "largest", "presses")] + [
        (name, f"{median:.2f}", f"{largest:.2f}", str(count)) for name, (median, largest, count) in presses.items()
    ])


if __name__ == "__main__":
    main()
