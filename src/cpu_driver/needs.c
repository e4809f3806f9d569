/* SPDX-License-Identifier: Apache-2.0 */
/* Tries whether the system has what PoCL needs. */
#define _GNU_SOURCE
#include "needs.h"
#include "say.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    FILES = 16,         /* more than PoCL and LLVM have open at a time */
    MAX_THREADS = 1024, /* of PoCL; more cores are not tried */
};

ze_result_t needs_files(void) {
    int files[FILES], n = 0;
    while (n < FILES && (files[n] = open("/", O_PATH | O_CLOEXEC)) >= 0) n++;
    const int reason = errno;
    const bool good = n == FILES;
    while (n > 0) close(files[--n]);
    if (good) return ZE_RESULT_SUCCESS;
    say("PoCL needs %d file descriptors, but the system refuses them: %s", FILES, strerror(reason));
    return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
}

/* PoCL starts a thread for each core, unless its variables ask for fewer. */
static long thread_count(void) {
    long n = sysconf(_SC_NPROCESSORS_ONLN);
    const long limits[] = {
            env_long("POCL_MAX_PTHREAD_COUNT", 0), env_long("POCL_CPU_MAX_CU_COUNT", 0)};
    for (size_t i = 0; i < COUNT_OF(limits); i++)
        if (limits[i] > 0 && limits[i] < n) n = limits[i];
    return n < 1 ? 1 : n > MAX_THREADS ? MAX_THREADS : n;
}

/* Ends when the starter of all threads unlocks the mutex. */
static void *wait_for_starter(void *mutex) {
    pthread_mutex_lock(mutex);
    pthread_mutex_unlock(mutex);
    return NULL;
}

ze_result_t needs_threads(void) {
    const long wanted = thread_count();
    pthread_mutex_t mutex = PTHREAD_MUTEX_INITIALIZER;
    pthread_t *threads = malloc((size_t)wanted * sizeof *threads);
    long n = 0;
    int reason = threads ? 0 : ENOMEM;
    pthread_mutex_lock(&mutex);
    while (!reason && n < wanted) {
        reason = pthread_create(&threads[n], NULL, wait_for_starter, &mutex);
        if (!reason) n++;
    }
    pthread_mutex_unlock(&mutex);
    while (n > 0) pthread_join(threads[--n], NULL);
    free(threads);
    if (!reason) return ZE_RESULT_SUCCESS;
    say("PoCL needs %ld threads, but the system refuses them: %s. POCL_MAX_PTHREAD_COUNT asks for "
        "fewer",
            wanted, strerror(reason));
    return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
}

/* Whether one of the folders, which colons separate, has the program. */
static bool has_program(const char *folders, const char *name) {
    char path[PATH_MAX];
    while (folders && *folders) {
        const int length = (int)strcspn(folders, ":");
        const int n = snprintf(path, sizeof path, "%.*s/%s", length, folders, name);
        if (length && n < (int)sizeof path && access(path, R_OK | X_OK) == 0) return true;
        folders += length;
        folders += *folders == ':';
    }
    return false;
}

/* PATH is empty or missing in the environment of some services. */
static bool append_to_path(const char *folders) {
    const char *path = getenv("PATH");
    char *longer = NULL;
    if (!path || !*path) return setenv("PATH", folders, 1) == 0;
    if (asprintf(&longer, "%s:%s", path, folders) < 0) return false;
    const bool good = setenv("PATH", longer, 1) == 0;
    free(longer);
    return good;
}

static ze_result_t find_linker(void) {
    static const char name[] = "ld";
    const char *path = getenv("PATH"), *chosen = getenv("ZE_CPU_SYSTEM_PATH");
    const char *folders = chosen ? chosen : "/usr/local/bin:/usr/bin:/bin";
    if (has_program(path, name)) return ZE_RESULT_SUCCESS;
    if (has_program(folders, name))
        return append_to_path(folders) ? ZE_RESULT_SUCCESS : ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    say("PoCL needs the linker %s, which is neither in PATH (%s) nor in %s (Debian: apt install "
        "binutils)",
            name, path ? path : "not set", *folders ? folders : "a folder of the system");
    return ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE;
}

ze_result_t needs_linker(void) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static _Atomic bool found;
    if (atomic_load(&found)) return ZE_RESULT_SUCCESS;
    pthread_mutex_lock(&lock);
    const ze_result_t result = found ? ZE_RESULT_SUCCESS : find_linker();
    if (result == ZE_RESULT_SUCCESS) atomic_store(&found, true);
    pthread_mutex_unlock(&lock);
    return result;
}
