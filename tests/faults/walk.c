/* SPDX-License-Identifier: Apache-2.0 */
/* Runs an example with every call of the driver failing once, inside of each call of the
 * library. */
#include "walk.h"

#include <dlfcn.h>
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
static bool ends;        /* the call of the library destroys something */
static long n, calls, failures, wrong, failures_at_end;
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
    bool found;
    ends = strstr(call, "_destroy(") != NULL;
    if (!control) control = find_control();
    sentences("", "", &found);
    n = 0;
    if (!control) return;
    control->begin();
    if (ends) control->fail_ends(faults[turn].result);
    else control->attempt(faults[turn].result);
}

/* Destroying always succeeds, and can be asked for once only: each call of the driver in it that
 * fails is said. */
static void judge_end(int status, const char *call, const char *file, int line) {
    bool found;
    const int said = sentences(failed ? failed : "", failed ? faults[turn].name : "", &found);
    calls++;
    if (status != dnnl_success) complain("fails, but destroying always succeeds", call, file, line);
    else if (said != control->ends_failed())
        complain("not a sentence for each failure", call, file, line);
    else if (failed && !found)
        complain("the sentence names another call or result", call, file, line);
    failures_at_end += control->ends_failed();
    turn = (turn + 1) % NFAULTS;
}

bool walk_again(int status, const char *call, const char *file, int line) {
    enum { TOO_MANY = 10000 };
    bool found;
    if (!control) return false;
    failed = control->end_attempt();
    n++;
    if (ends) {
        judge_end(status, call, file, line);
        return false;
    }
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
    const int terminal = dup(STDOUT_FILENO);
    if (!log || terminal < 0 || dup2(fileno(log), STDOUT_FILENO) < 0) return 2;
    out = fileno(log);
    const int code = __real_main(argc, argv);
    const long live = control ? control->live() : -1;
    fflush(stdout);
    dup2(terminal, STDOUT_FILENO);
    printf("%ld calls of the library, of which %ld failed and were made again; %ld calls of the "
           "driver "
           "failed while "
           "something was destroyed; the program then ends with %d; %ld objects of the driver are "
           "left; %ld "
           "complaints\n",
            calls, failures, failures_at_end, code, live, wrong);
    return code || live || wrong || failures < 20 || !failures_at_end;
}
