/* SPDX-License-Identifier: Apache-2.0 */
/* Whole tiles for each work-group, or equal shares of the products of those tiles that would keep a part of
 * the device waiting: of all tiles where they are fewer than the device has room for (k is divided), of the
 * last wave where they are more. */
#include "ops/matmul/stream_k.h"

#include <stdio.h>
#include <string.h>

#include "core/util.h"
#include "core/verbose.h"
#include "kernels/lib/spec.h"
#include "plan/variant_id.h"

/* How many shares of a tile are added up in the time of a step, and how many there are at most. A share is
 * worth so many steps at least. */
enum { SPLITS_ADDED_PER_STEP = 8, MAX_SPLITS_PER_TILE = 64, MIN_STEPS_PER_SPLIT = 4 };
/* Of the time without shares they have to save one part in so many. */
enum { WORTH_SAVING = 8 };

int64_t matmul_forced_splits;

static void divide(
        stream_k_t *s, const matmul_work_t *work, int64_t whole, int64_t tiles, int64_t count) {
    const int64_t units = tiles * work->units;
    s->count = count;
    s->shares = (mm_stream_k_t){.whole = (int32_t)whole,
            .tiles = (int32_t)tiles,
            .units = (int32_t)work->units,
            .size = (int32_t)(units / count),
            .longer = (int32_t)(units % count),
            .across = (int32_t)work->across,
            .below = (int32_t)work->below};
}

/* Steps until the last share of so many tiles is added up. */
static int64_t split_steps(const matmul_work_t *work, int64_t tiles, int64_t count) {
    return div_up(tiles * work->units, count) * work->unit_steps + work->fixup_steps +
           div_up(count, tiles * SPLITS_ADDED_PER_STEP);
}

/* The best number of shares of so many tiles, fewer than there is room for. */
static int64_t best_count(const matmul_work_t *work, int64_t tiles, int64_t room, int64_t *steps) {
    const int64_t most = min_i64(work->units, MAX_SPLITS_PER_TILE);
    int64_t best = 0;
    for (int64_t n = 2; n <= most + 1; n++) {
        /* Each tile in n, and at last whatever there is room for. */
        const int64_t count =
                n <= most && n * tiles <= room ? n * tiles : min_i64(room, most * tiles);
        const int64_t now = split_steps(work, tiles, count);
        if (div_up(tiles * work->units, count) * work->unit_steps < MIN_STEPS_PER_SPLIT) break;
        if (!best || now < *steps) {
            best = count;
            *steps = now;
        }
        if (n * tiles > room) break;
    }
    return best;
}

#define TELL(...)                                                                                  \
    do {                                                                                           \
        if (!verbose_is_off(VERBOSE_DISPATCH))                                                     \
            snprintf(mm->reason, sizeof(mm->reason), __VA_ARGS__);                                 \
    } while (0)

void stream_k_decide(
        matmul_t *mm, const matmul_work_t *work, const matmul_result_t *r, stream_k_t *out) {
    const int64_t tiles = work->across * work->below * work->batch,
                  steps = work->units * work->unit_steps;
    const int64_t room = max_i64(work->threads / (work->group_m * work->group_n), 1);
    const int64_t waves = div_up(tiles, room), last = tiles - (waves - 1) * room;
    const int64_t otherwise = work->local_steps ? work->local_steps : waves * steps;
    memset(out, 0, sizeof(*out));
    if (tiles > INT32_MAX || tiles * work->units > INT32_MAX) {
        TELL("whole tiles: there are too many to be counted with 32 bits");
        return;
    }
    /* The plan has room for two steps more, then. */
    if (!r->complete && r->chain.len > PO_MAX_ENTRIES) {
        TELL("whole tiles: the attributes take many steps");
        return;
    }
    const int64_t forced = mm->pd->request.hints.forced_splits;
    if (forced) {
        divide(out, work, 0, tiles, min_i64(forced, tiles * work->units));
        TELL("%lld shares of %lld tiles were asked for", (long long)out->count, (long long)tiles);
    } else {
        int64_t with = 0;
        const int64_t count = last < room ? best_count(work, last, room, &with) : 0;
        if (waves > 1) with += (waves - 1) * steps + work->fixup_steps / 2;
        if (!count) {
            TELL("whole tiles: %lld of %lld steps for %lld work-groups at once %s",
                    (long long)tiles, (long long)steps, (long long)room,
                    last == room ? "fill all waves" : "are too short to be shared");
        } else if (with > otherwise - otherwise / WORTH_SAVING) {
            TELL("%s: %lld tiles for %lld work-groups at once take %lld steps, "
                 "and %lld with k shared by %lld of them",
                    work->local_steps ? "k is divided within work-groups" : "whole tiles",
                    (long long)tiles, (long long)room, (long long)otherwise, (long long)with,
                    (long long)count);
        } else {
            divide(out, work, tiles - last, last, count);
            TELL("%s: %lld tiles for %lld work-groups at once take %lld steps, "
                 "and %lld with the %s%lld shared by %lld",
                    waves == 1 ? "k is divided among work-groups" : "the last wave is shared",
                    (long long)tiles, (long long)room, (long long)otherwise, (long long)with,
                    waves == 1 ? "" : "last ", (long long)last, (long long)count);
        }
    }
    if (!out->count) return;
    const int64_t slot = (int64_t)work->group_m * work->group_n * work->rows * work->columns;
    out->slots = matmul_reserve(mm, (uint64_t)((out->shares.tiles + out->count - 1) * slot * 4));
}

bool matmul_next_launch(const stream_k_t *s, const matmul_work_t *work, const matmul_result_t *r,
        matmul_launch_t *launch) {
    const bool shared = s->count > 0, whole = shared && s->shares.whole > 0;
    const int n = launch->n++;
    if (n > whole) return false;
    launch->result = *r;
    launch->flags = !shared ? 0 : n < whole ? MMF_COUNTED : MMF_STREAM_K;
    launch->count[0] = (uint32_t)(!shared ? work->across : n < whole ? s->shares.whole : s->count);
    launch->count[1] = (uint32_t)(shared ? 1 : work->below);
    launch->count[2] = (uint32_t)(shared ? 1 : work->batch);
    if (launch->flags & MMF_STREAM_K) {
        launch->result.c.dt = dnnl_f32;
        epilogue_init(&launch->result.chain);
        epilogue_segment(&launch->result.seg, &launch->result.chain, 0);
    }
    return true;
}

void matmul_bind_slots(matmul_t *mm, const stream_k_t *s) {
    if (s->count) plan_scratch(mm->plan, s->slots);
    else plan_arg(mm->plan, -1, 0);
}

const char *matmul_plan_fixup(
        matmul_t *mm, const matmul_work_t *work, const stream_k_t *s, const matmul_result_t *r) {
    const int nd = mm->ndims;
    if (!s->count) return NULL;
    if (mm->plan->nsteps >= ROOM_STEPS) return "the chain of post-ops is too long";
    mm_fixup_t p;
    memset(&p, 0, sizeof(p));
    p.shares = s->shares;
    p.ndims = nd;
    p.slot = (int32_t)(work->group_m * work->group_n * work->rows * work->columns);
    p.tile_rows = work->rows;
    p.tile_blocks = work->columns / 16;
    p.across = work->group_n;
    p.pairs = work->pairs;
    for (int d = 0; d < nd; d++) {
        p.dims[d] = (int32_t)mm->dst.dims[d];
        p.c_stride[d] = r->c.stride[d];
    }
    const uint32_t size[3] = {MM_FIXUP_GROUP, 1, 1};
    const uint32_t count[3] = {(uint32_t)(p.slot / MM_FIXUP_GROUP), (uint32_t)p.shares.tiles, 1};
    plan_step(mm->plan, mm->exact ? KERNEL_matmul_fixup_ints : KERNEL_matmul_fixup, size, count);
    matmul_specs(mm->plan, dnnl_f32, dnnl_f32, r, 0);
    plan_scratch(mm->plan, s->slots);
    matmul_bind(mm->plan, &r->c);
    plan_const(mm->plan, &p, sizeof(p));
    epilogue_args(&r->seg, mm->pd, mm->mds, mm->plan);
    return NULL;
}
