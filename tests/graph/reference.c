/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs operation by operation in double precision, without any rounding but to integers. */
#include <stdio.h>
#include <stdlib.h>

#include "tests/graph/graphs.h"

typedef struct {
    graph_text_t *graph;
    const graph_node_t *node;
    node_tensor_t *in[8], *out;
} context_t;

/* ---- attributes and dims ---- */

static bool attribute(const context_t *c, const char *name, char *value) {
    char all[256];
    snprintf(
            all, sizeof all, "%s,%s", graph_default_attributes(c->node->kind), c->node->attributes);
    bool found = false;
    for (char *at = all; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL) {
        const size_t length = strlen(name);
        if (strncmp(at, name, length) || at[length] != '=') continue;
        sscanf(at + length + 1, "%63[^,]", value);
        found = true;
    }
    return found;
}

/* The numbers of a list, and how many there are. */
static int numbers(const context_t *c, const char *name, double *list) {
    char text[64];
    int n = 0;
    if (!attribute(c, name, text)) return 0;
    for (char *at = strtok(text, "x"); at; at = strtok(NULL, "x")) list[n++] = strtod(at, NULL);
    return n;
}

static double number(const context_t *c, const char *name, double missing) {
    double list[16];
    return numbers(c, name, list) ? list[0] : missing;
}

static bool is_set(const context_t *c, const char *name, const char *expected) {
    char text[64];
    return attribute(c, name, text) && strcmp(text, expected) == 0;
}

static bool is_kind(const context_t *c, const char *kind) {
    return strcmp(c->node->kind, kind) == 0;
}

static void set_dims(node_tensor_t *t, int ndims, const int64_t *dims) {
    t->ndims = ndims;
    t->count = 1;
    for (int d = 0; d < ndims; d++) t->count *= t->dims[d] = dims[d];
    free(t->values);
    t->values = calloc((size_t)t->count + 1, sizeof *t->values);
    assert_non_null(t->values);
}

static void position_of(const node_tensor_t *t, int64_t at, int64_t *pos) {
    for (int d = t->ndims - 1; d >= 0; at /= t->dims[d--]) pos[d] = at % t->dims[d];
}

/* The element of a tensor that broadcasts to one with `ndims` dimensions. */
static double *element(const node_tensor_t *t, int ndims, const int64_t *pos) {
    int64_t at = 0;
    for (int d = 0; d < t->ndims; d++)
        at = at * t->dims[d] + (t->dims[d] == 1 ? 0 : pos[ndims - t->ndims + d]);
    return &t->values[at];
}

static void broadcast_dims(const context_t *c, int first, int last) {
    int64_t dims[DNNL_MAX_NDIMS];
    int ndims = 0;
    for (int i = first; i < last; i++)
        if (c->in[i]->ndims > ndims) ndims = c->in[i]->ndims;
    for (int d = 0; d < ndims; d++) dims[d] = 1;
    for (int i = first; i < last; i++)
        for (int d = 0; d < c->in[i]->ndims; d++) {
            int64_t *dim = &dims[ndims - c->in[i]->ndims + d];
            if (c->in[i]->dims[d] != 1) *dim = c->in[i]->dims[d];
        }
    set_dims(c->out, ndims, dims);
}

/* ---- functions of elements ---- */

static double bound(double x, double least, double most) {
    return x < least ? least : x > most ? most : x;
}

static bool function(const context_t *c, double x, double *y) {
    const double alpha = number(c, "alpha", 0), beta = number(c, "beta", 0);
    if (is_kind(c, "Abs")) *y = fabs(x);
    else if (is_kind(c, "ReLU")) *y = x > 0 ? x : 0;
    else if (is_kind(c, "Tanh")) *y = tanh(x);
    else if (is_kind(c, "Sigmoid")) *y = 1 / (1 + exp(-x));
    else if (is_kind(c, "GELU")) *y = x / 2 * (1 + erf(x / sqrt(2)));
    else if (is_kind(c, "Elu")) *y = x >= 0 ? x : alpha * expm1(x);
    else if (is_kind(c, "Clamp")) *y = bound(x, number(c, "min", 0), number(c, "max", 0));
    else if (is_kind(c, "HardSwish")) *y = x * bound(x / 6 + .5, 0, 1);
    else if (is_kind(c, "HardSigmoid")) *y = bound(alpha * x + beta, 0, 1);
    else if (is_kind(c, "LeakyReLU")) *y = x >= 0 ? x : alpha * x;
    else if (is_kind(c, "Mish")) *y = x * tanh(x > 30 ? x : log1p(exp(x)));
    else if (is_kind(c, "Sqrt")) *y = sqrt(x);
    else if (is_kind(c, "Exp")) *y = exp(x);
    else if (is_kind(c, "Reciprocal")) *y = 1 / x;
    else if (is_kind(c, "Reorder") || is_kind(c, "TypeCast")) *y = x;
    else return false;
    return true;
}

static bool apply_function(const context_t *c) {
    double y;
    if (c->node->nin != 1 || !function(c, 1, &y)) return false;
    set_dims(c->out, c->in[0]->ndims, c->in[0]->dims);
    for (int64_t i = 0; i < c->out->count; i++)
        function(c, c->in[0]->values[i], &c->out->values[i]);
    return true;
}

static bool combination(const context_t *c, double a, double b, double *y) {
    if (is_kind(c, "Add")) *y = a + b;
    else if (is_kind(c, "Subtract")) *y = a - b;
    else if (is_kind(c, "Multiply")) *y = a * b;
    else if (is_kind(c, "Divide")) *y = a / b;
    else if (is_kind(c, "Maximum")) *y = a > b ? a : b;
    else if (is_kind(c, "Minimum")) *y = a < b ? a : b;
    else if (is_kind(c, "GreaterEqual")) *y = a >= b;
    else return false;
    return true;
}

static bool apply_combination(const context_t *c) {
    double y;
    int64_t pos[DNNL_MAX_NDIMS];
    if (!combination(c, 1, 1, &y)) return false;
    broadcast_dims(c, 0, 2);
    for (int64_t i = 0; i < c->out->count; i++) {
        position_of(c->out, i, pos);
        combination(c, *element(c->in[0], c->out->ndims, pos),
                *element(c->in[1], c->out->ndims, pos), &c->out->values[i]);
    }
    return true;
}

static bool apply_selection(const context_t *c) {
    int64_t pos[DNNL_MAX_NDIMS];
    if (!is_kind(c, "Select")) return false;
    broadcast_dims(c, 1, 3);
    for (int64_t i = 0; i < c->out->count; i++) {
        position_of(c->out, i, pos);
        const int from = *element(c->in[0], c->out->ndims, pos) != 0 ? 1 : 2;
        c->out->values[i] = *element(c->in[from], c->out->ndims, pos);
    }
    return true;
}

/* ---- operations along one dimension ---- */

static int axis_of(const context_t *c, const char *name, int missing) {
    const int axis = (int)number(c, name, missing);
    return axis < 0 ? axis + c->in[0]->ndims : axis;
}

static int channels(const context_t *c) {
    return is_set(c, "data_format", "NCX") ? 1 : c->in[0]->ndims - 1;
}

static bool apply_channels(const context_t *c) {
    int64_t pos[DNNL_MAX_NDIMS];
    const bool norm = is_kind(c, "BatchNormInference");
    if (!norm && !is_kind(c, "BiasAdd")) return false;
    set_dims(c->out, c->in[0]->ndims, c->in[0]->dims);
    for (int64_t i = 0; i < c->out->count; i++) {
        position_of(c->out, i, pos);
        const int64_t k = pos[channels(c)];
        const double x = c->in[0]->values[i], b = c->in[1]->values[k];
        if (norm)
            c->out->values[i] = (x - c->in[3]->values[k]) /
                                        sqrt(c->in[4]->values[k] + number(c, "epsilon", 0)) * b +
                                c->in[2]->values[k];
        else c->out->values[i] = x + b;
    }
    return true;
}

static bool apply_quantisation(const context_t *c) {
    double scales[16], zps[16];
    int64_t pos[DNNL_MAX_NDIMS];
    const bool back = is_kind(c, "Dequantize"), channel = is_set(c, "qtype", "per_channel");
    const bool wide = c->out->dt == dnnl_u8;
    if (!back && !is_kind(c, "Quantize")) return false;
    numbers(c, "scales", scales);
    numbers(c, "zps", zps);
    set_dims(c->out, c->in[0]->ndims, c->in[0]->dims);
    for (int64_t i = 0; i < c->out->count; i++) {
        position_of(c->out, i, pos);
        const int64_t k = channel ? pos[axis_of(c, "axis", 1)] : 0;
        const double x = c->in[0]->values[i];
        c->out->values[i] =
                back ? (x - zps[k]) * scales[k]
                     : bound(nearbyint(x / scales[k] + zps[k]), wide ? 0 : -128, wide ? 255 : 127);
    }
    return true;
}

static void normalise_row(const context_t *c, const double *x, double *y, int64_t n, int64_t step) {
    double most = -INFINITY, sum = 0, squares = 0, exponentials = 0;
    for (int64_t i = 0; i < n; i++) {
        most = fmax(most, x[i * step]);
        sum += x[i * step];
    }
    for (int64_t i = 0; i < n; i++) {
        squares += (x[i * step] - sum / (double)n) * (x[i * step] - sum / (double)n);
        exponentials += exp(x[i * step] - most);
    }
    if (most == -INFINITY && is_set(c, "mode", "inf_as_zero")) return; /* they are zeros already */
    const double deviation = sqrt(squares / (double)n + 1e-5);
    for (int64_t i = 0; i < n; i++)
        y[i * step] = is_kind(c, "SoftMax") ? exp(x[i * step] - most) / exponentials
                                            : (x[i * step] - sum / (double)n) / deviation;
}

static bool apply_rows(const context_t *c) {
    const bool softmax = is_kind(c, "SoftMax");
    if (c->node->nout > 1 || c->node->nin > 1) return false;
    if (!softmax && !is_kind(c, "LayerNorm")) return false;
    set_dims(c->out, c->in[0]->ndims, c->in[0]->dims);
    const int axis = softmax ? axis_of(c, "axis", 1) : c->out->ndims - 1;
    const int64_t n = c->out->dims[axis];
    int64_t step = 1;
    for (int d = axis + 1; d < c->out->ndims; d++) step *= c->out->dims[d];
    for (int64_t i = 0; i < c->out->count; i++)
        if (i / step % n == 0) normalise_row(c, &c->in[0]->values[i], &c->out->values[i], n, step);
    return true;
}

/* Along one axis. */
static bool apply_reduction(const context_t *c) {
    int64_t dims[DNNL_MAX_NDIMS], pos[DNNL_MAX_NDIMS];
    double axes[16];
    const bool mean = is_kind(c, "ReduceMean"), sum = is_kind(c, "ReduceSum");
    if (!mean && !sum && !is_kind(c, "ReduceMax")) return false;
    if (numbers(c, "axes", axes) != 1) return false;
    const int nd = c->in[0]->ndims, axis = axis_of(c, "axes", 0);
    memcpy(dims, c->in[0]->dims, sizeof dims);
    dims[axis] = 1;
    set_dims(c->out, nd, dims);
    for (int64_t i = 0; i < c->out->count; i++) {
        const int64_t n = c->in[0]->dims[axis];
        double most = -INFINITY, total = 0;
        position_of(c->out, i, pos);
        for (pos[axis] = 0; pos[axis] < n; pos[axis]++) {
            total += *element(c->in[0], nd, pos);
            most = fmax(most, *element(c->in[0], nd, pos));
        }
        c->out->values[i] = mean ? total / (double)n : sum ? total : most;
    }
    if (is_set(c, "keep_dims", "true")) return true;
    memmove(&c->out->dims[axis], &c->out->dims[axis + 1], (size_t)(nd - axis - 1) * sizeof *dims);
    c->out->ndims--;
    return true;
}

static bool apply_indices(const context_t *c) {
    int64_t pos[DNNL_MAX_NDIMS];
    if (!is_kind(c, "GenIndex")) return false;
    set_dims(c->out, c->in[0]->ndims, c->in[0]->dims);
    for (int64_t i = 0; i < c->out->count; i++) {
        position_of(c->out, i, pos);
        c->out->values[i] = (double)pos[axis_of(c, "axis", 0)];
    }
    return true;
}

/* ---- operations that move elements ---- */

static bool apply_shapes(const context_t *c) {
    double list[16];
    int64_t dims[DNNL_MAX_NDIMS], pos[DNNL_MAX_NDIMS], from[DNNL_MAX_NDIMS] = {0};
    const bool transpose = is_kind(c, "StaticTranspose");
    if (!transpose && !is_kind(c, "StaticReshape")) return false;
    const int ndims = numbers(c, transpose ? "order" : "shape", list);
    for (int d = 0; d < ndims; d++)
        dims[d] = transpose ? c->in[0]->dims[(int)list[d]] : (int64_t)list[d];
    set_dims(c->out, ndims, dims);
    assert_int_equal(c->out->count, c->in[0]->count);
    for (int64_t i = 0; i < c->out->count; i++) {
        position_of(c->out, i, pos);
        for (int d = 0; transpose && d < ndims; d++) from[(int)list[d]] = pos[d];
        c->out->values[i] = transpose ? *element(c->in[0], ndims, from) : c->in[0]->values[i];
    }
    return true;
}

/* ---- products ---- */

static bool apply_product(const context_t *c) {
    const node_tensor_t *a = c->in[0], *b = c->in[1];
    int64_t dims[DNNL_MAX_NDIMS], pos[DNNL_MAX_NDIMS];
    if (!is_kind(c, "MatMul") || a->ndims < 2 || b->ndims < 2) return false;
    const bool ta = is_set(c, "transpose_a", "true"), tb = is_set(c, "transpose_b", "true");
    broadcast_dims(c, 0, 2);
    const int nd = c->out->ndims;
    memcpy(dims, c->out->dims, sizeof dims);
    dims[nd - 2] = a->dims[a->ndims - (ta ? 1 : 2)];
    dims[nd - 1] = b->dims[b->ndims - (tb ? 2 : 1)];
    set_dims(c->out, nd, dims);
    const int64_t inner = a->dims[a->ndims - (ta ? 2 : 1)];
    for (int64_t i = 0; i < c->out->count; i++) {
        position_of(c->out, i, pos);
        const int64_t m = pos[nd - 2], n = pos[nd - 1];
        for (int64_t k = 0; k < inner; k++) {
            pos[nd - 2] = ta ? k : m;
            pos[nd - 1] = ta ? m : k;
            const double x = *element(a, nd, pos);
            pos[nd - 2] = tb ? n : k;
            pos[nd - 1] = tb ? k : n;
            c->out->values[i] += x * *element(b, nd, pos);
        }
    }
    return true;
}

/* Images in the order NCX, strides and dilations of 1, and no padding. */
static bool apply_convolution(const context_t *c) {
    if (!is_kind(c, "Convolution")) return false;
    const node_tensor_t *x = c->in[0], *w = c->in[1], *bias = c->node->nin > 2 ? c->in[2] : NULL;
    const bool oix = is_set(c, "weights_format", "OIX");
    const int at = channels(c), down = at == 1 ? 2 : 1; /* axes of channels and rows */
    const int64_t kh = w->dims[oix ? 2 : 0], kw = w->dims[oix ? 3 : 1],
                  inputs = w->dims[oix ? 1 : 2], outputs = w->dims[oix ? 0 : 3],
                  of_group = outputs / (int64_t)number(c, "groups", 1);
    int64_t dims[] = {x->dims[0], outputs, outputs, outputs}, pos[DNNL_MAX_NDIMS];
    dims[down] = x->dims[down] - kh + 1;
    dims[down + 1] = x->dims[down + 1] - kw + 1;
    set_dims(c->out, 4, dims);
    for (int64_t i = 0; i < c->out->count; i++) {
        position_of(c->out, i, pos);
        const int64_t out = pos[at];
        if (bias) c->out->values[i] = bias->values[out];
        for (int64_t k = 0; k < inputs * kh * kw; k++) {
            const int64_t ch = k / (kh * kw), h = k / kw % kh, l = k % kw;
            int64_t source[] = {pos[0], pos[1], pos[2], pos[3]};
            const int64_t weight[] = {oix ? out : h, oix ? ch : l, oix ? h : ch, oix ? l : out};
            source[at] = out / of_group * inputs + ch;
            source[down] += h;
            source[down + 1] += l;
            c->out->values[i] += *element(x, 4, source) * *element(w, 4, weight);
        }
    }
    return true;
}

/* ---- the graph ---- */

bool graph_reference(graph_text_t *graph) {
    static bool (*const all[])(const context_t *) = {apply_function, apply_combination,
            apply_selection, apply_channels, apply_quantisation, apply_rows, apply_reduction,
            apply_indices, apply_shapes, apply_product, apply_convolution};
    for (int i = 0; i < graph->nnodes; i++) {
        const graph_node_t *node = &graph->nodes[i];
        context_t c = {.graph = graph, .node = node, .out = &graph->tensors[node->out[0]]};
        bool known = false;
        for (int p = 0; p < node->nin; p++) c.in[p] = &graph->tensors[node->in[p]];
        for (size_t k = 0; k < sizeof all / sizeof *all && !known; k++) known = all[k](&c);
        if (!known) return false;
    }
    return true;
}
