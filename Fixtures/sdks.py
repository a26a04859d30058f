"""The fixtures of apps with older versions of other SDKs, each made from what the SDK's sources say that it stores."""

import json

from formats import *

RUDDER, AMPLITUDE, MIXPANEL = "com.acme.meter", "com.acme.waves", "com.acme.panels"
POSTHOG, SEGMENT, STATSIG = "com.acme.hedge", "com.acme.parts", "com.acme.gates"
API_KEY, TOKEN = "amp-key-1", "mixtoken1"

SETTINGS = {"AppleLanguages": ["en-GB"], "lastTab": 2}


def app(identifier, files):
    return xcappdata({**preferences(identifier, SETTINGS), **files}, identifier, identifier.split(".")[-1].title())


def rudderstack_v1():
    """SDK 1.25.2 and later: a file of its own; what it once left in the defaults is not read beside it."""
    legacy = {
        "rl_anonymous_id": "4f8e6a3e-anon",
        "rl_traits": json.dumps({"userId": "u-7", "anonymousId": "4f8e6a3e-anon", "id": "7", "email": "b@c.d"}),
        "rl_session_id": 1724990100,
        "rl_session_auto_track_status": True,
        "rl_last_event_time_stamp": 1724995000,
        "rl_application_version_key": "3.1",
        "rl_application_build_key": "88",
        "rl_server_config": json.dumps({"source": {"id": "s"}}),
        "rl_opt_status": False,
        "standardDefaultsCopied": True,
    }
    leftovers = {"rl_anonymous_id": "older-anon"}
    files = {**preferences(RUDDER, woven(SETTINGS, leftovers)), "Library/rsDefaultsPersistence.plist": xml(legacy)}
    return xcappdata(files, RUDDER, "Meter")


def amplitude_prefix():
    """Amplitude-Swift before the store had both the key and the instance in its name."""
    prefix = "com.amplitude.storage."
    return app(AMPLITUDE, {
        **preferences(f"{prefix}amplitude-swift-{API_KEY}", {
            "device_id": "d-1", "user_id": "u-1", "previous_session_id": 1724990100000,
            "last_event_time": 1724995000000, "last_event_id": 41, "storage_version": 0,
        }),
        **preferences(f"{prefix}amplitude-swift-storage-{API_KEY}-default_instance", {
            "device_id": "d-newer", "last_event_id": 12,
        }),
    })


def amplitude_sqlite():
    """The SDK before Amplitude-Swift: a database, with an event that was not sent."""
    return app(AMPLITUDE, {
        "Library/com.amplitude.database": database(
            "CREATE TABLE store (key TEXT PRIMARY KEY NOT NULL, value TEXT)",
            "CREATE TABLE long_store (key TEXT PRIMARY KEY NOT NULL, value INTEGER)",
            "CREATE TABLE events (id INTEGER PRIMARY KEY AUTOINCREMENT, event TEXT)",
            "CREATE TABLE identifys (id INTEGER PRIMARY KEY AUTOINCREMENT, event TEXT)",
            "CREATE TABLE intercepted_identifys (id INTEGER PRIMARY KEY AUTOINCREMENT, event TEXT)",
            "INSERT INTO store VALUES ('device_id', 'd-1'), ('user_id', 'u-1')",
            "INSERT INTO long_store VALUES ('previous_session_id', 1724990100000)",
            "INSERT INTO long_store VALUES ('previous_session_time', 1724995000000)",
            """INSERT INTO events VALUES (41, '{"event_type":"opened","timestamp":1724995000000}')""",
            "PRAGMA user_version = 4",
        ),
    })


def mixpanel():
    """mixpanel-swift before its suite: keyed archives beside one another."""
    properties = {
        "distinctId": "mix-1", "peopleDistinctId": "mix-1", "anonymousId": "anon-1", "userId": "u-1",
        "hadPersistedDistinctId": True, "superProperties": {"plan": "pro", "seats": 3}, "timedEvents": {},
    }
    start = f"Library/mixpanel-{TOKEN}-"
    return app(MIXPANEL, {
        f"{start}properties": archive(properties), f"{start}optOutStatus": archive(True), f"{start}events": archive([]),
    })


def posthog():
    """posthog-ios before the project's own folder: a file for each key; one is there already."""
    start = f"Library/Application Support/{POSTHOG}/"
    return app(POSTHOG, {
        f"{start}posthog.distinctId": compact_json({"posthog.distinctId": "hog-1"}),
        f"{start}posthog.anonymousId": compact_json({"posthog.anonymousId": "anon-1"}),
        f"{start}posthog.isIdentified": compact_json({"posthog.isIdentified": True}),
        f"{start}posthog.registerProperties": compact_json({"plan": "pro"}),
        f"{start}posthog.queue.plist": compact_json([{"event": "opened"}]),
        f"{start}notes.txt": "the app's own",
        f"{start}phc-1/posthog.anonymousId": compact_json({"posthog.anonymousId": "anon-newer"}),
    })


def segment():
    """analytics-ios: JSON under the names of the files, and an older property list."""
    start = "Library/Application Support/"
    return xcappdata({
        **preferences(SEGMENT, woven(SETTINGS, {"SEGBuildKey": 417, "SEGAnonymousId": "not-this-one"})),
        f"{start}segmentio.userId": compact_json({"segmentio.userId": "seg-1"}),
        f"{start}segment.anonymousId": xml({"segment.anonymousId": "anon-1"}),
        f"{start}segmentio.traits.plist": compact_json({"plan": "pro", "seats": 3}),
        f"{start}segmentio.queue.plist": compact_json([]),
    }, SEGMENT, "Parts")


def statsig():
    """Statsig's cache before one file for each user: a map by hashes."""
    start = "com.Statsig.InternalStore."
    return xcappdata(preferences(STATSIG, woven(SETTINGS, {
        f"{start}localStorageKeyV2": {"hash-v2": {"values": {"feature_gates": {}}, "time": 1724995000000}},
        f"{start}localStorageKey": {"hash-v1": {"feature_gates": {}}},
        f"{start}stickyUserExperimentsKey": {"hash-v1": {"experiment": "a"}},
        f"{start}stickyUserIDKey": "u-1",
    })), STATSIG, "Gates")


FACTS = {}
FIXTURES = {
    "sdk-rudderstack-v1.xcappdata": rudderstack_v1,
    "sdk-amplitude-prefix.xcappdata": amplitude_prefix,
    "sdk-amplitude-sqlite.xcappdata": amplitude_sqlite,
    "sdk-mixpanel.xcappdata": mixpanel,
    "sdk-posthog.xcappdata": posthog,
    "sdk-segment.xcappdata": segment,
    "sdk-statsig.xcappdata": statsig,
}
