/* SPDX-License-Identifier: Apache-2.0 */
/* The verbose log. */
#include "core/verbose.h"

#include <pthread.h>
#include <regex.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "core/env.h"
#include "core/strings.h"
#include "oneapi/dnnl/dnnl_config.h"
#include "oneapi/dnnl/dnnl_version.h"
#include "oneapi/dnnl/dnnl_version_hash.h"

enum {
    LEVEL_1 = VERBOSE_ERROR | VERBOSE_WARN | VERBOSE_INFO | VERBOSE_EXEC,
    LEVEL_2 = LEVEL_1 | VERBOSE_CREATE,
    LEVEL_ALL = LEVEL_2 | VERBOSE_CHECK | VERBOSE_DISPATCH,
};
#define DEBUGINFO_MAX 0xffu

_Atomic unsigned verbose_settings = VERBOSE_UNSET;
static _Atomic unsigned debuginfo;
/* Bit n: lines of primitive kind n pass the filter. Bit 0: lines of no primitive kind. */
static _Atomic unsigned filter = ~0u;
static atomic_bool timestamps;
static atomic_bool header_written, graph_header_written;
static _Atomic(verbose_devices_fn) write_devices;
static pthread_mutex_t init_lock = PTHREAD_MUTEX_INITIALIZER;
/* The header's line about the filter; written with init_lock, before verbose_settings. */
static char filter_note[512];

static const char *const component_names[] = {"primitive", "reorder", "shuffle", "concat", "sum",
        "convolution", "deconvolution", "eltwise", "lrn", "batch_normalization", "inner_product",
        "rnn", "", "binary", "matmul", "resampling", "pooling", "reduction", "prelu", "softmax",
        "layer_normalization", "group_normalization"};
enum { COMPONENTS = sizeof(component_names) / sizeof(component_names[0]) };

double verbose_now_ms(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6;
}

/* The time of day, which lines show. */
static double wall_ms(double monotonic_ms) {
    struct timespec t;
    clock_gettime(CLOCK_REALTIME, &t);
    return (double)t.tv_sec * 1e3 + (double)t.tv_nsec * 1e-6 - (verbose_now_ms() - monotonic_ms);
}

/* Returns false if there is no memory to understand the pattern. */
static bool read_filter(const char *pattern) {
    regex_t regex;
    int error = regcomp(&regex, pattern, REG_EXTENDED | REG_NOSUB);
    char text[256] = "";
    unsigned hits = 0;
    if (error == REG_ESPACE) return false;
    if (error) {
        regerror(error, &regex, text, sizeof(text));
    } else {
        for (int i = 0; i < COMPONENTS; i++)
            if (component_names[i][0] && regexec(&regex, component_names[i], 0, NULL, 0) == 0) {
                snprintf(text + strlen(text), sizeof(text) - strlen(text), "%s%s", hits ? "," : "",
                        component_names[i]);
                hits |= 1u << i;
            }
        regfree(&regex);
        if (!hits) snprintf(text, sizeof(text), "component with name '%.200s' not found", pattern);
    }
    if (hits) {
        /* The component "primitive" stands for all kinds. */
        atomic_store(&filter, hits & 1 ? ~0u : hits);
        snprintf(filter_note, sizeof(filter_note),
                "common,info,filter format is enabled, hit components: %s", text);
    } else {
        snprintf(filter_note, sizeof(filter_note),
                "common,error,filter format is ill-formed and is not applied, error: %s", text);
    }
    return true;
}

static const struct {
    const char *word;
    unsigned set;
} words[] = {{"1", LEVEL_1}, {"2", LEVEL_2}, {"all", LEVEL_ALL}, {"-1", LEVEL_ALL},
        {"error", VERBOSE_ERROR}, {"warn", VERBOSE_WARN}, {"info", VERBOSE_INFO},
        {"check", VERBOSE_CHECK}, {"dispatch", VERBOSE_DISPATCH},
        {"profile", VERBOSE_CREATE | VERBOSE_EXEC}, {"profile_create", VERBOSE_CREATE},
        {"profile_exec", VERBOSE_EXEC}};

static unsigned read_word(const char *word, unsigned levels, bool *whole) {
    if (strcmp(word, "0") == 0 || strcmp(word, "none") == 0) return 0;
    for (size_t i = 0; i < sizeof(words) / sizeof(words[0]); i++)
        if (strcmp(word, words[i].word) == 0) levels |= words[i].set;
    if (strcmp(word, "all") == 0 || strcmp(word, "-1") == 0)
        atomic_store(&debuginfo, DEBUGINFO_MAX);
    if (strncmp(word, "debuginfo=", 10) == 0) {
        long n = strtol(word + 10, NULL, 10);
        if (n >= 0) atomic_store(&debuginfo, n < (long)DEBUGINFO_MAX ? (unsigned)n : DEBUGINFO_MAX);
    }
    if (strncmp(word, "filter=", 7) == 0 && word[7] && !read_filter(word + 7)) *whole = false;
    return levels;
}

/* *whole: there was memory to read all of it. */
static unsigned read_environment(bool *whole) {
    unsigned levels = VERBOSE_ERROR;
    const char *p = env_string("VERBOSE");
    if (!p && isatty(STDOUT_FILENO)) levels |= VERBOSE_INFO;
    while (p && *p) {
        size_t len = strcspn(p, ",");
        char word[256];
        if (len < sizeof(word)) {
            memcpy(word, p, len);
            word[len] = '\0';
            levels = read_word(word, levels, whole);
        }
        p += len;
        if (*p) p++;
    }
    atomic_store(&timestamps, env_int("VERBOSE_TIMESTAMP", 0) != 0);
    return levels;
}

static unsigned levels_now(void) {
    unsigned now = atomic_load_explicit(&verbose_settings, memory_order_acquire);
    if (__builtin_expect(now != VERBOSE_UNSET, 1)) return now;
    pthread_mutex_lock(&init_lock);
    now = atomic_load(&verbose_settings);
    if (now == VERBOSE_UNSET) {
        const locale_t before = text_locale_c(); /* for the filter's expression */
        bool whole = true;
        now = read_environment(&whole);
        text_locale_restore(before);
        if (whole) atomic_store_explicit(&verbose_settings, now, memory_order_release);
    }
    pthread_mutex_unlock(&init_lock);
    return now;
}

void verbose_set_devices(verbose_devices_fn devices) {
    atomic_store(&write_devices, devices);
}

bool verbose_on(unsigned level) {
    return (levels_now() & level) != 0;
}

bool verbose_on_kind(unsigned level, dnnl_primitive_kind_t kind) {
    if (__builtin_expect(!(levels_now() & level), 1)) return false;
    unsigned passes = atomic_load_explicit(&filter, memory_order_relaxed);
    return (unsigned)kind >= COMPONENTS || (passes >> kind & 1);
}

int verbose_debuginfo(void) {
    levels_now();
    return (int)atomic_load(&debuginfo);
}

dnnl_status_t verbose_set_level(int level) {
    static const unsigned levels[] = {0, LEVEL_1, LEVEL_2};
    if (level < 0 || level > 2) return dnnl_invalid_arguments;
    levels_now(); /* reads the environment first: its filter and time stamps stay in force */
    atomic_store(&debuginfo, (unsigned)level);
    const unsigned kept = atomic_load(&verbose_settings) & VERBOSE_NO_DEVICE;
    atomic_store_explicit(&verbose_settings, levels[level] | kept, memory_order_release);
    return dnnl_success;
}

void verbose_set_no_device(void) {
    atomic_fetch_or(&verbose_settings, VERBOSE_NO_DEVICE);
}

void verbose_reset(void) {
    pthread_mutex_lock(&init_lock);
    atomic_store(&debuginfo, 0);
    atomic_store(&filter, ~0u);
    atomic_store(&timestamps, false);
    atomic_store(&header_written, false);
    atomic_store(&graph_header_written, false);
    filter_note[0] = '\0';
    atomic_store(&verbose_settings, VERBOSE_UNSET);
    pthread_mutex_unlock(&init_lock);
}

/* A line that is longer than the buffer is cut. Nothing here allocates memory, since the line may
 * be about a lack of memory. */
typedef struct {
    size_t len;
    char text[8192];
} line_t;

static void add_v(line_t *line, const char *fmt, va_list args) {
    size_t room = sizeof(line->text) - 1 - line->len; /* one for the newline */
    int n = text_format(line->text + line->len, room, fmt, args);
    if (n > 0) line->len += (size_t)n < room ? (size_t)n : room - 1;
}

__attribute__((format(printf, 2, 3))) static void add(line_t *line, const char *fmt, ...) {
    va_list args;
    va_start(args, fmt);
    add_v(line, fmt, args);
    va_end(args);
}

static void begin(line_t *line) {
    line->len = 0;
    add(line, "onednn_verbose,v1,");
}

static void put(line_t *line) {
    line->text[line->len++] = '\n';
    fwrite(line->text, 1, line->len, stdout);
    fflush(stdout);
}

static void header(void) {
    levels_now(); /* reads the environment, if nobody has asked for a level yet */
    if (atomic_load_explicit(&header_written, memory_order_relaxed) ||
            atomic_exchange(&header_written, true))
        return;
    verbose_line("info,oneDNN v%d.%d.%d (commit %s)", DNNL_VERSION_MAJOR, DNNL_VERSION_MINOR,
            DNNL_VERSION_PATCH, DNNL_VERSION_HASH);
    verbose_line("info,gpu,runtime:Level Zero");
    const verbose_devices_fn devices = atomic_load(&write_devices);
    if (devices) devices();
    verbose_line("primitive,info,template:%soperation,engine,primitive,implementation,"
                 "prop_kind,memory_descriptors,attributes,auxiliary,problem_desc,exec_time",
            atomic_load(&timestamps) ? "timestamp," : "");
    if (filter_note[0]) verbose_line("%s", filter_note);
}

void verbose_line(const char *fmt, ...) {
    header();
    line_t line;
    begin(&line);
    va_list args;
    va_start(args, fmt);
    add_v(&line, fmt, args);
    va_end(args);
    put(&line);
}

static void begin_of(line_t *line, double now_ms, const char *component, const char *operation) {
    header();
    begin(line);
    if (atomic_load_explicit(&timestamps, memory_order_relaxed)) add(line, "%f,", wall_ms(now_ms));
    add(line, "%s,%s,", component, operation);
}

static void begin_primitive(line_t *line, double now_ms, const char *operation) {
    begin_of(line, now_ms, "primitive", operation);
}

/* The path from "src/" on: the log does not show where the library was built. */
static const char *source_name(const char *path) {
    const char *name = path;
    for (const char *p = path; (p = strstr(p, "src/")); p++) name = p;
    return name;
}

static dnnl_primitive_kind_t component_kind(const char *component) {
    for (int i = 1; i < COMPONENTS; i++)
        if (strcmp(component, component_names[i]) == 0) return (dnnl_primitive_kind_t)i;
    return dnnl_undefined_primitive;
}

dnnl_status_t verbose_sentence(dnnl_status_t status, unsigned level, const char *operation,
        const char *component, const char *file, int line_number, const char *fmt, ...) {
    if (!verbose_on(level)) return status;
    /* The filter does not apply to errors, nor to lines of no primitive kind. */
    dnnl_primitive_kind_t kind = component_kind(component);
    if (!(level & (VERBOSE_ERROR | VERBOSE_WARN | VERBOSE_INFO)) && kind &&
            !verbose_on_kind(level, kind))
        return status;
    line_t line;
    begin_primitive(&line, verbose_now_ms(), operation);
    add(&line, "%s,", component);
    va_list args;
    va_start(args, fmt);
    add_v(&line, fmt, args);
    va_end(args);
    add(&line, ",%s:%d", source_name(file), line_number);
    put(&line);
    return status;
}

void verbose_profile(const char *operation, int engine_index, const char *info, double start_ms,
        double duration_ms) {
    line_t line;
    begin_primitive(&line, start_ms, operation);
    add(&line, engine_index < 0 ? "gpu," : "gpu:%d,", engine_index);
    add(&line, "%s,%g", info, duration_ms);
    put(&line);
}

void verbose_graph(const char *operation, const char *info, double start_ms, double duration_ms) {
    line_t line;
    if (!atomic_exchange(&graph_header_written, true)) {
        verbose_line("info,graph,backend,0:dnnl_backend");
        verbose_line("graph,info,template:%soperation,engine,partition_id,partition_kind,op_names,"
                     "data_formats,logical_tensors,fpmath_mode,implementation,backend,exec_time",
                atomic_load(&timestamps) ? "timestamp," : "");
    }
    begin_of(&line, start_ms, "graph", operation);
    add(&line, "%s,%g", info, duration_ms);
    put(&line);
}
