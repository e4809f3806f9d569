/* SPDX-License-Identifier: Apache-2.0 */
/* A primitive that is ready to run on a device: its kernels, and the bindings that change between
 * executions. The primitive cache holds executables. An executable has no reference to an
 * engine. */
#ifndef ZE_EXECUTABLE_H
#define ZE_EXECUTABLE_H

#include "core/lock.h"
#include "core/primitive_desc.h"
#include "ze/memory.h"
#include "ze/module.h"
#include "ze/stream.h"

enum { EXECUTABLE_MAX_SHAPES = 32, EXECUTABLE_ONE_CALL = 12 };

/* The data that each execution checks of an argument, kept together for the cache. */
typedef struct {
    int arg;
    unsigned flags;
    uint64_t md_hash;
    uint64_t fit; /* memory_fit() of the memory objects that fit the argument */
    fit_t least;  /* and where their buffers begin at least */
} slot_t;

/* A kernel argument that executions set, and its current value. */
typedef struct {
    uint32_t binding; /* in the plan's bindings */
    uint16_t argument;
    bool known;
    uint64_t value;      /* of constants: see executable->consts */
    uint64_t allocation; /* id of the current buffer's allocation; 0: not set, or unknown */
} live_binding_t;

/* The data for launching a plain primitive, kept together for the cache. A primitive is plain if it
 * always runs the same single kernel, sets only buffers, and has no offsets of groups to compare;
 * most primitives are. The bindings are
 * the live ones, in the same order. */
typedef struct {
    uint16_t slot, handle, argument;
    uint64_t offset;
    uint64_t value; /* of the argument */
} plain_binding_t;
typedef struct {
    ze_kernel_handle_t kernel; /* NULL: the primitive is not plain */
    ze_group_count_t count;
    ze_group_dims_t size;
    int n;
    plain_binding_t *bindings;
    void **arguments; /* the address of each value; NULL: the launch passes no arguments */
} plain_t;

typedef struct {
    ze_kernel_handle_t kernel;
    module_t *module;
    int index; /* in the plan's steps */
    int first_live, nlive;
    bool is_slim;     /* the kernel receives parts of the constants */
    uint64_t dropped; /* a bit for each binding that is no argument of the kernel */
    bool in_one_call; /* the launch passes all arguments, if the driver supports it */
} exec_step_t;

/* Whether a binding of the step is no argument of the kernel. */
static inline bool executable_is_dropped(const exec_step_t *step, uint32_t binding) {
    return binding < 64 && step->dropped >> binding & 1;
}

typedef struct executable {
    in_flight_t link; /* must be the first member; used when the last reference is gone */
    atomic_int refs;
    pd_t *pd;               /* one reference */
    device_core_t *core;    /* without a reference: the core evicts its executables first */
    bool runtime_dims;      /* each execution rewrites the plan for its descriptors */
    bool has_groups;        /* an argument is a grouped matrix */
    bool expects_alignment; /* its kernels expect it of some buffers */
    int scratch_slot;       /* slot of the caller's scratchpad, or -1 */
    bool drops_scratchpad;  /* the caller's scratchpad is empty and has no slot */
    int nslots;
    slot_t *slots;
    int nsteps;
    exec_step_t *steps;

    plain_t plain;

    short_lock_t lock; /* guards the kernels' arguments: */
    live_binding_t *live;
    uint8_t *consts;    /* as kernels receive them: those of the descriptor's plan or, with run-time
                        dims, the current ones */
    uint32_t *const_at; /* where those of each binding of the plan are */

    /* pd->by_shape: the executables of single shapes, with a reference each. A new one replaces the
     * oldest if the array is full. expects_alignment: the one that does not, under key 0. */
    struct {
        uint64_t key;
        struct executable *x;
    } shape[EXECUTABLE_MAX_SHAPES];
    unsigned nshapes; /* number of shapes ever kept */
} executable_t;

/* Native code of a module from an earlier run. */
typedef struct {
    uint64_t key; /* module_key() */
    native_t code;
} native_entry_t;
dnnl_status_t executable_create(executable_t **out, device_core_t *core, pd_t *pd,
        const native_entry_t *natives, int nnatives);
void executable_ref(executable_t *x);
void executable_unref(executable_t *x);

/* Returns an executable with a reference; NULL: not found. */
executable_t *executable_find_shape(executable_t *x, uint64_t key);
/* Writes all kept executables, with references, and returns their number. */
int executable_shapes(executable_t *x, executable_t *shapes[EXECUTABLE_MAX_SHAPES]);
void executable_keep_shape(executable_t *x, uint64_t key, executable_t *of_shape);

/* The bytes of a constant as the kernel receives them, and how many these are. number: of the
 * binding in the plan. Unless they are those of the plan, they are written to `room`, or to their
 * place in x->consts if that is NULL. */
const void *executable_const(executable_t *x, const exec_step_t *step, uint32_t number,
        const plan_t *plan, void *room, size_t *size);

int executable_find_slot(const executable_t *x, int arg); /* -1: no such argument */

/* Appends the primitive to the stream. plan: the plan of the descriptor or, with run-time dims, of
 * the current tensors. The caller has checked args[slot]; memory NULL: the argument is absent.
 * After a failure the stream can still be used, although it may run some steps of the primitive. */
typedef struct launch {
    const dnnl_exec_arg_t *args; /* by slot */
    uint32_t ndeps;
    const ze_event_handle_t *deps;   /* events of another runtime: their pointers */
    ze_event_handle_t *return_event; /* NULL: the caller needs no event */
    exec_log_t *log; /* line to print with its times, or NULL; the stream owns it on success */
} launch_t;
dnnl_status_t executable_launch(
        executable_t *x, dnnl_stream_t stream, const plan_t *plan, const launch_t *launch);
/* The last step that launches a kernel; -1: none does. */
int executable_last_step(const executable_t *x, const plan_t *plan);
/* The value of a binding by value; memory NULL: there is no host scalar. */
uint64_t binding_scalar(const binding_t *binding, const struct dnnl_memory *memory);
/* Appends a plain primitive to a plain stream, without events and log. All arguments must be
 * present. */
dnnl_status_t executable_launch_plain(
        executable_t *x, dnnl_stream_t stream, const dnnl_exec_arg_t *args);

#endif
