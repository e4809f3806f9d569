/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling on sub-groups of 16: each does a tile of channels, or of a row of the result. A tile has
 * up to SG_PARTS vectors. */
#include "core/status.h"
#include "core/util.h"
#include "ops/window/planners.h"
#include "ops/window/pool.h"
#include "plan/device.h"

/* Vectors that the registers have room for. Small ones have less with a workspace and with
 * post-ops. */
static int64_t most_parts(const pool_t *pool) {
    const bool ws = pool->x.ws.md != NULL, post_ops = pool->x.r.seg.count > 0;
    return has_small_registers(pool->w.p->caps) ? SG_PARTS >> (ws + post_ops) : SG_PARTS;
}

/* Vectors per tile: the largest power of two that divides the row; else enough to cover it, if
 * overhang is allowed. */
static int64_t count_parts(int64_t elements, int64_t most, bool overhang) {
    int64_t parts = 1;
    while (parts < most && elements % (SG_LANES * 2 * parts) == 0) parts *= 2;
    if (parts == 1 && overhang)
        while (parts < most && parts * SG_LANES < elements) parts *= 2;
    return parts;
}

/* items: tiles, each of which is a sub-group's. */
static const char *write_step(
        const pool_t *pool, int variant, int64_t items, int64_t parts, uint32_t flags) {
    const caps_t *caps = pool->w.p->caps;
    if (items > INT32_MAX / 2) return "there are too many tiles";
    const int64_t size = min_i64(SG_LANES * SG_GROUPS, caps->max_group_size / SG_LANES * SG_LANES);
    const pool_launch_t launch = {
            .size = {(uint32_t)size, 1, 1},
            .count = {(uint32_t)div_up(items, size / SG_LANES), 1, 1},
            .flags = flags,
            .parts = (uint32_t)parts,
    };
    return pool_write(pool, variant, &launch);
}

/* Results of a row that a sub-group does one after the other: as many as leave every thread ROUNDS
 * tiles. */
static int32_t results_of(const pool_t *pool, int64_t nrows, int64_t chunks) {
    enum { RESULTS = 8, ROUNDS = 16 };
    const int64_t threads = max_i64(pool->w.p->caps->compute_units, 1),
                  results = nrows * pool->w.win.out[2] * chunks;
    return (int32_t)max_i64(1, min_i64(RESULTS, results / (ROUNDS * threads)));
}

const char *pool_plan_sg16_channels(planner_t *planner, int variant) {
    pool_t pool = pool_of(planner);
    pool_params_t *p = &pool.p;
    int64_t nrows;
    REFUSE_IF(pool_channel_tensors(&pool));
    REFUSE_IF(pool_set_params(&pool, false));
    REFUSE_IF(pool_count_rows(&pool, false, &nrows));
    /* A tile may reach over the end of the channels, but not over that of a block. */
    const int64_t channels = pool.w.channels,
                  tile = min_i64(channels, min_i64(p->src.block, p->dst.block)),
                  parts = count_parts(tile, most_parts(&pool), tile == channels);
    p->nrows = (int32_t)nrows;
    p->chunk = (int32_t)(SG_LANES * parts);
    const int64_t chunks = div_up(p->padded_channels, p->chunk);
    p->rows = results_of(&pool, nrows, chunks);
    return write_step(
            &pool, variant, nrows * div_up(pool.w.win.out[2], p->rows) * chunks, parts, 0);
}

const char *pool_plan_sg16_rows(planner_t *planner, int variant) {
    pool_t pool = pool_of(planner);
    pool_params_t *p = &pool.p;
    const cv_window_t *win = &pool.w.win;
    int64_t nrows;
    REFUSE_IF(pool_row_tensors(&pool));
    REFUSE_IF(pool_set_params(&pool, false));
    const bool plane = pool_is_plane(win, &p->src);
    REFUSE_IF(pool_count_rows(&pool, plane, &nrows));
    const int64_t row = plane ? (int64_t)win->in[0] * win->in[1] * win->in[2] : win->out[2],
                  parts = count_parts(row, most_parts(&pool), true);
    p->nrows = (int32_t)(nrows * p->padded_channels);
    p->chunk = (int32_t)(SG_LANES * parts);
    return write_step(&pool, variant, (int64_t)p->nrows * div_up(win->out[2], p->chunk), parts,
            plane ? PLF_PLANE : 0);
}
