/* SPDX-License-Identifier: Apache-2.0 */
/* The weights of a convolution for matrix units: panels of 16 output channels, in which 64 bytes of
 * k are a row; and the sums that a zero point of the source needs. */
#include "core/status.h"
#include "core/util.h"
#include "ops/conv/xmx.h"
#include "plan/device.h"
#include "plan/variant_id.h"

/* Panels stand in pairs; k goes through the taps, and for each through the channels. */
const char *conv_xmx_panels_tag(const conv_t *cv) {
    static const char *const tags[2][2][3] = {
            {{"AcB2a16b16a2b", "AcdB2a16b16a2b", "AcdeB2a16b16a2b"},
                    {"aBdC2b16c16b2c", "aBdeC2b16c16b2c", "aBdefC2b16c16b2c"}},
            {{"AcB2a16b16a4b", "AcdB2a16b16a4b", "AcdeB2a16b16a4b"},
                    {"aBdC2b16c16b4c", "aBdeC2b16c16b4c", "aBdefC2b16c16b4c"}},
    };
    return tags[cv->exact][cv->with_groups][cv->ndims - 3];
}

bool conv_xmx_has_own_panels(const conv_xmx_form_t *form) {
    return form->gathered > 0 || form->merged > 1;
}

static const char *const too_large = "weights are larger than block loads can reach";

static int64_t taps_of(const conv_t *cv) {
    int64_t taps = 1;
    for (int i = 0; i < 3; i++) taps *= cv->win.k[i];
    return taps;
}

/* ---- panels of a form's own ---- */

/* Sizes of the panels; NULL, or why block loads cannot reach them. */
static const char *set_sizes(conv_xmx_t *x) {
    enum { PAIR = 32 }; /* output channels of two panels */
    const int64_t lines = conv_xmx_lines(&x->of, &x->form);
    conv_xmx_panels_t *panels = &x->wei;
    int64_t inner = 1, outer = 1, rows, bytes;
    for (int i = 0; i < 3; i++) *(i >= 3 - x->form.gathered ? &inner : &outer) *= x->of.win.k[i];
    panels->inner = (int)inner;
    panels->outer_run = (int)(lines * BLOCK_LINE / conv_xmx_element(&x->of));
    panels->columns = div_up(x->as.oc, PAIR) * PAIR;
    panels->steps = outer * lines;
    if (!mul_ok(panels->columns, panels->steps, &rows) || rows > BLOCK_LIMIT ||
            !mul_ok(rows * BLOCK_LINE, x->as.groups, &bytes))
        return too_large;
    panels->group = rows * BLOCK_LINE;
    const dnnl_dims_t dims = {x->as.groups, rows, BLOCK_LINE / conv_xmx_element(&x->of)};
    return why_not_of(
            md_init_strides(&panels->md, 3, dims, conv_xmx_weights_dt(&x->of), NULL), too_large);
}

static cv_panels_t params_of(const conv_xmx_t *x, const md_t *wei) {
    const conv_t *of = &x->of;
    const conv_strides_t s = conv_weights_strides(of, wei);
    cv_panels_t p = {
            .wei_g = s.group,
            .wei_o = s.oc,
            .wei_i = s.ic,
            .merged = x->form.merged,
            .ic = (int32_t)of->ic,
            .oc = (int32_t)of->oc,
            .inner = x->wei.inner,
            .outer_run = x->wei.outer_run,
            .panel_steps = (int32_t)x->wei.steps,
            .rows = (int32_t)x->wei.md.dims[1],
    };
    for (int i = 0; i < 3; i++) {
        p.wei_k[i] = s.tap[i];
        p.k[i] = of->win.k[i];
    }
    return p;
}

/* A step packs the panels, from weights of their type without blocks. */
static const char *pack_panels(conv_xmx_t *x, const operand_t *from) {
    enum { GROUP = 64, WORDS_OF_ROW = 16 };
    REFUSE_IF(set_sizes(x));
    const cv_panels_t p = params_of(x, from->md);
    x->wei.at = operand_in_scratch(x->as.p, &x->wei.md);
    const uint32_t size[3] = {GROUP, 1, 1};
    const uint32_t count[3] = {
            (uint32_t)div_up((int64_t)p.rows * WORDS_OF_ROW, GROUP), (uint32_t)x->as.groups, 1};
    plan_t *plan = x->as.p->plan;
    plan_step(plan, KERNEL_conv_panels, size, count);
    plan_spec(plan, SPEC_SRC_DT, (uint32_t)from->md->data_type);
    bind_operand(plan, from);
    bind_operand(plan, &x->wei.at);
    plan_const(plan, &p, sizeof(p));
    return NULL;
}

static const char *place_own_panels(conv_xmx_t *x) {
    static const char *const plain[] = {"abc", "abcd", "abcde", "abcdef"};
    const conv_t *of = &x->of;
    const dnnl_data_type_t dt = conv_xmx_weights_dt(of);
    operand_t from = of->wei;
    md_t md;
    if (!md_is_plain(from.md) || from.md->data_type != dt)
        REFUSE_IF(conv_pack_weights(of, plain[of->ndims - 3 + of->with_groups], dt, &from, &md));
    return pack_panels(x, &from);
}

/* ---- weights ---- */

const char *conv_xmx_place_weights(conv_xmx_t *x) {
    const conv_t *of = &x->of;
    conv_xmx_panels_t *panels = &x->wei;
    const int first = of->with_groups;
    if (conv_xmx_has_own_panels(&x->form)) return place_own_panels(x);
    REFUSE_IF(conv_pack_weights(
            of, conv_xmx_panels_tag(of), conv_xmx_weights_dt(of), &panels->at, &panels->md));
    const md_t *md = &panels->md;
    panels->columns = md->padded_dims[first];
    panels->inner = 1;
    panels->outer_run = (int)md->padded_dims[first + 1];
    panels->steps = taps_of(of) * panels->outer_run * conv_xmx_element(of) / BLOCK_LINE;
    panels->group = first ? md->format_desc.blocking.strides[0] * conv_xmx_element(of) : 0;
    return panels->columns * panels->steps > BLOCK_LIMIT ? too_large : NULL;
}

/* ---- zero points ---- */

static const char *place_sums(conv_xmx_t *x, int64_t taps) {
    const int64_t columns = x->wei.columns, groups = x->as.groups;
    int64_t bytes;
    if (!mul_ok(taps * columns, groups * (int64_t)sizeof(int32_t), &bytes) || taps > INT32_MAX)
        return "sums of zero points would be too large";
    const dnnl_dims_t dims = {groups, taps, columns};
    REFUSE_IF(why_not_of(md_init_strides(&x->sums_md, 3, dims, dnnl_s32, NULL),
            "sums of zero points would be too large"));
    x->sums = operand_in_scratch(x->as.p, &x->sums_md);
    return NULL;
}

const char *conv_xmx_sum_zero_points(conv_xmx_t *x) {
    enum { COLUMNS_OF_GROUP = 16 };
    const conv_xmx_panels_t *panels = &x->wei;
    const conv_zero_point_t zero = conv_zero_point(&x->of, DNNL_ARG_SRC);
    const int64_t taps = taps_of(&x->of);
    REFUSE_IF(place_sums(x, taps));
    const cv_zero_t z = {.wei_g = panels->group,
            .channels = (int32_t)(x->of.ic * (x->of.groups / x->as.groups)),
            .taps = (int32_t)taps,
            .columns = (int32_t)panels->columns,
            .inner = panels->inner,
            .outer_run = panels->outer_run,
            .panel_steps = (int32_t)panels->steps,
            .za_dt = zero.dt,
            .za_step = zero.step};
    conv_t whole = x->of; /* before taps were gathered */
    conv_xmx_reverse(&whole);
    x->p.win = whole.win;
    x->p.zero_taps = z.taps;
    x->p.zero_columns = z.columns;
    const uint32_t size[3] = {COLUMNS_OF_GROUP, 1, 1};
    const uint32_t count[3] = {
            (uint32_t)(panels->columns / COLUMNS_OF_GROUP), (uint32_t)taps, (uint32_t)x->as.groups};
    plan_t *plan = x->as.p->plan;
    plan_step(plan, KERNEL_conv_zero_sums, size, count);
    plan_spec(plan, SPEC_SRC_DT, (uint32_t)panels->at.md->data_type);
    bind_operand(plan, &panels->at);
    bind_operand(plan, &x->sums);
    plan_const(plan, &z, sizeof(z));
    bind_zero_point(x->as.p, DNNL_ARG_SRC);
    return NULL;
}
