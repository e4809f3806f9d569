/* SPDX-License-Identifier: Apache-2.0 */
/* Each operation that is supported, compiled and executed, against plain loops in double
 * precision. */
#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "dnnl.h"
#include "dnnl_graph.h"

#define assert_ok(call) assert_int_equal(call, dnnl_success)
#define ATTR(name) dnnl_graph_op_attr_##name
#define KIND(name) dnnl_graph_op_##name
enum { MOST = 4096 };

typedef dnnl_graph_logical_tensor_t lt_t;
static dnnl_engine_t engine;
static dnnl_stream_t stream;

static lt_t tensor_of(size_t id, int ndims, const int64_t *dims) {
    lt_t lt;
    dnnl_dims_t all = {0};
    for (int d = 0; d < ndims; d++) all[d] = dims[d];
    assert_ok(dnnl_graph_logical_tensor_init_with_dims(&lt, id, dnnl_f32, ndims, all,
            dnnl_graph_layout_type_strided, dnnl_graph_tensor_property_variable));
    return lt;
}

static lt_t unknown_of(size_t id) {
    lt_t lt;
    assert_ok(dnnl_graph_logical_tensor_init(&lt, id, dnnl_f32, DNNL_GRAPH_UNKNOWN_NDIMS,
            dnnl_graph_layout_type_any, dnnl_graph_tensor_property_variable));
    return lt;
}

static int64_t elements(const lt_t *lt) {
    int64_t n = 1;
    for (int d = 0; d < lt->ndims; d++) n *= lt->dims[d];
    return n;
}

static dnnl_graph_op_t new_op(dnnl_graph_op_kind_t kind, int nin, const lt_t *in) {
    dnnl_graph_op_t op;
    const lt_t out = unknown_of(100);
    assert_ok(dnnl_graph_op_create(&op, 1, kind, ""));
    for (int i = 0; i < nin; i++) assert_ok(dnnl_graph_op_add_input(op, &in[i]));
    assert_ok(dnnl_graph_op_add_output(op, &out));
    return op;
}

static dnnl_memory_t new_buffer(int64_t n, const float *values, void **handle) {
    dnnl_memory_desc_t md;
    dnnl_memory_t memory;
    void *mapped;
    const dnnl_dims_t dims = {n ? n : 1};
    assert_ok(dnnl_memory_desc_create_with_strides(&md, 1, dims, dnnl_f32, NULL));
    assert_ok(dnnl_memory_create(&memory, md, engine, DNNL_MEMORY_ALLOCATE));
    assert_ok(dnnl_memory_map_data(memory, &mapped));
    if (values) memcpy(mapped, values, (size_t)n * sizeof *values);
    assert_ok(dnnl_memory_unmap_data(memory, mapped));
    assert_ok(dnnl_memory_get_data_handle(memory, handle));
    dnnl_memory_desc_destroy(md);
    return memory;
}

static void read_buffer(dnnl_memory_t memory, int64_t n, float *values) {
    void *mapped;
    assert_ok(dnnl_memory_map_data(memory, &mapped));
    memcpy(values, mapped, (size_t)n * sizeof *values);
    assert_ok(dnnl_memory_unmap_data(memory, mapped));
}

/* Adds op to a graph, compiles its partition and executes it. op is destroyed. Answers the output's
 * logical tensor. */
static lt_t run(dnnl_graph_op_t op, int nin, const lt_t *in, float (*data)[MOST], float *result) {
    dnnl_graph_graph_t graph;
    dnnl_graph_partition_t part;
    dnnl_graph_compiled_partition_t cp;
    const lt_t *ins[3] = {&in[0], &in[1], &in[2]}, out = unknown_of(100), *outs[] = {&out};
    lt_t found;
    uint8_t supported;
    size_t num;
    assert_ok(dnnl_graph_graph_create(&graph, dnnl_gpu));
    assert_ok(dnnl_graph_add_op(graph, op));
    assert_ok(dnnl_graph_op_destroy(op));
    assert_ok(dnnl_graph_graph_finalize(graph));
    assert_ok(dnnl_graph_graph_filter(graph, dnnl_graph_partition_policy_fusion));
    assert_ok(dnnl_graph_graph_get_partition_num(graph, &num));
    assert_int_equal(num, 1);
    assert_ok(dnnl_graph_graph_get_partitions(graph, 1, &part));
    assert_ok(dnnl_graph_graph_destroy(graph));
    assert_ok(dnnl_graph_partition_is_supported(part, &supported));
    assert_int_equal(supported, 1);
    assert_ok(dnnl_graph_compiled_partition_create(&cp, part));
    assert_ok(dnnl_graph_partition_compile(part, cp, (size_t)nin, ins, 1, outs, engine));
    assert_ok(dnnl_graph_compiled_partition_query_logical_tensor(cp, 100, &found));
    assert_int_equal(found.layout_type, dnnl_graph_layout_type_strided);

    dnnl_memory_t memory[4];
    dnnl_graph_tensor_t tensors[4];
    for (int i = 0; i <= nin; i++) {
        void *handle;
        const lt_t *lt = i < nin ? &in[i] : &found;
        memory[i] = new_buffer(elements(lt), i < nin ? data[i] : NULL, &handle);
        assert_ok(dnnl_graph_tensor_create(&tensors[i], lt, engine, handle));
    }
    const_dnnl_graph_tensor_t inputs[3] = {tensors[0], tensors[1], tensors[2]};
    const_dnnl_graph_tensor_t output = tensors[nin];
    for (int twice = 0; twice < 2; twice++)
        assert_ok(
                dnnl_graph_compiled_partition_execute(cp, stream, (size_t)nin, inputs, 1, &output));
    assert_ok(dnnl_stream_wait(stream));
    read_buffer(memory[nin], elements(&found), result);
    for (int i = 0; i <= nin; i++) {
        dnnl_graph_tensor_destroy(tensors[i]);
        dnnl_memory_destroy(memory[i]);
    }
    dnnl_graph_compiled_partition_destroy(cp);
    dnnl_graph_partition_destroy(part);
    return found;
}

static float data[3][MOST], result[MOST];

static void fill(int n, float least, float largest) {
    srand(7);
    for (int i = 0; i < n; i++)
        for (int k = 0; k < MOST; k++)
            data[i][k] = least + (largest - least) * (float)rand() / (float)RAND_MAX;
}

static void assert_close(double is, double should) {
    if (fabs(is - should) <= 2e-5 * (1 + fabs(should))) return;
    fail_msg("%.9g and not %.9g", is, should);
}

static double sigmoid(double x) {
    return 1 / (1 + exp(-x));
}
static double f_abs(double x) {
    return fabs(x);
}
static double f_clamp(double x) {
    return fmin(fmax(x, .25), .75);
}
static double f_elu(double x) {
    return x >= 0 ? x : .25 * expm1(x);
}
static double f_gelu(double x) {
    return x / 2 * (1 + erf(x / sqrt(2)));
}
static double f_hard_swish(double x) {
    return x * fmin(fmax(x / 6 + .5, 0), 1);
}
static double f_leaky(double x) {
    return x >= 0 ? x : .25 * x;
}
static double f_mish(double x) {
    return x * tanh(log1p(exp(x)));
}
static double f_relu(double x) {
    return fmax(x, 0);
}
static double f_softplus(double x) {
    return log1p(exp(.75 * x)) / .75;
}
static double f_square(double x) {
    return x * x;
}
static double f_hard_sigmoid(double x) {
    return fmin(fmax(.25 * x + .75, 0), 1);
}
static double f_pow(double x) {
    return pow(x, .75);
}
static double f_reciprocal(double x) {
    return 1 / x;
}

static const struct {
    dnnl_graph_op_kind_t kind;
    double (*f)(double);
    float least;
} functions[] = {{KIND(abs), f_abs, -2}, {KIND(clamp), f_clamp, -2}, {KIND(elu), f_elu, -2},
        {KIND(exp), exp, -2}, {KIND(gelu), f_gelu, -2}, {KIND(hard_swish), f_hard_swish, -4},
        {KIND(leaky_relu), f_leaky, -2}, {KIND(log), log, .1f}, {KIND(mish), f_mish, -2},
        {KIND(relu), f_relu, -2}, {KIND(round), rint, -2}, {KIND(sigmoid), sigmoid, -2},
        {KIND(softplus), f_softplus, -2}, {KIND(sqrt), sqrt, .1f}, {KIND(square), f_square, -2},
        {KIND(tanh), tanh, -2}, {KIND(hard_sigmoid), f_hard_sigmoid, -4}, {KIND(pow), f_pow, .1f},
        {KIND(reciprocal), f_reciprocal, .1f}};

static dnnl_graph_op_t with_parameters(dnnl_graph_op_t op) {
    static const float alpha = .25f, beta = .75f;
    assert_ok(dnnl_graph_op_set_attr_f32(op, ATTR(alpha), &alpha, 0));
    assert_ok(dnnl_graph_op_set_attr_f32(op, ATTR(beta), &beta, 0));
    assert_ok(dnnl_graph_op_set_attr_f32(op, ATTR(min), &alpha, 0));
    assert_ok(dnnl_graph_op_set_attr_f32(op, ATTR(max), &beta, 0));
    return op;
}

static void test_functions(void **state) {
    (void)state;
    const int64_t dims[] = {2, 3, 5};
    const lt_t in[3] = {tensor_of(1, 3, dims)};
    for (size_t k = 0; k < sizeof functions / sizeof functions[0]; k++) {
        fill(1, functions[k].least, 2);
        const lt_t out =
                run(with_parameters(new_op(functions[k].kind, 1, in)), 1, in, data, result);
        assert_int_equal(elements(&out), 30);
        for (int i = 0; i < 30; i++) assert_close(result[i], functions[k].f(data[0][i]));
    }
}

/* The gradient from the source, against the slope of the function itself. */
static void test_gradients(void **state) {
    (void)state;
    static const dnnl_graph_op_kind_t kinds[][2] = {{KIND(gelu), KIND(gelu_backward)},
            {KIND(mish), KIND(mish_backward)}, {KIND(sigmoid), KIND(sigmoid_backward)},
            {KIND(softplus), KIND(softplus_backward)}, {KIND(tanh), KIND(tanh_backward)},
            {KIND(sqrt), KIND(sqrt_backward)}, {KIND(elu), KIND(elu_backward)}};
    const int64_t dims[] = {2, 3, 5};
    const lt_t in[3] = {tensor_of(1, 3, dims), tensor_of(2, 3, dims)};
    for (size_t k = 0; k < sizeof kinds / sizeof kinds[0]; k++)
        for (uint8_t use_dst = 0; use_dst < 2; use_dst++) {
            size_t f = 0;
            float x[30];
            while (functions[f].kind != kinds[k][0]) f++;
            const bool has_use_dst = k >= 2 && kinds[k][0] != KIND(softplus);
            fill(2, .1f, 2);
            memcpy(x, data[0], sizeof x);
            for (int i = 0; i < 30 && use_dst && has_use_dst; i++)
                data[0][i] = (float)functions[f].f(x[i]);
            dnnl_graph_op_t op = with_parameters(new_op(kinds[k][1], 2, in));
            assert_ok(dnnl_graph_op_set_attr_bool(op, ATTR(use_dst), &use_dst, 1));
            run(op, 2, in, data, result);
            for (int i = 0; i < 30; i++) {
                const double h = 1e-5;
                const double slope =
                        (functions[f].f(x[i] + h) - functions[f].f(x[i] - h)) / (2 * h);
                assert_close(result[i], data[1][i] * slope);
            }
        }
}

static double b_add(double a, double b) {
    return a + b;
}
static double b_sub(double a, double b) {
    return a - b;
}
static double b_mul(double a, double b) {
    return a * b;
}
static double b_div(double a, double b) {
    return a / b;
}
static double b_squared(double a, double b) {
    return (a - b) * (a - b);
}

static void test_binary(void **state) {
    (void)state;
    static const struct {
        dnnl_graph_op_kind_t kind;
        double (*f)(double, double);
    } table[] = {{KIND(add), b_add}, {KIND(subtract), b_sub}, {KIND(multiply), b_mul},
            {KIND(divide), b_div}, {KIND(maximum), fmax}, {KIND(minimum), fmin},
            {KIND(squared_difference), b_squared}};
    const int64_t a[] = {2, 1, 5}, b[] = {3, 1};
    const lt_t in[3] = {tensor_of(1, 3, a), tensor_of(2, 2, b)};
    fill(2, .5f, 2);
    for (size_t k = 0; k < sizeof table / sizeof table[0]; k++) {
        const lt_t out = run(new_op(table[k].kind, 2, in), 2, in, data, result);
        assert_int_equal(out.ndims, 3);
        assert_int_equal(elements(&out), 30);
        for (int i = 0; i < 30; i++)
            assert_close(result[i], table[k].f(data[0][i / 15 * 5 + i % 5], data[1][i / 5 % 3]));
    }
}

static void test_bias(void **state) {
    (void)state;
    const int64_t dims[] = {2, 3, 5}, last[] = {5}, second[] = {3};
    for (int ncx = 0; ncx < 2; ncx++) {
        const lt_t in[3] = {tensor_of(1, 3, dims), tensor_of(2, 1, ncx ? second : last)};
        dnnl_graph_op_t op = new_op(KIND(bias_add), 2, in);
        assert_ok(dnnl_graph_op_set_attr_str(op, ATTR(data_format), ncx ? "NCX" : "NXC", 1));
        fill(2, -1, 1);
        run(op, 2, in, data, result);
        for (int i = 0; i < 30; i++)
            assert_close(result[i], (double)data[0][i] + data[1][ncx ? i / 5 % 3 : i % 5]);
    }
}

static void test_matmul(void **state) {
    (void)state;
    enum { B = 2, M = 3, K = 5, N = 4 };
    for (int flags = 0; flags < 4; flags++) {
        const uint8_t ta = flags & 1, tb = flags >> 1;
        const int64_t a[] = {B, ta ? K : M, ta ? M : K}, b[] = {tb ? N : K, tb ? K : N}, c[] = {N};
        const lt_t in[3] = {tensor_of(1, 3, a), tensor_of(2, 2, b), tensor_of(3, 1, c)};
        dnnl_graph_op_t op = new_op(KIND(matmul), 3, in);
        assert_ok(dnnl_graph_op_set_attr_bool(op, ATTR(transpose_a), &ta, 1));
        assert_ok(dnnl_graph_op_set_attr_bool(op, ATTR(transpose_b), &tb, 1));
        fill(3, -1, 1);
        const lt_t out = run(op, 3, in, data, result);
        assert_int_equal(elements(&out), B * M * N);
        for (int i = 0; i < B * M * N; i++) {
            const int n = i % N, m = i / N % M, batch = i / (M * N) * M * K;
            double sum = data[2][n];
            for (int k = 0; k < K; k++)
                sum += (double)data[0][batch + (ta ? k * M + m : m * K + k)] *
                       data[1][tb ? n * K + k : k * N + n];
            assert_close(result[i], sum);
        }
    }
}

static void test_matmul_of_vectors(void **state) {
    (void)state;
    const int64_t v[] = {5}, m[] = {3, 5}, w[] = {5, 4};
    const lt_t dot[3] = {tensor_of(1, 1, v), tensor_of(2, 1, v)};
    const lt_t column[3] = {tensor_of(1, 2, m), tensor_of(2, 1, v)};
    const lt_t row[3] = {tensor_of(1, 1, v), tensor_of(2, 2, w)};
    fill(2, -1, 1);
    for (int form = 0; form < 3; form++) {
        const lt_t *in = form == 0 ? dot : form == 1 ? column : row;
        const int n = form == 0 ? 1 : form == 1 ? 3 : 4;
        const lt_t out = run(new_op(KIND(matmul), 2, in), 2, in, data, result);
        assert_int_equal(out.ndims, form > 0);
        for (int i = 0; i < n; i++) {
            double sum = 0;
            for (int k = 0; k < 5; k++)
                sum += (double)data[0][form == 1 ? i * 5 + k : k] *
                       data[1][form == 2 ? k * 4 + i : k];
            assert_close(result[i], sum);
        }
    }
}

static void test_reduce(void **state) {
    (void)state;
    const int64_t dims[] = {2, 3, 5}, axes[] = {1};
    const lt_t in[3] = {tensor_of(1, 3, dims)};
    fill(1, -2, 2);
    for (int k = KIND(reduce_l1); k <= KIND(reduce_sum); k++)
        for (uint8_t keep = 0; keep < 2; keep++) {
            dnnl_graph_op_t op = new_op((dnnl_graph_op_kind_t)k, 1, in);
            assert_ok(dnnl_graph_op_set_attr_s64(op, ATTR(axes), axes, 1));
            assert_ok(dnnl_graph_op_set_attr_bool(op, ATTR(keep_dims), &keep, 1));
            const lt_t out = run(op, 1, in, data, result);
            assert_int_equal(out.ndims, 2 + keep);
            for (int i = 0; i < 10; i++) {
                const float *x = &data[0][i / 5 * 15 + i % 5];
                const double a = x[0], b = x[5], c = x[10];
                const double should[] = {fabs(a) + fabs(b) + fabs(c), sqrt(a * a + b * b + c * c),
                        fmax(a, fmax(b, c)), (a + b + c) / 3, fmin(a, fmin(b, c)), a * b * c,
                        a + b + c};
                assert_close(result[i], should[k - KIND(reduce_l1)]);
            }
        }
}

static void test_softmax(void **state) {
    (void)state;
    const int64_t dims[] = {4, 7}, axis = 1;
    const lt_t in[3] = {tensor_of(1, 2, dims), tensor_of(2, 2, dims)};
    static float forward[MOST], gradient[MOST];
    for (int log_of = 0; log_of < 2; log_of++) {
        fill(1, -2, 2);
        dnnl_graph_op_t op = new_op(log_of ? KIND(log_softmax) : KIND(softmax), 1, in);
        assert_ok(dnnl_graph_op_set_attr_s64(op, ATTR(axis), &axis, 0));
        run(op, 1, in, data, forward);
        for (int r = 0; r < 4; r++) {
            double sum = 0;
            for (int i = 0; i < 7; i++) sum += exp(data[0][r * 7 + i]);
            for (int i = 0; i < 7; i++) {
                const double log_p = data[0][r * 7 + i] - log(sum);
                assert_close(forward[r * 7 + i], log_of ? log_p : exp(log_p));
            }
        }
        memcpy(data[1], forward, 28 * sizeof(float));
        op = new_op(log_of ? KIND(log_softmax_backward) : KIND(softmax_backward), 2, in);
        run(op, 2, in, data, gradient);
        for (int r = 0; r < 4; r++) {
            const float *dd = &data[0][r * 7], *y = &forward[r * 7];
            double sum = 0;
            for (int i = 0; i < 7; i++) sum += log_of ? dd[i] : (double)dd[i] * y[i];
            for (int i = 0; i < 7; i++)
                assert_close(gradient[r * 7 + i],
                        log_of ? dd[i] - exp(y[i]) * sum : y[i] * (dd[i] - sum));
        }
    }
}

static void test_moves(void **state) {
    (void)state;
    const int64_t dims[] = {2, 3, 5}, shape[] = {0, -1}, order[] = {2, 0, 1}, axis = -2;
    const uint8_t yes = 1;
    const lt_t in[3] = {tensor_of(1, 3, dims), tensor_of(2, 3, dims)};
    fill(2, -1, 1);
    run(new_op(KIND(reorder), 1, in), 1, in, data, result);
    for (int i = 0; i < 30; i++) assert_true(result[i] == data[0][i]);

    dnnl_graph_op_t op = new_op(KIND(static_reshape), 1, in);
    assert_ok(dnnl_graph_op_set_attr_s64(op, ATTR(shape), shape, 2));
    assert_ok(dnnl_graph_op_set_attr_bool(op, ATTR(special_zero), &yes, 1));
    lt_t out = run(op, 1, in, data, result);
    assert_int_equal(out.ndims, 2);
    assert_int_equal(out.dims[1], 15);
    for (int i = 0; i < 30; i++) assert_true(result[i] == data[0][i]);

    op = new_op(KIND(static_transpose), 1, in);
    assert_ok(dnnl_graph_op_set_attr_s64(op, ATTR(order), order, 3));
    run(op, 1, in, data, result);
    for (int i = 0; i < 30; i++)
        assert_true(result[i] == data[0][i / 3 % 2 * 15 + i % 3 * 5 + i / 6]);

    op = new_op(KIND(concat), 2, in);
    assert_ok(dnnl_graph_op_set_attr_s64(op, ATTR(axis), &axis, 0));
    out = run(op, 2, in, data, result);
    assert_int_equal(out.dims[1], 6);
    for (int i = 0; i < 60; i++) assert_true(result[i] == data[i % 30 / 15][i / 30 * 15 + i % 15]);
}

/* A reshape of a transposed source, which is copied to a dense one first. */
static void test_strided_reshape(void **state) {
    (void)state;
    const dnnl_dims_t dims = {3, 5}, strides = {1, 3}, shape = {15};
    const uint8_t no = 0;
    lt_t in[3];
    assert_ok(dnnl_graph_logical_tensor_init_with_strides(
            &in[0], 1, dnnl_f32, 2, dims, strides, dnnl_graph_tensor_property_variable));
    dnnl_graph_op_t op = new_op(KIND(static_reshape), 1, in);
    assert_ok(dnnl_graph_op_set_attr_s64(op, ATTR(shape), shape, 1));
    assert_ok(dnnl_graph_op_set_attr_bool(op, ATTR(special_zero), &no, 1));
    fill(1, -1, 1);
    run(op, 1, in, data, result);
    for (int i = 0; i < 15; i++) assert_true(result[i] == data[0][i % 5 * 3 + i / 5]);
}

static int begin(void **state) {
    (void)state;
    return dnnl_engine_create(&engine, dnnl_gpu, 0) ||
           dnnl_stream_create(&stream, engine, dnnl_stream_default_flags);
}

static int end(void **state) {
    (void)state;
    return dnnl_stream_destroy(stream) || dnnl_engine_destroy(engine);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_functions),
            cmocka_unit_test(test_gradients),
            cmocka_unit_test(test_binary),
            cmocka_unit_test(test_bias),
            cmocka_unit_test(test_matmul),
            cmocka_unit_test(test_matmul_of_vectors),
            cmocka_unit_test(test_reduce),
            cmocka_unit_test(test_softmax),
            cmocka_unit_test(test_moves),
            cmocka_unit_test(test_strided_reshape),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
