#include "CSQLite.h"

#include <sqlite3.h>

// Before anything else asks for SQLite, after which it can no longer be said.
__attribute__((constructor)) static void cs_allow_uris(void) { sqlite3_config(SQLITE_CONFIG_URI, 1); }

void cs_distrust(struct sqlite3 *connection) {
    sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, (void *)0);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (void *)0);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, (void *)0);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (void *)0);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (void *)0);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0, (void *)0);
}
