/* SPDX-License-Identifier: Apache-2.0 */
/* Runs an example with every call of the driver failing once, inside of each call of the library. */
#include "walk.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "dnnl_debug.h"
#include "fault_driver.h"

/* The linker puts the second in front of the example's main(), which is the first. */
int __real_main(int argc, char **argv);
int __wrap_main(int argc, char **argv);

/* What is given to the library in turn. */
static const struct {
    ze_result_t result;
    dnnl_status_t status;
    const char *name;
} faults[] = {
        {ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY, dnnl_out_of_memory, "OUT_OF_DEVICE_MEMORY"},
        {ZE_RESULT_ERROR_DEVICE_LOST, dnnl_runtime_error, "DEVICE_LOST"},
        {ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, dnnl_out_of_memory, "OUT_OF_HOST_MEMORY"},
        {ZE_RESULT_ERROR_UNKNOWN, dnnl_runtime_error, "unknown"},
};
enum { NFAULTS = sizeof faults / sizeof *faults };

static const fault_control_t *control;
static int out = -1;     /* where the standard output goes that the library writes its log to */
static off_t read_until; /* what is before was looked at */
static int limit = 2;    /* how many calls of a name fail in a call of the library */
static long n, calls, failures, wrong;
static int turn;           /* which fault is next */
static const char *failed; /* the call that failed, or NULL */

/* NULL as long as the loader has not loaded the driver. */
static const fault_control_t *find_control(void) {
    void *driver = dlopen(getenv("ZE_ENABLE_ALT_DRIVERS"), RTLD_NOW | RTLD_NOLOAD);
    fault_control_fn get = NULL;
    if (driver) *(void **)&get = dlsym(driver, "fault_control");
    return get ? get() : NULL;
}

/* The sentences written since the last look, and whether one has `first` and `second` in it. */
static int sentences(const char *first, const char *second, bool *found) {
    static char text[1 << 16];
    fflush(stdout);
    const ssize_t size = pread(out, text, sizeof text - 1, read_until);
    int count = 0;
    *found = false;
    text[size > 0 ? size : 0] = 0;
    read_until += size > 0 ? size : 0;
    for (char *line = strtok(text, "\n"); line; line = strtok(NULL, "\n")) {
        if (strncmp(line, "onednn_verbose", 14) || !strstr(line, ",error,")) continue;
        count++;
        *found = *found || (strstr(line, first) && strstr(line, second));
    }
    return count;
}

static void complain(const char *what, const char *call, const char *file, int line) {
    fprintf(stderr, "%s:%d: %s, attempt %ld with %s answering %s: %s\n", file, line, call, n,
            failed ? failed : "none", faults[turn].name, what);
    wrong++;
}

void walk_begin(const char *call) {
    const bool ends = strstr(call, "_destroy(") != NULL; /* always succeeds, and once only */
    bool found;
    if (!control) control = find_control();
    sentences("", "", &found);
    n = 0;
    if (!control) return;
    control->begin(ends ? 0 : limit);
    control->attempt(faults[turn].result);
}

bool walk_again(int status, const char *call, const char *file, int line) {
    enum { TOO_MANY = 10000 };
    bool found;
    if (!control) return false;
    failed = control->end_attempt();
    n++;
    const int said = sentences(failed ? failed : "", failed ? faults[turn].name : "", &found);
    calls++;
    if (status == dnnl_success) {
        if (failed) complain("succeeds all the same", call, file, line);
        else if (said) complain("succeeds and writes an error", call, file, line);
        return false;
    }
    failures++;
    if (!failed) complain("fails for no reason", call, file, line);
    else if (status != (int)faults[turn].status)
        complain(dnnl_status2str((dnnl_status_t)status), call, file, line);
    else if (said != 1) complain(said ? "more than one sentence" : "no sentence", call, file, line);
    else if (!found) complain("the sentence names another call or result", call, file, line);
    if (!failed || n > TOO_MANY) exit(1);
    turn = (turn + 1) % NFAULTS;
    control->attempt(faults[turn].result);
    return true;
}

int __wrap_main(int argc, char **argv) {
    FILE *log = tmpfile();
    if (getenv("FAULTS_ALL")) limit = INT_MAX;
    const int terminal = dup(STDOUT_FILENO);
    if (!log || terminal < 0 || dup2(fileno(log), STDOUT_FILENO) < 0) return 2;
    out = fileno(log);
    const int code = __real_main(argc, argv);
    const long live = control ? control->live() : -1;
    fflush(stdout);
    dup2(terminal, STDOUT_FILENO);
    printf("%ld calls of the library, of which %ld failed and were made again; the program then ends with "
           "%d; %ld objects "
           "of the driver are left; %ld complaints\n",
            calls, failures, code, live, wrong);
    return code || live || wrong || failures < 20;
}
