import Foundation

/// Archives that `Fixtures/build.py` makes of other fixtures, sound and hostile, in a folder of the test.
package enum Archives {
    /// Writes one of a kind of a fixture, or of any folder.
    ///
    /// - Throws: where Python fails.
    package static func write(_ kind: String, to target: String, of source: String) throws {
        let process = Process()
        process.executableURL = URL(fileURLWithPath: "/usr/bin/env")
        process.arguments = [
            "python3", "-W", "ignore", Places.fixture("build.py"), "--archive", kind, target, source,
        ]
        try process.run()
        process.waitUntilExit()
        guard process.terminationStatus == 0 else { throw CocoaError(.fileWriteUnknown) }
    }
}
