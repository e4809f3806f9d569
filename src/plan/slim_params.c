/* SPDX-License-Identifier: Apache-2.0 */
#include "plan/slim_params.h"

#include <stdlib.h>
#include <string.h>

#include "core/alloc.h"
#include "plan/slim_impl.h"

uint32_t *slim_params(const uint32_t *words, size_t nwords, size_t *size) {
    slim_t *m = dz_calloc(1, sizeof *m);
    if (!m) return NULL;
    m->words = words;
    m->nwords = nwords;
    if (slim_read(m) && slim_find_unused(m)) slim_write(m);
    uint32_t *out = m->out;
    if (out) *size = m->nout;
    void *const all[] = {
            m->places, m->array_of, m->inside, m->element, m->before, m->end, m->reach};
    for (size_t i = 0; i < sizeof all / sizeof *all; i++) dz_free(all[i]);
    dz_free(m);
    return out;
}

uint32_t *slim_params_of(uint32_t *words, size_t *nwords) {
    uint32_t *shorter = slim_params(words, *nwords, nwords);
    if (!shorter) return words;
    dz_free(words);
    return shorter;
}

/* ---- values ---- */

/* Reads a letter and a number; false: there is another letter. */
static bool read_number(const char **text, char letter, uint32_t *number) {
    char *end;
    if (**text != letter || (*text)[1] < '0' || (*text)[1] > '9') return false;
    *number = (uint32_t)strtoul(*text + 1, &end, 10);
    *text = end;
    return true;
}

bool slim_is_name_of(const char *name, const char *entry) {
    const size_t n = strlen(entry);
    if (strncmp(name, entry, n) != 0) return false;
    const char *rest = name + n;
    return !*rest || (rest[0] == '_' && (rest[1] == 'a' || rest[1] == 'd') && rest[2] >= '0' &&
                             rest[2] <= '9');
}

uint64_t slim_dropped(const char *kernel) {
    uint64_t dropped = 0;
    uint32_t first, n;
    for (const char *text = kernel; (text = strstr(text, "_d"));) {
        text++;
        if (!read_number(&text, 'd', &first) || !read_number(&text, 'n', &n)) continue;
        for (uint32_t i = first; i < 64 && i - first < n; i++) dropped |= UINT64_C(1) << i;
    }
    return dropped;
}

size_t slim_value(
        const char *kernel, uint32_t argument, const void *value, size_t size, void *slim) {
    uint32_t number, bytes, from, n, end = 0;
    for (const char *text = kernel; (text = strstr(text, "_a"));) {
        text++;
        if (!read_number(&text, 'a', &number) || !read_number(&text, 's', &bytes) ||
                number != argument || bytes > size)
            continue;
        memset(slim, 0, bytes);
        for (uint32_t to = 0; read_number(&text, 'f', &from) && read_number(&text, 'n', &n);) {
            if (!read_number(&text, 't', &to)) to = end;
            if (from > size || n > size - from || to > bytes || n > bytes - to) break;
            memcpy((char *)slim + to, (const char *)value + from, n);
            end = to + n;
        }
        return bytes;
    }
    memcpy(slim, value, size);
    return size;
}
