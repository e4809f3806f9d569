/* SPDX-License-Identifier: Apache-2.0 */
/* How compiled partitions are executed: streams, scratchpads, and tensors without elements. */
#include <pthread.h>
#include <stdlib.h>

#include "tests/graph/harness.h"
#include "ze/stream_state.h"

enum { ROWS = 4, COLUMNS = 6 };

/* A partition of two steps and a scratchpad: the gradient of a pooling that finds its maxima. */
static dnnl_graph_compiled_partition_t two_steps(dnnl_graph_partition_t *part, lt_t lts[3]) {
    const dnnl_dims_t src = {1, 1, ROWS, COLUMNS}, dst = {1, 1, ROWS / 2, COLUMNS / 2};
    const int64_t zeros[] = {0, 0}, twos[] = {2, 2};
    dnnl_graph_op_t op;
    dnnl_graph_compiled_partition_t cp;
    for (int i = 0; i < 3; i++)
        assert_ok(dnnl_graph_logical_tensor_init_with_dims(&lts[i], (size_t)i, dnnl_f32, 4,
                i == 1 ? dst : src, dnnl_graph_layout_type_strided,
                dnnl_graph_tensor_property_variable));
    assert_ok(dnnl_graph_op_create(&op, 1, KIND(max_pool_backward), "maxima"));
    assert_ok(dnnl_graph_op_add_input(op, &lts[0]));
    assert_ok(dnnl_graph_op_add_input(op, &lts[1]));
    assert_ok(dnnl_graph_op_add_output(op, &lts[2]));
    assert_ok(dnnl_graph_op_set_attr_s64(op, ATTR(strides), twos, 2));
    assert_ok(dnnl_graph_op_set_attr_s64(op, ATTR(kernel), twos, 2));
    assert_ok(dnnl_graph_op_set_attr_s64(op, ATTR(pads_begin), zeros, 2));
    assert_ok(dnnl_graph_op_set_attr_s64(op, ATTR(pads_end), zeros, 2));
    assert_ok(dnnl_graph_op_set_attr_str(op, ATTR(data_format), "NCX", 1));
    assert_ok(dnnl_graph_partition_create_with_op(part, op, dnnl_gpu));
    assert_ok(dnnl_graph_op_destroy(op));
    assert_ok(dnnl_graph_compiled_partition_create(&cp, *part));
    const lt_t *in[] = {&lts[0], &lts[1]}, *out[] = {&lts[2]};
    assert_ok(dnnl_graph_partition_compile(*part, cp, 2, in, 1, out, engine));
    return cp;
}

/* Tensors with memory of the engine's allocator, which the host can read here or not: they are
 * filled and read through memory objects. */
static void access(const_dnnl_graph_tensor_t tensor, int64_t count, float *values, bool write) {
    dnnl_memory_desc_t md;
    dnnl_memory_t own, other;
    dnnl_primitive_desc_t pd;
    dnnl_primitive_t copy;
    void *handle, *mapped;
    const dnnl_dims_t dims = {count};
    assert_ok(dnnl_graph_tensor_get_data_handle(tensor, &handle));
    assert_ok(dnnl_memory_desc_create_with_strides(&md, 1, dims, dnnl_f32, NULL));
    assert_ok(dnnl_memory_create(&own, md, engine, DNNL_MEMORY_ALLOCATE));
    assert_ok(dnnl_memory_create(&other, md, engine, handle));
    assert_ok(dnnl_reorder_primitive_desc_create(&pd, md, engine, md, engine, NULL));
    assert_ok(dnnl_primitive_create(&copy, pd));
    assert_ok(dnnl_memory_map_data(own, &mapped));
    if (write) memcpy(mapped, values, (size_t)count * sizeof *values);
    assert_ok(dnnl_memory_unmap_data(own, mapped));
    const dnnl_exec_arg_t args[] = {
            {DNNL_ARG_FROM, write ? own : other}, {DNNL_ARG_TO, write ? other : own}};
    assert_ok(dnnl_primitive_execute(copy, stream, 2, args));
    assert_ok(dnnl_stream_wait(stream));
    assert_ok(dnnl_memory_map_data(own, &mapped));
    if (!write) memcpy(values, mapped, (size_t)count * sizeof *values);
    assert_ok(dnnl_memory_unmap_data(own, mapped));
    dnnl_primitive_destroy(copy);
    dnnl_primitive_desc_destroy(pd);
    dnnl_memory_destroy(own);
    dnnl_memory_destroy(other);
    dnnl_memory_desc_destroy(md);
}

/* On streams of both orders, with the library's scratchpad and with one of the program. */
static void test_streams(void **state) {
    (void)state;
    enum { ALL = ROWS * COLUMNS, POOLED = ALL / 4 };
    dnnl_graph_partition_t part;
    lt_t lts[3], scratch;
    float src[ALL], diff_dst[POOLED], diff_src[ALL];
    const dnnl_graph_compiled_partition_t cp = two_steps(&part, lts);
    dnnl_graph_tensor_t t[4];
    assert_ok(dnnl_graph_compiled_partition_get_scratchpad_logical_tensor(cp, &scratch));
    assert_true(scratch.dims[0] > 0);
    for (int i = 0; i < 3; i++)
        assert_ok(dnnl_graph_tensor_create(&t[i], &lts[i], engine, DNNL_MEMORY_ALLOCATE));
    assert_ok(dnnl_graph_tensor_create(&t[3], &scratch, engine, DNNL_MEMORY_ALLOCATE));
    const_dnnl_graph_tensor_t in[] = {t[0], t[1]}, out[] = {t[2]};
    for (int k = 0; k < 4; k++) {
        dnnl_stream_t other;
        for (int i = 0; i < ALL; i++) src[i] = (float)((i * 7 + k) % ALL);
        for (int i = 0; i < POOLED; i++) diff_dst[i] = (float)(i + 1);
        access(t[0], ALL, src, true);
        access(t[1], POOLED, diff_dst, true);
        assert_ok(dnnl_stream_create(
                &other, engine, k & 1 ? dnnl_stream_out_of_order : dnnl_stream_in_order));
        assert_ok(dnnl_graph_compiled_partition_execute_v2(
                cp, other, 2, in, 1, out, k & 2 ? t[3] : NULL));
        assert_ok(dnnl_stream_wait(other));
        assert_ok(dnnl_stream_destroy(other));
        access(t[2], ALL, diff_src, false);
        for (int i = 0; i < ALL; i++) {
            const int y = i / COLUMNS / 2, x = i % COLUMNS / 2;
            int best = 2 * y * COLUMNS + 2 * x;
            for (int d = 0; d < 4; d++) {
                const int at = (2 * y + d / 2) * COLUMNS + 2 * x + d % 2;
                if (src[at] > src[best]) best = at;
            }
            assert_true(diff_src[i] == (i == best ? diff_dst[y * COLUMNS / 2 + x] : 0));
        }
    }
    for (int i = 0; i < 4; i++) dnnl_graph_tensor_destroy(t[i]);
    dnnl_graph_compiled_partition_destroy(cp);
    dnnl_graph_partition_destroy(part);
}

/* ---- the scratchpad that a stream keeps ---- */

enum { THREADS = 4, EXECUTIONS = 40 };

typedef struct {
    dnnl_graph_compiled_partition_t cp;
    const_dnnl_graph_tensor_t in[2], out[1];
} job_t;

static void *execute_many(void *arg) {
    job_t *w = arg;
    for (int i = 0; i < EXECUTIONS; i++)
        if (dnnl_graph_compiled_partition_execute(w->cp, stream, 2, w->in, 1, w->out)) return arg;
    return NULL;
}

/* Threads whose executions meet on one stream do not share a scratchpad, whose maxima are at other
 * places for each of them. One execution after the other does. */
static void test_kept_scratchpad(void **state) {
    (void)state;
    enum { ALL = ROWS * COLUMNS };
    dnnl_graph_partition_t part;
    lt_t lts[3];
    job_t work[THREADS];
    pthread_t threads[THREADS];
    float diff_dst[ALL / 4], src[ALL], diff_src[ALL];
    void *failed;
    const dnnl_graph_compiled_partition_t cp = two_steps(&part, lts);
    for (int t = 0; t < THREADS; t++) {
        dnnl_graph_tensor_t tensors[3];
        for (int i = 0; i < 3; i++)
            assert_ok(dnnl_graph_tensor_create(&tensors[i], &lts[i], engine, DNNL_MEMORY_ALLOCATE));
        work[t] = (job_t){cp, {tensors[0], tensors[1]}, {tensors[2]}};
        for (int i = 0; i < ALL; i++) src[i] = (i / COLUMNS % 2 * 2 + i % 2) == t ? 1 : 0;
        for (int i = 0; i < ALL / 4; i++) diff_dst[i] = (float)(i + 1);
        access(tensors[0], ALL, src, true);
        access(tensors[1], ALL / 4, diff_dst, true);
    }
    for (int t = 0; t < THREADS; t++)
        assert_int_equal(pthread_create(&threads[t], NULL, execute_many, &work[t]), 0);
    for (int t = 0; t < THREADS; t++) {
        assert_int_equal(pthread_join(threads[t], &failed), 0);
        assert_null(failed);
    }
    assert_ok(dnnl_stream_wait(stream));
    for (int t = 0; t < THREADS; t++) {
        access(work[t].out[0], ALL, diff_src, false);
        for (int i = 0; i < ALL; i++) {
            const int window = i / COLUMNS / 2 * (COLUMNS / 2) + i % COLUMNS / 2;
            const bool largest = (i / COLUMNS % 2 * 2 + i % 2) == t;
            assert_true(diff_src[i] == (largest ? diff_dst[window] : 0));
        }
    }
    const void *kept = stream->spare.ptr;
    if (!stream->engine->core->backend) assert_non_null(kept);
    assert_null(execute_many(&work[0]));
    assert_ptr_equal(stream->spare.ptr, kept);
    assert_ok(dnnl_stream_wait(stream));
    for (int t = 0; t < THREADS; t++) {
        for (int i = 0; i < 2; i++) dnnl_graph_tensor_destroy((dnnl_graph_tensor_t)work[t].in[i]);
        dnnl_graph_tensor_destroy((dnnl_graph_tensor_t)work[t].out[0]);
    }
    dnnl_graph_compiled_partition_destroy(cp);
    dnnl_graph_partition_destroy(part);
}

static void test_small_scratchpad(void **state) {
    (void)state;
    dnnl_graph_partition_t part;
    lt_t lts[3], scratch;
    dnnl_graph_tensor_t t[4];
    const dnnl_graph_compiled_partition_t cp = two_steps(&part, lts);
    assert_ok(dnnl_graph_compiled_partition_get_scratchpad_logical_tensor(cp, &scratch));
    scratch.dims[0]--;
    for (int i = 0; i < 4; i++)
        assert_ok(dnnl_graph_tensor_create(
                &t[i], i < 3 ? &lts[i] : &scratch, engine, DNNL_MEMORY_ALLOCATE));
    const_dnnl_graph_tensor_t in[] = {t[0], t[1]}, out[] = {t[2]};
    assert_int_equal(dnnl_graph_compiled_partition_execute_v2(cp, stream, 2, in, 1, out, t[3]),
            dnnl_invalid_arguments);
    for (int i = 0; i < 4; i++) dnnl_graph_tensor_destroy(t[i]);
    dnnl_graph_compiled_partition_destroy(cp);
    dnnl_graph_partition_destroy(part);
}

/* Nothing is computed, and nothing fails. */
static void test_no_elements(void **state) {
    (void)state;
    begin(KIND(relu));
    input(dnnl_f32, DIMS(3, 0, 2));
    output(dnnl_f32);
    run();
    assert_dims(0, DIMS(3, 0, 2));

    begin(KIND(softmax));
    input(dnnl_f16, DIMS(0, 4));
    output(dnnl_f16);
    run();
    assert_dims(0, DIMS(0, 4));

    begin(KIND(matmul));
    input(dnnl_f32, DIMS(0, 4));
    input(dnnl_f32, DIMS(4, 5));
    output(dnnl_f32);
    run();
    assert_dims(0, DIMS(0, 5));
}

/* Half-precision types of the elementwise and matrix operations. */
static void test_narrow_types(void **state) {
    (void)state;
    static const dnnl_data_type_t types[] = {dnnl_bf16, dnnl_f16};
    for (int k = 0; k < 2; k++) {
        begin(KIND(matmul));
        input(types[k], DIMS(3, 8));
        input(types[k], DIMS(8, 5));
        output(types[k]);
        run();
        for (int i = 0; i < 15; i++) {
            double sum = 0;
            for (int j = 0; j < 8; j++) sum += one.x[0][i / 5 * 8 + j] * one.x[1][j * 5 + i % 5];
            assert_close(0, one.y[0][i], sum);
        }
        begin(KIND(multiply));
        input(types[k], DIMS(3, 4));
        input(dnnl_f32, DIMS(4));
        output(types[k]);
        run();
        for (int i = 0; i < 12; i++) assert_close(0, one.y[0][i], one.x[0][i] * one.x[1][i % 4]);
        begin(KIND(tanh));
        input(types[k], DIMS(12));
        output(types[k]);
        run();
        for (int i = 0; i < 12; i++) assert_close(0, one.y[0][i], tanh(one.x[0][i]));
    }
}

/* Answers the number of pairs of an operation with two inputs, or one. run() has computed in place
 * what it could. */
static size_t pairs_of(dnnl_graph_op_kind_t kind, dnnl_data_type_t to, const int64_t *a, int na,
        const int64_t *b, int nb) {
    begin(kind);
    input(dnnl_f32, a, na);
    if (b) input(dnnl_f32, b, nb);
    output(to);
    run();
    return one.npairs;
}

static void test_in_place(void **state) {
    (void)state;
    assert_int_equal(pairs_of(KIND(relu), dnnl_f32, DIMS(3, 5), NULL, 0), 1);
    assert_int_equal(one.pair.input_id, 0);
    assert_int_equal(one.pair.output_id, FIRST_OUT);
    assert_int_equal(pairs_of(KIND(softmax), dnnl_f32, DIMS(3, 5), NULL, 0), 1);
    assert_int_equal(pairs_of(KIND(subtract), dnnl_f32, DIMS(3, 5), DIMS(3, 5)), 1);
    assert_int_equal(one.pair.input_id, 0);
    assert_int_equal(pairs_of(KIND(gelu_backward), dnnl_f32, DIMS(3, 5), DIMS(3, 5)), 1);
    assert_int_equal(one.pair.input_id, 1); /* the gradient */

    /* Another type, another size, or elements that are read for several others. */
    assert_int_equal(pairs_of(KIND(softmax), dnnl_f16, DIMS(3, 5), NULL, 0), 0);
    assert_int_equal(pairs_of(KIND(subtract), dnnl_f32, DIMS(1, 5), DIMS(3, 5)), 0);
    assert_int_equal(pairs_of(KIND(matmul), dnnl_f32, DIMS(5, 5), DIMS(5, 5)), 0);

    /* What is constant stays so. */
    begin(KIND(relu));
    input(dnnl_f32, DIMS(3, 5));
    one.in[0].property = dnnl_graph_tensor_property_constant;
    output(dnnl_f32);
    run();
    assert_int_equal(one.npairs, 0);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_streams),
            cmocka_unit_test(test_kept_scratchpad),
            cmocka_unit_test(test_small_scratchpad),
            cmocka_unit_test(test_no_elements),
            cmocka_unit_test(test_narrow_types),
            cmocka_unit_test(test_in_place),
    };
    return cmocka_run_group_tests(tests, begin_tests, end_tests);
}
