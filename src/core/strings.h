/* SPDX-License-Identifier: Apache-2.0 */
/* Text built piece by piece in a buffer of fixed size. */
#ifndef CORE_STRINGS_H
#define CORE_STRINGS_H

#include <locale.h>
#include <stdarg.h>
#include <stddef.h>

#include "oneapi/dnnl/dnnl_types.h"

/* All text of the library is in the C locale, whatever the program's locale is: the log writes 0.25
 * and not 0,25. Switches this thread to the C locale; the answer goes to text_locale_restore(). */
locale_t text_locale_c(void);
void text_locale_restore(locale_t before);

/* vsnprintf() in the C locale. */
int text_format(char *buf, size_t size, const char *fmt, va_list args);

/* len is the length that the text needs, like the result of snprintf. buf is terminated if size >
 * 0. */
typedef struct {
    char *buf;
    size_t size;
    int len;
} text_t;

text_t text_start(char *buf, size_t size);
void text_add(text_t *text, const char *fmt, ...) __attribute__((format(printf, 2, 3)));
/* "2x3x4"; run-time values are "*". */
void text_add_dims(text_t *text, const dnnl_dim_t *dims, int ndims);

#endif
