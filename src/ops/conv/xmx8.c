/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of the convolution rows for matrix units of 8 lanes: inputs as those for 16 lanes have them, but that
 * lanes load pixels from wherever they begin at multiples of 4 bytes. */
#include <stdlib.h>
#include <string.h>

#include "core/util.h"
#include "plan/block_loads.h"
#include "ops/conv/xmx.h"
#include "plan/variant_id.h"
#include "ops/matmul/xmx.h"
#include "plan/variant.h"

/* With what the flags of the rows say: tiles of the work-groups that share inputs. */
typedef struct {
    int row, rows, columns, subgroups;
    bool integers;
} tile_t;
static const tile_t tiles[] = {
        {KERNEL_conv_xmx8_f8x32, 8, 32, 1, false},
        {KERNEL_conv_xmx8_f128x64, 128, 64, 16, false},
        {KERNEL_conv_xmx8_f128x128, 128, 128, 16, false},
        {KERNEL_conv_xmx8_i8x32, 8, 32, 1, true},
        {KERNEL_conv_xmx8_i128x64, 128, 64, 16, true},
        {KERNEL_conv_xmx8_i128x128, 128, 128, 16, true},
};
enum {
    LANES = 8,
    WIDE = 128,
    NARROW = 64,
    LANE_TAPS = 32 /* bits that say which are in the image */
};
/* A unit is busy with one sub-group. Small tiles load four times as many bytes for each instruction of it. */
enum { SMALL_TILE_SHARE = 4, SUBGROUP_ROWS = 16, SUBGROUP_COLUMNS = 32 };
/* Issue slots for a channel, from the loops of tiles with 64 and with 128. */
enum { NARROW_COST = 5, WIDE_COST = 4 };

/* The parameters that say where the source is, and the flags for it; NULL, or why lanes cannot reach it. */
static const char *set_source(
        const conv_t *cv, const cv_tensor_t *t, const tile_t *tile, cv_xmx_t *p, uint32_t *flags) {
    const int64_t element = conv_xmx_element(cv);
    static const conv_xmx_view_t view = {{0, 1, 2}, false};
    int64_t at[3], pixels = cv->mb, image = 1, reach = 0, taps = 1;
    bool padded = conv_xmx_has_phases(cv);
    for (int i = 0; i < 3; i++) at[i] = cv->win.in[i] > 1 ? t->sp[i] * element : 0;
    const char *why_not = conv_xmx_set_window(cv, &view, at[2], p);
    if (why_not) return why_not;
    for (int i = 0; i < 3; i++) {
        const int64_t first = -(int64_t)p->pad[i], window = (int64_t)(p->k[i] - 1) * p->dilation[i],
                      last = first + (int64_t)(p->out[i] - 1) * p->stride[i];
        if (first + min_i64(window, 0) < 0 || last + max_i64(window, 0) >= p->in[i]) padded = true;
        const int64_t furthest = (int64_t)p->out[i] * p->stride[i] + labs(p->pad[i]) + labs(window);
        int64_t bytes;
        if (!mul_ok(furthest, at[i], &bytes) || bytes > INT32_MAX)
            return "src is larger than 2^31 bytes";
        reach += bytes;
        taps *= p->k[i];
        image *= p->out[i];
        if (image > INT32_MAX / 2 || !mul_ok(pixels, p->out[i], &pixels) || pixels > INT32_MAX / 2)
            return "dst is too large";
    }
    /* 32 bits count the bytes from the first image of a tile. */
    const int64_t images = min_i64(cv->mb - 1, (tile->rows - 1) / image + 1);
    p->src_n = cv->mb > 1 ? t->n * element : 0;
    int64_t apart;
    if (!mul_ok(images, p->src_n, &apart) || apart > INT32_MAX - reach)
        return "the pixels of a tile are further apart than 2^31 bytes";
    p->src_outer = at[0];
    p->src_row = at[1];
    p->column = (int32_t)at[2];
    p->channels = (int32_t)(cv->ic * element);
    /* What a block of channels has behind them is zero. */
    const int64_t block = max_i64(t->block, cv->src->dims[1]) * element,
                  line = div_up(p->channels, BLOCK_LINE) * BLOCK_LINE;
    p->run = cv->groups > 1 ? p->channels : (int32_t)min_i64(block, line);
    if (padded) *flags |= CVF_PADDED;
    if (padded && taps > LANE_TAPS) *flags |= CVF_MANY_TAPS;
    if (p->run % BLOCK_LINE) *flags |= CVF_PART_OF_LINE;
    return NULL;
}

static int64_t pixels_of(const cv_xmx_t *p) {
    return (int64_t)p->images * p->out[0] * p->out[1] * p->out[2];
}

/* The sums of tiles of 128 channels leave registers for two tensors of the attributes, and for one less with
 * the source's zero point, a deconvolution's strides or a part of a line: so the compiler says. */
static bool lacks_registers(const conv_t *cv, const conv_result_t *r, const cv_xmx_t *p) {
    const bool zero = conv_zero_of(cv, DNNL_ARG_SRC) != NULL, phases = conv_xmx_has_phases(cv),
               part = p->run % BLOCK_LINE != 0;
    return (zero && phases) || r->seg.nsrcs > 2 - zero - phases - part;
}

/* NULL, or why another row is better. */
static const char *why_another(
        const conv_t *cv, const tile_t *t, const conv_result_t *r, const cv_xmx_t *p) {
    if (cv->pd->request.hints.forced_variant >= 0) return NULL;
    const int64_t pixels = pixels_of(p), times = cv->groups * p->phases,
                  units = cv->caps->compute_units / max_i64(cv->caps->threads_per_eu, 1);
    const int64_t subgroups =
            div_up(pixels, SUBGROUP_ROWS) * div_up(cv->oc, SUBGROUP_COLUMNS) * times;
    const bool few = subgroups * SMALL_TILE_SHARE < units;
    if (t->subgroups == 1) return few ? NULL : "for so many pixels larger tiles are faster";
    if (few) return "smaller tiles keep more units busy";
    const int64_t wide = div_up(cv->oc, WIDE), narrow = div_up(cv->oc, NARROW);
    const bool is_narrow = narrow * NARROW * NARROW_COST < wide * WIDE * WIDE_COST ||
                           lacks_registers(cv, r, p) ||
                           div_up(pixels, t->rows) * wide * times * t->subgroups < units;
    if (t->columns == NARROW && !is_narrow) return "for so many channels wider tiles are faster";
    if (t->columns == WIDE && is_narrow) return "narrower tiles do less in vain";
    return NULL;
}

static const char *check(const conv_t *cv, const tile_t *t) {
    const char *why_not = conv_xmx_check_units(cv, t->integers);
    if (why_not) return why_not;
    if ((uint32_t)(t->subgroups * LANES) > cv->caps->max_group_size ||
            CVX8_STAGES * CVX8_STAGE(t->rows, t->columns) + CVX8_PLACES(t->rows) >
                    (int64_t)cv->caps->local_mem_size)
        return "the device's work-groups are too small";
    return NULL;
}

static const char *plan_tile(conv_t *cv, const tile_t *t) {
    conv_xmx_problem_t x;
    const char *why_not = check(cv, t);
    if (!why_not) why_not = conv_xmx_plan_inputs(cv, &x);
    if (why_not) return why_not;
    static const conv_xmx_view_t view = {{0, 1, 2}, false};
    cv_xmx_t *p = &x.p;
    uint32_t flags = 0;
    why_not = set_source(&x.as, &x.src, t, p, &flags);
    if (!why_not && t->columns == WIDE && lacks_registers(&x.as, &x.r, p))
        why_not = "the attributes leave no registers for so many sums";
    if (!why_not) why_not = why_another(&x.as, t, &x.r, p);
    if (!why_not) why_not = conv_xmx_set_params(cv, &view, &x);
    if (why_not) return why_not;

    const int64_t below = div_up(pixels_of(p), t->rows), beside = div_up(p->padded_oc, t->columns);
    const int64_t bytes = CVX8_STAGES * CVX8_STAGE(t->rows, t->columns) +
                          (flags & CVF_MANY_TAPS ? CVX8_PLACES(t->rows) : 0);
    const int64_t groups = x.as.groups, steps = x.wei.steps;
    const int64_t split =
            t->subgroups > 1 || p->phases > 1
                    ? 1
                    : xmx_split_of(cv->caps, below * beside * groups, steps, 1, bytes);
    p->part = (int32_t)(steps / split);
    const uint32_t size[3] = {(uint32_t)(LANES * t->subgroups * split), 1, 1};
    const uint32_t count[3] = {(uint32_t)beside, (uint32_t)below, (uint32_t)(groups * p->phases)};
    if (split > 1) flags |= CVF_SPLIT;
    return conv_xmx_plan_step(cv, &x, t->row, size, count, flags, (uint32_t)(bytes * split));
}

const char *conv_plan_xmx8(conv_t *cv, int row) {
    const tile_t *tile = tiles;
    while (tile->row != row) tile++;
    return plan_tile(cv, tile);
}
