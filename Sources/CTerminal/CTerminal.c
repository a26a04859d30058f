#define _GNU_SOURCE 1

#include "CTerminal.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>
#include <termios.h>
#include <unistd.h>

// Everything that the handlers touch is written before they are installed, and they call async-signal-safe functions
// only: write, pread, dup2, tcsetattr, sigaction, raise.

// Indexed by the number of the signal: every signal that ends a program by default.
enum { signal_count = NSIG };

static struct sigaction previous[signal_count];
static bool installed[signal_count];
static atomic_int armed;
static int terminal = -1;
static struct termios settings;
static bool has_settings;

static int real_error = -1;
static int captured_error = -1;

static struct sigaction previous_resize;
static bool watches_resize;
static int signal_descriptor = -1;

// What the shell has set for stopping and going on, from before curses started.
static struct sigaction previous_stop, previous_continue;
static bool watches_stop;

// A picture that was not whole, bracketed paste, mouse, attributes, character set, keypad and cursor keys, alternate screen,
// cursor: what may have been changed. A terminal that lacks one of these ignores it.
static const char reset[] = "\033[?2026l\033[?2004l\033[?1000l\033[?1006l\033[0m\033(B\033>\033[?1l\033[?1049l\033[?25h\r";

static void write_all(int descriptor, const char *bytes, size_t count) {
    while (count > 0) {
        ssize_t written = write(descriptor, bytes, count);
        if (written < 0 && errno == EINTR) {
            continue;
        }
        if (written <= 0) {
            return;
        }
        bytes += written;
        count -= (size_t)written;
    }
}

int ct_memory_file(void) {
    // A limit of the shell's for files holds for it too, and what curses writes would be cut there.
    struct rlimit limit;
    if (getrlimit(RLIMIT_FSIZE, &limit) != 0 || limit.rlim_cur < (1 << 26)) return -1;
#ifdef __linux__
    return memfd_create("frame", MFD_CLOEXEC);
#else
    FILE *file = tmpfile();
    if (!file) return -1;
    int descriptor = fcntl(fileno(file), F_DUPFD_CLOEXEC, 0);
    static const char room[4096];
    for (int page = 0; descriptor >= 0 && page < 256; page++) {
        if (write(descriptor, room, sizeof room) != (ssize_t)sizeof room) {
            close(descriptor);
            descriptor = -1;
        }
    }
    if (descriptor >= 0) lseek(descriptor, 0, SEEK_SET);
    fclose(file);
    return descriptor;
#endif
}

static void replay_errors(void) {
    if (real_error < 0) {
        return;
    }
    dup2(real_error, STDERR_FILENO);
    char bytes[512];
    off_t offset = 0;
    for (;;) {
        ssize_t count = pread(captured_error, bytes, sizeof(bytes), offset);
        if (count < 0 && errno == EINTR) {
            continue;
        }
        if (count <= 0) {
            return;
        }
        write_all(STDERR_FILENO, bytes, (size_t)count);
        offset += count;
    }
}

// Whether a signal ends the program where nothing handles it. Faults are among them (Swift's own traps are SIGILL on x86,
// SIGTRAP on ARM), and so are the timers and those for users' own use; the others stop it, or are ignored.
static bool ends_the_program(int number) {
    switch (number) {
    case SIGKILL: case SIGSTOP:  // Cannot be handled.
    case SIGTSTP: case SIGTTIN: case SIGTTOU: case SIGCONT:
    case SIGCHLD: case SIGURG: case SIGWINCH:
#ifdef SIGINFO
    case SIGINFO: case SIGIO:  // Ignored where there is SIGINFO, on BSD and macOS.
#endif
        return false;
    default:
        return true;
    }
}

// Once only, also where two threads crash together.
static void give_back(void) {
    if (atomic_exchange(&armed, 0) == 0) {
        return;
    }
    write_all(terminal, reset, sizeof(reset) - 1);
    if (has_settings) {
        // A background process that changes the terminal gets SIGTTOU, which stops it; it is blocked in the handlers.
        tcsetattr(terminal, TCSANOW, &settings);
    }
    replay_errors();
}

static void handle(int number, siginfo_t *info, void *context) {
    (void)context;
    int saved = errno;
    give_back();
    sigaction(number, &previous[number], NULL);
    // A fault fires again when this returns to the faulting instruction, now into the previous handler: Swift's
    // backtracer. A signal that was sent does not, nor does a breakpoint that has been stepped over; it is sent again
    // and arrives as soon as this returns, which is before abort() would reset its handler.
    bool sent = info->si_code <= 0;
#if defined(__x86_64__) || defined(__i386__)
    sent = sent || number == SIGTRAP;
#endif
    if (sent) {
        raise(number);
    }
    // Where whoever had it before goes on, to tidy up, nobody waits for events any more.
    if (signal_descriptor >= 0) {
        ssize_t ignored = write(signal_descriptor, "e", 1);
        (void)ignored;
    }
    errno = saved;
}

static void handle_resize(int number, siginfo_t *info, void *context) {
    int saved = errno;
    if (previous_resize.sa_flags & SA_SIGINFO) {
        previous_resize.sa_sigaction(number, info, context);
    } else if (previous_resize.sa_handler != SIG_DFL && previous_resize.sa_handler != SIG_IGN) {
        previous_resize.sa_handler(number);
    }
    // The signal may have arrived on any thread: the byte wakes the one that waits for events. A full pipe wakes it too.
    ssize_t ignored = write(signal_descriptor, "r", 1);
    (void)ignored;
    errno = saved;
}

// Curses would give the terminal back here, on whichever thread the signal has arrived: the one that draws does it.
static void handle_job(int number) {
    int saved = errno;
    ssize_t ignored = write(signal_descriptor, number == SIGCONT ? "c" : "z", 1);
    (void)ignored;
    errno = saved;
}

// exit() from anywhere runs no deinit either.
static void handle_exit(void) {
    give_back();
}

int ct_arm(int tty) {
    static bool registered;
    static char stack[65536];
    if (atomic_load(&armed) != 0) {
        return EBUSY;
    }
    terminal = tty;
    has_settings = tcgetattr(tty, &settings) == 0;
    if (!has_settings) {
        return errno;
    }
    if (!registered) {
        registered = atexit(handle_exit) == 0;
    }
    sigaction(SIGTSTP, NULL, &previous_stop);
    sigaction(SIGCONT, NULL, &previous_continue);
    // Swift's backtracer sets up an alternate stack, so that it also sees a stack overflow; where it is off, this does.
    stack_t current;
    if (sigaltstack(NULL, &current) == 0 && (current.ss_flags & SS_DISABLE)) {
        stack_t own = {.ss_sp = stack, .ss_size = sizeof(stack)};
        sigaltstack(&own, NULL);
    }
    atomic_store(&armed, 1);
    for (int number = 1; number < signal_count; number++) {
        struct sigaction action;
        memset(&action, 0, sizeof(action));
        action.sa_sigaction = handle;
        action.sa_flags = SA_SIGINFO | SA_ONSTACK;
        sigfillset(&action.sa_mask);
        // What was to be ignored (nohup) stays ignored; the system library keeps some numbers to itself, and refuses.
        installed[number] = ends_the_program(number) && sigaction(number, NULL, &previous[number]) == 0
            && previous[number].sa_handler != SIG_IGN && sigaction(number, &action, NULL) == 0;
    }
    return 0;
}

int ct_capture_errors(void) {
    if (real_error >= 0 || !isatty(STDERR_FILENO)) {
        return 0;
    }
    FILE *file = tmpfile();
    if (!file) {
        return errno;
    }
    captured_error = dup(fileno(file));
    int failure = errno;
    fclose(file);
    if (captured_error < 0) {
        return failure;
    }
    fflush(stderr);
    int real = dup(STDERR_FILENO);
    if (real < 0 || dup2(captured_error, STDERR_FILENO) < 0) {
        failure = errno;
        close(captured_error);
        if (real >= 0) {
            close(real);
        }
        return failure;
    }
    real_error = real;
    return 0;
}

void ct_watch_signals(int descriptor) {
    struct sigaction action;
    signal_descriptor = descriptor;
    memset(&action, 0, sizeof(action));
    action.sa_sigaction = handle_resize;
    action.sa_flags = SA_SIGINFO | SA_RESTART | SA_ONSTACK;
    sigemptyset(&action.sa_mask);
    if (!watches_resize && sigaction(SIGWINCH, NULL, &previous_resize) == 0) {
        watches_resize = sigaction(SIGWINCH, &action, NULL) == 0;
    }
    // A shell without jobs has its programs ignore that they are to stop.
    if (!watches_stop && previous_stop.sa_handler != SIG_IGN) {
        memset(&action, 0, sizeof(action));
        action.sa_handler = handle_job;
        action.sa_flags = SA_RESTART | SA_ONSTACK;
        sigemptyset(&action.sa_mask);
        watches_stop = sigaction(SIGTSTP, &action, NULL) == 0 && sigaction(SIGCONT, &action, NULL) == 0;
    }
}

void ct_stop(void) {
    struct sigaction action, own;
    memset(&action, 0, sizeof(action));
    action.sa_handler = SIG_DFL;
    sigemptyset(&action.sa_mask);
    if (sigaction(SIGTSTP, &action, &own) == 0) {
        raise(SIGTSTP);
        sigaction(SIGTSTP, &own, NULL);
    }
}

void ct_disarm(void) {
    if (watches_resize) {
        sigaction(SIGWINCH, &previous_resize, NULL);
        watches_resize = false;
    }
    if (watches_stop) {
        sigaction(SIGTSTP, &previous_stop, NULL);
        sigaction(SIGCONT, &previous_continue, NULL);
        watches_stop = false;
    }
    // Disarmed first: a signal from here on finds nothing to give back.
    bool gives_back = atomic_exchange(&armed, 0) != 0;
    // Also after a signal that the program goes on from.
    for (int number = 1; number < signal_count; number++) {
        if (installed[number]) {
            sigaction(number, &previous[number], NULL);
            installed[number] = false;
        }
    }
    signal_descriptor = -1;
    if (gives_back) {
        if (has_settings) {
            tcsetattr(terminal, TCSANOW, &settings);
        }
        fflush(stderr);
        replay_errors();
    }
    if (real_error >= 0) {
        close(real_error);
        close(captured_error);
        real_error = -1;
        captured_error = -1;
    }
    terminal = -1;
}
