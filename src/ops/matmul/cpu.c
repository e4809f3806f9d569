/* SPDX-License-Identifier: Apache-2.0 */
/* The variants for CPUs: a work-item computes tiles of the result, whose sums stay in registers. */
#include "core/status.h"
#include "core/util.h"
#include "ops/matmul/cpu.h"
#include "ops/matmul/pack.h"
#include "ops/matmul/planners.h"
#include "ops/matmul/result.h"
#include "plan/variant.h"

/* How a tile goes through the weights. */
typedef enum {
    WALK_PANELS,  /* packed; or where they are if they are small */
    WALK_PAIRS,   /* packed as 16-bit integers, two k at a time; so is the source */
    WALK_DOTS,    /* packed as words of bytes or bf16, for dot products of the CPU */
    WALK_ROWS,    /* where they are, for few rows of the source */
    WALK_COLUMNS, /* where they are, transposed, for few rows of the source */
    WALK_WIDE,    /* where they are, in panels whose sums fill the nearest cache, for few rows */
} walk_t;

typedef struct {
    int variant;
    int rows, columns;
    walk_t walk;
} tile_t;

enum { LANES = 16 /* columns in a vector of the kernels */ };
/* Rows of the source up to which WALK_WIDE beats packing, and elements of weights that stay in
 * the nearest caches, so that packing them gains nothing. */
enum { WIDE_ROWS = 64, SMALL_WEIGHTS = 1 << 16 };
/* The fewest columns for which WALK_WIDE pays. */
enum { WIDE_COLUMNS = 8 * LANES };
/* Elements from one k to the next of a transposed source from which on its lines take few places in
 * the nearest cache; and columns for which copying such a source to rows pays. */
enum { FAR_APART = 128, COLUMNS_WORTH_ROWS = 64 };
/* Work-groups for each thread, so that all are busy to the end; products that pay for starting a
 * group; and the most tiles that a group computes. */
enum { GROUPS_PER_UNIT = 4, PRODUCTS_PER_GROUP = 150000, MAX_TILES = 16 };
/* The same where dot products multiply, whose groups also sum up columns of the weights. */
enum { DOTS_PER_GROUP = 4000000 };

/* A problem in the form that one tile sees. */
typedef struct {
    const tile_t *tile;
    int64_t batch; /* matrices of dst that have weights of their own */
    int64_t rows;  /* of dst that have the same weights */
    bool in_place; /* the weights are read where they are */
    matrix_t a, b;
    result_t r;
} product_t;

/* Elements in a word of WALK_DOTS. */
static int dots_of(const product_t *x) {
    return variants[x->tile->variant].geometry.dots;
}

/* Dot products read unsigned bytes of the source and signed ones of the weights. Others move by
 * 128. */
static int32_t moved(const matmul_t *mm, const operand_t *operand) {
    const dnnl_data_type_t reads = operand == &mm->src ? dnnl_u8 : dnnl_s8;
    const dnnl_data_type_t dt = operand->md->data_type;
    if (dt == reads || (dt != dnnl_s8 && dt != dnnl_u8)) return 0;
    return operand == &mm->src ? 128 : -128;
}

static bool walks_in_place(walk_t walk) {
    return walk == WALK_ROWS || walk == WALK_COLUMNS || walk == WALK_WIDE;
}

/* Does a zero point have to be subtracted before the sum? */
static bool has_zero_inside(const matmul_t *mm, int arg) {
    return matmul_zero_point(mm, arg) && !matmul_sums_integers(mm);
}

/* ---- the source ---- */

/* Is the source to be copied because its elements along k are far apart? */
static bool is_far_apart(const matmul_t *mm, walk_t walk, const matrix_t *a) {
    return walk == WALK_PANELS && mm->n >= COLUMNS_WORTH_ROWS && !matmul_is_unknown(mm, &mm->src) &&
           a->stride[mm->ndims - 2] == 1 && a->stride[mm->ndims - 1] >= FAR_APART;
}

/* Can the tile read the source as it is? Its elements are floats of any strides, but some walks
 * want a dense k, which has to be known. */
static bool is_source_ready(const matmul_t *mm, walk_t walk, const matrix_t *a) {
    if (walk == WALK_PAIRS || a->dt != dnnl_f32) return false;
    if (mm->scale_src || has_zero_inside(mm, DNNL_ARG_SRC)) return false;
    if (is_far_apart(mm, walk, a)) return false;
    return walk != WALK_COLUMNS ||
           (a->stride[mm->ndims - 1] == 1 && !matmul_is_unknown(mm, &mm->src));
}

/* The rows of the source as dot products read them: elements one after the other in whole words. */
static const char *place_dots_source(matmul_t *mm, const product_t *x, matrix_t *a) {
    const int nd = mm->ndims, dots = dots_of(x);
    REFUSE_IF(matrix_plain(mm, &mm->src, a));
    if (mm->k % dots == 0 && (a->stride[nd - 1] == 1 || mm->k == 1) && !moved(mm, &mm->src))
        return NULL;
    if (matmul_is_unknown(mm, &mm->src))
        return "src has run-time dims and would have to be converted";
    const int64_t row = div_up(mm->k, dots) * dots;
    const packing_t how = {.nv = 1,
            .dots = dots,
            .flip = moved(mm, &mm->src) != 0,
            .panels = 1,
            .row = row,
            .panel = row,
            .batch = mm->m * row};
    matmul_pack(mm, a, DNNL_ARG_SRC, mm->src.md, &how);
    return NULL;
}

static const char *place_source(matmul_t *mm, walk_t walk, matrix_t *a) {
    const int nd = mm->ndims;
    REFUSE_IF(matrix_plain(mm, &mm->src, a));
    if (is_source_ready(mm, walk, a)) return NULL;
    if (matmul_is_unknown(mm, &mm->src))
        return "src has run-time dims and would have to be converted";
    const bool needs_dense_k = walk == WALK_COLUMNS || walk == WALK_PAIRS;
    const bool by_rows = needs_dense_k || a->stride[nd - 1] == 1 || a->stride[nd - 2] != 1 ||
                         is_far_apart(mm, walk, a);
    const int64_t rows = by_rows ? mm->m : mm->k, panels = div_up(by_rows ? mm->k : mm->m, LANES);
    const packing_t how = {.row_dim = !by_rows,
            .nv = 1,
            .shorts = walk == WALK_PAIRS,
            .panels = panels,
            .row = panels * LANES,
            .panel = LANES,
            .batch = rows * panels * LANES};
    matmul_pack(mm, a, DNNL_ARG_SRC, mm->src.md, &how);
    return NULL;
}

/* ---- the weights ---- */

/* Do the number of rows and the size of the weights make it worthwhile to read them where they
 * are? NULL, or why not. */
static const char *worth_in_place(const matmul_t *mm, const product_t *x) {
    const walk_t walk = x->tile->walk;
    const bool small = mm->k * mm->n <= SMALL_WEIGHTS;
    if (walk == WALK_PAIRS) return "weights are to be 16-bit integers";
    if (walk == WALK_PANELS) return small ? NULL : "weights are large";
    if (matmul_is_unknown(mm, &mm->dst)) return "the rows are not counted before the run";
    if (x->rows > (walk == WALK_WIDE ? WIDE_ROWS : MATMUL_FEW_ROWS))
        return "for so many rows packed weights are faster";
    if (walk == WALK_WIDE && matmul_sums_integers(mm)) return "the sums are of integers";
    if (walk == WALK_WIDE && x->rows > MATMUL_FEW_ROWS && small)
        return "small weights are faster in tiles";
    return NULL;
}

/* Can the tile read the weights where they are? NULL, or why not. */
static const char *check_in_place(const matmul_t *mm, const product_t *x) {
    const int nd = mm->ndims;
    const bool columns = x->tile->walk == WALK_COLUMNS;
    REFUSE_IF(worth_in_place(mm, x));
    if (!md_is_plain(mm->wei.md)) return "weights have blocks";
    if (mm->wei.md->format_desc.blocking.strides[columns ? nd - 2 : nd - 1] != 1)
        return columns ? "the columns of weights are not dense"
                       : "the rows of weights are not dense";
    if (mm->n < x->tile->columns) return "weights are narrower than the tile";
    if (mm->scale_wei || has_zero_inside(mm, DNNL_ARG_WEIGHTS))
        return "weights have scales or zero points to apply before the sum";
    if (columns && matmul_sums_integers(mm) && matmul_has_zero_points(mm))
        return "dot products do not support zero points";
    return NULL;
}

/* Are the weights already in the panels that the tile reads? */
static bool is_in_panels(const md_t *md, int nr) {
    const md_blocking_t *l = &md->format_desc.blocking;
    const int nd = md->ndims;
    if (md->data_type == dnnl_f32 && l->inner_nblks == 1)
        return l->inner_idxs[0] == nd - 1 && l->inner_blks[0] == nr && l->strides[nd - 2] == nr;
    return md->data_type == dnnl_f32 && l->inner_nblks == 2 && l->inner_idxs[0] == nd - 2 &&
           l->inner_idxs[1] == nd - 1 && l->inner_blks[1] == nr &&
           l->strides[nd - 2] == l->inner_blks[0] * nr;
}

static bool can_use_panels(const matmul_t *mm, const product_t *x) {
    const walk_t walk = x->tile->walk;
    if (mm->scale_wei || has_zero_inside(mm, DNNL_ARG_WEIGHTS)) return false;
    const bool few_rows =
            walk == WALK_ROWS && x->rows <= MATMUL_FEW_ROWS && !matmul_is_unknown(mm, &mm->dst);
    return (walk == WALK_PANELS || few_rows) && is_in_panels(mm->wei.md, x->tile->columns);
}

static void set_panels(const matmul_t *mm, int nr, matrix_t *b) {
    const int nd = mm->ndims;
    matrix_in_place(b, &mm->wei);
    b->stride[nd - 2] = nr;
    b->stride[nd - 1] = 1;
    b->panel = mm->wei.md->format_desc.blocking.strides[nd - 1];
}

static const char *pack_weights(matmul_t *mm, const tile_t *tile, matrix_t *b) {
    const int nr = tile->columns;
    const bool pairs = tile->walk == WALK_PAIRS;
    REFUSE_IF(matrix_plain(mm, &mm->wei, b));
    const int64_t panels = div_up(mm->n, nr), row = pairs ? 2 * nr : nr,
                  panel = (pairs ? div_up(mm->k, 2) : mm->k) * row;
    const packing_t how = {.nv = nr / LANES,
            .shorts = pairs,
            .pairs = pairs,
            .panels = panels,
            .row = row,
            .panel = panel,
            .batch = panels * panel};
    matmul_pack(mm, b, DNNL_ARG_WEIGHTS, mm->wei.md, &how);
    return NULL;
}

/* Are the weights in panels of words? */
static bool is_in_dots_panels(const md_t *md, int nr, int dots) {
    const md_blocking_t *l = &md->format_desc.blocking;
    const int nd = md->ndims;
    return md->data_type == (dots == 2 ? dnnl_bf16 : dnnl_s8) && l->inner_nblks == 3 &&
           l->inner_idxs[0] == nd - 2 && l->inner_idxs[1] == nd - 1 && l->inner_idxs[2] == nd - 2 &&
           l->inner_blks[1] == nr && l->inner_blks[2] == dots &&
           l->strides[nd - 2] == l->inner_blks[0] * nr * dots;
}

/* Strides of panels count words. */
static const char *place_dots_weights(matmul_t *mm, product_t *x) {
    const int nr = x->tile->columns, dots = dots_of(x), nd = mm->ndims;
    if (matmul_is_unknown(mm, &mm->wei)) return "weights have run-time dims";
    if (is_in_dots_panels(mm->wei.md, nr, dots)) {
        set_panels(mm, nr, &x->b);
        for (int d = 0; d < nd - 2; d++) x->b.stride[d] /= dots;
        x->b.panel /= dots;
        return NULL;
    }
    if (x->rows <= MATMUL_FEW_ROWS && !variant_is_forced(mm->planner.pd, x->tile->variant))
        return "for so few rows weights are not worth packing";
    REFUSE_IF(matrix_plain(mm, &mm->wei, &x->b));
    const int64_t panels = div_up(mm->n, nr), panel = div_up(mm->k, dots) * nr;
    const packing_t how = {.nv = nr / LANES,
            .dots = dots,
            .flip = moved(mm, &mm->wei) != 0,
            .pairs = true,
            .panels = panels,
            .row = nr,
            .panel = panel,
            .batch = panels * panel};
    matmul_pack(mm, &x->b, DNNL_ARG_WEIGHTS, mm->wei.md, &how);
    return NULL;
}

static const char *place_weights(matmul_t *mm, product_t *x) {
    if (x->tile->walk == WALK_DOTS) return place_dots_weights(mm, x);
    if (matmul_is_unknown(mm, &mm->wei)) return "weights have run-time dims";
    const char *why_packed = check_in_place(mm, x);
    x->in_place = !why_packed;
    if (x->in_place) {
        matrix_in_place(&x->b, &mm->wei);
        x->b.panel = x->b.stride[mm->ndims - 1];
        return NULL;
    }
    if (can_use_panels(mm, x)) {
        set_panels(mm, x->tile->columns, &x->b);
        return NULL;
    }
    return walks_in_place(x->tile->walk) ? why_packed : pack_weights(mm, x->tile, &x->b);
}

/* ---- the tile ---- */

/* The tile subtracts a zero point of src that is one value, and one for each column of the
 * weights. */
static const char *check_zero_points(const matmul_t *mm) {
    const quant_t *za = matmul_zero_point(mm, DNNL_ARG_SRC),
                  *zb = matmul_zero_point(mm, DNNL_ARG_WEIGHTS);
    if (!matmul_sums_integers(mm)) return NULL;
    if (za && za->mask) return "zero points of src change along k";
    if (zb && (zb->group_ndims || (zb->mask & ~(1 << (mm->ndims - 1)))))
        return "zero points of weights change along k or the batch";
    return NULL;
}

/* Do the CPU's vectors, which hold so many floats, have the width that the tile is made for?
 * Products of 16 bits come in vectors of 8 sums at most, as kernels have no type for more: with
 * wider vectors floats are as fast. */
static bool has_registers(const tile_t *tile, uint32_t simd_width) {
    const variant_geometry_t *g = &variants[tile->variant].geometry;
    return (int)simd_width >= g->min_simd && (!g->max_simd || (int)simd_width <= g->max_simd);
}

/* Dot products of bytes add integers. Those of bf16 read both factors as they are. */
static const char *check_dots(const matmul_t *mm, int dots) {
    if (dots == 4) return matmul_sums_integers(mm) ? NULL : "the sums are not of integers";
    if (mm->src.md->data_type != dnnl_bf16 || mm->wei.md->data_type != dnnl_bf16)
        return "the factors are not bf16";
    return mm->scale_src || mm->scale_wei || matmul_has_zero_points(mm)
                   ? "scales or zero points come before the sum"
                   : NULL;
}

static const char *check(const matmul_t *mm, const tile_t *tile) {
    const planner_t *p = &mm->planner;
    if (mm->src.md->data_type == dnnl_f64) return "the data is double precision";
    if (!variant_is_forced(p->pd, tile->variant) && !has_registers(tile, p->caps->simd_width))
        return "the tile is made for vectors of another width";
    if (tile->walk == WALK_PAIRS && !matmul_sums_integers(mm))
        return "the sums are not of integers";
    if (tile->walk == WALK_DOTS) REFUSE_IF(check_dots(mm, variants[tile->variant].geometry.dots));
    return check_zero_points(mm);
}

/* The rows of the result may not be known. */
static const char *check_rows(const matmul_t *mm, const product_t *x) {
    enum { LARGE = 12 }; /* rows of the tile for any number of them */
    const int variant = x->tile->variant;
    if (!variants[variant].geometry.max_rows || variant_is_forced(mm->planner.pd, variant))
        return NULL;
    if (matmul_is_unknown(mm, &mm->dst)) return "the rows are not counted before the run";
    return variant_is_too_small(variant, x->rows, x->tile->rows, LARGE);
}

/* Tiles of a work-group, one below the other: enough products, while every thread has groups. */
static int32_t tiles_of_group(const matmul_t *mm, const product_t *x, int64_t panels) {
    const int nr = x->tile->columns;
    const int64_t tiles = div_up(x->rows, x->tile->rows),
                  wanted = (int64_t)mm->planner.caps->compute_units * GROUPS_PER_UNIT;
    const int64_t enough = x->tile->walk == WALK_DOTS ? DOTS_PER_GROUP : PRODUCTS_PER_GROUP;
    int32_t n = 1;
    while (n < MAX_TILES && n * x->tile->rows * nr * max_i64(mm->k, 1) < enough &&
            div_up(tiles, 2 * n) * panels * x->batch >= wanted)
        n *= 2;
    return n;
}

/* Panels of WALK_WIDE: as few as keep every thread busy, not wider than the matrix. */
static void set_wide_panels(const matmul_t *mm, const product_t *x, mm_tile_t *params) {
    const int nr = x->tile->columns;
    const int64_t tiles = div_up(x->rows, x->tile->rows),
                  units = max_i64(mm->planner.caps->compute_units, 1),
                  panels = div_up(units, max_i64(tiles * x->batch, 1));
    params->panel_rows = (int32_t)max_i64(1, div_up(x->rows, max_i64(tiles, 1)));
    const int64_t most =
            params->panel_rows < MM_WIDE_COPIED_FROM ? MM_WIDE_VECTORS : MM_WIDE_VECTORS_COPIED;
    params->panel_width = (int32_t)max_i64(nr, 16 * min_i64(most, div_up(mm->n, 16 * panels)));
    if (params->panel_width > mm->n) params->panel_width -= 16;
}

/* Products with a short k write much for what they read. They go along the rows of the result,
 * which memory is faster at than at pieces of many rows; the weights then stay in a cache. */
static bool is_short(const matmul_t *mm, const product_t *x) {
    enum { SHORT_K = 64, CACHED = 1 << 17 }; /* elements of a column, and of the weights */
    const walk_t walk = x->tile->walk;
    return (walk == WALK_PANELS || walk == WALK_PAIRS) && mm->k > 0 && mm->k <= SHORT_K &&
           mm->n <= CACHED / mm->k;
}

static mm_tile_t params_of(const matmul_t *mm, const product_t *x) {
    const quant_t *za = matmul_zero_point(mm, DNNL_ARG_SRC),
                  *zb = matmul_zero_point(mm, DNNL_ARG_WEIGHTS);
    mm_tile_t params;
    matmul_tile_params(mm, &x->a, &x->b, &x->r, &params);
    params.rows = x->rows;
    params.b_panel = x->b.panel;
    params.za_dt = za ? (int32_t)za->dt : 0;
    params.zb_dt = zb ? (int32_t)zb->dt : 0;
    params.zb_n = zb && zb->mask;
    params.tiles = 1;
    if (x->tile->walk == WALK_DOTS && dots_of(x) == 4) {
        params.za_moved = moved(mm, &mm->src);
        params.zb_moved = moved(mm, &mm->wei);
    }
    params.along = is_short(mm, x);
    if (x->tile->walk == WALK_WIDE) set_wide_panels(mm, x, &params);
    else if (!params.along) params.tiles = tiles_of_group(mm, x, div_up(mm->n, x->tile->columns));
    return params;
}

static uint32_t flags_of(const matmul_t *mm, const product_t *x, const mm_tile_t *params) {
    const bool tiles = x->tile->walk == WALK_DOTS && mm->planner.caps->has_dot_tiles;
    const uint32_t any = (x->in_place ? MMF_UNPADDED : 0) | (tiles ? MMF_TILES : 0);
    if (!matmul_sums_integers(mm)) return any;
    return any | MMF_INT | (matmul_zero_point(mm, DNNL_ARG_SRC) || params->za_moved ? MMF_ZA : 0) |
           (matmul_zero_point(mm, DNNL_ARG_WEIGHTS) || params->zb_moved ? MMF_ZB : 0);
}

static const char *plan_product(matmul_t *mm, const product_t *x) {
    planner_t *p = &mm->planner;
    const walk_t walk = x->tile->walk;
    const mm_tile_t params = params_of(mm, x);
    const int64_t below = div_up(div_up(x->rows, x->tile->rows), params.tiles),
                  beside = div_up(mm->n, walk == WALK_WIDE ? params.panel_width : x->tile->columns);
    if (below > UINT32_MAX) return "there are too many rows";
    const bool columns = walk == WALK_COLUMNS || params.along;
    const uint32_t size[3] = {1, 1, 1};
    const uint32_t count[3] = {(uint32_t)(columns ? beside : below),
            (uint32_t)(columns ? below : beside), (uint32_t)x->batch};
    plan_step(p->plan, x->tile->variant, size, count);
    result_specs(p->plan, &x->r, dnnl_f32, x->b.dt, flags_of(mm, x, &params));
    bind_operand(p->plan, &x->a.at);
    bind_operand(p->plan, &x->b.at);
    bind_operand(p->plan, &x->r.to);
    plan_const(p->plan, &params, sizeof(params));
    if (walk != WALK_COLUMNS && walk != WALK_WIDE) {
        bind_zero_point(p, DNNL_ARG_SRC);
        bind_zero_point(p, DNNL_ARG_WEIGHTS);
    }
    epilogue_args(&x->r.seg, p->pd, p->mds, p->plan);
    return matmul_finish(mm, &x->r);
}

/* ---- planners ---- */

static const char *plan_tile(planner_t *p, const tile_t *tile) {
    matmul_t *mm = (matmul_t *)p;
    const int64_t batch = matmul_batch(mm->dst.md);
    product_t x = {.tile = tile};
    x.batch = matmul_batch(mm->wei.md) == 1 ? 1 : max_i64(batch, 1);
    x.rows = batch / x.batch * mm->m;
    REFUSE_IF(check(mm, tile));
    REFUSE_IF(check_rows(mm, &x));
    REFUSE_IF(place_weights(mm, &x));
    REFUSE_IF(tile->walk == WALK_DOTS ? place_dots_source(mm, &x, &x.a)
                                      : place_source(mm, tile->walk, &x.a));
    REFUSE_IF(matmul_float_result(mm, &x.r));
    return plan_product(mm, &x);
}

/* The tile that the table of variants names. */
static const char *plan_tile_of_table(planner_t *p, int variant, walk_t walk) {
    const variant_geometry_t *g = &variants[variant].geometry;
    return plan_tile(p, &(tile_t){variant, g->mr, LANES * g->nv, walk});
}

const char *matmul_plan_panels(planner_t *p, int variant) {
    return plan_tile_of_table(p, variant, WALK_PANELS);
}

const char *matmul_plan_pairs(planner_t *p, int variant) {
    return plan_tile_of_table(p, variant, WALK_PAIRS);
}

const char *matmul_plan_dots(planner_t *p, int variant) {
    return plan_tile_of_table(p, variant, WALK_DOTS);
}

const char *matmul_plan_rows(planner_t *p, int variant) {
    return plan_tile_of_table(p, variant, WALK_ROWS);
}

const char *matmul_plan_dot(planner_t *p, int variant) {
    return plan_tile(p, &(tile_t){variant, MATMUL_FEW_ROWS, LANES, WALK_COLUMNS});
}

const char *matmul_plan_wide(planner_t *p, int variant) {
    return plan_tile(p, &(tile_t){variant, MM_WIDE_ROWS, WIDE_COLUMNS, WALK_WIDE});
}
