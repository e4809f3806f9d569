/* SPDX-License-Identifier: Apache-2.0 */
/* Text built piece by piece in a buffer of fixed size. */
#include "core/strings.h"

#include <stdarg.h>
#include <stdint.h>
#include <inttypes.h>
#include <stdio.h>

text_t text_start(char *buf, size_t size) {
    if (size) *buf = '\0';
    return (text_t){.buf = buf, .size = size};
}

void text_add(text_t *text, const char *fmt, ...) {
    const size_t used = (size_t)text->len < text->size ? (size_t)text->len : text->size;
    va_list args;
    va_start(args, fmt);
    const int n =
            vsnprintf(used < text->size ? text->buf + used : NULL, text->size - used, fmt, args);
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
