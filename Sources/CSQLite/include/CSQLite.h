// Settings of SQLite that are made by variadic functions, which Swift cannot call. Whoever links this may open files by URIs
// (`file:`), which say that a file does not change.
#pragma once

struct sqlite3;

/// Makes a connection one that runs nothing that a database file brings with it: no triggers, no views, no functions in
/// its schema, no extensions, and no tampering with the schema itself.
void cs_distrust(struct sqlite3 *connection);
