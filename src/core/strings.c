/* SPDX-License-Identifier: Apache-2.0 */
/* Text built piece by piece in a buffer of fixed size. */
#include "core/strings.h"

#include <inttypes.h>
#include <stdint.h>
#include <stdio.h>

/* The libraries of GNU and musl keep this object and allocate nothing, so it is neither stored nor
 * freed. If there were none, uselocale() would change nothing. */
locale_t text_locale_c(void) {
    return uselocale(newlocale(LC_ALL_MASK, "C", (locale_t)0));
}

void text_locale_restore(locale_t before) {
    uselocale(before);
}

int text_format(char *buf, size_t size, const char *fmt, va_list args) {
    const locale_t before = text_locale_c();
    const int n = vsnprintf(buf, size, fmt, args);
    text_locale_restore(before);
    return n;
}

text_t text_start(char *buf, size_t size) {
    if (size) *buf = '\0';
    return (text_t){.buf = buf, .size = size};
}

void text_add(text_t *text, const char *fmt, ...) {
    const size_t used = (size_t)text->len < text->size ? (size_t)text->len : text->size;
    va_list args;
    va_start(args, fmt);
    const int n =
            text_format(used < text->size ? text->buf + used : NULL, text->size - used, fmt, args);
    va_end(args);
    if (n > 0) text->len += n;
}

void text_add_dims(text_t *text, const dnnl_dim_t *dims, int ndims) {
    for (int d = 0; d < ndims; d++) {
        const char *sep = d ? "x" : "";
        if (dims[d] == DNNL_RUNTIME_DIM_VAL) text_add(text, "%s*", sep);
        else text_add(text, "%s%" PRId64, sep, (int64_t)dims[d]);
    }
}
