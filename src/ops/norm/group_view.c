/* SPDX-License-Identifier: Apache-2.0 */
/* The channels of group normalization as groups x channels in a group. */
#include "core/status.h"
#include "ops/norm/norm.h"

static void group_dims(const md_t *md, dnnl_dim_t groups, dnnl_dim_t *dims) {
    dims[0] = md->dims[0];
    dims[1] = groups;
    dims[2] = md->dims[1] / groups;
    for (int d = 2; d < md->ndims; d++) dims[d + 1] = md->dims[d];
}

const char *norm_group_view(md_t *view, const md_t *md, dnnl_dim_t groups) {
    dnnl_dims_t dims;
    group_dims(md, groups, dims);
    return why_not_of(md_init_reshape(view, md, md->ndims + 1, dims), "the tensor is too large");
}

const char *norm_expand(norm_t *n, operand_t *t, md_t *md, const md_t *view) {
    operand_t of_channels;
    md_t channels_md;
    REFUSE_IF(operand_like(&n->planner, &of_channels, &channels_md, view, 7, n->dt));
    REFUSE_IF(ew_copy(&n->planner, -1, t, &of_channels));
    *md = channels_md;
    *t = (operand_t){md, -1, of_channels.offset};
    return NULL;
}
