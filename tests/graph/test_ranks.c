/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions and poolings of one and three spatial dimensions, in both layouts. */
#include "tests/graph/harness.h"

enum { N = 2, IC = 4, OC = 6, MOST_SPACE = 3 };
typedef struct {
    int n; /* of spatial dimensions */
    bool channels_last;
    int groups;
    int64_t size, kernel, stride, dilation, begin, end; /* of each spatial dimension */
} shape_t;

static const shape_t shapes[] = {
        {1, false, 1, 9, 3, 2, 1, 1, 1},
        {1, true, 2, 8, 2, 1, 2, 1, 0},
        {3, false, 2, 4, 3, 1, 1, 1, 1},
        {3, true, 1, 5, 2, 2, 1, 0, 1},
};
enum { SHAPES = sizeof shapes / sizeof shapes[0] };

static int64_t power(int64_t base, int n) {
    return n ? base * power(base, n - 1) : 1;
}

static int64_t out_size(const shape_t *s) {
    return (s->size + s->begin + s->end - s->dilation * (s->kernel - 1) - 1) / s->stride + 1;
}

/* Dims with two others before or after the spatial ones. */
static int put_dims(int64_t *dims, const shape_t *s, int64_t a, int64_t b, int64_t size, int lead) {
    int n = 0;
    if (lead > 0) dims[n++] = a;
    if (lead > 1) dims[n++] = b;
    for (int d = 0; d < s->n; d++) dims[n++] = size;
    if (lead < 2) dims[n++] = lead ? b : a;
    if (lead < 1) dims[n++] = b;
    return n;
}

static void set_all(dnnl_graph_op_attr_t name, const shape_t *s, int64_t value) {
    int64_t values[MOST_SPACE] = {value, value, value};
    set_ints(name, values, s->n);
}

static void set_window(const shape_t *s) {
    set_all(ATTR(strides), s, s->stride);
    set_all(ATTR(dilations), s, s->dilation);
    set_all(ATTR(pads_begin), s, s->begin);
    set_all(ATTR(pads_end), s, s->end);
    set_text(ATTR(data_format), s->channels_last ? "NXC" : "NCX");
}

static void image(const shape_t *s) {
    int64_t dims[2 + MOST_SPACE];
    const int n = put_dims(dims, s, N, IC, s->size, s->channels_last ? 1 : 2);
    input(dnnl_f32, dims, n);
}

/* The number of an element of an image; `at` is that of the pixel. */
static int64_t pixel(const shape_t *s, int64_t size, int channels, int n, int c, int64_t at) {
    const int64_t pixels = power(size, s->n);
    return s->channels_last ? (n * pixels + at) * channels + c : (n * channels + c) * pixels + at;
}

/* The pixel of the source under element k of a window at output o; negative: it is padding. */
static int64_t under(const shape_t *s, int64_t o, int64_t k) {
    const int64_t out = out_size(s);
    int64_t at = 0, step = 1;
    for (int d = 0; d < s->n; d++, step *= s->size, o /= out, k /= s->kernel) {
        const int64_t x = o % out * s->stride - s->begin + k % s->kernel * s->dilation;
        if (x < 0 || x >= s->size) return -1;
        at += x * step;
    }
    return at;
}

static double weight(const shape_t *s, int o, int c, int64_t k) {
    const int64_t window = power(s->kernel, s->n);
    const int in = IC / s->groups;
    return one.x[1][s->channels_last ? (k * in + c) * OC + o : (o * in + c) * window + k];
}

static double convolved(const shape_t *s, int n, int o, int64_t at) {
    const int in = IC / s->groups, first = o / (OC / s->groups) * in;
    double sum = 0;
    for (int64_t k = 0; k < power(s->kernel, s->n); k++) {
        const int64_t from = under(s, at, k);
        for (int c = 0; from >= 0 && c < in; c++)
            sum += weight(s, o, c, k) * one.x[0][pixel(s, s->size, IC, n, first + c, from)];
    }
    return sum;
}

static void assert_image(const shape_t *s, int channels,
        double (*expected)(const shape_t *s, int n, int c, int64_t at)) {
    const int64_t out = out_size(s);
    int64_t dims[2 + MOST_SPACE];
    const int ndims = put_dims(dims, s, N, channels, out, s->channels_last ? 1 : 2);
    assert_dims(0, dims, ndims);
    for (int n = 0; n < N; n++)
        for (int c = 0; c < channels; c++)
            for (int64_t at = 0; at < power(out, s->n); at++)
                assert_close(0, one.y[0][pixel(s, out, channels, n, c, at)], expected(s, n, c, at));
}

static void test_convolution(void **state) {
    (void)state;
    for (int i = 0; i < SHAPES; i++) {
        const shape_t *s = &shapes[i];
        int64_t dims[2 + MOST_SPACE];
        const int in = IC / s->groups;
        begin(KIND(convolution));
        image(s);
        const int n = s->channels_last ? put_dims(dims, s, in, OC, s->kernel, 0)
                                       : put_dims(dims, s, OC, in, s->kernel, 2);
        input(dnnl_f32, dims, n);
        output(dnnl_f32);
        set_window(s);
        set_int(ATTR(groups), s->groups);
        set_text(ATTR(weights_format), s->channels_last ? "XIO" : "OIX");
        run();
        assert_image(s, OC, convolved);
    }
}

static double largest(const shape_t *s, int n, int c, int64_t at) {
    double max = -INFINITY;
    for (int64_t k = 0; k < power(s->kernel, s->n); k++) {
        const int64_t from = under(s, at, k);
        if (from >= 0) max = fmax(max, one.x[0][pixel(s, s->size, IC, n, c, from)]);
    }
    return max;
}

static void test_max_pool(void **state) {
    (void)state;
    for (int i = 0; i < SHAPES; i++) {
        const shape_t *s = &shapes[i];
        begin(KIND(max_pool));
        image(s);
        output(dnnl_f32);
        set_window(s);
        set_all(ATTR(kernel), s, s->kernel);
        run();
        assert_image(s, IC, largest);
    }
}

/* Of what is no padding. */
static double average(const shape_t *s, int n, int c, int64_t at) {
    double sum = 0;
    int count = 0;
    for (int64_t k = 0; k < power(s->kernel, s->n); k++) {
        const int64_t from = under(s, at, k);
        if (from < 0) continue;
        sum += one.x[0][pixel(s, s->size, IC, n, c, from)];
        count++;
    }
    return sum / count;
}

static void test_avg_pool(void **state) {
    (void)state;
    for (int i = 0; i < SHAPES; i++) {
        shape_t s = shapes[i];
        s.dilation = 1;
        begin(KIND(avg_pool));
        image(&s);
        output(dnnl_f32);
        set_window(&s);
        set_all(ATTR(kernel), &s, s.kernel);
        set_flag(ATTR(exclude_pad), true);
        run();
        assert_image(&s, IC, average);
    }
}

int main(void) {
    const struct CMUnitTest tests[] = {
            cmocka_unit_test(test_convolution),
            cmocka_unit_test(test_max_pool),
            cmocka_unit_test(test_avg_pool),
    };
    return cmocka_run_group_tests(tests, begin_tests, end_tests);
}
