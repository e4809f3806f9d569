/* SPDX-License-Identifier: Apache-2.0 */
/* Every variant of family "matmul_grouped" (cases/grouped.txt). */
#include <sched.h>
#include <string.h>

#include "buffers.h"
#include "case_run.h"
#include "cases.h"
#include "core/util.h"
#include "dry.h"
#include "oneapi/dnnl/dnnl_ze.h"
#include "test_main.h"
#include "ze/stream.h"

static void run_sections(void) {
    cases_run("grouped", "products");
}

static void test_variants(void **unused) {
    (void)unused;
    for_each_variant("matmul_grouped", run_sections);
}

static void test_line_refusals(void **unused) {
    (void)unused;
    cases_check_refusals("grouped", "refusals");
}

/* ---- what no line describes ---- */

typedef struct {
    md_t md;
    dnnl_memory_t memory;
} array_t;

static array_t plain(dnnl_data_type_t dt, const char *tag, int ndims, const dnnl_dim_t *dims) {
    return (array_t){.md = make_md(dt, tag, ndims, dims)};
}

static array_t grouped(
        dnnl_data_type_t dt, dnnl_dim_t rows, dnnl_dim_t cols, int variable, int groups) {
    array_t a = {0};
    assert_int_equal(
            md_init_grouped(&a.md, 2, (dnnl_dims_t){rows, cols}, dt, variable, groups, dnnl_s32),
            0);
    return a;
}

static void fill(array_t *a) {
    a->memory = buffers_new(&a->md);
    uint8_t *data = buffers_map(a->memory, 0);
    memset(data, 0, md_size(&a->md, 0));
    buffers_unmap(a->memory, data, 0);
}

/* With ends that are unsorted, negative or beyond the matrix, any result is right, but nothing
 * outside of the tensors may be accessed. */
static void test_wrong_ends(void **unused) {
    (void)unused;
    if (is_dry) return;
    static const int32_t ends[][3] = {{9, 2, 5}, {-4, -1, 100000}, {INT32_MAX, INT32_MIN, 0}};
    for (int split_k = 0; split_k < 2; split_k++) {
        array_t src = grouped(dnnl_f32, split_k ? 4 : 10, split_k ? 10 : 4, split_k, 3);
        array_t wei =
                split_k ? grouped(dnnl_f32, 10, 20, 0, 3) : plain(dnnl_f32, "abc", D(3, 4, 20));
        array_t dst =
                split_k ? plain(dnnl_f32, "abc", D(3, 4, 20)) : grouped(dnnl_f32, 10, 20, 0, 3);
        array_t *all[] = {&src, &wei, &dst};
        dnnl_primitive_desc_t pd;
        dnnl_primitive_t primitive;
        dnnl_stream_t stream;
        assert_int_equal(dnnl_matmul_primitive_desc_create(
                                 &pd, harness_engine, &src.md, &wei.md, NULL, &dst.md, NULL),
                0);
        assert_int_equal(dnnl_primitive_create(&primitive, pd), 0);
        assert_int_equal(dnnl_stream_create(&stream, harness_engine, dnnl_stream_default_flags), 0);
        for (int i = 0; i < 3; i++) fill(all[i]);
        for (int e = 0; e < ARRAY_LEN(ends); e++) {
            for (int i = 0; i < 3; i++)
                if (md_is_grouped(&all[i]->md)) buffers_write(all[i]->memory, 1, ends[e], 3);
            const dnnl_exec_arg_t args[] = {{DNNL_ARG_SRC, src.memory},
                    {DNNL_ARG_WEIGHTS, wei.memory}, {DNNL_ARG_DST, dst.memory}};
            assert_int_equal(dnnl_primitive_execute(primitive, stream, 3, args), 0);
            assert_int_equal(dnnl_stream_wait(stream), 0);
        }
        for (int i = 0; i < 3; i++) dnnl_memory_destroy(all[i]->memory);
        dnnl_stream_destroy(stream);
        dnnl_primitive_destroy(primitive);
        dnnl_primitive_desc_destroy(pd);
    }
}

/* ---- ends that differ ---- */

enum { GROUPS = 3, ROWS = 10, K = 4, COLUMNS = 20, ENDS_SIZE = GROUPS * sizeof(int32_t) };

/* A product of groups with memory objects; the ends of each grouped matrix are host memory. */
typedef struct {
    int n; /* arguments */
    array_t array[4];
    int32_t *ends[4]; /* NULL: the matrix is dense */
    dnnl_exec_arg_t args[4];
    dnnl_primitive_t primitive;
    dnnl_stream_t stream;
} product_t;

static void make_primitive(product_t *p, const_dnnl_primitive_attr_t attr) {
    dnnl_primitive_desc_t pd;
    assert_int_equal(dnnl_matmul_primitive_desc_create(&pd, harness_engine, &p->array[0].md,
                             &p->array[1].md, NULL, &p->array[2].md, attr),
            0);
    assert_int_equal(dnnl_primitive_create(&p->primitive, pd), 0);
    assert_int_equal(dnnl_primitive_desc_destroy(pd), 0);
}

static void make_memory(product_t *p, int i) {
    static const int32_t ends[GROUPS] = {3, 3, ROWS};
    static const int args[4] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST,
            DNNL_ARG_ATTR_MULTIPLE_POST_OP(0) | DNNL_ARG_SRC_1};
    array_t *a = &p->array[i];
    void *memory = NULL;
    fill(a);
    if (md_is_grouped(&a->md)) {
        assert_int_equal(usm_alloc_host(harness_engine->core, ENDS_SIZE, &memory), 0);
        assert_int_equal(dnnl_memory_set_data_handle_v2(a->memory, memory, 1), 0);
        p->ends[i] = memory;
        memcpy(p->ends[i], ends, ENDS_SIZE);
    }
    p->args[i] = (dnnl_exec_arg_t){args[i], a->memory};
}

/* Groups of k, or of rows with a grouped operand of a post-op. */
static product_t new_product(bool split_k) {
    product_t p = {.n = split_k ? 3 : 4};
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    p.array[0] = grouped(dnnl_f32, split_k ? K : ROWS, split_k ? ROWS : K, split_k, GROUPS);
    p.array[1] = split_k ? grouped(dnnl_f32, ROWS, COLUMNS, 0, GROUPS)
                         : plain(dnnl_f32, "abc", D(GROUPS, K, COLUMNS));
    p.array[2] = split_k ? plain(dnnl_f32, "abc", D(GROUPS, K, COLUMNS))
                         : grouped(dnnl_f32, ROWS, COLUMNS, 0, GROUPS);
    p.array[3] = grouped(dnnl_f32, ROWS, COLUMNS, 0, GROUPS);
    assert_int_equal(dnnl_primitive_attr_create(&attr), 0);
    assert_int_equal(dnnl_post_ops_create(&ops), 0);
    assert_int_equal(dnnl_post_ops_append_binary(ops, dnnl_binary_mul, &p.array[3].md), 0);
    if (!split_k) assert_int_equal(dnnl_primitive_attr_set_post_ops(attr, ops), 0);
    make_primitive(&p, attr);
    assert_int_equal(dnnl_post_ops_destroy(ops), 0);
    assert_int_equal(dnnl_primitive_attr_destroy(attr), 0);
    assert_int_equal(dnnl_stream_create(&p.stream, harness_engine, dnnl_stream_default_flags), 0);
    for (int i = 0; i < p.n; i++) make_memory(&p, i);
    return p;
}

static void free_product(product_t *p) {
    assert_int_equal(dnnl_stream_wait(p->stream), 0);
    for (int i = 0; i < p->n; i++) {
        dnnl_memory_destroy(p->array[i].memory);
        usm_free_host(harness_engine->core, p->ends[i]);
    }
    dnnl_stream_destroy(p->stream);
    dnnl_primitive_destroy(p->primitive);
}

static dnnl_status_t execute(const product_t *p) {
    return dnnl_primitive_execute(p->primitive, p->stream, p->n, p->args);
}

/* A stream is waited for by an event, which may be signalled before the list has put its work
 * away. */
static void wait_until_idle(dnnl_stream_t stream) {
    assert_int_equal(dnnl_stream_wait(stream), 0);
    assert_non_null(harness_engine->core->synchronize_list);
    while (!stream_is_idle(stream)) sched_yield();
}

static bool has_pointers_to_host_memory(void) {
    return !is_dry && !harness_engine->core->backend;
}

/* On an idle stream the ends are known to be written, and are compared: also in their last element,
 * and again when they are equal. */
static void test_other_ends(void **unused) {
    (void)unused;
    if (!has_pointers_to_host_memory()) return;
    for (int split_k = 0; split_k < 2; split_k++) {
        product_t p = new_product(split_k);
        assert_int_equal(execute(&p), 0);
        for (int i = 1; i < p.n; i++) {
            if (!p.ends[i]) continue;
            wait_until_idle(p.stream);
            p.ends[i][GROUPS - 1]--;
            assert_int_equal(execute(&p), dnnl_invalid_arguments);
            p.ends[i][GROUPS - 1]++;
            assert_int_equal(execute(&p), 0);
        }
        free_product(&p);
    }
}

/* Ends in memory of the device: the host does not read them. */
static void test_ends_on_device(void **unused) {
    (void)unused;
    if (!has_pointers_to_host_memory()) return;
    product_t p = new_product(false);
    array_t on_device = {.md = p.array[2].md};
    fill(&on_device);
    p.args[2].memory = on_device.memory;
    assert_int_equal(execute(&p), 0);
    p.args[0].memory = on_device.memory; /* as if it were the source: it has too few columns */
    assert_int_equal(execute(&p), dnnl_invalid_arguments);
    free_product(&p);
    dnnl_memory_destroy(on_device.memory);
}

/* An event that nobody has signalled yet, and a list that signals it. */
typedef struct {
    ze_event_pool_handle_t pool;
    ze_event_handle_t event;
    ze_command_list_handle_t list;
} gate_t;

static gate_t new_gate(void) {
    const device_core_t *core = harness_engine->core;
    ze_device_handle_t device = core->device;
    const ze_event_pool_desc_t pool = {
            .stype = ZE_STRUCTURE_TYPE_EVENT_POOL_DESC, .flags = 1, .count = 1};
    const ze_event_desc_t event = {.stype = ZE_STRUCTURE_TYPE_EVENT_DESC};
    const ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
            .ordinal = core->compute_ordinal,
            .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    gate_t gate;
    assert_int_equal(ze.EventPoolCreate(core->context, &pool, 1, &device, &gate.pool), 0);
    assert_int_equal(ze.EventCreate(gate.pool, &event, &gate.event), 0);
    assert_int_equal(ze.CommandListCreateImmediate(core->context, device, &queue, &gate.list), 0);
    return gate;
}

static void free_gate(const gate_t *gate) {
    assert_int_equal(ze.CommandListDestroy(gate->list), 0);
    assert_int_equal(ze.EventDestroy(gate->event), 0);
    assert_int_equal(ze.EventPoolDestroy(gate->pool), 0);
}

/* While the stream has work, or the execution waits for an event, the ends may still be written:
 * nothing compares them, and the kernel takes those of the source. */
static void test_unwritten_ends(void **unused) {
    (void)unused;
    if (!has_pointers_to_host_memory()) return;
    product_t p = new_product(false);
    gate_t gate = new_gate();
    p.ends[2][0]++;
    assert_int_equal(dnnl_ze_interop_primitive_execute(
                             p.primitive, p.stream, p.n, p.args, 1, &gate.event, NULL),
            0);
    assert_int_equal(execute(&p), 0);
    assert_int_equal(ze.CommandListAppendBarrier(gate.list, gate.event, 0, NULL), 0);
    wait_until_idle(p.stream);
    assert_int_equal(execute(&p), dnnl_invalid_arguments);
    p.stream->immediate = false; /* a list that may be a regular one */
    assert_int_equal(execute(&p), 0);
    free_product(&p);
    free_gate(&gate);
}

#define MATMUL(src, wei, bias, dst, attr)                                                          \
    dnnl_matmul_primitive_desc_create(                                                             \
            &pd, harness_engine, &(src).md, &(wei).md, bias, &(dst).md, attr)

/* Tensors whose dimensions contradict each other. */
static void test_dimensions(void **unused) {
    (void)unused;
    dnnl_primitive_desc_t pd = NULL;
    const array_t src = grouped(dnnl_f32, 10, 4, 0, 3), dst = grouped(dnnl_f32, 10, 20, 0, 3),
                  wei = plain(dnnl_f32, "abc", D(3, 4, 20)),
                  more_rows = grouped(dnnl_f32, 11, 20, 0, 3),
                  flat = plain(dnnl_f32, "ab", D(4, 20)),
                  wrong_bias = plain(dnnl_f32, "ab", D(1, 20));
    assert_int_equal(MATMUL(src, wei, NULL, more_rows, NULL), dnnl_invalid_arguments);
    assert_int_equal(MATMUL(src, wei, &wrong_bias.md, dst, NULL), dnnl_invalid_arguments);
    assert_int_equal(MATMUL(src, flat, NULL, flat, NULL), dnnl_unimplemented);
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    assert_int_equal(dnnl_primitive_attr_create(&attr), 0);
    assert_int_equal(dnnl_post_ops_create(&ops), 0);
    assert_int_equal(dnnl_post_ops_append_binary(ops, dnnl_binary_mul, &flat.md), 0);
    assert_int_equal(dnnl_primitive_attr_set_post_ops(attr, ops), 0);
    assert_int_equal(MATMUL(src, wei, NULL, dst, attr), dnnl_invalid_arguments);
    dnnl_post_ops_destroy(ops);
    assert_int_equal(dnnl_primitive_attr_destroy(attr), 0);
    assert_null(pd);
}

TEST_MAIN(cmocka_unit_test(test_variants), cmocka_unit_test(test_line_refusals),
        cmocka_unit_test(test_wrong_ends), cmocka_unit_test(test_other_ends),
        cmocka_unit_test(test_ends_on_device), cmocka_unit_test(test_unwritten_ends),
        cmocka_unit_test(test_dimensions))
