/* SPDX-License-Identifier: Apache-2.0 */
/* Reads the properties of the CPU from /proc, /sys and cpuid, or those of a GPU from OpenCL. */
#define _GNU_SOURCE
#include "host.h"
#include "ocl.h"
#include "say.h"

#include <errno.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/utsname.h>
#include <unistd.h>

static host_t host;
static bool out_of_files; /* a file could not be opened for want of descriptors or memory */

static FILE *open_file(const char *path) {
    FILE *f = fopen(path, "re");
    if (!f && (errno == EMFILE || errno == ENFILE || errno == ENOMEM)) out_of_files = true;
    return f;
}

/* Reads the value of a line "key : value" of /proc/cpuinfo. */
static bool cpuinfo_field(const char *line, const char *key, char *out, size_t size) {
    if (strncmp(line, key, strlen(key)) != 0) return false;
    const char *colon = strchr(line, ':');
    if (!colon) return false;
    colon += strspn(colon, ": \t");
    snprintf(out, size, "%.*s", (int)strcspn(colon, "\n"), colon);
    return true;
}

static void read_cpuinfo(void) {
    FILE *f = open_file("/proc/cpuinfo");
    if (!f) return;
    char line[4096], text[256], vendor[64] = "";
    unsigned family = 0, model = 0, siblings = 0, cores = 0;
    while (fgets(line, sizeof line, f) && line[0] != '\n') {
        if (cpuinfo_field(line, "vendor_id", vendor, sizeof vendor)) continue;
        if (cpuinfo_field(line, "model name", host.name, sizeof host.name)) continue;
        if (cpuinfo_field(line, "cpu family", text, sizeof text)) family = (unsigned)atoi(text);
        else if (cpuinfo_field(line, "model\t", text, sizeof text)) model = (unsigned)atoi(text);
        else if (cpuinfo_field(line, "cpu MHz", text, sizeof text))
            host.clock_mhz = (uint32_t)atof(text);
        else if (cpuinfo_field(line, "siblings", text, sizeof text))
            siblings = (unsigned)atoi(text);
        else if (cpuinfo_field(line, "cpu cores", text, sizeof text)) cores = (unsigned)atoi(text);
    }
    fclose(f);
    static const struct {
        const char *name;
        uint32_t id;
    } vendors[] = {{"GenuineIntel", 0x8086}, {"AuthenticAMD", 0x1022}, {"HygonGenuine", 0x1d94}};
    for (size_t i = 0; i < COUNT_OF(vendors); i++)
        if (strcmp(vendor, vendors[i].name) == 0) host.vendor_id = vendors[i].id;
    host.device_id = family << 8 | model;
    host.threads_per_core = cores && siblings > cores ? siblings / cores : 1;
}

static uint32_t widest_vectors(void) {
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512f")) return 16;
    if (__builtin_cpu_supports("avx")) return 8;
#endif
    return 4;
}

static void read_caches(void) {
    static const int levels[] = {_SC_LEVEL1_DCACHE_SIZE, _SC_LEVEL2_CACHE_SIZE,
            _SC_LEVEL3_CACHE_SIZE, _SC_LEVEL4_CACHE_SIZE};
    for (size_t i = 0; i < COUNT_OF(levels); i++) {
        long size = sysconf(levels[i]);
        if (size > 0) host.caches[host.n_caches++] = (size_t)size;
    }
}

/* A container may have less memory than the machine. */
static uint64_t memory_limit(void) {
    uint64_t memory = (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGE_SIZE);
    FILE *f = open_file("/sys/fs/cgroup/memory.max");
    unsigned long long limit;
    if (f && fscanf(f, "%llu", &limit) == 1 && limit < memory) memory = limit;
    if (f) fclose(f);
    const long chosen = env_long("ZE_CPU_MEMORY", 0); /* MiB; for tests that fill the device */
    if (chosen > 0 && (uint64_t)chosen < memory >> 20) memory = (uint64_t)chosen << 20;
    return memory;
}

uint32_t host_threads(void) {
    cpu_set_t set;
    return sched_getaffinity(0, sizeof set, &set) == 0 ? (uint32_t)CPU_COUNT(&set) : 1;
}

static void read_host(void) {
    read_cpuinfo();
    if (!host.name[0]) {
        struct utsname u;
        if (uname(&u) == 0) snprintf(host.name, sizeof host.name, "%s CPU", u.machine);
    }
    FILE *f = open_file("/sys/devices/system/cpu/cpu0/cpufreq/cpuinfo_max_freq");
    unsigned khz;
    if (f && fscanf(f, "%u", &khz) == 1) host.clock_mhz = khz / 1000;
    if (f) fclose(f);
    const uint32_t threads = host_threads();
    if (threads % (host.threads_per_core ? host.threads_per_core : 1) != 0 ||
            !host.threads_per_core)
        host.threads_per_core = 1;
    host.cores = threads / host.threads_per_core;
    host.simd_width = widest_vectors();
    /* For tests: behaves like a CPU with narrower registers. */
    long chosen = env_long("ZE_CPU_SIMD_WIDTH", 0);
    if ((chosen == 4 || chosen == 8) && (uint32_t)chosen < host.simd_width)
        host.simd_width = (uint32_t)chosen;
    host.memory = host.max_allocation = memory_limit();
    read_caches();
}

static host_t gpu; /* constant once its threads_per_core is set */

/* The unit holds a work-group of the largest size at a time, as far as OpenCL tells. */
static ze_result_t get_gpu(const host_t **out) {
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    const ocl_t *ocl;
    TRY(ocl_open(&ocl));
    pthread_mutex_lock(&lock);
    if (!gpu.threads_per_core) {
        const uint32_t width = ocl->simd_width ? ocl->simd_width : 1;
        snprintf(gpu.name, sizeof gpu.name, "%s", ocl->name);
        gpu.vendor_id = ocl->vendor_id;
        gpu.clock_mhz = ocl->clock_mhz;
        gpu.cores = ocl->units;
        gpu.simd_width = width;
        gpu.memory = ocl->total_memory;
        gpu.max_allocation = ocl->max_allocation;
        gpu.n_caches = 1;
        gpu.caches[0] = ocl->cache;
        gpu.threads_per_core = ocl->max_group_size > width ? ocl->max_group_size / width : 1;
    }
    pthread_mutex_unlock(&lock);
    *out = &gpu;
    return ZE_RESULT_SUCCESS;
}

ze_result_t host_get(const host_t **out) {
    if (ocl_wants_gpu()) return get_gpu(out);
    static pthread_mutex_t lock = PTHREAD_MUTEX_INITIALIZER;
    static _Atomic bool complete;
    if (!atomic_load_explicit(&complete, memory_order_acquire)) {
        pthread_mutex_lock(&lock);
        if (!complete) {
            host = (host_t){0};
            out_of_files = false;
            read_host();
            atomic_store(&complete, !out_of_files);
        }
        pthread_mutex_unlock(&lock);
    }
    *out = &host;
    if (complete) return ZE_RESULT_SUCCESS;
    say("the properties of the CPU cannot be read: no file can be opened");
    return ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
}
