/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles the modules of a primitive side by side, with Intel's drivers: those that tell an IP
 * version. PoCL has one lock for its compiler, and its device for CUDA sometimes crashes where two
 * threads compile. */
#define _GNU_SOURCE /* sched_getaffinity() */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

#include "ze/module.h"

/* Threads that one primitive starts, at most. The plans with the most modules, recurrent networks,
 * have some ten of them. */
enum { MOST_HELPERS = 8 };

typedef struct {
    device_core_t *core;
    module_t *const *modules;
    int n;
    atomic_int next;
} job_t;

static void *build_next(void *arg) {
    job_t *job = arg;
    for (int i; (i = atomic_fetch_add(&job->next, 1)) < job->n;)
        module_build(job->modules[i], job->core);
    return NULL;
}

/* Cores that this process may use. */
static int count_cores(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? CPU_COUNT(&set) : 1;
}

static atomic_int helpers; /* of all threads that create primitives */

/* Signals are for the threads of the program. */
static bool start(pthread_t *thread, job_t *job) {
    sigset_t all, old;
    sigfillset(&all);
    if (atomic_fetch_add(&helpers, 1) < count_cores() - 1 &&
            pthread_sigmask(SIG_SETMASK, &all, &old) == 0) {
        const bool started = pthread_create(thread, NULL, build_next, job) == 0;
        pthread_sigmask(SIG_SETMASK, &old, NULL);
        if (started) return true;
    }
    atomic_fetch_sub(&helpers, 1);
    return false;
}

void modules_build(module_t *const *modules, int n, device_core_t *core) {
    job_t job = {.core = core, .modules = modules, .n = n};
    pthread_t threads[MOST_HELPERS];
    const int wanted = !core->compiles_together ? 0 : n - 1 < MOST_HELPERS ? n - 1 : MOST_HELPERS;
    int started = 0;
    while (started < wanted && start(&threads[started], &job)) started++;
    build_next(&job);
    for (int i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
        atomic_fetch_sub(&helpers, 1);
    }
}
