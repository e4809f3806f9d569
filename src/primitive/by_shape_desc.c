/* SPDX-License-Identifier: Apache-2.0 */
/* The descriptor of a primitive that has run-time dimensions and no plan of its own. */
#include "primitive/by_shape_desc.h"

#include <string.h>

#include "core/alloc.h"
#include "core/status.h"
#include "core/verbose.h"
#include "plan/op.h"

/* The operation plans the descriptor twice, with each of these sizes in place of the run-time
 * dimensions. What differs between the two results depends on those dimensions, so it is known at
 * run time only. Both sizes are multiples of the usual sizes of groups, and small: eight dimensions
 * of 128 have 2^56 elements, whose size in bytes does not overflow. */
static const dnnl_dim_t sizes[2] = {64, 128};

bool by_shape_is_needed(const pd_request_t *request) {
    for (int i = 0; i < request->ntensors; i++)
        if (md_has_runtime_dims_or_strides(request->tensor[i].md)) return true;
    return false;
}

static dnnl_status_t stand_in(md_t *md, const md_t *open, dnnl_dim_t size) {
    *md = *open;
    if (!md_has_runtime_dims_or_strides(open)) return dnnl_success;
    dnnl_dims_t dims;
    for (int d = 0; d < open->ndims; d++)
        dims[d] = open->dims[d] == DNNL_RUNTIME_DIM_VAL ? size : open->dims[d];
    if (md_is_any(open))
        return md_init_tag(md, open->ndims, dims, open->data_type, dnnl_format_tag_any);
    return md_init_strides(md, open->ndims, dims, open->data_type, NULL);
}

/* The descriptor with `size` in place of every run-time dimension, not sealed. */
static dnnl_status_t sized(pd_t **out, const pd_t *pd, const caps_t *caps, dnnl_dim_t size) {
    md_t *mds = dz_calloc((size_t)pd->request.ntensors, sizeof(*mds));
    pd_tensor_t *tensors = dz_calloc((size_t)pd->request.ntensors, sizeof(*tensors));
    pd_request_t request = pd->request;
    dnnl_status_t status = mds && tensors ? dnnl_success : dnnl_out_of_memory;
    for (int i = 0; status == dnnl_success && i < request.ntensors; i++) {
        tensors[i] = request.tensor[i];
        tensors[i].md = &mds[i];
        status = stand_in(&mds[i], request.tensor[i].md, size);
    }
    request.tensor = tensors;
    pd_t *made = NULL;
    if (status == dnnl_success && !(made = pd_create_from(&request))) status = dnnl_out_of_memory;
    if (status == dnnl_success) {
        made->op = pd->op;
        status = pd->op->init(made, caps);
    }
    if (status == dnnl_success) *out = made;
    else pd_unref(made);
    dz_free(mds);
    dz_free(tensors);
    return status;
}

/* Makes a run-time value of everything in md that is another value in `other`. */
static void open_differences(md_t *md, const md_t *other) {
    md_blocking_t *a = &md->format_desc.blocking;
    const md_blocking_t *b = &other->format_desc.blocking;
    for (int d = 0; d < md->ndims; d++) {
        if (md->dims[d] != other->dims[d]) md->dims[d] = md->padded_dims[d] = DNNL_RUNTIME_DIM_VAL;
        if (md_is_blocked(md) && a->strides[d] != b->strides[d])
            a->strides[d] = DNNL_RUNTIME_DIM_VAL;
    }
}

static dnnl_status_t check_scratchpad(const pd_t *pd, size_t size) {
    if (pd->attr.scratchpad_mode != dnnl_scratchpad_mode_user || !size) return dnnl_success;
    return verbose_refuse(dnnl_unimplemented, pd->op->name,
            "with run-time dimensions the size of the caller's scratchpad is not known");
}

dnnl_status_t by_shape_drop_plan(pd_t *pd) {
    TRY(check_scratchpad(pd, pd->scratchpad_size));
    pd->scratchpad_size = 0;
    plan_reset(&pd->plan);
    return dnnl_success;
}

dnnl_status_t by_shape_init(pd_t *pd, const caps_t *caps) {
    pd_t *a = NULL, *b = NULL;
    dnnl_status_t status = sized(&a, pd, caps, sizes[0]);
    if (status == dnnl_success) status = sized(&b, pd, caps, sizes[1]);
    if (status == dnnl_success) status = check_scratchpad(pd, a->scratchpad_size);
    if (status == dnnl_success) status = check_scratchpad(pd, b->scratchpad_size);
    pd->nargs = 0;
    for (int i = 0; status == dnnl_success && i < a->nargs; i++) {
        const pd_arg_t *arg = &a->args[i];
        const int given = i < pd->request.ntensors;
        md_t md =
                given && !md_is_any(pd->request.tensor[i].md) ? *pd->request.tensor[i].md : arg->md;
        open_differences(&md, given && !md_is_any(pd->request.tensor[i].md) ? &md : &b->args[i].md);
        status = pd_add_arg(pd, arg->arg, arg->flags, &md);
    }
    if (status == dnnl_success) {
        pd->by_shape = true;
        pd->variant = a->variant;
        memcpy(pd->impl_name, a->impl_name, sizeof(pd->impl_name));
        plan_reset(&pd->plan);
    }
    pd_unref(a);
    pd_unref(b);
    return status;
}
