// Settings of a SQLite connection that are made by a variadic function, which Swift cannot call.
#pragma once

struct sqlite3;

/// Makes a connection one that runs nothing that a database file brings with it: no triggers, no views, no functions in
/// its schema, no extensions, and no tampering with the schema itself.
void cs_distrust(struct sqlite3 *connection);
