/* SPDX-License-Identifier: Apache-2.0 */
/* A plan: what executing a primitive appends to a command list. ops/ writes it once, ze/ reads
 * it. It is plain data: steps, and arrays of specialisation constants, bindings and bytes that
 * the steps share.
 *
 * A plan grows while it is written and is sealed to its exact size when it is complete. Memory
 * that runs out while it grows sets `failed`, so that builders need no status: who calls them
 * asks once, at the end.
 *
 * A primitive with run-time dimensions writes a small plan at execution, into a plan_room_t on the
 * stack. */
#ifndef CORE_PLAN_H
#define CORE_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "oneapi/dnnl/dnnl_types.h"

typedef enum {
    BIND_ARG,     /* pointer: handle number `handle` of argument slot `slot`, `offset` bytes behind
                        its start; NULL memory gives NULL */
    BIND_SCRATCH, /* pointer: the scratchpad + `offset` bytes */
    BIND_CONST,   /* by value: `size` bytes of plan->consts at `offset` */
    BIND_LOCAL,   /* `size` bytes of local memory */
    BIND_SCALAR_F32,  /* by value, a float: host scalar of slot `slot`, converted; slot -1: 1.0f */
    BIND_SCALAR_S32,  /* by value, an int: host scalar of slot `slot`, converted; slot -1: 0 */
    BIND_SCALAR_LOW,  /* by value: the lower 32 bits of a host scalar as a 64-bit integer, or 0 */
    BIND_SCALAR_HIGH, /* the upper 32 bits */
    BIND_NULL,        /* a NULL pointer */
} bind_kind_t;

typedef struct {
    uint8_t kind;   /* bind_kind_t */
    uint8_t handle; /* which of the memory's handles (sparse); else 0 */
    int16_t slot;   /* index in pd->args */
    uint32_t size;  /* of a pointer: bytes of which it must be a multiple; 0: only of its element's
                       size */
    uint64_t offset;
} binding_t;

typedef struct {
    uint32_t id, value; /* specialisation constant, kernels/lib/spec.h; all are 32-bit integers */
} spec_t;

typedef struct {
    int variant; /* of kernels/variants.def */
    uint32_t group_size[3];
    uint32_t group_count[3];            /* any zero: the step is skipped */
    uint32_t first_spec, first_binding; /* in plan->specs, in plan->bindings */
    uint16_t nspecs, nbindings;         /* bindings: kernel arguments 0, 1, ... in order */
} plan_step_t;
static inline bool plan_step_is_empty(const plan_step_t *step) {
    return !step->group_count[0] || !step->group_count[1] || !step->group_count[2];
}

typedef struct {
    int nsteps; /* 0: nothing to do (zero-size tensors) */
    int nspecs;
    int nbindings;
    uint32_t nconsts;   /* bytes */
    bool large_offsets; /* a buffer has 4 GiB or more: modules address any byte of it */
    bool failed;        /* it lacks what there was no memory for */
    bool fixed;         /* the arrays cannot grow: they are sealed, or a plan_room_t */
    int max_steps, max_specs, max_bindings, max_consts;
    plan_step_t *steps; /* sealed: the start of the one block that has all four arrays */
    spec_t *specs;
    binding_t *bindings;
    uint8_t *consts;
} plan_t;

/* All zeros: an empty plan. */
void plan_reset(plan_t *plan); /* removes the steps, keeps the memory */
void plan_free(plan_t *plan);  /* leaves an empty plan */
/* Moves the arrays into one block of exactly their size. False: no memory, or the plan has
 * failed. */
bool plan_seal(plan_t *plan);

/* Room for a plan that is written at execution: 32 post-ops that read two tensors each. */
enum { ROOM_STEPS = 12, ROOM_SPECS = 112, ROOM_BINDINGS = 240, ROOM_CONSTS = 8192 };
typedef struct {
    plan_step_t steps[ROOM_STEPS];
    spec_t specs[ROOM_SPECS];
    binding_t bindings[ROOM_BINDINGS];
    uint8_t consts[ROOM_CONSTS];
} plan_room_t;
/* An empty plan that allocates nothing: it fails when the room is full. */
plan_t plan_in_room(plan_room_t *room);
bool plan_fits_room(const plan_t *plan);
/* The same plan in the room; false: it does not fit. */
bool plan_copy(plan_t *to, const plan_t *from);

/* A place to go back to, where what follows may turn out not to work. */
typedef struct {
    int nsteps, nspecs, nbindings;
    uint32_t nconsts;
} plan_mark_t;
plan_mark_t plan_mark(const plan_t *plan);
void plan_rewind(plan_t *plan, plan_mark_t mark);

/* ---- builders: begin a step, then add its specialisation constants, then its bindings ---- */

void plan_step(
        plan_t *plan, int variant, const uint32_t group_size[3], const uint32_t group_count[3]);
void plan_spec(plan_t *plan, uint32_t id, uint32_t value);
void plan_arg(plan_t *plan, int slot, uint64_t byte_offset); /* slot -1: NULL pointer */
void plan_handle(
        plan_t *plan, int slot, int handle); /* one of several buffers of a memory object */
void plan_scratch(plan_t *plan, uint64_t byte_offset);
/* The kernel expects that the pointer just added is a multiple of so many bytes; 0: it expects
 * nothing. Execution runs it with such pointers only: with others it plans anew
 * (plan_hints_t.any_address). */
void plan_expect_alignment(plan_t *plan, uint32_t bytes);
void plan_const(plan_t *plan, const void *data, uint32_t size);
void plan_local(plan_t *plan, uint32_t size);
void plan_scalar_f32(plan_t *plan, int slot);
void plan_scalar_s32(plan_t *plan, int slot);
void plan_scalar_half(plan_t *plan, int slot, bool high); /* of an integer */

/* Where an argument of an appended plan is in the plan that it is appended to. */
typedef struct {
    enum { PLACE_ARG, PLACE_SCRATCH, PLACE_NULL } kind;
    int slot;        /* PLACE_ARG */
    uint64_t offset; /* PLACE_SCRATCH: bytes from the start of the scratchpad */
} plan_place_t;
/* Appends the steps of another plan. place[slot] says where its arguments are; its scratchpad
 * begins
 * `scratch` bytes behind the start of this one's. A scalar of the host must stay an argument. */
void plan_append(plan_t *plan, const plan_t *sub, const plan_place_t *place, uint64_t scratch);

#endif
