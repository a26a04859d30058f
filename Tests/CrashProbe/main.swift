import CrashTesting
import Foundation
import LiveStores

// crash-probe SCENARIO FOLDER: goes through a scenario on live stores in a folder, to be killed on the way.

let arguments = CommandLine.arguments
guard arguments.count == 3,
    let scenario = (CrashScenario.all + CrashScenario.ledgers).first(where: { $0.name == arguments[1] })
else {
    FileHandle.standardError.write(Data("crash-probe SCENARIO FOLDER\n".utf8))
    exit(64)
}
do {
    try await scenario.operation(POSIXFileSystem(), arguments[2])
} catch {
    FileHandle.standardError.write(Data("\(error)\n".utf8))
    exit(1)
}
