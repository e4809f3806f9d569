/* SPDX-License-Identifier: Apache-2.0 */
#include "primitive/any_address.h"

#include "core/alloc.h"
#include "core/status.h"
#include "core/verbose.h"
#include "plan/op.h"
#include "primitive/primitive.h"

enum { KEY = 0 }; /* in the executables that x keeps */

bool any_address_is_needless(const executable_t *x, const dnnl_exec_arg_t *args) {
    for (int i = 0; i < x->nslots; i++) {
        const struct dnnl_memory *memory = args[i].memory;
        static const uint8_t bytes[] = {
                [FIT_LINES] = MEMORY_LINE, [FIT_VECTORS] = MEMORY_VECTOR, [FIT_ELEMENTS] = 1};
        if (!memory || memory->is_buffer) continue;
        for (int h = 0; h < memory->nhandles; h++)
            if ((uintptr_t)memory->ptr[h] % bytes[x->slots[i].least]) return false;
    }
    return true;
}

/* The tensors have the layouts that the first primitive chose. */
static dnnl_status_t make(executable_t *x, dnnl_engine_t engine, executable_t **found) {
    const pd_t *pd = x->pd;
    pd_request_t request = pd->request;
    pd_tensor_t *tensors = dz_calloc((size_t)request.ntensors + 1, sizeof(*tensors));
    if (!tensors)
        return verbose_error(dnnl_out_of_memory, pd->op->name, "no memory for a primitive");
    for (int i = 0; i < request.ntensors; i++) {
        tensors[i] = request.tensor[i];
        tensors[i].md = pd_md(pd, request.tensor[i].arg);
    }
    attr_t attr = pd->attr;
    attr.scratchpad_mode = dnnl_scratchpad_mode_library;
    request.tensor = tensors;
    request.attr = &attr;
    request.hints.any_address = true;
    const dnnl_status_t status = primitive_find_request(found, x->core, pd->op, engine, &request);
    dz_free(tensors);
    return status;
}

dnnl_status_t any_address_find(executable_t *x, dnnl_engine_t engine, executable_t **found) {
    *found = executable_find_shape(x, KEY);
    if (*found) return dnnl_success;
    verbose_note(x->pd->op->name,
            "a buffer is not aligned as the kernels expect: kernels for any address are compiled");
    TRY(make(x, engine, found));
    executable_keep_shape(x, KEY, *found);
    return dnnl_success;
}
