/* SPDX-License-Identifier: Apache-2.0 */
/* Operations that move elements. */
#include "graph/lower_util.h"
#include "graph/lowerings.h"

dnnl_status_t lower_reorder(lower_t *l) {
    const view_t src = lower_in(l, 0), dst = lower_out(l, 0);
    return lower_copy(l, &src, &dst);
}

dnnl_status_t lower_transpose(lower_t *l) {
    const view_t src = lower_in(l, 0), dst = lower_out(l, 0);
    const attribute_t *axes = op_attribute(l->op, ATTR(order));
    int order[DNNL_MAX_NDIMS];
    for (int d = 0; d < src.ndims; d++)
        order[d] = axes->count ? normal_axis(axes->value.s64[d], src.ndims) : src.ndims - 1 - d;
    const view_t permuted = view_permuted(&src, order);
    return lower_copy(l, &permuted, &dst);
}

/* Dense tensors can be seen with other dims. Where neither is dense, the source is copied first. */
dnnl_status_t lower_reshape(lower_t *l) {
    view_t src = lower_in(l, 0), dst = lower_out(l, 0), seen;
    if (lt_is_dense(&l->op->out.list[0]) && !lt_is_dense(&l->op->in.list[0])) {
        seen = view_reshaped(&src, src.ndims, src.dims);
        seen.place = dst.place;
        return lower_copy(l, &src, &seen);
    }
    if (!lt_is_dense(&l->op->in.list[0])) {
        TRY(program_temporary(l->program, src.dt, src.ndims, src.dims, &seen));
        TRY(lower_copy(l, &src, &seen));
        src = seen;
    }
    lt_t dense = l->op->out.list[0];
    lt_set_dense(&dense);
    seen = dst;
    seen.place = src.place;
    for (int d = 0; d < dense.ndims; d++) seen.strides[d] = dense.layout.strides[d];
    return lower_copy(l, &seen, &dst);
}

dnnl_status_t lower_concat(lower_t *l) {
    enum { MOST = 64 };
    step_arg_t args[MOST + 1];
    md_t mds[MOST], dst;
    const_dnnl_memory_desc_t srcs[MOST];
    const int n = (int)l->op->in.count, ndims = l->op->in.list[0].ndims;
    for (int i = 0; i < n; i++) {
        args[i] = (step_arg_t){DNNL_ARG_MULTIPLE_SRC + i, lower_in(l, (size_t)i)};
        TRY(view_md(&args[i].view, &mds[i]));
        srcs[i] = &mds[i];
    }
    args[n] = (step_arg_t){DNNL_ARG_DST, lower_out(l, 0)};
    TRY(view_md(&args[n].view, &dst));
    TRY(lower_attr(l));
    TRY(dnnl_concat_primitive_desc_create(&l->desc, l->program->engine, &dst, n,
            normal_axis(op_s64(l->op, ATTR(axis), 0), ndims), srcs, l->attr));
    return lower_step(l, n + 1, args);
}
