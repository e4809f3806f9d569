/* SPDX-License-Identifier: Apache-2.0 */
/* Quantization, resampling, PReLU, selection, indices, dropout and a bias' gradient, against plain
 * loops. */
#include <stdlib.h>

#include "tests/graph/harness.h"
#include "tests/ref/ref.h"

enum { N = 2, C = 3, S = 8, ALL = N * C * S };

static const float scales[] = {.25f, .5f, .125f};
static const int64_t zps[] = {3, -2, 7};

static double saturated(dnnl_data_type_t dt, double v) {
    const double least = dt == dnnl_u8 ? 0 : -128;
    return fmin(fmax(rint(v), least), least + 255);
}

/* `channels`: with factors for each of them, or one for all. */
static void set_factors(bool channels, int nzps) {
    set_text(ATTR(qtype), channels ? "per_channel" : "per_tensor");
    set_int(ATTR(axis), -2);
    assert_ok(dnnl_graph_op_set_attr_f32(one.op, ATTR(scales), scales, channels ? C : 1));
    if (nzps) set_ints(ATTR(zps), zps, nzps);
}

static void test_quantize(void **state) {
    (void)state;
    for (int k = 0; k < 4; k++) {
        const bool channels = k & 1;
        const dnnl_data_type_t dt = k & 2 ? dnnl_s8 : dnnl_u8;
        begin(KIND(quantize));
        set_factors(channels, k == 3 ? 0 : channels ? C : 1);
        input(dnnl_f32, DIMS(N, C, S));
        fill(0, -20, 40);
        output(dt);
        run();
        assert_dims(0, DIMS(N, C, S));
        for (int i = 0; i < ALL; i++) {
            const int c = channels ? i / S % C : 0;
            const double v = one.x[0][i] / scales[c] + (k == 3 ? 0 : (double)zps[c]);
            assert_true(one.y[0][i] == saturated(dt, v));
        }

        begin(KIND(dequantize));
        set_factors(channels, k == 3 ? 0 : channels ? C : 1);
        input(dt, DIMS(N, C, S));
        fill(0, dt == dnnl_u8 ? 0 : -128, 127);
        output(dnnl_f32);
        run();
        for (int i = 0; i < ALL; i++) {
            const int c = channels ? i / S % C : 0;
            assert_close(0, one.y[0][i], (one.x[0][i] - (k == 3 ? 0 : (double)zps[c])) * scales[c]);
        }
    }
}

static void test_quantize_f8(void **state) {
    (void)state;
    begin(KIND(quantize));
    set_factors(true, 0);
    input(dnnl_f32, DIMS(N, C, S));
    output(dnnl_f8_e4m3);
    run();
    for (int i = 0; i < ALL; i++)
        assert_true(one.y[0][i] == ref_round(dnnl_f8_e4m3, one.x[0][i] / scales[i / S % C]));
}

/* Factors are tensors; zero points of other types than s32 are converted. */
static void test_dynamic(void **state) {
    (void)state;
    static const dnnl_data_type_t types[] = {dnnl_s32, dnnl_s8, dnnl_u8, dnnl_data_type_undef};
    for (int k = 0; k < 4; k++) {
        const bool channels = k & 1;
        begin(KIND(dynamic_quantize));
        set_text(ATTR(qtype), channels ? "per_channel" : "per_tensor");
        input(dnnl_f32, DIMS(N, C, S));
        input(dnnl_f32, DIMS(channels ? C : 1));
        if (types[k]) input(types[k], DIMS(channels ? C : 1));
        fill(0, -20, 20);
        for (int c = 0; c < C; c++) one.x[1][c] = scales[c];
        for (int c = 0; c < C; c++) one.x[2][c] = types[k] ? 2 + c : 0;
        output(dnnl_u8);
        run();
        for (int i = 0; i < ALL; i++) {
            const int c = channels ? i / S % C : 0;
            assert_true(one.y[0][i] == saturated(dnnl_u8, one.x[0][i] / scales[c] + one.x[2][c]));
        }

        begin(KIND(dynamic_dequantize));
        set_text(ATTR(qtype), channels ? "per_channel" : "per_tensor");
        input(dnnl_s8, DIMS(N, C, S));
        input(k & 2 ? dnnl_f16 : dnnl_f32, DIMS(channels ? C : 1));
        if (types[k]) input(types[k], DIMS(channels ? C : 1));
        fill(0, -100, 100);
        for (int c = 0; c < C; c++) one.x[1][c] = scales[c];
        for (int c = 0; c < C; c++) one.x[2][c] = types[k] ? 2 + c : 0;
        output(k & 2 ? dnnl_f16 : dnnl_f32);
        run();
        for (int i = 0; i < ALL; i++) {
            const int c = channels ? i / S % C : 0;
            assert_close(0, one.y[0][i], (one.x[0][i] - one.x[2][c]) * scales[c]);
        }
    }
}

static void test_groups(void **state) {
    (void)state;
    enum { K = 8, G = 4, COLUMNS = 6 };
    for (int k = 0; k < 4; k++) {
        const dnnl_data_type_t dt = k & 1 ? dnnl_u4 : dnnl_s8;
        const bool zero_points = k & 2;
        begin(KIND(dynamic_dequantize));
        set_text(ATTR(qtype), "per_group");
        set_ints(ATTR(group_shape), DIMS(1, G, 1));
        input(dt, DIMS(N, K, COLUMNS));
        input(dnnl_f32, DIMS(N, K / G, COLUMNS));
        if (zero_points) input(dt, DIMS(N, K / G, COLUMNS));
        fill(0, 0, 7);
        if (zero_points) fill(2, 0, 7);
        output(dnnl_f32);
        run();
        for (int i = 0; i < N * K * COLUMNS; i++) {
            const int group =
                    (i / (K * COLUMNS) * (K / G) + i / COLUMNS % K / G) * COLUMNS + i % COLUMNS;
            assert_close(0, one.y[0][i],
                    (one.x[0][i] - (zero_points ? one.x[2][group] : 0)) * one.x[1][group]);
        }
    }
}

/* Groups along every dimension; those of the first ones are repeated for the primitive. */
static void test_groups_of_any_dimension(void **state) {
    (void)state;
    static const int64_t dims[] = {4, 6, 2, 8}, groups[][4] = {{2, 1, 1, 4}, {1, 3, 2, 1},
                                                        {4, 2, 1, 8}, {2, 3, 2, 2}, {4, 6, 2, 8}};
    for (int k = 0; k < 10; k++) {
        const int64_t *group = groups[k / 2];
        const dnnl_data_type_t dt = k & 1 ? dnnl_s4 : dnnl_u8;
        int64_t of[4];
        for (int d = 0; d < 4; d++) of[d] = dims[d] / group[d];
        begin(KIND(dynamic_dequantize));
        set_text(ATTR(qtype), "per_group");
        set_ints(ATTR(group_shape), group, 4);
        input(dt, dims, 4);
        input(k & 1 ? dnnl_f16 : dnnl_f32, of, 4);
        input(dt, of, 4);
        fill(0, 0, 7);
        fill(2, 0, 7);
        output(k & 1 ? dnnl_f16 : dnnl_f32);
        run();
        for (int i = 0; i < 4 * 6 * 2 * 8; i++) {
            const int64_t pos[] = {i / 96, i / 16 % 6, i / 8 % 2, i % 8};
            int64_t at = 0;
            for (int d = 0; d < 4; d++) at = at * of[d] + pos[d] / group[d];
            assert_close(0, one.y[0][i], (one.x[0][i] - one.x[2][at]) * one.x[1][at]);
        }
    }
}

/* Where position i of `to` lies among `from`: two neighbours and the weight of the second. */
static void neighbours(int i, int from, int to, int *a, int *b, double *weight) {
    const double x = fmax((i + .5) * from / to - .5, 0);
    *a = (int)x;
    *b = *a + 1 < from ? *a + 1 : *a;
    *weight = x - *a;
}

static void test_interpolate(void **state) {
    (void)state;
    enum { H = 3, W = 4, TH = 5, TW = 8 };
    for (int k = 0; k < 4; k++) {
        const bool linear = k & 1, ncx = k & 2;
        static double expected[MOST];
        for (int back = 0; back < 2; back++) {
            begin(back ? KIND(interpolate_backward) : KIND(interpolate));
            set_text(ATTR(mode), linear ? "bilinear" : "nearest");
            set_text(ATTR(data_format), ncx ? "NCX" : "NXC");
            set_ints(ATTR(sizes), DIMS(TH, TW));
            if (ncx) input(dnnl_f32, DIMS(N, C, H, W));
            else input(dnnl_f32, DIMS(N, H, W, C));
            if (back && ncx) input(dnnl_f32, DIMS(N, C, TH, TW));
            else if (back) input(dnnl_f32, DIMS(N, TH, TW, C));
            output(dnnl_f32);
            run();
            memset(expected, 0, sizeof expected);
            for (int i = 0; i < N * C * TH * TW; i++) {
                const int x = i % TW, y = i / TW % TH, c = i / (TW * TH) % C;
                const int n = i / (TW * TH * C);
                int ys[2], xs[2];
                double wy, wx;
                neighbours(y, H, TH, &ys[0], &ys[1], &wy);
                neighbours(x, W, TW, &xs[0], &xs[1], &wx);
                if (!linear) {
                    ys[0] = (int)((y + .5) * H / TH);
                    xs[0] = (int)((x + .5) * W / TW);
                    wy = wx = 0;
                }
                const int to = ncx ? i : ((n * TH + y) * TW + x) * C + c;
                for (int q = 0; q < 4; q++) {
                    const int sy = ys[q / 2], sx = xs[q % 2];
                    const int at =
                            ncx ? ((n * C + c) * H + sy) * W + sx : ((n * H + sy) * W + sx) * C + c;
                    const double w = (q / 2 ? wy : 1 - wy) * (q % 2 ? wx : 1 - wx);
                    if (back) expected[at] += w * one.x[1][to];
                    else expected[to] += w * one.x[0][at];
                }
            }
            const int count = N * C * (back ? H * W : TH * TW);
            for (int i = 0; i < count; i++) assert_close(0, one.y[0][i], expected[i]);
        }
    }
}

/* The weight that element i of `in` has at position o of `out`, when first and last ones meet. */
static double corner_weight(bool linear, int64_t i, int64_t o, int64_t in, int64_t out) {
    const double at = out > 1 ? (double)o * (double)(in - 1) / (double)(out - 1) : 0;
    if (!linear) return i == (int64_t)floor(at + .5);
    return fmax(0, 1 - fabs(at - (double)i));
}

static void test_interpolate_corners(void **state) {
    (void)state;
    static const int64_t sizes[][6] = {
            {3, 4, 2, 5, 8, 3}, {6, 5, 4, 3, 5, 1}, {1, 2, 3, 4, 2, 3}, {2, 3, 4, 2, 3, 4}};
    for (int k = 0; k < 32; k++) {
        const int64_t *from = sizes[k / 8], *to = from + 3;
        const bool linear = k & 1, ncx = k & 2, back = k & 4;
        const dnnl_data_type_t dt = k / 8 == 1 ? dnnl_f16 : dnnl_f32;
        const int64_t D = from[0], H = from[1], W = from[2], TD = to[0], TH = to[1], TW = to[2];
        static double expected[MOST];
        begin(back ? KIND(interpolate_backward) : KIND(interpolate));
        set_text(ATTR(mode), linear ? "trilinear" : "nearest");
        set_text(ATTR(data_format), ncx ? "NCX" : "NXC");
        set_text(ATTR(coordinate_transformation_mode), "align_corners");
        set_ints(ATTR(sizes), to, 3);
        if (ncx) input(dt, DIMS(N, C, D, H, W));
        else input(dt, DIMS(N, D, H, W, C));
        if (back && ncx) input(dt, DIMS(N, C, TD, TH, TW));
        else if (back) input(dt, DIMS(N, TD, TH, TW, C));
        output(dt);
        run();
        memset(expected, 0, sizeof expected);
        for (int64_t i = 0; i < N * C * TD * TH * TW; i++)
            for (int64_t s = 0; s < D * H * W; s++) {
                const int64_t x = i % TW, y = i / TW % TH, z = i / (TW * TH) % TD;
                const int64_t nc = i / (TD * TW * TH), n = nc / C, c = nc % C;
                const double w =
                        corner_weight(linear, (int)(s / (W * H)), (int)z, (int)D, (int)TD) *
                        corner_weight(linear, (int)(s / W % H), (int)y, (int)H, (int)TH) *
                        corner_weight(linear, (int)(s % W), (int)x, (int)W, (int)TW);
                const int64_t big = ncx ? i : (n * TD * TH * TW + i % (TD * TH * TW)) * C + c;
                const int64_t small = ncx ? nc * D * H * W + s : (n * D * H * W + s) * C + c;
                if (back) expected[small] += w * one.x[1][big];
                else expected[big] += w * one.x[0][small];
            }
        const int64_t count = N * C * (back ? D * H * W : TD * TH * TW);
        for (int64_t i = 0; i < count; i++) assert_close(0, one.y[0][i], expected[i]);
    }
}

static void test_interpolate_scales(void **state) {
    (void)state;
    static const float factors[] = {1.5f, 2.f};
    begin(KIND(interpolate));
    set_text(ATTR(mode), "nearest");
    set_text(ATTR(data_format), "NCX");
    assert_ok(dnnl_graph_op_set_attr_f32(one.op, ATTR(scales), factors, 2));
    input(dnnl_bf16, DIMS(1, 1, 3, 2));
    output(dnnl_bf16);
    run();
    assert_dims(0, DIMS(1, 1, 4, 4));
    for (int i = 0; i < 16; i++)
        assert_true(one.y[0][i] == one.x[0][(int)((i / 4 + .5) * 3 / 4) * 2 + i % 4 / 2]);
}

static void test_prelu(void **state) {
    (void)state;
    /* Slopes: of channels in both formats, of the last axis, of a part, of each element. */
    for (int k = 0; k < 5; k++)
        for (int back = 0; back < 2; back++) {
            if (back && k == 2) continue;
            begin(back ? KIND(prelu_backward) : KIND(prelu));
            set_text(ATTR(data_format), k == 0 ? "NCX" : "NXC");
            if (k == 2) set_flag(ATTR(per_channel_broadcast), false);
            input(dnnl_f32, DIMS(N, C, S));
            if (k == 0) input(dnnl_f32, DIMS(C));
            else if (k < 3) input(dnnl_f32, DIMS(S));
            else if (k == 3) input(dnnl_f32, DIMS(C, 1));
            else input(dnnl_f32, DIMS(N, C, S));
            if (back) input(dnnl_f32, DIMS(N, C, S));
            for (int i = 0; i <= back; i++) output(dnnl_f32);
            run();
            double sums[ALL] = {0};
            for (int i = 0; i < ALL; i++) {
                const int at = k == 0 || k == 3 ? i / S % C : k < 3 ? i % S : i;
                const double x = one.x[0][i], slope = one.x[1][at];
                if (back) sums[at] += x > 0 ? 0 : x * one.x[2][i];
                if (back) assert_close(0, one.y[0][i], one.x[2][i] * (x > 0 ? 1 : slope));
                else assert_close(0, one.y[0][i], x > 0 ? x : slope * x);
            }
            const int slopes = k == 0 || k == 3 ? C : k < 3 ? S : ALL;
            for (int i = 0; i < slopes && back; i++) assert_close(1, one.y[1][i], sums[i]);
        }
}

static void test_select(void **state) {
    (void)state;
    for (int k = 0; k < 2; k++) {
        begin(KIND(select));
        if (k) input(dnnl_boolean, DIMS(N, C, S));
        else input(dnnl_boolean, DIMS(C, 1));
        input(dnnl_f32, DIMS(N, C, S));
        if (k) input(dnnl_f32, DIMS(1));
        else input(dnnl_f32, DIMS(N, C, S));
        for (int i = 0; i < ALL; i++) one.x[0][i] = rand() % 2;
        output(dnnl_f32);
        run();
        assert_dims(0, DIMS(N, C, S));
        for (int i = 0; i < ALL; i++)
            assert_true(one.y[0][i] ==
                        (one.x[0][k ? i : i / S % C] ? one.x[1][i] : one.x[2][k ? 0 : i]));
    }
}

static void test_indices(void **state) {
    (void)state;
    for (int axis = -1; axis < 2; axis++) {
        begin(KIND(gen_index));
        set_int(ATTR(axis), axis);
        input(dnnl_f16, DIMS(N, C, S));
        output(dnnl_s32);
        run();
        for (int i = 0; i < ALL; i++)
            assert_true(one.y[0][i] == (axis < 0 ? i % S : axis == 0 ? i / (C * S) : i / S % C));
    }
}

static void test_bias_gradient(void **state) {
    (void)state;
    for (int ncx = 0; ncx < 2; ncx++) {
        double sums[S] = {0};
        begin(KIND(bias_add_backward));
        set_text(ATTR(data_format), ncx ? "NCX" : "NXC");
        input(dnnl_f32, DIMS(N, C, S));
        output(dnnl_f32);
        run();
        assert_dims(0, DIMS(ncx ? C : S));
        for (int i = 0; i < ALL; i++) sums[ncx ? i / S % C : i % S] += one.x[0][i];
        for (int c = 0; c < (ncx ? C : S); c++) assert_close(0, one.y[0][c], sums[c]);
    }
}

/* What is kept is kept by the mask, is larger by 1 / (1 - p), and is about 1 - p of all. */
static void test_dropout(void **state) {
    (void)state;
    int kept = 0;
    begin(KIND(dropout));
    input(dnnl_f32, DIMS(64, 32));
    input(dnnl_s64, DIMS(1));
    input(dnnl_s64, DIMS(1));
    input(dnnl_f32, DIMS(1));
    one.x[1][0] = 42;
    one.x[2][0] = 5;
    one.x[3][0] = .25;
    output(dnnl_f32);
    output(dnnl_u8);
    run();
    for (int i = 0; i < 64 * 32; i++) {
        assert_true(one.y[1][i] == 0 || one.y[1][i] == 1);
        kept += one.y[1][i] == 1;
        assert_close(0, one.y[0][i], one.y[1][i] * one.x[0][i] / .75);
    }
    assert_in_range(kept, 64 * 32 * 70 / 100, 64 * 32 * 80 / 100);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_quantize),
            cmocka_unit_test(test_quantize_f8),
            cmocka_unit_test(test_dynamic),
            cmocka_unit_test(test_groups),
            cmocka_unit_test(test_groups_of_any_dimension),
            cmocka_unit_test(test_interpolate),
            cmocka_unit_test(test_interpolate_corners),
            cmocka_unit_test(test_interpolate_scales),
            cmocka_unit_test(test_prelu),
            cmocka_unit_test(test_select),
            cmocka_unit_test(test_indices),
            cmocka_unit_test(test_bias_gradient),
            cmocka_unit_test(test_dropout),
    };
    return cmocka_run_group_tests(tests, begin_tests, end_tests);
}
