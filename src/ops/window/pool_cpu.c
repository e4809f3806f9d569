/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling on CPUs: a work-item does some rows of the result, by a chunk of channels or for one
 * channel. */
#include "core/status.h"
#include "core/util.h"
#include "ops/window/planners.h"
#include "ops/window/pool.h"
#include "plan/device.h"

static int64_t taps_of(const cv_window_t *w) {
    return (int64_t)w->k[0] * w->k[1] * w->k[2];
}

/* chunks: work-items that share a row. cost: what a tap of one of them costs, in quarters of what
 * it costs the kernel for rows. launch: flags and window. */
static const char *write_step(pool_t *pool, int variant, int64_t nrows, int64_t chunks,
        int64_t cost, pool_launch_t launch) {
    enum { ITEM_WORK = 16384 }; /* taps of a work-item: with more, cores wait for the last one */
    const int64_t items = window_cpu_items(&pool->w),
                  row_work = pool->w.win.out[2] * (taps_of(&pool->w.win) + 2) * cost / 4;
    pool->p.nrows = (int32_t)nrows;
    pool->p.rows = (int32_t)max_i64(
            1, min_i64(div_up(nrows * chunks, items), ITEM_WORK / max_i64(row_work, 1)));
    for (int i = 0; i < 3; i++) launch.size[i] = 1;
    launch.count[0] = (uint32_t)chunks;
    launch.count[1] = (uint32_t)div_up(nrows, pool->p.rows);
    launch.count[2] = 1;
    launch.knows = true;
    return pool_write(pool, variant, &launch);
}

/* The window as a constant of the module, if it is small and has no depth. */
static uint32_t known_window(const cv_window_t *w, int32_t stride) {
    if (w->k[0] != 1 || w->k[1] > POOL_MOST_TAPS || (w->dilation[1] != 1 && w->k[1] > 1)) return 0;
    return pool_known_window(w, stride);
}

/* Channels of a work-item: all of them, or one block. Where there are too few rows for all cores,
 * channels without blocks are divided, too. */
static int64_t chunk_of(const pool_t *pool, int64_t nrows) {
    enum { CHANNELS = 64 }; /* the kernel's inner loop does so many at once */
    const pool_params_t *p = &pool->p;
    const int64_t channels = p->padded_channels, items = window_cpu_items(&pool->w);
    if (p->src.block < channels || p->dst.block < channels)
        return min_i64(p->src.block, p->dst.block);
    if (nrows < items && channels > CHANNELS)
        return max_i64(CHANNELS, div_up(channels, div_up(items, nrows)) / CHANNELS * CHANNELS);
    return (channels + 15) / 16 * 16;
}

const char *pool_plan_cpu_channels(planner_t *p, int variant) {
    pool_t pool = pool_of(p);
    int64_t nrows;
    REFUSE_IF(pool_channel_tensors(&pool));
    REFUSE_IF(pool_set_params(&pool, false));
    REFUSE_IF(pool_count_rows(&pool, false, &nrows));
    pool.p.chunk = (int32_t)chunk_of(&pool, nrows);
    return write_step(&pool, variant, nrows, div_up(pool.p.padded_channels, pool.p.chunk),
            pool.p.chunk, (pool_launch_t){.window = known_window(&pool.w.win, 0)});
}

/* Does the kernel ask for rows before it reads them? Cores find rows that follow each other, but
 * begin anew at each page. Where a cache has them, it is for nothing. */
static bool asks_for_rows(const pool_t *pool) {
    return md_size(pool->w.src.md, 0) >= (uint64_t)bytes_past_caches(pool->w.p->caps) &&
           pool->w.win.in[1] > 1 && pool->p.src.sp[1] >= pool->w.win.in[2];
}

const char *pool_plan_cpu_rows(planner_t *p, int variant) {
    pool_t pool = pool_of(p);
    int64_t nrows;
    REFUSE_IF(pool_row_tensors(&pool));
    REFUSE_IF(pool_set_params(&pool, false));
    REFUSE_IF(pool_count_rows(&pool, false, &nrows));
    return write_step(&pool, variant, nrows * pool.p.padded_channels, 1, 4,
            (pool_launch_t){
                    .window = known_window(&pool.w.win, pool.w.win.stride[2]),
                    .flags = asks_for_rows(&pool) ? PLF_AHEAD : 0,
            });
}
