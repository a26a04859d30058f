#define _GNU_SOURCE
#include "CFiles.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
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

// Indexed by the number of the signal.
static struct sigaction before[NSIG];
static bool is_holding[NSIG];
static atomic_int held;

// Whether a signal that nothing handles ends the program, and somebody has sent it, or a limit of the shell's has come.
static bool asks_to_end(int number) {
    switch (number) {
    case SIGKILL: case SIGSTOP:  // Cannot be handled.
    case SIGTSTP: case SIGTTIN: case SIGTTOU: case SIGCONT: case SIGCHLD: case SIGURG: case SIGWINCH:
    case SIGILL: case SIGTRAP: case SIGABRT: case SIGBUS: case SIGFPE: case SIGSEGV: case SIGSYS:  // Faults.
    case SIGPIPE: case SIGXFSZ:  // Of a write, which says so itself.
    case SIGPROF:  // A profiler's, many times a second.
#ifdef SIGEMT
    case SIGEMT:
#endif
#ifdef SIGINFO
    case SIGINFO: case SIGIO:  // Ignored where there is SIGINFO, on BSD and macOS.
#endif
        return false;
    default:
        return true;
    }
}

static void hold(int number) { atomic_store(&held, number); }

void cf_hold_signals(void) {
    sigset_t mask;
    sigemptyset(&mask);
    for (int number = 1; number < NSIG; number++) {
        // The system library keeps some numbers to itself, and refuses.
        is_holding[number] = asks_to_end(number) && sigaction(number, NULL, &before[number]) == 0;
        // Whoever started the program has it ignored, as `nohup` does.
        if (!is_holding[number] || before[number].sa_handler == SIG_IGN) continue;
        struct sigaction action = {.sa_handler = hold, .sa_flags = SA_RESTART};
        sigemptyset(&action.sa_mask);
        sigaction(number, &action, NULL);
        sigaddset(&mask, number);
    }
    // They may come blocked from a thread of whoever started the program.
    pthread_sigmask(SIG_UNBLOCK, &mask, NULL);
}

int cf_release_signals(void) {
    for (int number = 1; number < NSIG; number++) {
        if (is_holding[number]) sigaction(number, &before[number], NULL);
    }
    int number = atomic_exchange(&held, 0);
    if (number != 0) {
        // Raised on this thread, which need not be the one that held them first.
        sigset_t mask;
        sigemptyset(&mask);
        sigaddset(&mask, number);
        pthread_sigmask(SIG_UNBLOCK, &mask, NULL);
    }
    return number;
}

int cf_held_signal(void) { return atomic_load(&held); }
