/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/window/pool.h"

#include <float.h>

#include "core/status.h"
#include "core/util.h"
#include "ops/window/planners.h"
#include "plan/variant.h"

pool_t pool_of(planner_t *p) {
    return (pool_t){.w = window_of(p)};
}

const char *pool_channel_tensors(pool_t *pool) {
    enum { LANES = 16 };
    REFUSE_IF(window_tensors(&pool->w, LANES, &pool->x, &pool->p.src, &pool->p.dst));
    return window_check_chunks(&pool->p.src, &pool->p.dst, pool->w.channels);
}

const char *pool_row_tensors(pool_t *pool) {
    REFUSE_IF(window_tensors(&pool->w, 1, &pool->x, &pool->p.src, &pool->p.dst));
    if (pool->p.src.sp[2] != 1 && pool->w.win.in[2] > 1) return "rows are not contiguous";
    return window_width_last(&pool->w, &pool->x, &pool->p.dst);
}

/* The maximum over no elements. */
static float lowest(dnnl_data_type_t dt) {
    switch ((int)dt) {
    case dnnl_f16: return -65504;
    case dnnl_bf16: return -0x1.fep127f;
    case dnnl_s32: return -2147483648.0f;
    case dnnl_s8: return -128;
    case dnnl_u8: return 0;
    case dnnl_f8_e5m2: return -57344;
    case dnnl_f8_e4m3: return -448;
    default: return -FLT_MAX;
    }
}

bool pool_is_plane(const cv_window_t *w, const cv_tensor_t *src) {
    int64_t elements = 1;
    for (int i = 2; i >= 0; i--) {
        if (w->out[i] != 1 || w->k[i] != w->in[i] || w->pad[i] || w->dilation[i] != 1) return false;
        if (w->in[i] > 1 && src->sp[i] != elements) return false;
        elements *= w->in[i];
    }
    return elements <= INT32_MAX / 2;
}

/* Do some windows reach over the ends of rows, or lie beyond them as a whole? */
static bool is_ragged(const cv_window_t *w, bool whole) {
    const int64_t last = (int64_t)(w->out[2] - 1) * w->stride[2] - w->pad[2],
                  reach = (int64_t)(w->k[2] - 1) * w->dilation[2];
    if (!whole) return w->pad[2] > 0 || last + reach >= w->in[2];
    return w->pad[2] > reach || last >= w->in[2] || w->dilation[2] > w->in[2];
}

static bool is_exact(const window_t *w) {
    return w->pd->params.alg_kind != dnnl_pooling_max && ew_exact_integers(w->pd, w->p->caps);
}

const char *pool_set_params(pool_t *pool, bool has_f64) {
    const window_t *w = &pool->w;
    pool_params_t *p = &pool->p;
    uint32_t size[3], count[3];
    if (!has_f64 && (is_exact(w) || window_has_doubles(w, &pool->x.r)))
        return "it has no double arithmetic";
    window_workspace(w, &pool->x);
    p->win = w->win;
    p->channels = (int32_t)w->channels;
    p->padded_channels = window_padded_channels(w, &pool->x.r);
    p->lowest = lowest(w->dst.md->data_type);
    const bool counts = w->pd->params.alg_kind != dnnl_pooling_max || pool->x.ws.md;
    p->ragged = is_ragged(&w->win, !counts);
    return window_count_points(w, p->padded_channels, size, count);
}

/* Is the window small enough to count taps in 32 bits and to sum in one float without losing
 * terms? */
static bool counts_taps(const cv_window_t *w) {
    enum {
        MOST = 1 << 22
    }; /* a float has 24 bits: the sum of so many still changes with one more */
    int64_t taps = 1;
    for (int i = 0; i < 3; i++)
        if (!mul_ok(taps, w->k[i], &taps) || taps > MOST) return false;
    return true;
}

const char *pool_count_rows(const pool_t *pool, bool whole_plane, int64_t *nrows) {
    const window_t *w = &pool->w;
    int64_t of_channels = max_i64(pool->p.padded_channels, 1) * w->mb;
    *nrows = w->mb * w->win.out[0] * w->win.out[1];
    if (!mul_ok(of_channels, (int64_t)w->win.out[0] * w->win.out[1], &of_channels) ||
            of_channels > INT32_MAX)
        return "there are too many rows";
    if (!whole_plane && !counts_taps(&w->win)) return "a window is too large for one sum";
    return NULL;
}

uint32_t pool_known_window(const cv_window_t *w, int32_t stride) {
    if (w->k[2] > POOL_MOST_TAPS || (w->dilation[2] != 1 && w->k[2] > 1) || stride > INT16_MAX)
        return 0;
    return (uint32_t)(w->k[2] | w->k[1] << 8 | stride << 16);
}

static uint32_t flags_of(const pool_t *pool) {
    const dnnl_alg_kind_t alg = pool->w.pd->params.alg_kind;
    const md_t *ws = pool->x.ws.md;
    uint32_t flags = 0;
    if (alg == dnnl_pooling_max) flags |= PLF_MAX;
    if (alg == dnnl_pooling_avg_exclude_padding) flags |= PLF_EXCLUDE;
    if (ws) flags |= ws->data_type == dnnl_u8 ? PLF_WS_U8 : PLF_WS_S32;
    return flags;
}

const char *pool_write(const pool_t *pool, int variant, const pool_launch_t *launch) {
    const window_tensors_t *x = &pool->x;
    plan_t *plan = pool->w.p->plan;
    plan_step(plan, variant, launch->size, launch->count);
    plan_spec(plan, SPEC_SRC_DT, (uint32_t)x->src.md->data_type);
    plan_spec(plan, SPEC_DST_DT, (uint32_t)x->r.to.md->data_type);
    plan_spec(plan, SPEC_FLAGS, launch->flags | flags_of(pool));
    if (launch->parts) plan_spec(plan, SPEC_POOL_PARTS, launch->parts);
    if (launch->knows) plan_spec(plan, SPEC_POOL_WINDOW, launch->window);
    epilogue_specs(&x->r.seg, plan);
    window_bind(&pool->w, x);
    bind_operand(plan, x->ws.md ? &x->ws : NULL);
    plan_const(plan, &pool->p, sizeof(pool->p));
    epilogue_args(&x->r.seg, pool->w.pd, pool->w.p->mds, plan);
    return window_finish(&pool->w, x);
}

const char *pool_plan_portable(planner_t *p, int variant) {
    pool_t pool = pool_of(p);
    pool_launch_t launch = {.flags = 0};
    REFUSE_IF(window_tensors(&pool.w, 1, &pool.x, &pool.p.src, &pool.p.dst));
    REFUSE_IF(pool_set_params(&pool, variants[variant].needs_fp64));
    REFUSE_IF(window_count_points(&pool.w, pool.p.padded_channels, launch.size, launch.count));
    return pool_write(&pool, variant, &launch);
}
