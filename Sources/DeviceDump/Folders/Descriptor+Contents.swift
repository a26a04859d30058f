import Foundation

extension Descriptor {
    /// From this size on a file is mapped and not copied.
    private static let mappedFrom = 1 << 20

    /// The bytes of a regular file from its start.
    ///
    /// A file that shrinks while it is mapped would end the program when the missing part is read. Dumps are copies that
    /// nothing writes to, and the small files that change most often are copied.
    func contents(size: Int, limit: Int?) throws(POSIXCode) -> Data {
        if size > Self.mappedFrom { return try mapped(size: size) }
        var data = Data()
        var chunk = [UInt8](repeating: 0, count: 1 << 16)
        // The size may be out of date, so reading goes on to the end or past the limit.
        while true {
            let count = Foundation.read(raw, &chunk, chunk.count)
            if count == 0 { break }
            guard count > 0 else {
                if errno == EINTR { continue }
                throw POSIXCode(errno)
            }
            data.append(contentsOf: chunk[..<count])
            guard data.count <= limit ?? .max else { throw POSIXCode(EFBIG) }
        }
        return data
    }

    private func mapped(size: Int) throws(POSIXCode) -> Data {
        let start = mmap(nil, size, PROT_READ, MAP_PRIVATE, raw, 0)
        guard let start, start != MAP_FAILED else { throw POSIXCode(errno) }
        return Data(bytesNoCopy: start, count: size, deallocator: .unmap)
    }
}
