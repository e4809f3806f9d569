/* SPDX-License-Identifier: Apache-2.0 */
/* The steps of a matmul of floats on sub-groups without matrix units. */
#include <string.h>

#include "core/util.h"
#include "kernels/lib/spec.h"
#include "ops/matmul/stream_k.h"
#include "plan/variant.h"

/* As the flags of the row say, and of k in a step. */
enum { ROWS = 8, COLUMNS = 32, STEP = 8 };
/* Positions are integers of 32 bits, and go a step or a tile beyond the ends. */
enum { MOST = INT32_MAX / 2 };
/* Steps that cost as much as adding up sums that were divided. */
enum { FIXUP_STEPS = 128 };

static const char *check(const matmul_t *mm) {
    if (mm->exact) return "the sums are of integers";
    if (mm->k > MOST || mm->m > MOST || mm->n > MOST) return "a dimension is 2^30 or more";
    if (mm->src.data_type == dnnl_f64) return "the data is double precision";
    if (mm->scale_src || mm->scale_wei) return "scales change along k";
    if (quant_find(&mm->pd->attr.zero_points, DNNL_ARG_SRC) ||
            quant_find(&mm->pd->attr.zero_points, DNNL_ARG_WEIGHTS))
        return "there are zero points of inputs";
    return NULL;
}

static bool is_known(const matmul_t *mm) {
    return mm->k > 0 && !matmul_unknown(mm, mm->src_slot) && !matmul_unknown(mm, mm->wei_slot) &&
           !matmul_unknown(mm, mm->dst_slot) && matmul_batch(&mm->dst) * mm->m * mm->n > 0;
}

const char *matmul_plan_sg16(matmul_t *mm, int row) {
    const int nd = mm->ndims;
    const int64_t batch = matmul_batch(&mm->dst);
    plan_t *plan = mm->plan;
    matmul_matrix_t a, b;
    matmul_result_t r;
    const char *why_not = check(mm);
    if (!why_not) why_not = matmul_plain_input(mm, mm->src_slot, &mm->src, &a);
    if (!why_not) why_not = matmul_plain_input(mm, mm->wei_slot, &mm->wei, &b);
    if (!why_not) why_not = matmul_plan_float_result(mm, &r);
    if (why_not) return why_not;

    mm_tile_t p;
    matmul_tile_params(mm, &a, &b, &r, &p);
    p.rows = mm->m;
    p.b_panel = b.stride[nd - 1];
    const bool dense = p.a_k == 1 && !matmul_unknown(mm, mm->src_slot);
    const uint32_t size[3] = {16, 1, 1};
    const matmul_work_t work = {.rows = ROWS,
            .columns = COLUMNS,
            .group_m = 1,
            .group_n = 1,
            .across = div_up(mm->n, COLUMNS),
            .below = div_up(p.rows, ROWS),
            .batch = batch,
            .units = div_up(mm->k, STEP),
            .unit_steps = 1,
            .threads = mm->caps->compute_units,
            .fixup_steps = FIXUP_STEPS};
    stream_k_t shares = {0};
    matmul_launch_t launch = {0};
    if (is_known(mm)) stream_k_decide(mm, &work, &r, &shares);
    while (matmul_next_launch(&shares, &work, &r, &launch)) {
        plan_step(plan, row, size, launch.count);
        matmul_specs(plan, a.dt, b.dt, &launch.result, (dense ? MMF_DENSE_K : 0) | launch.flags);
        matmul_bind(plan, &a);
        matmul_bind(plan, &b);
        matmul_bind(plan, &r.c);
        plan_const(plan, &p, sizeof(p));
        plan_const(plan, &shares.shares, sizeof(shares.shares));
        matmul_bind_slots(mm, &shares);
        epilogue_args(&launch.result.seg, mm->pd, mm->mds, plan);
    }
    why_not = matmul_plan_fixup(mm, &work, &shares, &r);
    return why_not ? why_not : matmul_finish_result(mm, &r);
}
