/* SPDX-License-Identifier: Apache-2.0 */
/* What the benchmarks share. */
#include "bench.h"

#include <dlfcn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

void bench_check(int result, const char *call) {
    if (result == 0) return;
    fprintf(stderr, "%s answers %d\n", call, result);
    exit(1);
}

static bool find_device(bench_t *b) {
    ze_driver_handle_t drivers[8];
    uint32_t ndrivers = 8;
    if (zeInit(0) != ZE_RESULT_SUCCESS || zeDriverGet(&ndrivers, drivers) != ZE_RESULT_SUCCESS)
        return false;
    for (uint32_t i = 0; i < ndrivers; i++) {
        uint32_t ndevices = 1;
        if (zeDeviceGet(drivers[i], &ndevices, &b->device) != ZE_RESULT_SUCCESS || !ndevices)
            continue;
        b->driver = drivers[i];
        return true;
    }
    return false;
}

void bench_open(bench_t *b) {
    memset(b, 0, sizeof(*b));
    if (!find_device(b)) {
        fprintf(stderr, "no Level Zero device\n");
        exit(77);
    }
    ze_device_properties_t properties = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    CHECK(zeDeviceGetProperties(b->device, &properties));
    snprintf(b->name, sizeof(b->name), "%s", properties.name);
    const ze_context_desc_t context_desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    CHECK(zeContextCreate(b->driver, &context_desc, &b->context));
    const ze_command_queue_desc_t queue_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
            .flags = 1 << 1, /* in order; loader 1.8 has no name for it */
            .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    CHECK(zeCommandListCreateImmediate(b->context, b->device, &queue_desc, &b->list));
    CHECK(dnnl_ze_interop_engine_create(&b->engine, b->driver, b->device, b->context));
    CHECK(dnnl_ze_interop_stream_create(&b->stream, b->engine, b->list, 0));
}

void bench_close(bench_t *b) {
    CHECK(dnnl_stream_destroy(b->stream));
    CHECK(dnnl_engine_destroy(b->engine));
    CHECK(zeCommandListDestroy(b->list));
    CHECK(zeContextDestroy(b->context));
}

void *bench_alloc(bench_t *b, size_t size) {
    const ze_device_mem_alloc_desc_t device_desc = {
            .stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_host_mem_alloc_desc_t host_desc = {.stype = ZE_STRUCTURE_TYPE_HOST_MEM_ALLOC_DESC};
    void *ptr;
    CHECK(zeMemAllocShared(b->context, &device_desc, &host_desc, size, 4096, b->device, &ptr));
    return ptr;
}

void bench_free(bench_t *b, void *ptr) {
    CHECK(zeMemFree(b->context, ptr));
}

dnnl_memory_t bench_memory(bench_t *b, const_dnnl_memory_desc_t md, void *ptr) {
    dnnl_memory_t memory;
    CHECK(dnnl_ze_interop_memory_create(&memory, md, b->engine, 1, &ptr));
    return memory;
}

double bench_now(void) {
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + 1e-9 * (double)t.tv_nsec;
}

void bench_wait(bench_t *b) {
    CHECK(dnnl_stream_wait(b->stream));
}

/* Threads of the candidate before look for work for a while (libgomp's for some 10 ms, more on
 * virtual machines): waits until they sleep. */
static void rest(void) {
    enum { LOOK_US = 5000, MOST_LOOKS = 100 };
    for (int i = 0; i < MOST_LOOKS; i++) {
        struct timespec before, after;
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &before);
        usleep(LOOK_US);
        clock_gettime(CLOCK_PROCESS_CPUTIME_ID, &after);
        if ((after.tv_sec - before.tv_sec) * 1000000000 + (after.tv_nsec - before.tv_nsec) <
                LOOK_US * 100)
            return;
    }
}

void bench_race(candidate_t *candidates, int n, int rounds, double seconds) {
    for (int i = 0; i < n; i++) {
        candidates[i].run(candidates[i].arg); /* compiles, touches pages */
        candidates[i].best = 1e30;
    }
    const double start = bench_now();
    for (int round = 0; round < rounds && (round < 3 || bench_now() - start < seconds); round++)
        for (int i = 0; i < n; i++) {
            rest(); /* the first of a few runs wakes this one's threads */
            const double until = bench_now() + 0.01;
            for (int repeat = 0; repeat < 3 || bench_now() < until; repeat++) {
                const double t = bench_now();
                candidates[i].run(candidates[i].arg);
                const double took = bench_now() - t;
                if (took < candidates[i].best) candidates[i].best = took;
            }
        }
}

void bench_ratio(const char *what, double ratio, double goal) {
    printf("  %-44s %6.3f", what, ratio);
    if (goal > 0) printf("   (goal %.2f: %s)", goal, ratio >= goal ? "met" : "missed");
    printf("\n");
    fflush(stdout);
}

const void *bench_rival(void) {
#ifdef ONEDNN_MODULE
    void *module = dlopen(ONEDNN_MODULE, RTLD_NOW | RTLD_LOCAL | RTLD_DEEPBIND);
    const void *(*calls)(void) = NULL;
    if (module) *(void **)&calls = dlsym(module, "bench_rival_calls");
    if (calls) return calls();
    printf("oneDNN's CPU library is not there: %s\n", dlerror());
#else
    printf("built without oneDNN's CPU library (Debian: libdnnl-dev) or with sanitizers: no "
           "comparison\n");
#endif
    return NULL;
}
