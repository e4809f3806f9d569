/* SPDX-License-Identifier: Apache-2.0 */
/* Exchanges the buffers of recorded kernels. */
#include "ze/recorded.h"

#include "core/alloc.h"
#include "core/verbose.h"

enum { FIRST_ROOM = 64 };

#define REFUSE(...) verbose_check(dnnl_invalid_arguments, "stream", __VA_ARGS__)

void recording_free(recording_t *recording) {
    if (recording) dz_free(recording->uses);
    dz_free(recording);
}

dnnl_status_t recording_reserve(recording_t *recording, size_t more) {
    size_t room = recording->room ? recording->room : FIRST_ROOM;
    while (room < recording->n + more) room *= 2;
    if (room == recording->room) return dnnl_success;
    recorded_t *grown = dz_realloc(recording->uses, room * sizeof *grown);
    if (!grown)
        return verbose_error(dnnl_out_of_memory, "stream", "no memory to note recorded buffers");
    recording->uses = grown;
    recording->room = room;
    return dnnl_success;
}

dnnl_status_t recording_next(
        const device_core_t *core, ze_command_list_handle_t list, uint64_t *command) {
    const ze_mutable_desc_t desc = {
            .stype = (ze_structure_type_t)ZE_STYPE_MUTABLE_ID, .flags = ZE_MUTABLE_ARGUMENTS};
    if (ze_is_over) return dnnl_runtime_error;
    return ze_check(
            core->next_command_id(list, &desc, command), "zeCommandListGetNextCommandIdExp");
}

void recording_note(recording_t *recording, uint64_t command, uint32_t argument,
        const struct dnnl_memory *memory, int handle, const binding_t *binding) {
    recording->uses[recording->n++] = (recorded_t){.command = command,
            .base = memory->ptr[handle],
            .offset = binding->offset,
            .size = memory->size[handle],
            .argument = argument,
            .alignment = binding->size};
}

/* Finds the replacement of a buffer, or NULL, and its size. */
static void *replacement(const void *base, int n, const const_dnnl_memory_t *from,
        const const_dnnl_memory_t *to, size_t *size) {
    for (int i = 0; i < n; i++)
        for (int h = 0; h < from[i]->nhandles; h++)
            if (from[i]->ptr[h] == base) {
                *size = to[i]->size[h];
                return to[i]->ptr[h];
            }
    return NULL;
}

/* Counts the arguments that point into a buffer. */
static size_t count_uses(const recording_t *recording, const void *base) {
    size_t n = 0;
    for (size_t i = 0; i < recording->n; i++) n += recording->uses[i].base == base;
    return n;
}

static dnnl_status_t check_pair(const recording_t *recording, const device_core_t *core, int i,
        const const_dnnl_memory_t *from, const const_dnnl_memory_t *to, size_t *nchanges) {
    const struct dnnl_memory *old = from[i], *fresh = to[i];
    if (!old || !fresh) return REFUSE("memory %d of an exchange is NULL", i);
    if (!old->context || !fresh->context)
        return REFUSE(
                "memory %d of an exchange is a host scalar, which was recorded as its value", i);
    if (fresh->context != core->context)
        return REFUSE("memory %d of an exchange belongs to another engine", i);
    if (old->nhandles != fresh->nhandles)
        return REFUSE("memory %d of an exchange has %d buffers, and its replacement %d", i,
                old->nhandles, fresh->nhandles);
    size_t found = 0;
    for (int h = 0; h < old->nhandles; h++) {
        for (int j = 0; j < i; j++)
            for (int k = 0; k < from[j]->nhandles; k++)
                if (old->ptr[h] && from[j]->ptr[k] == old->ptr[h])
                    return REFUSE("memory %d and %d of an exchange have the same buffer", j, i);
        const size_t uses = old->ptr[h] ? count_uses(recording, old->ptr[h]) : 0;
        if (uses && !fresh->ptr[h])
            return REFUSE("the replacement %d of an exchange has no buffer %d", i, h);
        if (uses && (uintptr_t)fresh->ptr[h] % dt_size(md_handle_type(&old->md, h)))
            return REFUSE("the replacement %d of an exchange: buffer %d does not begin where an "
                          "element can",
                    i, h);
        found += uses;
    }
    if (!found) return REFUSE("nothing is recorded with memory %d of an exchange", i);
    *nchanges += found;
    return dnnl_success;
}

static dnnl_status_t update(recording_t *recording, const device_core_t *core,
        ze_command_list_handle_t list, int n, const const_dnnl_memory_t *from,
        const const_dnnl_memory_t *to, ze_mutable_argument_t *changes, void **values) {
    size_t nchanges = 0;
    for (size_t i = 0; i < recording->n; i++) {
        const recorded_t *use = &recording->uses[i];
        size_t size = 0;
        char *base = replacement(use->base, n, from, to, &size);
        if (!base) continue;
        if (size < use->size)
            return REFUSE("a replacement of an exchange has %zu bytes, and %zu were recorded", size,
                    use->size);
        if (use->alignment && (uintptr_t)base % use->alignment)
            return REFUSE("a replacement of an exchange is at %p, and a kernel was recorded that "
                          "expects a multiple of %u",
                    (void *)base, use->alignment);
        values[nchanges] = base + use->offset;
        changes[nchanges] =
                (ze_mutable_argument_t){.stype = (ze_structure_type_t)ZE_STYPE_MUTABLE_ARGUMENT,
                        .next = nchanges ? &changes[nchanges - 1] : NULL,
                        .command = use->command,
                        .index = use->argument,
                        .size = sizeof(void *),
                        .value = &values[nchanges]};
        nchanges++;
    }
    const ze_mutable_desc_t desc = {.stype = (ze_structure_type_t)ZE_STYPE_MUTABLE_COMMANDS,
            .next = &changes[nchanges - 1]};
    const dnnl_status_t status = ze_is_over ? dnnl_runtime_error
                                            : ze_check(core->update_commands(list, &desc),
                                                      "zeCommandListUpdateMutableCommandsExp");
    if (status != dnnl_success) return status;
    for (size_t i = 0; i < recording->n; i++) {
        size_t size;
        void *base = replacement(recording->uses[i].base, n, from, to, &size);
        if (base) recording->uses[i].base = base;
    }
    return status;
}

dnnl_status_t recording_exchange(recording_t *recording, const device_core_t *core,
        ze_command_list_handle_t list, int n, const const_dnnl_memory_t *from,
        const const_dnnl_memory_t *to) {
    size_t nchanges = 0;
    for (int i = 0; i < n; i++) {
        const dnnl_status_t status = check_pair(recording, core, i, from, to, &nchanges);
        if (status != dnnl_success) return status;
    }
    if (!nchanges) return dnnl_success; /* no pairs */
    ze_mutable_argument_t *changes = dz_calloc(nchanges, sizeof *changes + sizeof(void *));
    if (!changes)
        return verbose_error(dnnl_out_of_memory, "stream", "no memory to exchange buffers");
    const dnnl_status_t status =
            update(recording, core, list, n, from, to, changes, (void **)(changes + nchanges));
    dz_free(changes);
    return status;
}
