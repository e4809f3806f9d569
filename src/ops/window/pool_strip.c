/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling on GPUs without sub-groups: a work-item has some results below one another. */
#include "core/status.h"
#include "core/util.h"
#include "ops/window/planners.h"
#include "ops/window/pool.h"
#include "plan/variant.h"

/* Channels of a line of memory, if they lie next to each other: work-items with other positions of
 * the same line then share what they read in a cache. */
enum { CHANNELS = 32 };
enum { GROUP = 128 };
/* Work-groups in the second and the third dimension that every device takes. */
enum { MOST_GROUPS = 65535 };

/* Windows for which the lanes of a sub-group are the better work-items. */
static const char *check_window(const cv_window_t *w, const cv_tensor_t *src, int strip) {
    enum { MOST_TAPS = 64, SHORT = 4 };
    if (pool_is_plane(w, src)) return "the window is a whole plane";
    if (strip > SHORT && (w->stride[1] > 1 || w->out[1] < strip - 1))
        return "longer strips share no rows of the source";
    if (w->out[1] < SHORT / 2) return "there are no results below one another";
    return (int64_t)w->k[1] * w->k[2] > MOST_TAPS ? "the window is large" : NULL;
}

const char *pool_plan_strip(planner_t *planner, int variant) {
    pool_t pool = pool_of(planner);
    pool_params_t *p = &pool.p;
    const cv_window_t *win = &pool.w.win;
    const int strip = variants[variant].geometry.mr;
    int64_t nrows;
    REFUSE_IF(window_tensors(&pool.w, 1, &pool.x, &p->src, &p->dst));
    REFUSE_IF(pool_set_params(&pool, false));
    REFUSE_IF(pool_count_rows(&pool, false, &nrows));
    if (!variant_is_forced(planner->pd, variant)) REFUSE_IF(check_window(win, &p->src, strip));
    if (win->dilation[1] != 1 && win->k[1] > 1) return "windows have gaps below one another";
    REFUSE_IF(window_check_near(&pool.w, &pool.x, &p->src));
    const bool along = p->dst.c_inner == 1 && p->dst.block > 1,
               flat = win->in[0] == 1 && win->out[0] == 1 && win->k[0] == 1;
    p->chunk = along ? (int32_t)min_i64(CHANNELS, p->padded_channels) : 1;
    const int64_t items = (int64_t)p->chunk * win->out[2] * div_up(win->out[1], strip) *
                          win->out[0],
                  chunks = div_up(p->padded_channels, p->chunk),
                  rows = (int64_t)(strip - 1) * win->stride[1] + win->k[1];
    if (items > INT32_MAX - GROUP || chunks > MOST_GROUPS || pool.w.mb > MOST_GROUPS)
        return "there are too many rows";
    const pool_launch_t launch = {
            .size = {GROUP, 1, 1},
            .count = {(uint32_t)div_up(items, GROUP), (uint32_t)chunks, (uint32_t)pool.w.mb},
            .flags = (along ? PLF_CHANNELS : 0) | (flat ? PLF_FLAT : 0),
            .knows = true,
            .window = rows > POOL_MOST_ROWS(strip) ? 0 : pool_known_window(win, win->stride[1]),
    };
    return pool_write(&pool, variant, &launch);
}
