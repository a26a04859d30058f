import Foundation

/// Archives that `Fixtures/archives.py` makes of other fixtures, sound and hostile, in a folder of the test.
package enum Archives {
    /// Writes one of a kind of a fixture, or of any folder.
    ///
    /// - Throws: where Python fails.
    package static func write(_ kind: String, to target: String, of source: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        // Without what is installed beside the standard library, which takes as long to find as most archives to write.
        process.arguments = ["python3", "-S", "-W", "ignore", Places.fixture("archives.py"), kind, target, source]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}
