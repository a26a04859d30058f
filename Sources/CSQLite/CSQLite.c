#include "CSQLite.h"

#include <sqlite3.h>
#include <stdlib.h>
#include <string.h>

// Before anything else asks for SQLite, after which it can no longer be said.
__attribute__((constructor)) static void cs_allow_uris(void) { sqlite3_config(SQLITE_CONFIG_URI, 1); }

void cs_distrust(struct sqlite3 *connection) {
    sqlite3_db_config(connection, SQLITE_DBCONFIG_DEFENSIVE, 1, (void *)0);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_TRUSTED_SCHEMA, 0, (void *)0);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_LOAD_EXTENSION, 0, (void *)0);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_TRIGGER, 0, (void *)0);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_ENABLE_VIEW, 0, (void *)0);
    sqlite3_db_config(connection, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 0, (void *)0);
    // Of all connections together, in bytes: what a column computes may be held many times over.
    sqlite3_hard_heap_limit64(1 << 30);
}

void cs_pass_over_broken_schema(struct sqlite3 *connection) {
    // A connection that is defensive writes no schema all the same.
    sqlite3_db_config(connection, SQLITE_DBCONFIG_WRITABLE_SCHEMA, 1, (void *)0);
    // The statement that reads the schema fails where that is broken, and those behind it do not.
    sqlite3_exec(connection, "SELECT 1 FROM sqlite_master LIMIT 1", 0, 0, 0);
}

// A connection without a file, how many functions ask it, and how many bytes more formats may fill.
struct asked {
    sqlite3 *connection;
    int count;
    long long *left;
};

// A function that is asked of another connection.
struct forwarded {
    struct asked *asked;
    char *name;
};

// What SQLite's own functions mark a text with that is JSON.
enum { cs_json = 'J' };

static void cs_forward(sqlite3_context *context, int count, sqlite3_value **values) {
    const struct forwarded *function = sqlite3_user_data(context);
    sqlite3 *connection = function->asked->connection;
    const int is_operator = function->name[0] == '-';
    sqlite3_str *sql = sqlite3_str_new(connection);
    sqlite3_str_appendf(sql, is_operator ? "SELECT " : "SELECT %s(", function->name);
    for (int index = 0; index < count; index++) {
        if (index > 0) sqlite3_str_appendf(sql, is_operator ? " %s " : ", ", function->name);
        sqlite3_str_appendf(sql, sqlite3_value_subtype(values[index]) == cs_json ? "json(?%d)" : "?%d", index + 1);
    }
    if (!is_operator) sqlite3_str_appendall(sql, ")");
    char *text = sqlite3_str_finish(sql);
    sqlite3_stmt *statement = 0;
    int status = text ? sqlite3_prepare_v2(connection, text, -1, &statement, 0) : SQLITE_NOMEM;
    sqlite3_free(text);
    for (int index = 0; index < count && status == SQLITE_OK; index++)
        status = sqlite3_bind_value(statement, index + 1, values[index]);
    if (status == SQLITE_OK) status = sqlite3_step(statement);
    sqlite3_value *result = status == SQLITE_ROW ? sqlite3_value_dup(sqlite3_column_value(statement, 0)) : 0;
    if (result) {
        sqlite3_result_value(context, result);
    } else if (status == SQLITE_ROW || status == SQLITE_NOMEM) {
        sqlite3_result_error_nomem(context);
    } else {
        sqlite3_result_error(context, sqlite3_errmsg(connection), -1);
    }
    sqlite3_value_free(result);
    sqlite3_finalize(statement);
}

// Takes one function less into account; the last one takes the connection with it.
static void cs_release(struct asked *asked) {
    if (--asked->count > 0) return;
    sqlite3_close(asked->connection);
    free(asked);
}

static void cs_forget(void *context) {
    struct forwarded *function = context;
    cs_release(function->asked);
    sqlite3_free(function->name);
    free(function);
}

// Opens a connection without a file, whose values are not longer than a limit; 0 where that cannot be.
static struct asked *cs_open_asked(int limit) {
    struct asked *asked = calloc(1, sizeof *asked);
    if (!asked) return 0;
    asked->count = 1;
    if (sqlite3_open_v2(":memory:", &asked->connection, SQLITE_OPEN_READWRITE, 0) == SQLITE_OK) {
        sqlite3_limit(asked->connection, SQLITE_LIMIT_LENGTH, limit);
        return asked;
    }
    cs_release(asked);
    return 0;
}

// Makes a connection ask another one for a function; whether there was memory for that.
static int cs_ask(
    struct asked *asked, sqlite3 *connection, const char *name, int arguments, int flags,
    void (*answer)(sqlite3_context *, int, sqlite3_value **)) {
    struct forwarded *function = calloc(1, sizeof *function);
    char *own_name = sqlite3_mprintf("%s", name);
    if (!function || !own_name) {
        free(function);
        sqlite3_free(own_name);
        return 0;
    }
    function->asked = asked;
    function->name = own_name;
    asked->count++;
    // Where it fails it forgets it itself.
    sqlite3_create_function_v2(
        connection, own_name, arguments, SQLITE_UTF8 | SQLITE_DETERMINISTIC | SQLITE_INNOCUOUS | flags, function, answer,
        0, 0, cs_forget);
    return 1;
}

void cs_vouch_for_json(struct sqlite3 *connection) {
    sqlite3_stmt *list = 0;
    struct asked *asked = cs_open_asked(sqlite3_limit(connection, SQLITE_LIMIT_LENGTH, -1));
    if (!asked) return;
    sqlite3_prepare_v2(
        asked->connection,
        "SELECT name, narg FROM pragma_function_list"
        " WHERE builtin AND type = 's' AND (name GLOB 'json*' OR name IN ('->', '->>')) AND NOT flags & ?1",
        -1, &list, 0);
    sqlite3_bind_int(list, 1, SQLITE_INNOCUOUS);
    while (sqlite3_step(list) == SQLITE_ROW) {
        const int is_made = cs_ask(
            asked, connection, (const char *)sqlite3_column_text(list, 0), sqlite3_column_int(list, 1), SQLITE_SUBTYPE,
            cs_forward);
        if (!is_made) break;
    }
    sqlite3_finalize(list);
    cs_release(asked);
}

// What a field asks for beside its width and precision: a number may have so many digits by itself.
enum { cs_field = 32 };

// A number of a format, or where a star stands for it the next argument; the rest of the format goes on behind it.
static long long cs_number(const char **format, int count, sqlite3_value **values, int *next) {
    long long number = 0;
    if (**format == '*') {
        // SQLite takes so much of it.
        number = *next < count ? (int)sqlite3_value_int64(values[(*next)++]) : 0;
        (*format)++;
    }
    for (; **format >= '0' && **format <= '9'; (*format)++)
        if (number < 1LL << 40) number = number * 10 + (**format - '0');
    return number < 0 ? -number : number;
}

// How many bytes a format fills by what it says itself. What a text is cut at fills nothing.
static long long cs_asked_for(int count, sqlite3_value **values) {
    const char *format = count > 0 ? (const char *)sqlite3_value_text(values[0]) : 0;
    long long bytes = 0;
    int next = 1;
    while (format && (format = strchr(format, '%'))) {
        format += 1 + strspn(format + 1, "-+ #!0,");
        long long width = cs_number(&format, count, values, &next), precision = 0;
        if (*format == '.') {
            format++;
            precision = cs_number(&format, count, values, &next);
        }
        format += strspn(format, "l");
        if (!*format) break;
        const char kind = *format++;
        bytes += cs_field + width + (strchr("szqQw", kind) ? 0 : precision);
        if (!strchr("%n", kind)) next++;
    }
    return bytes;
}

// Has a function answer that takes from what is left; what asks for more is refused.
static void cs_take(sqlite3_context *context, int count, sqlite3_value **values, long long bytes) {
    const struct forwarded *function = sqlite3_user_data(context);
    if (bytes > *function->asked->left) {
        sqlite3_result_error_toobig(context);
        return;
    }
    *function->asked->left -= bytes;
    cs_forward(context, count, values);
}

static void cs_printf(sqlite3_context *context, int count, sqlite3_value **values) {
    cs_take(context, count, values, cs_asked_for(count, values));
}

// A text may have to be compared with another at each of its places: 1,024 such bytes count as one that is filled.
static void cs_search(sqlite3_context *context, int count, sqlite3_value **values) {
    const long long text = sqlite3_value_bytes(values[0]), sought = sqlite3_value_bytes(values[1]);
    cs_take(context, count, values, text * sought >> 10);
}

void cs_bound_texts(struct sqlite3 *connection, long long *left) {
    struct asked *asked = cs_open_asked(1 << 22);
    if (!asked) return;
    asked->left = left;
    cs_ask(asked, connection, "printf", -1, 0, cs_printf);
    cs_ask(asked, connection, "format", -1, 0, cs_printf);
    cs_ask(asked, connection, "instr", 2, 0, cs_search);
    cs_ask(asked, connection, "replace", 3, 0, cs_search);
    cs_ask(asked, connection, "trim", 2, 0, cs_search);
    cs_ask(asked, connection, "ltrim", 2, 0, cs_search);
    cs_ask(asked, connection, "rtrim", 2, 0, cs_search);
    cs_release(asked);
}
