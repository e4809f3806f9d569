/* SPDX-License-Identifier: Apache-2.0 */
/* Concat, sum and shuffle, computed directly from their definitions. */
#include "ref_data.h"

#include <string.h>

/* An element of an argument without broadcast. */
static ref_value_t element(const ref_t *ref, int arg, const dnnl_dim_t *pos) {
    const int slot = pd_find_arg(ref->pd, arg);
    const md_t *md = &ref->pd->args[slot].md;
    const double v = ref_load(md->data_type, ref->data[slot], md_offset(md, pos));
    return ref_input(ref, md->data_type, v);
}

ref_value_t ref_concat(const ref_t *ref, const dnnl_dim_t *pos) {
    const int axis = ref->pd->params.axis;
    dnnl_dims_t at;
    memcpy(at, pos, sizeof(dnnl_dim_t) * (size_t)pd_md(ref->pd, DNNL_ARG_DST)->ndims);
    int arg = DNNL_ARG_MULTIPLE_SRC;
    while (at[axis] >= pd_md(ref->pd, arg)->dims[axis])
        at[axis] -= pd_md(ref->pd, arg++)->dims[axis];
    ref_value_t x = element(ref, arg, at);
    const bool scaled = quant_find(&ref->pd->attr.scales, arg);
    if (scaled) return ref_binary(ref->epsilon, dnnl_binary_mul, x, ref_scale(ref, arg, at));
    if (pd_md(ref->pd, DNNL_ARG_DST)->data_type == dnnl_s32) x.error = 0; /* the bits are copied */
    return x;
}

ref_value_t ref_sum(const ref_t *ref, const dnnl_dim_t *pos) {
    ref_value_t sum = {0, 0};
    for (int i = 0; i < ref->pd->request.nfactors; i++) {
        const ref_value_t scale = {ref->pd->request.factors[i], 0};
        const ref_value_t x = element(ref, DNNL_ARG_MULTIPLE_SRC + i, pos);
        sum = ref_binary(ref->epsilon, dnnl_binary_add, sum,
                ref_binary(ref->epsilon, dnnl_binary_mul, x, scale));
    }
    return sum;
}

ref_value_t ref_shuffle(const ref_t *ref, const dnnl_dim_t *pos) {
    const md_t *dst = pd_md(ref->pd, DNNL_ARG_DST);
    const int axis = ref->pd->params.axis;
    const dnnl_dim_t columns = dst->dims[axis] / ref->pd->params.group_size;
    dnnl_dims_t at;
    memcpy(at, pos, sizeof(dnnl_dim_t) * (size_t)dst->ndims);
    at[axis] = pos[axis] % columns * ref->pd->params.group_size + pos[axis] / columns;
    ref_value_t x = element(ref, DNNL_ARG_SRC, at);
    x.error = 0; /* values are only moved */
    return x;
}

/* The element goes back to where the forward shuffle took it from. */
ref_value_t ref_shuffle_backward(const ref_t *ref, const dnnl_dim_t *pos) {
    const md_t *dst = pd_md(ref->pd, DNNL_ARG_DIFF_DST);
    const int axis = ref->pd->params.axis;
    const dnnl_dim_t group = ref->pd->params.group_size, columns = dst->dims[axis] / group;
    dnnl_dims_t at;
    memcpy(at, pos, sizeof(dnnl_dim_t) * (size_t)dst->ndims);
    at[axis] = pos[axis] % group * columns + pos[axis] / group;
    ref_value_t x = element(ref, DNNL_ARG_DIFF_DST, at);
    x.error = 0; /* values are only moved */
    return x;
}
