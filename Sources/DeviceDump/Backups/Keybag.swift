import Crypto
import CryptoExtras
import Foundation

/// The keys of an encrypted backup, wrapped with a key that is derived from its password.
///
/// It is a sequence of fields: a tag of four letters, the length of the value, the value. Those of the bag itself come
/// first; then those of each class of protection, which begin with `UUID`.
struct Keybag: Sendable {
    /// A key of a class, as the bag has it.
    struct ClassKey: Sendable {
        /// Bit 0: wrapped with a key that does not leave the device; bit 1: with that of the password.
        var wrap: UInt32
        var wrapped: Data
    }

    /// A round of key derivation.
    struct Stage: Hashable, Sendable {
        var salt: Data
        var rounds: Int
    }

    /// Before iOS 10.2 there is the second stage alone.
    let first: Stage?
    let second: Stage
    let classes: [UInt32: ClassKey]

    /// Why bytes are no keybag, in words.
    struct Damage: Error { let words: String }

    /// The most bytes that a bag may have; real ones have about 2 kB.
    private static let limit = 1 << 20

    /// Reads a bag.
    init(_ data: Data) throws(Damage) {
        guard data.count <= Self.limit else { throw Damage(words: "it has \(data.count) bytes") }
        var header: [String: Data] = [:], classes: [UInt32: ClassKey] = [:]
        var current: [String: Data]?
        func close(_ fields: [String: Data]) {
            guard let number = fields["CLAS"].flatMap(Self.number), let key = fields["WPKY"] else { return }
            classes[number] = ClassKey(wrap: fields["WRAP"].flatMap(Self.number) ?? 0, wrapped: key)
        }
        var rest = data[...]
        while !rest.isEmpty {
            guard rest.count >= 8, let length = Self.number(rest.dropFirst(4).prefix(4)) else {
                throw Damage(words: "it ends within a field")
            }
            let tag = String(decoding: rest.prefix(4), as: UTF8.self)
            rest = rest.dropFirst(8)
            guard rest.count >= Int(length) else {
                throw Damage(
                    words: "its field \(tag.debugDescription) says that it has \(length) bytes, more than follow")
            }
            let value = Data(rest.prefix(Int(length)))
            rest = rest.dropFirst(Int(length))
            if tag == "UUID", header["UUID"] != nil {
                current.map(close)
                current = [:]
            }
            if current == nil { header[tag] = value } else { current?[tag] = value }
        }
        current.map(close)
        func stage(_ salt: String, _ rounds: String) throws(Damage) -> Stage {
            guard let bytes = header[salt], !bytes.isEmpty, let count = header[rounds].flatMap(Self.number), count > 0
            else { throw Damage(words: "it does not say how the key is derived (\(salt), \(rounds))") }
            return Stage(salt: bytes, rounds: Int(count))
        }
        second = try stage("SALT", "ITER")
        // By the presence of the fields: the version does not tell.
        first = header["DPSL"] == nil && header["DPIC"] == nil ? nil : try stage("DPSL", "DPIC")
        guard classes.values.contains(where: { $0.wrap & 2 != 0 }) else {
            throw Damage(words: "no key in it is wrapped with the password")
        }
        self.classes = classes
    }

    private static func number(_ data: Data) -> UInt32? {
        data.count == 4 ? data.reduce(0) { $0 << 8 | UInt32($1) } : nil
    }
}

extension Keybag {
    /// Derives the key that opens the bag, as an effect that says about how far it is and can be stopped.
    ///
    /// The library derives in one call that tells nothing and cannot be stopped. So it is made on a thread of its own; how
    /// far it is is told from the time that a few rounds have taken, and a thread that is stopped is left alone until its
    /// call ends.
    func derivedKey(
        from password: String, limit: Int, at path: String, _ control: OpeningControl
    ) throws(DumpError) -> Data {
        let stages = [
            first.map { (stage: $0, hash: KDF.Insecure.PBKDF2.HashFunction.sha256) }, (second, .insecureSHA1),
        ]
        .compactMap(\.self)
        let total = stages.reduce(0) { $0 + $1.stage.rounds }
        guard total <= limit else { throw DumpError(path, .tooManyRounds(total, limit: limit)) }
        var key = Data(password.utf8), done = 0
        for (stage, hash) in stages {
            key = try Self.derived(from: key, stage, hash) { part throws(DumpError) in
                try control.reach(.unlocking, done + Int(part * Double(stage.rounds)), of: total)
            }
            done += stage.rounds
        }
        try control.reach(.unlocking, total, of: total)
        return key
    }

    private static func derived(
        from secret: Data, _ stage: Stage, _ hash: KDF.Insecure.PBKDF2.HashFunction,
        reach: (_ part: Double) throws(DumpError) -> Void
    ) throws(DumpError) -> Data {
        try reach(0)
        let sample = min(stage.rounds, 20_000), clock = ContinuousClock(), start = clock.now
        if sample == stage.rounds { return pbkdf2(secret, stage.salt, hash, stage.rounds) }
        _ = pbkdf2(secret, stage.salt, hash, sample)
        let expected = (clock.now - start) * (Double(stage.rounds) / Double(sample))
        let derivation = Derivation()
        let began = clock.now
        Thread.detachNewThread { derivation.end(with: pbkdf2(secret, stage.salt, hash, stage.rounds)) }
        while true {
            if let key = derivation.wait(seconds: 0.05) { return key }
            try reach(min(0.99, (clock.now - began) / expected))
        }
    }

    /// What a thread makes that may have been given up.
    ///
    /// Unchecked, as every use of `key` holds the condition's lock and the condition is safe to share.
    private final class Derivation: @unchecked Sendable {
        private let condition = NSCondition()
        private var key: Data?

        func end(with key: Data) {
            condition.withLock {
                self.key = key
                condition.signal()
            }
        }

        func wait(seconds: Double) -> Data? {
            condition.withLock {
                if key == nil { _ = condition.wait(until: Date(timeIntervalSinceNow: seconds)) }
                return key
            }
        }
    }

    private static func pbkdf2(
        _ secret: Data, _ salt: Data, _ hash: KDF.Insecure.PBKDF2.HashFunction, _ rounds: Int
    ) -> Data {
        // It fails only for a length that no key has.
        let key = try? KDF.Insecure.PBKDF2.deriveKey(
            from: secret, salt: salt, using: hash, outputByteCount: 32, unsafeUncheckedRounds: rounds)
        return key?.withUnsafeBytes { Data($0) } ?? Data()
    }
}

/// The keys of an encrypted backup's classes, as far as its password gives them.
struct BackupKeys: Sendable {
    /// What the keys were unwrapped with.
    let derivedKey: Data
    private var keys: [UInt32: SymmetricKey] = [:]
    /// The classes whose keys only the device that was backed up has.
    private var deviceClasses: Set<UInt32> = []

    /// Opens a bag; `nil` where the key opens nothing in it.
    init?(_ bag: Keybag, with derivedKey: Data) {
        self.derivedKey = derivedKey
        let kek = SymmetricKey(data: derivedKey)
        var isRight = false
        for (number, key) in bag.classes where key.wrap & 2 != 0 {
            guard let unwrapped = Self.unwrap(key.wrapped, with: kek) else { continue }
            isRight = true
            // Within is one more layer, which only the device takes off.
            if key.wrap & 1 == 0 { keys[number] = unwrapped } else { deviceClasses.insert(number) }
        }
        for (number, key) in bag.classes where key.wrap & 2 == 0 { deviceClasses.insert(number) }
        guard isRight else { return nil }
    }

    /// Why a key is not there.
    enum Failure: Error {
        /// It does not leave the device.
        case lockedToDevice
        /// The bag has no key of that class.
        case noClass
        /// The bytes are not what the key of the class has wrapped.
        case damaged
    }

    /// Whether what was wrapped with the key of a class can be unwrapped.
    func opens(class number: UInt32) -> Bool { keys[number] != nil }

    /// Unwraps a key that was wrapped with that of a class.
    func unwrap(_ wrapped: Data, class number: UInt32) throws(Failure) -> SymmetricKey {
        guard let key = keys[number] else { throw deviceClasses.contains(number) ? .lockedToDevice : .noClass }
        guard let unwrapped = Self.unwrap(wrapped, with: key) else { throw .damaged }
        return unwrapped
    }

    private static func unwrap(_ wrapped: Data, with key: SymmetricKey) -> SymmetricKey? {
        guard wrapped.count >= 24, wrapped.count <= 1024, wrapped.count.isMultiple(of: 8) else { return nil }
        return try? AES.KeyWrap.unwrap(wrapped, using: key)
    }
}

/// Takes AES-CBC with a zero first vector, as backups have it, off bytes that come in parts.
final class DecryptingStream: DumpStream {
    private let base: any DumpStream
    private let key: SymmetricKey
    private let path: DumpPath
    private let isPadded: Bool
    /// Told where the last bytes are no padding, and therefore kept.
    private let foundNoPadding: @Sendable () -> Void
    private var vector = [UInt8](repeating: 0, count: 16)
    private var pending = Data()
    private var hasEnded = false

    init(
        _ base: any DumpStream, key: SymmetricKey, at path: DumpPath, isPadded: Bool,
        foundNoPadding: @escaping @Sendable () -> Void = {}
    ) {
        self.base = base
        self.key = key
        self.path = path
        self.isPadded = isPadded
        self.foundNoPadding = foundNoPadding
    }

    func next() throws(DumpError) -> Data {
        while !hasEnded {
            let part = try base.next()
            pending.append(part)
            hasEnded = part.isEmpty
            // The last block may be padding, so it waits until it is known to be the last.
            var count = pending.count / 16 * 16
            if !hasEnded, isPadded, count == pending.count { count -= 16 }
            guard count > 0 || hasEnded else { continue }
            guard !hasEnded || pending.count.isMultiple(of: 16) else {
                throw DumpError(path, .damagedPayload("what is stored is not a multiple of 16 bytes long"))
            }
            guard count > 0 else { return Data() }
            var plain = try decrypted(pending.prefix(count))
            pending = Data(pending.dropFirst(count))
            if hasEnded, isPadded { strip(&plain) }
            if !plain.isEmpty || hasEnded { return plain }
        }
        return Data()
    }

    private func decrypted(_ cipher: Data) throws(DumpError) -> Data {
        do {
            let plain = try AES._CBC.decrypt(
                cipher, using: key, iv: AES._CBC.IV(ivBytes: vector), noPadding: true)
            vector = Array(cipher.suffix(16))
            return plain
        } catch {
            throw DumpError(path, .damagedPayload("it is not decrypted with its key"))
        }
    }

    /// Takes the padding off, which is so many bytes of that number.
    ///
    /// The recorded size is not asked, as it is at times too small.
    private func strip(_ plain: inout Data) {
        guard let count = plain.last, (1...16).contains(count), plain.suffix(Int(count)).allSatisfy({ $0 == count })
        else { return foundNoPadding() }
        plain = plain.dropLast(Int(count))
    }
}
