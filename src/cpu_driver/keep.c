/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the commands that use memory, and waits for them without a thread.
 *
 * Each lane counts its commands in two phases. A command belongs to the phase in which it was
 * appended. The lane changes to the other phase only when no command of that phase is left. So all
 * commands that were appended before a moment are over after two changes, or after one if the lane
 * changes at that moment. */
#include "keep.h"
#include "memory.h"
#include "module.h"

#include <stdlib.h>
#include <string.h>

/* Freed memory, and the number of lanes that still use it. */
typedef struct {
    _Atomic uint32_t users;
    char *base;
} kept_t;

struct keep_use {
    keep_use_t *next;
    uint64_t until; /* number of changes of phase */
    kept_t *kept;
};

static pthread_mutex_t lanes_lock = PTHREAD_MUTEX_INITIALIZER;
static lane_t *lanes;

void keep_add_lane(lane_t *lane) {
    pthread_mutex_lock(&lanes_lock);
    lane->next_lane = lanes;
    lanes = lane;
    pthread_mutex_unlock(&lanes_lock);
}

void keep_remove_lane(lane_t *lane) {
    pthread_mutex_lock(&lanes_lock);
    lane_t **link = &lanes;
    while (*link != lane) link = &(*link)->next_lane;
    *link = lane->next_lane;
    pthread_mutex_unlock(&lanes_lock);
}

/* ---- phases ---- */

void keep_note_append(lane_t *lane, cmd_t *cmd) {
    cmd->phase = lane->phase;
    lane->in_phase[lane->phase]++;
}

void keep_note_end(lane_t *lane, const cmd_t *cmd) {
    lane->in_phase[cmd->phase]--;
}

static bool change_phase(lane_t *lane) {
    if (lane->in_phase[!lane->phase]) return false;
    lane->phase = !lane->phase;
    lane->phase_changes++;
    return true;
}

keep_use_t *keep_take(lane_t *lane) {
    keep_use_t *first = lane->uses, *last = NULL;
    if (!first) return NULL;
    while (lane->uses) {
        if (lane->uses->until <= lane->phase_changes) {
            last = lane->uses;
            lane->uses = last->next;
        } else if (!change_phase(lane)) {
            break;
        }
    }
    if (!last) return NULL;
    last->next = NULL;
    return first;
}

static progress_t forgotten; /* of all kept memory, which may be gone when waiters are woken */

static void forget_user(kept_t *kept) {
    if (atomic_fetch_sub(&kept->users, 1) != 1) {
        progress_announce(&forgotten);
        return;
    }
    memory_release(kept->base);
    free(kept);
}

static bool has_one_user(const void *kept) {
    return atomic_load(&((kept_t *)(uintptr_t)kept)->users) == 1;
}

/* The caller is one of the users. */
static void wait_for_others(kept_t *kept) {
    if (progress_wait(&forgotten, has_one_user, kept, UINT64_MAX) || sched_has_stopped()) return;
    COMPLAIN("nothing will end the commands that use %p", (void *)kept->base);
}

void keep_release(keep_use_t *uses) {
    while (uses) {
        keep_use_t *next = uses->next;
        forget_user(uses->kept);
        free(uses);
        uses = next;
    }
}

/* ---- the memory of commands ---- */

/* A search looks at this many commands. What has more is taken for a user, so that a free call
 * takes microseconds. */
enum { MOST_COMMANDS = 1000 };

typedef struct {
    uintptr_t base;
    size_t size;
    uint32_t commands_left;
} search_t;

static bool overlaps(const search_t *search, const void *address, size_t size) {
    const uintptr_t from = (uintptr_t)address;
    return from < search->base + search->size && search->base < from + (size ? size : 1);
}

static bool launch_uses(const search_t *search, const cmd_t *cmd) {
    const kernel_exec_t *kernel = cmd->u.launch.kernel;
    if (cmd->u.launch.finds_pointers) return true;
    if (overlaps(search, cmd->u.launch.indirect, sizeof *cmd->u.launch.indirect)) return true;
    for (uint32_t i = 0; i < kernel->info->n_args; i++) {
        void *pointer;
        if (kernel->info->args[i].kind != ARG_POINTER) continue;
        memcpy(&pointer, cmd->bytes + kernel->offsets[i], sizeof pointer);
        if (overlaps(search, pointer, 1)) return true;
    }
    return false;
}

static bool region_uses(const search_t *search, const cmd_t *cmd) {
    const vec3_t n = cmd->u.region.extent;
    const size_t rows = n.y ? n.y - 1 : 0, slices = n.z ? n.z - 1 : 0;
    return overlaps(search, cmd->u.region.to,
                   slices * cmd->u.region.to_slice + rows * cmd->u.region.to_pitch + n.x) ||
           overlaps(search, cmd->u.region.from,
                   slices * cmd->u.region.from_slice + rows * cmd->u.region.from_pitch + n.x);
}

/* Commands of a sequence are not sequences, so that the depth is 2 at most. */
static bool any_uses(search_t *search, const cmd_t *first);

static bool cmd_uses(search_t *search, const cmd_t *cmd) {
    switch ((cmd_kind_t)cmd->kind) {
    case CMD_LAUNCH: return launch_uses(search, cmd);
    case CMD_COPY:
        return overlaps(search, cmd->u.copy.to, cmd->u.copy.size) ||
               overlaps(search, cmd->u.copy.from, cmd->u.copy.size);
    case CMD_COPY_REGION: return region_uses(search, cmd);
    case CMD_FILL: return overlaps(search, cmd->u.fill.to, cmd->u.fill.size);
    case CMD_WRITE_TIMESTAMP: return overlaps(search, cmd->u.timestamp, sizeof(uint64_t));
    case CMD_QUERY_TIMESTAMPS:
        /* Its results may lie anywhere, if the command has offsets. */
        return cmd->u.query.has_offsets ||
               overlaps(search, cmd->u.query.to, cmd->u.query.n * sizeof *cmd->u.query.to);
    case CMD_SEQUENCE: return any_uses(search, cmd->u.sequence->first);
    case CMD_NOTHING:
    case CMD_RESET_EVENT:
    case CMD_SIGNAL_FENCE: break;
    }
    return false;
}

static bool any_uses(search_t *search, const cmd_t *first) {
    for (const cmd_t *cmd = first; cmd; cmd = cmd->next)
        if (!search->commands_left || (search->commands_left--, cmd_uses(search, cmd))) return true;
    return false;
}

/* Called with the lock of the lane held. */
static bool lane_uses(const lane_t *lane, char *base, size_t size) {
    search_t search = {(uintptr_t)base, size, MOST_COMMANDS};
    for (const flight_t *flight = lane->flights; flight; flight = flight->next)
        if (any_uses(&search, flight->from)) return true;
    return any_uses(&search, lane->first);
}

/* ---- freed memory ---- */

/* Makes the lane a user. Called with its lock held. False: out of memory. */
static bool add_use(lane_t *lane, kept_t *kept) {
    keep_use_t *use = malloc(sizeof *use), **end = &lane->uses;
    if (!use) return false;
    *use = (keep_use_t){.kept = kept, .until = lane->phase_changes + 2};
    if (change_phase(lane)) use->until = lane->phase_changes + 1;
    while (*end) end = &(*end)->next;
    *end = use;
    atomic_fetch_add(&kept->users, 1);
    return true;
}

static bool is_busy(lane_t *lane) {
    return atomic_load(&lane->done) != atomic_load(&lane->appended);
}

bool keep_while_used(char *base, size_t size, bool wait) {
    kept_t *kept = NULL;
    bool lost = false;
    pthread_mutex_lock(&lanes_lock);
    for (lane_t *lane = lanes; lane && !lost; lane = lane->next_lane) {
        if (!is_busy(lane)) continue;
        lost = sched_has_stopped(); /* the workers end where they are, and leave their flights */
        if (lost) break;
        pthread_mutex_lock(&lane->lock);
        if (lane_uses(lane, base, size)) {
            if (!kept && (kept = calloc(1, sizeof *kept)) != NULL) {
                kept->base = base;
                atomic_init(&kept->users, 1); /* this function */
            }
            lost = !kept || !add_use(lane, kept);
        }
        pthread_mutex_unlock(&lane->lock);
    }
    pthread_mutex_unlock(&lanes_lock);
    if (!kept) return lost;
    if (!lost && wait) wait_for_others(kept);
    if (!lost) forget_user(kept);
    return true;
}
