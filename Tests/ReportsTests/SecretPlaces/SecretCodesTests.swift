import Foundation
import MigrationEngine
import StoreFormats
import Testing

@testable import Reports

@Suite("Codes and links that let someone in")
struct SecretCodesTests: SaidEntries {
    static let tickets = ["7F3C1B52-8A4E-4B8E-9A62-0D7F0C1E55AA", "x7Kq", "48213", "kGhTzQpW"]

    @Test("a ticket in a link that lets someone in, also where it is a UUID or short", arguments: tickets)
    func links(ticket: String) {
        for link in [
            "https://acme.com/magic/@", "https://acme.com/login?otl=@", "acme://reset/@", "https://acme.com/reset?t=@",
            "/magic-link?u=3&q=@", "open https://acme.com/#/magic/@ now", "https://acme.com/a?oobCode=@&lang=de",
        ] {
            let text = link.replacing("@", with: ticket)
            #expect(!said(.string(text), at: .defaults("com.acme", "state")).contains(ticket), "\(text)")
            #expect(!Secrets.masked(text: text).contains(ticket), "\(text)")
        }
    }

    @Test(
        "a link to a page, a file, an app's folder or an entry has none",
        arguments: [
            "https://acme.com/login/google", "https://acme.com/reset/step2", "https://acme.com/magic/link",
            "https://acme.com/reset/index.html", "https://acme.com/item/7F3C1B52-8A4E-4B8E-9A62-0D7F0C1E55AA",
            "/var/mobile/Containers/Data/Application/7F3C1B52-8A4E-4B8E-9A62-0D7F0C1E55AA/tmp/a",
            "file://Documents/reset/a7b3c2d1", "sqlite://Documents/a.db/login/a7b3c2d1",
            "https://acme.com/?id=a7b3c2d1",
            "https://acme.com/auth/callback?lang=de", "what? a=a7b3c2d1", "and/or", "1/2",
        ])
    func otherLinks(text: String) {
        let said = said(.string(text), at: .defaults("com.acme", "state"))
        #expect(!said.contains("‹masked"), "\(said)")
    }

    @Test(
        "a code below a key that says what it opens",
        arguments: [
            ("appLock", "code"), ("pin_settings", "code"), ("verification", "lastCode"), ("security", "code"),
            ("2fa", "codes"), ("screenlock.json", "digits"), ("smsVerification", "code"), ("login", "code"),
        ])
    func codesBelow(parent: String, key: String) {
        let plain = Address.defaults("com.acme", "state")
        for value: Value in [.string("739215"), .integer(739_215), .array([.string("739215")])] {
            let code = Value.dictionary([("on", .bool(true)), (Name(key), value)])
            let below = Value.dictionary([("settings", .array([code]))])
            let said = [
                said(.dictionary([(Name(parent), code)]), at: plain),
                said(below, at: .defaults("com.acme", Name(parent))),
                said(value, at: plain.appending(JSONPointer([Name(parent), Name(key)]))),
            ]
            #expect(said.allSatisfy { !$0.contains("739215") }, "\(said)")
        }
    }

    @Test("a code by itself under a key that says what it opens; what is no code is shown there")
    func lockAlone() {
        for key in ["screenLock", "unlock", "app_lock"] {
            let place = Address.defaults("com.acme", Name(key))
            for value: Value in [.string("7943"), .integer(794_358)] {
                let said =
                    said(value, at: place) + said(.dictionary([(Name(key), value)]), at: .defaults("com.acme", "a"))
                #expect(!said.contains("7943"), "\(said)")
            }
            #expect(
                said(.string("enabled"), at: place).contains("enabled") && said(.integer(5), at: place).contains("5"))
        }
    }

    @Test(
        "a code of something else is shown",
        arguments: [
            ("country", "code"), ("clock", "code"), ("verification", "countryCode"), ("block", "code"),
            ("response", "code"), ("shopping", "code"), ("login", "statusCode"),
        ])
    func otherCodes(parent: String, key: String) {
        let code = Value.dictionary([(Name(parent), .dictionary([(Name(key), .integer(739_215))]))])
        #expect(said(code, at: .defaults("com.acme", "state")).contains("739215"))
    }

    static let codes = [
        "code: 143277", "143277 people have a password", "Ann (143277) has the new passcode",
        "Passwort von Ann ist jetzt 143277", "비밀번호는 143277 입니다",
        "Your verification code is 143277", "143277 is your Acme verification code", "2FA code: 143277", "PIN 143277",
        "My PIN is 143277.", "code de vérification : 143277", "OTP is 143277", "Use 143-277 is your login code",
        "Your code: 143277", "Use code 143277 to log in", "G-143277 is your Google verification code",
        "Your Acme code is 143277. Do not share it.", "Your one-time code is\n\n143277", "Enter 143277 to sign in",
        "Ihr Bestätigungscode lautet 143277", "Acme: 143277 is your code", "Votre code est 143277",
        "<#> 143277 is the code to confirm your number",
        "Use 143277 as your password", "Security code 143277", "authentication code 143277",
        "Confirmation code: 143277", "Do not share this code with anyone: 143277", "code 143277 expires in 5 minutes",
        "Su código es 143277", "Ваш код: 143277", "인증번호 143277", "Your code is 143 277",
    ]

    @Test("a code or a PIN in a message, which is of digits alone", arguments: codes)
    func messages(text: String) {
        for value: Value in [.string(text), .data(Data(text.utf8))] {
            let said = said(value, at: .defaults("com.acme", "state"))
            #expect(!said.contains("143277") && !said.contains("143-277") && !said.contains("143 277"), "\(said)")
        }
    }

    @Test(
        "a number in a sentence that is about something else is shown",
        arguments: [
            "143277 is your number of steps", "version is 143277", "error code is 143277", "Your error code is 143277",
            "Enter 143277 as the amount", "Your postal code is 143277", "The code is from 2024-08-30 at 10:30:15",
        ])
    func numbers(text: String) {
        #expect(said(.string(text), at: .defaults("com.acme", "state")).contains("‹masked") == false)
    }
}
