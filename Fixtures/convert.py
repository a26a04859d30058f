"""The fixtures of an app with Convert's iOS SDK."""

from formats import *

APP = "com.acme.shop"
GROUP = f"ABCDE12345.{APP}"
ACCOUNT, PROJECT = "100413", "100410"
VISITOR, OTHER = "3F2504E0-4F89-41D3-9A0C-0305E82C3301", "7C9E6679-7425-40DE-944B-E07FC1F90AE7"
FACTS = {
    "freshVisitorId": "550E8400-E29B-41D4-A716-446655440000",
    "sdkKeys": f"{ACCOUNT}/{PROJECT}, beta/shop, beta_shop",
}

SUPPORT = "Library/Application Support"
FOLDER = f"{SUPPORT}/com.convertexperiments.sdk"
DECISIONS = "convert-decision-store.json"

SETTINGS = {"cart.count": 2, "onboarding.done": True, "AppleLanguages": ["en-GB"]}


def defaults(mirror=None):
    return preferences(APP, SETTINGS | ({} if mirror is None else {"com.convert.sdk.visitorIdMirror": mirror}))


def keychain(visitor):
    """The app's keychain; without a visitor, only what is not Convert's."""
    items = [keychain_item("com.acme.shop.session", "refresh-token", "not-a-real-token-0002", GROUP)]
    if visitor is not None:
        items.append(keychain_item("com.convert.sdk", "com.convert.sdk.visitorId", visitor, GROUP, accessible="cku"))
    return items


def key(visitor):
    return f"{ACCOUNT}-{PROJECT}-{visitor}"


def visitor_data(bucketing, goals=(), segments=None, locations=None):
    return {
        "bucketing": bucketing,
        "goalTriggered": {goal: True for goal in goals},
        "segments": segments or {},
        "locations": locations or {},
    }


def payload(*events, visitor=VISITOR):
    return {
        "accountId": ACCOUNT, "projectId": PROJECT, "enrichData": False, "source": "ios-sdk",
        "visitors": [{"visitorId": visitor, "segments": {"country": "GB"}, "events": list(events)}],
    }


def bucketing(experience, variation):
    return {"eventType": "bucketing", "data": {"experienceId": experience, "variationId": variation}}


def conversion(goal, **data):
    entries = [{"key": name, "value": value} for name, value in data.items()]
    return {"eventType": "conversion", "data": {"goalId": goal} | ({"goalData": entries} if entries else {})}


def config(project=PROJECT):
    return json.dumps({
        "account_id": ACCOUNT,
        "project": {"id": project, "name": "Shop", "utc_offset": 0, "settings": {"allow_crossdomain_tracking": False}},
        "experiences": [
            {"id": "4001", "key": "checkout", "variations": [{"id": "5001", "key": "old"}, {"id": "5002", "key": "new"}]},
            {"id": "4002", "key": "banner", "variations": [{"id": "5003", "key": "none"}]},
        ],
        "audiences": [], "segments": [], "goals": [{"id": "6001", "key": "purchase"}], "locations": [], "features": [],
        "archived_experiences": ["3999"], "_s_t": 1724990000, "is_debug": False,
    }, indent=1)


STORE = {
    key(VISITOR): visitor_data({"4001": "5002", "4002": "5003"}, ["6001"], {"country": "GB", "customSegments": ["vip"]}),
    key("ann@acme.example"): visitor_data({"4001": "5001"}),
}
QUEUE = [payload(
    bucketing("4001", "5002"), conversion("6001"),
    conversion("6001", amount=49.95, productsCount=2, transactionId="T-1001"),
)]


def healthy():
    order = [key("ann@acme.example"), key(VISITOR)]
    parts = xcappdata({
        f"{SUPPORT}/{DECISIONS}": compact_json({"store": STORE, "order": order}),
        f"{FOLDER}/config-{ACCOUNT}_{PROJECT}.json": config(),
        f"{FOLDER}/event-queue.json": compact_json(QUEUE),
    } | defaults(VISITOR), APP, "Shop")
    return parts | {"keychain.json": objection_json(keychain(VISITOR))}


def flat():
    """A version before the first release: no order, in the place where the SDK reads it."""
    old = {name: {part: data[part] for part in ("bucketing", "goalTriggered")} for name, data in STORE.items()}
    files = {f"{SUPPORT}/{DECISIONS}": json.dumps(old, indent=2)} | defaults()
    return xcappdata(files, APP, "Shop") | {"keychain.plist": graykey(keychain(VISITOR))}


def old():
    """Visitors without segments and locations, an order that is out of date, in the place that the guide names."""
    store = {name: {part: data[part] for part in ("bucketing", "goalTriggered")} for name, data in STORE.items()}
    order = [key(VISITOR), key("gone")]
    files = {f"{FOLDER}/{DECISIONS}": compact_json({"store": store, "order": order})} | defaults(VISITOR)
    return xcappdata(files, APP, "Shop") | {"keychain.txt": keychain_dumper(keychain(VISITOR))}


def half():
    """The id is in the mirror alone, and an upload was under way."""
    files = {
        f"{FOLDER}/event-queue.json": compact_json(QUEUE),
        f"{FOLDER}/event-queue.uploading": b"\x01",
    } | defaults(VISITOR)
    return xcappdata(files, APP, "Shop") | {"keychain.json": objection_json(keychain(None))}


def broken():
    """Two ids, every file corrupt in a way of its own, and a configuration that two SDK keys share."""
    queue = compact_json(QUEUE + [payload({"eventType": "view", "data": {}})])
    files = {
        f"{SUPPORT}/{DECISIONS}": '{"store":{' + compact_json(key(VISITOR)),
        f"{FOLDER}/config-{ACCOUNT}_{PROJECT}.json": "[]",
        f"{FOLDER}/config-beta_shop.json": config("100411"),
        f"{FOLDER}/event-queue.json": queue,
        f"{FOLDER}/event-queue.json.corrupt": "an earlier one",
    } | defaults(OTHER)
    return xcappdata(files, APP, "Shop") | {"keychain.json": objection_json(keychain(VISITOR))}


def without_keychain():
    return xcappdata(defaults(VISITOR), APP, "Shop")


FIXTURES = {
    "shop-healthy.xcappdata": healthy,
    "shop-flat.xcappdata": flat,
    "shop-old.xcappdata": old,
    "shop-half.xcappdata": half,
    "shop-broken.xcappdata": broken,
    "shop-no-keychain.xcappdata": without_keychain,
}
