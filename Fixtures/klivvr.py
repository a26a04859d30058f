"""The fixtures of an app with KlivvrStorageKit: a user profile in the keychain, with its version beside it."""

import hashlib

from formats import *

APP = "com.klivvr.wallet"
SERVICE = "com.klivvr.storage"
GROUP = f"ABCDE12345.{APP}"
KEY = "user_profile"
FACTS = {"locale": "ar_EG"}

V1 = {"userId": "usr_123", "displayName": "Ahmed", "email": "ahmed@example.com"}
SARA = {"userId": "usr_456", "displayName": "Sara", "email": "sara@example.com"}
PREFERENCES = {"theme": "dark", "language": "ar", "currency": "EGP"}
V2 = SARA | {"preferences": PREFERENCES}
V3 = V2 | {
    "notificationSettings": {
        "pushEnabled": False, "emailEnabled": True, "transactionAlerts": True, "marketingOptIn": True,
    }
}
BACKUP = "Library/Application Support/KlivvrStorageKit/user_profile_backup_v1.sealed"


def dump(profile, version, files=None):
    """A dump with a profile and its version, each where it is given, among other items of the app."""
    items = [keychain_item(SERVICE, "session_token", b"not-a-real-token-0004", GROUP, accessible="cku")]
    if profile is not None:
        data = profile if isinstance(profile, bytes) else compact_json(profile).encode()
        items.append(keychain_item(SERVICE, KEY, data, GROUP, accessible="cku"))
    if version is not None:
        items.append(keychain_item(SERVICE, f"{KEY}_schema_version", str(version).encode(), GROUP, accessible="cku"))
    settings = preferences(APP, {"onboarding.done": True, "biometrics": "faceID"})
    return xcappdata(settings | (files or {}), APP, "Klivvr Wallet") | {"keychain.json": objection_json(items)}


def sealed(content):
    """A file that begins as a sealed one does; no key opens it, as in a dump whose key is not there."""
    header = b"VSTGSEAL" + bytes([1, 1, 1, 16, 0, 0, 0, 0]) + bytes(range(16)) + bytes(12) + bytes(8)
    body = header + bytes(byte ^ 0x5A for byte in content) + bytes(16)
    return body + hashlib.sha256(body).digest()


FIXTURES = {
    "klivvr-v1.xcappdata": lambda: dump(V1, 1),
    "klivvr-v2.xcappdata": lambda: dump(V2, 2),
    "klivvr-v3.xcappdata": lambda: dump(V3, 3),
    # The user skipped version 2 and never had a version key.
    "klivvr-skipped.xcappdata": lambda: dump(V1, None),
    # Killed between saving the value and saving its version: the backup is still there.
    "klivvr-half-migrated.xcappdata": lambda: dump(V3, 1, {BACKUP: sealed(compact_json(SARA).encode())}),
    # Current data without a version, which the original takes for version 1.
    "klivvr-no-version.xcappdata": lambda: dump(V3, None),
    # Where the original kills the process.
    "klivvr-broken.xcappdata": lambda: dump(b"[]", 1),
}
