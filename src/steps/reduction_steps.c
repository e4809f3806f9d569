/* SPDX-License-Identifier: Apache-2.0 */
/* How a reduction is cut into loops, chunks and work-items. */
#include "steps/reduction_steps.h"

#include <stdio.h>
#include <string.h>

#include "core/util.h"
#include "core/verbose.h"
#include "steps/loops.h"
#include "plan/op.h"
#include "plan/variant.h"
#include "plan/sub_groups.h"

/* Elements that make a work-item worth starting, and work-items that keep every thread busy to the end. */
enum { CPU_ITEM = 16384, CPU_ITEMS_PER_UNIT = 8, ANY_ITEM = 256, ANY_ITEMS = 8192, SG_ITEM = 4096 };
/* Elements of a sum after which the next ones would be lost in it. */
enum { MOST_SUMMED = 1 << 22 };

uint64_t scratch_take(uint64_t *scratch, size_t size) {
    uint64_t at = *scratch;
    *scratch = (at + size + 63) & ~(uint64_t)63;
    return at;
}

dnnl_status_t scratch_tensor(operand_t *t, md_t *md, const md_t *like, unsigned mask,
        dnnl_data_type_t dt, uint64_t *scratch) {
    dnnl_dims_t dims;
    for (int d = 0; d < like->ndims; d++) dims[d] = mask & 1u << d ? like->dims[d] : 1;
    dnnl_status_t status = md_init_strides(md, like->ndims, dims, dt, NULL);
    if (status == dnnl_success) *t = (operand_t){md, -1, scratch_take(scratch, md_size(md, 0))};
    return status;
}

epilogue_source_t scratch_source(const operand_t *t, unsigned mask, int like_slot) {
    return (epilogue_source_t){.kind = SOURCE_SCRATCH,
            .slot = -1,
            .mask = (int)mask,
            .like_slot = like_slot,
            .dt = t->md->data_type,
            .offset = t->offset};
}

bool has_doubles(const pd_t *pd) {
    for (int i = 0; i < pd->nargs; i++)
        if (pd->args[i].md.data_type == dnnl_f64) return true;
    return false;
}

const char *reduce_row_can(int row, bool wide) {
    return wide && !variants[row].needs_fp64 ? "it has no double arithmetic" : NULL;
}

static const char *reduction_fits(const pd_t *pd, const caps_t *caps, int row) {
    (void)caps;
    return reduce_row_can(row, has_doubles(pd));
}

dnnl_status_t select_row_or_reduction(
        pd_t *pd, const caps_t *caps, const char *first, variant_fits_fn fits) {
    const int wanted = pd->request.hints.forced_variant;
    const char *forced = wanted >= 0 ? variants[wanted].family : "";
    const int impl_index = pd->impl_index;
    int fitting = 0;
    if (strcmp(forced, REDUCTION_FAMILY)) {
        if (select_variant(pd, caps, first, fits) == dnnl_success) return dnnl_success;
        if (!strcmp(forced, first)) return dnnl_unimplemented;
        for (int row = 0; row < variant_count; row++)
            fitting += !strcmp(variants[row].family, first) &&
                       variant_runs_on(&variants[row], caps) && !fits(pd, caps, row);
    }
    pd->impl_index -= fitting;
    dnnl_status_t status = select_variant(pd, caps, REDUCTION_FAMILY, reduction_fits);
    pd->impl_index = impl_index;
    return status;
}

/* ---- steps ---- */

typedef struct {
    reduce_params_t p;
    operand_t src, dst, center;
    bool with_center, along_kept;
    int op, finish;
} step_t;

enum { RESULT = EW_SRC, SOURCE = EW_DST, CENTER = EW_CHAIN };

/* The loops are the source's; the result broadcasts over those that are reduced. */
static const char *set_loops(step_t *s, const reduce_job_t *job) {
    const md_t *md[3];
    ew_loops_t l;
    md[RESULT] = job->dst.md;
    md[SOURCE] = s->src.md;
    md[CENTER] = job->center ? job->center->md : job->dst.md;
    const char *why_not = ew_loops(&l, NULL, NULL, md, 3, false);
    if (why_not) return why_not;
    if (l.nlimits) return "the source is padded";
    reduce_params_t *p = &s->p;
    int64_t all = 1;
    p->total = 1;
    for (int i = 0; i < l.naxes; i++) {
        if (!mul_ok(all, l.axis[i].size, &all)) return "the tensor is too large";
        const bool kept = l.stride[RESULT][i] != 0 && job->dst.md->dims[l.axis[i].dim] != 1;
        const int n = kept ? p->nkept : p->nreduced;
        if (n == PAR_MAX_DIMS) return "the layouts need too many loops";
        if (kept) {
            p->kept_size[n] = l.axis[i].size;
            p->kept_src[n] = l.stride[SOURCE][i];
            p->kept_dst[n] = l.stride[RESULT][i];
            p->kept_center[n] = l.stride[CENTER][i];
            p->nkept++;
            s->along_kept = true; /* of the last loop */
        } else {
            p->reduced_size[n] = l.axis[i].size;
            p->reduced_src[n] = l.stride[SOURCE][i];
            p->total *= l.axis[i].size;
            p->nreduced++;
            s->along_kept = false;
        }
    }
    if (p->nreduced == 0) p->reduced_size[p->nreduced++] = 1;
    return NULL;
}

/* Can rows for sub-groups walk along the innermost loop? */
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

static const char *emit(plan_t *plan, int row, step_t *s, int64_t nchunks) {
    reduce_params_t *p = &s->p;
    const bool cpu = variants[row].target == TARGET_CPU, sg = variants[row].target == TARGET_SG16;
    const bool along_kept = (cpu || sg) && s->along_kept;
    int64_t blocks = 1;
    p->rows = 1;
    for (int d = 0; d < p->nkept - along_kept; d++) p->rows *= p->kept_size[d];
    if (along_kept) {
        p->block = sg ? SG_TILE : RED_BLOCK_VECTORS * 16;
        blocks = div_up(p->kept_size[p->nkept - 1], p->block);
    }
    const int64_t per_row =
            p->chunk * (along_kept ? min_i64(p->block, p->kept_size[p->nkept - 1]) : 1);
    p->rows_per_item =
            cpu ? (int32_t)max_i64(1, min_i64(CPU_ITEM / max_i64(per_row, 1), p->rows)) : 1;
    const uint32_t group[3] = {cpu  ? 1
                               : sg ? SG_LANES * (p->rows < SG_GROUPS ? 1 : SG_GROUPS)
                                    : 32,
            1, 1};
    const int64_t x =
            div_up(p->rows, (int64_t)p->rows_per_item * (sg ? group[0] / SG_LANES : group[0]));
    if (x > UINT32_MAX || nchunks > UINT32_MAX || blocks > UINT32_MAX)
        return "the tensor is too large";
    if (plan->nsteps == ROOM_STEPS) return "the plan has too many steps";
    plan_step(plan, row, group, (uint32_t[3]){(uint32_t)x, (uint32_t)nchunks, (uint32_t)blocks});
    plan_spec(plan, SPEC_SRC_DT, s->src.md->data_type);
    plan_spec(plan, SPEC_DST_DT, s->dst.md->data_type);
    plan_spec(plan, SPEC_SRC1_DT, s->with_center ? s->center.md->data_type : dnnl_f32);
    plan_spec(plan, SPEC_RED_OP, (uint32_t)s->op);
    plan_spec(plan, SPEC_RED_FINISH, (uint32_t)s->finish);
    if (cpu || sg) plan_spec(plan, SPEC_RED_ALONG_KEPT, along_kept);
    bind_operand(plan, &s->src);
    bind_operand(plan, &s->dst);
    if (s->with_center) bind_operand(plan, &s->center);
    else plan_arg(plan, -1, 0);
    plan_const(plan, p, sizeof(*p));
    return NULL;
}

/* Chunks of the reduced loops, so that there is work for everyone. */
static int64_t chunks_for(const caps_t *caps, int row, const step_t *s) {
    const reduce_params_t *p = &s->p;
    const bool cpu = variants[row].target == TARGET_CPU, sg = variants[row].target == TARGET_SG16;
    const int64_t block = sg ? SG_TILE : RED_BLOCK_VECTORS * 16;
    int64_t kept = 1, items = 1;
    for (int d = 0; d < p->nkept; d++) {
        kept *= p->kept_size[d];
        items *= (cpu || sg) && s->along_kept && d == p->nkept - 1 ? div_up(p->kept_size[d], block)
                                                                   : p->kept_size[d];
    }
    const int64_t wanted = cpu  ? CPU_ITEMS_PER_UNIT * max_i64(caps->compute_units, 1)
                           : sg ? 2 * (int64_t)caps->compute_units
                                : ANY_ITEMS;
    const int64_t useful = cpu  ? kept * p->total / CPU_ITEM
                           : sg ? p->total / (s->along_kept ? SG_ITEM / SG_TILE : SG_ITEM)
                                : p->total / ANY_ITEM;
    const int64_t least = div_up(p->total, MOST_SUMMED);
    if (items >= wanted) return least;
    return max_i64(least, min_i64(min_i64(div_up(wanted, items), useful), p->total));
}

/* The results of the chunks, reduced again. */
static void second_pass(step_t *s, const step_t *first, int64_t nchunks, int64_t kept, bool sg) {
    *s = *first;
    reduce_params_t *p = &s->p;
    s->src = first->dst;
    s->with_center = false;
    s->along_kept = p->nkept && (sg || p->kept_size[p->nkept - 1] >= 16);
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

/* Plain and without padding, in the scratchpad. */
static const char *make_plain(plan_t *plan, const pd_t *pd, const caps_t *caps, operand_t *src,
        md_t *md, uint64_t *scratch) {
    epilogue_t none;
    epilogue_init(&none);
    operand_t plain;
    const dnnl_data_type_t from = src->md->data_type;
    const dnnl_data_type_t dt = from == dnnl_f64 || from == dnnl_s32 ? from : dnnl_f32;
    if (scratch_tensor(&plain, md, src->md, ~0u, dt, scratch) != dnnl_success)
        return "the source is too large";
    const char *why_not = ew_plan(
            &(planner_t){.pd = pd, .caps = caps, .plan = plan}, -1, &none, 0, src, &plain, &plain);
    *src = plain;
    return why_not;
}

static bool row_takes(int row, const caps_t *caps, bool wide, const step_t *s) {
    return !strcmp(variants[row].family, REDUCTION_FAMILY) &&
           variant_runs_on(&variants[row], caps) && !reduce_row_can(row, wide) &&
           (variants[row].target != TARGET_SG16 || is_contiguous(s));
}

static int row_for(const caps_t *caps, int row, bool wide, const step_t *s) {
    if (row >= 0 && row_takes(row, caps, wide, s)) return row;
    for (row = 0; row < variant_count; row++)
        if (row_takes(row, caps, wide, s)) return row;
    return -1;
}

const char *reduce_steps(plan_t *plan, const pd_t *pd, const caps_t *caps, int row,
        const reduce_job_t *job, uint64_t *scratch) {
    const bool wide =
            job->wide || job->src.md->data_type == dnnl_f64 || job->dst.md->data_type == dnnl_f64;
    step_t s;
    memset(&s, 0, sizeof(s));
    s.src = job->src;
    s.dst = job->dst;
    md_t plain, partial_md;
    const char *why_not = set_loops(&s, job);
    if (why_not) {
        if ((why_not = make_plain(plan, pd, caps, &s.src, &plain, scratch))) return why_not;
        memset(&s.p, 0, sizeof(s.p));
        if ((why_not = set_loops(&s, job))) return why_not;
    }
    row = row_for(caps, row, wide, &s);
    if (row < 0) return "no row of the reductions takes the data types";
    s.op = job->op;
    s.p.count = s.p.total;
    s.finish = job->finish;
    s.p.a = job->a;
    s.p.b = job->b;
    s.p.c = job->c;
    s.with_center = job->center;
    if (job->center) s.center = *job->center;
    int64_t nchunks = chunks_for(caps, row, &s);
    s.p.chunk = div_up(s.p.total, nchunks);
    nchunks = div_up(s.p.total, s.p.chunk);
    if (nchunks == 1) return emit(plan, row, &s, 1);

    int64_t dst_stride[PAR_MAX_DIMS], kept = 1;
    memcpy(dst_stride, s.p.kept_dst, sizeof(dst_stride));
    for (int d = s.p.nkept - 1; d >= 0; d--) {
        s.p.kept_dst[d] = kept;
        kept *= s.p.kept_size[d];
    }
    const dnnl_dim_t size = nchunks * kept;
    if (md_init_strides(&partial_md, 1, &size, wide ? dnnl_f64 : dnnl_f32, NULL) != dnnl_success)
        return "the tensor is too large";
    s.dst = (operand_t){&partial_md, -1, scratch_take(scratch, md_size(&partial_md, 0))};
    s.finish = RED_KEEP;
    s.p.chunk_dst = kept;
    if ((why_not = emit(plan, row, &s, nchunks))) return why_not;
    step_t second;
    second_pass(&second, &s, nchunks, kept, variants[row].target == TARGET_SG16);
    memcpy(second.p.kept_dst, dst_stride, sizeof(dst_stride));
    second.dst = job->dst;
    second.finish = job->finish;
    return emit(plan, row, &second, 1);
}
