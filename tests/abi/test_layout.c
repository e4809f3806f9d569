/* SPDX-License-Identifier: Apache-2.0 */
/* Sizes and offsets of structures that programs see, and of the memory descriptor, which test
 * tools look into. */
#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>

#include <cmocka.h>

#include "core/memory_desc.h"
#include "dnnl.h"
#include "dnnl_graph.h"

typedef struct {
    const char *what;
    size_t is, should;
} layout_t;

#define SIZE(type, size) {"size of " #type, sizeof(type), size}
#define OFFSET(type, member, offset) {#type "." #member, offsetof(type, member), offset}
#define MD(member, offset) OFFSET(struct dnnl_memory_desc, member, offset)

static const layout_t public_types[] = {
        SIZE(dnnl_dim_t, 8),
        SIZE(dnnl_dims_t, 96),
        SIZE(dnnl_exec_arg_t, 16),
        OFFSET(dnnl_exec_arg_t, arg, 0),
        OFFSET(dnnl_exec_arg_t, memory, 8),
        SIZE(dnnl_version_t, 32),
        OFFSET(dnnl_version_t, major, 0),
        OFFSET(dnnl_version_t, minor, 4),
        OFFSET(dnnl_version_t, patch, 8),
        OFFSET(dnnl_version_t, hash, 16),
        OFFSET(dnnl_version_t, cpu_runtime, 24),
        OFFSET(dnnl_version_t, gpu_runtime, 28),
        SIZE(dnnl_graph_logical_tensor_t, 224),
        OFFSET(dnnl_graph_logical_tensor_t, id, 0),
        OFFSET(dnnl_graph_logical_tensor_t, ndims, 8),
        OFFSET(dnnl_graph_logical_tensor_t, dims, 16),
        OFFSET(dnnl_graph_logical_tensor_t, data_type, 112),
        OFFSET(dnnl_graph_logical_tensor_t, property, 116),
        OFFSET(dnnl_graph_logical_tensor_t, layout_type, 120),
        OFFSET(dnnl_graph_logical_tensor_t, layout, 128),
        SIZE(dnnl_graph_inplace_pair_t, 16),
        OFFSET(dnnl_graph_inplace_pair_t, input_id, 0),
        OFFSET(dnnl_graph_inplace_pair_t, output_id, 8),
};

static const layout_t memory_desc[] = {
        SIZE(struct dnnl_memory_desc, 768),
        MD(ndims, 0),
        MD(dims, 8),
        MD(data_type, 104),
        MD(padded_dims, 112),
        MD(padded_offsets, 208),
        MD(offset0, 304),
        MD(format_kind, 312),
        MD(format_desc, 320),
        MD(format_desc.blocking.strides, 320),
        MD(format_desc.blocking.inner_nblks, 416),
        MD(format_desc.blocking.inner_blks, 424),
        MD(format_desc.blocking.inner_idxs, 520),
        MD(format_desc.sparse.encoding, 320),
        MD(format_desc.sparse.nnz, 328),
        MD(format_desc.sparse.metadata_types, 336),
        MD(format_desc.sparse.packed, 344),
        MD(extra, 640),
        MD(extra.flags, 640),
        MD(extra.compensation_mask, 648),
        MD(extra.scale_adjust, 652),
        MD(extra.asymm_compensation_mask, 656),
        MD(extra.idhw, 664),
        MD(extra.odhw, 688),
        MD(extra.pdhw, 712),
        MD(extra.ddhw, 736),
        MD(extra.dst_size, 760),
};

static void check(const layout_t *rows, size_t n) {
    int wrong = 0;
    for (size_t i = 0; i < n; i++) {
        if (rows[i].is == rows[i].should) continue;
        print_error("%s is %zu and not %zu\n", rows[i].what, rows[i].is, rows[i].should);
        wrong++;
    }
    assert_int_equal(wrong, 0);
}

static void test_public_types(void **state) {
    (void)state;
    check(public_types, sizeof(public_types) / sizeof(public_types[0]));
}

static void test_memory_desc(void **state) {
    (void)state;
    check(memory_desc, sizeof(memory_desc) / sizeof(memory_desc[0]));
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_public_types),
            cmocka_unit_test(test_memory_desc),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
