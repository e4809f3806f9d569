/* SPDX-License-Identifier: Apache-2.0 */
/* Stages of residual networks: each is one partition, and graphs that differ a little are not.
 * Stages are computed, too, and compared with the operations one by one. */
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "tests/graph/graphs.h"

/* A graph that is being written. Values are 4 channels of 4 x 4 elements. */
typedef struct {
    char inputs[1 << 15], nodes[1 << 17];
    int next;   /* the next value's number */
    bool int8;  /* Dequantize before convolutions and Quantize behind them */
    bool split; /* biases are operations */
    bool quantised_weights;
    int groups; /* of the second convolution of a block */
} writer_t;

static void append(char *text, size_t size, const char *format, ...) {
    const size_t length = strlen(text);
    va_list args;
    va_start(args, format);
    vsnprintf(text + length, size - length, format, args);
    va_end(args);
    assert_true(strlen(text) + 1 < size);
}
#define INPUT(...) append(w->inputs, sizeof w->inputs, __VA_ARGS__)
#define NODE(...) append(w->nodes, sizeof w->nodes, __VA_ARGS__)

static int dequantised(writer_t *w, int x) {
    if (!w->int8) return x;
    NODE(" %d=Dequantize(%d)", w->next, x);
    return w->next++;
}

static int quantised(writer_t *w, int x) {
    if (!w->int8) return x;
    NODE(" %d:u8=Quantize(%d)", w->next, x);
    return w->next++;
}

/* The weights of a convolution as it reads them. */
static int weights(writer_t *w, int groups) {
    int x = w->next++;
    const bool stored = w->int8 && !w->quantised_weights;
    INPUT(" %d:%s4x%dx1x1", x, stored ? "s8:" : "", 4 / groups);
    if (!w->int8) return x;
    if (w->quantised_weights) {
        NODE(" %d:s8=Quantize[scales=0.01](%d)", w->next, x);
        x = w->next++;
    }
    NODE(" %d=Dequantize[scales=0.01](%d)", w->next, x);
    return w->next++;
}

/* A convolution with its bias. */
static int convolution(writer_t *w, int x, int groups) {
    const int from = dequantised(w, x), by = weights(w, groups), bias = w->next++, to = w->next++;
    INPUT(" %d:4", bias);
    NODE(" %d=Convolution[weights_format=OIX,groups=%d](%d,%d", to, groups, from, by);
    if (!w->split) {
        NODE(",%d)", bias);
        return to;
    }
    NODE(") %d=BiasAdd(%d,%d)", w->next, to, bias);
    return w->next++;
}

static int relu(writer_t *w, int x) {
    NODE(" %d=ReLU(%d)", w->next, x);
    return w->next++;
}

static int added(writer_t *w, int x, int other) {
    const int o = dequantised(w, other);
    NODE(" %d=Add(%d,%d)", w->next, x, o);
    w->next++;
    return relu(w, w->next - 1);
}

/* Two convolutions with ReLU, or one in short blocks. */
static int branch(writer_t *w, int x, bool is_short) {
    x = quantised(w, relu(w, convolution(w, x, 1)));
    return is_short ? x : quantised(w, relu(w, convolution(w, x, w->groups)));
}

typedef enum { TURNED, LATE, SAME } side_t;

static int block(writer_t *w, int x, side_t side, bool is_short, bool last) {
    int y = branch(w, x, is_short), other = x;
    if (side == TURNED) other = quantised(w, convolution(w, x, 1));
    if (side == LATE) {
        other = quantised(w, convolution(w, y, 1));
        y = x;
    }
    y = added(w, convolution(w, y, 1), other);
    return last ? y : quantised(w, y);
}

static void start(writer_t *w) {
    memset(w->inputs, 0, sizeof w->inputs);
    memset(w->nodes, 0, sizeof w->nodes);
    w->next = 1;
    w->groups = 1;
    INPUT(w->int8 ? "0:u8:1x4x4x4" : "0:1x4x4x4");
}

static int count(const char *text, const char *word) {
    int n = 0;
    for (; (text = strstr(text, word)); text++) n++;
    return n;
}

/* How the graph is divided, in one partition or not. */
static void expect(const writer_t *w, bool one) {
    static graph_text_t graph;
    static char counts[4 * MOST_NODES];
    char all[16];
    graph_read(&graph, w->inputs, w->nodes + 1);
    graph_run(&graph, dnnl_graph_partition_policy_fusion, false, counts);
    graph_end(&graph);
    snprintf(all, sizeof all, "%d", count(w->nodes, ")"));
    assert_int_equal(strcmp(counts, all) == 0, one);
}

static void compute(const writer_t *w) {
    static graph_text_t fused, plain;
    static char counts[4 * MOST_NODES];
    srand(1);
    graph_read(&fused, w->inputs, w->nodes + 1);
    srand(1);
    graph_read(&plain, w->inputs, w->nodes + 1);
    graph_run(&fused, dnnl_graph_partition_policy_fusion, true, counts);
    graph_run(&plain, dnnl_graph_partition_policy_debug, true, counts);
    const node_tensor_t *a = &fused.tensors[w->next - 1], *b = &plain.tensors[w->next - 1];
    double largest = 0;
    assert_true(a->values && b->values && a->count == b->count);
    for (int64_t i = 0; i < a->count; i++) largest = fmax(largest, fabs(b->values[i]));
    assert_true(largest > 0);
    /* An integer that was rounded the other way moves those behind it by one. */
    const double most = w->int8 ? 1 : 1e-4 * largest;
    for (int64_t i = 0; i < a->count; i++) assert_true(fabs(a->values[i] - b->values[i]) <= most);
    graph_end(&fused);
    graph_end(&plain);
}

static const int stages[] = {2, 3, 5}; /* blocks behind the first one */

static void test_floats(void **state) {
    static writer_t w;
    (void)state;
    for (int split = 0; split < 2; split++)
        for (int s = 0; s < 3; s++) {
            w = (writer_t){.split = split};
            start(&w);
            int x = block(&w, 0, TURNED, false, false);
            for (int i = 0; i < stages[s]; i++) x = block(&w, x, SAME, false, false);
            expect(&w, true);
            if (s == split) compute(&w);
        }
}

static void test_integers(void **state) {
    static writer_t w;
    (void)state;
    for (int variant = 0; variant < 4; variant++)
        for (int s = 0; s < 3; s++) {
            const bool late = variant == 2, is_short = variant == 3;
            w = (writer_t){.int8 = true,
                    .split = variant == 1 || late,
                    .quantised_weights = variant == 1 || late};
            start(&w);
            const bool same = is_short && s == 0;
            int x = block(&w, 0, late ? LATE : same ? SAME : TURNED, is_short, false);
            for (int i = 0; i < stages[s]; i++) x = block(&w, x, SAME, is_short, false);
            expect(&w, true);
            compute(&w);
        }
    /* the last block of the last stage may have a result of floats */
    w = (writer_t){.int8 = true, .split = true};
    start(&w);
    int x = block(&w, 0, LATE, false, false);
    x = block(&w, x, SAME, false, false);
    block(&w, x, SAME, false, true);
    expect(&w, true);
}

static void test_backbone(void **state) {
    static writer_t w;
    static const int blocks[] = {2, 3, 22, 2};
    (void)state;
    for (int groups = 2; groups > 0; groups--) {
        int x = 0;
        w = (writer_t){.int8 = true, .split = groups == 2};
        start(&w);
        w.groups = groups;
        for (int s = 0; s < 4; s++) {
            x = block(&w, x, TURNED, false, false);
            for (int i = 0; i < blocks[s]; i++) x = block(&w, x, SAME, false, false);
        }
        expect(&w, groups == 2);
    }
}

/* Two blocks are too few, and biases are of one kind. */
static void test_others(void **state) {
    static writer_t w;
    (void)state;
    for (int mixed = 0; mixed < 2; mixed++) {
        w = (writer_t){0};
        start(&w);
        int x = block(&w, 0, TURNED, false, false);
        x = block(&w, x, SAME, false, false);
        w.split = mixed;
        if (mixed) block(&w, x, SAME, false, false);
        expect(&w, false);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {cmocka_unit_test(test_floats),
            cmocka_unit_test(test_integers), cmocka_unit_test(test_backbone),
            cmocka_unit_test(test_others)};
    return cmocka_run_group_tests(tests, begin_tests, end_tests);
}
