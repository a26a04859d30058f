// swift-tools-version: 6.0
import PackageDescription

let package = Package(
    name: "Vestige",
    platforms: [.macOS(.v15), .iOS(.v18)],
    products: [
        .library(name: "MigrationEngine", targets: ["MigrationEngine", "StoreFormats"]),
        .library(name: "Migrations", targets: ["Migrations", "Sealing", "MigrationEngine", "StoreFormats"]),
        .library(
            name: "Systems",
            targets: ["Systems", "LiveStores", "Sealing", "Migrations", "MigrationEngine", "StoreFormats"]),
        .executable(name: "vestige", targets: ["vestige"]),
    ],
    dependencies: [
        .package(url: "https://github.com/apple/swift-argument-parser", from: "1.8.2"),
        .package(url: "https://github.com/apple/swift-collections", from: "1.6.0"),
        .package(url: "https://github.com/apple/swift-crypto", from: "4.5.2"),
        .package(url: "https://github.com/apple/swift-system", from: "1.8.1"),
        .package(url: "https://github.com/groue/GRDB.swift", from: "7.10.0"),
        .package(url: "https://github.com/jpsim/Yams", from: "6.2.2"),
    ],
    targets: [
        // Arrows go down only: a target knows nothing of the targets above it.
        .executableTarget(
            name: "vestige",
            dependencies: [
                "Terminal", "Inspector", "Reports", "Workspace", "Migrations", "Specs", "DeviceDump", "Files",
                .product(name: "SystemPackage", package: "swift-system"),
                .product(name: "ArgumentParser", package: "swift-argument-parser"),
            ]
        ),
        .target(
            name: "Terminal",
            dependencies: [
                "Inspector", "Files", "CNcurses", "CTerminal", .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .target(
            name: "Inspector",
            dependencies: ["Reports", "Workspace", "Files", .product(name: "SystemPackage", package: "swift-system")]),
        .target(name: "Reports", dependencies: ["Workspace", "CText"]),
        .target(
            name: "Workspace",
            dependencies: [
                "DeviceDump", "MigrationEngine", "Files",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "Crypto", package: "swift-crypto"),
            ]
        ),
        .target(name: "Migrations", dependencies: ["Sealing", "MigrationEngine"]),
        .target(
            name: "Specs", dependencies: ["MigrationEngine", .product(name: "Yams", package: "Yams")],
            resources: [
                .embedInCode("Catalog/amplitude-prefix.yaml"), .embedInCode("Catalog/amplitude-sqlite.yaml"),
                .embedInCode("Catalog/localdata-demo.yaml"), .embedInCode("Catalog/mixpanel.yaml"),
                .embedInCode("Catalog/posthog.yaml"),
                .embedInCode("Catalog/rudderstack-v1.yaml"), .embedInCode("Catalog/segment.yaml"),
                .embedInCode("Catalog/statsig.yaml"),
            ]),
        // Beside them, for apps; the program needs neither it nor LiveStores.
        .target(name: "Systems", dependencies: ["Migrations", "Sealing", "MigrationEngine"]),
        .target(
            name: "DeviceDump",
            dependencies: [
                "MigrationEngine", "Files", "CSQLite", "CArchive", "CZlib",
                .product(name: "GRDB", package: "GRDB.swift"), .product(name: "GRDBSQLite", package: "GRDB.swift"),
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ]),
        .target(
            name: "LiveStores",
            dependencies: [
                "MigrationEngine", "Files", .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .target(
            name: "Sealing",
            dependencies: [
                .product(name: "Crypto", package: "swift-crypto"),
                .product(name: "CryptoExtras", package: "swift-crypto"),
            ]
        ),
        .target(
            name: "MigrationEngine",
            dependencies: ["StoreFormats", .product(name: "OrderedCollections", package: "swift-collections")]),
        .target(name: "StoreFormats"),
        .target(
            name: "Files",
            dependencies: ["StoreFormats", "CFiles", .product(name: "SystemPackage", package: "swift-system")]),

        .systemLibrary(
            name: "CNcurses", providers: [.apt(["libncurses-dev"]), .brew(["ncurses"])]),
        .systemLibrary(
            name: "CArchive", providers: [.apt(["libarchive-dev"]), .brew(["libarchive"])]),
        .systemLibrary(name: "CZlib", providers: [.apt(["zlib1g-dev"])]),
        .target(name: "CTerminal"),
        .target(name: "CText"),
        .target(name: "CFiles"),
        .target(name: "CSQLite", linkerSettings: [.linkedLibrary("sqlite3")]),

        .testTarget(
            name: "StoreFormatsTests", dependencies: ["StoreFormats", "TestSupport"],
            exclude: ["Support/plistlib_oracle.py"]),
        .testTarget(name: "MigrationEngineTests", dependencies: ["MigrationEngine", "TestSupport"]),
        .testTarget(
            name: "DeviceDumpTests",
            dependencies: ["DeviceDump", "TestSupport", .product(name: "GRDB", package: "GRDB.swift")]),
        .testTarget(
            name: "SpecsTests", dependencies: ["Specs", "Migrations", "DeviceDump", "TestSupport"],
            exclude: ["Examples"]),
        .testTarget(name: "MigrationsTests", dependencies: ["Migrations", "Systems", "Sealing", "DeviceDump"]),
        .testTarget(
            name: "WorkspaceTests",
            dependencies: [
                "Workspace", "Reports", "Migrations", "CrashTesting", "TestSupport", "crash-probe",
                .product(name: "GRDB", package: "GRDB.swift"),
                .product(name: "SystemPackage", package: "swift-system"),
            ]),
        .testTarget(name: "ReportsTests", dependencies: ["Reports", "Migrations", "Specs", "TestSupport", "CText"]),
        .testTarget(name: "InspectorTests", dependencies: ["Inspector", "Migrations", "Specs", "TestSupport"]),
        .target(name: "TestSupport", path: "Tests/TestSupport"),
        .testTarget(
            name: "CommandTests",
            dependencies: [
                "vestige", "Reports", "Workspace", "DeviceDump", "Migrations", "MigrationEngine", "StoreFormats",
                "CrashTesting", "TestSupport",
            ],
            exclude: ["Expected"]),
        .testTarget(
            name: "TerminalTests", dependencies: ["Terminal", "Inspector", "TestSupport", "terminal-probe", "vestige"]),
        .testTarget(
            name: "LiveStoresTests",
            dependencies: [
                "LiveStores", "Sealing", "CrashTesting", "TestSupport", "crash-probe",
                .product(name: "Crypto", package: "swift-crypto"),
            ]),
        .target(
            name: "CrashTesting",
            dependencies: ["LiveStores", "Systems", "Sealing", "Migrations", "Workspace", "TestSupport"],
            path: "Tests/CrashTesting"),
        .executableTarget(name: "crash-probe", dependencies: ["CrashTesting"], path: "Tests/CrashProbe"),
        .executableTarget(
            name: "terminal-probe", dependencies: ["Terminal", "Inspector"], path: "Tests/TerminalProbe"),
        .executableTarget(
            name: "vestige-benchmarks", dependencies: ["Inspector", "Workspace", "Migrations", "Specs", "DeviceDump"],
            path: "Tests/Benchmarks",
            exclude: ["benchmark.py", "archives.py", "backups.py", "first_screen.py", "parity.py"]),
    ],
    swiftLanguageModes: [.v6]
)
