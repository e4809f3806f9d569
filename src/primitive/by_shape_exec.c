/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the primitive of the shape that a primitive of run-time dimensions is executed with. */
#include "primitive/by_shape_exec.h"

#include "core/alloc.h"
#include "core/hash.h"
#include "core/status.h"
#include "core/verbose.h"
#include "plan/op.h"
#include "primitive/primitive.h"

static dnnl_status_t make(
        executable_t *x, dnnl_engine_t engine, const dnnl_exec_arg_t *args, executable_t **found) {
    const pd_t *pd = x->pd;
    pd_tensor_t *tensors = dz_calloc((size_t)pd->request.ntensors, sizeof(*tensors));
    pd_request_t request = pd->request;
    dnnl_status_t status = tensors ? dnnl_success : dnnl_out_of_memory;
    for (int i = 0; status == dnnl_success && i < request.ntensors; i++) {
        const int slot = pd_find_arg(pd, request.tensor[i].arg);
        tensors[i] = request.tensor[i];
        if (!args[slot].memory || !md_has_runtime_dims_or_strides(&pd->args[slot].md)) continue;
        tensors[i].md = &args[slot].memory->md;
        if (!md_is_instance(&pd->args[slot].md, tensors[i].md))
            status = verbose_exec_check(dnnl_invalid_arguments, pd->op->name,
                    "the memory of argument %d does not agree with the primitive's descriptor",
                    pd->args[slot].arg);
    }
    request.tensor = tensors;
    if (status == dnnl_success)
        status = primitive_find_request(found, x->core, pd->op, engine, &request);
    dz_free(tensors);
    return status;
}

dnnl_status_t by_shape_find(
        executable_t *x, dnnl_engine_t engine, const dnnl_exec_arg_t *args, executable_t **found) {
    uint64_t key = 0;
    for (int i = 0; i < x->nslots; i++)
        if (args[i].memory) key = hash_u64(args[i].memory->md_hash, key);
    *found = executable_find_shape(x, key);
    if (!*found) {
        TRY(make(x, engine, args, found));
        executable_keep_shape(x, key, *found);
    }
    return dnnl_success;
}

void by_shape_args(const executable_t *x, const dnnl_exec_arg_t *args, const executable_t *of_shape,
        dnnl_exec_arg_t *its_args) {
    for (int i = 0; i < of_shape->nslots; i++) {
        const int arg = of_shape->slots[i].arg, slot = executable_find_slot(x, arg);
        its_args[i] = (dnnl_exec_arg_t){arg, slot < 0 ? NULL : args[slot].memory};
    }
}
