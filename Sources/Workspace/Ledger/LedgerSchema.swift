import Crypto
import Files
import Foundation
import GRDB
import StoreFormats

/// The tables of a ledger file, and what makes a file one.
///
/// Each schema so far has a name, which the file keeps in the table `grdb_migrations`. A text column holds bytes where the
/// text has a NUL, at which SQLite would end it.
enum LedgerSchema {
    /// What marks a SQLite file as a ledger of this program: "VSTG" as its application id.
    static let applicationID: UInt32 = 0x5653_5447
    /// The name of the schema that is written today.
    static let current = "ledger-4"
    /// The largest image, in bytes; no file of a dump that a step reads is larger.
    static let imageLimit = 256 << 20
    /// How much all images of a ledger may have, in bytes: opening it reads them.
    static let imagesLimit = 1 << 30

    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("ledger-1") { db in
            try db.execute(sql: "PRAGMA application_id = \(applicationID)")
            try db.execute(sql: firstTables)
            for table in ["entry", "change", "change_text", "fact", "digest"] { try keepEveryRow(of: table, in: db) }
        }
        migrator.registerMigration("ledger-2") { db in
            try db.execute(sql: placeholders)
            try keepEveryRow(of: "placeholder", in: db)
        }
        migrator.registerMigration("ledger-3") { db in
            let old = ["placeholder", "digest", "fact", "change_text", "change", "entry"]
            for table in old { try db.execute(sql: "ALTER TABLE \(table) RENAME TO old_\(table)") }
            try db.execute(sql: tables)
            db.add(
                function: DatabaseFunction("sha256", argumentCount: 1, pure: true) { values in
                    Data.fromDatabaseValue(values[0]).map { Data(SHA256.hash(data: $0)) }
                })
            try db.execute(sql: copy)
            for table in old { try db.execute(sql: "DROP TABLE old_\(table)") }
            try SQLiteLedger.seal(db)
            for table in ["entry", "change", "change_text", "fact", "digest", "image"] {
                try keepEveryRow(of: table, in: db)
            }
            try db.execute(sql: growingHead)
        }
        migrator.registerMigration(current) { db in
            try db.execute(sql: rests)
            try keepEveryRow(of: "rest", in: db)
        }
        return migrator
    }

    private static func keepEveryRow(of table: String, in db: Database) throws {
        for action in ["UPDATE", "DELETE"] {
            try db.execute(
                sql: """
                    CREATE TRIGGER \(table)_keeps_every_row_on_\(action.lowercased())
                    BEFORE \(action) ON \(table)
                    BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END
                    """)
        }
    }

    private static let growingHead = """
        CREATE TRIGGER head_stays BEFORE DELETE ON head
        BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END;
        CREATE TRIGGER head_grows BEFORE UPDATE ON head WHEN new.entries <> old.entries + 1
        BEGIN SELECT RAISE(ABORT, 'a ledger only grows'); END;
        """

    /// The entries of any container on whose results a step rests, since the fourth schema.
    private static let rests = """
        CREATE TABLE rest (
            entry INTEGER NOT NULL REFERENCES entry (id),
            on_entry INTEGER NOT NULL REFERENCES entry (id) CHECK (on_entry < entry),
            PRIMARY KEY (entry, on_entry)
        ) WITHOUT ROWID
        """

    /// What the other tables are today.
    private static let tables = """
        CREATE TABLE entry (
            id INTEGER PRIMARY KEY,                          -- 1, 2, 3, … over all containers
            container TEXT NOT NULL,                         -- its path in the dump, '.' for the dump itself
            number INTEGER NOT NULL CHECK (number > 0),
            takes_back INTEGER CHECK (takes_back < number),  -- NULL: a step was applied
            date REAL NOT NULL,                              -- seconds since 2001-01-01T00:00:00Z
            author TEXT NOT NULL,
            tool_version TEXT NOT NULL,
            migration TEXT NOT NULL,
            profile TEXT NOT NULL,
            step TEXT NOT NULL,
            content BLOB NOT NULL,                           -- SHA-256 of all that the entry says
            UNIQUE (container, number)
        );
        CREATE TABLE head (
            id INTEGER PRIMARY KEY CHECK (id = 1),
            entries INTEGER NOT NULL,                        -- how many there are
            digest BLOB NOT NULL                             -- SHA-256 of that before, the last entry's content and container
        );
        CREATE TABLE image (
            id INTEGER PRIMARY KEY,
            digest BLOB NOT NULL UNIQUE,                     -- SHA-256 of the bytes
            bytes BLOB NOT NULL                              -- a value as a binary property list
        );
        CREATE TABLE change (
            entry INTEGER NOT NULL REFERENCES entry (id),
            position INTEGER NOT NULL,
            address TEXT NOT NULL,
            before_state TEXT NOT NULL CHECK (before_state IN ('absent', 'present', 'unreadable')),
            before_image INTEGER REFERENCES image (id),      -- where present
            before_cause TEXT,                               -- where unreadable
            before_explanation TEXT,
            after_image INTEGER REFERENCES image (id),       -- NULL: the entry is removed
            effect TEXT,                                     -- NULL: the program of then did not say
            rule TEXT NOT NULL,
            CHECK ((before_state = 'present') = (before_image IS NOT NULL)),
            CHECK ((before_state = 'unreadable') = (before_cause IS NOT NULL)),
            PRIMARY KEY (entry, position)
        ) WITHOUT ROWID;
        CREATE TABLE change_text (
            entry INTEGER NOT NULL,
            change INTEGER NOT NULL,
            role TEXT NOT NULL CHECK (role IN ('from', 'note', 'placeholder', 'dropped')),
            position INTEGER NOT NULL,
            text TEXT NOT NULL,                              -- an address, a sentence, a JSON Pointer, an address
            PRIMARY KEY (entry, change, role, position),
            FOREIGN KEY (entry, change) REFERENCES change (entry, position)
        ) WITHOUT ROWID;
        CREATE TABLE fact (
            entry INTEGER NOT NULL REFERENCES entry (id),
            name TEXT NOT NULL,
            value TEXT NOT NULL,
            kind TEXT NOT NULL,                              -- given, ledger, metadata, inferred or assumed
            source TEXT NOT NULL,
            PRIMARY KEY (entry, name)
        ) WITHOUT ROWID;
        CREATE TABLE digest (
            entry INTEGER NOT NULL REFERENCES entry (id),
            path TEXT NOT NULL,                              -- relative to the dump's root
            digest TEXT NOT NULL,                            -- SHA-256 in hexadecimal, 'absent' or 'unreadable'
            PRIMARY KEY (entry, path)
        ) WITHOUT ROWID;
        """

    /// Fills the tables of today with what those before them hold.
    private static let copy = """
        INSERT INTO entry SELECT *, x'' FROM old_entry ORDER BY id;
        INSERT OR IGNORE INTO image (digest, bytes)
            SELECT sha256(before_image), before_image FROM old_change WHERE before_image IS NOT NULL;
        INSERT OR IGNORE INTO image (digest, bytes)
            SELECT sha256(after_image), after_image FROM old_change WHERE after_image IS NOT NULL;
        INSERT INTO change SELECT entry, position, address, before_state,
            (SELECT id FROM image WHERE digest = sha256(before_image)), before_cause, before_explanation,
            (SELECT id FROM image WHERE digest = sha256(after_image)), NULL, rule FROM old_change;
        INSERT INTO change_text SELECT * FROM old_change_text;
        INSERT INTO change_text SELECT entry, change, 'placeholder', position, pointer FROM old_placeholder;
        INSERT INTO fact SELECT entry, name, value,
            CASE WHEN name IN ('bundleIdentifier', 'appVersion', 'appName', 'groupIdentifier', 'downloadDate',
                'deviceName', 'deviceType', 'systemVersion') AND source NOT LIKE '--%' THEN 'metadata'
            ELSE 'given' END, source FROM old_fact;
        INSERT INTO digest SELECT * FROM old_digest;
        """

    /// The parts of new values that a default made up, in the second schema.
    private static let placeholders = """
        CREATE TABLE placeholder (
            entry INTEGER NOT NULL,
            change INTEGER NOT NULL,
            position INTEGER NOT NULL,
            pointer TEXT NOT NULL,                           -- a JSON Pointer into the value
            PRIMARY KEY (entry, change, position),
            FOREIGN KEY (entry, change) REFERENCES change (entry, position)
        ) WITHOUT ROWID
        """

    /// The tables of the first schema; never edited, because a file's are compared with them letter by letter.
    private static let firstTables = """
        CREATE TABLE entry (
            id INTEGER PRIMARY KEY,
            container TEXT NOT NULL,                         -- its path in the dump, '.' for the dump itself
            number INTEGER NOT NULL CHECK (number > 0),
            takes_back INTEGER CHECK (takes_back < number),  -- NULL: a step was applied
            date REAL NOT NULL,                              -- seconds since 2001-01-01T00:00:00Z
            author TEXT NOT NULL,
            tool_version TEXT NOT NULL,
            migration TEXT NOT NULL,
            profile TEXT NOT NULL,
            step TEXT NOT NULL,
            UNIQUE (container, number)
        );
        CREATE TABLE change (
            entry INTEGER NOT NULL REFERENCES entry (id),
            position INTEGER NOT NULL,
            address TEXT NOT NULL,
            before_state TEXT NOT NULL CHECK (before_state IN ('absent', 'present', 'unreadable')),
            before_image BLOB,                               -- a binary property list, where present
            before_cause TEXT,                               -- where unreadable
            before_explanation TEXT,
            after_image BLOB,                                -- NULL: the entry is removed
            rule TEXT NOT NULL,
            CHECK ((before_state = 'present') = (before_image IS NOT NULL)),
            CHECK ((before_state = 'unreadable') = (before_cause IS NOT NULL)),
            PRIMARY KEY (entry, position)
        ) WITHOUT ROWID;
        CREATE TABLE change_text (
            entry INTEGER NOT NULL,
            change INTEGER NOT NULL,
            role TEXT NOT NULL CHECK (role IN ('from', 'note')),
            position INTEGER NOT NULL,
            text TEXT NOT NULL,
            PRIMARY KEY (entry, change, role, position),
            FOREIGN KEY (entry, change) REFERENCES change (entry, position)
        ) WITHOUT ROWID;
        CREATE TABLE fact (
            entry INTEGER NOT NULL REFERENCES entry (id),
            name TEXT NOT NULL,
            value TEXT NOT NULL,
            source TEXT NOT NULL,
            PRIMARY KEY (entry, name)
        ) WITHOUT ROWID;
        CREATE TABLE digest (
            entry INTEGER NOT NULL REFERENCES entry (id),
            path TEXT NOT NULL,                              -- relative to the dump's root
            digest TEXT NOT NULL,                            -- SHA-256 in hexadecimal, 'absent' or 'unreadable'
            PRIMARY KEY (entry, path)
        ) WITHOUT ROWID;
        """
}

// MARK: What a file is

extension LedgerSchema {
    /// What a file at the place of a ledger is.
    enum Finding {
        /// A ledger of this program.
        case ledger
        /// What an earlier version of this program left where it was stopped while making a ledger: nobody's data.
        case leftover
    }

    /// Looks at a file's first bytes, before SQLite may touch it, and refuses one that is not a ledger.
    ///
    /// A ledger has its mark from the moment it is at its place, and no transaction changes it: it is made as a whole
    /// beside it. So what lies beside a file, such as a rollback journal, has no say.
    static func finding(at path: String) throws(WorkspaceError) -> Finding {
        let head: [UInt8]
        do {
            head = try OpenFile.open(path).read(upTo: 100)
        } catch {
            throw .ledger(path, .inaccessible(error.words))
        }
        if head.isEmpty { throw .ledger(path, .damaged("it is empty, as no ledger ever is, so it was cut short")) }
        guard head.starts(with: SQLiteMagic.database), head.count == 100 else {
            throw .ledger(path, .notALedger("not a SQLite file"))
        }
        // Offset 68: https://www.sqlite.org/fileformat.html, section 1.3.
        let identifier = head[68..<72].reduce(UInt32(0)) { $0 << 8 | UInt32($1) }
        if identifier == applicationID { return .ledger }
        guard identifier == 0, isLeftover(path) else {
            throw .ledger(path, .notALedger("another program's SQLite file"))
        }
        return .leftover
    }

    /// Whether a SQLite file without a mark holds nothing but the empty list of schemas that earlier versions of this
    /// program wrote before the mark.
    ///
    /// SQLite would play back a journal that lies beside the file, and so change a file that may be another program's:
    /// it looks at a copy of both.
    private static func isLeftover(_ path: String) -> Bool {
        // What another program has begun may all be in its log as yet; no ledger in the making ever had one.
        if let head = try? OpenFile.open(path + "-wal").read(upTo: 4), SQLiteMagic.logs.contains(Data(head)) {
            return false
        }
        let folder = FileManager.default.temporaryDirectory.path + "/vestige-\(UUID().uuidString)"
        guard mkdir(folder, 0o700) == 0 else { return false }
        defer { try? FileManager.default.removeItem(atPath: folder) }
        do {
            for suffix in ["", "-journal"] where suffix.isEmpty || access(path + suffix, F_OK) == 0 {
                // What is left over is a page or two, and a journal of as many.
                let bytes = try OpenFile.open(path + suffix).read(upTo: 65_537)
                guard bytes.count <= 65_536 else { return false }
                try OpenFile.create(folder + "/copy" + suffix, mode: 0o600).write(Data(bytes))
            }
            return try DatabaseQueue(path: folder + "/copy").read { db in
                try Objects(of: db).isLeftover(db)
            }
        } catch {
            return false
        }
    }

    /// The schema that a database has: its tables, and everything else in it, are exactly those of that schema.
    ///
    /// A view, a trigger or a column that computes could make any query endless, and a table that is not there could be
    /// taken for an empty one.
    ///
    /// - Returns: `nil` where there is nothing but what an earlier version left that was stopped while making it.
    /// - Throws: ``LedgerProblem`` in a ``WorkspaceError`` where it is a newer one or none.
    static func version(of db: Database, at path: String) throws -> String? {
        let objects = try Objects(of: db)
        if try objects.isLeftover(db) { return nil }
        guard objects.names.contains("grdb_migrations"), objects.isPlainTable("grdb_migrations") else {
            throw WorkspaceError.ledger(path, .damaged("the list of its schemas is missing"))
        }
        let known = migrator.migrations
        let found = try String.fetchAll(db, sql: "SELECT identifier FROM grdb_migrations ORDER BY rowid LIMIT 100")
        if let newer = found.filter({ !known.contains($0) }).max() {
            throw WorkspaceError.ledger(path, .newer(schema: newer))
        }
        guard let version = found.last, found == Array(known.prefix(found.count)) else {
            throw WorkspaceError.ledger(path, .damaged("the list of its schemas is not whole"))
        }
        let expected = try DatabaseQueue()
        try migrator.migrate(expected, upTo: version)
        if let wrong = try expected.read(Objects.init).firstDifference(from: objects) {
            throw WorkspaceError.ledger(
                path, .damaged("\(wrong) is not as the schema “\(version)” has it, or is missing"))
        }
        return version
    }

    /// Everything that a database's schema names, with its text; what SQLite makes by itself is left out.
    private struct Objects {
        private var texts: [String: String] = [:]

        init(of db: Database) throws {
            let rows = try Row.fetchCursor(
                db, sql: "SELECT type, name, tbl_name, sql FROM sqlite_master LIMIT 1000")
            while let row = try rows.next() {
                let parts = (0..<4).map { String.fromDatabaseValue(row[$0]) ?? "" }
                let isInternal = ["table", "index"].contains(parts[0]) && parts[1].hasPrefix("sqlite_")
                if !isInternal { texts[parts[1]] = parts.joined(separator: "\u{1F}") }
            }
        }

        /// Whether nothing is there but the empty list of schemas.
        func isLeftover(_ db: Database) throws -> Bool {
            try texts.isEmpty
                || names == ["grdb_migrations"] && isPlainTable("grdb_migrations")
                    && Int.fetchOne(db, sql: "SELECT count(*) FROM grdb_migrations") == 0
        }

        var names: [String] { texts.keys.sorted() }

        func isPlainTable(_ name: String) -> Bool {
            guard let text = texts[name]?.lowercased() else { return false }
            return text.hasPrefix("table\u{1F}") && !text.contains(" as ") && !text.contains("virtual")
        }

        func firstDifference(from other: Objects) -> String? {
            // GRDB's own table is as the version of GRDB has it that made the file.
            Set(names + other.names).sorted().first { $0 != "grdb_migrations" && texts[$0] != other.texts[$0] }
        }
    }
}
