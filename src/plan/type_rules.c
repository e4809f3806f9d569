/* SPDX-License-Identifier: Apache-2.0 */
/* Which data types the operands of a product may have together. */
#include "plan/type_rules.h"

#include "core/verbose.h"
#include "plan/op.h"

#define REFUSE(...) verbose_refuse(dnnl_unimplemented, pd->op->name, __VA_ARGS__)

dnnl_status_t product_types_check(const pd_t *pd, const type_rule_t *rules, int nrules) {
    const md_t *src = pd_md(pd, DNNL_ARG_SRC), *wei = pd_md(pd, DNNL_ARG_WEIGHTS);
    const md_t *dst = pd_md(pd, pd_result(pd)), *bias = pd_md(pd, DNNL_ARG_BIAS);
    for (const type_rule_t *rule = rules; rule < rules + nrules; rule++) {
        if (!dt_in(src, rule->src) || !dt_in(wei, rule->wei)) continue;
        if (rule->same && src->data_type != wei->data_type) continue;
        if (!dt_in(dst, rule->dst))
            return REFUSE("dst's data type is not supported with src's and weights'");
        if (!md_is_zero(bias) && !dt_in(bias, rule->bias))
            return REFUSE("bias's data type is not supported with src's and weights'");
        return dnnl_success;
    }
    return REFUSE("the data types of src and weights are not supported together");
}
