/* SPDX-License-Identifier: Apache-2.0 */
/* The harness on the public interface: device buffers are memory objects that the library allocates. */
#include "backend.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "oneapi/dnnl/dnnl.h"
#include "ze/runtime.h"

#define OK(call) assert_int_equal(call, dnnl_success)
enum { GUARD = 64 }; /* as in harness.c */

dnnl_engine_t harness_engine;
static dnnl_stream_t stream;

bool harness_open(void) {
    /* The same request with another row forced is another primitive. */
    if (dnnl_set_primitive_cache_capacity(0) != dnnl_success) return false;
    if (dnnl_engine_create(&harness_engine, dnnl_gpu, 0) != dnnl_success) return false;
    return dnnl_stream_create(&stream, harness_engine, dnnl_stream_default_flags) == dnnl_success;
}

void harness_close(void) {
    OK(dnnl_stream_destroy(stream));
    OK(dnnl_engine_destroy(harness_engine));
}

const caps_t *harness_caps(void) {
    return engine_caps(harness_engine);
}

const pd_t *backend_pd(const_dnnl_primitive_desc_t handle) {
    return handle->pd;
}

void backend_close(dnnl_primitive_desc_t handle) {
    OK(dnnl_primitive_desc_destroy(handle));
}

/* A buffer, and the memory of the argument inside of it. */
typedef struct {
    dnnl_memory_t buffer, memory;
} device_arg_t;

static void copy(dnnl_memory_t buffer, void *to, const void *from, size_t size) {
    void *mapped = NULL;
    OK(dnnl_memory_map_data(buffer, &mapped));
    assert_non_null(mapped);
    memcpy(to ? to : mapped, from ? from : mapped, size);
    OK(dnnl_memory_unmap_data(buffer, mapped));
}

static device_arg_t device_arg(case_t *c, int slot) {
    device_arg_t arg = {NULL, NULL};
    md_t *md = &c->md[slot], bytes;
    if (md_is_host_scalar(md)) {
        OK(dnnl_memory_create_host_scalar(&arg.memory, md, c->data[slot]));
        return arg;
    }
    dnnl_dim_t size = (dnnl_dim_t)c->size[slot] + GUARD;
    OK(md_init_strides(&bytes, 1, &size, dnnl_u8, NULL));
    OK(dnnl_memory_create(&arg.buffer, &bytes, harness_engine, DNNL_MEMORY_ALLOCATE));
    copy(arg.buffer, NULL, c->data[slot], (size_t)size);
    void *handle;
    OK(dnnl_memory_get_data_handle(arg.buffer, &handle));
    OK(dnnl_memory_create(&arg.memory, md, harness_engine, handle));
    return arg;
}

void backend_run(case_t *c) {
    int n = 0;
    device_arg_t *args = calloc((size_t)c->pd->nargs, sizeof(*args));
    dnnl_exec_arg_t *exec = calloc((size_t)c->pd->nargs, sizeof(*exec));
    for (int i = 0; i < c->pd->nargs; i++) {
        if (md_is_zero(&c->md[i])) continue;
        args[i] = device_arg(c, i);
        exec[n++] = (dnnl_exec_arg_t){c->pd->args[i].arg, args[i].memory};
    }
    dnnl_primitive_t primitive;
    OK(dnnl_primitive_create(&primitive, c->handle));
    OK(dnnl_primitive_execute(primitive, stream, n, exec));
    OK(dnnl_stream_wait(stream));
    OK(dnnl_primitive_destroy(primitive));
    for (int i = 0; i < c->pd->nargs; i++)
        if (c->pd->args[i].flags & PD_OUT && args[i].buffer)
            copy(args[i].buffer, c->data[i], NULL, c->size[i] + GUARD);
    for (int i = 0; i < c->pd->nargs; i++) {
        if (args[i].memory) OK(dnnl_memory_destroy(args[i].memory));
        if (args[i].buffer) OK(dnnl_memory_destroy(args[i].buffer));
    }
    free(args);
    free(exec);
}
