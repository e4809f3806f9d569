/* SPDX-License-Identifier: Apache-2.0 */
/* A handler of SIGSEGV and SIGBUS for accesses to guard pages, to freed memory, and of the host to
 * device memory. It passes all other faults to the handler that was installed before. */
#define _GNU_SOURCE
#include "fault.h"
#include "strict.h"

#include <pthread.h>
#include <signal.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <ucontext.h>

enum { MAX_RUNNING = 16 }; /* kernels: twice as many as there are workers */

static const char *_Atomic running[MAX_RUNNING];
static fault_explain_t *_Atomic explain_access;
static struct sigaction before[2]; /* of SIGSEGV, SIGBUS */

int fault_kernel_begins(const char *name) {
    for (int i = 0; i < MAX_RUNNING; i++) {
        const char *none = NULL;
        if (atomic_compare_exchange_strong(&running[i], &none, name)) return i;
    }
    return -1;
}

void fault_kernel_ends(int number) {
    if (number >= 0) atomic_store(&running[number], NULL);
}

/* Writes the names of the running kernels: "a" or "b". Returns NULL if none runs. */
static const char *running_kernels(char *text, size_t size) {
    size_t n = 0;
    for (int i = 0; i < MAX_RUNNING; i++) {
        const char *name = atomic_load(&running[i]);
        if (!name || n + 8 >= size) continue;
        const int added = snprintf(text + n, size - n, "%s\"%s\"", n ? " or " : "", name);
        n += added > 0 && (size_t)added < size - n ? (size_t)added : 0;
    }
    return n ? text : NULL;
}

static const char *verb_of(const void *context) {
#if defined(__x86_64__)
    return ((const ucontext_t *)context)->uc_mcontext.gregs[REG_ERR] & 2 ? "writes" : "reads";
#else
    (void)context;
    return "touches";
#endif
}

static void handle(int signal, siginfo_t *info, void *context) {
    char names[256];
    fault_explain_t *explain = atomic_load(&explain_access);
    if (info->si_code > 0 &&
            explain(info->si_addr, verb_of(context), running_kernels(names, sizeof names)))
        strict_end();
    const struct sigaction *old = &before[signal == SIGBUS];
    if (old->sa_flags & SA_SIGINFO) {
        old->sa_sigaction(signal, info, context);
    } else if (old->sa_handler != SIG_DFL && old->sa_handler != SIG_IGN) {
        old->sa_handler(signal);
    } else {
        sigaction(signal, old, NULL); /* the fault happens again, and ends the process */
        if (info->si_code <= 0) raise(signal);
    }
}

static void install(void) {
    struct sigaction action = {.sa_flags = SA_SIGINFO | SA_ONSTACK | SA_NODEFER};
    action.sa_sigaction = handle;
    sigemptyset(&action.sa_mask);
    sigaction(SIGSEGV, &action, &before[0]);
    sigaction(SIGBUS, &action, &before[1]);
}

void fault_report(fault_explain_t *explain) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    atomic_store(&explain_access, explain);
    pthread_once(&once, install);
}
