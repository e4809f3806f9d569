/* SPDX-License-Identifier: Apache-2.0 */
/* Unpacks the embedded modules. */
#include <string.h>

#include "core/alloc.h"
#include "plan/variant.h"

#ifdef DNNL_ZE_ZLIB
#include <zlib.h>

static voidpf take(voidpf unused, uInt count, uInt size) {
    (void)unused;
    return dz_calloc(count, size);
}

static void give(voidpf unused, voidpf memory) {
    (void)unused;
    dz_free(memory);
}

/* Fails for want of memory only: the build made what is unpacked. */
static bool unpack(const variant_t *row, uint32_t *spirv) {
    enum { GZIP = 16 };
    z_stream z = {.zalloc = take,
            .zfree = give,
            .next_in = (z_const Bytef *)row->start,
            .avail_in = (uInt)(row->end - row->start),
            .next_out = (Bytef *)spirv,
            .avail_out = (uInt)row->spirv_size};
    if (inflateInit2(&z, MAX_WBITS + GZIP) != Z_OK) return false;
    const bool done = inflate(&z, Z_FINISH) == Z_STREAM_END;
    inflateEnd(&z);
    return done;
}
#else
static bool unpack(const variant_t *row, uint32_t *spirv) {
    memcpy(spirv, row->start, row->spirv_size);
    return true;
}
#endif

uint32_t *variant_spirv_new(const variant_t *row) {
    uint32_t *spirv = dz_malloc(row->spirv_size);
    if (spirv && unpack(row, spirv)) return spirv;
    dz_free(spirv);
    return NULL;
}
