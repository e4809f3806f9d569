/* SPDX-License-Identifier: Apache-2.0 */
/* Backward propagation by weights with the register tiles for CPUs: rows are channels of `out`,
 * columns taps and channels of `in`. Work-items have shares of the positions, whose sums a
 * reduction adds up in the same order always, and blocks of the sums. */
#include <string.h>

#include "core/status.h"
#include "core/util.h"
#include "kernels/conv/conv_params.h"
#include "ops/conv/diff_weights.h"
#include "ops/conv/planners.h"
#include "plan/type_rules.h"
#include "plan/variant.h"

enum { LANES = 16 };
/* Work-groups for each thread, so that all are busy to the end. */
enum { GROUPS_PER_UNIT = 4 };
/* The fewest positions of a share: adding up the sums of a share takes as long as a few. */
enum { LEAST_SHARE = 1024 };
/* Rows of a block, whose panels stay in a core's cache: each column that is copied is multiplied
 * with them. Columns of a block: the copied rows are multiplied with them. */
enum { MOST_ROWS = 256, LEAST_COLUMNS = 256 };

typedef struct {
    diff_weights_t x; /* first */
    md_t channels_last_in, channels_last_out;
    cv_diff_tile_t p;
} diff_tile_t;

/* ---- checks ---- */

const char *diff_tile_why_not(const conv_t *cv) {
    if (!cv->caps->is_cpu) return "the device is no CPU";
    if (cv->src.md->data_type == dnnl_f64) return "the data is double precision";
    if (!dt_in(cv->src.md, FLOATS)) return "the images have a small floating-point type";
    if (cv->groups > 1 && cv->ic * cv->oc < DIFF_WEIGHTS_FEW_PRODUCTS)
        return "groups have few channels";
    return NULL;
}

static const char *check(const conv_t *cv, int variant) {
    if (variant_is_forced(cv->pd, variant))
        return dt_in(cv->src.md, FLOATS) ? NULL : "tiles do not support the data type";
    REFUSE_IF(diff_tile_why_not(cv));
    return variant_is_too_wide(variant, cv->caps);
}

/* ---- images ---- */

static const char *copy_channels_last(
        diff_tile_t *t, operand_t *image, md_t *md, cv_tensor_t *tensor) {
    const md_t *as = image->md;
    operand_t copy;
    REFUSE_IF(why_not_of(md_init_string_tag(md, as->ndims, as->dims, as->data_type,
                                 image_channels_last(as->ndims)),
            "a copy of an image would be too large"));
    REFUSE_IF(image_copy(t->x.cv.p, image, md, &copy));
    *image = copy;
    image_tensor(tensor, md);
    return NULL;
}

/* Vectors are loaded along the channels. */
static const char *place_images(diff_tile_t *t) {
    diff_weights_t *x = &t->x;
    cv_diff_weights_t *p = &x->p;
    if (p->in.c_inner != 1 && x->in.md->dims[1] > 1)
        REFUSE_IF(copy_channels_last(t, &x->in, &t->channels_last_in, &p->in));
    if ((p->out.c_inner != 1 && x->out.md->dims[1] > 1) ||
            !diff_weights_is_matrix(&p->out, x->out.md, p->win.out))
        REFUSE_IF(copy_channels_last(t, &x->out, &t->channels_last_out, &p->out));
    return diff_weights_is_matrix(&p->out, x->out.md, p->win.out) ? NULL : "an image is no matrix";
}

/* ---- work ---- */

static int32_t block_of(int64_t all, int64_t blocks, int64_t multiple) {
    return (int32_t)(div_up(div_up(all, blocks), multiple) * multiple);
}

/* Shares first; then blocks of the sums, where there are fewer positions than would keep all
 * threads busy. */
static void share_work(diff_tile_t *t, const variant_geometry_t *g) {
    const conv_t *cv = &t->x.cv;
    cv_diff_tile_t *p = &t->p;
    const int64_t units = max_i64(cv->caps->compute_units, 1), wanted = units * GROUPS_PER_UNIT;
    const int64_t nr = (int64_t)LANES * g->nv, row_blocks = div_up(p->rows, MOST_ROWS),
                  others = row_blocks * cv->groups;
    const int64_t forced = cv->pd->request.hints.forced_splits;
    const int64_t shares =
            forced ? forced : min_i64(div_up(wanted, others), div_up(p->positions, LEAST_SHARE));
    p->share = max_i64(div_up(p->positions, max_i64(shares, 1)), 1);
    t->x.chunks = max_i64(div_up(p->positions, p->share), 1);
    p->chunk = div_up(p->share, div_up(p->share, CV_DIFF_CHUNK(g->nv)));
    const int64_t column_blocks = max_i64(
            1, min_i64(div_up(wanted, others * t->x.chunks), div_up(p->columns, LEAST_COLUMNS)));
    p->rows_of_block = block_of(p->rows, row_blocks, g->mr);
    p->columns_of_block = block_of(p->columns, column_blocks, nr);
    p->row_blocks = (int32_t)div_up(p->rows, p->rows_of_block);
    p->column_blocks = (int32_t)div_up(p->columns, p->columns_of_block);
    /* The last vector that is stored reaches beyond the panels. */
    p->packed = (int64_t)p->rows_of_block * CV_DIFF_CHUNK(g->nv) + LANES;
}

static const char *set_params(diff_tile_t *t) {
    const conv_t *cv = &t->x.cv;
    const cv_diff_weights_t *as = &t->x.p;
    cv_diff_tile_t *p = &t->p;
    p->in = as->in;
    p->out = as->out;
    p->win = as->win;
    p->positions = as->rows * as->win.out[2];
    p->elements = as->elements;
    p->channels = (int32_t)(cv->transposed ? cv->oc : cv->ic);
    p->rows = (int32_t)(cv->transposed ? cv->ic : cv->oc);
    p->channels_of_out = (int32_t)(p->rows * cv->groups);
    p->columns = (int32_t)(p->channels * (int64_t)p->win.k[0] * p->win.k[1] * p->win.k[2]);
    return p->positions > INT32_MAX ? "windows have 2^31 or more positions" : NULL;
}

/* ---- the plan ---- */

static const char *write_step(diff_tile_t *t, int variant) {
    enum { ELEMENT = sizeof(float) };
    const diff_weights_t *x = &t->x;
    const cv_diff_tile_t *p = &t->p;
    planner_t *planner = x->cv.p;
    const int64_t blocks = p->row_blocks * (int64_t)p->column_blocks * x->cv.groups;
    if (blocks > UINT32_MAX || x->chunks > UINT32_MAX) return "there are too many groups";
    const uint32_t size[3] = {1, 1, 1};
    const uint32_t count[3] = {(uint32_t)x->chunks, (uint32_t)blocks, 1};
    const operand_t packed = {NULL, -1,
            planner_reserve(planner, (uint64_t)(x->chunks * blocks * p->packed * ELEMENT))};
    plan_step(planner->plan, variant, size, count);
    plan_spec(planner->plan, SPEC_SRC_DT, (uint32_t)x->in.md->data_type);
    plan_spec(planner->plan, SPEC_SRC1_DT, (uint32_t)x->out.md->data_type);
    bind_operand(planner->plan, &x->in);
    bind_operand(planner->plan, &x->out);
    bind_operand(planner->plan, &x->sums);
    bind_operand(planner->plan, &packed);
    plan_const(planner->plan, p, sizeof(*p));
    return NULL;
}

const char *conv_plan_diff_tile(planner_t *planner, int variant) {
    diff_tile_t t;
    memset(&t, 0, sizeof(t));
    REFUSE_IF(diff_weights_init(&t.x, planner));
    REFUSE_IF(check(&t.x.cv, variant));
    t.x.rows_of_out = true;
    REFUSE_IF(place_images(&t));
    REFUSE_IF(set_params(&t));
    share_work(&t, &variants[variant].geometry);
    REFUSE_IF(diff_weights_place_sums(&t.x, dnnl_f32));
    REFUSE_IF(write_step(&t, variant));
    return diff_weights_finish(&t.x);
}
