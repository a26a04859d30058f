import Foundation
import MigrationEngine
import StoreFormats

/// Why a file of Convert's SDK is not what it should be: where, and what is wrong there.
public struct ConvertFormatError: Error, Hashable, Sendable, CustomStringConvertible {
    /// The place in the JSON; the root where the text itself cannot be read.
    public let pointer: JSONPointer
    /// What is wrong there.
    public let problem: String
    /// Set where the text is over a limit of the reader, which the SDK may read all the same: it is not corrupt.
    let overLimit: FormatError?

    /// Makes an error at a place.
    package init(_ problem: String, at pointer: JSONPointer = JSONPointer()) {
        self.problem = problem
        self.pointer = pointer
        overLimit = nil
    }

    fileprivate init(_ error: FormatError) {
        problem = error.description
        pointer = JSONPointer()
        overLimit = error.isOverLimit ? error : nil
    }

    /// Stops a step, or an app, where the text of a file is over a limit: what it is, is not known.
    package func checkLimit(at address: Address) throws(StepStop) {
        if let overLimit { throw .overLimit(address, overLimit) }
    }

    /// The problem with its place, in one sentence without a full stop.
    public var description: String { pointer.isRoot ? problem : "\(problem) at #\(pointer)" }
}

extension JSONDocument {
    /// Reads the text of a file of the SDK.
    init(convertFile data: Data) throws(ConvertFormatError) {
        do {
            try self.init(data)
        } catch {
            throw ConvertFormatError(error)
        }
    }
}
