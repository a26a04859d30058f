// Gives the terminal back when a program ends in a way that runs no Swift code: a trap, a fault, a signal, exit().
#ifndef VESTIGE_CTERMINAL_H
#define VESTIGE_CTERMINAL_H

/// Saves the settings of the terminal `tty` and installs handlers that put them back, leave the alternate screen and
/// show the cursor before a fatal signal takes its course. Call it before curses starts.
/// Returns 0, EBUSY where it is armed already, or the errno of what failed.
int ct_arm(int tty);

/// Sends what is written to standard error to a private file until `ct_disarm` or a fatal signal replays it. Does nothing
/// where standard error is not a terminal. Returns 0 or an errno; call it between `ct_arm` and `ct_disarm`.
int ct_capture_errors(void);

/// Has SIGWINCH also write `r` to `descriptor`, after the handler that is there now, SIGTSTP write `z` in place of stopping the
/// process, and SIGCONT write `c`. Call it once curses has started: curses installs handlers of its own.
void ct_watch_signals(int descriptor);

/// Opens a file without a name, which is in memory where the system has such files, and else has room for a picture of any
/// usual terminal, so that a full disk takes nothing away from one. Returns a descriptor or -1.
int ct_memory_file(void);

/// Stops the process as the terminal's suspend key does, past the handlers, and returns when it goes on. The
/// signal is sent to the calling thread, so that it stops here and not some instructions later.
void ct_stop(void);

/// Puts back signal handlers, terminal settings and standard error, and replays what was written to that.
void ct_disarm(void);

#endif
