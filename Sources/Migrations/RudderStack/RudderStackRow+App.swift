import MigrationEngine
import StoreFormats

extension RudderStackRow {
    static let appVersion = RudderStackRow(
        id: "app-version", title: "App version", keys: [RudderStackKeys.appVersion], targetKey: "rudder.app_version",
        rule: { _ in "the CFBundleShortVersionString as it is" },
        convert: { legacy, transaction, _, _ throws(StepStop) in
            guard let version = try legacy.string(RudderStackKeys.appVersion, in: &transaction) else {
                throw .skipped(
                    "absent",
                    "\(RudderStackKeys.appVersion) is not there: the old SDK did not track the app's life cycle")
            }
            return Result(value: .string(version), from: [legacy.address(RudderStackKeys.appVersion)])
        })

    static let appBuild = RudderStackRow(
        id: "app-build", title: "App build", keys: [RudderStackKeys.appBuild], targetKey: "rudder.app_build",
        rule: { _ in "the CFBundleVersion as an integer" },
        convert: { legacy, transaction, _, _ throws(StepStop) in
            guard let build = try legacy.string(RudderStackKeys.appBuild, in: &transaction) else {
                throw .skipped(
                    "absent",
                    "\(RudderStackKeys.appBuild) is not there: the old SDK did not track the app's life cycle")
            }
            guard let number = Int(build) else {
                throw .failed(
                    "build-not-an-integer",
                    """
                    \(RudderStackKeys.appBuild) is “\(build)”, which is not an integer; the new SDK will treat the build \
                    as unknown
                    """)
            }
            return Result(value: .integer(Int128(number)), from: [legacy.address(RudderStackKeys.appBuild)])
        })
}
