/* SPDX-License-Identifier: Apache-2.0 */
/* Commands and their storage. */
#include "cmd.h"
#include "module.h"

#include <stdlib.h>
#include <string.h>

enum { CHUNK_COMMANDS = 32 };

struct cmd_chunk {
    cmd_chunk_t *next;
    cmd_t commands[CHUNK_COMMANDS];
};

/* Makes room for n_waits events, which the caller fills in. */
static bool set(cmd_t *cmd, cmd_kind_t kind, ze_event_handle_t signal, uint32_t n_waits,
        const void *bytes, size_t n_bytes) {
    cmd->kind = (uint8_t)kind;
    cmd->after_all = false;
    cmd->signal = signal;
    cmd->n_waits = n_waits;
    cmd->n_bytes = (uint32_t)n_bytes;
    cmd->waits = cmd->inline_waits;
    cmd->bytes = cmd->inline_bytes;
    if (n_waits > INLINE_WAITS) cmd->waits = malloc(n_waits * sizeof *cmd->waits);
    if (n_bytes > INLINE_BYTES) cmd->bytes = malloc(n_bytes);
    if (!cmd->waits || !cmd->bytes) {
        cmd->kind = CMD_NOTHING; /* the command has no kernel to release */
        return false;
    }
    if (n_bytes) memcpy(cmd->bytes, bytes, n_bytes);
    return true;
}

bool cmd_set(cmd_t *cmd, cmd_kind_t kind, ze_event_handle_t signal, uint32_t n_waits,
        const ze_event_handle_t *waits, const void *bytes, size_t n_bytes) {
    if (!set(cmd, kind, signal, n_waits, bytes, n_bytes)) return false;
    for (uint32_t i = 0; i < n_waits; i++) cmd->waits[i] = event_await(waits[i]);
    return true;
}

bool cmd_copy(cmd_t *to, const cmd_t *from) {
    if (!set(to, (cmd_kind_t)from->kind, from->signal, from->n_waits, from->bytes, from->n_bytes))
        return false;
    if (from->n_waits) memcpy(to->waits, from->waits, from->n_waits * sizeof *from->waits);
    to->after_all = from->after_all;
    to->u = from->u;
    if (to->kind == CMD_LAUNCH) kernel_exec_retain(to->u.launch.kernel);
    return true;
}

void cmd_clear(cmd_t *cmd) {
    if (cmd->kind == CMD_LAUNCH) kernel_exec_release(cmd->u.launch.kernel);
    if (cmd->kind == CMD_SEQUENCE) cmd_sequence_release(cmd->u.sequence);
    if (cmd->waits != cmd->inline_waits) free(cmd->waits);
    if (cmd->bytes != cmd->inline_bytes) free(cmd->bytes);
    cmd->kind = CMD_NOTHING;
    cmd->waits = cmd->inline_waits;
    cmd->bytes = cmd->inline_bytes;
}

bool cmd_events_are_there(const cmd_t *cmd) {
    for (uint32_t i = 0; i < cmd->n_waits; i++)
        if (awaited_state(&cmd->waits[i]) == SIGNAL_NONE) return false;
    return true;
}

bool cmd_events_have_failed(const cmd_t *cmd) {
    for (uint32_t i = 0; i < cmd->n_waits; i++)
        if (awaited_state(&cmd->waits[i]) == SIGNAL_FAILED) return true;
    return false;
}

cmd_t *cmd_store_take(cmd_store_t *store) {
    if (!store->free) {
        cmd_chunk_t *chunk = malloc(sizeof *chunk);
        if (!chunk) return NULL;
        chunk->next = store->chunks;
        store->chunks = chunk;
        for (int i = CHUNK_COMMANDS; i-- > 0;) {
            chunk->commands[i].next = store->free;
            store->free = &chunk->commands[i];
        }
    }
    cmd_t *cmd = store->free;
    store->free = cmd->next;
    cmd->next = NULL;
    cmd->kind = CMD_NOTHING;
    cmd->waits = cmd->inline_waits;
    cmd->bytes = cmd->inline_bytes;
    return cmd;
}

void cmd_store_give(cmd_store_t *store, cmd_t *cmd) {
    cmd_clear(cmd);
    cmd->next = store->free;
    store->free = cmd;
}

void cmd_store_free(cmd_store_t *store) {
    while (store->chunks) {
        cmd_chunk_t *next = store->chunks->next;
        free(store->chunks);
        store->chunks = next;
    }
    store->free = NULL;
}

cmd_sequence_t *cmd_sequence_new(void) {
    cmd_sequence_t *sequence = calloc(1, sizeof *sequence);
    if (sequence) atomic_init(&sequence->references, 1);
    return sequence;
}

void cmd_sequence_retain(cmd_sequence_t *sequence) {
    atomic_fetch_add_explicit(&sequence->references, 1, memory_order_relaxed);
}

void cmd_sequence_release(cmd_sequence_t *sequence) {
    if (!sequence || atomic_fetch_sub_explicit(&sequence->references, 1, memory_order_acq_rel) != 1)
        return;
    for (cmd_t *cmd = sequence->first; cmd; cmd = cmd->next) cmd_clear(cmd);
    cmd_store_free(&sequence->store);
    free(sequence->numbered);
    free(sequence);
}

void cmd_sequence_append(cmd_sequence_t *sequence, cmd_t *cmd) {
    if (sequence->last) sequence->last->next = cmd;
    else sequence->first = cmd;
    sequence->last = cmd;
    if (sequence->numbers_next) sequence->numbered[sequence->n_numbered - 1] = cmd;
    sequence->numbers_next = false;
}
