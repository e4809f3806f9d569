/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant on tensors whose last elements are more than 2^32 bytes after their first ones, and
 * of which hardly any page is touched. Also on buffers that begin at any multiple of the element
 * size, with rows of any length and distance. */
#include <stdio.h>
#include <string.h>

#include "case_run.h"
#include "core/util.h"
#include "harness.h"
#include "oneapi/dnnl/dnnl.h"
#include "steps/loops.h"
#include "ref_table.h"
#include "strided.h"
#include "test_main.h"
#include "ze/usm.h"

#define OK(call) assert_int_equal(call, dnnl_success)

enum { GUARD = 64, GUARD_BYTE = 0x5a };
static int no_room; /* cases that lacked memory */

/* An argument that begins `shift` (less than GUARD) bytes after a multiple of 64,
 * between guards. */
typedef struct {
    uint8_t *base, *data;
    size_t size;
    int shift;
    dnnl_memory_t memory;
} far_arg_t;

/* `shift` is rounded to a shift that the type allows. */
static bool far_open(far_arg_t *arg, const md_t *md, bool written, int wanted_shift) {
    const int shift = wanted_shift / (int)dt_size(md->data_type) * (int)dt_size(md->data_type);
    memset(arg, 0, sizeof(*arg));
    arg->size = md_size(md, 0);
    arg->shift = shift;
    if (usm_alloc_host(harness_engine->core, arg->size + 3 * GUARD, (void **)&arg->base) !=
            dnnl_success)
        return false;
    arg->data = arg->base + GUARD + shift;
    memset(arg->base, GUARD_BYTE, (size_t)(GUARD + shift));
    memset(arg->data + arg->size, GUARD_BYTE, (size_t)(2 * GUARD - shift));
    dnnl_dims_t pos = {0};
    do { /* small numbers, so that sums are exact or nearly exact */
        const double value = written ? 77 : (double)(int64_t)(harness_random() % 7) - 3;
        ref_store(md->data_type, arg->data, md_offset(md, pos), value);
    } while (ref_next(md->dims, md->ndims, pos));
    OK(dnnl_memory_create(&arg->memory, md, harness_engine, arg->data));
    return true;
}

static void far_close(far_arg_t *arg) {
    const int shift = arg->shift;
    const uint8_t *end = arg->data + arg->size;
    for (int i = 0; i < GUARD + shift; i++) assert_int_equal(arg->base[i], GUARD_BYTE);
    for (int i = 0; i < 2 * GUARD - shift; i++) assert_int_equal(end[i], GUARD_BYTE);
    OK(dnnl_memory_destroy(arg->memory));
    usm_free(harness_engine->core, arg->base);
}

static void compare(const pd_t *pd, const void *const *data, const char *what, int shift) {
    const int slot = pd_find_arg(pd, DNNL_ARG_DST);
    const md_t *md = &pd->args[slot].md;
    const ref_t ref = {.pd = pd, .data = data, .epsilon = ref_epsilon(pd)};
    dnnl_dims_t pos = {0};
    do {
        const double got = ref_load(md->data_type, data[slot], md_offset(md, pos));
        const ref_value_t want = ref_find(pd)->outputs->reference(&ref, pos);
        if (!ref_ok(md->data_type, got, want))
            fail_msg("%s, row %s, addresses + %d, [%lld,%lld,%lld]: %g, not %g", what,
                    variants[pd->variant].id, shift, (long long)pos[0], (long long)pos[1],
                    (long long)pos[2], got, want.v);
        harness_count.elements++;
    } while (ref_next(md->dims, md->ndims, pos));
}

/* A primitive on buffers whose addresses are so many bytes after multiples of 64. */
static void run(const char *what, strided_fn create, const strided_t *tensors,
        const strided_t *added, int shift) {
    enum { MOST_ARGS = 8 };
    far_arg_t args[MOST_ARGS];
    dnnl_exec_arg_t exec[MOST_ARGS];
    const void *data[MOST_ARGS] = {NULL};
    dnnl_primitive_desc_t handle = NULL;
    dnnl_primitive_t primitive;
    dnnl_stream_t stream;
    case_t c;
    const dnnl_status_t status = strided_create(&handle, create, tensors, added);
    if (!case_open(&c, handle, status)) return;
    int opened = 0, n = 0;
    const int count = c.pd->nargs;
    assert_in_range(count, 1, MOST_ARGS);
    bool good = true;
    for (; opened < count && good; opened++) {
        const pd_arg_t *arg = &c.pd->args[opened];
        memset(&args[opened], 0, sizeof(args[opened]));
        if (md_is_zero(&arg->md) ||
                !(good = far_open(&args[opened], &arg->md, arg->flags & PD_OUT, shift)))
            continue;
        data[opened] = args[opened].data;
        exec[n++] = (dnnl_exec_arg_t){arg->arg, args[opened].memory};
    }
    if (good) {
        OK(dnnl_primitive_create(&primitive, handle));
        OK(dnnl_stream_create(&stream, harness_engine, dnnl_stream_in_order));
        OK(dnnl_primitive_execute(primitive, stream, n, exec));
        OK(dnnl_stream_wait(stream));
        OK(dnnl_stream_destroy(stream));
        OK(dnnl_primitive_destroy(primitive));
        compare(c.pd, data, what, shift);
        harness_count.run++;
    } else {
        no_room++;
    }
    for (int i = 0; i < opened; i++)
        if (args[i].base) far_close(&args[i]);
    case_close(&c);
}

/* ---- tables ---- */

typedef struct {
    const char *what, *family;
    strided_fn create;
    strided_t tensor[STRIDED_TENSORS], added;
} far_t;

/* Two steps of this many elements are more than 2^32 bytes, and both begin at cache lines. */
#define FAR_1 (G(31) + 64)
#define FAR_2 (G(30) + 32)
#define FAR_4 (G(29) + 16)

static const far_t far_cases[] = {
        {"rows of src", "matmul", strided_matmul,
                {F16({3, 69}, {FAR_2, 1}), F16({69, 40}, DENSE), F16({3, 40}, DENSE)}, NONE},
        {"rows that are added, a stride of more than 32 bits", "matmul", strided_matmul,
                {F16({3, 69}, DENSE), F16({69, 40}, DENSE), F16({3, 40}, DENSE)},
                S8({3, 40}, {FAR_1, 1})},
        {"rows of weights", "matmul", strided_matmul,
                {F16({70, 69}, DENSE), F16({69, 40}, {FAR_2 / 32, 1}), F16({70, 40}, DENSE)}, NONE},
        {"columns of weights", "matmul", strided_matmul,
                {F16({3, 64}, DENSE), F16({64, 40}, {1, FAR_2 / 16}), F16({3, 40}, DENSE)}, NONE},
        {"rows of dst", "matmul", strided_matmul,
                {F16({3, 64}, DENSE), F16({64, 40}, DENSE), F16({3, 40}, {FAR_2, 1})}, NONE},
        {"matrices of src", "matmul", strided_matmul,
                {F16({3, 9, 64}, {FAR_2, 64, 1}), F16({1, 64, 40}, DENSE), F16({3, 9, 40}, DENSE)},
                NONE},
        {"matrices of weights", "matmul", strided_matmul,
                {F16({3, 9, 64}, DENSE), F16({3, 64, 40}, {FAR_2, 40, 1}), F16({3, 9, 40}, DENSE)},
                NONE},
        {"matrices of dst", "matmul", strided_matmul,
                {F16({3, 9, 64}, DENSE), F16({1, 64, 40}, DENSE), F16({3, 9, 40}, {FAR_2, 40, 1})},
                NONE},
        {"matrices that are added", "matmul", strided_matmul,
                {F16({3, 9, 64}, DENSE), F16({1, 64, 40}, DENSE), F16({3, 9, 40}, DENSE)},
                F16({3, 9, 40}, {FAR_2, 40, 1})},
        {"rows of integers", "matmul", strided_matmul,
                {S8({3, 69}, {FAR_1, 1}), S8({69, 40}, DENSE), S32({3, 40}, DENSE)}, NONE},
        {"matrices of src of integers", "matmul", strided_matmul,
                {S8({3, 9, 64}, {FAR_1, 64, 1}), S8({1, 64, 40}, DENSE), S32({3, 9, 40}, DENSE)},
                NONE},
        {"matrices of weights of integers", "matmul", strided_matmul,
                {S8({3, 9, 64}, DENSE), S8({3, 64, 64}, {FAR_1, 64, 1}), S32({3, 9, 64}, DENSE)},
                NONE},
        {"matrices of dst of integers", "matmul", strided_matmul,
                {S8({3, 9, 64}, DENSE), S8({1, 64, 64}, DENSE), S32({3, 9, 64}, {FAR_4, 64, 1})},
                NONE},
        {"rows", "matmul", strided_inner_product,
                {F16({3, 69}, {FAR_2, 1}), F16({40, 69}, DENSE), F16({3, 40}, {FAR_2, 1})}, NONE},
        {"images of src", "convolution", strided_convolution,
                {F16({3, 64, 5, 6}, {FAR_2, 1, 384, 64}), F16({40, 64, 3, 3}, DENSE),
                        F16({3, 40, 3, 4}, DENSE)},
                NONE},
        {"images of dst", "convolution", strided_convolution,
                {F16({3, 64, 5, 6}, {1920, 1, 384, 64}), F16({40, 64, 3, 3}, DENSE),
                        F16({3, 40, 3, 4}, {FAR_2, 1, 160, 40})},
                NONE},
        {"rows of src", "convolution", strided_convolution,
                {F16({1, 64, 3, 6}, {G(32), 1, FAR_2, 64}), F16({40, 64, 3, 3}, DENSE),
                        F16({1, 40, 1, 4}, DENSE)},
                NONE},
        {"rows of dst", "convolution", strided_convolution,
                {F16({1, 64, 5, 6}, {1920, 1, 384, 64}), F16({40, 64, 3, 3}, DENSE),
                        F16({1, 40, 3, 4}, {G(32), 1, FAR_2, 40})},
                NONE},
        {"weights", "convolution", strided_convolution,
                {F16({1, 64, 5, 6}, {1920, 1, 384, 64}), F16({40, 64, 3, 3}, {FAR_2 / 16, 9, 3, 1}),
                        F16({1, 40, 3, 4}, DENSE)},
                NONE},
        {"images that are added", "convolution", strided_convolution,
                {F16({3, 64, 5, 6}, {1920, 1, 384, 64}), F16({40, 64, 3, 3}, DENSE),
                        F16({3, 40, 3, 4}, {480, 1, 160, 40})},
                F16({3, 40, 3, 4}, {FAR_2, 1, 160, 40})},
        {"images that are added, a stride of more than 32 bits", "convolution", strided_convolution,
                {F16({3, 64, 5, 6}, {1920, 1, 384, 64}), F16({40, 64, 3, 3}, DENSE),
                        F16({3, 40, 3, 4}, {480, 1, 160, 40})},
                S8({3, 40, 3, 4}, {FAR_1, 1, 160, 40})},
        {"images of src of integers", "convolution", strided_convolution,
                {S8({3, 64, 5, 6}, {FAR_1, 1, 384, 64}), S8({40, 64, 3, 3}, DENSE),
                        S32({3, 40, 3, 4}, DENSE)},
                NONE},
        {"images of dst of integers", "convolution", strided_convolution,
                {S8({3, 64, 5, 6}, {1920, 1, 384, 64}), S8({40, 64, 3, 3}, DENSE),
                        S32({3, 40, 3, 4}, {FAR_4, 1, 160, 40})},
                NONE},
        {"images that are added, a stride of more than 32 bits", "pooling", strided_pooling,
                {F16({3, 4, 5, 19}, DENSE), F16({3, 4, 4, 18}, DENSE)},
                S8({3, 4, 4, 18}, {FAR_1, 72, 18, 1})},
        {"images of src", "pooling", strided_pooling,
                {F16({3, 4, 5, 19}, {FAR_2, 95, 19, 1}), F16({3, 4, 4, 18}, DENSE)}, NONE},
        {"images of dst", "pooling", strided_pooling,
                {F16({3, 4, 5, 19}, DENSE), F16({3, 4, 4, 18}, {FAR_2, 72, 18, 1})}, NONE},
        {"rows of src, channels last", "pooling", strided_pooling,
                {F16({1, 40, 3, 5}, {G(33), 1, FAR_2, 40}), F16({1, 40, 2, 4}, {320, 1, 160, 40})},
                NONE},
        {"rows of dst, channels last", "pooling", strided_pooling,
                {F16({1, 40, 4, 5}, {800, 1, 200, 40}), F16({1, 40, 3, 4}, {G(33), 1, FAR_2, 40})},
                NONE},
        {"planes", "pooling", strided_pooling,
                {F16({2, 2, 5, 19}, {FAR_4, FAR_2, 19, 1}), F16({2, 2, 1, 1}, DENSE)}, NONE},
        {"rows of src", "softmax", strided_softmax,
                {F16({3, 269}, {FAR_2, 1}), F16({3, 269}, DENSE)}, NONE},
        {"rows of dst", "softmax", strided_softmax,
                {F16({3, 269}, DENSE), F16({3, 269}, {FAR_2, 1})}, NONE},
        {"rows that are added", "softmax", strided_softmax,
                {F16({3, 269}, DENSE), F16({3, 269}, DENSE)}, F16({3, 269}, {FAR_2, 1})},
        {"rows that are added, a stride of more than 32 bits", "softmax", strided_softmax,
                {F16({3, 269}, DENSE), F16({3, 269}, DENSE)}, S8({3, 269}, {FAR_1, 1})},
        {"rows of src", "softmax", strided_softmax_down,
                {F16({3, 269}, {FAR_2, 1}), F16({3, 269}, DENSE)}, NONE},
        {"rows of dst", "softmax", strided_softmax_down,
                {F16({3, 269}, DENSE), F16({3, 269}, {FAR_2, 1})}, NONE},
        {"images of src", "normalization", strided_group_norm,
                {F16({3, 4, 5, 6}, {FAR_2, 30, 6, 1}), F16({3, 4, 5, 6}, DENSE)}, NONE},
        {"images of dst", "normalization", strided_group_norm,
                {F16({3, 4, 5, 6}, DENSE), F16({3, 4, 5, 6}, {FAR_2, 30, 6, 1})}, NONE},
        {"channels", "normalization", strided_batch_norm,
                {F16({2, 4, 5, 6}, {30, FAR_4, 6, 1}), F16({2, 4, 5, 6}, DENSE)}, NONE},
        {"images of src, channels last", "normalization", strided_batch_norm,
                {F16({3, 40, 2, 3}, {FAR_2, 1, 120, 40}), F16({3, 40, 2, 3}, {240, 1, 120, 40})},
                NONE},
        {"images of dst, channels last", "normalization", strided_batch_norm,
                {F16({3, 40, 2, 3}, {240, 1, 120, 40}), F16({3, 40, 2, 3}, {FAR_2, 1, 120, 40})},
                NONE},
        {"rows of src", "layer_normalization", strided_layer_norm,
                {F16({3, 269}, {FAR_2, 1}), F16({3, 269}, DENSE)}, NONE},
        {"rows of dst", "layer_normalization", strided_layer_norm,
                {F16({3, 269}, DENSE), F16({3, 269}, {FAR_2, 1})}, NONE},
        {"rows of src", "reduction", strided_sum, {F16({3, 269}, {FAR_2, 1}), F32({3, 1}, DENSE)},
                NONE},
        {"rows that are summed up", "reduction", strided_sum,
                {F16({3, 269}, {FAR_2, 1}), F32({1, 269}, DENSE)}, NONE},
        {"results", "reduction", strided_sum, {F16({3, 269}, DENSE), F32({3, 1}, {FAR_4, 1})},
                NONE},
        {"rows of src", "elementwise", strided_eltwise,
                {F16({3, 269}, {FAR_2, 1}), F16({3, 269}, DENSE)}, NONE},
        {"rows of dst", "elementwise", strided_eltwise,
                {F16({3, 269}, DENSE), F16({3, 269}, {FAR_2, 1})}, NONE},
        {"rows of src", "elementwise", strided_binary,
                {F16({3, 269}, {FAR_2, 1}), F16({3, 269}, DENSE), F16({3, 269}, DENSE)}, NONE},
        {"rows of the other src", "elementwise", strided_binary,
                {F16({3, 269}, DENSE), F16({3, 269}, {FAR_2, 1}), F16({3, 269}, DENSE)}, NONE},
        {"rows of the other src, a stride of more than 32 bits", "elementwise", strided_binary,
                {S8({3, 69}, DENSE), S8({3, 69}, {FAR_1, 1}), S8({3, 69}, DENSE)}, NONE},
        {"rows of src", "elementwise", strided_reorder,
                {F16({3, 269}, {FAR_2, 1}), F32({3, 269}, DENSE)}, NONE},
        {"columns of src", "elementwise", strided_reorder,
                {F16({40, 35}, {1, FAR_2 / 16}), F32({40, 35}, DENSE)}, NONE},
        {"heads of queries", "sdpa", strided_attention,
                {F16({3, 20, 64}, {FAR_2, 64, 1}), F16({3, 64, 40}, {2560, 1, 64}),
                        F16({3, 20, 64}, DENSE)},
                NONE},
        {"heads of keys and values", "sdpa", strided_attention,
                {F16({3, 20, 64}, DENSE), F16({3, 64, 40}, {FAR_2, 1, 64}),
                        F16({3, 20, 64}, DENSE)},
                NONE},
        {"heads of dst", "sdpa", strided_attention,
                {F16({3, 20, 64}, DENSE), F16({3, 64, 40}, {2560, 1, 64}),
                        F16({3, 20, 64}, {FAR_2, 64, 1})},
                NONE},
};

/* Some of the elements that are read share an address. */
static const far_t repeated_cases[] = {
        {"rows of src are one", "matmul", strided_matmul,
                {F16({19, 69}, {0, 1}), F16({69, 40}, DENSE), F16({19, 40}, DENSE)}, NONE},
        {"columns of src are one", "matmul", strided_matmul,
                {F16({19, 69}, {1, 0}), F16({69, 40}, DENSE), F16({19, 40}, DENSE)}, NONE},
        {"rows of weights are one", "matmul", strided_matmul,
                {F16({70, 69}, DENSE), F16({69, 40}, {0, 1}), F16({70, 40}, DENSE)}, NONE},
        {"columns of weights are one", "matmul", strided_matmul,
                {F16({70, 64}, DENSE), F16({64, 40}, {1, 0}), F16({70, 40}, DENSE)}, NONE},
        {"matrices are one", "matmul", strided_matmul,
                {F16({3, 9, 64}, {0, 64, 1}), F16({3, 64, 40}, {0, 40, 1}), F16({3, 9, 40}, DENSE)},
                NONE},
        {"what is added is one row", "matmul", strided_matmul,
                {F16({3, 9, 64}, DENSE), F16({1, 64, 40}, DENSE), F16({3, 9, 40}, DENSE)},
                F16({3, 9, 40}, {0, 0, 1})},
        {"integers, rows of src are one", "matmul", strided_matmul,
                {S8({19, 69}, {0, 1}), S8({69, 40}, DENSE), S32({19, 40}, DENSE)}, NONE},
        {"images are one", "convolution", strided_convolution,
                {F16({3, 64, 5, 6}, {0, 1, 384, 64}), F16({40, 64, 3, 3}, DENSE),
                        F16({3, 40, 3, 4}, DENSE)},
                NONE},
        {"pixels are one", "convolution", strided_convolution,
                {F16({3, 64, 5, 6}, {384, 1, 64, 0}), F16({40, 64, 3, 3}, DENSE),
                        F16({3, 40, 3, 4}, DENSE)},
                NONE},
        {"channels are one", "convolution", strided_convolution,
                {F16({3, 64, 5, 6}, {64, 0, 8, 1}), F16({40, 64, 3, 3}, DENSE),
                        F16({3, 40, 3, 4}, DENSE)},
                NONE},
        {"integers, rows of images are one", "convolution", strided_convolution,
                {S8({3, 64, 5, 6}, {384, 1, 0, 64}), S8({40, 64, 3, 3}, DENSE),
                        S32({3, 40, 3, 4}, DENSE)},
                NONE},
        {"rows of images are one", "pooling", strided_pooling,
                {F16({3, 4, 5, 19}, {76, 19, 0, 1}), F16({3, 4, 4, 18}, DENSE)}, NONE},
        {"images are one, channels last", "pooling", strided_pooling,
                {F16({3, 40, 3, 5}, {0, 1, 200, 40}), F16({3, 40, 2, 4}, {320, 1, 160, 40})}, NONE},
        {"rows are one", "softmax", strided_softmax, {F16({3, 269}, {0, 1}), F16({3, 269}, DENSE)},
                NONE},
        {"rows are one", "softmax", strided_softmax_down,
                {F16({3, 269}, {0, 1}), F16({3, 269}, DENSE)}, NONE},
        {"images are one", "normalization", strided_group_norm,
                {F16({3, 4, 5, 6}, {0, 30, 6, 1}), F16({3, 4, 5, 6}, DENSE)}, NONE},
        {"images are one, channels last", "normalization", strided_batch_norm,
                {F16({3, 40, 2, 3}, {0, 1, 120, 40}), F16({3, 40, 2, 3}, {240, 1, 120, 40})}, NONE},
        {"rows are one", "layer_normalization", strided_layer_norm,
                {F16({3, 269}, {0, 1}), F16({3, 269}, DENSE)}, NONE},
        {"rows are one", "reduction", strided_sum, {F16({3, 269}, {0, 1}), F32({3, 1}, DENSE)},
                NONE},
        {"elements of a row are one", "reduction", strided_sum,
                {F16({3, 269}, {1, 0}), F32({3, 1}, DENSE)}, NONE},
        {"rows are one", "elementwise", strided_eltwise,
                {F16({3, 269}, {0, 1}), F16({3, 269}, DENSE)}, NONE},
        {"elements of a row are one", "elementwise", strided_eltwise,
                {F16({3, 269}, {1, 0}), F16({3, 269}, DENSE)}, NONE},
        {"rows of one are one", "elementwise", strided_binary,
                {F16({3, 269}, DENSE), F16({3, 269}, {0, 1}), F16({3, 269}, DENSE)}, NONE},
        {"heads are one", "sdpa", strided_attention,
                {F16({3, 20, 64}, {0, 64, 1}), F16({3, 64, 40}, {0, 1, 64}),
                        F16({3, 20, 64}, DENSE)},
                NONE},
        {"keys are one", "sdpa", strided_attention,
                {F16({3, 20, 64}, DENSE), F16({3, 64, 40}, {64, 1, 0}), F16({3, 20, 64}, DENSE)},
                NONE},
};

/* Case number i with odd lengths, distances and addresses. */
static void odd_case(const char *family, int i) {
    static const int shifts[] = {0, 2, 4, 1, 8, 12, 16, 31, 32, 62};
    const int shift = shifts[i % ARRAY_LEN(shifts)];
    const dnnl_dim_t k = i + 1, n = 1 + i * 7 % 45, m = 2 + i * 5 % 18, apart = k + i % 4,
                     len = 2 + i * 13 % 127;
    if (!strcmp(family, "matmul")) {
        const bool rows = i % 3 != 2; /* rows of weights are contiguous, not columns */
        const dnnl_dim_t across = rows ? n + i % 5 : 1, along = rows ? 1 : apart;
        run("odd", strided_matmul,
                (strided_t[STRIDED_TENSORS]){F16({m, k}, {apart, 1}), F16({k, n}, {across, along}),
                        F16({m, n}, {n + i % 3, 1})},
                NULL, shift);
        run("odd", strided_matmul,
                (strided_t[STRIDED_TENSORS]){S8({m, k}, {apart, 1}), S8({k, n}, {across, along}),
                        S32({m, n}, {n + i % 3, 1})},
                NULL, shift);
        if (ref_is_tf32(harness_hints.forced_variant))
            run("odd", strided_matmul,
                    (strided_t[STRIDED_TENSORS]){F32({m, k}, {apart, 1}),
                            F32({k, n}, {across, along}), F32({m, n}, {n + i % 3, 1})},
                    NULL, shift);
    } else if (i % 4 == 0) {
        if (!strcmp(family, "convolution")) {
            run("odd", strided_convolution,
                    (strided_t[STRIDED_TENSORS]){
                            F16({2, k, 4, 5}, {apart * 21, 1, apart * 5, apart}),
                            F16({n, k, 2, 2}, DENSE),
                            F16({2, n, 3, 4}, {12 * n + i % 3, 12, 4, 1})},
                    NULL, shift);
            run("odd", strided_convolution,
                    (strided_t[STRIDED_TENSORS]){
                            S8({2, k, 4, 5}, {apart * 21, 1, apart * 5, apart}),
                            S8({n, k, 2, 2}, DENSE), S32({2, n, 3, 4}, {12 * n + i % 3, 12, 4, 1})},
                    NULL, shift);
        }
        if (!strcmp(family, "pooling")) {
            run("odd", strided_pooling,
                    (strided_t[STRIDED_TENSORS]){
                            F16({2, 3, 4, len}, {13 * len, 4 * len + i % 5, len, 1}),
                            F16({2, 3, 3, len - 1}, {9 * len + i % 3, 3 * len, len, 1})},
                    NULL, shift);
            run("odd, channels last", strided_pooling,
                    (strided_t[STRIDED_TENSORS]){
                            F16({2, len, 4, 5}, {22 * apart * len, 1, 5 * len + i % 3, len}),
                            F16({2, len, 3, 4}, {13 * len + 16, 1, 4 * len + i % 5, len})},
                    NULL, shift);
        }
        if (!strcmp(family, "softmax"))
            run("odd", strided_softmax,
                    (strided_t[STRIDED_TENSORS]){
                            F16({m, len}, {len + i % 3, 1}), F16({m, len}, {len + i % 5, 1})},
                    NULL, shift);
        if (!strcmp(family, "softmax"))
            run("odd, down", strided_softmax_down,
                    (strided_t[STRIDED_TENSORS]){
                            F16({m, len}, {len + i % 3, 1}), F16({m, len}, {len + i % 5, 1})},
                    NULL, shift);
        if (!strcmp(family, "normalization")) {
            run("odd", strided_group_norm,
                    (strided_t[STRIDED_TENSORS]){F16({m, 4, len}, {4 * len + i % 3, len, 1}),
                            F16({m, 4, len}, {4 * len + i % 5, len, 1})},
                    NULL, shift);
            run("odd, channels last", strided_batch_norm,
                    (strided_t[STRIDED_TENSORS]){F16({m, len, 3}, {3 * len + i % 3, 1, len}),
                            F16({m, len, 3}, {3 * len + i % 5, 1, len})},
                    NULL, shift);
        }
        if (!strcmp(family, "layer_normalization"))
            run("odd", strided_layer_norm,
                    (strided_t[STRIDED_TENSORS]){
                            F16({m, len}, {len + i % 3, 1}), F16({m, len}, {len + i % 5, 1})},
                    NULL, shift);
        if (!strcmp(family, "reduction")) {
            run("odd", strided_sum,
                    (strided_t[STRIDED_TENSORS]){
                            F16({m, len}, {len + i % 3, 1}), F32({m, 1}, DENSE)},
                    NULL, shift);
            run("odd", strided_sum,
                    (strided_t[STRIDED_TENSORS]){
                            F16({m, len}, {len + i % 3, 1}), F32({1, len}, DENSE)},
                    NULL, shift);
        }
        if (!strcmp(family, "elementwise")) {
            run("odd", strided_eltwise,
                    (strided_t[STRIDED_TENSORS]){
                            F16({m, len}, {len + i % 3, 1}), F16({m, len}, {len + i % 5, 1})},
                    NULL, shift);
            run("odd", strided_binary,
                    (strided_t[STRIDED_TENSORS]){F16({m, len}, {len + i % 3, 1}),
                            F16({m, len}, {len + i % 5, 1}), F16({m, len}, DENSE)},
                    NULL, shift);
            run("odd", strided_reorder,
                    (strided_t[STRIDED_TENSORS]){
                            F16({m, len}, {1, m + i % 3}), F32({m, len}, {len + i % 5, 1})},
                    NULL, shift);
        }
        if (!strcmp(family, "sdpa"))
            run("odd", strided_attention,
                    (strided_t[STRIDED_TENSORS]){F16({2, m, 64}, {(64 + i % 8) * m, 64 + i % 8, 1}),
                            F16({2, 64, k}, {64 * k, 1, 64}), F16({2, m, 64}, {65 * m, 65, 1})},
                    NULL, shift);
    }
}

/* ---- tests ---- */

static const char *const families[] = {"matmul", "convolution", "pooling", "softmax",
        "layer_normalization", "normalization", "reduction", "elementwise", "sdpa"};
static const char *family;

static void run_table(const far_t *table, int n) {
    for (int i = 0; i < n; i++)
        if (!strcmp(table[i].family, family))
            run(table[i].what, table[i].create, table[i].tensor, &table[i].added, 0);
}

static void far_rows(void) {
    run_table(far_cases, ARRAY_LEN(far_cases));
}

static void odd_rows(void) {
    enum { CASES = 70 }; /* every k of up to two steps of matrix units, and a few more */
    run_table(repeated_cases, ARRAY_LEN(repeated_cases));
    for (int i = 0; i < CASES; i++) odd_case(family, i);
}

/* Variants for CPUs support few of these problems each; the cases with the library's own choice
 * test them. Variants for doubles have the source of the portable ones. */
static bool is_for_gpus(int row) {
    return variants[row].target != TARGET_CPU && !variants[row].needs_fp64;
}

/* A single dense tensor cannot be large without being touched. Variants for tf32 have the plans of
 * those for f16. */
static bool is_for_strides(int row) {
    return is_for_gpus(row) && strcmp(variants[row].entry, "flat") != 0 && !ref_is_tf32(row);
}

static void for_each_family(bool (*suits)(int row), void (*rows)(void)) {
    for (int i = 0; i < ARRAY_LEN(families); i++) {
        family = families[i];
        for_each_variant_that(suits, family, rows);
        if (harness_caps()->is_cpu) rows();
    }
}

static void test_far(void **unused) {
    (void)unused;
    void *memory;
    if (usm_alloc_host(harness_engine->core, G(32) + G(20), &memory) != dnnl_success) {
        print_message("the device has no 4 GiB: %d cases of each row are left out\n",
                ARRAY_LEN(far_cases));
        skip();
    }
    usm_free(harness_engine->core, memory);
    no_room = 0;
    for_each_family(is_for_strides, far_rows);
    if (no_room) print_message("no memory for %d cases\n", no_room);
}

static void test_odd(void **unused) {
    (void)unused;
    for_each_family(is_for_gpus, odd_rows);
}

/* Splits loops as if they were too long for positions of 32 bits. */
static void test_cut(void **unused) {
    (void)unused;
    family = "elementwise";
    harness_hints.max_loop = 20;
    harness_hints.loop_piece = 16;
    for_each_variant_that(is_for_gpus, family, odd_rows);
    if (harness_caps()->is_cpu) odd_rows();
    harness_hints = NO_PLAN_HINTS;
}

TEST_MAIN(cmocka_unit_test(test_odd), cmocka_unit_test(test_cut), cmocka_unit_test(test_far))
