// Calls of the operating system that its headers keep from Swift, or that differ between systems.
#pragma once

/// Renames a folder or file to a name that must be free; -1 with errno, EINVAL or ENOSYS where the system cannot.
int cf_rename_exclusively(const char *from, const char *to);
/// Exchanges two folders or files in one step; -1 with errno, EINVAL or ENOSYS where the system cannot.
int cf_exchange(const char *one, const char *other);

/// Flushes the file system that an open file or folder is on, its drive's cache included; -1 with errno.
int cf_flush_file_system(int file);

/// Sets an extended attribute of an open file or folder to a text; -1 with errno.
int cf_set_attribute(int file, const char *name, const char *value);
/// Whether an open file or folder has an extended attribute: 1, 0, or -1 with errno.
int cf_has_attribute(int file, const char *name);

/// Holds back the signals that ask the program to end, but for those that it ignores, until they are released.
void cf_hold_signals(void);
/// Lets them do again what they did before, and lets the last one that came while they were held through to this thread.
///
/// Returns that one, which is not held any more; 0 is none.
int cf_release_signals(void);
/// The last one that came while they were held; 0 is none.
int cf_held_signal(void);
