/* SPDX-License-Identifier: Apache-2.0 */
/* Runs the work-group functions that PoCL has compiled on threads of the driver, without PoCL's
 * queues and threads. */
#ifndef ZE_CPU_DIRECT_H
#define ZE_CPU_DIRECT_H

#include "cmd.h"
#include "module.h"

/* The work-group function of a kernel for one group size, and what a launch of it has cost. */
typedef struct direct direct_t;

/* What is known of a launch. */
typedef enum {
    DIRECT_NEVER, /* PoCL must launch it */
    DIRECT_FIND,  /* PoCL must launch it between direct_watch() and direct_found() */
    DIRECT_RUN,   /* direct_run() can run it */
} direct_advice_t;

/* Writes the function that runs the launch, or NULL. Takes no lock. */
direct_advice_t direct_advise(const cmd_t *cmd, direct_t **direct);
/* Whether the launch is so short that the thread which appends it should run it: a few us, on a
 * stack with room, and the kernel waits for nobody. */
bool direct_is_brief(cmd_t *cmd);

/* Watches which function PoCL loads for a launch. Both are called without a lock; `watch` is
 * storage of the caller. */
enum { DIRECT_MAX_SAME = 32 };
typedef struct direct_watch direct_watch_t;
struct direct_watch {
    direct_watch_t *next;
    char suffix[288]; /* how the path of the function's library ends */
    bool spoilt;      /* another launch may have loaded a function of the same name meanwhile */
    uint32_t n;
    uintptr_t loaded[DIRECT_MAX_SAME]; /* where libraries with this suffix are */
};
void direct_watch(direct_watch_t *watch, const cmd_t *cmd);
void direct_found(direct_watch_t *watch, const cmd_t *cmd);

/* Runs a launch on the calling thread and, if that pays, on helpers (team.h). */
void direct_run(direct_t *direct, const cmd_t *cmd);

/* Frees the functions of a kernel. */
void direct_free(direct_t *first);

#endif
