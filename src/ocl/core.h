/* SPDX-License-Identifier: Apache-2.0 */
/* OpenCL engines: what src/ze/ has for Level Zero, behind the table of ze/backend.h. */
#ifndef OCL_CORE_H
#define OCL_CORE_H

#include "ocl/loader.h"
#include "ze/engine.h"
#include "ze/stream.h"

/* Functions of cl_intel_unified_shared_memory, which the loader does not have. */
typedef struct {
    void *(*alloc_device)(cl_context, cl_device_id, const cl_ulong *, size_t, cl_uint, cl_int *);
    cl_int (*free_blocking)(cl_context, void *);
    cl_int (*free_at_once)(cl_context, void *);
    cl_int (*info)(cl_context, const void *, cl_uint, size_t, void *, size_t *);
    cl_int (*set_argument)(cl_kernel, cl_uint, const void *);
    cl_int (*copy)(cl_command_queue, cl_uint, void *, const void *, size_t, cl_uint,
            const cl_event *, cl_event *);
} ocl_usm_t;

/* Where pointers of kernels come from. */
typedef enum { POINTERS_NONE, POINTERS_SVM, POINTERS_USM } ocl_pointers_t;

struct ocl_stream;

typedef struct {
    device_core_t base; /* its device and context are the OpenCL ones */
    cl_device_id device;
    cl_context context; /* retained */
    ocl_pointers_t pointers;
    ocl_usm_t usm; /* POINTERS_USM */
    cl_program (*program_from_il)(cl_context, const void *, size_t, cl_int *);

    pthread_mutex_t lock;        /* guards: */
    cl_command_queue copy_queue; /* created by the first copy */
    struct ocl_stream *streams;  /* that free() waits for, where the runtime does not */
} ocl_core_t;

typedef struct ocl_stream {
    struct dnnl_stream base;
    cl_command_queue queue;  /* retained */
    struct ocl_stream *next; /* of the core */

    /* The lock of the base guards: */
    cl_event scratch_user; /* out-of-order: the latest kernel that uses the scratchpad, or NULL */
    cl_event *events;      /* profiling: of the kernels since the last reset; NULL: no kernel ran */
    bool *is_last;         /* of its execution */
    size_t nevents, room;
} ocl_stream_t;

/* The table of the runtime. */
extern const backend_t ocl_backend HIDDEN;

static inline ocl_core_t *ocl_core_of(device_core_t *core) {
    return (ocl_core_t *)core;
}

/* Creates an engine. context NULL: one of the library's, which all its engines on the device
 * share. */
dnnl_status_t ocl_engine_create(
        dnnl_engine_t *out, cl_device_id device, cl_context context, int index);
/* The devices of all platforms that can have engines, GPUs first. *n is their number, at most
 * `room`. */
enum { OCL_MOST_DEVICES = 64 };
dnnl_status_t ocl_devices(cl_device_id devices[OCL_MOST_DEVICES], size_t *n);

/* ---- device.c ---- */

/* Padding is zeroed, so that equal devices give equal bytes. A device without SPIR-V answers
 * unimplemented, with a sentence. */
dnnl_status_t ocl_device_caps(cl_device_id device, caps_t *caps);
dnnl_status_t ocl_device_identity(cl_device_id device, identity_t *id);
bool ocl_device_has_spirv(cl_device_id device);
bool ocl_device_has(cl_device_id device, const char *extension);
/* 100 * major + minor number of its version. */
int ocl_device_version(cl_device_id device);
cl_ulong ocl_device_number(cl_device_id device, cl_uint what); /* 0: unknown */

/* ---- memory.c, code.c, stream.c, launch.c: the functions of the table ---- */

dnnl_status_t ocl_alloc(device_core_t *core, size_t size, void **out);
void ocl_free(device_core_t *core, void *ptr);
void ocl_free_after(device_core_t *core, void *ptr, void *event);
void ocl_wait_for_all(device_core_t *core);
void ocl_drop_event(void *event);
dnnl_status_t ocl_kind(device_core_t *core, const void *ptr, usm_kind_t *kind);
dnnl_status_t ocl_room(device_core_t *core, const void *ptr, size_t *room);
dnnl_status_t ocl_copy(device_core_t *core, void *dst, const void *src, size_t size);
dnnl_status_t ocl_alloc_buffer(device_core_t *core, size_t size, void **buffer);
dnnl_status_t ocl_take_buffer(device_core_t *core, void *buffer, size_t *size);
void ocl_drop_buffer(device_core_t *core, void *buffer);
dnnl_status_t ocl_read_buffer(device_core_t *core, void *host, void *buffer, size_t size);
dnnl_status_t ocl_write_buffer(device_core_t *core, const void *host, void *buffer, size_t size);

dnnl_status_t ocl_module_create(device_core_t *core, const module_source_t *source, void **module);
dnnl_status_t ocl_module_kernel(void *module, const char *entry, char *name, size_t room);
dnnl_status_t ocl_module_binary(
        const device_core_t *core, void *module, size_t *size, uint8_t *data);
bool ocl_module_spills(device_core_t *core, void *module, const char *entry);
void ocl_module_destroy(device_core_t *core, void *module);
dnnl_status_t ocl_kernel_create(void *module, const char *entry, void **kernel);
dnnl_status_t ocl_set_argument(void *kernel, uint32_t argument, size_t size, const void *value);
void ocl_kernel_destroy(void *kernel);

dnnl_status_t ocl_stream_create(dnnl_stream_t *out, dnnl_engine_t engine, unsigned flags);
dnnl_status_t ocl_stream_create_on(
        dnnl_stream_t *out, dnnl_engine_t engine, cl_command_queue queue);
dnnl_status_t ocl_stream_wait(dnnl_stream_t stream);
void ocl_stream_free(dnnl_stream_t stream);
dnnl_status_t ocl_profiling_data(
        dnnl_stream_t stream, bool of_kernels, int *num_entries, uint64_t *data);
dnnl_status_t ocl_profiling_reset(dnnl_stream_t stream);
/* Notes the event of a kernel, and retains it; NULL: an execution without kernels. With the lock
 * of the stream held. */
dnnl_status_t ocl_profiling_note(ocl_stream_t *stream, cl_event event, bool is_last);

dnnl_status_t ocl_launch(struct executable *x, dnnl_stream_t stream, const plan_t *plan,
        const struct launch *launch);

#endif
