/* SPDX-License-Identifier: Apache-2.0 */
/* The variants for GPUs with work-groups and local memory: a tile of the result a work-group. */
#include "core/status.h"
#include "core/util.h"
#include "ops/matmul/inputs.h"
#include "ops/matmul/planners.h"
#include "ops/matmul/result.h"
#include "plan/variant.h"
#include "steps/local_tile.h"

/* Positions are 32-bit integers, and go a step or a tile beyond the ends. */
enum { MOST = INT32_MAX / 2 };
/* Work-groups in the second and the third dimension that every device takes. */
enum { MOST_GROUPS = 65535 };

static const char *check(const matmul_t *mm, int variant) {
    const bool ints = variants[variant].geometry.ints;
    if (mm->exact != ints)
        return ints ? "the sums are not of integers" : "the sums are of integers";
    if (mm->k > MOST || mm->m > MOST || mm->n > MOST) return "a dimension is 2^30 or more";
    if (mm->src.md->data_type == dnnl_f64) return "the data is double precision";
    if (mm->scale_src || mm->scale_wei) return "scales change along k";
    if (matmul_has_zero_points(mm)) return "there are zero points of inputs";
    return local_tile_can(&mm->planner, variant, mm->m, mm->n, matmul_batch(mm->dst.md));
}

const char *matmul_plan_local(planner_t *p, int variant) {
    matmul_t *mm = (matmul_t *)p;
    matrix_t a, b;
    result_t r;
    mm_tile_t params;
    REFUSE_IF(check(mm, variant));
    const int64_t across = div_up(mm->n, local_tile_columns(variant)),
                  below = div_up(mm->m, local_tile_rows(variant)), batch = matmul_batch(mm->dst.md);
    if (below > MOST_GROUPS || batch > MOST_GROUPS) return "there are too many tiles";
    REFUSE_IF(matrix_plain(mm, &mm->src, &a));
    REFUSE_IF(matrix_plain(mm, &mm->wei, &b));
    REFUSE_IF(matmul_float_result(mm, &r));
    matmul_tile_params(mm, &a, &b, &r, &params);
    params.rows = mm->m;
    params.b_panel = b.stride[mm->ndims - 1];
    const uint32_t flags = (params.a_k == 1 && !matmul_is_unknown(mm, &mm->src) ? MMF_DENSE_K : 0) |
                           (params.b_k == 1 && !matmul_is_unknown(mm, &mm->wei) ? MMF_DENSE_B : 0) |
                           (mm->exact ? MMF_INT : 0);
    plan_step(p->plan, variant, local_tile_group,
            (uint32_t[3]){(uint32_t)across, (uint32_t)below, (uint32_t)batch});
    result_specs(p->plan, &r, a.dt, b.dt, flags);
    bind_operand(p->plan, &a.at);
    bind_operand(p->plan, &b.at);
    bind_operand(p->plan, &r.to);
    plan_const(p->plan, &params, sizeof(params));
    epilogue_args(&r.seg, p->pd, p->mds, p->plan);
    return matmul_finish(mm, &r);
}
