/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a program over and over on the fault-injecting driver, each time with another call of the
 * driver failing, and looks at how it ends: with exit code 1 and one sentence, or as if nothing
 * had happened where that can be; never by a signal, never late, never with objects left over or
 * wrong numbers.
 *
 * Usage: fault_processes PROGRAM [ARGUMENTS]. A sample of the calls is made to fail, at least the
 * first and the last of each name as time permits. The environment says more:
 *     FAULTS_SECONDS=N   for how long (5)
 *     FAULTS_SEED=N      which sample: the same again for the same N
 *     FAULTS_ALL=1       every call, once for lack of memory, and once with the device lost from
 *                        then on */
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <time.h>
#include <unistd.h>

#include <level_zero/ze_api.h>

enum { NAME_SIZE = 64, LONGEST_RUN = 120 /* seconds */ };

static const struct {
    ze_result_t result;
    const char *name; /* as the library says it */
} faults[] = {
        {ZE_RESULT_ERROR_OUT_OF_DEVICE_MEMORY, "OUT_OF_DEVICE_MEMORY"},
        {ZE_RESULT_ERROR_DEVICE_LOST, "DEVICE_LOST"},
        {ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY, "OUT_OF_HOST_MEMORY"},
        {ZE_RESULT_ERROR_MODULE_BUILD_FAILURE, "MODULE_BUILD_FAILURE"},
        {ZE_RESULT_ERROR_UNKNOWN, "unknown"},
};
enum { OUT_OF_MEMORY = 0, LOST = 1, NFAULTS = sizeof faults / sizeof *faults };

typedef struct {
    int status; /* of waitpid() */
    char *text; /* what it wrote */
    char *log;  /* what the driver wrote */
} ending_t;

static char output_file[] = "/tmp/fault_output_XXXXXX", log_file[] = "/tmp/fault_log_XXXXXX";

static void fail(const char *what) {
    perror(what);
    exit(2);
}

static char *read_all(const char *path) {
    FILE *file = fopen(path, "r");
    size_t size = 0, room = 1 << 16;
    char *text = malloc(room);
    if (!file || !text) fail(path);
    for (size_t got; (got = fread(text + size, 1, room - size - 1, file)) > 0;) {
        size += got;
        if (room - size < 2 && !(text = realloc(text, room *= 2))) fail(path);
    }
    text[size] = 0;
    fclose(file);
    return text;
}

static void set(const char *name, long value) {
    char text[32];
    snprintf(text, sizeof text, "%ld", value);
    setenv(name, text, 1);
}

/* A program that gives up keeps what it has; what the library has is counted by the driver. */
static void no_leak_check(void) {
    char options[1024];
    const char *given = getenv("ASAN_OPTIONS");
    snprintf(options, sizeof options, "%s:detect_leaks=0", given ? given : "");
    setenv("ASAN_OPTIONS", options, 1);
}

/* at 0: no call fails, and the log has the name of each. */
static ending_t run(char **command, long at, ze_result_t result, bool lasts) {
    ending_t ending;
    if (truncate(log_file, 0)) fail(log_file);
    const pid_t child = fork();
    if (child < 0) fail("fork");
    if (child == 0) {
        const int out = open(output_file, O_WRONLY | O_TRUNC);
        if (out < 0 || dup2(out, STDOUT_FILENO) < 0 || dup2(out, STDERR_FILENO) < 0) _exit(2);
        setenv("ZE_FAULT_LOG", log_file, 1);
        setenv("ONEDNN_VERBOSE", "error,check",
                1); /* of the arguments, too: no device is a wrong argument */
        if (at) set("ZE_FAULT_AT", at);
        set("ZE_FAULT_RESULT", (long)result);
        set("ZE_FAULT_LASTS", lasts);
        no_leak_check();
        alarm(LONGEST_RUN); /* outlives exec */
        execv(command[0], command);
        _exit(127);
    }
    if (waitpid(child, &ending.status, 0) != child) fail("waitpid");
    ending.text = read_all(output_file);
    ending.log = read_all(log_file);
    return ending;
}

static void forget(ending_t *ending) {
    free(ending->text);
    free(ending->log);
}

/* The lines with one of two words; *named: whether one of them has both names. */
static int lines_with(const char *text, const char *start, const char *word, const char *other,
        const char *name, const char *result, bool *named) {
    int count = 0;
    for (const char *line = text; *line;) {
        const size_t length = strcspn(line, "\n");
        char copy[1024];
        snprintf(copy, sizeof copy, "%.*s", (int)length, line);
        if (!strncmp(copy, start, strlen(start)) && (strstr(copy, word) || strstr(copy, other))) {
            count++;
            if (named && strstr(copy, name) && strstr(copy, result)) *named = true;
        }
        line += length + (line[length] != 0);
    }
    return count;
}

/* Value of the log's line of that name, or NULL. */
static const char *logged(const ending_t *ending, const char *what, char value[NAME_SIZE]) {
    char format[32], *line = strstr(ending->log, what);
    snprintf(format, sizeof format, "%%*s %%%ds", NAME_SIZE - 1);
    return line && sscanf(line, format, value) == 1 ? value : NULL;
}

/* What is wrong with how a program ended of which one call failed; NULL: nothing. */
static const char *judge(
        const ending_t *ending, const char *result, bool lasts, char name[NAME_SIZE]) {
    char live[NAME_SIZE];
    bool named = false;
    const bool spared = logged(ending, "spared ", name) != NULL;
    if (!spared && !logged(ending, "failed ", name)) strcpy(name, "none");
    if (WIFSIGNALED(ending->status))
        return WTERMSIG(ending->status) == SIGALRM ? "does not end" : "crashes";
    if (strstr(ending->text, "Sanitizer")) return "a sanitizer reports something";
    const int code = WEXITSTATUS(ending->status);
    const int library =
            lines_with(ending->text, "onednn_verbose", ",error,", ":check,", name, result, &named);
    const int program =
            lines_with(ending->text, "", "Level Zero error", "no Level Zero", "", "", NULL);
    if (code > 1) return "ends with another exit code than 1";
    if (code == 0) {
        if (!logged(ending, "live ", live)) return "does not end as it should";
        /* Where the library cannot wait for a stream, it says that it leaves the stream's
         * objects alone. */
        const bool on_purpose =
                strstr(ending->text, "the memory that the work uses is leaked") != NULL;
        if (strcmp(live, "0") && !on_purpose) return "objects are left over";
        /* Destroying succeeds, and says what did not. */
        if (!strcmp(name, "none") || spared || named) return NULL;
        return lasts ? "succeeds on a lost device" : "succeeds all the same";
    }
    if (library + program == 0) return "fails without a sentence, or with wrong results";
    if (lasts) return NULL;
    if (library > 1) return "more than one sentence of the library";
    if (library && program) return "a sentence of the library about a call that it did not make";
    /* A device that is not found is one of another driver to the library. */
    if (library && !named && !strstr(ending->text, ":check,"))
        return "the sentence names another call or result";
    return NULL;
}

/* ---- which calls ---- */

static uint64_t seed;
static uint64_t random_below(uint64_t n) { /* xorshift */
    seed ^= seed << 13;
    seed ^= seed >> 7;
    seed ^= seed << 17;
    return seed % n;
}

static void shuffle(long *at, long n) {
    for (long i = n - 1; i > 0; i--) {
        const long j = (long)random_below((uint64_t)i + 1), kept = at[i];
        at[i] = at[j];
        at[j] = kept;
    }
}

/* All calls of a log, the first and the last of each name ahead of the others. Returns how many. */
static long order(const char *log, long **out) {
    struct {
        const char *name;
        long first, last;
    } names[256];
    long calls = 0, nnames = 0, n = 0;
    for (const char *line = log; (line = strstr(line, "call ")); line++) {
        const size_t length = strcspn(line, "\n");
        long i = 0;
        calls++;
        while (i < nnames &&
                (strncmp(names[i].name, line, length) || names[i].name[length] != '\n'))
            i++;
        if (i == 256) exit(2);
        if (i == nnames) {
            names[nnames].name = line;
            names[nnames++].first = calls;
        }
        names[i].last = calls;
    }
    long *at = malloc(((size_t)calls + 1) * sizeof *at);
    char *taken = calloc((size_t)calls + 1, 1);
    if (!at || !taken) fail("malloc");
    for (long i = 0; i < nnames; i++)
        for (int k = 0; k < 2; k++) {
            const long call = k ? names[i].last : names[i].first;
            if (!taken[call]) at[n++] = call;
            taken[call] = 1;
        }
    shuffle(at, n);
    const long ahead = n;
    for (long call = 1; call <= calls; call++)
        if (!taken[call]) at[n++] = call;
    shuffle(at + ahead, n - ahead);
    free(taken);
    *out = at;
    return n;
}

/* ---- */

static long runs, wrong;

static void try(char **command, long at, int fault, bool lasts) {
    char name[NAME_SIZE];
    ending_t ending = run(command, at, faults[fault].result, lasts);
    const char *problem = judge(&ending, faults[fault].name, lasts, name);
    runs++;
    if (problem) {
        wrong++;
        printf("call %ld (%s) answers %s%s: %s; status 0x%x, and it wrote:\n%s\n", at, name,
                faults[fault].name, lasts ? " and so do all after it" : "", problem,
                (unsigned)ending.status, ending.text);
        fflush(stdout);
    }
    forget(&ending);
}

static double now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static long setting(const char *name, long otherwise) {
    const char *text = getenv(name);
    return text && *text ? strtol(text, NULL, 0) : otherwise;
}

int main(int argc, char **argv) {
    if (argc < 2) return 2;
    char **command = argv + 1;
    const int out = mkstemp(output_file), log = mkstemp(log_file);
    if (out < 0 || log < 0) fail("mkstemp");
    close(out);
    close(log);
    const bool all = setting("FAULTS_ALL", 0);
    const double seconds = (double)setting("FAULTS_SECONDS", 5);
    const long first_seed = setting("FAULTS_SEED", (long)(time(NULL) ^ ((long)getpid() << 16)));
    seed = (uint64_t)first_seed * 2 + 1;

    char live[NAME_SIZE];
    double start = now();
    ending_t ending = run(command, 0, ZE_RESULT_SUCCESS, false);
    long *at;
    const long calls = order(ending.log, &at);
    if (ending.status || !calls || !logged(&ending, "live ", live) || strcmp(live, "0")) {
        printf("without a failure: status 0x%x, %ld calls, and it wrote:\n%s\n",
                (unsigned)ending.status, calls, ending.text);
        wrong++;
    }
    forget(&ending);
    printf("%ld calls of the driver, %.2f s a run, seed %ld\n", calls, now() - start, first_seed);
    fflush(stdout);
    start = now();
    long tried = 0;
    for (; tried < calls && !wrong && (all || now() - start < seconds); tried++) {
        const bool lasts = !all && random_below(3) == 0;
        try(command, at[tried],
                all     ? OUT_OF_MEMORY
                : lasts ? LOST
                        : (int)random_below(NFAULTS),
                lasts);
        if (all) try(command, at[tried], LOST, true);
    }
    printf("%ld of them failed in turn, in %ld runs: %ld ended wrong\n", tried, runs, wrong);
    free(at);
    unlink(output_file);
    unlink(log_file);
    return wrong || !tried;
}
