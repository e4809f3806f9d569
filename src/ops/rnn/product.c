/* SPDX-License-Identifier: Apache-2.0 */
/* Matrix products and copies of a recurrent network. */
#include <string.h>

#include "core/status.h"
#include "ops/rnn/rnn.h"
#include "plan/type_rules.h"
#include "plan/variant.h"
#include "steps/reduction_steps.h"

void rnn_release(rnn_t *r, uint64_t before) {
    planner_t *p = &r->mm.planner;
    if (p->scratch > r->most) r->most = p->scratch;
    p->scratch = before;
}

/* ---- products ---- */

static const char *try_variant(rnn_t *r, int variant) {
    planner_t *p = &r->mm.planner;
    const plan_mark_t mark = plan_mark(p->plan);
    const uint64_t before = p->scratch;
    const char *why_not = matmul_plan(&r->mm, variant);
    if (why_not) plan_rewind(p->plan, mark);
    rnn_release(r, before);
    return why_not;
}

static bool is_matmul(int variant) {
    return variant >= 0 && !strcmp(variants[variant].family, "matmul");
}

static bool remembers(rnn_t *r, rnn_product_t what, int variant) {
    if (variant < 0 || try_variant(r, variant)) return false;
    r->chosen[what] = variant;
    return true;
}

/* The first variant that runs the product: the one that a test forces, if it can. */
static const char *choose(rnn_t *r, rnn_product_t what) {
    const planner_t *p = &r->mm.planner;
    const int forced = p->pd->request.hints.forced_variant;
    if (what != PRODUCT_OTHER && remembers(r, what, r->chosen[what])) return NULL;
    if (is_matmul(forced) && variant_runs_on(&variants[forced], p->caps) &&
            remembers(r, what, forced))
        return NULL;
    for (int v = 0; v < variant_count; v++) {
        if (!is_matmul(v) || !variant_runs_on(&variants[v], p->caps)) continue;
        if (remembers(r, what, v)) return NULL;
        if (p->plan->failed) return no_memory;
    }
    return "no kernel multiplies the matrices";
}

static void set_product(matmul_t *mm, md_t *md, const matrix_view_t *a, const matrix_view_t *b,
        const matrix_view_t *c) {
    mm->src = operand_of_view(a, &md[0]);
    mm->wei = operand_of_view(b, &md[1]);
    mm->dst = operand_of_view(c, &md[2]);
    mm->m = c->rows;
    mm->n = c->columns;
    mm->k = a->columns;
    mm->exact = dt_in(mm->src.md, BYTES) && dt_in(mm->wei.md, INTS);
}

/* A dense matrix at the beginning of the scratchpad. */
static matrix_view_t dense(dnnl_data_type_t dt, int64_t rows, int64_t columns, int64_t row) {
    return (matrix_view_t){.slot = -1,
            .dt = dt,
            .outer = 1,
            .rows = rows,
            .columns = columns,
            .row = row,
            .column = 1};
}

bool rnn_multiplies_at_once(rnn_t *r) {
    planner_t *p = &r->mm.planner;
    const plan_mark_t mark = plan_mark(p->plan);
    const int before = p->plan->nsteps;
    const int64_t columns = r->gates * r->dhc;
    matrix_view_t u;
    if (!rnn_weights_transposed(r, DNNL_ARG_WEIGHTS_ITER, 0, 0, &u)) {
        if (!rnn_weights(r, DNNL_ARG_WEIGHTS_ITER, 0, 0, &u))
            u = dense(r->weights_dt, r->sic, columns, columns);
        if (r->is_backward) u = view_transposed(&u);
    }
    matrix_view_t a = r->is_backward ? dense(r->weights_dt, r->batch, columns, columns)
                                     : dense(r->dt, r->batch, r->sic, r->pitch);
    const matrix_view_t c = r->is_backward ? dense(dnnl_f32, r->batch, r->sic, r->sic)
                                           : dense(r->sums_dt, r->batch, columns, columns);
    if (!r->is_backward) a.slot = pd_find_arg(p->pd, DNNL_ARG_WORKSPACE);
    a.offset = dt_offset(a.dt, r->batch * a.row); /* that of a step which is not the first */
    set_product(&r->mm, r->view, &a, &u, &c);
    epilogue_init(&r->mm.epilogue);
    const bool is_one = !choose(r, PRODUCT_STATE) && p->plan->nsteps == before + 1;
    plan_rewind(p->plan, mark);
    r->chosen[PRODUCT_STATE] = -1;
    return is_one;
}

const char *rnn_multiply_then(rnn_t *r, rnn_product_t what, const epilogue_t *epilogue,
        const matrix_view_t *a, const matrix_view_t *b, const matrix_view_t *c) {
    matmul_t *mm = &r->mm;
    if (!c->rows || !c->columns || !a->columns) return NULL;
    set_product(mm, r->view, a, b, c);
    mm->epilogue = *epilogue;
    const char *why_not = choose(r, what);
    epilogue_init(&mm->epilogue);
    return why_not;
}

const char *rnn_multiply(rnn_t *r, rnn_product_t what, const matrix_view_t *a,
        const matrix_view_t *b, const matrix_view_t *c, const matrix_view_t *added) {
    md_t md;
    epilogue_t epilogue;
    epilogue_init(&epilogue);
    if (added) {
        const operand_t second = operand_of_view(added, &md);
        const epilogue_source_t source = operand_tensor(&second);
        epilogue_add_source(&epilogue, OP_ADD, &source);
    }
    return rnn_multiply_then(r, what, &epilogue, a, b, c);
}

/* ---- copies ---- */

const char *rnn_apply(
        rnn_t *r, const epilogue_t *epilogue, const matrix_view_t *from, const matrix_view_t *to) {
    planner_t *p = &r->mm.planner;
    md_t from_md, to_md;
    const operand_t src = operand_of_view(from, &from_md), dst = operand_of_view(to, &to_md);
    const uint64_t before = p->scratch;
    const char *why_not = ew_plan(p, -1, epilogue, 0, &src, &dst, &dst);
    rnn_release(r, before);
    return why_not;
}

static const char *combine(
        rnn_t *r, int op, const matrix_view_t *a, const matrix_view_t *b, const matrix_view_t *to) {
    md_t md;
    const operand_t second = operand_of_view(b, &md);
    const epilogue_source_t source = operand_tensor(&second);
    epilogue_t epilogue;
    epilogue_init(&epilogue);
    epilogue_add_source(&epilogue, op, &source);
    return rnn_apply(r, &epilogue, a, to);
}

const char *rnn_copy(rnn_t *r, const matrix_view_t *from, const matrix_view_t *to, bool adds) {
    epilogue_t none;
    if (adds) return combine(r, OP_ADD, from, to, to);
    epilogue_init(&none);
    return rnn_apply(r, &none, from, to);
}

const char *rnn_add(
        rnn_t *r, const matrix_view_t *a, const matrix_view_t *b, const matrix_view_t *to) {
    return combine(r, OP_ADD, a, b, to);
}

/* No value is less than itself. */
const char *rnn_zero(rnn_t *r, const matrix_view_t *to) {
    return combine(r, OP_LT, to, to, to);
}

const char *rnn_flatten_input(rnn_t *r, matrix_view_t *v) {
    if (view_flatten(v)) return NULL;
    const rnn_array_t copy = rnn_reserve(r, v->outer * v->rows * v->columns, v->dt);
    matrix_view_t to = *v;
    to.slot = -1;
    to.offset = copy.offset;
    to.column = 1;
    to.row = v->columns;
    to.matrix = v->rows * v->columns;
    REFUSE_IF(rnn_copy(r, v, &to, false));
    view_flatten(&to);
    *v = to;
    return NULL;
}

/* ---- sums ---- */

const char *rnn_sum_columns(rnn_t *r, const matrix_view_t *from, const matrix_view_t *to) {
    planner_t *p = &r->mm.planner;
    md_t from_md, to_md;
    const uint64_t before = p->scratch;
    const reduce_job_t job = {.src = operand_of_view(from, &from_md),
            .dst = operand_of_view(to, &to_md),
            .op = RED_SUM,
            .finish = RED_KEEP};
    const char *why_not = reduce_steps(p, -1, &job);
    rnn_release(r, before);
    return why_not;
}

/* ---- weights ---- */

/* A dense copy of all of them is as large as the argument, and made once for each layer: rare
 * layouts only. */
const char *rnn_read_weights(rnn_t *r, int arg, int64_t l, int64_t d, matrix_view_t *v) {
    planner_t *p = &r->mm.planner;
    if (rnn_weights(r, arg, l, d, v)) return NULL;
    const operand_t from = operand_of(p, arg);
    md_t dense;
    REFUSE_IF(why_not_of(
            md_init_strides(&dense, from.md->ndims, from.md->dims, from.md->data_type, NULL),
            "the weights are too large"));
    const operand_t to = operand_in_scratch(p, &dense);
    REFUSE_IF(ew_copy(p, -1, &from, &to));
    *v = (matrix_view_t){.dt = from.md->data_type,
            .outer = 1,
            .rows = from.md->dims[2],
            .columns = from.md->dims[from.md->ndims - 1]};
    if (from.md->ndims == 5) v->columns *= from.md->dims[3];
    const int64_t part = (l * r->directions + d) * v->rows * v->columns;
    v->slot = -1;
    v->offset = to.offset + dt_offset(v->dt, part);
    v->row = v->columns;
    v->column = 1;
    return NULL;
}

const char *rnn_fast_weights(rnn_t *r, matrix_view_t *weights) {
    /* Rows up to which a product with transposed weights needs no copy of them on a CPU. */
    enum { FEW_ROWS = 8 };
    if (weights->column == 1 || r->steps == 1 || r->batch <= FEW_ROWS) return NULL;
    const rnn_array_t copy = rnn_reserve(r, weights->rows * weights->columns, weights->dt);
    matrix_view_t to = *weights;
    to.slot = -1;
    to.offset = copy.offset;
    to.row = weights->columns;
    to.column = 1;
    REFUSE_IF(rnn_copy(r, weights, &to, false));
    *weights = to;
    return NULL;
}
