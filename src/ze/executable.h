/* SPDX-License-Identifier: Apache-2.0 */
/* A primitive made ready for a device: its kernels, and the bindings that change from one execution to the
 * next. The value of the primitive cache; it holds no engine. */
#ifndef ZE_EXECUTABLE_H
#define ZE_EXECUTABLE_H

#include "core/lock.h"
#include "core/primitive_desc.h"
#include "ze/memory.h"
#include "ze/module.h"
#include "ze/stream.h"

enum { EXECUTABLE_MAX_SLOTS = 640, EXECUTABLE_MAX_SHAPES = 32, EXECUTABLE_ONE_CALL = 12 };

/* What is checked of an argument at each execution, next to each other. */
typedef struct {
    int arg;
    unsigned flags;
    uint64_t md_hash;
    uint64_t fit; /* of the memory object that it was made for: memory_fit() */
} slot_t;

/* A kernel argument that is set at execution, and the value that a scalar has now. */
typedef struct {
    uint32_t binding; /* in the plan's bindings */
    uint16_t argument;
    bool known;
    uint64_t value; /* constants have theirs in executable->consts */
    uint64_t
            allocation; /* of the memory object whose buffer the argument is, if it is set and has one; or 0
                          */
} live_binding_t;

/* A primitive of one kernel, always the same, whose arguments to be set are all buffers, as most are: what
 * its launch needs, next to each other. There are as many bindings as live ones, in the same order. */
typedef struct {
    uint16_t slot, handle, argument;
    uint64_t offset;
    uint64_t value; /* that the argument has been given */
} plain_binding_t;
typedef struct {
    ze_kernel_handle_t kernel; /* NULL: the primitive is not plain */
    ze_group_count_t count;
    ze_group_dims_t size;
    int n;
    plain_binding_t *bindings;
    void **arguments; /* where the value of each one is; NULL: they are not given with the launch */
} plain_t;

typedef struct {
    ze_kernel_handle_t kernel;
    module_t *module;
    int index; /* in the plan's steps */
    int first_live, nlive;
    bool in_one_call; /* all arguments are given with the launch, where that can be done */
} exec_step_t;

typedef struct executable {
    atomic_int refs;
    pd_t *pd;            /* one reference */
    device_core_t *core; /* not counted: the core drops its cached executables before it ends */
    bool runtime_dims;   /* the plan is rewritten for the descriptors at hand */
    int scratch_slot;    /* of the caller's scratchpad, or -1 */
    int nslots;
    slot_t *slots;
    int nsteps;
    exec_step_t *steps;

    plain_t plain;

    short_lock_t lock; /* guards the kernels' arguments: */
    live_binding_t *live;
    uint8_t *consts; /* runtime_dims: the values that constants have now */

    /* pd->by_shape: executables of shapes, with a reference each; the oldest goes when there are too many. */
    struct {
        uint64_t key;
        struct executable *x;
    } shape[EXECUTABLE_MAX_SHAPES];
    unsigned nshapes; /* ever kept */
} executable_t;

/* natives: of the modules of an earlier run; NULL: none. */
typedef struct {
    uint64_t key; /* module_key() */
    native_t code;
} native_entry_t;
dnnl_status_t executable_create(executable_t **out, device_core_t *core, pd_t *pd,
        const native_entry_t *natives, int nnatives);
void executable_ref(executable_t *x);
void executable_unref(executable_t *x);

/* With a reference; NULL: not kept. */
executable_t *executable_find_shape(executable_t *x, uint64_t key);
/* All that are kept, with references; answers how many. */
int executable_shapes(executable_t *x, executable_t *shapes[EXECUTABLE_MAX_SHAPES]);
void executable_keep_shape(executable_t *x, uint64_t key, executable_t *of_shape);

int executable_find_slot(const executable_t *x, int arg); /* -1: no such argument */

/* Appends the primitive to the stream. plan: the descriptor's own, or with runtime dims the one for the
 * tensors at hand. args[slot] has been checked; memory NULL: absent. On failure the stream is as good as
 * before, though some steps of the primitive may have been submitted. */
typedef struct {
    const dnnl_exec_arg_t *args; /* by slot */
    uint32_t ndeps;
    const ze_event_handle_t *deps;
    ze_event_handle_t *return_event; /* NULL: none wanted */
    exec_log_t *
            log; /* a line to be printed when the times are known, or NULL; the stream's on success */
} launch_t;
dnnl_status_t executable_launch(
        executable_t *x, dnnl_stream_t stream, const plan_t *plan, const launch_t *launch);
/* The same for a plain primitive on a plain stream with no events and no log, all of whose arguments are
 * there. */
dnnl_status_t executable_launch_plain(
        executable_t *x, dnnl_stream_t stream, const dnnl_exec_arg_t *args);

#endif
