#!/usr/bin/env python3
"""Compares a spec with the built-in migration of the same name on random dumps: what each step does to which entries.

    python3 Tests/Benchmarks/parity.py --count 10000 [--seed 1] [--program .build/release/vestige]

The dumps are of an app that RudderStack's SDK v2 was in: any of its keys may be missing, of another type, or out of range, and
the suite of the new SDK may hold something. Outcomes, addresses, values and effects are compared, and no sentences. What the
language cannot say, the article of the module `Specs` lists; each is counted here, and any other difference is an error.
"""

import argparse
import collections
import concurrent.futures
import json
import os
import pathlib
import random
import subprocess
import sys
import tempfile

ROOT = pathlib.Path(__file__).resolve().parent.parent.parent
sys.path.insert(0, str(ROOT / "Fixtures"))
import formats  # noqa: E402

APP, SUITE = "com.acme.notes", "com.acme.notes.analytics.wk"
FACTS = {
    "writeKey": "wk", "now": "1725000000", "uptime": "10000", "identifierForVendor": "9B574574-74A7-4EDF-969D-164CB151B6C3",
}
# A build number that 64 bits do not hold.
LARGE = "99999999999999999999"
PROFILES = ["documented", "sdk-1.1", "sdk-1.2"]


def dump(random):
    """The files of a dump."""
    traits = {
        key: value
        for key, value in {
            "email": "b@c.de", "userId": "t-7", "id": "i-9", "anonymousId": "a-1", "age": 36, "vip": True,
            "tags": ["x", 1.5], "more": {"a": [1, {"b": "ü"}]},
        }.items()
        if random.random() < 0.5
    }
    archived, text = formats.archive(traits), formats.compact_json(traits)
    choices = {
        "rs_user_id": ["u-42", "u-42", "t-7"],
        "rs_traits": [archived, archived, archived, text, archived[:-20], "broken", traits],
        "rl_session_id": [1724990100, 1724990100, 1724990100.5, -1, "x"],
        "rl_session_manual_track_status": [True, False, 1, 0, 2, "true"],
        "rl_session_stopped_status": [True, False],
        "rl_last_event_time_stamp": [1724995000, 1724995000.25, 0, -5, 1724900000, 1725000001, "x"],
        "rs_application_version_key": ["3.1", "3.1", 3],
        "rs_application_build_key": ["417", "417", "b4", 4, LARGE],
        "rs_opt_status": [True],
    }
    old = {key: random.choice(values) for key, values in choices.items() if random.random() < 0.8}
    files = formats.preferences(APP, {"editor.theme": "sepia", **old})
    if random.random() < 0.3:
        new = {"user_id": ["u-42", "other"], "session_id": ["1724990100"], "traits": [text], "is_manual_session": [True]}
        files |= formats.preferences(
            SUITE, {key: random.choice(values) for key, values in new.items() if random.random() < 0.5})
    return formats.xcappdata(files, APP, "Acme Notes")


def plan(program, path, profile, facts, spec, environment):
    """What each step does: its outcome, and the changes."""
    command = [program, "plan", path, "-m", f"rudderstack-v2:{profile}", "--json", "--reveal", "--facts", facts]
    run = subprocess.run(command + (["--spec", spec] if spec else []), capture_output=True, env=environment)
    if run.returncode not in (0, 2, 3):
        sys.exit(f"{' '.join(map(str, command))}: {run.stderr.decode()}")
    return {
        step["id"]: (step["outcome"], sorted(
            (change["address"], change["action"], json.dumps(change["after"]), change["effect"])
            for change in step["changes"]
        ))
        for step in json.loads(run.stdout)["steps"]
    }


def known(step, profile, built_in, own):
    """What the language cannot say of a step, in a phrase; None where the two should be the same."""
    (outcome, changes), (other, others) = built_in, own
    if step == "user-id" and [change[:3] for change in changes] == [change[:3] for change in others] and changes != others:
        return "that another source says something else makes no other effect"
    if step == "user-id" and (outcome, other) == ("failed", "skipped"):
        return "traits that are in no format at all hold no user"
    if step == "session-id" and {one[3] for one in changes} == {"converted"} and {one[3] for one in others} == {"changed"}:
        return "that a fraction is rounded away is told by the spec alone"
    if step == "app-build" and (outcome, other) == ("failed", "migrates") and LARGE in others[0][2]:
        return "a number beyond 64 bits is one"
    if step == "user-id" and profile != "documented" and (outcome, other) == ("failed", "migrates"):
        return "a field is read in whatever form it lies, the SDK reads it in a keyed archive alone"
    if step == "remove-legacy" and [change[:3] for change in changes] == [change[:3] for change in others]:
        effects = {one[0]: (one[3], two[3]) for one, two in zip(changes, others) if one != two}
        if effects.get(f"defaults://{APP}/rl_session_id") == ("carried", "dropped"):
            del effects[f"defaults://{APP}/rl_session_id"]
        if not effects:
            return "that a fraction is rounded away is told by the spec alone"
        keys = {f"defaults://{APP}/{key}" for key in ("rs_application_build_key", "rs_traits")}
        if effects.keys() <= keys and set(effects.values()) == {("dropped", "carried")}:
            return "what has arrived by the spec alone is not dropped"
    if profile != "documented" and {outcome, other} == {"failed", "skipped"} and step in ("manual-session", "last-activity-time"):
        return "what else the SDK reads first is asked as a condition, after the row's own source"
    return None


def compare(seed, program, spec):
    """How often each step of one dump is the same by both, or why it is not; and what differs otherwise."""
    counts, wrong = collections.Counter(), []
    with tempfile.TemporaryDirectory() as folder:
        path, facts = pathlib.Path(folder, "notes.xcappdata"), pathlib.Path(folder, "facts.json")
        formats.write_tree(path, dump(random.Random(seed)))
        facts.write_text(json.dumps(FACTS))
        environment = os.environ | {"XDG_STATE_HOME": folder, "XDG_CONFIG_HOME": folder}
        for profile in PROFILES:
            built_in, own = (plan(program, path, profile, facts, one, environment) for one in (None, spec))
            for step in built_in.keys() | own.keys():
                one, other = built_in.get(step), own.get(step)
                if one == other:
                    counts["the same"] += 1
                elif reason := one and other and known(step, profile, one, other):
                    counts[f"{step}: {reason}"] += 1
                else:
                    wrong.append(f"seed {seed}, {profile}, {step}:\n  built in  {one}\n  spec      {other}")
    return counts, wrong


def main():
    parser = argparse.ArgumentParser(description=__doc__.splitlines()[0])
    parser.add_argument("--count", type=int, default=10_000)
    parser.add_argument("--seed", type=int, default=1)
    parser.add_argument("--program", default=ROOT / ".build/release/vestige")
    parser.add_argument("--spec", default=ROOT / "Tests/SpecsTests/Examples/rudderstack-v2.yaml")
    options = parser.parse_args()
    seeds = range(options.seed * 1_000_000, options.seed * 1_000_000 + options.count)
    counts, wrong = collections.Counter(), 0
    with concurrent.futures.ThreadPoolExecutor(os.cpu_count()) as pool:
        results = pool.map(lambda seed: compare(seed, options.program, options.spec), seeds)
        for number, (own, others) in enumerate(results, start=1):
            counts += own
            for other in others[:max(0, 10 - wrong)]:
                print(other)
            wrong += len(others)
            if number % 500 == 0:
                print(f"{number} of {options.count} dumps, {wrong} otherwise", file=sys.stderr)
    for reason, count in counts.most_common():
        print(f"{count:9}  {reason}")
    print(f"{wrong:9}  otherwise")
    sys.exit(1 if wrong else 0)


if __name__ == "__main__":
    main()
