/* SPDX-License-Identifier: Apache-2.0 */
/* How a reduction is cut into loops, chunks and work-items. */
#include "steps/reduction_steps.h"

#include <string.h>

#include "core/status.h"
#include "core/util.h"
#include "plan/device.h"
#include "plan/variant.h"
#include "steps/loops.h"

/* Elements that make it worth to start a work-item (CPUs, portable) or a sub-group (SG16). */
enum { CPU_ITEM = 16384, PORTABLE_ITEM = 256, SG_ITEM = 4096 };
/* Work-items that keep every thread busy to the end: for each hardware thread, and in all where
 * a device is not known. */
enum { CPU_ITEMS_PER_UNIT = 8, SG_GROUPS_PER_UNIT = 2, PORTABLE_ITEMS = 8192 };
/* Elements of a work-group of the portable kernel. */
enum { PORTABLE_GROUP = 32 };
/* Elements of a sum after which a float would lose the next ones. */
enum { MOST_SUMMED = 1 << 22 };
/* Results next to each other that are worth a block of their own in the second pass. */
enum { MIN_BLOCK = 16 };

const char *reduce_variant_can(int variant, bool f64) {
    return f64 && !variants[variant].needs_fp64 ? "it has no double arithmetic" : NULL;
}

typedef struct {
    reduce_params_t p;
    operand_t src, dst, center;
    bool with_center;
    bool along_kept; /* the innermost loop is not reduced */
    int op, finish;
} step_t;

/* ---- loops ---- */

enum { RESULT = EW_SRC, SOURCE = EW_DST, CENTER = EW_EPILOGUE };

static const char *add_kept(reduce_params_t *p, const ew_loops_t *l, int axis) {
    const int n = p->nkept++;
    if (n == PAR_MAX_DIMS) return "the layouts need too many loops";
    p->kept_size[n] = l->axis[axis].size;
    p->kept_src[n] = l->stride[SOURCE][axis];
    p->kept_dst[n] = l->stride[RESULT][axis];
    p->kept_center[n] = l->stride[CENTER][axis];
    return NULL;
}

static const char *add_reduced(reduce_params_t *p, const ew_loops_t *l, int axis) {
    const int n = p->nreduced++;
    if (n == PAR_MAX_DIMS) return "the layouts need too many loops";
    p->reduced_size[n] = l->axis[axis].size;
    p->reduced_src[n] = l->stride[SOURCE][axis];
    p->total *= l->axis[axis].size;
    return NULL;
}

/* The loops are the source's; the result broadcasts over those that are reduced. */
static const char *set_loops(step_t *s, const reduce_job_t *job) {
    const md_t *md[3];
    ew_loops_t l;
    md[RESULT] = job->dst.md;
    md[SOURCE] = s->src.md;
    md[CENTER] = job->center ? job->center->md : job->dst.md;
    REFUSE_IF(ew_loops(&l, NULL, NULL, md, 3, false));
    if (l.nlimits) return "the source is padded";
    memset(&s->p, 0, sizeof(s->p));
    int64_t all = 1;
    s->p.total = 1;
    for (int i = 0; i < l.naxes; i++) {
        if (!mul_ok(all, l.axis[i].size, &all)) return "the tensor is too large";
        s->along_kept = l.stride[RESULT][i] != 0 && job->dst.md->dims[l.axis[i].dim] != 1;
        REFUSE_IF(s->along_kept ? add_kept(&s->p, &l, i) : add_reduced(&s->p, &l, i));
    }
    if (s->p.nreduced == 0) s->p.reduced_size[s->p.nreduced++] = 1;
    return NULL;
}

/* Plain and without padding, in the scratchpad. */
static const char *make_plain(planner_t *p, operand_t *src, md_t *md) {
    const dnnl_data_type_t from = src->md->data_type;
    const bool exact = from == dnnl_f64 || from == dnnl_s32;
    operand_t plain;
    REFUSE_IF(operand_like(p, &plain, md, src->md, ~0u, exact ? from : dnnl_f32));
    REFUSE_IF(ew_copy(p, -1, src, &plain));
    *src = plain;
    return NULL;
}

/* ---- the choice of a variant ---- */

/* Can sub-groups walk along the innermost loop? */
static bool is_contiguous(const step_t *s) {
    const reduce_params_t *p = &s->p;
    int64_t rows = 1;
    for (int d = 0; d < p->nkept; d++)
        if (!mul_ok(rows, p->kept_size[d], &rows) || rows > INT32_MAX / 2) return false;
    for (int d = 0; d < p->nreduced; d++)
        if (p->reduced_size[d] > INT32_MAX / 2) return false;
    return (s->along_kept ? p->kept_src[p->nkept - 1] : p->reduced_src[p->nreduced - 1]) == 1 &&
           !dt_is_nibble(s->dst.md->data_type);
}

static bool variant_can(int variant, const caps_t *caps, bool f64, const step_t *s) {
    const variant_t *v = &variants[variant];
    return !strcmp(v->family, REDUCTION_FAMILY) && variant_runs_on(v, caps) &&
           !reduce_variant_can(variant, f64) && (!variant_has_lanes(v) || is_contiguous(s));
}

static int variant_for(int wanted, const caps_t *caps, bool f64, const step_t *s) {
    if (wanted >= 0 && variant_can(wanted, caps, f64, s)) return wanted;
    for (int v = 0; v < variant_count; v++)
        if (variant_can(v, caps, f64, s)) return v;
    return -1;
}

/* ---- one step ---- */

/* Results next to each other that a work-item or a sub-group computes together; 0: one. */
static int32_t block_of(const step_t *s, int variant) {
    if (!s->along_kept) return 0;
    switch (variants[variant].target) {
    case TARGET_CPU: return RED_BLOCK_VECTORS * 16;
    case TARGET_GROUP:
    case TARGET_SG16: return SG_TILE;
    default: return 0;
    }
}

/* Positions of the kept loops, without the last one if blocks lie along it. */
static int64_t rows_of(const step_t *s, int32_t block) {
    int64_t rows = 1;
    for (int d = 0; d < s->p.nkept - (block != 0); d++) rows *= s->p.kept_size[d];
    return rows;
}

/* Do the sub-groups of a work-group have blocks of the same row? With few rows they would be one to
 * a work-group, which fills half a vector of a GPU whose work-items stand for lanes. */
static bool shares_row(const step_t *s, int variant) {
    return variants[variant].target == TARGET_GROUP && s->along_kept &&
           rows_of(s, block_of(s, variant)) < SG_GROUPS;
}

/* Can the sub-groups of a work-group share chunks of so many positions? What lies next to each
 * other is then read at the same time, and there are fewer chunks to be reduced again. */
static bool shares_chunks(const step_t *s, int variant, int64_t chunk) {
    const reduce_params_t *p = &s->p;
    if (variants[variant].target != TARGET_GROUP || p->nreduced != 1) return false;
    return s->along_kept ? shares_row(s, variant) && chunk >= SG_GROUPS
                         : p->reduced_src[0] == 1 && chunk >= SG_GROUPS * SG_TILE;
}

static uint32_t group_size(const step_t *s, int variant) {
    if (shares_chunks(s, variant, s->p.chunk)) return SG_LANES * SG_GROUPS;
    if (shares_row(s, variant)) return SG_LANES * SG_GROUPS;
    switch (variants[variant].target) {
    case TARGET_CPU: return 1;
    case TARGET_GROUP:
    case TARGET_SG16: return SG_LANES * (s->p.rows < SG_GROUPS ? 1 : SG_GROUPS);
    default: return PORTABLE_GROUP;
    }
}

static const char *emit(planner_t *planner, int variant, step_t *s, int64_t nchunks) {
    plan_t *plan = planner->plan;
    reduce_params_t *p = &s->p;
    const target_t target = variants[variant].target;
    const int32_t block = block_of(s, variant);
    const int64_t last = block ? p->kept_size[p->nkept - 1] : 1;
    p->rows = rows_of(s, block);
    if (block) p->block = block;
    const int64_t per_row = p->chunk * (block ? min_i64(block, last) : 1);
    p->rows_per_item =
            target == TARGET_CPU
                    ? (int32_t)max_i64(1, min_i64(CPU_ITEM / max_i64(per_row, 1), p->rows))
                    : 1;
    const uint32_t group[3] = {group_size(s, variant), 1, 1};
    const bool together = shares_chunks(s, variant, p->chunk),
               shared = !together && shares_row(s, variant);
    const int64_t rows_per_group =
            variant_has_lanes(&variants[variant]) ? group[0] / SG_LANES : group[0];
    const int64_t x = div_up(p->rows, shared || together ? 1 : p->rows_per_item * rows_per_group);
    const int64_t blocks = block ? div_up(last, shared ? block * SG_GROUPS : block) : 1;
    if (x > UINT32_MAX || nchunks > UINT32_MAX || blocks > UINT32_MAX)
        return "the tensor is too large";
    plan_step(
            plan, variant, group, (uint32_t[3]){(uint32_t)x, (uint32_t)nchunks, (uint32_t)blocks});
    plan_spec(plan, SPEC_SRC_DT, s->src.md->data_type);
    plan_spec(plan, SPEC_DST_DT, s->dst.md->data_type);
    plan_spec(plan, SPEC_SRC1_DT, s->with_center ? s->center.md->data_type : dnnl_f32);
    plan_spec(plan, SPEC_RED_OP, (uint32_t)s->op);
    plan_spec(plan, SPEC_RED_FINISH, (uint32_t)s->finish);
    if (target != TARGET_PORTABLE)
        plan_spec(plan, SPEC_RED_ALONG_KEPT,
                (shared         ? RED_SHARED
                        : block ? RED_TILES
                                : 0u) |
                        (together ? RED_TOGETHER : 0u));
    bind_operand(plan, &s->src);
    bind_operand(plan, &s->dst);
    bind_operand(plan, s->with_center ? &s->center : NULL);
    plan_const(plan, p, sizeof(*p));
    return NULL;
}

/* ---- chunks ---- */

/* Work-items or sub-groups that keep the device busy. */
static int64_t items_wanted(const caps_t *caps, target_t target) {
    switch (target) {
    case TARGET_CPU: return groups_wanted(caps, CPU_ITEMS_PER_UNIT);
    case TARGET_GROUP:
    case TARGET_SG16: return groups_wanted(caps, SG_GROUPS_PER_UNIT);
    default: return PORTABLE_ITEMS;
    }
}

/* Chunks that are large enough to be worth their start. */
static int64_t chunks_worth(const step_t *s, target_t target, int64_t kept) {
    switch (target) {
    case TARGET_CPU: return kept * s->p.total / CPU_ITEM;
    case TARGET_GROUP:
    case TARGET_SG16: return s->p.total / (s->along_kept ? SG_ITEM / SG_TILE : SG_ITEM);
    default: return s->p.total / PORTABLE_ITEM;
    }
}

/* Chunks of the reduced loops, so that there is work for everyone. */
static int64_t chunks_for(const caps_t *caps, int variant, const step_t *s) {
    const reduce_params_t *p = &s->p;
    const target_t target = variants[variant].target;
    const int32_t block = block_of(s, variant);
    int64_t kept = 1, items = 1;
    for (int d = 0; d < p->nkept; d++) {
        const bool in_blocks = block && d == p->nkept - 1;
        kept *= p->kept_size[d];
        items *= in_blocks ? div_up(p->kept_size[d], block) : p->kept_size[d];
    }
    const bool together = shares_chunks(s, variant, p->total);
    const int64_t wanted = items_wanted(caps, target) / (together ? SG_GROUPS : 1);
    const int64_t least = div_up(p->total, MOST_SUMMED);
    if (items >= wanted) return least;
    const int64_t worth = chunks_worth(s, target, kept);
    return max_i64(least, min_i64(min_i64(div_up(wanted, items), worth), p->total));
}

/* The results of the chunks, reduced again. `kept` results lie next to each other for each
 * chunk. */
static void second_pass(
        step_t *s, const step_t *first, int64_t nchunks, int64_t kept, bool sub_groups) {
    *s = *first;
    reduce_params_t *p = &s->p;
    s->src = first->dst;
    s->with_center = false;
    s->along_kept = p->nkept && (sub_groups || p->kept_size[p->nkept - 1] >= MIN_BLOCK);
    if (s->op > RED_MUL) s->op = RED_SUM;
    for (int d = 0; d < p->nkept; d++) p->kept_src[d] = first->p.kept_dst[d];
    memset(p->reduced_size, 0, sizeof(p->reduced_size));
    memset(p->reduced_src, 0, sizeof(p->reduced_src));
    p->nreduced = 1;
    p->reduced_size[0] = nchunks;
    p->reduced_src[0] = kept;
    p->total = p->chunk = nchunks;
    p->chunk_dst = 0;
}

/* The chunks' results go to the scratchpad. */
static const char *two_passes(
        planner_t *p, int variant, const step_t *s, int64_t nchunks, bool f64) {
    step_t first = *s;
    md_t md;
    int64_t kept = 1;
    for (int d = first.p.nkept - 1; d >= 0; d--) {
        first.p.kept_dst[d] = kept;
        kept *= first.p.kept_size[d];
    }
    REFUSE_IF(operand_array(p, &first.dst, &md, nchunks * kept, f64 ? dnnl_f64 : dnnl_f32));
    first.finish = RED_KEEP;
    first.p.chunk_dst = kept;
    REFUSE_IF(emit(p, variant, &first, nchunks));
    step_t second;
    second_pass(&second, &first, nchunks, kept, variant_has_lanes(&variants[variant]));
    memcpy(second.p.kept_dst, s->p.kept_dst, sizeof(second.p.kept_dst));
    second.dst = s->dst;
    second.finish = s->finish;
    return emit(p, variant, &second, 1);
}

const char *reduce_steps(planner_t *p, int variant, const reduce_job_t *job) {
    const bool f64 =
            job->f64 || job->src.md->data_type == dnnl_f64 || job->dst.md->data_type == dnnl_f64;
    step_t s;
    memset(&s, 0, sizeof(s));
    s.src = job->src;
    s.dst = job->dst;
    md_t plain;
    if (set_loops(&s, job)) {
        REFUSE_IF(make_plain(p, &s.src, &plain));
        REFUSE_IF(set_loops(&s, job));
    }
    variant = variant_for(variant, p->caps, f64, &s);
    if (variant < 0) return "no kernel of the reductions supports the data types";
    s.op = job->op;
    s.finish = job->finish;
    s.p.count = job->count ? job->count : s.p.total;
    s.p.a = job->a;
    s.p.b = job->b;
    s.p.c = job->c;
    s.with_center = job->center;
    if (job->center) s.center = *job->center;
    const int64_t wanted = chunks_for(p->caps, variant, &s);
    s.p.chunk = div_up(s.p.total, wanted);
    const int64_t nchunks = div_up(s.p.total, s.p.chunk);
    return nchunks == 1 ? emit(p, variant, &s, 1) : two_passes(p, variant, &s, nchunks, f64);
}
