import Crypto
import CryptoExtras
import Foundation
import SystemPackage

/// A SQLite file that is encrypted as backups do it (AES-CBC with a zero first vector), decrypted page by page as SQLite asks
/// for them: a look at a few pages of a large one takes as long as those do, and nothing decrypted is written anywhere.
package final class EncryptedPages: DatabasePages {
    private let cipher: Cipher
    private let ahead: ReadAhead
    /// How many bytes there are, decrypted.
    package let count: Int
    package let isSecret = true

    /// Takes encrypted bytes; a block of padding behind the pages, whose size is a multiple of 512 bytes, is left out.
    init(_ bytes: PackedBytes, key: SymmetricKey) {
        let cipher = Cipher(bytes: bytes, key: key)
        let count = bytes.count % 512 == Cipher.block ? bytes.count - Cipher.block : bytes.count
        self.cipher = cipher
        self.count = count
        ahead = ReadAhead(of: count) { try? cipher.decrypted($0) }
    }

    /// The bytes from a place on: fewer than so many only at the end, or where what is stored ends within a block.
    ///
    /// - Throws: also where the file has become shorter since it was opened.
    package func read(at offset: Int, upTo count: Int) throws(Errno) -> Data {
        guard offset >= 0, offset < self.count, count > 0 else { return Data() }
        let range = offset..<min(offset + count, self.count)
        if let part = ahead.part(range) { return part }
        return try cipher.decrypted(range)
    }
}

/// Encrypted bytes, and the key to them.
private struct Cipher: Sendable {
    static let block = 16
    let bytes: PackedBytes
    let key: SymmetricKey

    func decrypted(_ range: Range<Int>) throws(Errno) -> Data {
        let start = range.lowerBound / Self.block * Self.block
        // The block before the first one takes part in it.
        let before = min(start, Self.block)
        let wanted = before + (range.upperBound - start + Self.block - 1) / Self.block * Self.block
        let stored = try bytes.read(at: start - before, upTo: wanted)
        // It was all there when it was opened.
        guard stored.count == min(wanted, bytes.count - start + before) else { throw .ioError }
        let vector = before > 0 ? Array(stored.prefix(before)) : [UInt8](repeating: 0, count: Self.block)
        let cipher = stored[before...].prefix((stored.count - before) / Self.block * Self.block)
        guard !cipher.isEmpty else { return Data() }
        do {
            let plain = try AES._CBC.decrypt(cipher, using: key, iv: AES._CBC.IV(ivBytes: vector), noPadding: true)
            return plain.dropFirst(range.lowerBound - start).prefix(range.count)
        } catch {
            throw .ioError
        }
    }
}
