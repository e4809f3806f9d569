/* SPDX-License-Identifier: Apache-2.0 */
/* Commands, and the storage of commands. */
#ifndef ZE_CPU_CMD_H
#define ZE_CPU_CMD_H

#include "event.h"

typedef struct kernel_exec kernel_exec_t; /* module.h */

typedef enum {
    CMD_NOTHING, /* barriers, waits, hints: only order and events */
    CMD_LAUNCH,
    CMD_COPY,
    CMD_COPY_REGION,
    CMD_FILL,
    CMD_RESET_EVENT,
    CMD_WRITE_TIMESTAMP,
    CMD_QUERY_TIMESTAMPS,
    CMD_SIGNAL_FENCE,
    CMD_SEQUENCE, /* the commands of a regular list, one after another */
} cmd_kind_t;

enum { INLINE_WAITS = 4, INLINE_BYTES = 256 };

typedef struct {
    uint32_t x, y, z;
} vec3_t;

typedef struct cmd cmd_t;
typedef struct cmd_sequence cmd_sequence_t;
struct cmd {
    cmd_t *next;
    uint8_t kind;   /* cmd_kind_t */
    bool after_all; /* starts when every earlier command of its lane is over */
    uint32_t n_waits, n_bytes;
    ze_event_handle_t signal; /* may be NULL */
    awaited_t *waits;         /* n_waits of them: `inline_waits` or memory of its own */
    uint8_t *bytes; /* n_bytes: kernel arguments, fill pattern, event list: inline or of its own */
    union {
        struct {
            kernel_exec_t *kernel; /* one reference */
            vec3_t group_size, offset;
            ze_group_count_t groups;
            const ze_group_count_t
                    *indirect;   /* read when the command starts; then `groups` is unused */
            bool finds_pointers; /* in memory, and reads what they point to */
        } launch;
        struct {
            void *to;
            const void *from;
            size_t size;
        } copy;
        struct {
            char *to;
            const char *from;
            vec3_t extent; /* bytes, rows, slices */
            size_t to_pitch, to_slice, from_pitch, from_slice;
        } region;
        struct {
            void *to;
            size_t size;
        } fill; /* the pattern is `bytes` */
        ze_event_handle_t event;
        ze_fence_handle_t fence;
        cmd_sequence_t *sequence; /* one reference */
        uint64_t *timestamp;
        struct {
            ze_kernel_timestamp_result_t *to;
            uint32_t n;
            bool has_offsets;
        } query; /* `bytes` are the events, and behind them the offsets */
    } u;
    awaited_t inline_waits[INLINE_WAITS];
    _Alignas(16) uint8_t inline_bytes[INLINE_BYTES];
};

/* Fills what every command has; the arguments were checked. False: no memory. */
bool cmd_set(cmd_t *cmd, cmd_kind_t kind, ze_event_handle_t signal, uint32_t n_waits,
        const ze_event_handle_t *waits, const void *bytes, size_t n_bytes);
bool cmd_copy(cmd_t *to,
        const cmd_t *from); /* a copy that shares nothing with the original but the kernel */
void cmd_clear(cmd_t *cmd); /* frees what the command owns */
bool cmd_events_are_there(const cmd_t *cmd);   /* those that it waits for */
bool cmd_events_have_failed(const cmd_t *cmd); /* any of them */

/* Storage of commands: chunks, given back all at once. */
typedef struct cmd_chunk cmd_chunk_t;
typedef struct {
    cmd_t *free;
    cmd_chunk_t *chunks;
} cmd_store_t;
cmd_t *cmd_store_take(cmd_store_t *store);
void cmd_store_give(cmd_store_t *store, cmd_t *cmd); /* clears it */
void cmd_store_free(cmd_store_t *store);

/* What a regular list keeps, and shares with its runs. */
struct cmd_sequence {
    _Atomic uint32_t references;
    cmd_t *first, *last;
    cmd_store_t store;
    bool is_serial;    /* nothing of it overlaps or waits: it can be run as it is, as one command */
    bool numbers_next; /* of a mutable list: the next command gets the latest number */
    cmd_t **numbered;  /* by number; NULL: not appended yet */
    uint32_t n_numbered, room;
};
cmd_sequence_t *cmd_sequence_new(void); /* NULL: no memory */
void cmd_sequence_retain(cmd_sequence_t *sequence);
void cmd_sequence_release(cmd_sequence_t *sequence);
void cmd_sequence_append(cmd_sequence_t *sequence, cmd_t *cmd); /* one of its store */

#endif
