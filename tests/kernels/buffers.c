/* SPDX-License-Identifier: Apache-2.0 */
/* Memory objects of several buffers, for tests that fill each themselves. */
#include "buffers.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "harness.h"
#include "oneapi/dnnl/dnnl.h"

dnnl_memory_t buffers_new(const md_t *md) {
    void *handles[3] = {DNNL_MEMORY_ALLOCATE, DNNL_MEMORY_ALLOCATE, DNNL_MEMORY_ALLOCATE};
    dnnl_memory_t memory;
    assert_int_equal(
            dnnl_memory_create_v2(&memory, md, harness_engine, md_num_handles(md), handles), 0);
    return memory;
}

void *buffers_map(dnnl_memory_t memory, int handle) {
    void *mapped = NULL;
    if (!case_copies) { /* something to look at and to write to */
        const_dnnl_memory_desc_t md;
        assert_int_equal(dnnl_memory_get_memory_desc(memory, &md), 0);
        assert_non_null(mapped = calloc(1, md_size(md, handle) + 1));
        return mapped;
    }
    assert_int_equal(dnnl_memory_map_data_v2(memory, &mapped, handle), 0);
    return mapped;
}

void buffers_unmap(dnnl_memory_t memory, void *mapped, int handle) {
    if (!case_copies) free(mapped);
    else assert_int_equal(dnnl_memory_unmap_data_v2(memory, mapped, handle), 0);
}

void buffers_write(dnnl_memory_t memory, int handle, const int32_t *from, size_t count) {
    if (!count) return;
    void *to = buffers_map(memory, handle);
    memcpy(to, from, count * sizeof(*from));
    buffers_unmap(memory, to, handle);
}
