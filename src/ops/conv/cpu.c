/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/conv/cpu.h"

#include "core/status.h"
#include "core/util.h"
#include "plan/variant_id.h"

bool conv_slides_over_source(const conv_t *cv) {
    const int32_t *s = cv->win.stride;
    return !cv->transposed || (s[0] == 1 && s[1] == 1 && s[2] == 1);
}

cv_window_t conv_source_window(const conv_t *cv) {
    cv_window_t w = cv->win;
    for (int i = 0; i < 3 && cv->transposed; i++) {
        w.pad[i] = -w.pad[i];
        w.dilation[i] = -w.dilation[i];
    }
    return w;
}

bool conv_is_padded(const cv_window_t *w) {
    for (int i = 0; i < 3; i++) {
        const int64_t last = (int64_t)(w->out[i] - 1) * w->stride[i] - w->pad[i];
        const int64_t reach = (int64_t)(w->k[i] - 1) * w->dilation[i];
        if (last + max_i64(reach, 0) >= w->in[i] || min_i64(reach, 0) < w->pad[i]) return true;
    }
    return false;
}

/* ---- the source with its padding ---- */

static const char *const too_large = "src is too large";

/* Sets the sizes of the copy, with `past` more pixels in each row, and the window over it. Counts
 * its rows along the width. */
static const char *set_copied_part(
        const conv_t *cv, cv_prepare_t *p, int64_t past, cv_window_t *win, int64_t *rows) {
    int64_t bytes = (int64_t)sizeof(float) * p->channels;
    *rows = cv->mb;
    for (int i = 0; i < 3; i++) {
        const int64_t reach = (int64_t)(win->k[i] - 1) * win->dilation[i];
        const int64_t out = max_i64(win->out[i] - 1, 0) * win->stride[i] +
                            (reach < 0 ? -reach : reach) + 1 + (i == 2 ? past : 0);
        if (out > INT32_MAX / 2) return too_large;
        p->in[i] = win->in[i];
        p->out[i] = (int32_t)out;
        p->first[i] = (int32_t)(min_i64(reach, 0) - win->pad[i]);
        win->in[i] = p->out[i];
        win->pad[i] = (int32_t)min_i64(reach, 0);
        if (i < 2) *rows *= out;
        if (!mul_ok(bytes, out, &bytes)) return too_large;
    }
    return *rows > INT32_MAX || !mul_ok(bytes, cv->mb, &bytes) ? too_large : NULL;
}

/* Rows of a work-item: its part of the copy stays in a core's nearest cache, and every core has
 * work. */
static int32_t rows_of_item(const conv_t *cv, const cv_prepare_t *p) {
    enum { ITEM_ELEMENTS = 32768 };
    const int64_t row = (int64_t)p->out[2] * p->channels,
                  items = CONV_GROUPS_PER_UNIT * (int64_t)max_i64(cv->caps->compute_units, 1);
    return (int32_t)max_i64(1, min_i64(ITEM_ELEMENTS / max_i64(row, 1), p->nrows / items));
}

static void write_step(const conv_t *cv, int kernel, const cv_prepare_t *p, const operand_t *copy) {
    const uint32_t size[3] = {1, 1, 1};
    const uint32_t count[3] = {(uint32_t)div_up(p->nrows, p->rows), 1, 1};
    plan_t *plan = cv->p->plan;
    plan_step(plan, kernel, size, count);
    plan_spec(plan, SPEC_SRC_DT, (uint32_t)cv->src.md->data_type);
    plan_spec(plan, SPEC_FLAGS, conv_has_zero_point(cv, DNNL_ARG_SRC) ? CVF_ZA : 0);
    bind_operand(plan, &cv->src);
    bind_operand(plan, copy);
    plan_const(plan, p, sizeof(*p));
    if (kernel == KERNEL_conv_prepare) bind_zero_point(cv->p, DNNL_ARG_SRC);
}

/* The descriptor and the distances of the copy. */
static const char *set_copy(
        const conv_t *cv, const cv_prepare_t *p, dnnl_data_type_t dt, cv_tensor_t *t, md_t *md) {
    dnnl_dims_t dims = {cv->mb, p->channels};
    for (int i = 0; i < 3; i++) {
        const int d = image_dim(cv->ndims, i);
        if (d >= 0) dims[d] = p->out[i];
    }
    *t = (cv_tensor_t){.c_inner = 1, .block = p->channels};
    t->sp[2] = p->channels;
    t->sp[1] = t->sp[2] * p->out[2];
    t->sp[0] = t->sp[1] * p->out[1];
    t->n = t->sp[0] * p->out[0];
    return why_not_of(
            md_init_string_tag(md, cv->ndims, dims, dt, image_channels_last(cv->ndims)), too_large);
}

const char *conv_prepare_source(
        const conv_t *cv, cv_window_t *win, cv_tensor_t *t, operand_t *copy, md_t *md) {
    cv_prepare_t p = {.channels = (int32_t)cv->src.md->dims[1]};
    int64_t rows;
    if (!image_tensor(&p.src, cv->src.md))
        return "the layout of src has more blocks than one of channels";
    REFUSE_IF(set_copied_part(cv, &p, 0, win, &rows));
    REFUSE_IF(set_copy(cv, &p, dnnl_f32, t, md));
    p.nrows = (int32_t)rows;
    p.rows = rows_of_item(cv, &p);
    const conv_zero_point_t zero = conv_zero_point(cv, DNNL_ARG_SRC);
    p.za_dt = zero.dt;
    p.za_step = zero.step;
    p.flat = p.src.sp[2] == p.channels && p.src.c_inner == 1 && p.src.block >= p.channels &&
             !zero.step;
    *copy = operand_in_scratch(cv->p, md);
    write_step(cv, KERNEL_conv_prepare, &p, copy);
    return NULL;
}

const char *conv_prepare_words(const conv_t *cv, const conv_words_t *words, cv_window_t *win,
        cv_tensor_t *t, operand_t *copy, md_t *md) {
    const int64_t channels = cv->src.md->dims[1];
    const bool bytes = words->dots == 4;
    cv_prepare_t p = {.channels = (int32_t)words->channels,
            .src_channels = (int32_t)channels,
            .moved = cv->src.md->data_type == dnnl_s8 ? 128 : 0};
    int64_t rows;
    if (!image_tensor(&p.src, cv->src.md))
        return "the layout of src has more blocks than one of channels";
    REFUSE_IF(set_copied_part(cv, &p, words->past, win, &rows));
    REFUSE_IF(set_copy(cv, &p, bytes ? dnnl_u8 : dnnl_bf16, t, md));
    p.nrows = (int32_t)rows;
    p.rows = rows_of_item(cv, &p);
    p.flat = p.src.sp[2] == channels && p.src.c_inner == 1 && p.src.block >= channels;
    *copy = operand_in_scratch(cv->p, md);
    write_step(cv, bytes ? KERNEL_conv_prepare_bytes : KERNEL_conv_prepare_bf16, &p, copy);
    return NULL;
}
