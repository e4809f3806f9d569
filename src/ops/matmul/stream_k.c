/* SPDX-License-Identifier: Apache-2.0 */
/* Whole tiles for each work-group, or stream-K: the tiles that would keep a part of the device
 * waiting are divided into equal shares of their products. Those are all tiles if they are fewer
 * than the device has room for (k is divided), else the tiles of the last wave. */
#include "ops/matmul/stream_k.h"

#include <stdio.h>
#include <string.h>

#include "core/util.h"
#include "core/verbose.h"
#include "kernels/lib/spec.h"
#include "plan/variant_id.h"

/* Shares of a tile whose sums the fixup adds up in the time of a step; the most shares of a
 * tile; and the fewest steps of a share, below which a launch costs more than the share. */
enum { SPLITS_ADDED_PER_STEP = 8, MAX_SPLITS_PER_TILE = 64, MIN_STEPS_PER_SPLIT = 4 };
/* Stream-K is used only if it saves at least 1/WORTH_SAVING of the time: the estimate is no
 * better. */
enum { WORTH_SAVING = 8 };
/* A step of an epilogue applies so many operations. If the result needs more steps, stream-K is
 * not used. */
enum { MAX_EPILOGUE = PO_MAX_ENTRIES };

/* What the decision is made from. */
typedef struct {
    int64_t tiles, steps; /* work-groups' tiles; steps of one */
    int64_t room;         /* work-groups that the device runs at once */
    int64_t waves, last;  /* of work-groups; tiles of the last one */
    int64_t whole_time;   /* in steps: without stream-K */
    int64_t time;         /* with it */
    int64_t count;        /* the best number of shares of the last wave; 0: none is allowed */
} estimate_t;

static void divide(
        stream_k_t *s, const matmul_work_t *work, int64_t whole, int64_t tiles, int64_t count) {
    const int64_t units = tiles * work->units;
    s->count = count;
    s->split = (mm_stream_k_t){.whole = (int32_t)whole,
            .tiles = (int32_t)tiles,
            .units = (int32_t)work->units,
            .size = (int32_t)(units / count),
            .longer = (int32_t)(units % count),
            .across = (int32_t)work->across,
            .below = (int32_t)work->below};
}

/* Steps of the longest share. */
static int64_t share_steps(const matmul_work_t *work, int64_t tiles, int64_t count) {
    return div_up(tiles * work->units, count) * work->unit_steps;
}

/* Steps until the last share of so many tiles is added up. */
static int64_t split_steps(const matmul_work_t *work, int64_t tiles, int64_t count) {
    return share_steps(work, tiles, count) + work->fixup_steps +
           div_up(count, tiles * SPLITS_ADDED_PER_STEP);
}

/* The best number of shares of so many tiles, which are fewer than there is room for. */
static int64_t best_count(const matmul_work_t *work, int64_t tiles, int64_t room, int64_t *steps) {
    const int64_t most = min_i64(work->units, MAX_SPLITS_PER_TILE);
    int64_t best = 0;
    for (int64_t n = 2; n <= most + 1; n++) {
        /* Each tile in n shares, and at last as many as there is room for. */
        const int64_t count =
                n <= most && n * tiles <= room ? n * tiles : min_i64(room, most * tiles);
        const int64_t now = split_steps(work, tiles, count);
        if (share_steps(work, tiles, count) < MIN_STEPS_PER_SPLIT) break;
        if (!best || now < *steps) {
            best = count;
            *steps = now;
        }
        if (n * tiles > room) break;
    }
    return best;
}

static estimate_t estimate(const matmul_work_t *work) {
    estimate_t e = {.tiles = work->across * work->below * work->batch,
            .steps = work->units * work->unit_steps,
            .room = max_i64(work->threads / (work->group_m * work->group_n), 1)};
    e.waves = div_up(e.tiles, e.room);
    e.last = e.tiles - (e.waves - 1) * e.room;
    e.whole_time = work->local_steps ? work->local_steps : e.waves * e.steps;
    return e;
}

static void estimate_splits(const matmul_work_t *work, estimate_t *e) {
    if (e->last < e->room) e->count = best_count(work, e->last, e->room, &e->time);
    if (e->waves > 1) e->time += (e->waves - 1) * e->steps + work->fixup_steps / 2;
}

/* ---- the decision, and its reason ---- */

#define TELL(...)                                                                                  \
    do {                                                                                           \
        if (!verbose_is_off(VERBOSE_DISPATCH))                                                     \
            snprintf(mm->planner.reason, sizeof(mm->planner.reason), __VA_ARGS__);                 \
    } while (0)

/* As a test wants it. */
static void divide_as_forced(
        matmul_t *mm, const matmul_work_t *work, int64_t tiles, stream_k_t *out) {
    const int64_t forced = mm->planner.pd->request.hints.forced_splits;
    divide(out, work, 0, tiles, min_i64(forced, tiles * work->units));
    TELL("the caller asked for %lld shares of %lld tiles", (long long)out->count, (long long)tiles);
}

static void tell_whole_tiles(matmul_t *mm, const matmul_work_t *work, const estimate_t *e) {
    if (!e->count)
        TELL("whole tiles: %lld of %lld steps for %lld work-groups at once %s", (long long)e->tiles,
                (long long)e->steps, (long long)e->room,
                e->last == e->room ? "fill all waves" : "are too short for stream-K");
    else
        TELL("%s: %lld tiles for %lld work-groups at once take %lld steps, "
             "and %lld with k shared by %lld of them",
                work->local_steps ? "k is divided within work-groups" : "whole tiles",
                (long long)e->tiles, (long long)e->room, (long long)e->whole_time,
                (long long)e->time, (long long)e->count);
}

static void divide_as_estimated(
        matmul_t *mm, const matmul_work_t *work, estimate_t *e, stream_k_t *out) {
    estimate_splits(work, e);
    if (!e->count || e->time > e->whole_time - e->whole_time / WORTH_SAVING) {
        tell_whole_tiles(mm, work, e);
        return;
    }
    divide(out, work, e->tiles - e->last, e->last, e->count);
    TELL("%s: %lld tiles for %lld work-groups at once take %lld steps, "
         "and %lld with the %s%lld shared by %lld",
            e->waves == 1 ? "k is divided among work-groups" : "the last wave is shared",
            (long long)e->tiles, (long long)e->room, (long long)e->whole_time, (long long)e->time,
            e->waves == 1 ? "" : "last ", (long long)e->last, (long long)e->count);
}

/* The sums of a work-group. */
static int64_t sums_of_group(const matmul_work_t *work) {
    return (int64_t)work->group_m * work->group_n * work->rows * work->columns;
}

void stream_k_decide(matmul_t *mm, const matmul_work_t *work, const result_t *r, stream_k_t *out) {
    estimate_t e = estimate(work);
    memset(out, 0, sizeof(*out));
    if (e.tiles > INT32_MAX || e.tiles * work->units > INT32_MAX) {
        TELL("whole tiles: there are too many to be counted with 32 bits");
        return;
    }
    if (!r->complete && r->epilogue.len > MAX_EPILOGUE) {
        TELL("whole tiles: the attributes take many steps");
        return;
    }
    if (mm->planner.pd->request.hints.forced_splits) divide_as_forced(mm, work, e.tiles, out);
    else divide_as_estimated(mm, work, &e, out);
    if (!out->count) return;
    epilogue_t none;
    epilogue_init(&none);
    epilogue_segment(&out->nothing, &none, 0);
    /* A share has sums of its own in each tile that it begins or goes on with. */
    const uint64_t parts = (uint64_t)(out->split.tiles + out->count - 1);
    out->sums =
            planner_reserve(&mm->planner, parts * (uint64_t)sums_of_group(work) * sizeof(float));
}

/* ---- the steps ---- */

static void set_count(stream_k_launch_t *launch, int64_t x, int64_t y, int64_t z) {
    launch->count[0] = (uint32_t)x;
    launch->count[1] = (uint32_t)y;
    launch->count[2] = (uint32_t)z;
}

bool stream_k_next(const stream_k_t *s, const matmul_work_t *work, const result_t *r,
        stream_k_launch_t *launch) {
    const int n = launch->n++, first_of_shares = s->count && s->split.whole ? 1 : 0;
    if (n > first_of_shares) return false;
    launch->dt = r->to.md->data_type;
    launch->seg = &r->seg;
    if (!s->count) {
        launch->flags = 0;
        set_count(launch, work->across, work->below, work->batch);
    } else if (n < first_of_shares) {
        launch->flags = MMF_COUNTED;
        set_count(launch, s->split.whole, 1, 1);
    } else {
        launch->flags = MMF_STREAM_K;
        set_count(launch, s->count, 1, 1);
        launch->dt = dnnl_f32;
        launch->seg = &s->nothing;
    }
    return true;
}

void stream_k_bind(plan_t *plan, const stream_k_t *s) {
    if (s->count) plan_scratch(plan, s->sums);
    else plan_arg(plan, -1, 0);
}

static mm_fixup_t fixup_params(
        const matmul_t *mm, const matmul_work_t *work, const stream_k_t *s, const result_t *r) {
    mm_fixup_t params;
    memset(&params, 0, sizeof(params));
    params.shares = s->split;
    params.ndims = mm->ndims;
    params.slot = (int32_t)sums_of_group(work);
    params.tile_rows = work->rows;
    params.tile_blocks = work->columns / 16;
    params.across = work->group_n;
    params.pairs = work->pairs;
    for (int d = 0; d < mm->ndims; d++) {
        params.dims[d] = (int32_t)mm->dst.md->dims[d];
        params.c_stride[d] = r->to.md->dims[d] == 1 ? 0 : r->to.md->format_desc.blocking.strides[d];
    }
    return params;
}

void stream_k_fixup(
        matmul_t *mm, const matmul_work_t *work, const stream_k_t *s, const result_t *r) {
    planner_t *p = &mm->planner;
    if (!s->count) return;
    const mm_fixup_t params = fixup_params(mm, work, s, r);
    const uint32_t size[3] = {MM_FIXUP_GROUP, 1, 1};
    const uint32_t count[3] = {
            (uint32_t)(params.slot / MM_FIXUP_GROUP), (uint32_t)s->split.tiles, 1};
    plan_step(p->plan, mm->exact ? KERNEL_matmul_fixup_ints : KERNEL_matmul_fixup, size, count);
    result_specs(p->plan, r, dnnl_f32, dnnl_f32, 0);
    plan_scratch(p->plan, s->sums);
    bind_operand(p->plan, &r->to);
    plan_const(p->plan, &params, sizeof(params));
    epilogue_args(&r->seg, p->pd, p->mds, p->plan);
}
