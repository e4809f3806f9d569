/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/infer_set.h"

dnnl_status_t infer_set(op_t *op, size_t i, int ndims, const dnnl_dim_t *dims) {
    lt_t *out = &op->out.list[i];
    if (out->ndims >= 0 && out->ndims != ndims)
        REFUSE_SHAPE("%s: output %zu has %d dimensions and not %d", op->name, i, ndims, out->ndims);
    for (int d = 0; out->ndims >= 0 && d < ndims; d++)
        if (out->dims[d] != DNNL_GRAPH_UNKNOWN_DIM && out->dims[d] != dims[d])
            REFUSE_SHAPE("%s: dimension %d of output %zu is %lld and not %lld", op->name, d, i,
                    (long long)dims[d], (long long)out->dims[d]);
    out->ndims = ndims;
    for (int d = 0; d < ndims; d++) out->dims[d] = dims[d];
    return dnnl_success;
}
