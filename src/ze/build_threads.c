/* SPDX-License-Identifier: Apache-2.0 */
/* Compiles the modules of a primitive side by side, with Intel's drivers: those that tell an IP
 * version. PoCL has one lock for its compiler, and its device for CUDA sometimes crashes where two
 * threads compile. */
#define _GNU_SOURCE /* sched_getaffinity(), pthread_setname_np() */
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdatomic.h>

#include "ze/module.h"

/* Threads that one primitive starts, at most. The plans with the most modules, recurrent networks,
 * have some ten of them. */
enum { MOST_HELPERS = 8 };
/* What the main thread of a program usually has: compilers recurse deeply, and the C library gives
 * a thread 2 MiB where the main thread's stack has no limit. */
enum { STACK_BYTES = 8 << 20 };

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

/* Signals are for the threads of the program. */
static bool start_without_signals(pthread_t *thread, const pthread_attr_t *attr, job_t *job) {
    sigset_t all, old;
    sigfillset(&all);
    if (pthread_sigmask(SIG_SETMASK, &all, &old)) return false;
    const bool started = pthread_create(thread, attr, build_next, job) == 0;
    pthread_sigmask(SIG_SETMASK, &old, NULL);
    return started;
}

static bool start(pthread_t *thread, job_t *job) {
    pthread_attr_t attr;
    if (pthread_attr_init(&attr)) return false;
    const bool started = pthread_attr_setstacksize(&attr, STACK_BYTES) == 0 &&
                         start_without_signals(thread, &attr, job);
    pthread_attr_destroy(&attr);
    if (started) pthread_setname_np(*thread, "dnnl_ze_build");
    return started;
}

static atomic_int helpers; /* of all threads that create primitives */

static bool start_helper(pthread_t *thread, job_t *job) {
    if (atomic_fetch_add(&helpers, 1) < count_cores() - 1 && start(thread, job)) return true;
    atomic_fetch_sub(&helpers, 1);
    return false;
}

void modules_build(module_t *const *modules, int n, device_core_t *core) {
    job_t job = {.core = core, .modules = modules, .n = n};
    pthread_t threads[MOST_HELPERS];
    const int wanted = !core->compiles_together ? 0 : n - 1 < MOST_HELPERS ? n - 1 : MOST_HELPERS;
    int started = 0;
    while (started < wanted && start_helper(&threads[started], &job)) started++;
    build_next(&job);
    for (int i = 0; i < started; i++) {
        pthread_join(threads[i], NULL);
        atomic_fetch_sub(&helpers, 1);
    }
}
