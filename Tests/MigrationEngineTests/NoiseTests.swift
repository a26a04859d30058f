import MigrationEngine
import StoreFormats
import Testing

@Suite("What lies in an app's stores and is none of its own")
struct NoiseTests {
    private static let app = StoreID.defaults("com.acme.notes")

    @Test(
        "keys of the system and of widely used SDKs are noise",
        arguments: [
            "AppleLanguages", "NSInterfaceStyle", "com.apple.x", "/firebase/a", "FIRInstanceID", "INNextHeartbeatDate",
        ])
    func noise(key: String) { #expect(Noise.holds(Name(key), in: Self.app)) }

    @Test(
        "a key that only begins with the same letters is the app's own",
        arguments: ["INVITES", "FIRSTNAME", "FIRST_LAUNCH", "UID", "INSTALL_ID", "Nsfw", "apple", "theme", ""])
    func own(key: String) { #expect(!Noise.holds(Name(key), in: Self.app)) }

    @Test("of files what the system makes in its folders is noise, and nothing of the documents")
    func files() {
        #expect(Noise.holds("Cookies/Cookies.binarycookies", in: .files("Library")))
        #expect(Noise.holds("x/com.apple.nsurlsessiond/y", in: .files("AppSupport")))
        #expect(!Noise.holds("Cookies/recipe.txt", in: .files("Documents")))
        #expect(!Noise.holds("my Cookies/recipe.txt", in: .files("Library")))
    }

    @Test("caches, Apple's domains and groups, and the tables of Core Data are the system's as a whole")
    func stores() {
        for store in [
            StoreID.files("Caches"), .files("tmp"), .defaults("com.apple.mobilesafari"), .keychain("apple"),
            SQLiteTable("Z_METADATA", of: "a.sqlite", in: "AppSupport").store,
        ] { #expect(Noise.isSystem(store), "\(store)") }
        for store in [
            StoreID.files("AppSupport"), .defaults("com.applesauce"), .keychain("com.acme"),
            SQLiteTable("Z_NOTES", of: "a.sqlite", in: "AppSupport").store,
        ] { #expect(!Noise.isSystem(store), "\(store)") }
    }
}
