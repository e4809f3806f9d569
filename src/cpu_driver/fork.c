/* SPDX-License-Identifier: Apache-2.0 */
/* Recognises children of a process that had used the driver. */
#include "fork.h"
#include "say.h"

#include <pthread.h>

bool is_forked;

static void note_child(void) {
    is_forked = true;
}

static void watch_forks(void) {
    pthread_atfork(NULL, NULL, note_child);
}

void fork_note_use(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, watch_forks);
}

ze_result_t fork_refuse(void) {
    say("this process was forked from one that had used the driver, and lacks the driver's "
        "threads. "
        "Use the driver after exec, or fork before its first use");
    return ZE_RESULT_ERROR_UNINITIALIZED;
}
