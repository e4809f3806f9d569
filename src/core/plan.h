/* SPDX-License-Identifier: Apache-2.0 */
/* A plan: what executing a primitive appends to a command list. Written once by ops/, read by ze/. Plain
 * data, no pointers, so it can be copied, compared, stored, and rewritten on the stack for run-time dims. */
#ifndef CORE_PLAN_H
#define CORE_PLAN_H

#include <stdbool.h>
#include <stdint.h>

#include "oneapi/dnnl/dnnl_types.h"

/* Room for 32 post-ops that read two tensors each. */
enum { PLAN_MAX_STEPS = 12, PLAN_MAX_BINDINGS = 240, PLAN_MAX_SPECS = 112, PLAN_MAX_CONSTS = 8192 };

typedef enum {
    BIND_ARG, /* pointer: USM handle of argument slot `slot` (handle number `handle`) + offset bytes; NULL
                     memory gives NULL */
    BIND_SCRATCH, /* pointer: the scratchpad + offset bytes */
    BIND_CONST,   /* by value: `size` bytes of plan->consts at `offset` */
    BIND_LOCAL,   /* `size` bytes of local memory */
    BIND_SCALAR_F32, /* by value, a float: host scalar memory of slot `slot`, converted; slot -1: 1.0f */
    BIND_SCALAR_S32, /* by value, an int: host scalar memory of slot `slot`, converted; slot -1: 0 */
    BIND_SCALAR_LOW, /* by value, 32 bits: the lower half of a host scalar as an integer of 64 bits */
    BIND_SCALAR_HIGH, /* the upper half */
    BIND_NULL,        /* a NULL pointer */
} bind_kind_t;

typedef struct {
    uint8_t kind;   /* bind_kind_t */
    uint8_t handle; /* which of the memory's handles (sparse); else 0 */
    int16_t slot;   /* index in pd->args */
    uint32_t size;
    uint64_t offset;
} binding_t;

typedef struct {
    uint32_t id, value; /* specialisation constant, kernels/lib/spec.h; all are 32-bit integers */
} spec_t;

typedef struct {
    int row; /* kernel table row: kernels/variants.def */
    uint32_t group_size[3];
    uint32_t group_count[3];           /* any zero: the step is skipped */
    uint16_t first_spec, nspecs;       /* in plan->specs */
    uint16_t first_binding, nbindings; /* in plan->bindings: kernel arguments 0, 1, ... in order */
} plan_step_t;

typedef struct {
    int nsteps; /* 0: nothing to do (zero-size tensors) */
    int nspecs;
    int nbindings;
    uint32_t nconsts;
    bool far; /* a buffer has 4 GiB or more: modules are built for addresses anywhere in it */
    plan_step_t steps[PLAN_MAX_STEPS];
    spec_t specs[PLAN_MAX_SPECS];
    binding_t bindings[PLAN_MAX_BINDINGS];
    uint8_t consts[PLAN_MAX_CONSTS];
} plan_t;

/* Builders, used by ops/: start a step, then add its specialisation constants and its bindings in kernel
 * argument order. Overflowing an array is a bug in the op, caught by an assertion and by plan_ok(). */
void plan_reset(plan_t *plan);
void plan_step(plan_t *plan, int row, const uint32_t group_size[3], const uint32_t group_count[3]);
void plan_spec(plan_t *plan, uint32_t id, uint32_t value);
void plan_arg(plan_t *plan, int slot, uint64_t byte_offset); /* slot -1: NULL pointer */
void plan_handle(
        plan_t *plan, int slot, int handle); /* one of several buffers of a memory object */
void plan_scratch(plan_t *plan, uint64_t byte_offset);
void plan_const(plan_t *plan, const void *data, uint32_t size);
void plan_local(plan_t *plan, uint32_t size);
void plan_scalar_f32(plan_t *plan, int slot);
void plan_scalar_s32(plan_t *plan, int slot);
void plan_scalar_half(plan_t *plan, int slot, bool high); /* of an integer */
int plan_ok(const plan_t *plan);

#endif
