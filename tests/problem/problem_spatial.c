/* SPDX-License-Identifier: Apache-2.0 */
/* The kinds whose problem is written with letters: "mb2_ic16oc8_ih7oh5kh3sh1dh0ph0_iw...". */
#include <ctype.h>
#include <math.h>
#include <stdlib.h>
#include <string.h>

#include "core/util.h"
#include "oneapi/dnnl/dnnl.h"
#include "problem.h"

#define NOT_GIVEN INT64_MIN /* padding at the end may be negative */

typedef struct {
    int nsp; /* spatial dimensions */
    int64_t mb, ic, oc, groups, local_size;
    bool with_groups;
    double beta;
    dnnl_dims_t in, out, kernel, stride, dilation, left, right;
} sizes_t;

static bool number(const char *s, const char *key, const char **value) {
    while (*s) {
        const char *name = s;
        while (isalpha((unsigned char)*s)) s++;
        const size_t len = (size_t)(s - name);
        if (len == strlen(key) && !strncmp(name, key, len)) return *value = s, true;
        while (*s && !isalpha((unsigned char)*s)) s++;
    }
    return false;
}

static bool get(const char *s, const char *key, int64_t *value) {
    const char *text;
    if (!number(s, key, &text)) return false;
    *value = size_parse(text, NULL);
    return true;
}

/* What belongs to one spatial dimension; what is not written has the value that changes nothing. */
static bool get_spatial(sizes_t *z, const char *s, char axis) {
    const char keys[] = {'i', 'o', 'k', 's', 'd', 'p', 'r'};
    dnnl_dim_t *to[] = {z->in, z->out, z->kernel, z->stride, z->dilation, z->left, z->right};
    const dnnl_dim_t otherwise[] = {-1, -1, 1, 1, 0, 0, NOT_GIVEN};
    for (int i = 0; i < ARRAY_LEN(keys); i++) {
        const char key[] = {keys[i], axis, 0};
        to[i][z->nsp] = otherwise[i];
        get(s, key, &to[i][z->nsp]);
    }
    return z->in[z->nsp] >= 0 || z->out[z->nsp] >= 0;
}

/* Whether what complete_window() computes from the numbers of a dimension is far from overflow. */
static bool is_countable(const sizes_t *z, int d) {
    const double right = z->right[d] == NOT_GIVEN ? 0 : (double)z->right[d];
    const double size = fmax(fabs((double)z->in[d]), fabs((double)z->out[d]));
    const double steps = size * fabs((double)z->stride[d]);
    const double window = fabs((double)z->kernel[d]) * (fabs((double)z->dilation[d]) + 1);
    return size + steps + window + fabs((double)z->left[d]) + fabs(right) < 0x1p60;
}

/* A dimension that is not written is like the one before: ih7kh3 is a square. */
static const char *parse_sizes(sizes_t *z, const problem_t *p) {
    const char *s = p->line->problem, *text;
    memset(z, 0, sizeof(*z));
    z->groups = z->mb = 1;
    if (!get(s, "ic", &z->ic)) return "the problem has no channels";
    get(s, "mb", &z->mb);
    get(s, "oc", &z->oc);
    get(s, "ls", &z->local_size);
    if (number(s, "beta", &text)) z->beta = strtod(text, NULL);
    z->with_groups = get(s, "g", &z->groups);
    if (z->groups < 1) return "the problem has less than one group";
    for (const char *axis = "dhw"; *axis; axis++) {
        dnnl_dim_t *const all[] = {
                z->in, z->out, z->kernel, z->stride, z->dilation, z->left, z->right};
        const bool given = get_spatial(z, s, *axis);
        if (!given && z->nsp == 0) continue;
        for (int i = 0; !given && i < ARRAY_LEN(all); i++) all[i][z->nsp] = all[i][z->nsp - 1];
        if (!is_countable(z, z->nsp)) return "a spatial dimension is too large";
        z->nsp++;
    }
    return NULL;
}

/* What is not written: padding at the end, which the log never prints, is the least that gives
 * the output; an output is what padding at both ends alike gives. */
static void complete_window(sizes_t *z, bool transposed) {
    for (int d = 0; d < z->nsp; d++) {
        const int64_t range = (z->kernel[d] - 1) * (z->dilation[d] + 1) + 1;
        int64_t *in = transposed ? &z->out[d] : &z->in[d],
                *out = transposed ? &z->in[d] : &z->out[d];
        const bool given = z->right[d] != NOT_GIVEN;
        const int64_t pads = z->left[d] + (given ? z->right[d] : z->left[d]);
        if (*in < 0) { /* a transposed one */
            z->right[d] = pads - z->left[d];
            *in = (*out - 1) * z->stride[d] + range - pads;
            continue;
        }
        /* A stride of 0 is the library's to refuse. */
        if (*out < 0) *out = (*in - range + pads) / (z->stride[d] ? z->stride[d] : 1) + 1;
        if (given) continue;
        z->right[d] = (*out - 1) * z->stride[d] + range - *in - z->left[d];
        /* The last step may not be whole: of what gives the output, the padding next to none. */
        if (z->right[d] < 0 && !transposed)
            z->right[d] = min_i64(z->right[d] + z->stride[d] - 1, 0);
    }
}

static void tensor_dims(
        const sizes_t *z, int64_t channels, const dnnl_dim_t *spatial, dnnl_dims_t dims) {
    dims[0] = z->mb;
    dims[1] = channels;
    for (int d = 0; d < z->nsp; d++) dims[2 + d] = spatial[d];
}

/* The destination of the convolution before a depthwise post-op has another name. */
static const char *dst_name(const problem_t *p) {
    return line_md(p->line, "src_fused") ? "src_fused" : "dst";
}

static const char *bias_of(const problem_t *p, const sizes_t *z, md_t *md) {
    return problem_md(p, "bia", md, 1, &z->oc);
}

/* What the post-ops' tensors have the dims of: where one is a depthwise convolution, what that
 * writes. */
static void final_dims(const problem_t *p, const dnnl_dim_t *dims, int ndims, dnnl_dims_t final) {
    long stride = 1;
    const char *dw = strstr(p->line->attr, "dw:k");
    if (dw && (dw = strchr(dw, 's'))) stride = strtol(dw + 1, NULL, 10);
    if (stride < 1 || stride > INT32_MAX) stride = 1;
    for (int d = 0; d < ndims; d++) final[d] = d < 2 ? dims[d] : (dims[d] + stride - 1) / stride;
}

/* The tensors of a product. */
typedef struct {
    md_t src, wei, bias, dst;
} product_t;

static const md_t *bias_or_null(const md_t *bias) {
    return md_is_zero(bias) ? NULL : bias;
}

/* As the forward primitive that is the hint has it: with the type of diff_dst, for only gradients
 * may be of a wider one. */
static product_t product_of_hint(const problem_t *p, const product_t *t) {
    product_t hint = *t;
    md_t *const tensors[] = {&hint.src, &hint.wei, &hint.bias};
    for (int i = 0; i < ARRAY_LEN(tensors) && problem_is_backward(p); i++)
        if (!md_is_zero(tensors[i])) tensors[i]->data_type = t->dst.data_type;
    return hint;
}

static dnnl_status_t convolution_backward(problem_t *p, const sizes_t *z, const product_t *t,
        bool transposed, const_dnnl_primitive_desc_t hint) {
    if (p->prop == dnnl_backward_data)
        return (transposed ? dnnl_deconvolution_backward_data_primitive_desc_create
                           : dnnl_convolution_backward_data_primitive_desc_create)(&p->pd,
                p->engine, p->alg, &t->src, &t->wei, &t->dst, z->stride, z->dilation, z->left,
                z->right, hint, p->attr);
    return (transposed ? dnnl_deconvolution_backward_weights_primitive_desc_create
                       : dnnl_convolution_backward_weights_primitive_desc_create)(&p->pd, p->engine,
            p->alg, &t->src, &t->wei, bias_or_null(&t->bias), &t->dst, z->stride, z->dilation,
            z->left, z->right, hint, p->attr);
}

static const char *create_convolution(
        problem_t *p, const sizes_t *z, const product_t *t, bool transposed) {
    const product_t h = product_of_hint(p, t);
    p->status = (transposed ? dnnl_deconvolution_forward_primitive_desc_create
                            : dnnl_convolution_forward_primitive_desc_create)(&p->pd, p->engine,
            problem_forward_prop(p), p->alg, &h.src, &h.wei, bias_or_null(&h.bias), &h.dst,
            z->stride, z->dilation, z->left, z->right, problem_forward_attr(p));
    if (!problem_is_backward(p) || p->status != dnnl_success) return NULL;
    const dnnl_primitive_desc_t hint = problem_take_hint(p);
    p->status = convolution_backward(p, z, t, transposed, hint);
    dnnl_primitive_desc_destroy(hint);
    return NULL;
}

static const char *convolution(problem_t *p, bool transposed) {
    sizes_t z;
    product_t t;
    dnnl_dims_t dims, final;
    int n = 0;
    TRY_TEXT(problem_alg(p));
    TRY_TEXT(parse_sizes(&z, p));
    if (z.nsp == 0) return "the problem has no spatial dimensions";
    complete_window(&z, transposed);
    tensor_dims(&z, z.ic, z.in, dims);
    TRY_TEXT(problem_md(p, "src", &t.src, z.nsp + 2, dims));
    tensor_dims(&z, z.oc, z.out, dims);
    TRY_TEXT(problem_md(p, dst_name(p), &t.dst, z.nsp + 2, dims));
    final_dims(p, dims, z.nsp + 2, final);
    TRY_TEXT(problem_attr(p, z.nsp + 2, final));
    if (z.with_groups) dims[n++] = z.groups;
    dims[n++] = z.oc / z.groups;
    dims[n++] = z.ic / z.groups;
    for (int d = 0; d < z.nsp; d++) dims[n++] = z.kernel[d];
    TRY_TEXT(problem_md(p, "wei", &t.wei, n, dims));
    TRY_TEXT(bias_of(p, &z, &t.bias));
    return p->status == dnnl_success ? create_convolution(p, &z, &t, transposed) : NULL;
}

const char *replay_convolution(problem_t *p) {
    return convolution(p, false);
}

const char *replay_deconvolution(problem_t *p) {
    return convolution(p, true);
}

static dnnl_status_t inner_product_backward(
        problem_t *p, const product_t *t, const_dnnl_primitive_desc_t hint) {
    if (p->prop == dnnl_backward_data)
        return dnnl_inner_product_backward_data_primitive_desc_create(
                &p->pd, p->engine, &t->src, &t->wei, &t->dst, hint, p->attr);
    return dnnl_inner_product_backward_weights_primitive_desc_create(
            &p->pd, p->engine, &t->src, &t->wei, bias_or_null(&t->bias), &t->dst, hint, p->attr);
}

static const char *create_inner_product(problem_t *p, const product_t *t) {
    const product_t h = product_of_hint(p, t);
    p->status = dnnl_inner_product_forward_primitive_desc_create(&p->pd, p->engine,
            problem_forward_prop(p), &h.src, &h.wei, bias_or_null(&h.bias), &h.dst,
            problem_forward_attr(p));
    if (!problem_is_backward(p) || p->status != dnnl_success) return NULL;
    const dnnl_primitive_desc_t hint = problem_take_hint(p);
    p->status = inner_product_backward(p, t, hint);
    dnnl_primitive_desc_destroy(hint);
    return NULL;
}

/* The minibatch and the channels of an inner product may be given at run time. */
static void leave_open(const char *s, const char *key, int64_t *value) {
    const char *text;
    if (number(s, key, &text) && *text == '*') *value = DNNL_RUNTIME_DIM_VAL;
}

const char *replay_inner_product(problem_t *p) {
    sizes_t z;
    product_t t;
    dnnl_dims_t dims;
    TRY_TEXT(parse_sizes(&z, p));
    leave_open(p->line->problem, "mb", &z.mb);
    leave_open(p->line->problem, "ic", &z.ic);
    tensor_dims(&z, z.ic, z.in, dims);
    TRY_TEXT(problem_open_md(p, line_md(p->line, "src"), DNNL_ARG_SRC, &t.src, z.nsp + 2, dims));
    dims[0] = z.oc;
    TRY_TEXT(
            problem_open_md(p, line_md(p->line, "wei"), DNNL_ARG_WEIGHTS, &t.wei, z.nsp + 2, dims));
    TRY_TEXT(bias_of(p, &z, &t.bias));
    const dnnl_dims_t out = {z.mb, z.oc};
    TRY_TEXT(problem_open_md(p, line_md(p->line, "dst"), DNNL_ARG_DST, &t.dst, 2, out));
    TRY_TEXT(problem_attr(p, 2, out));
    return p->status == dnnl_success ? create_inner_product(p, &t) : NULL;
}

static const char *two_tensors(problem_t *p, const sizes_t *z, md_t *src, md_t *dst) {
    dnnl_dims_t dims;
    tensor_dims(z, z->ic, z->in, dims);
    TRY_TEXT(problem_md(p, "src", src, z->nsp + 2, dims));
    tensor_dims(z, z->ic, z->out, dims);
    TRY_TEXT(problem_md(p, "dst", dst, z->nsp + 2, dims));
    return problem_attr(p, z->nsp + 2, dims);
}

/* The gradients of two tensors, "diff_src" and "diff_dst", are like them, unless a batch names
 * them. The forward primitive, which is the hint, has its source without blocks then where the
 * gradient's layout is the library's to choose. */
static const char *two_gradients(
        const problem_t *p, md_t *src, const md_t *dst, md_t *diff_src, md_t *diff_dst) {
    *diff_src = *src;
    *diff_dst = *dst;
    if (line_md(p->line, "diff_src"))
        TRY_TEXT(problem_md(p, "diff_src", diff_src, src->ndims, src->dims));
    if (line_md(p->line, "diff_dst"))
        TRY_TEXT(problem_md(p, "diff_dst", diff_dst, dst->ndims, dst->dims));
    if (md_is_any(src) && md_init_strides(src, src->ndims, diff_src->dims, src->data_type, NULL))
        return "the source has no row-major layout";
    return NULL;
}

static dnnl_status_t pooling_backward(
        problem_t *p, const sizes_t *z, const md_t *diff_src, const md_t *diff_dst) {
    const dnnl_primitive_desc_t hint = problem_take_hint(p);
    const dnnl_status_t status =
            dnnl_pooling_backward_primitive_desc_create(&p->pd, p->engine, p->alg, diff_src,
                    diff_dst, z->stride, z->kernel, z->dilation, z->left, z->right, hint, p->attr);
    dnnl_primitive_desc_destroy(hint);
    return status;
}

const char *replay_pooling(problem_t *p) {
    sizes_t z;
    md_t src, dst, diff_src, diff_dst;
    TRY_TEXT(problem_alg(p));
    TRY_TEXT(parse_sizes(&z, p));
    complete_window(&z, false);
    TRY_TEXT(two_tensors(p, &z, &src, &dst));
    if (problem_is_backward(p)) TRY_TEXT(two_gradients(p, &src, &dst, &diff_src, &diff_dst));
    if (p->status == dnnl_success)
        p->status = dnnl_pooling_forward_primitive_desc_create(&p->pd, p->engine,
                problem_forward_prop(p), p->alg, &src, &dst, z.stride, z.kernel, z.dilation, z.left,
                z.right, problem_forward_attr(p));
    if (problem_is_backward(p) && p->status == dnnl_success)
        p->status = pooling_backward(p, &z, &diff_src, &diff_dst);
    return NULL;
}

const char *replay_resampling(problem_t *p) {
    sizes_t z;
    md_t src, dst, diff_src, diff_dst;
    TRY_TEXT(problem_alg(p));
    TRY_TEXT(parse_sizes(&z, p));
    TRY_TEXT(two_tensors(p, &z, &src, &dst));
    if (problem_is_backward(p)) TRY_TEXT(two_gradients(p, &src, &dst, &diff_src, &diff_dst));
    if (p->status == dnnl_success)
        p->status = dnnl_resampling_forward_primitive_desc_create(&p->pd, p->engine,
                problem_forward_prop(p), p->alg, NULL, &src, &dst, problem_forward_attr(p));
    if (!problem_is_backward(p) || p->status != dnnl_success) return NULL;
    const dnnl_primitive_desc_t hint = problem_take_hint(p);
    p->status = dnnl_resampling_backward_primitive_desc_create(
            &p->pd, p->engine, p->alg, NULL, &diff_src, &diff_dst, hint, p->attr);
    dnnl_primitive_desc_destroy(hint);
    return NULL;
}

/* Dims as "mb2ic3ih4iw5", or as "2x3x4x5x6x7" where there are more than five. */
static const char *plain_sizes(const problem_t *p, sizes_t *z, int *ndims, dnnl_dims_t dims) {
    const char *s = p->line->problem;
    if ((*ndims = dims_parse(s, dims, NULL)) > 1) return memset(z, 0, sizeof(*z)), NULL;
    TRY_TEXT(parse_sizes(z, p));
    tensor_dims(z, z->ic, z->in, dims);
    *ndims = z->nsp + 2;
    return NULL;
}

/* The destination is like the source, unless a batch names it, too. */
static const char *data_and_dst(
        const problem_t *p, md_t *data, md_t *dst, int ndims, const dnnl_dim_t *dims) {
    TRY_TEXT(problem_md(p, "data", data, ndims, dims));
    *dst = *data;
    return line_md(p->line, "dst") ? problem_md(p, "dst", dst, ndims, dims) : NULL;
}

const char *replay_lrn(problem_t *p) {
    sizes_t z;
    md_t md, dst, diff_src, diff_dst;
    dnnl_dims_t dims;
    int ndims;
    const float alpha = problem_float(p, "alpha", 0.5f), k = problem_float(p, "k", 1.5f);
    TRY_TEXT(problem_alg(p));
    TRY_TEXT(plain_sizes(p, &z, &ndims, dims));
    TRY_TEXT(data_and_dst(p, &md, &dst, ndims, dims));
    TRY_TEXT(problem_attr(p, ndims, dims));
    if (p->status == dnnl_success)
        p->status = dnnl_lrn_forward_primitive_desc_create(&p->pd, p->engine,
                problem_forward_prop(p), p->alg, &md, &dst, z.local_size, alpha, (float)z.beta, k,
                problem_forward_attr(p));
    if (!problem_is_backward(p) || p->status != dnnl_success) return NULL;
    const dnnl_primitive_desc_t hint = problem_take_hint(p);
    const char *wrong = problem_diffs(p, &md, &diff_src, &diff_dst);
    if (!wrong)
        p->status = dnnl_lrn_backward_primitive_desc_create(&p->pd, p->engine, p->alg, &diff_src,
                &diff_dst, &md, z.local_size, alpha, (float)z.beta, k, hint, p->attr);
    dnnl_primitive_desc_destroy(hint);
    return wrong;
}

/* ---- normalizations ---- */

static float epsilon(const problem_t *p) {
    return problem_float(p, "eps", 0x1p-10f);
}

static unsigned norm_flags(const problem_t *p) {
    static const struct {
        char letter;
        unsigned flag;
    } letters[] = {{'G', dnnl_use_global_stats}, {'C', dnnl_use_scale}, {'H', dnnl_use_shift},
            {'R', dnnl_fuse_norm_relu}, {'A', dnnl_fuse_norm_add_relu}, {'M', dnnl_rms_norm}};
    const char *text = line_aux(p->line, "flags", "");
    unsigned flags = 0;
    for (size_t i = 0; i < sizeof(letters) / sizeof(letters[0]); i++)
        if (strchr(text, letters[i].letter)) flags |= letters[i].flag;
    return flags;
}

const char *replay_batch_normalization(problem_t *p) {
    sizes_t z;
    md_t md, dst;
    dnnl_dims_t dims;
    int ndims;
    TRY_TEXT(plain_sizes(p, &z, &ndims, dims));
    TRY_TEXT(data_and_dst(p, &md, &dst, ndims, dims));
    TRY_TEXT(problem_attr(p, ndims, dims));
    if (p->status == dnnl_success)
        p->status = dnnl_batch_normalization_forward_primitive_desc_create(&p->pd, p->engine,
                problem_forward_prop(p), &md, &dst, epsilon(p), norm_flags(p),
                problem_forward_attr(p));
    if (!problem_is_backward(p) || p->status != dnnl_success) return NULL;
    md_t diff_src, diff_dst;
    const dnnl_primitive_desc_t hint = problem_take_hint(p);
    const char *wrong = problem_diffs(p, &md, &diff_src, &diff_dst);
    if (!wrong)
        p->status = dnnl_batch_normalization_backward_primitive_desc_create(&p->pd, p->engine,
                p->prop, &diff_src, &diff_dst, &md, epsilon(p), norm_flags(p), hint, p->attr);
    dnnl_primitive_desc_destroy(hint);
    return wrong;
}

/* The gradient of the source is like the source, unless a batch names it. */
static const char *row_diff_src(const problem_t *p, const md_t *src, md_t *diff_src) {
    *diff_src = *src;
    if (!line_md(p->line, "diff_src")) return NULL;
    return problem_md(p, "diff_src", diff_src, src->ndims, src->dims);
}

const char *replay_group_normalization(problem_t *p) {
    sizes_t z;
    md_t src, dst;
    dnnl_dims_t dims;
    int ndims;
    TRY_TEXT(plain_sizes(p, &z, &ndims, dims));
    TRY_TEXT(problem_md(p, "src", &src, ndims, dims));
    TRY_TEXT(problem_md(p, "dst", &dst, ndims, dims));
    TRY_TEXT(problem_attr(p, ndims, dims));
    if (p->status == dnnl_success)
        p->status = dnnl_group_normalization_forward_primitive_desc_create(&p->pd, p->engine,
                problem_forward_prop(p), &src, &dst, z.groups, epsilon(p), norm_flags(p),
                problem_forward_attr(p));
    if (!problem_is_backward(p) || p->status != dnnl_success) return NULL;
    md_t diff_src;
    const dnnl_primitive_desc_t hint = problem_take_hint(p);
    const char *wrong = row_diff_src(p, &src, &diff_src);
    if (!wrong)
        p->status = dnnl_group_normalization_backward_primitive_desc_create(&p->pd, p->engine,
                p->prop, &diff_src, &dst, &src, z.groups, epsilon(p), norm_flags(p), hint, p->attr);
    dnnl_primitive_desc_destroy(hint);
    return wrong;
}

/* scale and shift of one type; their gradients have it, too. */
static const char *layer_backward(problem_t *p, const md_t *src, const md_t *diff_dst,
        const md_t *stat, dnnl_data_type_t dt) {
    const dnnl_primitive_desc_t hint = problem_take_hint(p);
    md_t diff_src;
    const char *wrong = row_diff_src(p, src, &diff_src);
    if (!wrong)
        p->status = dnnl_layer_normalization_backward_primitive_desc_create_v2(&p->pd, p->engine,
                p->prop, &diff_src, diff_dst, src, stat, dt, dt, epsilon(p), norm_flags(p), hint,
                p->attr);
    dnnl_primitive_desc_destroy(hint);
    return wrong;
}

const char *replay_layer_normalization(problem_t *p) {
    md_t src, dst, stat;
    dnnl_dims_t dims;
    const int ndims = dims_parse(p->line->problem, dims, NULL);
    const md_text_t *scale = line_md(p->line, "scale"), *shift = line_md(p->line, "shift");
    if (ndims < 2) return "the problem is no list of dims";
    const md_text_t given = {.dt = dnnl_f32, .kind = dnnl_blocked, .mask = -1},
                    *stats = line_md(p->line, "stats");
    TRY_TEXT(problem_open_md(p, line_md(p->line, "src"), DNNL_ARG_SRC, &src, ndims, dims));
    TRY_TEXT(problem_open_md(p, line_md(p->line, "dst"), DNNL_ARG_DST, &dst, ndims, dims));
    const int before = p->nactual;
    TRY_TEXT(problem_open_md(p, stats ? stats : &given, DNNL_ARG_MEAN, &stat, ndims - 1, dims));
    if (!stats) memset(&stat, 0, sizeof(stat)); /* the library's */
    if (p->nactual > before) problem_add_actual(p, DNNL_ARG_VARIANCE, &p->actual[before].md);
    TRY_TEXT(problem_attr(p, ndims, dims));
    const md_t *stat_or_null = md_is_zero(&stat) ? NULL : &stat;
    const dnnl_data_type_t dt = scale ? scale->dt : shift ? shift->dt : dnnl_f32;
    if (p->status == dnnl_success)
        p->status = dnnl_layer_normalization_forward_primitive_desc_create_v2(&p->pd, p->engine,
                problem_forward_prop(p), &src, &dst, stat_or_null, dt, epsilon(p), norm_flags(p),
                problem_forward_attr(p));
    if (!problem_is_backward(p) || p->status != dnnl_success) return NULL;
    return layer_backward(p, &src, &dst, stat_or_null, dt);
}
