/* SPDX-License-Identifier: Apache-2.0 */
/* The plans of backward pooling. */
#include "core/status.h"
#include "core/util.h"
#include "kernels/window/pool_backward_params.h"
#include "kernels/window/pool_params.h"
#include "ops/window/planners.h"
#include "ops/window/window.h"
#include "plan/device.h"
#include "plan/variant.h"

typedef struct {
    window_t w;
    window_tensors_t x;
    pool_backward_params_t p;
} pool_backward_t;

static const char *place_tensors(pool_backward_t *b, int lanes, bool has_f64) {
    REFUSE_IF(window_tensors(&b->w, lanes, &b->x, &b->p.src, &b->p.dst));
    if (!has_f64 && window_has_doubles(&b->w, &b->x.r)) return "the data is double precision";
    if (pd_find_arg(b->w.pd, DNNL_ARG_WORKSPACE) >= 0)
        REFUSE_IF(window_read(&b->w, DNNL_ARG_WORKSPACE, &b->x.ws, &b->x.ws_md, &b->p.ws));
    b->p.win = b->w.win;
    b->p.channels = (int32_t)b->w.channels;
    b->p.padded_channels = window_padded_channels(&b->w, &b->x.r);
    return NULL;
}

static uint32_t flags_of(const pool_backward_t *b) {
    const md_t *ws = b->x.ws.md;
    if (ws) return PLF_MAX | (uint32_t)(ws->data_type == dnnl_u8 ? PLF_WS_U8 : PLF_WS_S32);
    return b->w.pd->params.alg_kind == dnnl_pooling_avg_exclude_padding ? PLF_EXCLUDE : 0;
}

/* A kernel of a CPU writes past the caches if the result is larger than they are. */
static uint32_t cpu_flags_of(const pool_backward_t *b) {
    const bool large = b->x.r.complete && md_size(b->w.dst.md, 0) >= STREAM_BYTES;
    return flags_of(b) | (large ? PLF_STREAM : 0);
}

static const char *write_step(const pool_backward_t *b, int variant, uint32_t flags,
        const uint32_t size[3], const uint32_t count[3]) {
    plan_t *plan = b->w.p->plan;
    plan_step(plan, variant, size, count);
    plan_spec(plan, SPEC_SRC_DT, (uint32_t)b->x.src.md->data_type);
    plan_spec(plan, SPEC_DST_DT, (uint32_t)b->x.r.to.md->data_type);
    plan_spec(plan, SPEC_FLAGS, flags);
    window_bind(&b->w, &b->x);
    bind_operand(plan, b->x.ws.md ? &b->x.ws : NULL);
    plan_const(plan, &b->p, sizeof(b->p));
    return window_finish(&b->w, &b->x);
}

/* Channels of a work-item: those of the smallest block. */
static int32_t chunk_of(const pool_backward_t *b) {
    enum { LANES = 16 };
    const pool_backward_params_t *p = &b->p;
    int32_t chunk = (p->padded_channels + LANES - 1) / LANES * LANES;
    if (p->src.block < chunk) chunk = p->src.block;
    if (p->dst.block < chunk) chunk = p->dst.block;
    if (b->x.ws.md && p->ws.block < chunk) chunk = p->ws.block;
    return chunk;
}

/* The most windows that reach a position, of dimension d. */
static int64_t most_windows(const cv_window_t *w, int d) {
    const int64_t reach = (int64_t)(w->k[d] - 1) * w->dilation[d] / w->stride[d] + 1;
    return max_i64(1, min_i64(w->out[d], min_i64(w->k[d], reach)));
}

/* Pieces of rows, and how many of them a work-item has. */
static const char *divide_rows(pool_backward_t *b, int64_t chunks) {
    const cv_window_t *win = &b->w.win;
    const int64_t most = most_windows(win, 2);
    int64_t nrows, pieces;
    if (most > PB_WINDOWS || most_windows(win, 0) * most_windows(win, 1) > PB_ROWS)
        return "too many windows reach a position";
    b->p.columns = (int32_t)min_i64(PB_COLUMNS, min_i64(PB_WINDOWS / most, win->in[2]));
    if (!mul_ok(b->w.mb * win->in[0], win->in[1], &nrows) ||
            !mul_ok(nrows, div_up(win->in[2], b->p.columns), &pieces) || pieces > INT32_MAX / 2)
        return "there are too many rows";
    b->p.nrows = (int32_t)nrows;
    b->p.rows = (int32_t)div_up(pieces * chunks, window_cpu_items(&b->w));
    return NULL;
}

const char *pool_plan_backward_channels(planner_t *p, int variant) {
    enum { LANES = 16 };
    pool_backward_t b = {.w = window_of(p)};
    REFUSE_IF(place_tensors(&b, LANES, false));
    REFUSE_IF(window_check_chunks(&b.p.src, &b.p.dst, b.w.channels));
    if (b.x.ws.md) {
        REFUSE_IF(window_check_chunks(&b.p.ws, &b.p.dst, b.w.channels));
        REFUSE_IF(window_check_chunks(&b.p.ws, &b.p.src, b.w.channels));
    }
    b.p.chunk = chunk_of(&b);
    const int64_t chunks = div_up(b.p.padded_channels, b.p.chunk);
    REFUSE_IF(divide_rows(&b, chunks));
    const int64_t pieces = b.p.nrows * div_up(b.w.win.in[2], b.p.columns);
    return write_step(&b, variant, cpu_flags_of(&b), (const uint32_t[]){1, 1, 1},
            (const uint32_t[]){(uint32_t)chunks, (uint32_t)div_up(pieces, b.p.rows), 1});
}

/* Do a row of windows and the sums of a row fit in the kernel's buffers, with 16 elements of room
 * behind each? */
static bool fits_row(const cv_window_t *w) {
    enum { ROOM = 16 };
    const int64_t stride = w->stride[2], slots = (w->in[2] + w->pad[2] - 1) / stride + 1,
                  shift = (int64_t)(w->k[2] - 1) * w->dilation[2] / stride;
    return stride <= PB_TAPS && w->k[2] <= PB_TAPS && stride * (slots + ROOM) <= PB_ROW &&
           max_i64(slots, w->out[2]) + shift + ROOM <= PB_ROW;
}

const char *pool_plan_backward_rows(planner_t *p, int variant) {
    pool_backward_t b = {.w = window_of(p)};
    const cv_window_t *win = &b.w.win;
    int64_t nrows;
    REFUSE_IF(place_tensors(&b, 1, false));
    if (b.p.src.sp[2] != 1 && win->out[2] > 1) return "rows are not contiguous";
    if (b.x.ws.md && b.p.ws.sp[2] != 1 && win->out[2] > 1)
        return "rows of the workspace are not contiguous";
    if (!fits_row(win)) return "rows or windows are too long";
    if (!mul_ok(b.w.mb * b.p.padded_channels, (int64_t)win->in[0] * win->in[1], &nrows) ||
            nrows > INT32_MAX / 2)
        return "there are too many rows";
    b.p.nrows = (int32_t)nrows;
    b.p.rows = (int32_t)div_up(nrows, window_cpu_items(&b.w));
    return write_step(&b, variant, cpu_flags_of(&b), (const uint32_t[]){1, 1, 1},
            (const uint32_t[]){1, (uint32_t)div_up(nrows, b.p.rows), 1});
}

const char *pool_plan_backward(planner_t *p, int variant) {
    pool_backward_t b = {.w = window_of(p)};
    uint32_t size[3], count[3];
    REFUSE_IF(place_tensors(&b, 1, variants[variant].needs_fp64));
    REFUSE_IF(window_count_points(&b.w, b.p.padded_channels, size, count));
    return write_step(&b, variant, flags_of(&b), size, count);
}
