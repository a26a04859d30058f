/// The reason codes of the built-in migrations that the language of spec files has no word for: what one system alone knows.
package enum OwnReasons {
    /// Each code with the migrations that give it, the outcome, and what it means.
    package static let all: [(code: String, migrations: String, outcome: String, meaning: String)] = [
        (
            "sdk-v1", "rudderstack-v2", "skipped",
            "the SDK that ran was RudderStack's v1, whose keys mean something else"
        ),
        ("legacy-elsewhere", "rudderstack-v2", "blocked", "another domain than the app's holds what the old SDK left"),
        ("not-pending", "person, original", "skipped", "it decodes as the newest person, so the app does nothing"),
        (
            "not-decodable", "person, original", "skipped",
            "it decodes as no person of that version, so the app does nothing"
        ),
        ("second-file", "convert", "skipped", "the same decisions lie in a second file, which nobody reads"),
        ("two-decision-files", "convert", "conflict", "two files hold different decisions"),
        ("colliding-names", "convert", "conflict", "several SDK keys share one file"),
        ("ambiguous-names", "convert", "skipped", "a file may belong to several SDK keys"),
        ("no-name-left", "convert", "failed", "every name that a corrupt file could move to is taken"),
        ("key-material-missing", "localdata-sealed", "blocked", "the keychain has no key for a sealed file"),
        ("sealed-not", "localdata-sealed", "failed", "the file is not sealed"),
        ("sealed-unknown-version", "localdata-sealed", "failed", "the file is sealed in a way that is not known"),
        ("sealed-damaged", "localdata-sealed", "failed", "the sealed file is damaged"),
        ("sealed-wrong-key", "localdata-sealed", "failed", "the file is sealed with another key"),
        ("sealed-not-authentic", "localdata-sealed", "failed", "the sealed file was changed"),
        ("sealed-over-limit", "localdata-sealed", "failed", "the sealed file is larger than this program reads"),
        (
            "sealed-invalid-parameters", "localdata-sealed", "failed",
            "the sealed file asks for what no key is derived with"
        ),
        ("cannot-decode", "localdata-sealed, catalogs", "failed", "a value is not of the type that its key says"),
        (
            "cannot-encode", "localdata-sealed, catalogs", "failed",
            "a value cannot be written in the form that its key says"
        ),
        ("catalog-invalid", "catalogs", "failed", "the keys of a catalog contradict one another"),
        ("migration-failed", "catalogs", "failed", "a migration of one's own says that it failed"),
        ("transformation-failed", "catalogs", "failed", "a closure makes no new value of the old one"),
        ("source-is-destination", "catalogs", "failed", "a key is to be moved onto itself"),
        ("store-failed", "catalogs", "failed", "a store cannot be used"),
        ("no-migration", "catalogs", "skipped", "the key has no migration"),
        ("nothing-to-do", "catalogs", "skipped", "a migration of one's own says no more than that it is done"),
    ]
}
