import GRDB

/// The tables of a ledger file.
enum LedgerSchema {
    /// The schemas so far, each by its name.
    ///
    /// A text column holds bytes where the text has a NUL, at which SQLite would end it.
    static var migrator: DatabaseMigrator {
        var migrator = DatabaseMigrator()
        migrator.registerMigration("ledger-1") { db in
            try db.execute(sql: "PRAGMA application_id = \(LedgerHeader.applicationID)")
            try db.execute(sql: tables)
            for table in ["entry", "change", "change_text", "fact", "digest"] { try keepEveryRow(of: table, in: db) }
        }
        migrator.registerMigration("ledger-2") { db in
            try db.execute(sql: placeholders)
            try keepEveryRow(of: "placeholder", in: db)
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

    /// The parts of new values that a default made up.
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

    private static let tables = """
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
