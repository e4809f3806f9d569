/* SPDX-License-Identifier: Apache-2.0 */
/* Finds work-group functions among the libraries that PoCL loads, and calls them on the driver's
 * threads.
 *
 * PoCL compiles a kernel for each group size into a library of its own. The path of the library
 * ends with the kernel's name, the group size, and what else the function was specialised for. The
 * library that a launch adds to the process is the one of the launch. */
#define _GNU_SOURCE
#include "direct.h"
#include "memory.h"
#include "order.h"
#include "say.h"
#include "strict.h"
#include "team.h"

#include <dlfcn.h>
#include <link.h>
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum {
    /* PoCL specialises functions for grids with fewer work-items than this in each dimension. */
    SMALL_GRID = 65535,
    MAX_ARGUMENTS = 64,
    MAX_LARGE_BYTES = 2048, /* of all arguments that are longer than 8 bytes */
    LARGE_ALIGNMENT = 128,  /* of the longest vector */
    BRIEF_NS = 5000, /* one thread does that, and it may be the one that appends the launch */
    /* Work that pays for one more thread, and for one that has to be woken. */
    SHARE_NS = 3000,
    WAKE_NS = 12000,
    STACK_BYTES = 1024 * 1024 /* for the private memory of a work-group */
};

/* What a work-group function reads, in the order of PoCL 3.1 and 6.0. */
typedef struct {
    size_t n_groups[3], offset[3], group_size[3];
    void *printed;
    uint32_t *n_printed;
    uint32_t max_printed, dimensions; /* `dimensions` stands elsewhere in PoCL 6.0 */
} context_v3_t;

typedef struct {
    size_t n_groups[3], offset[3], group_size[3];
    void *printed;
    uint32_t *n_printed;
    uint32_t max_printed;
    void *variables;
    uint32_t dimensions;
} context_v6_t;

typedef void work_group_t(void **arguments, void *context, size_t x, size_t y, size_t z);

struct direct {
    direct_t *next;
    uint32_t group_size[3];
    bool is_small;
    int version; /* of PoCL: 3 or 6 */
    void *library;
    work_group_t *run;     /* NULL: not found */
    _Atomic uint64_t cost; /* ns of 1024 work-groups on one thread, at least 1; 0: not known yet */
    _Atomic uint64_t values; /* hash of what decides the cost of the latest launch; 0: none yet */
};

/* Where PoCL keeps the libraries of a program. */
typedef struct folder {
    struct folder *next;
    code_id_t code;
    char path[];
} folder_t;

static struct {
    pthread_once_t once;
    bool is_off;          /* ZE_CPU_DIRECT=0 */
    bool talks;           /* ZE_CPU_VERBOSE */
    pthread_mutex_t lock; /* guards: */
    direct_watch_t *watches;
    folder_t *folders;
} state = {.once = PTHREAD_ONCE_INIT, .lock = PTHREAD_MUTEX_INITIALIZER};

static void read_settings(void) {
    state.is_off = env_long("ZE_CPU_DIRECT", 1) <= 0;
    state.talks = env_long("ZE_CPU_VERBOSE", 0) > 0;
}

/* Writes which way a kernel goes. */
static void tell(const char *kernel, const char *way) {
    char line[512];
    if (!state.talks) return;
    const int n = snprintf(line, sizeof line, "ze_cpu: kernel \"%s\" %s\n", kernel, way);
    if (n > 0 && write(STDERR_FILENO, line, strnlen(line, sizeof line)) < 0) return;
}

/* 3 or 6: the version of PoCL, if its work-group functions are known. */
static int known_version(const ocl_t *ocl) {
#if defined(__x86_64__)
    const char *version = strstr(ocl->version, "PoCL ");
    if (!ocl->is_pocl || ocl->is_gpu || ocl->memory != MEMORY_OF_PROCESS || !version) return 0;
    if (strncmp(version, "PoCL 3.1", 8) == 0 && !strncmp(ocl->name, "pthread-", 8)) return 3;
    if (strncmp(version, "PoCL 6.0", 8) == 0 && !strncmp(ocl->name, "cpu-", 4)) return 6;
#else
    (void)ocl;
#endif
    return 0;
}

/* Whether all that the kernel's function needs is known. Variables in local memory are further
 * arguments whose order is not. */
static bool is_known(const kernel_exec_t *kernel) {
    const program_t *program = kernel->program;
    if (!program->is_plain || program->info.needs_more) return false;
    if (program->info.local_memory || kernel->info->n_args > MAX_ARGUMENTS) return false;
    size_t large = 0;
    for (uint32_t i = 0; i < kernel->info->n_args; i++) {
        const arg_info_t *arg = &kernel->info->args[i];
        if (arg->kind != ARG_VALUE && arg->kind != ARG_POINTER) return false;
        if (arg->size > 8)
            large += (arg->size + LARGE_ALIGNMENT - 1u) / LARGE_ALIGNMENT * LARGE_ALIGNMENT;
    }
    return large <= MAX_LARGE_BYTES;
}

/* Whether the launch is one that a function can run. */
static bool is_candidate(const cmd_t *cmd) {
    const vec3_t from = cmd->u.launch.offset;
    const ze_group_count_t *n = &cmd->u.launch.groups;
    pthread_once(&state.once, read_settings);
    if (state.is_off || strict_level || cmd->u.launch.indirect) return false;
    if (from.x || from.y || from.z) return false;
    return n->groupCountX && n->groupCountY && n->groupCountZ;
}

static bool is_small(const cmd_t *cmd) {
    const ze_group_count_t *n = &cmd->u.launch.groups;
    const vec3_t s = cmd->u.launch.group_size;
    return (uint64_t)n->groupCountX * s.x < SMALL_GRID &&
           (uint64_t)n->groupCountY * s.y < SMALL_GRID &&
           (uint64_t)n->groupCountZ * s.z < SMALL_GRID;
}

static direct_t *find(const cmd_t *cmd) {
    const vec3_t s = cmd->u.launch.group_size;
    const bool small = is_small(cmd);
    direct_t *direct = atomic_load_explicit(&cmd->u.launch.kernel->direct, memory_order_acquire);
    while (direct && (direct->group_size[0] != s.x || direct->group_size[1] != s.y ||
                             direct->group_size[2] != s.z || direct->is_small != small))
        direct = direct->next;
    return direct;
}

static uint64_t n_groups(const cmd_t *cmd) {
    const ze_group_count_t *n = &cmd->u.launch.groups;
    return (uint64_t)n->groupCountX * n->groupCountY * n->groupCountZ;
}

static uint64_t expected_ns(const direct_t *direct, const cmd_t *cmd) {
    const uint64_t cost = atomic_load_explicit(&direct->cost, memory_order_relaxed);
    uint64_t all;
    return __builtin_mul_overflow(cost, n_groups(cmd), &all) ? UINT64_MAX : all / 1024;
}

/* Adds what was found to the kernel, unless another thread has done so, and tells it. */
static void add(const cmd_t *cmd, void *library, work_group_t *run) {
    kernel_exec_t *kernel = cmd->u.launch.kernel;
    direct_t *direct = calloc(1, sizeof *direct);
    bool added = false;
    if (direct) {
        const vec3_t s = cmd->u.launch.group_size;
        *direct = (direct_t){.group_size = {s.x, s.y, s.z},
                .is_small = is_small(cmd),
                .version = known_version(ocl_get()),
                .library = library,
                .run = run};
        pthread_mutex_lock(&kernel->lock);
        if (!find(cmd)) {
            direct->next = atomic_load_explicit(&kernel->direct, memory_order_relaxed);
            atomic_store_explicit(&kernel->direct, direct, memory_order_release);
            direct = NULL;
            library = NULL;
            added = true;
        }
        pthread_mutex_unlock(&kernel->lock);
    }
    if (added)
        tell(cmd->u.launch.kernel->info->name,
                run ? "can run on the driver's threads" : "runs on PoCL's threads");
    free(direct);
    if (library) dlclose(library);
}

direct_advice_t direct_advise(const cmd_t *cmd, direct_t **out) {
    *out = NULL;
    if (!is_candidate(cmd)) return DIRECT_NEVER;
    direct_t *direct = find(cmd);
    if (!direct) {
        if (!known_version(ocl_get())) return DIRECT_NEVER;
        if (is_known(cmd->u.launch.kernel)) return DIRECT_FIND;
        add(cmd, NULL, NULL);
        return DIRECT_NEVER;
    }
    if (!direct->run) return DIRECT_NEVER;
    *out = direct;
    return DIRECT_RUN;
}

/* A hash of the number of groups and the arguments that are no pointers. */
static uint64_t values_of(const cmd_t *cmd) {
    const kernel_exec_t *kernel = cmd->u.launch.kernel;
    const ze_group_count_t *n = &cmd->u.launch.groups;
    uint64_t hash = hash_bytes(1, n, sizeof *n);
    for (uint32_t i = 0; i < kernel->info->n_args; i++)
        if (kernel->info->args[i].kind == ARG_VALUE)
            hash = hash_bytes(hash, cmd->bytes + kernel->offsets[i], kernel->info->args[i].size);
    return hash;
}

static bool has_stack(void) {
    static _Thread_local char *lowest;
    static _Thread_local size_t size;
    if (!size) {
        pthread_attr_t attributes;
        void *address = NULL;
        size = 1;
        if (pthread_getattr_np(pthread_self(), &attributes) == 0) {
            if (pthread_attr_getstack(&attributes, &address, &size) != 0) size = 1;
            pthread_attr_destroy(&attributes);
        }
        lowest = address;
    }
    /* A program may have switched to a stack of its own. */
    const uintptr_t here = (uintptr_t)__builtin_frame_address(0), from = (uintptr_t)lowest;
    return here > from && here - from < size && here - from > STACK_BYTES;
}

bool direct_is_brief(cmd_t *cmd) {
    if (!is_candidate(cmd) || cmd->u.launch.kernel->program->info.may_wait) return false;
    const direct_t *direct = find(cmd);
    if (!direct || !direct->run || !atomic_load_explicit(&direct->cost, memory_order_relaxed))
        return false;
    if (expected_ns(direct, cmd) > BRIEF_NS || !has_stack()) return false;
    cmd->u.launch.values = values_of(cmd);
    return atomic_load_explicit(&direct->values, memory_order_relaxed) == cmd->u.launch.values;
}

/* ---- finding the function ---- */

typedef struct {
    direct_watch_t *watch;
    bool is_after; /* looks for a library that was not there before */
    uint32_t n_new;
    char path[1024];
} search_t;

static int look_at(struct dl_phdr_info *info, size_t size, void *argument) {
    search_t *search = argument;
    direct_watch_t *watch = search->watch;
    const size_t length = strlen(info->dlpi_name), end = strlen(watch->suffix);
    (void)size;
    if (length < end || strcmp(info->dlpi_name + length - end, watch->suffix) != 0) return 0;
    if (!search->is_after) {
        if (watch->n == DIRECT_MAX_SAME) watch->spoilt = true;
        else watch->loaded[watch->n++] = info->dlpi_addr;
        return 0;
    }
    for (uint32_t i = 0; i < watch->n; i++)
        if (watch->loaded[i] == info->dlpi_addr) return 0;
    search->n_new++;
    if (length < sizeof search->path) memcpy(search->path, info->dlpi_name, length + 1);
    return 0;
}

void direct_watch(direct_watch_t *watch, const cmd_t *cmd) {
    const vec3_t s = cmd->u.launch.group_size;
    const char *name = cmd->u.launch.kernel->info->name;
    watch->n = 0;
    const int n = snprintf(watch->suffix, sizeof watch->suffix, "/%s/%u-%u-%u-goffs0%s/%s.so", name,
            s.x, s.y, s.z, is_small(cmd) ? "-smallgrid" : "", name);
    watch->spoilt = n < 0 || (size_t)n >= sizeof watch->suffix;
    pthread_mutex_lock(&state.lock);
    for (direct_watch_t *other = state.watches; other; other = other->next)
        if (strcmp(other->suffix, watch->suffix) == 0) other->spoilt = watch->spoilt = true;
    watch->next = state.watches;
    state.watches = watch;
    search_t search = {.watch = watch};
    dl_iterate_phdr(look_at, &search);
    pthread_mutex_unlock(&state.lock);
}

/* PoCL names the folder of a program's libraries by what it was compiled from. */
static const folder_t *find_folder(const code_id_t *code) {
    const folder_t *folder = state.folders;
    while (folder && memcmp(&folder->code, code, sizeof *code) != 0) folder = folder->next;
    return folder;
}

/* Keeps the first `length` characters of the path for the rest of the process. */
static void note_folder(const code_id_t *code, const char *path, size_t length) {
    folder_t *folder = find_folder(code) ? NULL : malloc(sizeof *folder + length + 1);
    if (!folder) return;
    folder->next = state.folders;
    folder->code = *code;
    memcpy(folder->path, path, length);
    folder->path[length] = 0;
    state.folders = folder;
}

/* The library may have been there before: another handle of the kernel, or a program of the same
 * code, had PoCL load it. */
static bool take_known(const direct_watch_t *watch, const cmd_t *cmd, search_t *search) {
    const code_id_t *code = &cmd->u.launch.kernel->program->code;
    if (search->n_new == 0) {
        const folder_t *folder = find_folder(code);
        if (!folder) return false;
        const int n =
                snprintf(search->path, sizeof search->path, "%s%s", folder->path, watch->suffix);
        return n > 0 && (size_t)n < sizeof search->path;
    }
    if (search->n_new > 1 || !search->path[0]) return false;
    note_folder(code, search->path, strlen(search->path) - strlen(watch->suffix));
    return true;
}

void direct_found(direct_watch_t *watch, const cmd_t *cmd) {
    search_t search = {.watch = watch, .is_after = true};
    const char *name = cmd->u.launch.kernel->info->name;
    pthread_mutex_lock(&state.lock);
    direct_watch_t **link = &state.watches;
    while (*link != watch) link = &(*link)->next;
    *link = watch->next;
    const bool spoilt = watch->spoilt;
    if (!spoilt) dl_iterate_phdr(look_at, &search);
    const bool is_there = !spoilt && take_known(watch, cmd, &search);
    pthread_mutex_unlock(&state.lock);
    if (spoilt) return; /* the next launch tries again */
    void *library = is_there ? dlopen(search.path, RTLD_NOW | RTLD_NOLOAD) : NULL;
    char symbol[300];
    snprintf(symbol, sizeof symbol, "_pocl_kernel_%s_workgroup", name);
    union {
        void *address;
        work_group_t *run;
    } found = {.address = library ? dlsym(library, symbol) : NULL};
    add(cmd, library, found.run);
}

void direct_free(direct_t *first) {
    while (first) {
        direct_t *next = first->next;
        if (first->library) dlclose(first->library);
        free(first);
        first = next;
    }
}

/* ---- what it costs ---- */

/* The cost of a launch, in the unit of `cost`. */
static uint64_t cost_of(const cmd_t *cmd, uint64_t ns) {
    const uint64_t n = n_groups(cmd), unit = ns > UINT64_MAX / 1024 ? UINT64_MAX - 1 : ns * 1024;
    return (n == 1 ? unit : unit / n) + 1; /* a division takes as long as a small kernel */
}

/* The cost rises by a factor of 4 at most, because a thread that was interrupted makes a kernel
 * seem long. It falls slowly, because a kernel may do more work in some launches. */
static void note_cost(direct_t *direct, const cmd_t *cmd, uint64_t ns) {
    const uint64_t now = cost_of(cmd, ns);
    const uint64_t old = atomic_load_explicit(&direct->cost, memory_order_relaxed);
    const uint64_t most = !old || old > UINT64_MAX / 4 ? UINT64_MAX : old * 4;
    const uint64_t next = now <= old ? old - (old - now) / 4 : now < most ? now : most;
    if (next != old) atomic_store_explicit(&direct->cost, next, memory_order_relaxed);
}

/* ---- running ---- */

typedef struct {
    void *arguments[MAX_ARGUMENTS + 1], *pointers[MAX_ARGUMENTS];
    uint8_t large[MAX_LARGE_BYTES + LARGE_ALIGNMENT - 1];
} block_t;

/* An argument is the address of its value. Values longer than 8 bytes may be vectors. They are
 * aligned by rounding up, as stack frames of AddressSanitizer ignore an _Alignas over 64 bytes. */
static void set_arguments(block_t *block, const cmd_t *cmd) {
    const kernel_exec_t *kernel = cmd->u.launch.kernel;
    uint8_t *large = block->large + -(uintptr_t)block->large % LARGE_ALIGNMENT;
    for (uint32_t i = 0; i < kernel->info->n_args; i++) {
        const arg_info_t *arg = &kernel->info->args[i];
        uint8_t *value = cmd->bytes + kernel->offsets[i];
        if (arg->kind == ARG_POINTER) {
            void *pointer;
            memcpy(&pointer, value, sizeof pointer);
            block->pointers[i] = memory_view(pointer);
            block->arguments[i] = &block->pointers[i];
        } else if (arg->size > 8) {
            memcpy(large, value, arg->size);
            block->arguments[i] = large;
            large += (arg->size + LARGE_ALIGNMENT - 1u) / LARGE_ALIGNMENT * LARGE_ALIGNMENT;
        } else {
            block->arguments[i] = value;
        }
    }
}

/* The floating-point mode that kernels expect. The thread may be the application's. */
static inline unsigned mode_of_kernels(void) {
#if defined(__x86_64__)
    const unsigned old = __builtin_ia32_stmxcsr();
    if (old != 0x1f80) __builtin_ia32_ldmxcsr(0x1f80);
    return old;
#else
    return 0;
#endif
}

static inline void set_mode(unsigned mode) {
#if defined(__x86_64__)
    __builtin_ia32_ldmxcsr(mode);
#else
    (void)mode;
#endif
}

/* A launch, as all threads that run its work-groups read it. */
typedef struct {
    work_group_t *run;
    void **arguments;
    union {
        context_v3_t v3;
        context_v6_t v6;
    } context;
    size_t n[3];
    _Atomic uint64_t ns; /* of all threads together */
} launch_t;

static void run_groups(void *argument, size_t from, size_t to) {
    launch_t *launch = argument;
    const size_t nx = launch->n[0], ny = launch->n[1];
    size_t x = 0, y = 0, z = 0;
    if (from) {
        x = from % nx;
        y = from / nx % ny;
        z = from / nx / ny;
    }
    const uint64_t start = clock_ns();
    const unsigned mode = mode_of_kernels();
    for (size_t i = from; i < to; i++) {
        if (i > from) mode_of_kernels(); /* the last one may have changed it */
        launch->run(launch->arguments, &launch->context, x, y, z);
        if (++x < nx) continue;
        x = 0;
        if (++y < ny) continue;
        y = 0;
        z++;
    }
    set_mode(mode);
    atomic_fetch_add_explicit(&launch->ns, clock_ns() - start, memory_order_relaxed);
}

/* How many threads a launch is worth: at most as many as PoCL would use. Groups that wait for each
 * other need all of them, however short they seem. */
static uint32_t n_threads(const direct_t *direct, const cmd_t *cmd, bool may_wait) {
    const uint32_t units = ocl_get()->units;
    const uint64_t ns = expected_ns(direct, cmd);
    if (!ns || may_wait) return units; /* 0: not known yet */
    if (ns < (team_is_awake() ? BRIEF_NS : WAKE_NS)) return 1;
    return ns / SHARE_NS + 1 < units ? (uint32_t)(ns / SHARE_NS + 1) : units;
}

void direct_run(direct_t *direct, const cmd_t *cmd) {
    block_t block;
    char printed[8];
    uint32_t n_printed = 0;
    set_arguments(&block, cmd);
    const ze_group_count_t *n = &cmd->u.launch.groups;
    const vec3_t s = cmd->u.launch.group_size;
    launch_t launch = {.run = direct->run,
            .arguments = block.arguments,
            .context.v3 = {.n_groups = {n->groupCountX, n->groupCountY, n->groupCountZ},
                    .group_size = {s.x, s.y, s.z},
                    .printed = printed,
                    .n_printed = &n_printed,
                    .max_printed = sizeof printed},
            .n = {n->groupCountX, n->groupCountY, n->groupCountZ}};
    if (direct->version == 3) launch.context.v3.dimensions = 3;
    else launch.context.v6.variables = NULL;
    if (direct->version == 6) launch.context.v6.dimensions = 3;
    /* Groups that wait may wait for those with lower numbers: all begin in order. */
    const bool may_wait = cmd->u.launch.kernel->program->info.may_wait;
    team_run(n_groups(cmd), n_threads(direct, cmd, may_wait), may_wait, run_groups, &launch);
    note_cost(direct, cmd, atomic_load_explicit(&launch.ns, memory_order_relaxed));
    const uint64_t values = cmd->u.launch.values ? cmd->u.launch.values : values_of(cmd);
    atomic_store_explicit(&direct->values, values, memory_order_relaxed);
}
