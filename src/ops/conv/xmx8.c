/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of convolutions on matrix units of 8 lanes, which read pixels wherever they begin at
 * multiples of 4 bytes. The sub-groups of a work-group share inputs in local memory. */
#include <stdlib.h>

#include "core/status.h"
#include "core/util.h"
#include "ops/conv/xmx.h"
#include "plan/device.h"
#include "plan/split_k.h"
#include "plan/variant.h"

enum { LANES = 8 };
/* Output channels of the largest tile, and of the one beside it. */
enum { WIDE = 128, NARROW = 64 };
/* Issue slots for a channel, from the loops of the two. */
enum { WIDE_COST = 4, NARROW_COST = 5 };
/* Bits of the word in which a lane keeps which taps are in the image. */
enum { LANE_TAPS = 32 };
/* Pixels and channels of a sub-group in a large tile. */
enum { SUBGROUP_ROWS = 16, SUBGROUP_COLUMNS = 32 };
/* One sub-group keeps a matrix unit busy, and small tiles load four times as many bytes for each of
 * its instructions: they are faster only if large ones leave three quarters of the units idle. */
enum { SMALL_TILE_SHARE = 4 };

/* A work-group's tile: pixels and output channels. */
typedef struct {
    int rows, columns, subgroups;
} tile_t;

static tile_t tile_of(int variant) {
    const variant_geometry_t *g = &variants[variant].geometry;
    return (tile_t){g->mt * g->sgm, SUBGROUP_COLUMNS * g->sgn, g->sgm * g->sgn};
}

static const conv_xmx_view_t view = {{0, 1, 2}, false};

/* ---- the source ---- */

static int64_t pixels_of(const cv_xmx_t *p) {
    return (int64_t)p->images * p->out[0] * p->out[1] * p->out[2];
}

/* Do windows reach outside of the source? Phases are tested against its edges in any case. */
static bool is_padded(const conv_xmx_t *x) {
    const cv_xmx_t *p = &x->p;
    for (int i = 0; i < 3; i++) {
        const int64_t first = -(int64_t)p->pad[i], window = (int64_t)(p->k[i] - 1) * p->dilation[i],
                      last = first + (int64_t)(p->out[i] - 1) * p->stride[i];
        if (first + min_i64(window, 0) < 0 || last + max_i64(window, 0) >= p->in[i]) return true;
    }
    return conv_xmx_has_phases(&x->as);
}

/* Bytes that positions are away from an image's corner, at most. step: bytes from a position to the
 * next. */
static const char *find_reach(const conv_xmx_t *x, const int64_t step[3], int64_t *reach) {
    const cv_xmx_t *p = &x->p;
    int64_t pixels = x->as.mb, image = 1, bytes;
    *reach = 0;
    for (int i = 0; i < 3; i++) {
        const int64_t window = (int64_t)(p->k[i] - 1) * p->dilation[i];
        const int64_t furthest = (int64_t)p->out[i] * p->stride[i] + labs(p->pad[i]) + labs(window);
        if (!mul_ok(furthest, step[i], &bytes) || bytes > INT32_MAX)
            return "src is larger than 2^31 bytes";
        *reach += bytes;
        image *= p->out[i];
        if (image > INT32_MAX / 2 || !mul_ok(pixels, p->out[i], &pixels) || pixels > INT32_MAX / 2)
            return "dst is too large";
    }
    return NULL;
}

/* 32 bits count the bytes from the first image of a tile to its last pixel. */
static const char *check_tile_bytes(const conv_xmx_t *x, const tile_t *tile, int64_t reach) {
    const cv_xmx_t *p = &x->p;
    const int64_t image = (int64_t)p->out[0] * p->out[1] * p->out[2];
    const int64_t images = min_i64(x->as.mb - 1, (tile->rows - 1) / image + 1);
    int64_t apart;
    return !mul_ok(images, p->src_n, &apart) || apart > INT32_MAX - reach
                   ? "the pixels of a tile are further apart than 2^31 bytes"
                   : NULL;
}

/* The parameters that say where the source is; NULL, or why lanes cannot reach it. */
static const char *set_source(conv_xmx_t *x, const tile_t *tile) {
    const conv_t *as = &x->as;
    const int64_t element = conv_xmx_element(as);
    cv_xmx_t *p = &x->p;
    int64_t step[3], reach;
    for (int i = 0; i < 3; i++) step[i] = as->win.in[i] > 1 ? x->src_t.sp[i] * element : 0;
    REFUSE_IF(conv_xmx_set_window(x, &view, step[2]));
    REFUSE_IF(find_reach(x, step, &reach));
    p->src_n = as->mb > 1 ? x->src_t.n * element : 0;
    REFUSE_IF(check_tile_bytes(x, tile, reach));
    p->src_outer = step[0];
    p->src_row = step[1];
    p->column = (int32_t)step[2];
    p->channels = (int32_t)(as->ic * element);
    /* Behind the last channel, the rest of its block is zero. */
    const int64_t block = max_i64(x->src_t.block, as->src.md->dims[1]) * element,
                  line = div_up(p->channels, BLOCK_LINE) * BLOCK_LINE;
    p->run = as->groups > 1 ? p->channels : (int32_t)min_i64(block, line);
    return NULL;
}

/* Does a pixel end within a line of 64 bytes? */
static bool has_part_of_line(const cv_xmx_t *p) {
    return p->run % BLOCK_LINE != 0;
}

static uint32_t flags_of(const conv_xmx_t *x) {
    const cv_xmx_t *p = &x->p;
    const int64_t taps = (int64_t)p->k[0] * p->k[1] * p->k[2];
    const bool padded = is_padded(x);
    return (padded ? CVF_PADDED : 0) | (padded && taps > LANE_TAPS ? CVF_MANY_TAPS : 0) |
           (has_part_of_line(p) ? CVF_PART_OF_LINE : 0);
}

/* ---- the choice of a tile ---- */

/* With 128-channel tiles the compiler has registers for at most two post-op tensors. Each of these
 * costs one: the source's zero point, the strides of a deconvolution, a part of a line. */
static bool lacks_registers(const conv_xmx_t *x) {
    const bool zero = x->has_zero_point, phases = conv_xmx_has_phases(&x->as);
    return (zero && phases) || x->r.seg.nsrcs > 2 - zero - phases - has_part_of_line(&x->p);
}

/* Are tiles of 64 channels faster than those of 128? */
static bool prefers_narrow(const conv_xmx_t *x, const tile_t *t, int64_t units) {
    const int64_t wide = div_up(x->as.oc, WIDE), narrow = div_up(x->as.oc, NARROW),
                  times = x->as.groups * x->p.phases;
    return narrow * NARROW * NARROW_COST < wide * WIDE * WIDE_COST || lacks_registers(x) ||
           div_up(pixels_of(&x->p), t->rows) * wide * times * t->subgroups < units;
}

/* NULL, or why another variant is faster. */
static const char *why_another(const conv_xmx_t *x, const tile_t *t) {
    const caps_t *caps = x->as.caps;
    if (x->as.pd->request.hints.forced_variant >= 0) return NULL;
    const int64_t units = caps->compute_units / max_i64(caps->threads_per_eu, 1);
    const int64_t subgroups = div_up(pixels_of(&x->p), SUBGROUP_ROWS) *
                              div_up(x->as.oc, SUBGROUP_COLUMNS) * x->as.groups * x->p.phases;
    const bool few = subgroups * SMALL_TILE_SHARE < units;
    if (t->subgroups == 1) return few ? NULL : "for so many pixels larger tiles are faster";
    if (few) return "smaller tiles keep more units busy";
    const bool narrow = prefers_narrow(x, t, units);
    if (t->columns == NARROW && !narrow) return "for so many channels wider tiles are faster";
    if (t->columns == WIDE && narrow) return "narrower tiles multiply less padding";
    return NULL;
}

/* ---- the plan ---- */

/* Local memory of a work-group, with the places of pixels if there are that many taps. */
static int64_t local_bytes(const tile_t *t, bool many_taps) {
    return CVX8_STAGES * CVX8_STAGE(t->rows, t->columns) + (many_taps ? CVX8_PLACES(t->rows) : 0);
}

static const char *check_groups(const caps_t *caps, const tile_t *t) {
    const bool fits = (uint32_t)(t->subgroups * LANES) <= caps->max_group_size &&
                      local_bytes(t, true) <= (int64_t)caps->local_mem_size;
    return fits ? NULL : "the device's work-groups are too small";
}

static const char *write_step(conv_xmx_t *x, int variant, const tile_t *t, uint32_t flags) {
    cv_xmx_t *p = &x->p;
    const int64_t below = div_up(pixels_of(p), t->rows), beside = div_up(p->padded_oc, t->columns),
                  groups = x->as.groups, steps = x->wei.steps,
                  bytes = local_bytes(t, flags & CVF_MANY_TAPS);
    int64_t split = 1;
    if (t->subgroups == 1 && p->phases == 1)
        split = split_k_parts(x->as.caps, below * beside * groups, steps, 1, bytes);
    p->part = (int32_t)(steps / split);
    const conv_xmx_launch_t launch = {
            .size = {(uint32_t)(LANES * t->subgroups * split), 1, 1},
            .count = {(uint32_t)beside, (uint32_t)below, (uint32_t)(groups * p->phases)},
            .flags = flags | (split > 1 ? CVF_SPLIT : 0),
            .local = (uint32_t)(bytes * split),
    };
    return conv_xmx_write(x, variant, &launch);
}

const char *conv_plan_xmx8(planner_t *p, int variant) {
    const tile_t t = tile_of(variant);
    conv_xmx_t x;
    REFUSE_IF(conv_xmx_check(p, variants[variant].geometry.ints));
    REFUSE_IF(check_groups(p->caps, &t));
    REFUSE_IF(conv_xmx_plan_inputs(p, &x));
    REFUSE_IF(set_source(&x, &t));
    if (t.columns == WIDE && lacks_registers(&x))
        return "the attributes leave no registers for so many sums";
    REFUSE_IF(why_another(&x, &t));
    REFUSE_IF(conv_xmx_set_params(&x, &view));
    return write_step(&x, variant, &t, flags_of(&x));
}
