/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions and poolings with their gradients, in all formats, against plain loops. */
#include <stdlib.h>

#include "tests/graph/harness.h"

enum { N = 2, H = 6, W = 5, KH = 3, KW = 2, IC = 4, OC = 6 };

/* One convolution of images; a transposed one goes from O channels of Y x X to I of H x W. */
typedef struct {
    int groups, stride, dilation, begin, end;
    bool ncx, oix;
    const char *auto_pad;
    dnnl_data_type_t dt;
} conv_t;

static int positions(const conv_t *c, int size, int kernel) {
    return (size + c->begin + c->end - (kernel - 1) * c->dilation - 1) / c->stride + 1;
}

static int image_at(const conv_t *c, int channels, int h, int w, int n, int ch, int y, int x) {
    return c->ncx ? ((n * channels + ch) * h + y) * w + x : ((n * h + y) * w + x) * channels + ch;
}

static int weight_at(const conv_t *c, int o, int i, int y, int x) {
    const int per_group = IC / c->groups;
    return c->oix ? ((o * per_group + i) * KH + y) * KW + x
                  : ((y * KW + x) * per_group + i) * OC + o;
}

static void image_dims(const conv_t *c, int channels, int h, int w, int64_t *dims) {
    const int64_t ncx[] = {N, channels, h, w}, nxc[] = {N, h, w, channels};
    memcpy(dims, c->ncx ? ncx : nxc, 4 * sizeof *dims);
}

/* `transposed`: the formats' names of the two kinds of channels change places. */
static void set_window(const conv_t *c, bool transposed) {
    set_ints(ATTR(strides), DIMS(c->stride, c->stride));
    set_ints(ATTR(dilations), DIMS(c->dilation, c->dilation));
    set_ints(ATTR(pads_begin), DIMS(c->begin, c->begin));
    set_ints(ATTR(pads_end), DIMS(c->end, c->end));
    set_int(ATTR(groups), c->groups);
    set_text(ATTR(data_format), c->ncx ? "NCX" : "NXC");
    if (c->auto_pad) set_text(ATTR(auto_pad), c->auto_pad);
    if (transposed) set_text(ATTR(weights_format), c->oix ? "IOX" : "XOI");
    else set_text(ATTR(weights_format), c->oix ? "OIX" : "XIO");
}

static void weights_dims(const conv_t *c, int64_t *dims) {
    const int64_t oix[] = {OC, IC / c->groups, KH, KW}, xio[] = {KH, KW, IC / c->groups, OC};
    memcpy(dims, c->oix ? oix : xio, 4 * sizeof *dims);
}

typedef enum { TO_DST, TO_SRC, TO_WEIGHTS } direction_t;

/* Adds the product of all three to the one that the direction says. */
static void convolve(const conv_t *c, direction_t to, const double *src, const double *weights,
        const double *dst, double *sum) {
    const int oh = positions(c, H, KH), ow = positions(c, W, KW), per = IC / c->groups;
    memset(sum, 0, MOST * sizeof *sum);
    for (int i = 0; i < N * OC * oh * ow * per * KH * KW; i++) {
        const int kx = i % KW, ky = i / KW % KH, ci = i / (KW * KH) % per;
        const int rest = i / (KW * KH * per), x = rest % ow, y = rest / ow % oh;
        const int o = rest / (ow * oh) % OC, n = rest / (ow * oh * OC);
        const int sy = y * c->stride - c->begin + ky * c->dilation;
        const int sx = x * c->stride - c->begin + kx * c->dilation;
        if (sy < 0 || sy >= H || sx < 0 || sx >= W) continue;
        const int channel = o / (OC / c->groups) * per + ci;
        const int at_src = image_at(c, IC, H, W, n, channel, sy, sx);
        const int at_dst = image_at(c, OC, oh, ow, n, o, y, x);
        const int at_weights = weight_at(c, o, ci, ky, kx);
        if (to == TO_DST) sum[at_dst] += src[at_src] * weights[at_weights];
        if (to == TO_SRC) sum[at_src] += dst[at_dst] * weights[at_weights];
        if (to == TO_WEIGHTS) sum[at_weights] += dst[at_dst] * src[at_src];
    }
}

static const conv_t convs[] = {{1, 1, 1, 0, 0, false, false, NULL, dnnl_f32},
        {1, 2, 1, 1, 1, true, true, NULL, dnnl_f32}, {2, 1, 2, 1, 2, true, false, NULL, dnnl_f32},
        {2, 2, 1, 1, 0, false, true, NULL, dnnl_f32}, {2, 1, 1, 1, 1, true, true, NULL, dnnl_bf16},
        {1, 1, 1, 1, 1, false, false, NULL, dnnl_f16}};
enum { NCONVS = sizeof convs / sizeof convs[0] };

static double expected[MOST];

static void check(int n) {
    for (int i = 0; i < n; i++) assert_close(0, one.y[0][i], expected[i]);
}

static void test_convolution(void **state) {
    (void)state;
    for (int k = 0; k < NCONVS; k++) {
        const conv_t *c = &convs[k];
        const int oh = positions(c, H, KH), ow = positions(c, W, KW);
        int64_t src[4], weights[4], dst[4];
        image_dims(c, IC, H, W, src);
        image_dims(c, OC, oh, ow, dst);
        weights_dims(c, weights);
        begin(KIND(convolution));
        set_window(c, false);
        input(c->dt, src, 4);
        input(c->dt, weights, 4);
        input(c->dt, DIMS(OC));
        output(c->dt);
        run();
        assert_dims(0, dst, 4);
        convolve(c, TO_DST, one.x[0], one.x[1], NULL, expected);
        for (int i = 0; i < N * OC * oh * ow; i++)
            expected[i] += one.x[2][c->ncx ? i / (oh * ow) % OC : i % OC];
        check(N * OC * oh * ow);
    }
}

static void test_convolution_gradients(void **state) {
    (void)state;
    for (int k = 0; k < NCONVS; k++) {
        const conv_t *c = &convs[k];
        int64_t src[4], weights[4], dst[4];
        image_dims(c, IC, H, W, src);
        image_dims(c, OC, positions(c, H, KH), positions(c, W, KW), dst);
        weights_dims(c, weights);
        begin(KIND(convolution_backward_data));
        set_window(c, false);
        set_ints(ATTR(dst_shape), src, 4);
        input(c->dt, dst, 4);
        input(c->dt, weights, 4);
        output(c->dt);
        run();
        assert_dims(0, src, 4);
        convolve(c, TO_SRC, NULL, one.x[1], one.x[0], expected);
        check(N * IC * H * W);

        begin(KIND(convolution_backward_weights));
        set_window(c, false);
        input(c->dt, src, 4);
        input(c->dt, dst, 4);
        output_of(c->dt, weights, 4);
        run();
        convolve(c, TO_WEIGHTS, one.x[0], NULL, one.x[1], expected);
        check(OC * IC / c->groups * KH * KW);
    }
}

/* A transposed convolution is a convolution's gradient by data, and the other way round. */
static void test_transposed(void **state) {
    (void)state;
    for (int k = 0; k < NCONVS; k++) {
        const conv_t *c = &convs[k];
        const int oh = positions(c, H, KH), ow = positions(c, W, KW);
        const int64_t rest_h =
                H - ((oh - 1) * c->stride + (KH - 1) * c->dilation + 1 - c->begin - c->end);
        const int64_t rest_w =
                W - ((ow - 1) * c->stride + (KW - 1) * c->dilation + 1 - c->begin - c->end);
        int64_t large[4], weights[4], small[4];
        image_dims(c, IC, H, W, large);
        image_dims(c, OC, oh, ow, small);
        weights_dims(c, weights);
        begin(KIND(conv_transpose));
        set_window(c, true);
        set_ints(ATTR(output_padding), DIMS(rest_h, rest_w));
        input(c->dt, small, 4);
        input(c->dt, weights, 4);
        output(c->dt);
        run();
        assert_dims(0, large, 4);
        convolve(c, TO_SRC, NULL, one.x[1], one.x[0], expected);
        check(N * IC * H * W);

        begin(KIND(conv_transpose_backward_data));
        set_window(c, true);
        input(c->dt, large, 4);
        input(c->dt, weights, 4);
        output(c->dt);
        run();
        assert_dims(0, small, 4);
        convolve(c, TO_DST, one.x[0], one.x[1], NULL, expected);
        check(N * OC * oh * ow);

        begin(KIND(conv_transpose_backward_weights));
        set_window(c, true);
        set_ints(ATTR(weights_shape), weights, 4);
        input(c->dt, small, 4);
        input(c->dt, large, 4);
        output(c->dt);
        run();
        assert_dims(0, weights, 4);
        convolve(c, TO_WEIGHTS, one.x[1], NULL, one.x[0], expected);
        check(OC * IC / c->groups * KH * KW);
    }
}

/* Paddings that the library computes; the attributes are not zero, and have no effect. */
static void test_auto_pad(void **state) {
    (void)state;
    static const char *const names[] = {"SAME_UPPER", "SAME_LOWER", "VALID"};
    for (int k = 0; k < 3; k++) {
        /* The window is 3 x 2, so that 2 rows and 1 column are to be added. */
        conv_t c = {1, 1, 1, 5, 5, true, true, names[k], dnnl_f32};
        begin(KIND(convolution));
        set_window(&c, false);
        input(c.dt, DIMS(N, IC, H, W));
        input(c.dt, DIMS(OC, IC, KH, KW));
        output(c.dt);
        run();
        const int oh = k < 2 ? H : H - 2, ow = k < 2 ? W : W - 1;
        const int top = k < 2, left = k == 1;
        assert_dims(0, DIMS(N, OC, oh, ow));
        for (int i = 0; i < N * OC * oh * ow; i++) {
            double sum = 0;
            for (int j = 0; j < IC * KH * KW; j++) {
                const int y = i / ow % oh - top + j / KW % KH, x = i % ow - left + j % KW;
                const int ci = j / (KW * KH);
                if (y >= 0 && y < H && x >= 0 && x < W)
                    sum += one.x[0][((i / (ow * oh * OC) * IC + ci) * H + y) * W + x] *
                           one.x[1][i / (ow * oh) % OC * IC * KH * KW + j];
            }
            assert_close(0, one.y[0][i], sum);
        }
    }
}

typedef struct {
    bool max, ncx, exclude, ceil;
    int stride, dilation, begin, end;
    dnnl_data_type_t dt;
} pool_t;

static const pool_t pools[] = {{true, true, false, false, 1, 1, 0, 0, dnnl_f32},
        {true, false, false, true, 2, 1, 1, 0, dnnl_f32},
        {true, true, false, false, 1, 2, 1, 1, dnnl_f32},
        {false, true, true, false, 2, 1, 1, 1, dnnl_f32},
        {false, false, false, false, 1, 1, 1, 1, dnnl_f32},
        {false, true, true, true, 2, 1, 0, 0, dnnl_f32},
        {false, false, true, false, 1, 1, 1, 1, dnnl_bf16},
        {true, false, false, false, 2, 1, 1, 1, dnnl_f16}};
enum { NPOOLS = sizeof pools / sizeof pools[0], C = 3 };

static int pooled(const pool_t *p, int size, int kernel) {
    const int room = size + p->begin + p->end - (kernel - 1) * p->dilation - 1;
    return (p->ceil ? (room + p->stride - 1) / p->stride : room / p->stride) + 1;
}

static void set_pool(const pool_t *p) {
    set_ints(ATTR(kernel), DIMS(KH, KW));
    set_ints(ATTR(strides), DIMS(p->stride, p->stride));
    set_ints(ATTR(pads_begin), DIMS(p->begin, p->begin));
    set_ints(ATTR(pads_end), DIMS(p->end, p->end));
    set_text(ATTR(data_format), p->ncx ? "NCX" : "NXC");
    if (p->max) set_ints(ATTR(dilations), DIMS(p->dilation, p->dilation));
    else set_flag(ATTR(exclude_pad), p->exclude);
}

static int at(const pool_t *p, int h, int w, int n, int ch, int y, int x) {
    return p->ncx ? ((n * C + ch) * h + y) * w + x : ((n * h + y) * w + x) * C + ch;
}

/* The elements of window y, x of image n, channel ch, as positions in src; answers their number. */
static int window(const pool_t *p, int n, int ch, int y, int x, int *elements) {
    int count = 0;
    for (int k = 0; k < KH * KW; k++) {
        const int sy = y * p->stride - p->begin + k / KW * p->dilation;
        const int sx = x * p->stride - p->begin + k % KW * p->dilation;
        if (sy >= 0 && sy < H && sx >= 0 && sx < W) elements[count++] = at(p, H, W, n, ch, sy, sx);
    }
    return count;
}

static int largest(const double *src, const int *elements, int count) {
    int best = elements[0];
    for (int k = 1; k < count; k++)
        if (src[elements[k]] > src[best]) best = elements[k];
    return best;
}

/* Forward into `expected`, or, with gradients of the destination, backward. */
static void pool(const pool_t *p, const double *src, const double *diff_dst) {
    const int oh = pooled(p, H, KH), ow = pooled(p, W, KW);
    memset(expected, 0, sizeof expected);
    for (int i = 0; i < N * C * oh * ow; i++) {
        const int x = i % ow, y = i / ow % oh, ch = i / (ow * oh) % C, n = i / (ow * oh * C);
        int elements[KH * KW];
        const int count = window(p, n, ch, y, x, elements), to = at(p, oh, ow, n, ch, y, x);
        const double parts = p->exclude ? count : KH * KW;
        if (p->max && diff_dst) expected[largest(src, elements, count)] += diff_dst[to];
        else if (p->max) expected[to] = src[largest(src, elements, count)];
        for (int k = 0; k < count && !p->max; k++) {
            if (diff_dst) expected[elements[k]] += diff_dst[to] / parts;
            else expected[to] += src[elements[k]] / parts;
        }
    }
}

static void pool_dims(const pool_t *p, int h, int w, int64_t *dims) {
    const int64_t ncx[] = {N, C, h, w}, nxc[] = {N, h, w, C};
    memcpy(dims, p->ncx ? ncx : nxc, 4 * sizeof *dims);
}

static void test_pool(void **state) {
    (void)state;
    for (int k = 0; k < NPOOLS; k++) {
        const pool_t *p = &pools[k];
        const int oh = pooled(p, H, KH), ow = pooled(p, W, KW);
        int64_t src[4], dst[4];
        pool_dims(p, H, W, src);
        pool_dims(p, oh, ow, dst);
        begin(p->max ? KIND(max_pool) : KIND(avg_pool));
        set_pool(p);
        if (p->ceil) set_text(ATTR(rounding_type), "ceil");
        input(p->dt, src, 4);
        output(p->dt);
        run();
        assert_dims(0, dst, 4);
        pool(p, one.x[0], NULL);
        check(N * C * oh * ow);
    }
}

static void test_pool_gradients(void **state) {
    (void)state;
    for (int k = 0; k < NPOOLS; k++) {
        const pool_t *p = &pools[k];
        int64_t src[4], dst[4];
        pool_dims(p, H, W, src);
        pool_dims(p, pooled(p, H, KH), pooled(p, W, KW), dst);
        begin(p->max ? KIND(max_pool_backward) : KIND(avg_pool_backward));
        set_pool(p);
        if (p->max) input(p->dt, src, 4);
        else set_ints(ATTR(src_shape), src, 4);
        input(p->dt, dst, 4);
        output(p->dt);
        run();
        assert_dims(0, src, 4);
        pool(p, one.x[0], one.x[p->max]);
        check(N * C * H * W);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_convolution),
            cmocka_unit_test(test_convolution_gradients),
            cmocka_unit_test(test_transposed),
            cmocka_unit_test(test_auto_pad),
            cmocka_unit_test(test_pool),
            cmocka_unit_test(test_pool_gradients),
    };
    return cmocka_run_group_tests(tests, begin_tests, end_tests);
}
