/* SPDX-License-Identifier: Apache-2.0 */
/* The source of a convolution for matrix units: in place, copied to pixels of whole lines of 64
 * bytes, or gathered, so that a pixel has the channels of several taps or of some of the groups. */
#include <stdio.h>

#include "core/status.h"
#include "core/util.h"
#include "ops/conv/xmx.h"
#include "plan/device.h"
#include "plan/variant_id.h"

static const char *const too_large = "a copy of src would be too large";

/* ---- copies of all channels ---- */

/* A copy whose pixels have multiples of 64 bytes, filled up with zeros. */
static const char *copy_source(conv_xmx_t *x) {
    static const char *const outer[] = {"acB", "acdB", "acdeB"};
    const conv_t *as = &x->as;
    const md_t *md = as->src.md;
    char tag[16];
    snprintf(tag, sizeof(tag), "%s%ub", outer[as->ndims - 3], BLOCK_LINE / conv_xmx_element(as));
    REFUSE_IF(why_not_of(
            md_init_string_tag(&x->copy, md->ndims, md->dims, md->data_type, tag), too_large));
    return image_copy(as->p, &as->src, &x->copy, &x->src);
}

/* ---- gathering ---- */

/* Sets the window that a pixel of the copy gathers, and takes it away from that of the kernel. */
static void move_window(conv_xmx_t *x, cv_gather_t *p) {
    cv_window_t *win = &x->as.win;
    for (int i = 0; i < 3; i++) {
        const bool gathers = i >= 3 - x->form.gathered;
        p->in[i] = win->in[i];
        p->size[i] = gathers ? win->out[i] : win->in[i];
        p->k[i] = gathers ? win->k[i] : 1;
        p->stride[i] = gathers ? win->stride[i] : 1;
        p->dilation[i] = gathers ? win->dilation[i] : 1;
        p->pad[i] = gathers ? win->pad[i] : 0;
        if (!gathers) continue;
        win->in[i] = win->out[i];
        win->k[i] = win->stride[i] = win->dilation[i] = 1;
        win->pad[i] = 0;
    }
}

/* Elements that lie next to each other: the channels of a tap, or those of a row of taps. */
static void set_run(cv_gather_t *p) {
    const int64_t reach = (int64_t)p->size[2] * p->stride[2] + p->pad[2] + p->k[2];
    p->run = p->channels;
    if (!p->whole || p->groups != 1 || p->src.c_inner != 1 || p->src.sp[2] != p->channels) return;
    if (p->k[2] == 1 || p->dilation[2] != 1 || max_i64(reach, p->in[2]) >= INT32_MAX / p->channels)
        return;
    p->run *= p->k[2];
    p->k[2] = 1;
}

/* The copy's descriptor: lines of all groups, one after the other. */
static const char *set_copy(conv_xmx_t *x, const cv_gather_t *p, int64_t lines) {
    const conv_t *as = &x->as;
    dnnl_dims_t dims = {as->mb, lines * BLOCK_LINE / conv_xmx_element(as)};
    for (int i = 0; i < 3; i++) {
        const int d = image_dim(as->ndims, i);
        if (d >= 0) dims[d] = p->size[i];
    }
    return why_not_of(md_init_string_tag(&x->copy, as->ndims, dims, as->src.md->data_type,
                              image_channels_last(as->ndims)),
            too_large);
}

static void write_step(const conv_xmx_t *x, const cv_gather_t *p, int64_t all_rows) {
    enum { PIXELS = 32 };
    const uint32_t size[3] = {1, PIXELS, 1};
    const uint32_t count[3] = {(uint32_t)(p->groups * p->lines),
            (uint32_t)div_up(p->size[2], PIXELS), (uint32_t)all_rows};
    plan_t *plan = x->as.p->plan;
    plan_step(plan, KERNEL_conv_gather, size, count);
    plan_spec(plan, SPEC_SRC_DT, (uint32_t)x->of.src.md->data_type);
    bind_operand(plan, &x->of.src);
    bind_operand(plan, &x->src);
    plan_const(plan, p, sizeof(*p));
}

static const char *gather_source(conv_xmx_t *x) {
    conv_t *as = &x->as;
    const int64_t lines = conv_xmx_lines(as, &x->form);
    int64_t rows, all_rows;
    cv_gather_t p = {
            .channels = (int32_t)(as->ic * x->form.merged),
            .groups = (int32_t)(as->groups / x->form.merged),
    };
    if (!image_tensor(&p.src, as->src.md)) return "src has more blocks than one of channels";
    move_window(x, &p);
    if (p.groups * lines > INT32_MAX / BLOCK_LINE || !mul_ok(p.size[0], p.size[1], &rows) ||
            rows > INT32_MAX || !mul_ok(rows, as->mb, &all_rows) || all_rows > INT32_MAX)
        return too_large;
    p.rows = (int32_t)rows;
    p.lines = (int32_t)lines;
    p.whole = p.src.block >= as->src.md->dims[1];
    p.group = p.channels * p.src.c_inner;
    set_run(&p);
    REFUSE_IF(set_copy(x, &p, p.groups * lines));
    x->src = operand_in_scratch(as->p, &x->copy);
    write_step(x, &p, all_rows);
    as->src = x->src;
    as->ic = lines * BLOCK_LINE / conv_xmx_element(as);
    return NULL;
}

/* ---- the source ---- */

/* How the kernel addresses it. Nothing lies between the blocks of a copy: they are like one. */
static void set_tensor(conv_xmx_t *x) {
    const md_t *md = x->src.md;
    cv_tensor_t *t = &x->src_t;
    image_tensor(t, md);
    if (!x->form.copied) return;
    const int64_t *strides = md->format_desc.blocking.strides;
    t->block = (int32_t)md->padded_dims[1];
    t->c_inner = 1;
    t->n = strides[0];
    for (int i = 0; i < 3; i++) {
        const int d = image_dim(x->as.ndims, i);
        if (d >= 0) t->sp[i] = strides[d];
    }
}

const char *conv_xmx_place_source(conv_xmx_t *x) {
    conv_t *as = &x->as;
    const conv_xmx_form_t *form = &x->form;
    const bool gathers = form->copied && (form->gathered > 0 || form->merged < as->groups);
    x->src = as->src;
    conv_xmx_reverse(as);
    if (gathers) {
        REFUSE_IF(gather_source(x));
    } else {
        if (form->copied) REFUSE_IF(copy_source(x));
        as->ic *= form->merged;
    }
    as->oc *= form->merged;
    as->groups /= form->merged;
    set_tensor(x);
    return NULL;
}
