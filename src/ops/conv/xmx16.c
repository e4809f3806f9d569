/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of convolutions on matrix units of 16 lanes, which read the source with 2D block loads. */
#include "core/status.h"
#include "core/util.h"
#include "ops/conv/xmx.h"
#include "plan/device.h"
#include "plan/variant.h"

enum { OUTER = CONV_XMX_OUTER, ROWS = CONV_XMX_ROWS, COLUMNS = CONV_XMX_COLUMNS };
enum { LANES = 16 };
/* Output channels of large tiles. Small ones have a quarter. */
enum { LARGE = 64 };
/* One thread with a large tile keeps a matrix unit busy, and small tiles load four times as many
 * bytes for each of its instructions: they are faster only if large ones leave three quarters of
 * the units idle. */
enum { SMALL_TILE_SHARE = 4 };

/* A tile: pixels along the rows and along the columns of the view, and output channels. */
typedef struct {
    int rows, columns, channels;
} tile_t;

static tile_t tile_of(int variant) {
    const variant_geometry_t *g = &variants[variant].geometry;
    return (tile_t){g->piece, g->mt / g->piece, LANES * g->nt};
}

/* ---- the source ---- */

/* Bytes from a position to the next. With a single one, the distance is never used and can be
 * anything. */
static int64_t distance(const conv_xmx_t *x, int axis) {
    return x->as.win.in[axis] > 1 ? x->src_t.sp[axis] * conv_xmx_element(&x->as) : 0;
}

/* Bytes of a pixel. Behind the last channel, the rest of its block is zero. */
static int64_t pixel_bytes(const conv_xmx_t *x) {
    return max_i64(x->src_t.block, x->as.src.md->dims[1]) * conv_xmx_element(&x->as);
}

/* Taps beside one another whose channels lie beside one another are one tap. */
static void set_run(conv_xmx_t *x, int64_t column) {
    cv_xmx_t *p = &x->p;
    const int64_t pixel = pixel_bytes(x);
    const bool merge = column == pixel && x->as.groups == 1 && p->dilation[COLUMNS] == 1;
    int64_t run = x->as.groups > 1 ? x->as.ic * conv_xmx_element(&x->as) : pixel;
    if (merge) {
        run *= p->k[COLUMNS];
        p->k[COLUMNS] = 1;
    }
    p->run = (int32_t)run;
}

/* The pixels of all images become one row. */
static void join_images(conv_xmx_t *x) {
    cv_xmx_t *p = &x->p;
    int64_t pixels = x->as.mb;
    for (int i = 0; i < 3; i++) pixels *= x->as.win.in[i];
    p->in[ROWS] = p->out[ROWS] = (int32_t)pixels;
    p->in[OUTER] = p->out[OUTER] = p->images = 1;
}

/* The surface that block loads read: rows of pixels. row, column: bytes from one to the next. */
static const char *set_surface(conv_xmx_t *x, int64_t row, int64_t column) {
    cv_xmx_t *p = &x->p;
    const int64_t width = pixel_bytes(x) + (column ? (p->in[COLUMNS] - 1) * column : 0);
    if (width > BLOCK_LIMIT || row > BLOCK_LIMIT / p->stride[ROWS] || p->in[ROWS] > BLOCK_LIMIT)
        return "src is larger than block loads can reach";
    int64_t pitch = row * p->stride[ROWS];
    /* A surface of one row has any pitch. */
    if (p->in[ROWS] == 1) pitch = div_up(width, BLOCK_LINE) * BLOCK_LINE;
    if (pitch < width) return "the rows of src overlap";
    p->src_row = row;
    p->column = (int32_t)column;
    p->width = (int32_t)width;
    p->pitch = (int32_t)pitch;
    return NULL;
}

/* Where the taps along the rows are, in steps of the stride and what is left of them. */
static void set_row_taps(cv_xmx_t *p) {
    const int32_t first = -p->pad[ROWS], stride = p->stride[ROWS];
    p->first_step = -(int32_t)div_up(-first, stride);
    p->first_rest = first - p->first_step * stride;
    p->tap_step = p->dilation[ROWS] / stride;
    p->tap_rest = p->dilation[ROWS] % stride;
    p->in_steps = p->in[ROWS] / stride;
    p->in_rest = p->in[ROWS] % stride;
}

/* The parameters that say where the source is; NULL, or why block loads cannot reach it. */
static const char *set_source(conv_xmx_t *x, const conv_xmx_view_t *v) {
    cv_xmx_t *p = &x->p;
    const uint32_t element = conv_xmx_element(&x->as);
    const int rows_at = v->axis[ROWS], columns_at = v->axis[COLUMNS];
    int64_t column = 0;
    if (columns_at >= 0)
        column = x->as.win.in[columns_at] > 1 ? distance(x, columns_at) : pixel_bytes(x);
    REFUSE_IF(conv_xmx_set_window(x, v, column));
    set_run(x, column);
    if (v->dense) join_images(x);
    const int64_t row = v->dense ? x->src_t.sp[rows_at] * element : distance(x, rows_at);
    REFUSE_IF(set_surface(x, row, column));
    p->src_n = x->as.mb > 1 ? x->src_t.n * element : 0;
    p->src_outer = distance(x, v->axis[OUTER]);
    p->channels = (int32_t)(x->as.ic * element);
    set_row_taps(p);
    return NULL;
}

/* ---- the choice of a tile ---- */

/* Tiles of rows x columns pixels over all images. */
static int64_t count_tiles(const cv_xmx_t *p, int rows, int columns) {
    return (int64_t)div_up(p->out[ROWS], rows) * div_up(p->out[COLUMNS], columns) * p->out[OUTER] *
           p->images;
}

/* NULL, or why another variant is faster. */
static const char *why_another(const conv_xmx_t *x, const tile_t *t) {
    const conv_t *cv = &x->as;
    const cv_xmx_t *p = &x->p;
    if (cv->pd->request.hints.forced_variant >= 0) return NULL;
    const int64_t panels = cv->groups * p->phases * div_up(cv->oc, LARGE),
                  long_tiles = count_tiles(p, 32, 1), square_tiles = count_tiles(p, 8, 4);
    const int64_t units = cv->caps->compute_units / max_i64(cv->caps->threads_per_eu, 1);
    const bool few = min_i64(long_tiles, square_tiles) * panels * SMALL_TILE_SHARE < units;
    if (t->channels < LARGE && !few) return "for so many pixels larger tiles are faster";
    if (t->channels == LARGE && t->columns > 1 && long_tiles <= square_tiles)
        return "tiles along a row reach no further over the edges of the image";
    return NULL;
}

/* ---- the destination ---- */

/* Can the kernel write the result with block stores? Each column of pixels is a surface, which
 * begins with a line. */
static bool writes_blocks(conv_xmx_t *x, const conv_xmx_view_t *v, uint32_t *ops) {
    enum { ALL_BUT_CHANNELS = 1 << 0 | 1 << 2 | 1 << 3 | 1 << 4 };
    cv_xmx_t *p = &x->p;
    const md_t *dst = x->r.to.md;
    const int64_t size = (int64_t)dt_size(dst->data_type), width = p->oc * size;
    if (x->has_zero_point || conv_xmx_has_phases(&x->as)) return false;
    if (p->dst_c_inner != 1 || p->padded_oc != p->oc || p->dst_block < x->as.groups * p->oc ||
            width % BLOCK_LINE)
        return false;
    const int64_t pitch = p->out[ROWS] == 1 ? width : p->dst_row * size;
    if (!block_loads_take(p->out[ROWS], width, pitch)) return false;
    const int64_t moves[] = {p->images == 1 ? 0 : p->dst_n, p->out[OUTER] == 1 ? 0 : p->dst_outer,
            v->axis[COLUMNS] < 0 ? 0 : p->dst_column, dst->offset0};
    for (size_t i = 0; i < ARRAY_LEN(moves); i++)
        if (moves[i] * size % BLOCK_LINE) return false;
    p->dst_width = (int32_t)width;
    p->dst_pitch = (int32_t)pitch;
    return result_fits_blocks(&x->r, x->as.exact, ALL_BUT_CHANNELS, ops);
}

/* ---- the plan ---- */

static bool is_flat(const cv_xmx_t *p) {
    return p->in[OUTER] == 1 && p->out[OUTER] == 1 && p->k[OUTER] == 1 && !p->pad[OUTER] &&
           p->whole[OUTER] == 1;
}

/* May the kernel expect that the tensors begin with lines? */
static bool begins_with_lines(const conv_xmx_t *x, bool blocks) {
    const planner_t *p = x->as.p;
    return operand_may_be_aligned(p, &x->src, BLOCK_LINE) &&
           operand_may_be_aligned(p, &x->wei.at, BLOCK_LINE) &&
           (!blocks || operand_may_be_aligned(p, &x->r.to, BLOCK_LINE));
}

static const char *write_step(
        conv_xmx_t *x, int variant, const tile_t *t, const conv_xmx_view_t *v) {
    const caps_t *caps = x->as.caps;
    cv_xmx_t *p = &x->p;
    const int64_t below = count_tiles(p, t->rows, t->columns),
                  beside = div_up(p->padded_oc, t->channels);
    if (below > INT32_MAX / 2) return "dst is too large";
    /* Large work-groups prefetch for each other. */
    const bool large = t->channels == LARGE && below >= CONV_XMX_GROUP_M &&
                       beside >= CONV_XMX_GROUP_N &&
                       caps->max_group_size >= LANES * CONV_XMX_GROUP_M * CONV_XMX_GROUP_N;
    const int64_t group_m = large ? CONV_XMX_GROUP_M : 1, group_n = large ? CONV_XMX_GROUP_N : 1;
    p->tiles[0] = (int32_t)div_up(p->out[ROWS], t->rows);
    p->tiles[1] = (int32_t)div_up(p->out[COLUMNS], t->columns);
    uint32_t ops = 0;
    const bool blocks = writes_blocks(x, v, &ops);
    const conv_xmx_launch_t launch = {
            .size = {(uint32_t)(LANES * group_m * group_n), 1, 1},
            .count = {(uint32_t)div_up(beside, group_n), (uint32_t)div_up(below, group_m),
                    (uint32_t)(x->as.groups * p->phases)},
            .flags = (v->dense ? CVF_DENSE : 0) | (v->axis[COLUMNS] < 0 ? CVF_ALONG_W : 0) |
                     (large ? CVF_PREFETCH : 0) | (blocks ? CVF_BLOCKS : 0) |
                     (begins_with_lines(x, blocks) ? CVF_ALIGNED : 0) | (is_flat(p) ? CVF_FLAT : 0),
            .block_ops = ops,
    };
    return conv_xmx_write(x, variant, &launch);
}

const char *conv_plan_xmx16(planner_t *p, int variant) {
    const tile_t t = tile_of(variant);
    conv_xmx_t x;
    REFUSE_IF(conv_xmx_check(p, variants[variant].geometry.ints));
    REFUSE_IF(conv_xmx_plan_inputs(p, &x));
    const conv_xmx_view_t v = conv_xmx_view(&x.as, &x.src_t);
    REFUSE_IF(set_source(&x, &v));
    REFUSE_IF(why_another(&x, &t));
    REFUSE_IF(conv_xmx_set_params(&x, &v));
    return write_step(&x, variant, &t, &v);
}
