// wcwidth is part of X/Open, newlocale of POSIX 2008.
#define _GNU_SOURCE 1

#include "CText.h"

#include <locale.h>
#include <pthread.h>
#include <wchar.h>
#if defined(__APPLE__)
#include <xlocale.h>
#endif

static pthread_once_t once = PTHREAD_ONCE_INIT;
static locale_t utf8;

static void make_locale(void) {
    static const char *const names[] = {"C.UTF-8", "UTF-8", "en_US.UTF-8"};
    for (unsigned index = 0; index < sizeof(names) / sizeof(names[0]) && !utf8; index++) {
        utf8 = newlocale(LC_CTYPE_MASK, names[index], (locale_t)0);
    }
}

int ctext_width(uint32_t scalar) {
    if (scalar < 0x80) {
        return scalar >= 0x20 && scalar < 0x7F ? 1 : -1;
    }
    pthread_once(&once, make_locale);
    if (!utf8) {
        return scalar >= 0xA0 ? 1 : -1;
    }
    // uselocale changes this thread alone, and it is put back at once.
    locale_t before = uselocale(utf8);
    int width = wcwidth((wchar_t)scalar);
    uselocale(before);
    return width;
}
