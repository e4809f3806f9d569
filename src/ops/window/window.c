/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/window/window.h"

#include "core/status.h"
#include "core/strings.h"
#include "core/util.h"
#include "core/verbose.h"
#include "plan/check.h"
#include "plan/op.h"
#include "plan/variant.h"

static void set_window(window_t *w) {
    const op_params_t *params = &w->pd->params;
    const operand_t *in = w->backward ? &w->dst : &w->src, *out = w->backward ? &w->src : &w->dst;
    for (int i = 0; i < 3; i++) {
        const int d = image_dim(w->ndims, i), s = d - 2; /* s: among the spatial dimensions */
        const bool has = d >= 0;
        w->win.in[i] = has ? (int32_t)in->md->dims[d] : 1;
        w->win.out[i] = has ? (int32_t)out->md->dims[d] : 1;
        w->win.k[i] = has ? (int32_t)params->kernel[s] : 1;
        w->win.stride[i] = has ? (int32_t)params->strides[s] : 1;
        w->win.dilation[i] = has ? (int32_t)params->dilates[s] + 1 : 1;
        w->win.pad[i] = has ? (int32_t)params->padding[0][s] : 0;
    }
}

window_t window_of(planner_t *p) {
    const bool backward = pd_result(p->pd) == DNNL_ARG_DIFF_SRC;
    window_t w = {
            .p = p,
            .pd = p->pd,
            .backward = backward,
            .src = operand_of(p, backward ? DNNL_ARG_DIFF_DST : DNNL_ARG_SRC),
            .dst = operand_of(p, pd_result(p->pd)),
    };
    w.ndims = w.src.md->ndims;
    w.mb = w.src.md->dims[0];
    w.channels = w.src.md->dims[1];
    set_window(&w);
    return w;
}

/* Dimensions that the kernels can address, the same number of images and channels. */
static dnnl_status_t check_sizes(const pd_t *pd, const md_t *src, const md_t *dst) {
    const char *kind = pd->op->name;
    if (src->ndims < 3 || src->ndims > 5 || dst->ndims != src->ndims)
        return verbose_check(dnnl_invalid_arguments, kind,
                "the source has %d dimensions, the destination %d", src->ndims, dst->ndims);
    for (int d = 0; d < 2; d++)
        if (src->dims[d] != dst->dims[d])
            return verbose_check(dnnl_invalid_arguments, kind,
                    "dimension %d differs between source and destination", d);
    for (int d = 0; d < src->ndims; d++)
        if (src->dims[d] > INT32_MAX / 4 || dst->dims[d] > INT32_MAX / 4)
            return verbose_refuse(dnnl_unimplemented, kind, "a dimension is 2^29 or more");
    return dnnl_success;
}

dnnl_status_t window_check(pd_t *pd) {
    const md_t *src = pd_md(pd, DNNL_ARG_SRC);
    md_t *dst = &pd->args[pd_find_arg(pd, DNNL_ARG_DST)].md;
    if (md_is_any(src))
        return verbose_check(dnnl_invalid_arguments, pd->op->name, "the source has no layout");
    TRY(check_sizes(pd, src, dst));
    TRY(ew_check_tensor(pd, src, "the source"));
    return ew_resolve(pd, dst, src, "the destination");
}

dnnl_status_t window_check_backward(pd_t *pd) {
    TRY(check_sizes(pd, pd_md(pd, DNNL_ARG_DIFF_SRC), pd_md(pd, DNNL_ARG_DIFF_DST)));
    return attr_check(pd, 0, 0, NULL);
}

dnnl_status_t window_plan(pd_t *pd, const caps_t *caps, const char *family) {
    if (md_has_zero_dim(pd_md(pd, pd_result(pd)))) return nothing_to_do(pd);
    planner_t p = planner_of(pd, caps);
    TRY(plan_with_variants(&p, pd, family));
    name_variant(pd);
    return planner_finish(&p, pd);
}

/* ---- tensors ---- */

/* from, or a copy of it without blocks, whose descriptor is *plain. */
static const char *place_source(
        planner_t *p, const operand_t *from, operand_t *src, md_t *plain, cv_tensor_t *t) {
    const md_t *md = from->md;
    *src = *from;
    if (image_tensor(t, md)) return NULL;
    REFUSE_IF(why_not_of(md_init_strides(plain, md->ndims, md->dims, md->data_type, NULL),
            "the source is too large"));
    image_tensor(t, plain);
    return image_copy(p, from, plain, src);
}

const char *window_tensors(
        const window_t *w, int lanes, window_tensors_t *x, cv_tensor_t *src, cv_tensor_t *dst) {
    x->ws = (operand_t){.slot = -1};
    REFUSE_IF(place_source(w->p, &w->src, &x->src, &x->plain, src));
    epilogue_init(&x->r.epilogue);
    epilogue_add_post_ops(&x->r.epilogue, w->pd);
    return image_result(w->p, &x->r, dst, &w->dst, (image_stores_t){.lanes = lanes});
}

void window_workspace(const window_t *w, window_tensors_t *x) {
    const int slot = pd_find_arg(w->pd, DNNL_ARG_WORKSPACE);
    if (slot < 0) return;
    x->ws = operand_at(w->p, slot);
    if (x->r.complete) return;
    x->ws_md = x->r.md;
    x->ws_md.data_type = x->ws.md->data_type;
    x->ws = operand_in_scratch(w->p, &x->ws_md);
}

const char *window_read(
        const window_t *w, int arg, operand_t *operand, md_t *plain, cv_tensor_t *t) {
    const operand_t from = operand_of(w->p, arg);
    return place_source(w->p, &from, operand, plain, t);
}

const char *window_finish(const window_t *w, const window_tensors_t *x) {
    REFUSE_IF(result_finish(w->p, &x->r));
    if (w->backward || !x->ws.md || x->r.complete) return NULL;
    const operand_t ws = operand_of(w->p, DNNL_ARG_WORKSPACE);
    return ew_copy(w->p, -1, &x->ws, &ws);
}

void window_bind(const window_t *w, const window_tensors_t *x) {
    bind_operand(w->p->plan, &x->src);
    bind_operand(w->p->plan, &x->r.to);
}

/* ---- layouts ---- */

const char *window_check_lanes(const cv_tensor_t *src, const cv_tensor_t *dst, int64_t channels) {
    enum { LANES = 16 };
    if (src->c_inner != 1 || (src->block % LANES && src->block < channels))
        return "channels do not lie next to each other";
    if (dst->block < channels && dst->block % LANES) return "blocks are not of 16 channels";
    return NULL;
}

/* Is the larger block of two tensors made of whole smaller ones? */
static bool blocks_agree(const cv_tensor_t *a, const cv_tensor_t *b, int64_t channels) {
    const int32_t small = a->block < b->block ? a->block : b->block,
                  large = a->block < b->block ? b->block : a->block;
    return small >= channels || large >= channels || large % small == 0;
}

const char *window_check_chunks(const cv_tensor_t *src, const cv_tensor_t *dst, int64_t channels) {
    REFUSE_IF(window_check_lanes(src, dst, channels));
    return blocks_agree(src, dst, channels) ? NULL : "blocks of source and destination overlap";
}

const char *window_width_last(const window_t *w, window_tensors_t *x, const cv_tensor_t *dst) {
    enum { AXES = 6 };
    axis_t axes[AXES] = {
            {0, 1, w->mb},
            {1, dst->block, div_up(w->dst.md->padded_dims[1], dst->block)},
            {1, 1, dst->block},
    };
    for (int i = 0; i < 3; i++) {
        const int d = image_dim(w->ndims, i);
        axes[3 + i] = d < 0 ? (axis_t){0, 1, 1} : (axis_t){d, 1, w->win.out[i]};
    }
    return epilogue_strides(&x->r.seg, w->pd, w->p->mds, axes, AXES);
}

const char *window_check_near(
        const window_t *w, const window_tensors_t *x, const cv_tensor_t *src) {
    int64_t far = 0;
    if (dt_is_nibble(x->src.md->data_type) || dt_is_nibble(x->r.to.md->data_type))
        return "two elements share a byte";
    for (int i = 0; i < 3; i++) far += (w->win.in[i] - 1) * (int64_t)src->sp[i];
    return far > INT32_MAX ? "an image is too large" : NULL;
}

int32_t window_padded_channels(const window_t *w, const result_t *r) {
    return (int32_t)(r->complete ? w->dst.md->padded_dims[1] : w->dst.md->dims[1]);
}

bool window_has_doubles(const window_t *w, const result_t *r) {
    return w->src.md->data_type == dnnl_f64 || result_has_doubles(r);
}

/* ---- work ---- */

int64_t window_cpu_items(const window_t *w) {
    enum { ITEMS_PER_UNIT = 8 };
    return ITEMS_PER_UNIT * max_i64(w->p->caps->compute_units, 1);
}

const char *window_count_points(
        const window_t *w, int32_t padded_channels, uint32_t size[3], uint32_t count[3]) {
    const int32_t *result = w->backward ? w->win.in : w->win.out;
    int64_t points = 1;
    for (int i = 0; i < 3; i++)
        if (!mul_ok(points, result[i], &points) || points > UINT32_MAX)
            return "an image has 2^32 or more elements";
    size[0] = WINDOW_GROUP;
    size[1] = size[2] = 1;
    count[0] = (uint32_t)div_up(padded_channels, WINDOW_GROUP);
    count[1] = (uint32_t)points;
    count[2] = (uint32_t)w->mb;
    return NULL;
}

const char *window_points(
        const window_t *w, const cv_tensor_t *dst, int32_t padded_channels, window_points_t *x) {
    enum { GROUP = 256, MOST_ROWS = 16, ENOUGH = 1 << 18, MOST_GROUPS = 65535 };
    uint32_t size[3], count[3];
    REFUSE_IF(window_count_points(w, padded_channels, size, count));
    const bool along = dst->c_inner == 1 && dst->block > 1;
    const int64_t items = (int64_t)count[1] * (along ? padded_channels : 1),
                  rows = w->mb * (along ? 1 : padded_channels);
    if (items > INT32_MAX - GROUP || rows > INT32_MAX) return "there are 2^31 or more elements";
    const double each = (double)items * (double)rows / ENOUGH;
    const int64_t few = (int64_t)(each < 1 ? 1 : each > MOST_ROWS ? MOST_ROWS : each);
    x->along_channels = along;
    x->nrows = (int32_t)rows;
    x->rows = (int32_t)max_i64(div_up(rows, MOST_GROUPS), few);
    x->size[0] = GROUP;
    x->size[1] = x->size[2] = 1;
    x->count[0] = (uint32_t)div_up(items, GROUP);
    x->count[1] = (uint32_t)div_up(rows, x->rows);
    x->count[2] = 1;
    return NULL;
}

/* ---- verbose ---- */

int window_format(const pd_t *pd, bool with_window, char *buf, size_t size) {
    static const char names[] = "dhw";
    planner_t p = {.pd = pd};
    const window_t w = window_of(&p);
    text_t text = text_start(buf, size);
    text_add(&text, "mb%lldic%lld", (long long)w.mb, (long long)w.channels);
    for (int i = 5 - w.ndims; i < 3; i++) {
        const char c = names[i];
        text_add(&text, "_i%c%do%c%d", c, w.win.in[i], c, w.win.out[i]);
        if (with_window)
            text_add(&text, "k%c%ds%c%dd%c%dp%c%d", c, w.win.k[i], c, w.win.stride[i], c,
                    w.win.dilation[i] - 1, c, w.win.pad[i]);
    }
    return text.len;
}
