/* SPDX-License-Identifier: Apache-2.0 */
/* Convolutions and poolings. */
#include "graph/lower_util.h"
#include "graph/lowerings.h"

#define KIND(name) dnnl_graph_op_##name

/* The window as primitives have it: a dilation of 0 is dense. */
typedef struct {
    dnnl_dims_t strides, kernel, dilations, begin, end;
} windows_t;

/* The window over images of `src` that has the positions of `dst`. The padding at the upper ends is
 * the one that gives this number of positions. */
static void set_windows(
        windows_t *w, const op_t *op, const view_t *src, const view_t *dst, const view_t *weights) {
    const bool transposed = op->kind == KIND(conv_transpose);
    for (int i = 0; i < src->ndims - 2; i++) {
        const int64_t kernel = weights ? weights->dims[weights->ndims - src->ndims + 2 + i]
                                       : op_item(op, ATTR(kernel), (size_t)i, 1);
        const int64_t size = src->dims[2 + i];
        const window_t one = window_along(op, i, kernel, size, transposed);
        w->strides[i] = one.stride;
        w->kernel[i] = kernel;
        w->dilations[i] = one.dilation - 1;
        w->begin[i] = one.begin;
        w->end[i] = (dst->dims[2 + i] - 1) * one.stride + window_extent(&one) - size - one.begin;
    }
}

static dnnl_status_t check_ranks(const lower_t *l) {
    const attribute_t *strides = op_attribute(l->op, ATTR(strides));
    const ports_t *both[] = {&l->op->in, &l->op->out};
    for (int b = 0; b < 2; b++)
        for (size_t i = 0; i < both[b]->count; i++)
            if (both[b]->list[i].ndims != (int)strides->count + 2 && !(b == 0 && i == 2))
                return verbose_check(dnnl_invalid_shape, "graph",
                        "%s: a tensor of %d dimensions with %zu strides", l->op->name,
                        both[b]->list[i].ndims, strides->count);
    if (strides->count >= 1 && strides->count <= 3) return dnnl_success;
    return verbose_check(dnnl_unimplemented, "graph",
            "%s: %zu spatial dimensions are not supported", l->op->name, strides->count);
}

/* Weights as output channels, input channels, window; groups come first if there are several. */
static dnnl_status_t kernel_view(const op_t *op, const view_t *view, view_t *kernel) {
    const int64_t groups = op_s64(op, ATTR(groups), 1);
    const bool transposed = op->kind == KIND(conv_transpose) ||
                            op->kind == KIND(conv_transpose_backward_data) ||
                            op->kind == KIND(conv_transpose_backward_weights);
    const int split = transposed ? 2 : 1; /* the channels that all groups share */
    int order[DNNL_MAX_NDIMS] = {
            weights_out_axis(op, view->ndims), weights_in_axis(op, view->ndims)};
    for (int i = 0; i < view->ndims - 2; i++) order[2 + i] = weights_spatial_axis(op, i);
    *kernel = view_permuted(view, order);
    if (groups == 1) return dnnl_success;
    if (kernel->dims[split - 1] % groups)
        return verbose_check(dnnl_invalid_shape, "graph",
                "%s: %lld groups do not divide the channels of the weights", op->name,
                (long long)groups);
    const view_t whole = *kernel;
    kernel->ndims++;
    for (int d = 0; d < whole.ndims; d++) {
        kernel->dims[d + 1] = whole.dims[d];
        kernel->strides[d + 1] = whole.strides[d];
    }
    kernel->dims[split] /= groups;
    kernel->dims[0] = groups;
    kernel->strides[0] = kernel->strides[split] * kernel->dims[split];
    return dnnl_success;
}

/* The tensors of a convolution, and the window. In a transposed one, `src` is still the source. */
typedef struct {
    view_t src, weights, dst;
    md_t src_md, weights_md, dst_md;
    windows_t w;
} conv_t;

static dnnl_status_t set_conv(lower_t *l, conv_t *c, const view_t *src, const view_t *weights,
        const view_t *dst, bool transposed) {
    TRY(check_ranks(l));
    c->src = lower_images(l->op, src);
    c->dst = lower_images(l->op, dst);
    TRY(kernel_view(l->op, weights, &c->weights));
    TRY(view_md(&c->src, &c->src_md));
    TRY(view_md(&c->weights, &c->weights_md));
    TRY(view_md(&c->dst, &c->dst_md));
    set_windows(&c->w, l->op, transposed ? &c->dst : &c->src, transposed ? &c->src : &c->dst,
            &c->weights);
    return lower_attr(l);
}

static dnnl_status_t seen_source(const lower_t *l, const view_t *view, view_t *seen) {
    *seen = lower_images(l->op, view);
    return dnnl_success;
}

static dnnl_status_t seen_kernel(const lower_t *l, const view_t *view, view_t *seen) {
    return kernel_view(l->op, view, seen);
}

static dnnl_status_t forward(lower_t *l, bool transposed) {
    static const factor_rule_t rules[] = {
            {0, DNNL_ARG_SRC, seen_source}, {1, DNNL_ARG_WEIGHTS, seen_kernel}};
    const view_t src = lower_in(l, 0), dst = lower_out(l, 0);
    const dnnl_engine_t engine = l->program->engine;
    view_t weights = lower_in(l, 1), bias_view;
    conv_t c;
    md_t bias_md;
    bool folds;
    TRY(check_ranks(l));
    TRY(lower_fold_norm(l, &weights, &bias_view, &folds));
    TRY(set_conv(l, &c, &src, &weights, &dst, transposed));
    if (!folds && l->op->in.count > 2)
        TRY(lower_array(l, 2, c.dst.dims[1], dnnl_data_type_undef, &bias_view));
    const bool with_bias = folds || l->op->in.count > 2;
    step_arg_t args[4] = {
            {DNNL_ARG_SRC, c.src}, {DNNL_ARG_WEIGHTS, c.weights}, {DNNL_ARG_DST, c.dst}};
    if (with_bias) {
        args[3] = (step_arg_t){DNNL_ARG_BIAS, bias_view};
        TRY(view_md(&bias_view, &bias_md));
    }
    TRY(lower_epilogue(l, seen_as_images, 2, rules));
    const windows_t *w = &c.w;
    const md_t *bias = with_bias ? &bias_md : NULL;
    const md_t stored = c.weights_md;
    TRY(lower_let_choose(l, 1, &c.weights_md));
    if (transposed)
        TRY(dnnl_deconvolution_forward_primitive_desc_create(&l->desc, engine,
                dnnl_forward_inference, dnnl_deconvolution_direct, &c.src_md, &c.weights_md, bias,
                &c.dst_md, w->strides, w->dilations, w->begin, w->end, l->attr));
    else
        TRY(dnnl_convolution_forward_primitive_desc_create(&l->desc, engine, dnnl_forward_inference,
                dnnl_convolution_direct, &c.src_md, &c.weights_md, bias, &c.dst_md, w->strides,
                w->dilations, w->begin, w->end, l->attr));
    TRY(lower_repack(l, 1, &stored, &args[1]));
    return lower_step(l, 3 + with_bias, args);
}

dnnl_status_t lower_conv(lower_t *l) {
    return forward(l, false);
}

dnnl_status_t lower_deconv(lower_t *l) {
    return forward(l, true);
}

/* The descriptor of the forward primitive, which the gradients ask for. */
static dnnl_status_t conv_hint(lower_t *l, const conv_t *c, bool transposed) {
    const windows_t *w = &c->w;
    if (transposed)
        return dnnl_deconvolution_forward_primitive_desc_create(&l->hint, l->program->engine,
                dnnl_forward_training, dnnl_deconvolution_direct, &c->src_md, &c->weights_md, NULL,
                &c->dst_md, w->strides, w->dilations, w->begin, w->end, l->attr);
    return dnnl_convolution_forward_primitive_desc_create(&l->hint, l->program->engine,
            dnnl_forward_training, dnnl_convolution_direct, &c->src_md, &c->weights_md, NULL,
            &c->dst_md, w->strides, w->dilations, w->begin, w->end, l->attr);
}

dnnl_status_t lower_conv_backward_data(lower_t *l) {
    const view_t dst = lower_in(l, 0), weights = lower_in(l, 1), src = lower_out(l, 0);
    const bool transposed = l->op->kind == KIND(conv_transpose_backward_data);
    conv_t c;
    TRY(set_conv(l, &c, &src, &weights, &dst, transposed));
    TRY(conv_hint(l, &c, transposed));
    const windows_t *w = &c.w;
    if (transposed)
        TRY(dnnl_deconvolution_backward_data_primitive_desc_create(&l->desc, l->program->engine,
                dnnl_deconvolution_direct, &c.src_md, &c.weights_md, &c.dst_md, w->strides,
                w->dilations, w->begin, w->end, l->hint, l->attr));
    else
        TRY(dnnl_convolution_backward_data_primitive_desc_create(&l->desc, l->program->engine,
                dnnl_convolution_direct, &c.src_md, &c.weights_md, &c.dst_md, w->strides,
                w->dilations, w->begin, w->end, l->hint, l->attr));
    const step_arg_t args[] = {
            {DNNL_ARG_DIFF_DST, c.dst}, {DNNL_ARG_WEIGHTS, c.weights}, {DNNL_ARG_DIFF_SRC, c.src}};
    return lower_step(l, 3, args);
}

dnnl_status_t lower_conv_backward_weights(lower_t *l) {
    const view_t src = lower_in(l, 0), dst = lower_in(l, 1), weights = lower_out(l, 0);
    const bool transposed = l->op->kind == KIND(conv_transpose_backward_weights);
    conv_t c;
    TRY(set_conv(l, &c, &src, &weights, &dst, transposed));
    TRY(conv_hint(l, &c, transposed));
    const windows_t *w = &c.w;
    if (transposed)
        TRY(dnnl_deconvolution_backward_weights_primitive_desc_create(&l->desc, l->program->engine,
                dnnl_deconvolution_direct, &c.src_md, &c.weights_md, NULL, &c.dst_md, w->strides,
                w->dilations, w->begin, w->end, l->hint, l->attr));
    else
        TRY(dnnl_convolution_backward_weights_primitive_desc_create(&l->desc, l->program->engine,
                dnnl_convolution_direct, &c.src_md, &c.weights_md, NULL, &c.dst_md, w->strides,
                w->dilations, w->begin, w->end, l->hint, l->attr));
    const step_arg_t args[] = {
            {DNNL_ARG_SRC, c.src}, {DNNL_ARG_DIFF_DST, c.dst}, {DNNL_ARG_DIFF_WEIGHTS, c.weights}};
    return lower_step(l, 3, args);
}

static dnnl_alg_kind_t pool_algorithm(const op_t *op) {
    if (op->kind == KIND(max_pool) || op->kind == KIND(max_pool_backward)) return dnnl_pooling_max;
    return op_flag(op, ATTR(exclude_pad)) ? dnnl_pooling_avg_exclude_padding
                                          : dnnl_pooling_avg_include_padding;
}

dnnl_status_t lower_pool(lower_t *l) {
    const view_t from = lower_in(l, 0), to = lower_out(l, 0);
    md_t src_md, dst_md;
    windows_t w;
    TRY(check_ranks(l));
    const view_t src = lower_images(l->op, &from), dst = lower_images(l->op, &to);
    TRY(view_md(&src, &src_md));
    TRY(view_md(&dst, &dst_md));
    set_windows(&w, l->op, &src, &dst, NULL);
    TRY(lower_epilogue(l, seen_as_images, 0, NULL));
    TRY(dnnl_pooling_forward_primitive_desc_create(&l->desc, l->program->engine,
            dnnl_forward_inference, pool_algorithm(l->op), &src_md, &dst_md, w.strides, w.kernel,
            w.dilations, w.begin, w.end, l->attr));
    const step_arg_t args[] = {{DNNL_ARG_SRC, src}, {DNNL_ARG_DST, dst}};
    return lower_step(l, 2, args);
}

/* The maximum has to be found again: the graph has no tensor for where it was. */
static dnnl_status_t find_maxima(lower_t *l, const view_t *src, const view_t *diff_dst) {
    view_t dst;
    TRY(program_temporary(l->program, src->dt, diff_dst->ndims, diff_dst->dims, &dst));
    const step_arg_t args[] = {{DNNL_ARG_SRC, *src}, {DNNL_ARG_DST, dst}};
    return program_add(l->program, l->hint, 2, args);
}

dnnl_status_t lower_pool_backward(lower_t *l) {
    const bool max = l->op->kind == KIND(max_pool_backward);
    const view_t from = lower_in(l, max), to = lower_out(l, 0);
    const dnnl_alg_kind_t alg = pool_algorithm(l->op);
    md_t src_md, dst_md, plain;
    windows_t w;
    TRY(check_ranks(l));
    const view_t dst = lower_images(l->op, &from), src = lower_images(l->op, &to);
    TRY(view_md(&src, &src_md));
    TRY(view_md(&dst, &dst_md));
    TRY(md_init_strides(&plain, dst.ndims, dst.dims, dst.dt, NULL));
    set_windows(&w, l->op, &src, &dst, NULL);
    TRY(lower_attr(l));
    view_t data = max ? lower_in(l, 0) : to;
    data = lower_images(l->op, &data);
    md_t data_md;
    TRY(view_md(&data, &data_md));
    TRY(dnnl_pooling_forward_primitive_desc_create(&l->hint, l->program->engine,
            dnnl_forward_training, alg, &data_md, &plain, w.strides, w.kernel, w.dilations, w.begin,
            w.end, l->attr));
    if (max) TRY(find_maxima(l, &data, &dst));
    TRY(dnnl_pooling_backward_primitive_desc_create(&l->desc, l->program->engine, alg, &src_md,
            &dst_md, w.strides, w.kernel, w.dilations, w.begin, w.end, l->hint, l->attr));
    const step_arg_t args[] = {{DNNL_ARG_DIFF_DST, dst}, {DNNL_ARG_DIFF_SRC, src}};
    return lower_step(l, 2, args);
}
