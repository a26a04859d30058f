// Settings of SQLite that are made by variadic functions, which Swift cannot call. Whoever links this may open files by URIs
// (`file:`), which say that a file does not change.
#pragma once

struct sqlite3;

/// Makes a connection one that runs nothing that a database file brings with it: no triggers, no views, no functions in
/// its schema but those that are marked as harmless, no extensions, and no tampering with the schema itself.
void cs_distrust(struct sqlite3 *connection);

/// Makes a connection take in what it can of a schema of which entries are broken, or are written in a way that this SQLite
/// does not know: what comes of such an entry is missing. The schema is not written all the same.
void cs_pass_over_broken_schema(struct sqlite3 *connection);

/// Makes a connection refuse a format of printf and format whose fields ask for more bytes than are left of a number; what others
/// ask for is taken from that; and so what instr, replace and trim look for in a text, where both are
/// long. SQLite goes through these byte by byte, and
/// asks nobody meanwhile. The number stays where it is as long as
/// the connection is open.
void cs_bound_texts(struct sqlite3 *connection, long long *left);

/// Lets a schema use SQLite's own functions for JSON, which some of its versions (3.38 to 3.40) forget to call harmless: they
/// take bytes and give bytes. The functions of a connection without a file are asked in their place.
void cs_vouch_for_json(struct sqlite3 *connection);
