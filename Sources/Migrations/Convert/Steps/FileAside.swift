import Foundation
import MigrationEngine
import StoreFormats

extension StoreTransaction {
    /// The bytes of a file, or `nil` where there is none.
    package mutating func file(_ address: Address) throws(StepStop) -> Data? {
        switch read(address) {
        case .absent: return nil
        case .unreadable(let reason): throw .unreadable(address, reason)
        case .present(.data(let data)): return data
        case .present(let value):
            throw .failed("wrong-type", "\(address) is \(value.typePhrase), where the bytes of a file belong")
        }
    }

    /// Moves a corrupt file to a name with `.corrupt` at its end, never over another file.
    ///
    /// One that is over a limit stays: the SDK may read it.
    mutating func setAside(
        _ address: Address, _ data: Data, because error: ConvertFormatError, rule: String
    ) throws(StepStop) {
        try error.checkLimit(at: address)
        var target = address
        for number in 1...100 {
            target.key = (address.key ?? "") + (number == 1 ? ".corrupt" : ".corrupt-\(number)")
            let held = read(target)
            guard held == .absent || held == .present(.data(data)) else { continue }
            try write(.data(data), to: target, from: [address], rule: rule, notes: [error.description])
            return remove(address, rule: rule)
        }
        throw .failed("no-name-left", "every name that \(address) could be moved to is taken")
    }
}
