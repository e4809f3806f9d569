/* SPDX-License-Identifier: Apache-2.0 */
/* References of the backward propagation of primitives that reduce. */
#include "ref_norm.h"

#include <float.h>
#include <math.h>
#include <string.h>

/* ref_softmax's derivative is taken at the destination, whatever numbers it has. */
ref_value_t ref_softmax_bwd(const ref_t *ref, const dnnl_dim_t *pos) {
    const md_t *dst = pd_md(ref->pd, DNNL_ARG_DST);
    const bool is_log = ref->pd->params.alg_kind == dnnl_softmax_log;
    const int axis = ref->pd->params.axis;
    const double eps = ref->epsilon, n = (double)dst->dims[axis];
    double sum = 0, size = 0;
    dnnl_dims_t at;
    memcpy(at, pos, sizeof(at[0]) * (size_t)dst->ndims);
    for (at[axis] = 0; at[axis] < dst->dims[axis]; at[axis]++) {
        const double d = is_log ? 1 : ref_at(ref, DNNL_ARG_DST, at).v;
        const double term = d * ref_at(ref, DNNL_ARG_DIFF_DST, at).v;
        sum += term;
        size += fabs(term);
    }
    const double d = ref_at(ref, DNNL_ARG_DST, pos).v, dd = ref_at(ref, DNNL_ARG_DIFF_DST, pos).v;
    const double sum_error = eps * (n + 2) * size;
    const double tiny = eps > 1e-10 ? 4 * (double)FLT_MIN : 0; /* subnormals may be lost */
    if (is_log) {
        const double e = exp(d), y = dd - e * sum;
        return (ref_value_t){
                y, e * (sum_error + eps * (fabs(d) + 8) * fabs(sum)) + eps * fabs(y) + tiny};
    }
    const double y = d * (dd - sum);
    return (ref_value_t){y, fabs(d) * (sum_error + eps * fabs(dd - sum)) + eps * fabs(y) + tiny};
}
