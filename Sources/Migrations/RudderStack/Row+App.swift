import MigrationEngine
import StoreFormats

extension Row {
    static let appVersion = Row(
        id: "app-version", title: "App version", keys: [Keys.appVersion], targetKey: "rudder.app_version",
        rule: { _ in "the CFBundleShortVersionString as it is" },
        convert: { legacy, transaction, _, _ throws(StepStop) in
            guard let version = try legacy.string(Keys.appVersion, in: &transaction) else {
                throw .skipped(
                    "absent", "\(Keys.appVersion) is not there: the old SDK did not track the app's life cycle")
            }
            return Result(value: .string(version), from: [legacy.address(Keys.appVersion)])
        })

    static let appBuild = Row(
        id: "app-build", title: "App build", keys: [Keys.appBuild], targetKey: "rudder.app_build",
        rule: { _ in "the CFBundleVersion as an integer" },
        convert: { legacy, transaction, _, _ throws(StepStop) in
            guard let build = try legacy.string(Keys.appBuild, in: &transaction) else {
                throw .skipped(
                    "absent", "\(Keys.appBuild) is not there: the old SDK did not track the app's life cycle")
            }
            guard let number = Int(build) else {
                throw .failed(
                    "build-not-an-integer",
                    """
                    \(Keys.appBuild) is “\(build)”, which is not an integer; the new SDK will treat the build as unknown
                    """)
            }
            return Result(value: .integer(Int128(number)), from: [legacy.address(Keys.appBuild)])
        })
}
