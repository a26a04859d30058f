// swift-tools-version: 6.0
import PackageDescription

// A package of somebody else: it depends on the engine's library product alone, and defines a migration of its own.
let package = Package(
    name: "LibraryConsumer",
    platforms: [.macOS(.v15)],
    dependencies: [.package(name: "Vestige", path: "../..")],
    targets: [
        .target(name: "OwnMigration", dependencies: [.product(name: "MigrationEngine", package: "Vestige")]),
        .testTarget(name: "OwnMigrationTests", dependencies: ["OwnMigration"]),
    ],
    swiftLanguageModes: [.v6]
)
