/* SPDX-License-Identifier: Apache-2.0 */
/* Normalizations. Their primitives have f32 for statistics, scale and shift. */
#include "core/alloc.h"
#include "core/util.h"
#include "graph/lower_util.h"
#include "graph/lowerings.h"

#define KIND(name) dnnl_graph_op_##name
enum { MOST_ARGS = 8 };

/* The arguments of one primitive. */
typedef struct {
    int n;
    step_arg_t list[MOST_ARGS];
} args_t;

static void add(args_t *args, int arg, const view_t *view) {
    args->list[args->n++] = (step_arg_t){arg, *view};
}

/* Input i as an f32 array of `count` elements. */
static dnnl_status_t add_array(lower_t *l, args_t *args, int arg, size_t i, dnnl_dim_t count) {
    view_t view;
    TRY(lower_array(l, i, count, dnnl_f32, &view));
    add(args, arg, &view);
    return dnnl_success;
}

/* Output i as an f32 tensor with these dims. */
static dnnl_status_t add_out(
        lower_t *l, args_t *args, int arg, size_t i, int ndims, const dnnl_dim_t *dims) {
    view_t view;
    TRY(lower_dense_out(l, i, dnnl_f32, &view));
    view = view_reshaped(&view, ndims, dims);
    add(args, arg, &view);
    return dnnl_success;
}

/* Copies the last `count` arguments to outputs number `first` and later, unless they are there. */
static dnnl_status_t finish(lower_t *l, const args_t *args, int count, size_t first) {
    for (int i = 0; i < count; i++)
        TRY(lower_finish(l, first + (size_t)i, &args->list[args->n - count + i].view));
    return dnnl_success;
}

static float epsilon(const op_t *op) {
    return op_f32(op, ATTR(epsilon), 1e-5f);
}

dnnl_status_t lower_batch_norm(lower_t *l) {
    const view_t from = lower_in(l, 0), to = lower_out(l, 0);
    const view_t src = lower_images(l->op, &from), dst = lower_images(l->op, &to);
    const dnnl_dim_t channels = src.dims[1];
    static const int names[] = {DNNL_ARG_SCALE, DNNL_ARG_SHIFT, DNNL_ARG_MEAN, DNNL_ARG_VARIANCE};
    args_t args = {0};
    md_t src_md, dst_md;
    add(&args, DNNL_ARG_SRC, &src);
    add(&args, DNNL_ARG_DST, &dst);
    for (size_t i = 0; i < 4; i++) TRY(add_array(l, &args, names[i], i + 1, channels));
    TRY(view_md(&src, &src_md));
    TRY(view_md(&dst, &dst_md));
    TRY(lower_attr(l));
    TRY(dnnl_batch_normalization_forward_primitive_desc_create(&l->desc, l->program->engine,
            dnnl_forward_inference, &src_md, &dst_md, epsilon(l->op),
            dnnl_use_global_stats | dnnl_use_scale | dnnl_use_shift, l->attr));
    return lower_step(l, args.n, args.list);
}

/* running = momentum * old + (1 - momentum) * batch, for mean (which = 0) or variance (1). */
static dnnl_status_t blend(lower_t *l, size_t which, const view_t *batch) {
    const float momentum = op_f32(l->op, ATTR(momentum), .5f);
    const float factors[] = {momentum, 1 - momentum};
    step_arg_t args[] = {
            {DNNL_ARG_MULTIPLE_SRC, {0}}, {DNNL_ARG_MULTIPLE_SRC + 1, *batch}, {DNNL_ARG_DST, {0}}};
    md_t mds[3];
    const const_dnnl_memory_desc_t srcs[] = {&mds[0], &mds[1]};
    TRY(lower_array(l, 1 + which, batch->dims[0], dnnl_f32, &args[0].view));
    TRY(lower_dense_out(l, 1 + which, dnnl_f32, &args[2].view));
    for (int i = 0; i < 3; i++) TRY(view_md(&args[i].view, &mds[i]));
    TRY(lower_attr(l));
    TRY(dnnl_sum_primitive_desc_create(
            &l->desc, l->program->engine, &mds[2], 2, factors, srcs, l->attr));
    TRY(lower_step(l, 3, args));
    return lower_finish(l, 1 + which, &args[2].view);
}

dnnl_status_t lower_batch_norm_training(lower_t *l) {
    const view_t from = lower_in(l, 0), to = lower_out(l, 0);
    const view_t src = lower_images(l->op, &from), dst = lower_images(l->op, &to);
    const dnnl_dim_t channels = src.dims[1];
    const size_t nin = l->op->in.count;
    const unsigned flags = (nin > 3 ? dnnl_use_scale : 0u) | (nin > 4 ? dnnl_use_shift : 0u);
    args_t args = {0};
    md_t src_md, dst_md;
    add(&args, DNNL_ARG_SRC, &src);
    add(&args, DNNL_ARG_DST, &dst);
    if (nin > 3) TRY(add_array(l, &args, DNNL_ARG_SCALE, 3, channels));
    if (nin > 4) TRY(add_array(l, &args, DNNL_ARG_SHIFT, 4, channels));
    TRY(add_out(l, &args, DNNL_ARG_MEAN, 3, 1, &channels));
    TRY(add_out(l, &args, DNNL_ARG_VARIANCE, 4, 1, &channels));
    TRY(view_md(&src, &src_md));
    TRY(view_md(&dst, &dst_md));
    TRY(lower_attr(l));
    TRY(dnnl_batch_normalization_forward_primitive_desc_create(&l->desc, l->program->engine,
            dnnl_forward_training, &src_md, &dst_md, epsilon(l->op), flags, l->attr));
    TRY(lower_step(l, args.n, args.list));
    for (size_t i = 0; i < 2; i++) TRY(blend(l, i, &args.list[args.n - 2 + (int)i].view));
    return finish(l, &args, 2, 3);
}

/* The scale of a gradient: input number `at`, or ones where there is none and its gradient is
 * wanted. */
static dnnl_status_t add_scale(
        lower_t *l, args_t *args, size_t at, dnnl_dim_t count, unsigned *flags) {
    if (l->op->in.count <= at && l->op->out.count < 2) return dnnl_success;
    *flags |= dnnl_use_scale;
    if (l->op->in.count > at) return add_array(l, args, DNNL_ARG_SCALE, at, count);
    view_t ones;
    float *values = dz_malloc((size_t)max_i64(count, 1) * sizeof *values);
    if (!values) return dnnl_out_of_memory;
    for (dnnl_dim_t i = 0; i < count; i++) values[i] = 1;
    const dnnl_status_t status = program_constant(l->program, dnnl_f32, 1, &count, values, &ones);
    dz_free(values);
    add(args, DNNL_ARG_SCALE, &ones);
    return status;
}

/* The gradients of scale and shift. The primitive computes that of a scale even where the graph has
 * no output for it. */
static dnnl_status_t add_gradients(lower_t *l, args_t *args, dnnl_dim_t count, unsigned *flags) {
    view_t unused;
    if (l->op->out.count > 1) TRY(add_out(l, args, DNNL_ARG_DIFF_SCALE, 1, 1, &count));
    if (l->op->out.count > 2) TRY(add_out(l, args, DNNL_ARG_DIFF_SHIFT, 2, 1, &count));
    if (l->op->out.count > 2) *flags |= dnnl_use_shift;
    if (l->op->out.count > 1 || !*flags) return dnnl_success;
    TRY(program_temporary(l->program, dnnl_f32, 1, &count, &unused));
    add(args, DNNL_ARG_DIFF_SCALE, &unused);
    return dnnl_success;
}

dnnl_status_t lower_batch_norm_backward(lower_t *l) {
    const dnnl_engine_t engine = l->program->engine;
    unsigned flags = 0;
    args_t args = {0};
    view_t views[] = {lower_in(l, 0), lower_in(l, 1), lower_out(l, 0)};
    static const int names[] = {DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_SRC};
    md_t mds[3];
    for (int i = 0; i < 3; i++) {
        views[i] = lower_images(l->op, &views[i]);
        add(&args, names[i], &views[i]);
        TRY(view_md(&views[i], &mds[i]));
    }
    const dnnl_dim_t channels = views[0].dims[1];
    TRY(add_array(l, &args, DNNL_ARG_MEAN, 2, channels));
    TRY(add_array(l, &args, DNNL_ARG_VARIANCE, 3, channels));
    TRY(add_scale(l, &args, 4, channels, &flags));
    TRY(add_gradients(l, &args, channels, &flags));
    TRY(lower_attr(l));
    TRY(dnnl_batch_normalization_forward_primitive_desc_create(&l->hint, engine,
            dnnl_forward_training, &mds[0], &mds[0], epsilon(l->op), flags, l->attr));
    TRY(dnnl_batch_normalization_backward_primitive_desc_create(&l->desc, engine,
            flags ? dnnl_backward : dnnl_backward_data, &mds[2], &mds[1], &mds[0], epsilon(l->op),
            flags, l->hint, l->attr));
    TRY(lower_step(l, args.n, args.list));
    return finish(l, &args, (int)l->op->out.count - 1, 1);
}

/* A tensor normalized over the axes from number `axis` on, as one whose last axis they are. */
typedef struct {
    int axis, ndims; /* ndims: of the tensor with one last axis */
    dnnl_dims_t dims;
    dnnl_dim_t count; /* of elements in the last axis */
} rows_t;

/* The program chose the dims: their product may be too large. */
static dnnl_status_t rows_of(const op_t *op, rows_t *rows) {
    const lt_t *src = &op->in.list[0];
    const int axis = normal_axis(op_s64(op, ATTR(begin_norm_axis), -1), src->ndims);
    *rows = (rows_t){.axis = axis, .count = 1};
    if (axis < 0)
        return verbose_check(dnnl_invalid_shape, "graph", "%s: there is no such axis", op->name);
    if (axis == 0) rows->dims[rows->ndims++] = 1;
    for (int d = 0; d < axis; d++) rows->dims[rows->ndims++] = src->dims[d];
    for (int d = axis; d < src->ndims; d++)
        if (!mul_ok(rows->count, src->dims[d], &rows->count))
            return verbose_check(dnnl_invalid_shape, "graph",
                    "%s: the axes have too many elements together", op->name);
    rows->dims[rows->ndims++] = rows->count;
    return dnnl_success;
}

/* Input i by rows; it is copied only if several axes are joined that are not dense. */
static dnnl_status_t rows_in(lower_t *l, const rows_t *rows, size_t i, view_t *view) {
    *view = lower_in(l, i);
    if (view->ndims == rows->ndims && rows->axis == view->ndims - 1) return dnnl_success;
    TRY(lower_dense(l, i, dnnl_data_type_undef, view));
    *view = view_reshaped(view, rows->ndims, rows->dims);
    return dnnl_success;
}

static dnnl_status_t rows_out(lower_t *l, const rows_t *rows, view_t *view) {
    *view = lower_out(l, 0);
    if (view->ndims == rows->ndims && rows->axis == view->ndims - 1) return dnnl_success;
    TRY(lower_dense_out(l, 0, view->dt, view));
    *view = view_reshaped(view, rows->ndims, rows->dims);
    return dnnl_success;
}

dnnl_status_t lower_layer_norm(lower_t *l) {
    const bool rms = l->op->kind == KIND(rms_norm), stats = l->op->out.count > 1;
    const size_t nin = l->op->in.count;
    const unsigned flags = (rms ? dnnl_rms_norm : 0u) | (nin > 1 ? dnnl_use_scale : 0u) |
                           (nin > 2 ? dnnl_use_shift : 0u);
    args_t args = {0};
    view_t src, dst;
    md_t src_md, dst_md, stats_md;
    rows_t rows;
    TRY(rows_of(l->op, &rows));
    TRY(rows_in(l, &rows, 0, &src));
    TRY(rows_out(l, &rows, &dst));
    add(&args, DNNL_ARG_SRC, &src);
    add(&args, DNNL_ARG_DST, &dst);
    if (nin > 1) TRY(add_array(l, &args, DNNL_ARG_SCALE, 1, rows.count));
    if (nin > 2) TRY(add_array(l, &args, DNNL_ARG_SHIFT, 2, rows.count));
    if (stats) TRY(add_out(l, &args, DNNL_ARG_MEAN, 1, rows.ndims - 1, rows.dims));
    if (stats) TRY(add_out(l, &args, DNNL_ARG_VARIANCE, 2, rows.ndims - 1, rows.dims));
    TRY(view_md(&src, &src_md));
    TRY(view_md(&dst, &dst_md));
    TRY(md_init_strides(&stats_md, rows.ndims - 1, rows.dims, dnnl_f32, NULL));
    TRY(lower_attr(l));
    TRY(dnnl_layer_normalization_forward_primitive_desc_create_v2(&l->desc, l->program->engine,
            stats ? dnnl_forward_training : dnnl_forward_inference, &src_md, &dst_md, &stats_md,
            dnnl_f32, epsilon(l->op), flags, l->attr));
    TRY(lower_step(l, args.n, args.list));
    TRY(lower_finish(l, 0, &dst));
    return stats ? finish(l, &args, 2, 1) : dnnl_success;
}

static dnnl_status_t rows_statistics(lower_t *l, const rows_t *rows, args_t *args) {
    dnnl_dim_t count = 1;
    for (int d = 0; d < rows->ndims - 1; d++)
        if (!mul_ok(count, rows->dims[d], &count))
            return verbose_check(dnnl_invalid_shape, "graph", "there are too many rows");
    TRY(add_array(l, args, DNNL_ARG_MEAN, 2, count));
    TRY(add_array(l, args, DNNL_ARG_VARIANCE, 3, count));
    for (int i = args->n - 2; i < args->n; i++)
        args->list[i].view = view_reshaped(&args->list[i].view, rows->ndims - 1, rows->dims);
    return dnnl_success;
}

dnnl_status_t lower_layer_norm_backward(lower_t *l) {
    const dnnl_engine_t engine = l->program->engine;
    unsigned flags = 0;
    args_t args = {0};
    view_t views[3];
    static const int names[] = {DNNL_ARG_SRC, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_SRC};
    md_t mds[3], stats_md;
    rows_t rows;
    TRY(rows_of(l->op, &rows));
    TRY(rows_in(l, &rows, 0, &views[0]));
    TRY(rows_in(l, &rows, 1, &views[1]));
    TRY(rows_out(l, &rows, &views[2]));
    for (int i = 0; i < 3; i++) {
        add(&args, names[i], &views[i]);
        TRY(view_md(&views[i], &mds[i]));
    }
    TRY(rows_statistics(l, &rows, &args));
    TRY(add_scale(l, &args, 4, rows.count, &flags));
    TRY(add_gradients(l, &args, rows.count, &flags));
    TRY(md_init_strides(&stats_md, rows.ndims - 1, rows.dims, dnnl_f32, NULL));
    TRY(lower_attr(l));
    TRY(dnnl_layer_normalization_forward_primitive_desc_create_v2(&l->hint, engine,
            dnnl_forward_training, &mds[0], &mds[0], &stats_md, dnnl_f32, epsilon(l->op), flags,
            l->attr));
    TRY(dnnl_layer_normalization_backward_primitive_desc_create_v2(&l->desc, engine,
            flags ? dnnl_backward : dnnl_backward_data, &mds[2], &mds[1], &mds[0], &stats_md,
            dnnl_f32, dnnl_f32, epsilon(l->op), flags, l->hint, l->attr));
    TRY(lower_step(l, args.n, args.list));
    TRY(lower_finish(l, 0, &views[2]));
    return finish(l, &args, (int)l->op->out.count - 1, 1);
}

dnnl_status_t lower_group_norm(lower_t *l) {
    const view_t from = lower_in(l, 0), to = lower_out(l, 0);
    const view_t src = lower_images(l->op, &from), dst = lower_images(l->op, &to);
    const dnnl_dim_t groups = op_s64(l->op, ATTR(groups), 1), stats_dims[] = {src.dims[0], groups};
    const bool affine = l->op->in.count > 1, stats = l->op->out.count > 1;
    args_t args = {0};
    md_t src_md, dst_md;
    add(&args, DNNL_ARG_SRC, &src);
    add(&args, DNNL_ARG_DST, &dst);
    if (affine) TRY(add_array(l, &args, DNNL_ARG_SCALE, 1, src.dims[1]));
    if (affine) TRY(add_array(l, &args, DNNL_ARG_SHIFT, 2, src.dims[1]));
    if (stats) TRY(add_out(l, &args, DNNL_ARG_MEAN, 1, 2, stats_dims));
    if (stats) TRY(add_out(l, &args, DNNL_ARG_VARIANCE, 2, 2, stats_dims));
    TRY(view_md(&src, &src_md));
    TRY(view_md(&dst, &dst_md));
    TRY(lower_attr(l));
    TRY(dnnl_group_normalization_forward_primitive_desc_create(&l->desc, l->program->engine,
            stats ? dnnl_forward_training : dnnl_forward_inference, &src_md, &dst_md, groups,
            epsilon(l->op), affine ? dnnl_use_scale | dnnl_use_shift : 0u, l->attr));
    TRY(lower_step(l, args.n, args.list));
    return stats ? finish(l, &args, 2, 1) : dnnl_success;
}
