/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/rnn/verbose.h"

#include <stdio.h>

#include "core/strings.h"
#include "core/strings_enum.h"

/* "l1t3mb2sic16slc16dhc16dic16" */
int rnn_format_problem(const pd_t *pd, char *buf, size_t size) {
    const md_t *src = pd_md(pd, DNNL_ARG_SRC_LAYER), *u = pd_md(pd, DNNL_ARG_WEIGHTS_ITER),
               *projection = pd_md(pd, DNNL_ARG_WEIGHTS_PROJECTION);
    const long long dic = md_is_zero(projection) ? u->dims[4] : projection->dims[3];
    return snprintf(buf, size, "l%lldt%lldmb%lldsic%lldslc%llddhc%llddic%lld",
            (long long)u->dims[0], (long long)src->dims[0], (long long)src->dims[1],
            (long long)u->dims[2], (long long)src->dims[2], (long long)u->dims[4], dic);
}

int rnn_format_aux(const pd_t *pd, char *buf, size_t size) {
    const op_params_t *p = &pd->params;
    text_t text = text_start(buf, size);
    text_add(&text, "alg:%s direction:%s activation:%s", enum_name(NAMES_ALG_KIND, p->cell_kind),
            enum_name(NAMES_RNN_DIRECTION, p->direction),
            enum_name(NAMES_ALG_KIND, p->activation_kind));
    if (p->flags & dnnl_rnn_flags_diff_weights_overwrite) text_add(&text, " flags:O");
    if (p->alpha != 0) text_add(&text, " alpha:%g", (double)p->alpha);
    return text.len;
}
