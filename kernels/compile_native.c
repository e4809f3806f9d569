/* SPDX-License-Identifier: Apache-2.0 */
/* A program of the build: compiles modules to native code with ocloc.
 * Usage: compile_native JOBS OCLOC VERSION FOLDER LIST
 *   JOBS     has a line for each module: the device as ocloc names it and its IP version, 1 if the
 *            kernel wants many registers or else 0, the path of the SPIR-V, the constants as
 *            id:value
 *   VERSION  of ocloc
 *   FOLDER   keeps compiled code, also for other builds. Names of files are hashes of all that the
 *            code depends on, so that a later run compiles only what is new
 *   LIST     is written: the path of the code of each job, or - if the compiler refuses the module.
 *            ocloc works on files beside it
 * Compiles on as many processors as there are, or $COMPILE_NATIVE_JOBS. */
#include <errno.h>
#include <fcntl.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

#include "core/alloc.h"
#include "core/hash.h"
#include "plan/intel_builtins.h"
#include "plan/slim_params.h"
#include "plan/specialise.h"

/* As in src/ze/module.c, which creates modules with this option. */
#define MANY_REGISTERS "-ze-opt-large-register-file"

enum { MOST_JOBS = 1 << 16, MOST_SPECS = 64 };

typedef struct {
    char *device, *module;
    uint32_t ip_version;
    bool many;
    spec_t specs[MOST_SPECS];
    int nspecs;
    uint32_t *words; /* NULL: the folder has the code, or an earlier job makes it */
    size_t nwords;
    char *path; /* of the code */
    pid_t worker;
} job_t;

typedef struct {
    const char *ocloc, *version, *folder, *list;
    job_t *jobs;
    int njobs;
} work_t;

static void fail(const char *what, const char *path) {
    fprintf(stderr, "compile_native: %s%s%s\n", what, *path ? ": " : "", path);
    exit(1);
}

static void *or_fail(void *memory) {
    if (!memory) fail("no memory", "");
    return memory;
}

static char *join(const char *a, const char *b, const char *c) {
    const size_t size = strlen(a) + strlen(b) + strlen(c) + 1;
    char *text = or_fail(malloc(size));
    snprintf(text, size, "%s%s%s", a, b, c);
    return text;
}

/* ---- what to compile ---- */

/* To be freed with dz_free(). */
static uint8_t *read_bytes(const char *path, size_t *size) {
    FILE *file = fopen(path, "rb");
    struct stat status;
    if (!file || fstat(fileno(file), &status)) fail("cannot read", path);
    *size = (size_t)status.st_size;
    uint8_t *bytes = or_fail(dz_malloc(*size + 1));
    if (fread(bytes, 1, *size, file) != *size) fail("cannot read", path);
    fclose(file);
    return bytes;
}

static void parse_job(job_t *job, char *line) {
    char *end, *rest = NULL;
    job->device = strtok_r(line, " \n", &rest);
    const char *version = strtok_r(NULL, " \n", &rest);
    const char *many = strtok_r(NULL, " \n", &rest);
    job->module = strtok_r(NULL, " \n", &rest);
    if (!job->module) fail("a job has no module", "");
    job->ip_version = (uint32_t)strtoul(version, &end, 0);
    job->many = *many == '1';
    for (const char *field; (field = strtok_r(NULL, " \n", &rest)); job->nspecs++) {
        if (job->nspecs == MOST_SPECS) fail("too many constants", job->module);
        spec_t *spec = &job->specs[job->nspecs];
        spec->id = (uint32_t)strtoul(field, &end, 10);
        if (*end != ':') fail("not id:value", field);
        spec->value = (uint32_t)strtoul(end + 1, &end, 10);
    }
}

static void read_jobs(work_t *work, const char *path) {
    FILE *file = fopen(path, "r");
    if (!file) fail("cannot read", path);
    char *line = NULL;
    size_t room = 0;
    while (getline(&line, &room, file) > 0) {
        if (*line == '\n') continue;
        if (work->njobs == MOST_JOBS) fail("too many jobs", path);
        parse_job(&work->jobs[work->njobs++], or_fail(strdup(line)));
    }
    free(line);
    fclose(file);
}

/* The module that the library would hand to the driver. */
static void specialise_job(job_t *job) {
    size_t size;
    uint32_t *words = (uint32_t *)(void *)read_bytes(job->module, &size);
    job->words = specialise(words, size / sizeof *words, job->specs, job->nspecs, &job->nwords);
    if (!job->words) fail("cannot be specialised", job->module);
    dz_free(words);
    job->words = slim_params_of(job->words, &job->nwords);
    words = intel_builtins(job->words, job->nwords, job->ip_version, &size);
    if (!words) return;
    dz_free(job->words);
    job->words = words;
    job->nwords = size;
}

/* Finds what the job compiles and the name that its code gets. */
static void prepare(const work_t *work, job_t *job) {
    specialise_job(job);
    uint64_t hash[2] = {0, 1};
    for (int i = 0; i < 2; i++) {
        hash[i] = hash_bytes(work->version, strlen(work->version), hash[i]);
        hash[i] = hash_bytes(job->device, strlen(job->device), hash[i]);
        hash[i] = hash_u64(job->many, hash[i]);
        hash[i] = hash_bytes(job->words, job->nwords * sizeof *job->words, hash[i]);
    }
    char name[48];
    snprintf(name, sizeof name, "/%016llx%016llx.bin", (unsigned long long)hash[0],
            (unsigned long long)hash[1]);
    char *folder = join(work->folder, "/", job->device);
    if (mkdir(folder, 0777) && errno != EEXIST) fail("cannot make the folder", folder);
    job->path = join(folder, name, "");
    free(folder);
}

static int by_path(const void *a, const void *b) {
    const job_t *const *x = a, *const *y = b;
    const int order = strcmp((*x)->path, (*y)->path);
    return order ? order : (*x > *y) - (*x < *y);
}

/* Drops the words of jobs that have nothing to compile. */
static int drop_done(const work_t *work) {
    job_t **sorted = or_fail(calloc((size_t)work->njobs + 1, sizeof *sorted));
    int left = 0;
    for (int i = 0; i < work->njobs; i++) sorted[i] = &work->jobs[i];
    qsort(sorted, (size_t)work->njobs, sizeof *sorted, by_path);
    for (int i = 0; i < work->njobs; i++) {
        const bool equal = i && !strcmp(sorted[i - 1]->path, sorted[i]->path);
        if (equal || !access(sorted[i]->path, R_OK)) {
            dz_free(sorted[i]->words);
            sorted[i]->words = NULL;
        } else {
            left++;
        }
    }
    free(sorted);
    return left;
}

/* ---- compiling ---- */

/* Exit codes: of ocloc where its input is missing (the low byte of OCLOC_INVALID_FILE, -5151), of
 * a shell where there is no ocloc; of a process here whose module ocloc refuses. */
enum { NO_INPUT = 225, NO_PROGRAM = 127, REFUSED = 2 };

/* Runs ocloc, whose output goes to the file `log`. Returns whether it wrote `code`. */
static bool run_ocloc(const work_t *work, const job_t *job, bool many, const char *module,
        const char *code, const char *log) {
    const char *arguments[] = {work->ocloc, "compile", "-q", "-exclude_ir", "-spirv_input", "-file",
            module, "-device", job->device, "-o", code, many ? "-options" : NULL, MANY_REGISTERS,
            NULL};
    unlink(code);
    const pid_t child = fork();
    if (child < 0) return false;
    if (!child) {
        const int file = open(log, O_WRONLY | O_CREAT | O_TRUNC, 0666);
        dup2(file, 1);
        dup2(file, 2);
        execvp(work->ocloc, (char **)(void *)arguments);
        _exit(NO_PROGRAM);
    }
    int status;
    while (waitpid(child, &status, 0) < 0 && errno == EINTR) {
    }
    const int exit_code = WIFEXITED(status) ? WEXITSTATUS(status) : -1;
    if (exit_code == NO_INPUT || exit_code == NO_PROGRAM)
        fail("ocloc did not run, or did not find its input", log);
    return !exit_code && !access(code, R_OK);
}

/* Whether code spills registers. It contains its properties as plain text. */
static bool spills(const char *path) {
    static const char property[] = "spill_size:";
    size_t size;
    char *bytes = (char *)read_bytes(path, &size);
    const char *end = bytes + size;
    bool found = false;
    for (const char *at = bytes;
            (at = memmem(at, (size_t)(end - at), property, strlen(property)));) {
        at += strlen(property);
        while (at < end && *at == ' ') at++;
        found |= at < end && *at >= '1' && *at <= '9';
    }
    dz_free(bytes);
    return found;
}

/* Other builds may use the folder at the same time: they see a whole file or none. */
static bool keep_code(const char *code, const char *path) {
    char process[32];
    snprintf(process, sizeof process, ".%ld", (long)getpid());
    size_t size;
    uint8_t *bytes = read_bytes(code, &size);
    char *part = join(path, process, "");
    FILE *file = fopen(part, "wb");
    bool good = file && fwrite(bytes, 1, size, file) == size;
    if (file) good &= !fclose(file);
    good = good && !rename(part, path);
    if (!good) unlink(part);
    free(part);
    dz_free(bytes);
    return good;
}

/* In a process of its own. Returns its exit code. */
static int compile(const work_t *work, const job_t *job) {
    char number[32];
    snprintf(number, sizeof number, ".%ld", (long)(job - work->jobs));
    char *module = join(work->list, number, ".spv"), *code = join(work->list, number, ".bin"),
         *log = join(work->list, number, ".log");
    FILE *file = fopen(module, "wb");
    if (!file || fwrite(job->words, sizeof *job->words, job->nwords, file) != job->nwords ||
            fclose(file))
        fail("cannot write", module);
    bool good = run_ocloc(work, job, job->many, module, code, log);
    /* As in src/ze/module.c, code that spills is compiled again with more registers. */
    if (good && !job->many && spills(code)) good = run_ocloc(work, job, true, module, code, log);
    if (good) good = keep_code(code, job->path);
    unlink(module);
    unlink(code);
    if (good) unlink(log);
    return good ? 0 : REFUSED;
}

static void finish(work_t *work, pid_t worker, int status) {
    for (int i = 0; i < work->njobs; i++) {
        job_t *job = &work->jobs[i];
        if (job->worker != worker) continue;
        job->worker = 0;
        if (!status) return;
        if (!WIFEXITED(status) || WEXITSTATUS(status) != REFUSED)
            fail("no native code", job->module);
        fprintf(stderr, "compile_native: no native code of %s for %s; %s.%d.log says why\n",
                job->module, job->device, work->list, i);
        return;
    }
}

static void compile_all(work_t *work, int left) {
    const char *wanted = getenv("COMPILE_NATIVE_JOBS");
    const long most = wanted ? atol(wanted) : sysconf(_SC_NPROCESSORS_ONLN);
    long running = 0, started = 0;
    int next = 0, status;
    while (next < work->njobs || running) {
        while (next < work->njobs && !work->jobs[next].words) next++;
        if (next < work->njobs && (running < most || !running)) {
            job_t *job = &work->jobs[next++];
            job->worker = fork();
            if (job->worker < 0) fail("cannot fork", "");
            if (!job->worker) _exit(compile(work, job));
            running++;
            if (++started % 100 == 0)
                fprintf(stderr, "compile_native: %ld of %d modules\n", started, left);
        } else if (running) {
            const pid_t worker = wait(&status);
            if (worker < 0) fail("lost a process", "");
            finish(work, worker, status);
            running--;
        }
    }
}

static void write_list(const work_t *work) {
    const char *path = work->list;
    FILE *file = fopen(path, "w");
    if (!file) fail("cannot write", path);
    int good = 0;
    for (int i = 0; i < work->njobs; i++) {
        const bool made = !access(work->jobs[i].path, R_OK);
        good += made;
        fprintf(file, "%s\n", made ? work->jobs[i].path : "-");
    }
    if (fclose(file)) fail("cannot write", path);
    if (work->njobs && !good) fail("ocloc compiles nothing", work->ocloc);
}

int main(int argc, char **argv) {
    if (argc != 6) fail("usage: compile_native JOBS OCLOC VERSION FOLDER LIST", "");
    work_t work = {.ocloc = argv[2],
            .version = argv[3],
            .folder = argv[4],
            .list = argv[5],
            .jobs = or_fail(calloc(MOST_JOBS, sizeof *work.jobs))};
    read_jobs(&work, argv[1]);
    for (int i = 0; i < work.njobs; i++) prepare(&work, &work.jobs[i]);
    const int left = drop_done(&work);
    fprintf(stderr, "compile_native: %d of %d modules to compile\n", left, work.njobs);
    compile_all(&work, left);
    write_list(&work);
    return 0;
}
