/* SPDX-License-Identifier: Apache-2.0 */
/* Commands, and the storage of commands. */
#ifndef ZE_CPU_CMD_H
#define ZE_CPU_CMD_H

#include "event.h"

typedef struct kernel_exec kernel_exec_t; /* module.h */

typedef enum {
    CMD_NOTHING, /* barriers, waits and hints: no work, only order and events */
    CMD_LAUNCH,
    CMD_COPY,
    CMD_COPY_REGION,
    CMD_FILL,
    CMD_RESET_EVENT,
    CMD_WRITE_TIMESTAMP,
    CMD_QUERY_TIMESTAMPS,
    CMD_SIGNAL_FENCE,
    CMD_SEQUENCE, /* all commands of a regular list, one after another */
} cmd_kind_t;

/* Events and bytes that a command holds itself. Most commands need no more, and so no
 * allocation. */
enum { INLINE_WAITS = 4, INLINE_BYTES = 256 };

typedef struct {
    uint32_t x, y, z;
} vec3_t;

typedef struct cmd cmd_t;
typedef struct cmd_sequence cmd_sequence_t;
struct cmd {
    cmd_t *next;
    uint8_t kind;   /* cmd_kind_t */
    bool after_all; /* starts when all earlier commands of its lane are over */
    uint8_t phase;  /* of its lane, see keep.c */
    uint32_t n_waits, n_bytes;
    ze_event_handle_t signal; /* may be NULL */
    awaited_t *waits;         /* n_waits events: `inline_waits` or allocated */
    uint8_t *bytes; /* kernel arguments, a fill pattern or events: `inline_bytes` or allocated */
    union {
        struct {
            kernel_exec_t *kernel; /* one reference */
            vec3_t group_size, offset;
            ze_group_count_t groups;
            const ze_group_count_t *indirect; /* read at the start, instead of `groups` */
            bool finds_pointers; /* the kernel may use pointers that it finds in memory */
            uint64_t values;     /* hash of groups and arguments (direct.c); 0: not known */
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
        } query; /* `bytes` holds the events, followed by the offsets */
    } u;
    awaited_t inline_waits[INLINE_WAITS];
    _Alignas(16) uint8_t inline_bytes[INLINE_BYTES];
};

/* Sets the members that all commands have. The caller has checked the arguments. False: out of
 * memory. */
bool cmd_set(cmd_t *cmd, cmd_kind_t kind, ze_event_handle_t signal, uint32_t n_waits,
        const ze_event_handle_t *waits, const void *bytes, size_t n_bytes);
/* Makes a copy that shares only the kernel with the original. False: out of memory. */
bool cmd_copy(cmd_t *to, const cmd_t *from);
void cmd_clear(cmd_t *cmd);                    /* frees what the command owns */
bool cmd_events_are_there(const cmd_t *cmd);   /* all events that it waits for are signalled */
bool cmd_events_have_failed(const cmd_t *cmd); /* one of these events reports a failure */

/* Storage of commands: chunks that are freed together. */
typedef struct cmd_chunk cmd_chunk_t;
typedef struct {
    cmd_t *free;
    cmd_chunk_t *chunks;
} cmd_store_t;
cmd_t *cmd_store_take(cmd_store_t *store);
void cmd_store_give(cmd_store_t *store, cmd_t *cmd); /* clears the command */
void cmd_store_free(cmd_store_t *store);

/* The commands of a regular list, which the list shares with its runs. */
struct cmd_sequence {
    _Atomic uint32_t references;
    cmd_t *first, *last;
    cmd_store_t store;
    bool is_serial;    /* no command overlaps or waits: the sequence can run as one command */
    bool numbers_next; /* mutable lists: the next command gets the latest number */
    cmd_t **numbered;  /* commands by number; NULL: not appended yet */
    uint32_t n_numbered, room;
};
cmd_sequence_t *cmd_sequence_new(void); /* NULL: out of memory */
void cmd_sequence_retain(cmd_sequence_t *sequence);
void cmd_sequence_release(cmd_sequence_t *sequence);
void cmd_sequence_append(cmd_sequence_t *sequence, cmd_t *cmd); /* cmd comes from its store */

#endif
