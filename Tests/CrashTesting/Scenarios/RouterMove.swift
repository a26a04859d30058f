import Foundation
import LiveStores
import MigrationEngine
import Migrations
import Sealing
import StoreFormats

extension CrashScenario {
    /// The router of LocalData's guide moves its token from UserDefaults to the keychain when it is asked for.
    public static let routerMove = CrashScenario(
        name: "router-move",
        prepare: { files, path in
            var stores = try DirectoryStores(at: path, fileSystem: files)
            try stores.commit([
                Change(address: old, before: .absent, after: .data(token), rule: "before"),
                Change(address: bystander, before: .absent, after: .string("kept"), rule: "before"),
            ])
        },
        operation: { files, path in
            try await get(DirectoryStores(at: path, fileSystem: files))
        },
        check: { files, path, moment in
            do {
                let stores = try DirectoryStores(at: path, fileSystem: files)
                let isOld = stores.state(at: old) == .present(.data(token))
                let isNew = stores.state(at: new).value.flatMap { KeychainItem($0) }?.data == token
                guard isOld != isNew else { throw Wrong(isOld ? "both copies are there" : "the token is nowhere") }
                guard isNew || moment == .interrupted else { throw Wrong("what was done is gone") }
                guard isNew == (stores.state(at: old) == .absent), isOld == (stores.state(at: new) == .absent) else {
                    throw Wrong("something else is at the other place")
                }
                guard stores.state(at: bystander) == .present(.string("kept")) else {
                    throw Wrong("what nobody changed has changed")
                }
                try await get(stores)
                guard stores.state(at: old) == .absent else { throw Wrong("trying again did not complete") }
            }
            guard try leftovers(in: path, files).isEmpty else { throw Wrong("something is left behind") }
        })

    private static let old = Address.defaults("com.myapp", "old_key_name")
    private static let new = Address(store: .keychain("com.myapp"), key: "modern_token")
    private static let bystander = Address.defaults("com.myapp", "theme")
    private static let token = Data(#""not-a-real-token""#.utf8)

    private static func get(_ stores: DirectoryStores) async throws {
        try await withTaskExecutorPreference(SameThread()) {
            let router = StorageRouter(stores: stores, configuration: StorageConfiguration(suite: "com.myapp"))
            try await router.registerCatalog(LocalDataDemo())
            guard try await router.get(.modernToken) == "not-a-real-token" else { throw Wrong("another token came") }
        }
    }

    /// Runs the router on the thread that asks it, so that its system calls are numbered in one row.
    private final class SameThread: TaskExecutor {
        func enqueue(_ job: consuming ExecutorJob) {
            UnownedJob(job).runSynchronously(on: asUnownedTaskExecutor())
        }
    }
}
