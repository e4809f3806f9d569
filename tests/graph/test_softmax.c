/* SPDX-License-Identifier: Apache-2.0 */
/* Softmax with statistics, and with rows of -inf. */
#include "tests/graph/harness.h"

enum { OUTER = 3, LENGTH = 9, INNER = 4 };

/* Row (o, i) goes along the middle dimension. */
static double *at(double *values, int o, int k, int i) {
    return &values[(o * LENGTH + k) * INNER + i];
}

/* -inf in a part of each row; in all of every fifth row, if `whole`. */
static void put_infinities(bool whole) {
    for (int o = 0; o < OUTER; o++)
        for (int i = 0; i < INNER; i++)
            for (int k = 0; k < LENGTH; k++)
                if ((whole && (o * INNER + i) % 5 == 0) || (o + k + i) % 4 == 0)
                    *at(one.x[0], o, k, i) = -INFINITY;
}

static void check_row(int o, int i, bool stats) {
    double top = -INFINITY, sum = 0;
    for (int k = 0; k < LENGTH; k++) top = fmax(top, *at(one.x[0], o, k, i));
    for (int k = 0; k < LENGTH; k++)
        if (top > -INFINITY) sum += exp(*at(one.x[0], o, k, i) - top);
    for (int k = 0; k < LENGTH; k++)
        assert_close(
                0, *at(one.y[0], o, k, i), sum > 0 ? exp(*at(one.x[0], o, k, i) - top) / sum : 0);
    if (stats) assert_close(1, one.y[1][o * INNER + i], sum > 0 ? top + log(sum) : 0);
}

static void check(dnnl_data_type_t src, dnnl_data_type_t dst, bool zeros, bool stats) {
    begin(KIND(softmax));
    set_int(ATTR(axis), -2);
    set_text(ATTR(mode), zeros ? "inf_as_zero" : "none");
    input(src, DIMS(OUTER, LENGTH, INNER));
    fill(0, -9, 9);
    if (zeros || stats) put_infinities(zeros);
    output(dst);
    if (stats) output(dnnl_f32);
    run();
    assert_dims(0, DIMS(OUTER, LENGTH, INNER));
    if (stats) assert_dims(1, DIMS(OUTER, 1, INNER));
    for (int o = 0; o < OUTER; o++)
        for (int i = 0; i < INNER; i++) check_row(o, i, stats);
}

static void test_parts(void **state) {
    (void)state;
    static const struct {
        dnnl_data_type_t src, dst;
    } types[] = {{dnnl_f32, dnnl_f32}, {dnnl_f32, dnnl_f16}, {dnnl_f32, dnnl_bf16},
            {dnnl_bf16, dnnl_f32}, {dnnl_f16, dnnl_f16}};
    for (size_t t = 0; t < sizeof types / sizeof types[0]; t++)
        for (int way = 1; way < 4; way++) check(types[t].src, types[t].dst, way & 1, way & 2);
}

/* Along an axis of length 1, the statistics are the source. */
static void test_single(void **state) {
    (void)state;
    begin(KIND(softmax));
    set_int(ATTR(axis), 1);
    set_text(ATTR(mode), "inf_as_zero");
    input(dnnl_f32, DIMS(6, 1));
    one.x[0][2] = -INFINITY;
    output(dnnl_f32);
    output(dnnl_f32);
    run();
    for (int i = 0; i < 6; i++) {
        assert_close(0, one.y[0][i], i == 2 ? 0 : 1);
        assert_close(1, one.y[1][i], i == 2 ? 0 : one.x[0][i]);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_parts),
            cmocka_unit_test(test_single),
    };
    return cmocka_run_group_tests(tests, begin_tests, end_tests);
}
