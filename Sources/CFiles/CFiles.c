#define _GNU_SOURCE
#include "CFiles.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <string.h>
#include <sys/xattr.h>
#include <unistd.h>

#ifdef __APPLE__

int cf_rename_exclusively(const char *from, const char *to) { return renamex_np(from, to, RENAME_EXCL); }

int cf_exchange(const char *one, const char *other) { return renamex_np(one, other, RENAME_SWAP); }

int cf_flush_file_system(int file) { return fsync_volume_np(file, SYNC_VOLUME_FULLSYNC | SYNC_VOLUME_WAIT); }

int cf_set_attribute(int file, const char *name, const char *value) {
    return fsetxattr(file, name, value, strlen(value), 0, 0);
}

int cf_has_attribute(int file, const char *name) {
    if (fgetxattr(file, name, NULL, 0, 0, 0) >= 0) return 1;
    return errno == ENOATTR || errno == ENOTSUP ? 0 : -1;
}

#else

int cf_rename_exclusively(const char *from, const char *to) {
    return renameat2(AT_FDCWD, from, AT_FDCWD, to, RENAME_NOREPLACE);
}

int cf_exchange(const char *one, const char *other) {
    return renameat2(AT_FDCWD, one, AT_FDCWD, other, RENAME_EXCHANGE);
}

int cf_flush_file_system(int file) { return syncfs(file); }

int cf_set_attribute(int file, const char *name, const char *value) {
    return fsetxattr(file, name, value, strlen(value), 0);
}

int cf_has_attribute(int file, const char *name) {
    if (fgetxattr(file, name, NULL, 0) >= 0) return 1;
    return errno == ENODATA || errno == ENOTSUP ? 0 : -1;
}

#endif
