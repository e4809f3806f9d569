/* SPDX-License-Identifier: Apache-2.0 */
/* The variant for sub-groups of 16 without matrix units: f32 arithmetic, a tile of the result a
 * sub-group. */
#include "core/status.h"
#include "core/util.h"
#include "kernels/lib/spec.h"
#include "ops/matmul/inputs.h"
#include "ops/matmul/planners.h"
#include "ops/matmul/result.h"
#include "ops/matmul/stream_k.h"
#include "plan/variant.h"

/* Work-items of a sub-group; and elements of k in a step of the kernel's loop. */
enum { LANES = 16, STEP = 8 };
/* Positions are 32-bit integers, and go a step or a tile beyond the ends. */
enum { MOST = INT32_MAX / 2 };
/* Steps that take as long as the fixup of stream-K. */
enum { FIXUP_STEPS = 128 };

static const char *check(const matmul_t *mm) {
    if (mm->exact) return "the sums are of integers";
    if (mm->k > MOST || mm->m > MOST || mm->n > MOST) return "a dimension is 2^30 or more";
    if (mm->src.md->data_type == dnnl_f64) return "the data is double precision";
    if (mm->scale_src || mm->scale_wei) return "scales change along k";
    if (matmul_has_zero_points(mm)) return "there are zero points of inputs";
    return NULL;
}

/* Is the amount of work known before the run? */
static bool is_known(const matmul_t *mm) {
    return mm->k > 0 && !matmul_has_unknown(mm) && matmul_batch(mm->dst.md) * mm->m * mm->n > 0;
}

static matmul_work_t work_of(const matmul_t *mm, int variant) {
    const int rows = variants[variant].geometry.mr, columns = LANES * variants[variant].geometry.nv;
    return (matmul_work_t){.rows = rows,
            .columns = columns,
            .group_m = 1,
            .group_n = 1,
            .across = div_up(mm->n, columns),
            .below = div_up(mm->m, rows),
            .batch = matmul_batch(mm->dst.md),
            .units = div_up(mm->k, STEP),
            .unit_steps = 1,
            .threads = mm->planner.caps->compute_units,
            .fixup_steps = FIXUP_STEPS};
}

static void plan_products(
        matmul_t *mm, int variant, const matrix_t *a, const matrix_t *b, const result_t *r) {
    planner_t *p = &mm->planner;
    mm_tile_t params;
    matmul_tile_params(mm, a, b, r, &params);
    params.rows = mm->m;
    params.b_panel = b->stride[mm->ndims - 1];
    const bool dense = params.a_k == 1 && !matmul_is_unknown(mm, &mm->src);
    const uint32_t size[3] = {LANES, 1, 1};
    const matmul_work_t work = work_of(mm, variant);
    stream_k_t stream_k = {0};
    stream_k_launch_t launch = {0};
    if (is_known(mm)) stream_k_decide(mm, &work, r, &stream_k);
    while (stream_k_next(&stream_k, &work, r, &launch)) {
        plan_step(p->plan, variant, size, launch.count);
        product_specs(p->plan, a->dt, b->dt, launch.dt, (dense ? MMF_DENSE_K : 0) | launch.flags,
                launch.seg);
        bind_operand(p->plan, &a->at);
        bind_operand(p->plan, &b->at);
        bind_operand(p->plan, &r->to);
        plan_const(p->plan, &params, sizeof(params));
        plan_const(p->plan, &stream_k.split, sizeof(stream_k.split));
        stream_k_bind(p->plan, &stream_k);
        epilogue_args(launch.seg, p->pd, p->mds, p->plan);
    }
    stream_k_fixup(mm, &work, &stream_k, r);
}

const char *matmul_plan_sg16(planner_t *p, int variant) {
    matmul_t *mm = (matmul_t *)p;
    matrix_t a, b;
    result_t r;
    REFUSE_IF(check(mm));
    REFUSE_IF(matrix_plain(mm, &mm->src, &a));
    REFUSE_IF(matrix_plain(mm, &mm->wei, &b));
    REFUSE_IF(matmul_float_result(mm, &r));
    plan_products(mm, variant, &a, &b, &r);
    return matmul_finish(mm, &r);
}
