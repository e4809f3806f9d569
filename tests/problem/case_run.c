/* SPDX-License-Identifier: Apache-2.0 */
/* Cases on the public interface: device buffers are memory objects that the library allocates. */
#include "case_run.h"

#include <stdlib.h>
#include <string.h>

#include "case_train.h"
#include "core/direction.h"
#include "oneapi/dnnl/dnnl.h"
#include "ze/memory.h"

dnnl_engine_t harness_engine;
size_t case_guard = 64, case_shift = 0;
int case_shifted = -1;
bool case_copies = true;
static dnnl_stream_t stream;

static dnnl_status_t execute(
        const_dnnl_primitive_t primitive, dnnl_stream_t on, int n, const dnnl_exec_arg_t *args) {
    const dnnl_status_t status = dnnl_primitive_execute(primitive, on, n, args);
    const dnnl_status_t waited = dnnl_stream_wait(on);
    return status != dnnl_success ? status : waited;
}

case_submit_fn case_submit = execute;

/* DNNL_ZE_TEST_STREAM=out_of_order: the primitives' own dependencies are all that keeps their
 * steps in order.
 */
bool case_open_device(void) {
    const char *kind = getenv("DNNL_ZE_TEST_STREAM");
    const bool in_order = !kind || strcmp(kind, "out_of_order") != 0;
    if (dnnl_engine_create(&harness_engine, dnnl_gpu, 0) != dnnl_success) return false;
    return dnnl_stream_create(&stream, harness_engine,
                   in_order ? dnnl_stream_default_flags : dnnl_stream_out_of_order) == dnnl_success;
}

void case_close_device(void) {
    dnnl_stream_destroy(stream);
    dnnl_engine_destroy(harness_engine);
}

const caps_t *harness_caps(void) {
    return engine_caps(harness_engine);
}

const pd_t *case_pd(const_dnnl_primitive_desc_t handle) {
    return handle->pd;
}

/* The memory of an argument, and the buffers that it lies in: of its elements, and of the indices
 * of a sparse one. */
enum { BUFFERS = 3 };
typedef struct {
    dnnl_memory_t memory, buffer[BUFFERS];
} device_arg_t;

#define TRY_CALL(call)                                                                             \
    do {                                                                                           \
        const dnnl_status_t status_ = (call);                                                      \
        if (status_ != dnnl_success) return status_;                                               \
    } while (0)

/* With pointers in every runtime: a tensor may begin anywhere. */
static dnnl_status_t make_memory(dnnl_memory_t *memory, const md_t *md, int n, void **handles) {
    return harness_engine->core->backend
                   ? memory_create(memory, md, harness_engine, n, handles, HANDLES_TRUSTED)
                   : dnnl_memory_create_v2(memory, md, harness_engine, n, handles);
}

static size_t shift_of(int slot) {
    return case_shifted < 0 || case_shifted == slot ? case_shift : 0;
}

static dnnl_status_t copy(
        dnnl_memory_t buffer, size_t at, void *to, const void *from, size_t size) {
    void *mapped = NULL;
    if (!size || !case_copies) return dnnl_success;
    TRY_CALL(dnnl_memory_map_data(buffer, &mapped));
    char *tensor = mapped ? (char *)mapped + at : NULL;
    if (tensor) memcpy(to ? to : tensor, from ? from : tensor, size);
    TRY_CALL(dnnl_memory_unmap_data(buffer, mapped));
    return mapped ? dnnl_success : dnnl_runtime_error;
}

static dnnl_status_t make_buffer(
        dnnl_memory_t *buffer, size_t shift, const void *from, size_t size, void **handle) {
    const dnnl_dim_t bytes = (dnnl_dim_t)(size + shift);
    md_t md;
    TRY_CALL(md_init_strides(&md, 1, &bytes, dnnl_u8, NULL));
    void *allocate = DNNL_MEMORY_ALLOCATE;
    TRY_CALL(make_memory(buffer, &md, 1, &allocate));
    TRY_CALL(copy(*buffer, shift, NULL, from, size));
    TRY_CALL(dnnl_memory_get_data_handle(*buffer, handle));
    *handle = (char *)*handle + shift;
    return dnnl_success;
}

static dnnl_status_t make_arg(case_t *c, int slot, device_arg_t *arg) {
    md_t *md = &c->md[slot];
    void *handle[BUFFERS];
    if (md_is_host_scalar(md))
        return dnnl_memory_create_host_scalar(&arg->memory, md, c->data[slot]);
    const int n = md_num_handles(md);
    TRY_CALL(make_buffer(&arg->buffer[0], shift_of(slot), c->data[slot], c->size[slot] + case_guard,
            &handle[0]));
    for (int i = 1; i < n; i++) /* an int32_t more, so that none is empty */
        TRY_CALL(make_buffer(&arg->buffer[i], 0, c->index[slot].part[i - 1],
                md_size(md, i) + sizeof(int32_t), &handle[i]));
    return make_memory(&arg->memory, md, n, handle);
}

static dnnl_status_t run(case_t *c, device_arg_t *args, dnnl_exec_arg_t *exec) {
    int n = 0;
    for (int i = 0; i < c->pd->nargs; i++) {
        if (md_is_zero(&c->md[i])) continue;
        TRY_CALL(make_arg(c, i, &args[i]));
        exec[n++] = (dnnl_exec_arg_t){c->pd->args[i].arg, args[i].memory};
    }
    const int dst = pd_find_arg(c->pd, pd_result(c->pd));
    if (c->in_place) {
        void *handle;
        TRY_CALL(
                dnnl_memory_get_data_handle(args[pd_find_arg(c->pd, c->in_place)].memory, &handle));
        TRY_CALL(dnnl_memory_set_data_handle(args[dst].memory, handle));
    }
    dnnl_primitive_t primitive;
    TRY_CALL(dnnl_primitive_create(&primitive, c->handle));
    dnnl_status_t status = case_submit(primitive, stream, n, exec);
    const dnnl_status_t destroyed = dnnl_primitive_destroy(primitive);
    if (status == dnnl_success) status = destroyed;
    for (int i = 0; i < c->pd->nargs && status == dnnl_success; i++)
        if (c->pd->args[i].flags & PD_OUT && args[i].buffer[0]) {
            const int from = i == dst && c->in_place ? pd_find_arg(c->pd, c->in_place) : i;
            status = copy(args[from].buffer[0], shift_of(from), c->data[i], NULL,
                    c->size[i] + case_guard);
        }
    return status;
}

dnnl_status_t case_execute(case_t *c) {
    if (case_copies && !c->is_trained && case_needs_training(c)) TRY_CALL(case_train(c));
    device_arg_t *args = calloc((size_t)c->pd->nargs, sizeof(*args));
    dnnl_exec_arg_t *exec = calloc((size_t)c->pd->nargs, sizeof(*exec));
    dnnl_status_t status = run(c, args, exec);
    for (int i = 0; i < c->pd->nargs; i++)
        for (int b = -1; b < BUFFERS; b++) {
            const dnnl_memory_t memory = b < 0 ? args[i].memory : args[i].buffer[b];
            const dnnl_status_t destroyed = memory ? dnnl_memory_destroy(memory) : dnnl_success;
            if (status == dnnl_success) status = destroyed;
        }
    free(args);
    free(exec);
    return status;
}
