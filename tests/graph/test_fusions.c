/* SPDX-License-Identifier: Apache-2.0 */
/* Partitions of several operations: their numbers, and their results beside those of the operations
 * one by one and in double precision, for graphs from a file and random ones. */
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include "core/verbose.h"
#include "tests/graph/graphs.h"

/* Rounding of the inner tensors, relative to the largest element; one more or less for integers. */
static double tolerance(const node_tensor_t *t, double largest) {
    switch (t->dt) {
    case dnnl_f32: return 1e-4 * (1 + largest);
    case dnnl_f16: return 4e-3 * (1 + largest);
    case dnnl_bf16: return 3e-2 * (1 + largest);
    default: return 1;
    }
}

static void compare(const char *text, const graph_text_t *fused, const graph_text_t *plain) {
    for (int i = 0; i < MOST_TENSORS; i++) {
        const node_tensor_t *a = &fused->tensors[i], *b = &plain->tensors[i];
        double largest = 0;
        if (!a->used || a->input || !a->values) continue;
        assert_int_equal(a->count, b->count);
        for (int64_t k = 0; k < a->count; k++) largest = fmax(largest, fabs(b->values[k]));
        for (int64_t k = 0; k < a->count; k++) {
            if (fabs(a->values[k] - b->values[k]) <= tolerance(a, largest)) continue;
            if (isnan(a->values[k]) && isnan(b->values[k])) continue;
            fail_msg("%s: element %lld of tensor %d is %g and not %g", text, (long long)k, i,
                    a->values[k], b->values[k]);
        }
    }
}

/* A graph is as coarse as its coarsest type. */
static double coarseness(const graph_text_t *graph) {
    double most = 0;
    for (int i = 0; i < MOST_TENSORS; i++)
        if (graph->tensors[i].used && graph->tensors[i].dt != dnnl_boolean)
            most = fmax(most, tolerance(&graph->tensors[i], 0));
    return most;
}

/* Values in double precision have no rounding at all between operations. */
static bool compare_exact(const char *text, const graph_text_t *fused, graph_text_t *exact) {
    if (!graph_reference(exact)) return false;
    const double unit = fmin(coarseness(fused), .05);
    for (int i = 0; i < MOST_TENSORS; i++) {
        const node_tensor_t *a = &fused->tensors[i], *b = &exact->tensors[i];
        double largest = 0;
        if (!a->used || a->input || !a->values) continue;
        assert_int_equal(a->count, b->count);
        for (int64_t k = 0; k < a->count; k++) largest = fmax(largest, fabs(b->values[k]));
        const double most = fmax(tolerance(a, largest), unit * (1 + largest));
        for (int64_t k = 0; k < a->count; k++)
            if (!(fabs(a->values[k] - b->values[k]) <= most))
                fail_msg("%s: element %lld of tensor %d is %g and has to be %g", text, (long long)k,
                        i, a->values[k], b->values[k]);
    }
    return true;
}

/* With the same inputs in all ways. Answers whether there is an exact result. */
static bool run_both(const char *inputs, const char *nodes, char *counts) {
    static graph_text_t fused, plain, exact;
    char single[4 * MOST_NODES];
    const unsigned seed = (unsigned)rand();
    srand(seed);
    graph_read(&fused, inputs, nodes);
    srand(seed);
    graph_read(&plain, inputs, nodes);
    srand(seed);
    graph_read(&exact, inputs, nodes);
    graph_run(&fused, dnnl_graph_partition_policy_fusion, true, counts);
    graph_run(&plain, dnnl_graph_partition_policy_debug, true, single);
    compare(nodes, &fused, &plain);
    const bool known = compare_exact(nodes, &fused, &exact);
    graph_end(&fused);
    graph_end(&plain);
    graph_end(&exact);
    return known;
}

static void test_file(void **state) {
    (void)state;
    graph_line_t line;
    char counts[4 * MOST_NODES];
    int n = 0, failed = 0, exact = 0;
    FILE *file = fopen(TABLE, "r");
    assert_non_null(file);
    while (graph_next_line(file, &line)) {
        exact += run_both(line.inputs, line.nodes, counts);
        failed += !graph_has_counts(&line, counts);
        n++;
    }
    fclose(file);
    assert_int_equal(failed, 0);
    assert_true(n > 50);
    assert_true(exact > 30);
    assert_true(graph_in_place > 20);
}

/* ---- primitives of a partition ---- */

/* What the log says about the compilation of a graph that is one partition; -1: it is none. */
static int count_primitives(const char *inputs, const char *nodes) {
    static graph_text_t graph;
    char counts[4 * MOST_NODES], line[4096];
    int n = -1;
    FILE *log = tmpfile();
    const int real = dup(STDOUT_FILENO);
    assert_non_null(log);
    setenv("ONEDNN_VERBOSE", "profile", 1);
    verbose_reset();
    fflush(stdout);
    dup2(fileno(log), STDOUT_FILENO);
    graph_read(&graph, inputs, nodes);
    graph_run(&graph, dnnl_graph_partition_policy_fusion, true, counts);
    graph_end(&graph);
    fflush(stdout);
    dup2(real, STDOUT_FILENO);
    close(real);
    unsetenv("ONEDNN_VERBOSE");
    verbose_reset();
    rewind(log);
    while (fgets(line, sizeof line, log)) {
        const char *steps = strstr(line, ",graph,compile:") ? strstr(line, ",ze:") : NULL;
        if (steps) sscanf(steps, ",ze:%d_steps", &n);
    }
    fclose(log);
    return strchr(counts, ' ') ? -1 : n;
}

static void assert_primitives(const char *inputs, const char *nodes, int primitives) {
    const int n = count_primitives(inputs, nodes);
    if (n != primitives) fail_msg("%s: %d primitives and not %d", nodes, n, primitives);
}

static void test_primitives(void **state) {
    (void)state;
    char counts[4 * MOST_NODES];
#define ATTENTION "0:2x3x4x8 1:2x3x5x8 2:2x3x5x8 3:+1 4:"
#define INTEGERS "0:u8:2x3x4x8 1:s8:2x3x5x8 2:s8:2x3x5x8 3:+1 4:"
/* Gradients: 4 statistics, 5 the result, 6 its gradient. The weights are 18, behind dropout `d`. */
#define GRADIENT "0:2x3x4x8 1:2x3x5x8 2:2x3x5x8 3:+1 4:2x3x4x1 5:2x3x4x8 6:2x3x4x8 "
#define WEIGHTS(scale, mask, x)                                                                    \
    "10=MatMul[transpose_b=true](0,1) 11=" scale "(10,3) " mask "17=Subtract(" x ",4) 18=Exp(17) "
#define DIFFS(scale, d, drop, w)                                                                   \
    "22=MatMul[transpose_a=true](" d ",6) 24=MatMul[transpose_b=true](6,2) " drop                  \
    "26=Multiply(5,6) 27=ReduceSum[axes=-1,keep_dims=true](26) 28=Subtract(" w ",27) "             \
    "29=Multiply(18,28) 30=" scale "(29,3) 32=MatMul(30,1) 33=MatMul[transpose_a=true](30,0)"
#define HALVES                                                                                     \
    "0:bf16:2x3x4x8 1:bf16:2x3x5x8 2:bf16:2x3x5x8 3:bf16:1 4:2x3x4x1 5:bf16:2x3x4x8 "              \
    "6:bf16:2x3x4x8 "
#define HALF_DIFFS(d, drop, w)                                                                     \
    "19:bf16=TypeCast(" d ") "                                                                     \
    "22:bf16=MatMul[transpose_a=true](19,6) 24=MatMul[transpose_b=true](6,2) " drop                \
    "26=Multiply(5,6) 27=ReduceSum[axes=-1,keep_dims=true](26) 28=Subtract(" w ",27) "             \
    "29=Multiply(18,28) 30=Multiply(29,3) 31:bf16=TypeCast(30) 32:bf16=MatMul(31,1) "              \
    "33:bf16=MatMul[transpose_a=true](31,0)"
#define DEQUANTISED                                                                                \
    "5=Dequantize[scales=0.02,zps=3](0) 6=Dequantize[scales=0.05](1) "                             \
    "7=Dequantize[scales=0.1,zps=-2](2) "
    typedef struct {
        int primitives;
        const char *inputs, *nodes;
    } fusion_t;
    static const fusion_t cases[] = {
            /* a batch norm in the weights, with a bias, and where the epilogue costs less */
            {4, "0:1x4x20x20 1:8x4x1x1 5:8 6:8 7:8 8:+8 9:1x8x20x20",
                    "2=Convolution[weights_format=OIX](0,1) "
                    "3=BatchNormInference[data_format=NCX](2,5,6,7,8) 4=Add(3,9) 10=ReLU(4)"},
            {4, "0:1x20x20x4 1:3x3x2x8 4:8 5:8 6:8 7:8 8:+8",
                    "2=Convolution[weights_format=XIO,data_format=NXC,groups=2](0,1,4) "
                    "3=BatchNormInference[data_format=NXC](2,5,6,7,8) 9=ReLU(3)"},
            {3, "0:bf16:1x4x20x20 1:bf16:8x4x1x1 5:8 6:8 7:8 8:+8",
                    "2:bf16=Convolution[weights_format=OIX](0,1) "
                    "3:bf16=BatchNormInference[data_format=NCX](2,5,6,7,8) 4:bf16=ReLU(3)"},
            {1, ATTENTION "4x5",
                    "5=MatMul[transpose_b=true](0,1) 6=Divide(5,3) 7=Add(6,4) 8=SoftMax(7) "
                    "9=MatMul(8,2)"},
            /* a soft cap in memory, on the host, and without a scale */
            {1, ATTENTION "+1",
                    "5=MatMul[transpose_b=true](0,1) 6=Divide(5,3) 7=Tanh(6) 8=Multiply(7,4) "
                    "9=SoftMax(8) 10=MatMul(9,2)"},
            {1, ATTENTION "host3",
                    "5=MatMul[transpose_b=true](0,1) 6=Multiply(5,3) 7=Tanh(6) 8=Multiply(4,7) "
                    "9=SoftMax(8) 10=MatMul(9,2)"},
            {1, ATTENTION "host3",
                    "5=MatMul[transpose_b=true](0,1) 7=Tanh(5) 8=Multiply(7,4) 9=SoftMax(8) "
                    "10=MatMul(9,2)"},
            /* masks of booleans, in both ways, and with a soft cap; one that is also added */
            {1, ATTENTION "bool:1x1x4x5 11:1",
                    "5=MatMul[transpose_b=true](0,1) 6=Divide(5,3) 7=Select(4,11,6) 8=SoftMax(7) "
                    "9=MatMul(8,2)"},
            {1, ATTENTION "bool:2x3x4x5 11:host3 12:+1",
                    "5=MatMul[transpose_b=true](0,1) 6=Tanh(5) 10=Multiply(6,12) "
                    "7=Select(4,10,11) 8=SoftMax(7) 9=MatMul(8,2)"},
            {4, ATTENTION "bool:1x1x4x5 11:1 12:4x5",
                    "5=MatMul[transpose_b=true](0,1) 6=Add(5,12) 7=Select(4,11,6) 8=SoftMax(7) "
                    "9=MatMul(8,2)"},
            /* integers: weights that are rounded, a mask, results that move; conversions between */
            {1, INTEGERS "4x5",
                    DEQUANTISED "8=MatMul[transpose_b=true](5,6) 9=Divide(8,3) 10=Add(9,4) "
                                "11=SoftMax(10) 12:u8=Quantize[scales=0.004,zps=0](11) "
                                "13=Dequantize[scales=0.004,zps=0](12) 14=MatMul(13,7) "
                                "15:u8=Quantize[scales=0.01,zps=7](14)"},
            {1, INTEGERS "bool:1x1x4x5 20:1",
                    DEQUANTISED
                    "8=MatMul[transpose_b=true](5,6) 9=Divide(8,3) 10=Select(4,20,9) "
                    "11=SoftMax(10) 12:s8=Quantize[scales=0.01](11) "
                    "13=Dequantize[scales=0.01](12) 14=MatMul(13,7) "
                    "16=StaticTranspose[order=0x2x1x3](14) "
                    "17=StaticReshape[shape=2x4x24](16) 15:s8=Quantize[scales=0.01](17)"},
            /* dropout by numbers in memory and on the host */
            {1, ATTENTION "4x5 11:s64:1 12:s64:1 13:+1",
                    "5=MatMul[transpose_b=true](0,1) 7=Add(5,4) 8=SoftMax(7) "
                    "10=Dropout(8,11,12,13) 9=MatMul(10,2)"},
            {1, ATTENTION "host2 11:s64:host9 12:s64:host4 13:host0.25",
                    "5=MatMul[transpose_b=true](0,1) 6=Divide(5,3) 8=SoftMax(6) "
                    "10=Dropout(8,11,12,13) 9=MatMul(10,2)"},
            /* with the mask as an output */
            {1, ATTENTION "4x5 11:s64:1 12:s64:1 13:+1",
                    "5=MatMul[transpose_b=true](0,1) 7=Add(5,4) 8,15=SoftMax(7) "
                    "10,14:u8=Dropout(8,11,12,13) 9=MatMul(10,2)"},
            /* gradients: without a mask, with one that is added, with a causal one, with dropout */
            {1, GRADIENT, WEIGHTS("Multiply", "", "11") DIFFS("Multiply", "18", "", "24")},
            {1, GRADIENT "7:4x5",
                    WEIGHTS("Divide", "12=Add(11,7) ", "12") DIFFS("Divide", "18", "", "24")},
            {1, GRADIENT "7:low",
                    WEIGHTS("Multiply",
                            "12:s32=GenIndex[axis=-2](11) 13:s32=GenIndex[axis=-1](11) "
                            "14:bool=GreaterEqual(12,13) 15=Select(14,11,7) ",
                            "15") DIFFS("Multiply", "18", "", "24")},
            {1, GRADIENT "7:s64:1 8:s64:1 9:+1",
                    WEIGHTS("Multiply", "20=Dropout(18,7,8,9) ", "11")
                            DIFFS("Multiply", "20", "25=Dropout(24,7,8,9) ", "25")},
            /* gradients of bf16: weights and gradients of the scores are converted */
            {1, HALVES, WEIGHTS("Multiply", "", "11") HALF_DIFFS("18", "", "24")},
            {1, HALVES "7:bf16:4x5",
                    WEIGHTS("Multiply", "12=Add(11,7) ", "12") HALF_DIFFS("18", "", "24")},
            {1, HALVES "7:s64:1 8:s64:1 9:+1",
                    WEIGHTS("Multiply", "20=Dropout(18,7,8,9) ", "11")
                            HALF_DIFFS("20", "25=Dropout(24,7,8,9) ", "25")},
            /* a gated product: the function and the product with it are post-ops */
            {3, "0:4x8 1:8x6 2:8x6 3:6x8",
                    "4=MatMul(0,1) 5=Sigmoid(4) 6=Multiply(4,5) 7=MatMul(0,2) 8=Multiply(6,7) "
                    "9=MatMul(8,3)"},
    };
    /* A bias and vectors that fit the layout of the convolution, not their own: one by one, they
     * are refused. */
    static const fusion_t joined[] = {
            {1, "0:1x4x6x6 1:8x4x3x3 5:8",
                    "2=Convolution[weights_format=OIX](0,1) 3=BiasAdd[data_format=NXC](2,5)"},
            {3, "0:1x4x6x6 1:8x4x3x3 5:8 6:8 7:8 8:+8",
                    "2=Convolution[weights_format=OIX](0,1) "
                    "3=BatchNormInference[data_format=NXC](2,5,6,7,8) 4=ReLU(3)"},
    };
#undef ATTENTION
#undef INTEGERS
#undef DEQUANTISED
#undef GRADIENT
#undef HALVES
#undef HALF_DIFFS
#undef WEIGHTS
#undef DIFFS
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_primitives(cases[i].inputs, cases[i].nodes, cases[i].primitives);
        run_both(cases[i].inputs, cases[i].nodes, counts);
    }
    for (size_t i = 0; i < sizeof joined / sizeof *joined; i++)
        assert_primitives(joined[i].inputs, joined[i].nodes, joined[i].primitives);
}

/* ---- scales of groups ---- */

/* A transposed convolution by groups may have a scale for each output channel of all groups. Its
 * weights alone have only the channels of one group, so the scales have a meaning only together
 * with it: the result is compared with that of weights that the test dequantises. */
static void test_scales_of_groups(void **state) {
    (void)state;
    enum { I = 4, O = 3, GROUPS = 2, TAPS = 9 };
    static const double scales[GROUPS * O] = {.1, .3, .05, .2, .02, .15};
    static graph_text_t fused, plain;
    char counts[4 * MOST_NODES];
    srand(1);
    graph_read(&fused, "0:u8:1x4x6x6 1:s8:4x3x3x3",
            "2=Dequantize[scales=0.1](0) "
            "3=Dequantize[qtype=per_channel,axis=1,scales=0.1x0.3x0.05x0.2x0.02x0.15,"
            "zps=0x0x0x0x0x0](1) "
            "4=ConvTranspose[weights_format=IOX,groups=2](2,3)");
    graph_read(&plain, "1:4x3x3x3 2:1x4x6x6", "4=ConvTranspose[weights_format=IOX,groups=2](2,1)");
    for (int64_t i = 0; i < I * O * TAPS; i++)
        plain.tensors[1].values[i] = fused.tensors[1].values[i] *
                                     scales[i / (O * TAPS) / (I / GROUPS) * O + i / TAPS % O];
    for (int64_t i = 0; i < plain.tensors[2].count; i++)
        plain.tensors[2].values[i] = fused.tensors[0].values[i] * .1;
    graph_run(&fused, dnnl_graph_partition_policy_fusion, true, counts);
    assert_string_equal(counts, "3");
    graph_run(&plain, dnnl_graph_partition_policy_fusion, true, counts);
    assert_int_equal(fused.tensors[4].count, plain.tensors[4].count);
    compare("scales of groups", &fused, &plain);
    graph_end(&fused);
    graph_end(&plain);
}

/* ---- random graphs ---- */

enum { FIRST_RESULT = 7, FIRST_HIDDEN = 64 };

/* An operation, or two with a hidden value H between. They take A and B; Y is their result. */
static const char *const forms[] = {
        "H=MatMul[transpose_b=true](A,B) Y=MatMul(H,B)",
        "H=MatMul[transpose_a=true](A,B) Y=MatMul(A,H)",
        "H=StaticTranspose[order=1x0](A) Y=StaticReshape[shape=4x6](H)",
        "H:bool=GreaterEqual(A,B) Y=Select(H,A,B)",
        "H=ReduceMax[axes=1,keep_dims=true](A) Y=Subtract(B,H)",
        "H=ReduceMean[axes=0,keep_dims=false](A) Y=BiasAdd[data_format=NXC](B,H)",
        "H=Sigmoid(A) Y=Multiply(A,H)",
        "H=Tanh(A) Y=Add(H,B)",
        "H=Add(A,B) Y=ReLU(H)",
        "Y=Add(A,3)",
        "Y=Multiply(4,A)",
        "Y=Maximum(A,5)",
        "Y=BiasAdd[data_format=NXC](A,6)",
        "Y=SoftMax(A)",
        "Y=LayerNorm(A)",
        "Y=Reorder(A)",
};

/* Appends one of the forms, a function of one tensor, or an operation of two, on tensors of 4 x 6
 * elements: any can follow any. */
static void append_random(char *text, int next, int hidden) {
    static const char *const one[] = {"Abs", "ReLU", "Tanh", "Sigmoid", "GELU", "Elu", "Clamp",
            "HardSwish", "LeakyReLU", "Mish", "HardSigmoid"};
    static const char *const two[] = {"Add", "Multiply", "Maximum", "Minimum", "Subtract"};
    /* The first three inputs have all elements, and so have all results. */
    const int results = next - FIRST_RESULT, count = 3 + results, kind = rand() % 3;
    int a = rand() % count, b = rand() % count;
    a = a < 3 ? a : a - 3 + FIRST_RESULT;
    b = b < 3 ? b : b - 3 + FIRST_RESULT;
    if (kind == 0)
        sprintf(text, "%d=%s(%d)", next, one[(size_t)rand() % (sizeof one / sizeof *one)], a);
    if (kind == 1)
        sprintf(text, "%d=%s(%d,%d)", next, two[(size_t)rand() % (sizeof two / sizeof *two)], a, b);
    if (kind != 2) return;
    *text = 0;
    for (const char *c = forms[(size_t)rand() % (sizeof forms / sizeof *forms)]; *c; c++) {
        const char *names = "ABHY", *name = strchr("=,):", c[1]) ? strchr(names, *c) : NULL;
        const int numbers[] = {a, b, hidden, next};
        text += name ? sprintf(text, "%d", numbers[name - names]) : sprintf(text, "%c", *c);
    }
}

/* Operations take their inputs from all tensors so far. TEST_RANDOM_GRAPHS: how many (40). */
static void test_random(void **state) {
    (void)state;
    const char *setting = getenv("TEST_RANDOM_GRAPHS");
    const int graphs = setting ? atoi(setting) : 40;
    assert_true(graphs > 0);
    static char nodes[MOST_NODES * 80], counts[4 * MOST_NODES];
    for (int seed = 0; seed < graphs; seed++) {
        srand((unsigned)seed);
        const int operations = 5 + rand() % 36;
        int next = FIRST_RESULT, hidden = FIRST_HIDDEN;
        *nodes = 0;
        for (int n = 0; n < operations; n++) {
            char *end = nodes + strlen(nodes);
            if (end != nodes) *end++ = ' ';
            append_random(end, next++, hidden++);
            n += strchr(end, ' ') != NULL;
        }
        assert_true(run_both("0:4x6 1:4x6 2:4x6 3:1x6 4:4x1 5:1 6:6", nodes, counts));
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_file),
            cmocka_unit_test(test_primitives),
            cmocka_unit_test(test_scales_of_groups),
            cmocka_unit_test(test_random),
    };
    return cmocka_run_group_tests(tests, begin_tests, end_tests);
}
