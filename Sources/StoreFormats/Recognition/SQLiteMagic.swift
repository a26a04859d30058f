import Foundation

/// What the files of SQLite begin with (https://www.sqlite.org/fileformat.html, sections 1.3, 3 and 4.1).
package enum SQLiteMagic {
    /// A database.
    package static let database = Data("SQLite format 3\0".utf8)
    /// The log that lies beside a database, by the order of the bytes in its sums.
    package static let logs = [Data([0x37, 0x7F, 0x06, 0x82]), Data([0x37, 0x7F, 0x06, 0x83])]
    /// A rollback journal that its app is not done with.
    package static let journal = Data([0xD9, 0xD5, 0x05, 0xF9, 0x20, 0xA1, 0x63, 0xD7])
}
