// What Swift cannot import from curses, as constants and functions that it can.
#ifndef VESTIGE_CNCURSES_SHIM_H
#define VESTIGE_CNCURSES_SHIM_H

// The wide functions are declared only with this, and a define in Package.swift does not reach Swift's importer.
#define NCURSES_WIDECHAR 1

#include <curses.h>
#include <stdint.h>
#include <string.h>
#include <sys/ioctl.h>
#include <term.h>
#include <wchar.h>

// term.h defines short lower-case macros (lines, columns, tab, …) that would leak into Swift as values.
#undef lines
#undef columns
#undef tab
#undef bell

// A_* and KEY_F() are macros with casts and arguments, which Swift leaves out.
enum {
    CN_A_BOLD = A_BOLD,
    CN_A_DIM = A_DIM,
    CN_A_UNDERLINE = A_UNDERLINE,
    CN_A_REVERSE = A_REVERSE,
    CN_KEY_F0 = KEY_F0,
};

// stdscr and COLORS are mutable globals: Swift 6 refuses to name them.
static inline WINDOW *cn_stdscr(void) {
    return stdscr;
}

static inline int cn_colors(void) {
    return COLORS;
}

// cursor_address is a macro over a global of the terminal's description.
static inline bool cn_can_position(void) {
    return cursor_address != NULL;
}

// Whether a line feed goes down in the same column, and a column has a sequence of its own, as of all relatives of xterm.
static inline bool cn_goes_down_and_across(void) {
    return cursor_down != NULL && strcmp(cursor_down, "\n") == 0
        && column_address != NULL && strcmp(column_address, "\033[%i%p1%dG") == 0;
}

// One cell at an explicit place. add_wchnstr neither moves the cursor nor wraps nor scrolls, so the last cell of the
// last row is like any other. Swift sees cchar_t as an opaque structure and cannot build one.
static inline int cn_put(WINDOW *window, int y, int x, const wchar_t *text, unsigned attributes, short pair) {
    cchar_t cell;
    if (setcchar(&cell, text, (attr_t)attributes, pair, NULL) != OK) {
        return ERR;
    }
    return mvwadd_wchnstr(window, y, x, &cell, 1);
}

// Makes the screen as large as the terminal's window is now, and has the next refresh repaint all of it: a terminal moves
// what it shows when its window changes. Curses takes a new size itself only while it may believe LINES and COLUMNS, which
// do not follow the window. TIOCGWINSZ is a macro with arguments on some systems, curscr a mutable global.
static inline void cn_fit(int terminal) {
    struct winsize size;
    if (ioctl(terminal, TIOCGWINSZ, &size) == 0 && size.ws_row > 0 && size.ws_col > 0) {
        resize_term(size.ws_row, size.ws_col);
    }
    clearok(curscr, TRUE);
}

// The masks of the buttons are macros with shifts. A press is told as such, without waiting for what would make it a click;
// curses makes one of it all the same where the release has come by then.
#define CN_MOUSE_PRESS (BUTTON1_PRESSED | BUTTON1_CLICKED | BUTTON1_DOUBLE_CLICKED | BUTTON1_TRIPLE_CLICKED)

static inline void cn_take_mouse(bool takes) {
    mousemask(takes ? CN_MOUSE_PRESS | BUTTON1_RELEASED | BUTTON4_PRESSED | BUTTON5_PRESSED : 0, NULL);
    mouseinterval(0);
}

// What the mouse did and where: 1 a press, 2 the wheel up, 3 the wheel down, 4 the end of a press, 0 anything else.
static inline int cn_mouse(int *x, int *y) {
    MEVENT event;
    if (getmouse(&event) != OK) {
        return 0;
    }
    *x = event.x;
    *y = event.y;
    return event.bstate & CN_MOUSE_PRESS ? 1 : event.bstate & BUTTON4_PRESSED ? 2 : event.bstate & BUTTON5_PRESSED ? 3 :
        event.bstate & BUTTON1_RELEASED ? 4 : 0;
}

// wint_t is imported under different names by platform.
static inline int cn_get(WINDOW *window, uint32_t *key) {
    wint_t read = 0;
    int result = wget_wch(window, &read);
    *key = (uint32_t)read;
    return result;
}

#endif
