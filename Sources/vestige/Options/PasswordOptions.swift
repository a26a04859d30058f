import ArgumentParser
import DeviceDump
import Files
import Foundation
import StoreFormats
import Synchronization
import SystemPackage
import Workspace

extension SharedOption {
    static let passwordFiles = SharedOption(
        "password-file",
        ArgumentHelp(
            "A file with the password of an encrypted dump, - for standard input; or set VESTIGE_PASSWORD. Given again for "
                + "what is encrypted inside of it, the outermost first.",
            valueName: "file"))
    static let keyFile = SharedOption(
        "key-file",
        ArgumentHelp("A key that --save-key has written, in place of the password.", valueName: "file"))
    static let savedKey = SharedOption(
        "save-key",
        ArgumentHelp(
            "Write the key that is derived from the password to a new file, for you alone.", valueName: "file"))
}

/// What opens an encrypted dump; a password is never an argument, as anybody on the machine could read it there.
struct GivenPasswords {
    let passwordFiles: [String]
    let keyFile: String?
    let savedKey: String?

    /// Opens a dump with what the person gives, and writes its key where that is asked for; `locked` where it is encrypted
    /// and nothing was given.
    func opening(
        _ path: String, _ options: OpeningOptions, control: OpeningControl
    ) throws(DumpError) -> Opening {
        // Before the minutes that deriving may take.
        if let savedKey, access(savedKey, F_OK) == 0 {
            throw DumpError(savedKey, .keyFile("a file or a folder of that name is there already"))
        }
        var options = options
        options.secrets = try secrets()
        let opening = try Dump.opening(path, options, control: control)
        if case .opened(let dump) = opening { try saveKey(of: dump) }
        return opening
    }

    /// The same, where nobody can be asked for a password.
    func open(_ path: String, _ options: OpeningOptions) throws(DumpError) -> Dump {
        switch try opening(path, options, control: Self.telling()) {
        case .opened(let dump): return dump
        case .locked(let locked): throw locked.error
        }
    }

    /// What the person gives to open a dump and what is in it.
    private func secrets() throws(DumpError) -> [DumpSecret] {
        var secrets: [DumpSecret] = []
        if let keyFile {
            guard let key = Self.key(try Self.text(of: keyFile)) else {
                throw DumpError(keyFile, .keyFile("it is not a key, which is 64 hexadecimal digits"))
            }
            secrets.append(.key(key))
        }
        for file in passwordFiles {
            let text = try Self.text(of: file)
            // An editor ends the line, and may put the mark of UTF-8 before it; a password has neither in it.
            let line = text.prefix { !$0.isNewline }
            secrets.append(.password(String(line.hasPrefix("\u{FEFF}") ? line.dropFirst() : line)))
        }
        if passwordFiles.isEmpty, let password = ProcessInfo.processInfo.environment["VESTIGE_PASSWORD"] {
            secrets.append(.password(password))
        }
        return secrets
    }

    /// Writes the key of a dump where that is asked for.
    func saveKey(of dump: Dump) throws(DumpError) {
        guard let path = savedKey else { return }
        guard let key = dump.derivedKey else {
            // A zip has none: each of its entries has a key of its own.
            throw DumpError(path, .keyFile("\(dump.path) is not an encrypted backup, so there is no key to save"))
        }
        if dump.protects(path) {
            throw DumpError(path, .keyFile("it is inside the dump, which is never written to"))
        }
        do throws(Errno) {
            let file = try OpenFile.create(path, mode: 0o600)
            try file.write(Data((Hexadecimal.text(key) + "\n").utf8))
            try file.flush()
        } catch {
            throw DumpError(path, .keyFile(error.words))
        }
    }

    private static func key(_ text: String) -> Data? {
        let digits = text.utf8.filter { $0 != UInt8(ascii: "\n") && $0 != UInt8(ascii: "\r") }
        return digits.count == 64 ? Hexadecimal.data(digits) : nil
    }

    /// What was read from standard input: of two dumps that one password opens, both are opened with it.
    private static let input = Mutex<String?>(nil)

    private static func text(of path: String) throws(DumpError) -> String {
        if path == "-", let known = input.withLock(\.self) { return known }
        let text = try read(path)
        if path == "-" { input.withLock { $0 = text } }
        return text
    }

    private static func read(_ path: String) throws(DumpError) -> String {
        let bytes: [UInt8]
        do throws(Errno) {
            bytes = try OpenFile.input(path, limit: 1 << 16)
        } catch {
            let isUsage = [.noSuchFileOrDirectory, .isDirectory, .fileTooLarge].contains(error)
            throw DumpError(path, isUsage ? .keyFile(error.words) : .inaccessible(error))
        }
        guard let text = String(validating: bytes, as: UTF8.self) else {
            throw DumpError(path, .keyFile("it is not UTF-8 text"))
        }
        return text
    }

    /// Says once, to a person at a terminal, about how long deriving a key takes.
    private static func telling() -> OpeningControl {
        guard isatty(STDERR_FILENO) == 1 else { return OpeningControl() }
        let start = ContinuousClock.now, isSaid = Mutex(false)
        return OpeningControl(progress: { progress in
            let passed = ContinuousClock.now - start
            guard progress.phase == .unlocking, let total = progress.total, progress.done > 0,
                passed > .milliseconds(300)
            else { return }
            let seconds = Int((passed * (Double(total) / Double(progress.done))).components.seconds) + 1
            let isNew = isSaid.withLock { said in
                defer { said = true }
                return !said
            }
            if isNew {
                printError("vestige: the key is being derived, which takes about \(seconds) s; Ctrl-C stops it")
            }
        })
    }
}
