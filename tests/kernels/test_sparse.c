/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant of family "matmul_sparse" against sums in double precision: which matrix is
 * sparse, encodings, orders of entries, types, layouts of the dense matrices, empty rows, and
 * empty matrices. */
#include <float.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "buffers.h"
#include "case_run.h"
#include "core/util.h"
#include "dry.h"
#include "harness.h"
#include "oneapi/dnnl/dnnl.h"
#include "ref.h"
#include "test_main.h"

enum order { BY_ROWS, SHUFFLED };

typedef struct {
    dnnl_dim_t m, k, n, entries;
    bool sparse_weights;
    dnnl_sparse_encoding_t encoding;
    dnnl_data_type_t dt;
    const char *dense_tag, *dst_tag;
    enum order order; /* order of a list of coordinates */
} sparse_case_t;

static uint32_t state;
static uint32_t next_random(uint32_t below) {
    state = state * 1664525 + 1013904223;
    return (uint32_t)(((uint64_t)state * below) >> 32);
}
static double next_value(dnnl_data_type_t dt) {
    return ref_round(dt, ((double)next_random(2001) - 1000) / 250);
}

/* ---- a matrix of coordinates, which may contain a position twice ---- */

typedef struct {
    int n;
    int32_t *row, *col;
    double *value;
} entries_t;

static int by_place(const void *a, const void *b) {
    const int64_t x = *(const int64_t *)a, y = *(const int64_t *)b;
    return (x > y) - (x < y);
}

static entries_t make_entries(const sparse_case_t *c, dnnl_dim_t rows, dnnl_dim_t cols) {
    const int n = rows && cols ? (int)c->entries : 0;
    const size_t room = (size_t)n + 1;
    entries_t e = {n, malloc(room * sizeof(*e.row)), malloc(room * sizeof(*e.col)),
            malloc(room * sizeof(*e.value))};
    int64_t *places = malloc(room * sizeof(*places));
    assert_true(e.row && e.col && e.value && places);
    for (int i = 0; i < n; i++)
        places[i] = next_random((uint32_t)rows) * cols + next_random((uint32_t)cols);
    if (c->order == BY_ROWS) qsort(places, (size_t)n, sizeof(*places), by_place);
    for (int i = 0; i < n; i++) {
        e.row[i] = (int32_t)(places[i] / cols);
        e.col[i] = (int32_t)(places[i] % cols);
        e.value[i] = next_value(c->dt);
    }
    free(places);
    return e;
}

static void free_entries(entries_t *e) {
    free(e->row);
    free(e->col);
    free(e->value);
}

/* ---- memory objects ---- */

static dnnl_memory_t sparse_memory(const md_t *md, const entries_t *e) {
    dnnl_memory_t memory = buffers_new(md);
    if (e->n) {
        void *values = buffers_map(memory, 0);
        for (int i = 0; i < e->n; i++) ref_store(md->data_type, values, i, e->value[i]);
        buffers_unmap(memory, values, 0);
    }
    if (md->format_desc.sparse.encoding == dnnl_coo) {
        buffers_write(memory, 1, e->row, (size_t)e->n);
        buffers_write(memory, 2, e->col, (size_t)e->n);
        return memory;
    }
    buffers_write(memory, 1, e->col, (size_t)e->n);
    const int64_t rows = md->dims[0];
    int32_t *pointers = calloc((size_t)rows + 1, sizeof(*pointers));
    assert_non_null(pointers);
    for (int i = 0; i < e->n; i++) pointers[e->row[i] + 1]++;
    for (int64_t r = 0; r < rows; r++) pointers[r + 1] += pointers[r];
    buffers_write(memory, 2, pointers, md_size(md, 2) / sizeof(*pointers));
    free(pointers);
    return memory;
}

static dnnl_memory_t dense_memory(const md_t *md) {
    dnnl_memory_t memory = buffers_new(md);
    if (!md_size(md, 0)) return memory;
    uint8_t *data = buffers_map(memory, 0);
    memset(data, 0xff, md_size(md, 0)); /* makes uninitialised bytes visible */
    for (dnnl_dim_t r = 0; r < md->dims[0]; r++)
        for (dnnl_dim_t c = 0; c < md->dims[1]; c++)
            ref_store(md->data_type, data, md_offset(md, (dnnl_dims_t){r, c}),
                    next_value(md->data_type));
    buffers_unmap(memory, data, 0);
    return memory;
}

static void check(const sparse_case_t *c, const entries_t *e, const md_t *dense,
        dnnl_memory_t dense_mem, const md_t *dst, dnnl_memory_t dst_mem) {
    if (!c->m || !c->n || is_dry) return;
    uint8_t *got = buffers_map(dst_mem, 0),
            *data = md_size(dense, 0) ? buffers_map(dense_mem, 0) : NULL;
    double *sum = calloc((size_t)(c->m * c->n), sizeof(*sum)),
           *size = calloc((size_t)(c->m * c->n), sizeof(*size));
    assert_true(sum && size);
    for (int i = 0; i < e->n; i++) {
        const dnnl_dim_t others = c->sparse_weights ? c->m : c->n;
        for (dnnl_dim_t o = 0; o < others; o++) {
            const dnnl_dim_t m = c->sparse_weights ? o : e->row[i],
                             n = c->sparse_weights ? e->col[i] : o;
            const dnnl_dims_t at = {
                    c->sparse_weights ? m : e->col[i], c->sparse_weights ? e->row[i] : n};
            const double product = e->value[i] * ref_load(c->dt, data, md_offset(dense, at));
            sum[m * c->n + n] += product;
            size[m * c->n + n] += fabs(product);
        }
    }
    for (dnnl_dim_t m = 0; m < c->m; m++)
        for (dnnl_dim_t n = 0; n < c->n; n++) {
            const double r = ref_load(c->dt, got, md_offset(dst, (dnnl_dims_t){m, n})),
                         v = sum[m * c->n + n];
            const ref_value_t want = {v, size[m * c->n + n] * (e->n + 1) * FLT_EPSILON / 2};
            if (!ref_ok(c->dt, r, want))
                fail_msg("%lldx%lldx%lld, %d entries, %s %s %s: (%lld, %lld) is %g, not %g",
                        (long long)c->m, (long long)c->k, (long long)c->n, e->n,
                        c->sparse_weights ? "weights" : "src",
                        c->encoding == dnnl_csr ? "csr" : "coo", c->dense_tag, (long long)m,
                        (long long)n, r, v);
        }
    free(sum);
    free(size);
    buffers_unmap(dst_mem, got, 0);
    if (data) buffers_unmap(dense_mem, data, 0);
}

static md_t make_sparse(dnnl_sparse_encoding_t encoding, dnnl_data_type_t dt,
        const dnnl_dims_t dims, dnnl_dim_t entries) {
    md_t md;
    const dnnl_status_t status =
            encoding == dnnl_csr ? md_init_csr(&md, 2, dims, dt, entries, dnnl_s32, dnnl_s32)
                                 : md_init_coo(&md, 2, dims, dt, entries, dnnl_s32);
    assert_int_equal(status, dnnl_success);
    return md;
}

static void run(const sparse_case_t *c) {
    const dnnl_dims_t src_dims = {c->m, c->k}, wei_dims = {c->k, c->n}, dst_dims = {c->m, c->n};
    const dnnl_dim_t *sparse_dims = c->sparse_weights ? wei_dims : src_dims;
    const md_t sparse = make_sparse(c->encoding, c->dt, sparse_dims, c->entries);
    const md_t dense = make_md(c->dt, c->dense_tag, 2, c->sparse_weights ? src_dims : wei_dims);
    const md_t dst = make_md(c->dt, c->dst_tag, 2, dst_dims);
    const md_t *src = c->sparse_weights ? &dense : &sparse,
               *wei = c->sparse_weights ? &sparse : &dense;
    dnnl_primitive_desc_t pd;
    const dnnl_status_t status = dnnl_matmul_primitive_desc_create(
            &pd, harness_engine, src, wei, NULL, &dst, hinted(NULL));
    if (status == dnnl_unimplemented && harness_hints.forced_variant >= 0) {
        harness_count.skipped++;
        return;
    }
    assert_int_equal(status, dnnl_success);
    harness_count.run++;
    if (!dry_skips(case_pd(pd))) {
        state = 1;
        entries_t e = make_entries(c, sparse_dims[0], sparse_dims[1]);
        dnnl_memory_t sparse_mem = sparse_memory(&sparse, &e), dense_mem = dense_memory(&dense),
                      dst_mem = dense_memory(&dst);
        const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, c->sparse_weights ? dense_mem : sparse_mem},
                {DNNL_ARG_WEIGHTS, c->sparse_weights ? sparse_mem : dense_mem},
                {DNNL_ARG_DST, dst_mem}};
        dnnl_primitive_t primitive;
        dnnl_stream_t stream;
        assert_int_equal(dnnl_primitive_create(&primitive, pd), 0);
        assert_int_equal(dnnl_stream_create(&stream, harness_engine, dnnl_stream_default_flags), 0);
        assert_int_equal(case_submit(primitive, stream, 3, args), 0);
        check(c, &e, &dense, dense_mem, &dst, dst_mem);
        harness_count.elements += c->m * c->n;
        free_entries(&e);
        dnnl_memory_destroy(sparse_mem);
        dnnl_memory_destroy(dense_mem);
        dnnl_memory_destroy(dst_mem);
        dnnl_stream_destroy(stream);
        dnnl_primitive_destroy(primitive);
    }
    dnnl_primitive_desc_destroy(pd);
}

static void run_sections(void) {
    static const struct {
        dnnl_dim_t m, k, n, entries;
        const char *dense, *dst;
    } shapes[] = {
            {1, 1, 1, 1, "ab", "ab"},
            {1, 1, 1, 0, "ab", "ab"},
            {7, 13, 67, 40, "ab", "ab"},
            {67, 13, 7, 40, "ba", "ab"},
            {5, 31, 131, 500, "ba", "ab"}, /* more entries than positions */
            {131, 31, 5, 9, "ab", "ab"},   /* most rows are empty */
            {64, 20, 128, 200, "ab", "ab"},
            {128, 20, 64, 200, "ba", "ba"},
            {17, 19, 23, 60, "+ab", "+ab"},
            {1, 1009, 3, 300, "ab", "ab"},
            {300, 11, 300, 700, "ab", "ab"},
            {9, 8, 7, 0, "ab", "ab"},
            {9, 0, 7, 0, "ab", "ab"},
            {9, 8, 0, 3, "ab", "ab"},
            {0, 8, 7, 0, "ab", "ab"},
    };
    for (int i = 0; i < ARRAY_LEN(shapes); i++)
        for (int kind = 0; kind < 12; kind++) {
            const sparse_case_t c = {shapes[i].m, shapes[i].k, shapes[i].n, shapes[i].entries,
                    kind & 1, kind % 6 < 2 ? dnnl_csr : dnnl_coo, kind < 6 ? dnnl_f32 : dnnl_f16,
                    shapes[i].dense, shapes[i].dst, kind % 6 < 4 ? BY_ROWS : SHUFFLED};
            const dnnl_dim_t elements = c.m * c.k + c.k * c.n + c.m * c.n;
            if (!harness_too_large((size_t)elements * sizeof(float))) run(&c);
        }
}

static void test_variants(void **unused) {
    (void)unused;
    for_each_variant("matmul_sparse", run_sections);
}

#define MATMUL(src, wei, bias, dst, attr)                                                          \
    dnnl_matmul_primitive_desc_create(&pd, harness_engine, src, wei, bias, dst, attr)

static void test_refusals(void **unused) {
    (void)unused;
    dnnl_primitive_desc_t pd = NULL;
    const dnnl_dims_t dims = {4, 4};
    const md_t csr = make_sparse(dnnl_csr, dnnl_f32, dims, 3),
               half = make_sparse(dnnl_csr, dnnl_f16, dims, 3);
    const md_t f32 = make_md(dnnl_f32, "ab", 2, dims), f16 = make_md(dnnl_f16, "ab", 2, dims);
    const md_t bias = make_md(dnnl_f32, "ab", D(1, 4)), tall = make_md(dnnl_f32, "ab", D(5, 4));
    const md_t blocked = make_md(dnnl_f32, "AB16b16a", 2, dims),
               batch = make_md(dnnl_f32, "abc", D(2, 4, 4));
    md_t far, packed, s8;
    assert_int_equal(md_init_csr(&far, 2, dims, dnnl_f32, 3, dnnl_s64, dnnl_s64), 0);
    assert_int_equal(md_init_csr(&s8, 2, dims, dnnl_s8, 3, dnnl_s32, dnnl_s32), 0);
    assert_int_equal(md_init_packed(&packed, 2, dims, dnnl_f32, 3), 0);
    assert_int_equal(MATMUL(&csr, &csr, NULL, &f32, NULL), dnnl_unimplemented);
    assert_int_equal(MATMUL(&f32, &f32, NULL, &csr, NULL), dnnl_unimplemented);
    assert_int_equal(MATMUL(&csr, &f32, &bias, &f32, NULL), dnnl_unimplemented);
    assert_int_equal(MATMUL(&csr, &f32, NULL, &f16, NULL), dnnl_unimplemented);
    assert_int_equal(MATMUL(&half, &f32, NULL, &f32, NULL), dnnl_unimplemented);
    assert_int_equal(MATMUL(&s8, &f32, NULL, &f32, NULL), dnnl_unimplemented);
    assert_int_equal(MATMUL(&far, &f32, NULL, &f32, NULL), dnnl_unimplemented);
    assert_int_equal(MATMUL(&f32, &packed, NULL, &f32, NULL), dnnl_unimplemented);
    assert_int_equal(MATMUL(&csr, &blocked, NULL, &f32, NULL), dnnl_unimplemented);
    assert_int_equal(MATMUL(&csr, &tall, NULL, &f32, NULL), dnnl_invalid_arguments);
    assert_int_equal(MATMUL(&csr, &batch, NULL, &batch, NULL), dnnl_invalid_arguments);
    dnnl_primitive_attr_t attr;
    assert_int_equal(dnnl_primitive_attr_create(&attr), 0);
    assert_int_equal(dnnl_primitive_attr_set_scales_mask(attr, DNNL_ARG_SRC, 0), 0);
    assert_int_equal(MATMUL(&csr, &f32, NULL, &f32, attr), dnnl_unimplemented);
    assert_int_equal(dnnl_primitive_attr_destroy(attr), 0);
    assert_null(pd);
}

/* Memory objects with fewer entries, of another encoding, or without one of the arrays. */
static void test_memory(void **unused) {
    (void)unused;
    const dnnl_dims_t dims = {4, 4};
    const md_t csr = make_sparse(dnnl_csr, dnnl_f32, dims, 3),
               fewer = make_sparse(dnnl_csr, dnnl_f32, dims, 2);
    const md_t coo = make_sparse(dnnl_coo, dnnl_f32, dims, 3),
               f32 = make_md(dnnl_f32, "ab", 2, dims);
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t primitive;
    dnnl_stream_t stream;
    assert_int_equal(MATMUL(&csr, &f32, NULL, &f32, NULL), 0);
    assert_int_equal(dnnl_primitive_create(&primitive, pd), 0);
    assert_int_equal(dnnl_stream_create(&stream, harness_engine, dnnl_stream_default_flags), 0);
    dnnl_memory_t dense = buffers_new(&f32), dst = buffers_new(&f32);
    const md_t *const wrong[] = {&fewer, &coo, &f32, &csr, &csr, &csr};
    for (int i = 0; i < ARRAY_LEN(wrong); i++) {
        dnnl_memory_t memory = buffers_new(wrong[i]);
        if (i >= 3)
            assert_int_equal(dnnl_memory_set_data_handle_v2(memory, DNNL_MEMORY_NONE, i - 3), 0);
        const dnnl_exec_arg_t args[] = {
                {DNNL_ARG_SRC, memory}, {DNNL_ARG_WEIGHTS, dense}, {DNNL_ARG_DST, dst}};
        assert_int_equal(
                dnnl_primitive_execute(primitive, stream, 3, args), dnnl_invalid_arguments);
        dnnl_memory_destroy(memory);
    }
    dnnl_memory_destroy(dense);
    dnnl_memory_destroy(dst);
    dnnl_stream_destroy(stream);
    dnnl_primitive_destroy(primitive);
    dnnl_primitive_desc_destroy(pd);
}

TEST_MAIN(cmocka_unit_test(test_variants), cmocka_unit_test(test_refusals),
        cmocka_unit_test(test_memory))
