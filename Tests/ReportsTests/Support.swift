import Foundation
import MigrationEngine
import StoreFormats

@testable import Reports

/// What is said of an entry in every place, and the secret that may be in none.
protocol SaidEntries {}

extension SaidEntries {
    static var secret: String { "hunter2horse" }

    /// Everything that is said of an entry: in a row, in full, side by side with nothing, and in JSON.
    func said(_ value: Value, at address: Address, _ masking: Masking = Masking()) -> String {
        let tree = [false, true].flatMap { masking.treeLines(of: value, at: address, inFull: $0) }
            .map { "\($0.key ?? ""): \($0.text)" }
        let sides = masking.comparison((value, address), (nil, address)).rows.map { "\($0.left ?? "")" }
        let json = (try? json(Showing(masking)(value, at: address))) ?? "failed"
        return ([masking.summary(of: value, at: address), json] + tree + sides).joined(separator: "\n")
    }

    /// The text, and how it looks in base64 at each of the three positions.
    func forms(_ secret: String) -> [String] {
        [secret]
            + (0..<3).map { shift in
                let text = (Data(repeating: 0, count: shift) + Data(secret.utf8)).base64EncodedString()
                return String(text.dropFirst(shift == 0 ? 0 : 4).prefix(secret.utf8.count * 4 / 3 - 5))
            }
    }
}

/// The JSON of one part of a report.
func json(_ value: some Encodable) throws -> String {
    try JSONSink.collected { write in
        let sink = JSONSink(write)
        try ReportEncoder.write(value, to: sink, depth: 0)
        try sink.flush()
    }
}
