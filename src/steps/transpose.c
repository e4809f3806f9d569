/* SPDX-License-Identifier: Apache-2.0 */
/* Which loops of an elementwise step make tiles to transpose in registers. */
#include "steps/transpose.h"

#include "core/memory_desc.h"
#include "core/status.h"
#include "core/util.h"
#include "plan/device.h"

enum {
    VECTOR_WORDS = 4,
    SPAN_BYTES = 64, /* a line of the side that is read or written by vectors */
    FEW = 8          /* lanes: fewer are not worth it */
};

/* The loop in which a tensor is contiguous; -1: none. */
static int contiguous_axis(const ew_loops_t *l, int tensor) {
    for (int i = l->naxes - 1; i >= 0; i--)
        if (l->stride[tensor][i] == 1) return i;
    return -1;
}

static bool share_limit(const ew_loops_t *l, int a, int b) {
    return l->limit_of[a] >= 0 && l->limit_of[a] == l->limit_of[b];
}

/* Are all sources of the epilogue one value along an axis? */
static bool epilogue_is_even(const ew_loops_t *l, int axis) {
    for (int t = EW_EPILOGUE; t < l->ntensors; t++)
        if (l->stride[t][axis]) return false;
    return true;
}

/* Tile utilisation of an axis, in percent. */
static int64_t use_of(const ew_loops_t *l, int axis, int64_t tile) {
    const int64_t size = l->axis[axis].size;
    return 100 * size / (div_up(size, tile) * tile);
}

/* The third loop: the fullest one, and among these the one with the smallest step on the side
 * that is written or read by lanes. A wider tile has block accesses, which are worth twice as
 * much. */
static int choose_part(const ew_loops_t *l, const ew_transpose_t *t) {
    int best = -1;
    int64_t best_use = 2 * use_of(l, t->fast, SG_TILE);
    if (!epilogue_is_even(l, t->fast)) return -1;
    for (int i = l->naxes - 1; i >= 0; i--) {
        if (i == t->fast || i == t->vec || !epilogue_is_even(l, i)) continue;
        const int64_t use = use_of(l, t->fast, SG_LANES) * use_of(l, i, SG_PARTS) / 100;
        if (use <= best_use) continue;
        best = i;
        best_use = use;
    }
    return best;
}

/* Copies of 2 or 4 bytes that stay together, as in weights with pairs or fours of k, are copies
 * of wider elements. */
static void find_together(ew_transpose_t *t, const ew_loops_t *l, dnnl_data_type_t dt) {
    const int last = l->naxes - 1;
    const int64_t n = l->axis[last].size, bytes = n * (int64_t)dt_size(dt);
    if (last == 0 || l->stride[EW_SRC][last] != 1 || l->stride[EW_DST][last] != 1) return;
    if (n == 1 || (bytes != 2 && bytes != 4)) return;
    for (int i = 0; i < l->nlimits; i++)
        if (i == l->limit_of[last] && (l->limit[i] % n || l->skip[i] % n)) return;
    for (int i = 0; i < last; i++)
        if (l->stride[EW_SRC][i] % n || l->stride[EW_DST][i] % n) return;
    t->combined = (int)n;
}

/* Copies of bits share modules: one type for each size of elements. */
static dnnl_data_type_t type_of_bytes(size_t bytes) {
    return bytes == 4 ? dnnl_f32 : bytes == 2 ? dnnl_bf16 : dnnl_u8;
}

static void put_together(const ew_transpose_t *t, ew_loops_t *l) {
    if (t->combined == 1) return;
    l->naxes--;
    for (int i = 0; i < l->naxes; i++) {
        l->stride[EW_SRC][i] /= t->combined;
        l->stride[EW_DST][i] /= t->combined;
    }
}

/* The loops of lanes and vectors. */
static const char *choose_loops(ew_transpose_t *t, const ew_loops_t *l) {
    const int from = contiguous_axis(l, EW_SRC), to = contiguous_axis(l, EW_DST);
    for (int i = 0; i < l->nlimits; i++)
        if (l->skip[i] > INT32_MAX / 2) return "a padded dimension has more than 2^30 elements";
    if (from < 0) return "the source is contiguous in no loop";
    if (to < 0) return "the destination is contiguous in no loop";
    if (from == to) return "nothing is to be transposed";
    if (share_limit(l, from, to))
        return "source and destination are contiguous in parts of one padded dimension";
    const int64_t read = l->axis[from].size, written = l->axis[to].size;
    t->gather = written >= SG_TILE || written >= read;
    t->fast = t->gather ? to : from;
    t->vec = t->gather ? from : to;
    if (l->axis[t->fast].size < FEW) return "the contiguous loops are short";
    t->part = choose_part(l, t);
    return NULL;
}

/* Counts the sub-groups that all tiles need; false: there are too many. */
static bool count_items(ew_transpose_t *t, const ew_loops_t *l) {
    t->items = div_up(l->axis[t->fast].size, t->part < 0 ? SG_TILE : SG_LANES);
    bool ok =
            mul_ok(t->items, t->vec_tiles, &t->items) && mul_ok(t->items, t->part_tiles, &t->items);
    for (int i = 0; ok && i < l->naxes; i++)
        if (i != t->fast && i != t->vec && i != t->part)
            ok = mul_ok(t->items, l->axis[i].size, &t->items);
    return ok && t->items <= INT32_MAX / 2;
}

static const char *choose_tile(
        ew_transpose_t *t, const ew_loops_t *l, dnnl_data_type_t src_dt, dnnl_data_type_t dst_dt) {
    REFUSE_IF(choose_loops(t, l));
    const int64_t size = (int64_t)dt_size(t->gather ? src_dt : dst_dt),
                  bytes = l->axis[t->vec].size * size;
    t->words = bytes >= 4 * VECTOR_WORDS ? VECTOR_WORDS : bytes >= 8 ? 2 : 1;
    t->span = (int)(SPAN_BYTES / size);
    t->vec_tiles = div_up(l->axis[t->vec].size, t->span);
    t->part_tiles = t->part < 0 ? 1 : div_up(l->axis[t->part].size, SG_PARTS);
    return count_items(t, l) ? NULL : "there are too many tiles";
}

const char *ew_transpose_of(ew_transpose_t *t, const ew_loops_t *l, dnnl_data_type_t src_dt,
        dnnl_data_type_t dst_dt, bool copy) {
    ew_loops_t wider = *l;
    if (dt_is_nibble(src_dt) || dt_is_nibble(dst_dt)) return "two elements share a byte";
    t->combined = 1;
    t->copied_as = dnnl_data_type_undef;
    if (copy && src_dt == dst_dt) {
        find_together(t, l, dst_dt);
        put_together(t, &wider);
        src_dt = dst_dt = t->copied_as = type_of_bytes((size_t)t->combined * dt_size(dst_dt));
    }
    return choose_tile(t, &wider, src_dt, dst_dt);
}

void ew_transpose_order(const ew_transpose_t *t, ew_loops_t *l) {
    put_together(t, l);
    const int last = l->naxes - 1;
    const int order[3] = {t->part, t->vec, t->fast};
    int moved[3], n = 0;
    for (int i = 0; i < 3; i++) {
        int at = order[i];
        for (int k = 0; k < n; k++) at -= moved[k] < order[i];
        if (order[i] < 0) continue;
        ew_loops_move(l, at, last);
        moved[n++] = order[i];
    }
}
