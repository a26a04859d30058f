"""The fixtures of an app that keeps a person as JSON (seed 002), a dump for each state of it."""

from formats import *

APP = "com.acme.people"

SETTINGS = {
    "AppleLanguages": ["en-GB"],
    "lastTab": 2,
    "onboarding.done": True,
}

# As Swift's JSONEncoder writes the seed's types: no spaces, and no version, which is a computed property.
V0 = '{"age":"55","name":"Peter"}'
V1 = '{"age":"55","email":"peter@example.com","name":"Peter"}'
V2 = '{"age":"55","alias":"Peter","email":"peter@example.com"}'
V3 = '{"alias":"Peter","email":"peter@example.com"}'


def people_app(files):
    return xcappdata(files, APP, "Acme People")


def in_defaults(person):
    return lambda: people_app(preferences(APP, woven(SETTINGS, {"person": person})))


def keychain(data):
    return {"keychain.json": objection_json([keychain_item(APP, "person", data, f"ABCDE12345.{APP}", label="Person")])}


def places():
    """Not in UserDefaults: version 1 in a file written by hand, whose spelling stays, and version 2 in the keychain."""
    text = (
        '{\n  "name" : "J\\u00fcrgen \\/ Peter",\n  "age" : "55",\n  "email" : "peter@example.com",\n'
        '  "score" : 1.50e1,\n  "tags" : [ "a", "b" ]\n}\n'
    )
    return people_app({**preferences(APP, SETTINGS), "Documents/person.json": text}) | keychain(V2)


def broken():
    """Three that no step may touch: a null e-mail, an age that is a number, and text that ends too early."""
    null_email = '{"age":"55","email":null,"name":"Peter"}'
    files = {
        **preferences(APP, woven(SETTINGS, {"person": null_email})),
        "Documents/person.json": '{"age":55,"name":"Peter"}',
    }
    return people_app(files) | keychain('{"age":"55","name":"Pet')


FACTS = {}
FIXTURES = {
    "person-v0.xcappdata": in_defaults(V0),
    # The app that wrote this was updated to version 3 of the document, and never had version 2.
    "person-skipped.xcappdata": in_defaults(V1),
    # What the published code leaves of version 0, as it removes the age from no version 2; the version says nothing.
    "person-half-migrated.xcappdata": in_defaults('{"age":"55","alias":"Peter","email":"---","version":3}'),
    "person-v3.xcappdata": in_defaults(V3),
    "person-places.xcappdata": places,
    "person-broken.xcappdata": broken,
}
