/* SPDX-License-Identifier: Apache-2.0 */
/* Steps of the backward propagation of batch and group normalization: kernels that read the source
 * and the gradient of the destination once for both sums, and once for the gradient of the
 * source. */
#include "ops/norm/backward_fused.h"

#include <string.h>

#include "core/status.h"
#include "core/util.h"
#include "ops/norm/sg16_shape.h"
#include "plan/device.h"
#include "plan/op.h"
#include "plan/variant.h"
#include "plan/variant_id.h"
#include "steps/reduction_rows.h"

/* Work-items for each hardware thread of the CPU, and elements that make it worth to start one. */
enum { ITEMS_PER_UNIT = 16, MIN_ITEM = 8192 };
/* Sub-groups for each hardware thread of a GPU, and tiles that make it worth to start one. */
enum { SUB_GROUPS_PER_UNIT = 4, MIN_TILES = 8 };
/* Channels next to each other: vectors of fewer are mostly empty. */
enum { MIN_COLUMNS = 8 };

static const norm_kernels_t targets[] = {{KERNEL_norm_backward_sums, KERNEL_norm_backward_apply},
        {KERNEL_norm_backward_sums_sg16, KERNEL_norm_backward_apply_sg16},
        {KERNEL_norm_backward_sums_group, KERNEL_norm_backward_apply_group}};

static bool is_on_cpu(const norm_fused_t *c) {
    return variants[c->kernels->sums].target == TARGET_CPU;
}

/* The kernels for this device; NULL: there are none, or a test forces another target. */
static const norm_kernels_t *find_kernels(const norm_t *n) {
    const int forced = n->planner.pd->request.hints.forced_variant;
    for (size_t i = 0; i < ARRAY_LEN(targets) && n->dt == dnnl_f32; i++) {
        const variant_t *v = &variants[targets[i].sums];
        if (variant_runs_on(v, n->planner.caps) &&
                (forced < 0 || variants[forced].target == v->target))
            return &targets[i];
    }
    return NULL;
}

/* A dense tensor as images x blocks of channels x pixels x channels of a block. False: it does not
 * lie like that. */
static bool set_shape(backward_params_t *p, const md_t *md) {
    const md_blocking_t *b = &md->format_desc.blocking;
    const int64_t channels = md->dims[1], pixels = md_nelems(md, false) / md->dims[0] / channels;
    const bool blocked = b->inner_nblks == 1 && b->inner_idxs[0] == 1;
    if (!md_is_blocked(md) || !md_is_dense(md, false) || (b->inner_nblks && !blocked)) return false;
    if (md->dims[0] > 1 && b->strides[0] != channels * pixels) return false;
    p->columns = blocked ? b->inner_blks[0] : b->strides[1] == 1 ? channels : 1;
    if (channels == 1) p->columns = 1;
    p->blocks = channels / p->columns;
    p->rows = pixels;
    p->outer = md->dims[0] * p->blocks;
    if (p->blocks > 1 && b->strides[1] != pixels * p->columns) return false;
    return p->columns == 1 || p->columns >= MIN_COLUMNS;
}

/* Rows and outer positions for each work-item of a CPU. Answers how many shares the rows have. */
static int64_t divide_items(backward_params_t *p, const caps_t *caps, uint32_t *groups) {
    const int64_t blocks = div_up(p->columns, BACKWARD_BLOCK);
    const int64_t width = min_i64(p->columns, BACKWARD_BLOCK);
    const int64_t wanted = div_up(groups_wanted(caps, ITEMS_PER_UNIT), p->outer * blocks);
    const int64_t worth = p->rows * width / MIN_ITEM;
    p->rows_per_item = div_up(p->rows, max_i64(1, min_i64(wanted, worth)));
    if (p->columns == 1) p->rows_per_item = (p->rows_per_item + 15) & ~INT64_C(15); /* vectors */
    p->rows_per_item = min_i64(p->rows_per_item, INT32_MAX / 2);
    const int64_t shares = div_up(p->rows, p->rows_per_item);
    const int64_t least = div_up(p->outer, groups_wanted(caps, ITEMS_PER_UNIT));
    p->outer_per_item = max_i64(1, min_i64(least, MIN_ITEM / (p->rows_per_item * width)));
    p->outer_per_item = max_i64(p->outer_per_item, div_up(p->outer, UINT32_MAX));
    groups[0] = (uint32_t)shares;
    groups[1] = (uint32_t)div_up(p->outer, p->outer_per_item);
    groups[2] = (uint32_t)blocks;
    return shares;
}

/* The same for sub-groups; a work-group has `in_group` of them. */
static int64_t divide_sub_groups(
        norm_fused_t *c, const caps_t *caps, int64_t in_group, uint32_t *groups) {
    backward_params_t *p = &c->p;
    const bool columns = p->columns > 1;
    c->piece = sg_norm_piece(columns ? p->columns : p->rows);
    const int64_t pieces = SG_TILE / c->piece, rows = columns ? pieces : c->piece;
    const int64_t blocks = columns ? div_up(p->columns, c->piece) : 1,
                  outers = div_up(p->outer, columns ? 1 : pieces),
                  wanted = groups_wanted(caps, SUB_GROUPS_PER_UNIT);
    const int64_t most = max_i64(1, p->rows / (rows * MIN_TILES));
    const int64_t shares = min_i64(most, div_up(wanted, outers * blocks));
    p->rows_per_item = div_up(div_up(p->rows, shares), rows) * rows;
    p->rows_per_item = min_i64(p->rows_per_item, INT32_MAX / 2 / rows * rows);
    const int64_t tiles = div_up(p->rows_per_item, rows),
                  each = min_i64(div_up(outers * blocks, wanted), div_up(MIN_TILES, tiles));
    p->outer_per_item = each * (columns ? 1 : pieces);
    const int64_t count = div_up(p->rows, p->rows_per_item) * div_up(outers, each) * blocks;
    if (count > INT32_MAX / 2) return 0;
    groups[0] = (uint32_t)div_up(count, in_group);
    groups[1] = groups[2] = 1;
    return div_up(p->rows, p->rows_per_item);
}

/* The launch: sizes and counts of the work-groups. */
typedef struct {
    uint32_t size[3], count[3];
    int64_t shares; /* of the rows; 0: there are too many work-groups */
} launch_t;

static launch_t divide(norm_fused_t *c, const caps_t *caps) {
    launch_t l = {.size = {1, 1, 1}};
    if (is_on_cpu(c)) {
        l.shares = divide_items(&c->p, caps, l.count);
        return l;
    }
    const int64_t in_group = sg_most_groups(caps, SG_ROWS);
    l.size[0] = (uint32_t)(SG_LANES * in_group);
    l.shares = divide_sub_groups(c, caps, in_group, l.count);
    return l;
}

bool norm_fused_init(norm_fused_t *c, const norm_t *n, const operand_t *diff, const operand_t *mask,
        bool images) {
    const md_t *src = n->src.md;
    memset(c, 0, sizeof(*c));
    c->kernels = find_kernels(n);
    if (!c->kernels || !md_same_layout(src, diff->md) || !md_same_layout(src, n->dst.md) ||
            (mask->md && !md_same_layout(src, mask->md)) || !set_shape(&c->p, src))
        return false;
    c->diff = *diff;
    c->mask = *mask;
    c->p.of_images = images;
    return divide(c, n->planner.caps).shares > 0;
}

/* A step, up to its first three arguments. */
static void start(norm_fused_t *c, norm_t *n, int variant, const launch_t *launch, uint32_t flags) {
    plan_t *plan = n->planner.plan;
    plan_step(plan, variant, launch->size, launch->count);
    if (!is_on_cpu(c)) plan_spec(plan, SPEC_SG_PIECE, (uint32_t)(c->piece / SG_LANES));
    plan_spec(plan, SPEC_SRC_DT, n->src.md->data_type);
    plan_spec(plan, SPEC_SRC1_DT, c->diff.md->data_type);
    plan_spec(plan, SPEC_BACKWARD_FLAGS,
            flags | (c->mask.md ? BACKWARD_MASK : 0) | (c->p.columns > 1 ? BACKWARD_COLUMNS : 0));
    bind_operand(plan, &n->src);
    bind_operand(plan, &c->diff);
    norm_bind(n, &c->mask);
}

/* Adds up what the shares of the rows have and, if the sums are of all images, the images. */
static const char *add_shares(norm_fused_t *c, norm_t *n, int variant, int64_t shares,
        const operand_t *parts, uint64_t offset, const operand_t *sum) {
    const md_t *src = n->src.md;
    const dnnl_dims_t all = {shares, src->dims[0], src->dims[1]};
    const dnnl_dims_t kept = {1, c->p.of_images ? src->dims[0] : 1, src->dims[1]};
    md_t all_md, kept_md;
    if (md_init_strides(&all_md, 3, all, dnnl_f32, NULL) != dnnl_success ||
            md_init_strides(&kept_md, 3, kept, dnnl_f32, NULL) != dnnl_success)
        return "the tensor is too large";
    const reduce_job_t job = {.src = {&all_md, -1, parts->offset + offset},
            .dst = {&kept_md, -1, sum->offset},
            .op = RED_SUM};
    return reduce_steps(&n->planner, variant, &job);
}

const char *norm_fused_sums(
        norm_fused_t *c, norm_t *n, int variant, const operand_t *slope, const operand_t *shift) {
    const launch_t launch = divide(c, n->planner.caps);
    const int64_t size = launch.shares * c->p.outer * c->p.columns;
    operand_t parts;
    md_t md;
    REFUSE_IF(operand_array(&n->planner, &parts, &md, 2 * size, dnnl_f32));
    start(c, n, c->kernels->sums, &launch, 0);
    bind_operand(n->planner.plan, &n->mean);
    bind_operand(n->planner.plan, &n->root);
    bind_operand(n->planner.plan, &parts);
    plan_const(n->planner.plan, &c->p, sizeof(c->p));
    REFUSE_IF(add_shares(c, n, variant, launch.shares, &parts, 0, slope));
    return add_shares(c, n, variant, launch.shares, &parts, (uint64_t)size * sizeof(float), shift);
}

void norm_fused_apply(norm_fused_t *c, norm_t *n, const operand_t *slope, const operand_t *shift) {
    plan_t *plan = n->planner.plan;
    const operand_t scale = norm_argument(n, DNNL_ARG_SCALE);
    const launch_t launch = divide(c, n->planner.caps);
    start(c, n, c->kernels->apply, &launch,
            (scale.md ? BACKWARD_SCALE : 0) | (slope ? BACKWARD_CORRECT : 0) |
                    (c->p.of_images ? BACKWARD_INSIDE : 0));
    plan_spec(plan, SPEC_DST_DT, n->dst.md->data_type);
    plan_spec(plan, SPEC_FLAGS,
            is_on_cpu(c) && md_size(n->dst.md, 0) >= STREAM_BYTES ? SPECF_STREAM : 0);
    bind_operand(plan, &n->dst);
    bind_operand(plan, &n->mean);
    bind_operand(plan, &n->root);
    norm_bind(n, &scale);
    bind_operand(plan, slope);
    bind_operand(plan, shift);
    plan_const(plan, &c->p, sizeof(c->p));
}
