/* SPDX-License-Identifier: Apache-2.0 */
/* Normalizations with their gradients, against plain loops. */
#include <stdlib.h>

#include "tests/graph/harness.h"

enum { N = 3, C = 4, S = 10, ALL = N * C * S };
static const float epsilon = 1e-3f;
static const dnnl_data_type_t types[] = {dnnl_f32, dnnl_bf16, dnnl_f16};

static int at(bool ncx, int n, int c, int s) {
    return ncx ? (n * C + c) * S + s : (n * S + s) * C + c;
}

static void image(dnnl_data_type_t dt, bool ncx) {
    if (ncx) input(dt, DIMS(N, C, 2, S / 2));
    else input(dt, DIMS(N, 2, S / 2, C));
}

static void set_format(bool ncx) {
    set_text(ATTR(data_format), ncx ? "NCX" : "NXC");
    set_float(ATTR(epsilon), epsilon);
}

typedef struct {
    double mean, variance;
} stats_t;

static stats_t channel_stats(const double *x, bool ncx, int c) {
    stats_t s = {0, 0};
    for (int i = 0; i < N * S; i++) s.mean += x[at(ncx, i / S, c, i % S)] / (N * S);
    for (int i = 0; i < N * S; i++)
        s.variance += pow(x[at(ncx, i / S, c, i % S)] - s.mean, 2) / (N * S);
    return s;
}

static void test_batch_norm(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        const bool ncx = k & 1;
        const dnnl_data_type_t dt = k < 2 ? dnnl_f32 : dnnl_bf16;
        begin(KIND(batch_norm_inference));
        set_format(ncx);
        image(dt, ncx);
        for (int i = 0; i < 4; i++) input(k == 3 ? dnnl_bf16 : dnnl_f32, DIMS(C));
        fill(4, .5, 2);
        output(dt);
        run();
        for (int i = 0; i < ALL; i++) {
            const int c = i / S % C, to = at(ncx, i / (S * C), c, i % S);
            assert_close(0, one.y[0][to],
                    (one.x[0][to] - one.x[3][c]) / sqrt(one.x[4][c] + epsilon) * one.x[1][c] +
                            one.x[2][c]);
        }
    }
}

static void test_batch_norm_training(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        const bool ncx = k & 1, affine = k & 2;
        const double momentum = k ? .75 : .5;
        begin(KIND(batch_norm_forward_training));
        set_format(ncx);
        if (k) set_float(ATTR(momentum), .75f); /* without it, it is .5 */
        image(dnnl_f32, ncx);
        for (int i = 0; i < (affine ? 4 : 2); i++) input(dnnl_f32, DIMS(C));
        for (int i = 0; i < 5; i++) output(dnnl_f32);
        run();
        for (int i = 1; i < 5; i++) assert_dims(i, DIMS(C));
        for (int c = 0; c < C; c++) {
            const stats_t s = channel_stats(one.x[0], ncx, c);
            assert_close(3, one.y[3][c], s.mean);
            assert_close(4, one.y[4][c], s.variance);
            assert_close(1, one.y[1][c], momentum * one.x[1][c] + (1 - momentum) * s.mean);
            assert_close(2, one.y[2][c], momentum * one.x[2][c] + (1 - momentum) * s.variance);
            for (int i = 0; i < N * S; i++) {
                const int to = at(ncx, i / S, c, i % S);
                const double y = (one.x[0][to] - s.mean) / sqrt(s.variance + epsilon);
                assert_close(0, one.y[0][to], affine ? y * one.x[3][c] + one.x[4][c] : y);
            }
        }
    }
}

static void test_batch_norm_gradient(void **state) {
    (void)state;
    /* With and without gamma; 1 or 3 outputs. */
    for (int k = 0; k < 4; k++) {
        const bool ncx = k & 1, gamma = k & 2, all = k != 2;
        begin(KIND(batch_norm_backward));
        set_format(ncx);
        image(dnnl_f32, ncx);
        image(dnnl_f32, ncx);
        for (int i = 0; i < (gamma ? 3 : 2); i++) input(dnnl_f32, DIMS(C));
        for (int c = 0; c < C; c++) {
            const stats_t s = channel_stats(one.x[0], ncx, c);
            one.x[2][c] = (float)s.mean;
            one.x[3][c] = (float)s.variance;
        }
        for (int i = 0; i < (all ? 3 : 1); i++) output(dnnl_f32);
        run();
        for (int c = 0; c < C; c++) {
            const double root = sqrt(one.x[3][c] + epsilon), scale = gamma ? one.x[4][c] : 1;
            double sum = 0, product = 0;
            for (int i = 0; i < N * S; i++) {
                const int from = at(ncx, i / S, c, i % S);
                sum += one.x[1][from];
                product += one.x[1][from] * (one.x[0][from] - one.x[2][c]) / root;
            }
            if (all) assert_close(1, one.y[1][c], product);
            if (all) assert_close(2, one.y[2][c], sum);
            for (int i = 0; i < N * S; i++) {
                const int to = at(ncx, i / S, c, i % S);
                const double y = (one.x[0][to] - one.x[2][c]) / root;
                assert_close(0, one.y[0][to],
                        scale / root * (one.x[1][to] - (sum + y * product) / (N * S)));
            }
        }
    }
}

/* Statistics of `count` elements in a row; RMS norm leaves out the mean. */
static stats_t row_stats(const double *x, int count, bool rms) {
    stats_t s = {0, 0};
    for (int i = 0; i < count && !rms; i++) s.mean += x[i] / count;
    for (int i = 0; i < count; i++) s.variance += pow(x[i] - s.mean, 2) / count;
    return s;
}

/* Over the last axis, the last two, and all. */
static void test_layer_norm(void **state) {
    (void)state;
    for (int k = 0; k < 6; k++) {
        const int axis = k % 3, rest = axis == 0 ? ALL : axis == 1 ? C * S : S;
        const bool affine = k < 3, stats = k != 1;
        const dnnl_data_type_t dt = types[k / 2];
        begin(KIND(layer_norm));
        set_float(ATTR(epsilon), epsilon);
        set_int(ATTR(begin_norm_axis), axis == 2 ? -1 : axis);
        set_flag(ATTR(keep_stats), stats);
        input(dt, DIMS(N, C, S));
        for (int i = 0; i < 2 && affine; i++) input(dnnl_f32, DIMS(rest));
        output(dt);
        for (int i = 0; i < 2 && stats; i++) output(dnnl_f32);
        run();
        if (stats) assert_dims(1, (const int64_t[]){N, C}, axis);
        for (int r = 0; r < ALL / rest; r++) {
            const stats_t s = row_stats(&one.x[0][r * rest], rest, false);
            if (stats) assert_close(1, one.y[1][r], s.mean);
            if (stats) assert_close(2, one.y[2][r], s.variance);
            for (int i = 0; i < rest; i++) {
                const double y = (one.x[0][r * rest + i] - s.mean) / sqrt(s.variance + epsilon);
                assert_close(0, one.y[0][r * rest + i], affine ? y * one.x[1][i] + one.x[2][i] : y);
            }
        }
    }
}

static void test_layer_norm_gradient(void **state) {
    (void)state;
    /* Case 3 has a scale, and no output for its gradient. */
    for (int k = 0; k < 4; k++) {
        const int rest = k == 1 ? C * S : S, rows = ALL / rest;
        const bool affine = k < 2, gamma = k != 2;
        begin(KIND(layer_norm_backward));
        set_float(ATTR(epsilon), epsilon);
        set_int(ATTR(begin_norm_axis), k == 1 ? 1 : -1);
        set_flag(ATTR(use_affine), affine);
        for (int i = 0; i < 2; i++) input(dnnl_f32, DIMS(N, C, S));
        for (int i = 0; i < 2; i++) input(dnnl_f32, (const int64_t[]){N, C}, k == 1 ? 1 : 2);
        for (int i = 0; i < 2 && gamma; i++) input(dnnl_f32, DIMS(rest));
        for (int i = 0; i < (affine ? 3 : 1); i++) output(dnnl_f32);
        for (int r = 0; r < rows; r++) {
            const stats_t s = row_stats(&one.x[0][r * rest], rest, false);
            one.x[2][r] = (float)s.mean;
            one.x[3][r] = (float)s.variance;
        }
        run();
        static double scale[MOST], shift[MOST];
        memset(scale, 0, sizeof scale);
        memset(shift, 0, sizeof shift);
        for (int r = 0; r < rows; r++) {
            const double *x = &one.x[0][r * rest], *g = &one.x[1][r * rest];
            const double mean = one.x[2][r], root = sqrt(one.x[3][r] + epsilon);
            double sum = 0, product = 0;
            for (int i = 0; i < rest; i++) {
                const double factor = gamma ? one.x[4][i] : 1;
                sum += g[i] * factor;
                product += g[i] * factor * (x[i] - mean) / root;
                scale[i] += g[i] * (x[i] - mean) / root;
                shift[i] += g[i];
            }
            for (int i = 0; i < rest; i++)
                assert_close(0, one.y[0][r * rest + i],
                        (g[i] * (gamma ? one.x[4][i] : 1) -
                                (sum + (x[i] - mean) / root * product) / rest) /
                                root);
        }
        for (int i = 0; i < rest && affine; i++) {
            assert_close(1, one.y[1][i], scale[i]);
            assert_close(2, one.y[2][i], shift[i]);
        }
    }
}

static void test_rms_norm(void **state) {
    (void)state;
    for (int k = 0; k < 3; k++) {
        const int rest = k == 1 ? C * S : S;
        begin(KIND(rms_norm));
        set_float(ATTR(epsilon), epsilon);
        if (k == 1) set_int(ATTR(begin_norm_axis), 1);
        input(types[k], DIMS(N, C, S));
        if (k < 2) input(dnnl_f32, DIMS(rest));
        output(types[k]);
        run();
        assert_dims(0, DIMS(N, C, S));
        for (int i = 0; i < ALL; i++) {
            const stats_t s = row_stats(&one.x[0][i / rest * rest], rest, true);
            assert_close(0, one.y[0][i],
                    one.x[0][i] / sqrt(s.variance + epsilon) * (k < 2 ? one.x[1][i % rest] : 1));
        }
    }
}

static void test_group_norm(void **state) {
    (void)state;
    enum { GROUPS = 2, PER = C / GROUPS };
    for (int k = 0; k < 4; k++) {
        const bool ncx = k & 1, stats = k < 2, affine = k > 0;
        begin(KIND(group_norm));
        set_format(ncx);
        set_int(ATTR(groups), GROUPS);
        set_flag(ATTR(keep_stats), stats);
        image(dnnl_f32, ncx);
        for (int i = 0; i < 2 && affine; i++) input(dnnl_f32, DIMS(C));
        output(dnnl_f32);
        for (int i = 0; i < 2 && stats; i++) output(dnnl_f32);
        run();
        if (stats) assert_dims(1, DIMS(N, GROUPS));
        for (int r = 0; r < N * GROUPS; r++) {
            double x[PER * S];
            int from[PER * S];
            for (int i = 0; i < PER * S; i++) {
                from[i] = at(ncx, r / GROUPS, r % GROUPS * PER + i / S, i % S);
                x[i] = one.x[0][from[i]];
            }
            const stats_t s = row_stats(x, PER * S, false);
            if (stats) assert_close(1, one.y[1][r], s.mean);
            if (stats) assert_close(2, one.y[2][r], s.variance);
            for (int i = 0; i < PER * S; i++) {
                const int c = r % GROUPS * PER + i / S;
                const double y = (x[i] - s.mean) / sqrt(s.variance + epsilon);
                assert_close(0, one.y[0][from[i]], affine ? y * one.x[1][c] + one.x[2][c] : y);
            }
        }
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_batch_norm),
            cmocka_unit_test(test_batch_norm_training),
            cmocka_unit_test(test_batch_norm_gradient),
            cmocka_unit_test(test_layer_norm),
            cmocka_unit_test(test_layer_norm_gradient),
            cmocka_unit_test(test_rms_norm),
            cmocka_unit_test(test_group_norm),
    };
    return cmocka_run_group_tests(tests, begin_tests, end_tests);
}
