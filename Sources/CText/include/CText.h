// How many columns a terminal gives to a Unicode scalar, whatever the environment's locale is.
#ifndef VESTIGE_CTEXT_H
#define VESTIGE_CTEXT_H

#include <stdint.h>

/// The columns of a scalar as libc's `wcwidth` knows them in a UTF-8 locale: 0, 1 or 2, and -1 for one that is not
/// printable. Where the system has no UTF-8 locale, every scalar from U+00A0 on counts as one column.
/// Safe to call from any thread.
int ctext_width(uint32_t scalar);

#endif
