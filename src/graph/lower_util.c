/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/lower_util.h"

#include <string.h>

#include "core/util.h"
#include "graph/constants.h"

enum { MOST_ARGS = 80 };

view_t view_of(const lt_t *lt, place_t place) {
    view_t view = {.ndims = lt->ndims, .dt = lt->data_type, .place = place};
    view.host = lt->property == dnnl_graph_tensor_property_host_scalar;
    if (view.dt == dnnl_boolean) view.dt = dnnl_u8;
    for (int d = 0; d < lt->ndims; d++) {
        view.dims[d] = lt->dims[d];
        view.strides[d] = lt->layout.strides[d];
    }
    return view.ndims || view.host ? view : view_expanded(&view, 1);
}

view_t lower_in(const lower_t *l, size_t i) {
    const node_t *from = i < MOST_FACTORS ? l->fused->from[i] : NULL;
    if (from) return view_of(&from->op->in.list[0], from->in[0]);
    return view_of(&l->op->in.list[i], l->in[i]);
}

view_t lower_out(const lower_t *l, size_t i) {
    const fused_t *fused = l->fused;
    const node_t *last =
            fused->nepilogue ? fused->epilogue[fused->nepilogue - 1].node : fused->node;
    return view_of(&last->op->out.list[i], last->out[i]);
}

view_t view_permuted(const view_t *view, const int *order) {
    view_t permuted = *view;
    for (int d = 0; d < view->ndims; d++) {
        permuted.dims[d] = view->dims[order[d]];
        permuted.strides[d] = view->strides[order[d]];
    }
    return permuted;
}

view_t view_expanded(const view_t *view, int ndims) {
    view_t expanded = *view;
    const int ones = ndims - view->ndims;
    for (int d = 0; d < ndims; d++) {
        expanded.dims[d] = d < ones ? 1 : view->dims[d - ones];
        expanded.strides[d] = d < ones ? 1 : view->strides[d - ones];
    }
    /* A stride of a dimension of 1 is never used, but those of outer ones are the larger ones. */
    for (int d = ones - 1; d >= 0; d--)
        if (d + 1 < ndims) expanded.strides[d] = expanded.strides[d + 1] * expanded.dims[d + 1];
    expanded.ndims = ndims;
    return expanded;
}

view_t lower_images(const op_t *op, const view_t *view) {
    int order[DNNL_MAX_NDIMS] = {0, channel_axis(op, view->ndims)};
    for (int i = 0; i < view->ndims - 2; i++) order[2 + i] = spatial_axis(op, i);
    return view_permuted(view, order);
}

view_t view_on_axis(const view_t *view, int ndims, int axis) {
    const dnnl_dim_t stride = view->strides[0], count = view->dims[0];
    view_t spread = *view;
    spread.ndims = ndims;
    for (int d = 0; d < ndims; d++) {
        spread.dims[d] = d == axis ? count : 1;
        spread.strides[d] = d < axis ? stride * count : d == axis ? stride : 1;
    }
    return spread;
}

view_t view_reshaped(const view_t *view, int ndims, const dnnl_dim_t *dims) {
    view_t reshaped = *view;
    dnnl_dim_t stride = 1;
    reshaped.ndims = ndims;
    for (int d = ndims - 1; d >= 0; d--) {
        reshaped.dims[d] = dims[d];
        reshaped.strides[d] = stride;
        stride *= max_i64(dims[d], 1);
    }
    return reshaped;
}

bool view_is_dense(const view_t *view) {
    const view_t dense = view_reshaped(view, view->ndims, view->dims);
    for (int d = 0; d < view->ndims; d++)
        if (view->dims[d] != 1 && view->strides[d] != dense.strides[d]) return false;
    return true;
}

dnnl_status_t lower_dense(lower_t *l, size_t i, dnnl_data_type_t dt, view_t *view) {
    const view_t in = lower_in(l, i);
    *view = in;
    if (lt_is_dense(&l->op->in.list[i]) && (!dt || dt == in.dt)) return dnnl_success;
    TRY(program_temporary(l->program, dt ? dt : in.dt, in.ndims, in.dims, view));
    return lower_copy(l, &in, view);
}

dnnl_status_t lower_array(
        lower_t *l, size_t i, dnnl_dim_t count, dnnl_data_type_t dt, view_t *view) {
    if (lt_count(&l->op->in.list[i]) != count)
        return verbose_check(dnnl_invalid_shape, "graph", "%s: input %zu has not %lld elements",
                l->op->name, i, (long long)count);
    TRY(lower_dense(l, i, dt, view));
    *view = view_reshaped(view, 1, &count);
    return dnnl_success;
}

dnnl_status_t lower_dense_out(lower_t *l, size_t i, dnnl_data_type_t dt, view_t *view) {
    const view_t out = lower_out(l, i);
    *view = out;
    if (lt_is_dense(&l->op->out.list[i]) && dt == out.dt) return dnnl_success;
    return program_temporary(l->program, dt, out.ndims, out.dims, view);
}

dnnl_status_t lower_finish(lower_t *l, size_t i, const view_t *view) {
    const view_t out = lower_out(l, i);
    if (view->place.kind != AT_SCRATCH) return dnnl_success;
    view_t from = view_reshaped(view, out.ndims, out.dims);
    return lower_copy(l, &from, &out);
}

dnnl_status_t lower_attr(lower_t *l) {
    dnnl_primitive_attr_destroy(l->attr);
    dnnl_post_ops_destroy(l->post_ops);
    l->attr = NULL;
    l->post_ops = NULL;
    TRY(dnnl_primitive_attr_create(&l->attr));
    TRY(dnnl_primitive_attr_set_fpmath_mode_v2(l->attr, l->mode->fpmath, l->mode->fpmath_of_int));
    return dnnl_primitive_attr_set_scratchpad_mode(l->attr, dnnl_scratchpad_mode_user);
}

bool lower_is_kept(const lower_t *l, const lt_t *lt, place_t place) {
    return place.kind == AT_INPUT && lt->property == dnnl_graph_tensor_property_constant &&
           constants_wanted(l->mode->engine_kind);
}

static bool is_kept(const lower_t *l, size_t i) {
    const node_t *from = i < MOST_FACTORS ? l->fused->from[i] : NULL;
    if (from) return lower_is_kept(l, &from->op->in.list[0], from->in[0]);
    return lower_is_kept(l, &l->op->in.list[i], l->in[i]);
}

dnnl_status_t lower_let_choose(const lower_t *l, size_t i, md_t *md) {
    const md_t stored = *md;
    if (!is_kept(l, i)) return dnnl_success;
    return md_init_tag(md, stored.ndims, stored.dims, stored.data_type, dnnl_format_tag_any);
}

/* The reorder has no attributes but the scratchpad's mode: those of the next primitive wait. */
static dnnl_status_t add_reorder(
        program_t *program, const md_t *from, const md_t *to, int nargs, const step_arg_t *args) {
    const dnnl_engine_t engine = program->engine;
    dnnl_primitive_attr_t attr;
    dnnl_primitive_desc_t desc = NULL;
    TRY(dnnl_primitive_attr_create(&attr));
    dnnl_status_t status = dnnl_primitive_attr_set_scratchpad_mode(attr, dnnl_scratchpad_mode_user);
    if (status == dnnl_success)
        status = dnnl_reorder_primitive_desc_create(&desc, from, engine, to, engine, attr);
    if (status == dnnl_success) status = program_add(program, desc, nargs, args);
    dnnl_primitive_desc_destroy(desc);
    dnnl_primitive_attr_destroy(attr);
    return status;
}

dnnl_status_t lower_repack(lower_t *l, size_t i, const md_t *md, step_arg_t *arg) {
    const md_t *chosen = dnnl_primitive_desc_query_md(l->desc, dnnl_query_exec_arg_md, arg->arg);
    step_arg_t args[] = {{DNNL_ARG_FROM, arg->view}, {DNNL_ARG_TO, arg->view}};
    view_t *to = &args[1].view;
    if (!is_kept(l, i) || md_equal(chosen, md)) return dnnl_success;
    to->layout = chosen;
    TRY(program_scratch(l->program, md_size(chosen, 0), &to->place));
    TRY(add_reorder(l->program, md, chosen, 2, args));
    arg->view = *to;
    return dnnl_success;
}

dnnl_status_t lower_step(lower_t *l, int nargs, const step_arg_t *args) {
    step_arg_t all[MOST_ARGS + MOST_EXTRA];
    memcpy(all, args, (size_t)nargs * sizeof *args);
    memcpy(all + nargs, l->extra, (size_t)l->nextra * sizeof *args);
    const dnnl_status_t status = program_add(l->program, l->desc, nargs + l->nextra, all);
    l->nextra = 0;
    dnnl_primitive_desc_destroy(l->desc);
    l->desc = NULL;
    return status;
}

dnnl_status_t lower_copy(lower_t *l, const view_t *from, const view_t *to) {
    const dnnl_engine_t engine = l->program->engine;
    md_t src, dst;
    TRY(view_md(from, &src));
    TRY(view_md(to, &dst));
    TRY(lower_attr(l));
    TRY(dnnl_reorder_primitive_desc_create(&l->desc, &src, engine, &dst, engine, l->attr));
    const step_arg_t args[] = {{DNNL_ARG_FROM, *from}, {DNNL_ARG_TO, *to}};
    return lower_step(l, 2, args);
}
