/* SPDX-License-Identifier: Apache-2.0 */
/* The choice of a kernel for primitives that are made of elementwise steps. */
#include "steps/copies.h"

#include "core/direction.h"
#include "core/status.h"
#include "plan/variant.h"

const char *copies_between(
        planner_t *p, operand_t *t, md_t *md, const md_t *of, dnnl_data_type_t from) {
    dnnl_data_type_t dt = of->data_type;
    if (dt_is_nibble(dt)) dt = from == dnnl_f64 ? dnnl_f64 : dnnl_f32;
    REFUSE_IF(why_not_of(
            md_init_strides(md, of->ndims, of->dims, dt, NULL), "the tensor is too large"));
    *t = operand_in_scratch(p, md);
    return NULL;
}

/* A planner that knows how its primitive writes its steps. */
typedef struct {
    planner_t planner;
    plan_fn write;
} copies_t;

static const char *plan(planner_t *p, int variant) {
    REFUSE_IF(((const copies_t *)p)->write(p, variant));
    for (int i = 0; i < p->plan->nsteps; i++)
        if (p->plan->steps[i].variant == variant) return NULL;
    return "none of the steps can use it";
}

dnnl_status_t copies_init(pd_t *pd, const caps_t *caps, plan_fn write) {
    if (md_has_zero_dim(pd_md(pd, pd_result(pd)))) return nothing_to_do(pd);
    copies_t copies = {planner_of(pd, caps), write};
    TRY(plan_best(&copies.planner, pd, ELEMENTWISE_FAMILY, plan));
    name_variant(pd);
    return planner_finish(&copies.planner, pd);
}
