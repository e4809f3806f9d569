/* SPDX-License-Identifier: Apache-2.0 */
/* Notes the buffers that kernels on a mutable command list use, so that they can be replaced by
 * others. The lock of the stream guards the notes. */
#ifndef ZE_RECORDED_H
#define ZE_RECORDED_H

#include "core/plan.h"
#include "ze/memory.h"

/* An argument of a recorded kernel that points into a buffer of the application. */
typedef struct {
    uint64_t command; /* number of the kernel in its list */
    void *base;       /* the current address of the buffer */
    uint64_t offset;
    size_t size; /* bytes from `base` that a replacement must have */
    uint32_t argument;
    uint32_t alignment; /* bytes of which the kernel expects a multiple; 0: of its elements' size */
} recorded_t;

typedef struct {
    recorded_t *uses;
    size_t n, room;
} recording_t;

void recording_free(recording_t *recording); /* may be NULL */
/* Makes room for so many more notes, so that recording_note() cannot fail. */
dnnl_status_t recording_reserve(recording_t *recording, size_t more);
/* Asks for the number of the next command of the list. */
dnnl_status_t recording_next(
        const device_core_t *core, ze_command_list_handle_t list, uint64_t *command);
/* binding: the argument's. */
void recording_note(recording_t *recording, uint64_t command, uint32_t argument,
        const struct dnnl_memory *memory, int handle, const binding_t *binding);

dnnl_status_t recording_exchange(recording_t *recording, const device_core_t *core,
        ze_command_list_handle_t list, int n, const const_dnnl_memory_t *from,
        const const_dnnl_memory_t *to);

#endif
