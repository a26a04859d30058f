import Dispatch
import Foundation
import StoreFormats
import Synchronization

/// What is read from front to back, in pieces of which each is made while the one before it is used.
///
/// A page here and there is not read so: a piece costs as much as some hundred pages.
final class ReadAhead: Sendable {
    /// Bytes of a piece.
    static let size = 1 << 20
    /// How many readings in a row are of what follows before a piece is made.
    static let patience = 8
    /// How many bytes may be left out between two of them.
    private static let gap = 1 << 16

    private struct State {
        /// Where the last reading has ended, and how many have gone on from the one before.
        var end = 0, row = 0
        /// What is there, and how often it was of use.
        var piece = Piece(start: 0), uses = 0
        /// What is being made.
        var next: Making?
    }

    private struct Piece {
        let start: Int
        var bytes = Data()

        var end: Int { start + bytes.count }

        func contains(_ place: Int) -> Bool { start <= place && place < end }

        func part(_ range: Range<Int>) -> Data? {
            guard range.lowerBound >= start, range.upperBound <= end else { return nil }
            let first = bytes.startIndex - start
            return bytes[first + range.lowerBound..<first + range.upperBound]
        }
    }

    private let make: @Sendable (Range<Int>) -> Data?
    private let count: Int
    private let state = Mutex(State())

    /// - Parameters:
    ///   - count: How many bytes there are.
    ///   - make: Reads some of them; `nil` where that fails, so that what is asked for is read by itself and says why.
    init(of count: Int, _ make: @escaping @Sendable (Range<Int>) -> Data?) {
        self.count = count
        self.make = make
    }

    /// A part, where it belongs to what is read from front to back and can be read.
    func part(_ range: Range<Int>) -> Data? {
        state.withLock { state in
            if let part = state.piece.part(range) {
                state.uses += 1
                return part
            }
            // What reaches over its end, or is as large as a piece, is read by itself.
            guard !state.piece.contains(range.lowerBound), range.count <= Self.size / 2 else { return nil }
            let follows = Self.follows(range, state.end), goesOn = Self.follows(range, state.piece.end)
            state.row = follows ? state.row + 1 : 0
            state.end = range.upperBound
            // What is read in between is elsewhere: the inner nodes of a table, say.
            guard state.row >= Self.patience || goesOn && state.uses >= Self.patience else { return nil }
            // What is being made is waited for once.
            let made = state.next?.made()
            state.next = nil
            let fitting = made.flatMap { $0.part(range) == nil ? nil : $0 }
            guard let piece = fitting ?? piece(from: range.lowerBound) else { return nil }
            (state.piece, state.uses) = (piece, 1)
            state.next = making(from: piece.end)
            return piece.part(range)
        }
    }

    private static func follows(_ range: Range<Int>, _ end: Int) -> Bool {
        end > 0 && (end...end + gap).contains(range.lowerBound)
    }

    private func range(from start: Int) -> Range<Int> { start..<min(start + Self.size, count) }

    private func piece(from start: Int) -> Piece? {
        make(range(from: start)).map { Piece(start: start, bytes: $0) }
    }

    private func making(from start: Int) -> Making? {
        start < count ? Making(range(from: start), make) : nil
    }

    /// A piece that a thread of its own makes.
    private final class Making: Sendable {
        private let start: Int
        private let done = DispatchSemaphore(value: 0)
        private let bytes = Mutex(Data?.none)

        init(_ range: Range<Int>, _ make: @escaping @Sendable (Range<Int>) -> Data?) {
            start = range.lowerBound
            beside { [self] in
                let made = make(range)
                bytes.withLock { $0 = made }
                done.signal()
            }
        }

        /// Waits for it, once; `nil` where it cannot be read.
        func made() -> Piece? {
            done.wait()
            return bytes.withLock(\.self).map { Piece(start: start, bytes: $0) }
        }
    }
}
