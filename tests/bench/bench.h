/* SPDX-License-Identifier: Apache-2.0 */
/* What the benchmarks share: a device as an application owns it, memory, and times. */
#ifndef TESTS_BENCH_H
#define TESTS_BENCH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "oneapi/dnnl/dnnl_ze.h"

/* An engine and a stream on an in-order immediate command list of the program's own; ends the
 * program with 77 where there is no device. */
typedef struct {
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
    ze_command_list_handle_t list;
    dnnl_engine_t engine;
    dnnl_stream_t stream;
    char name[ZE_MAX_DEVICE_NAME];
} bench_t;
void bench_open(bench_t *b);
void bench_close(bench_t *b);

/* Shared USM, page-aligned. */
void *bench_alloc(bench_t *b, size_t size);
void bench_free(bench_t *b, void *ptr);
dnnl_memory_t bench_memory(bench_t *b, const_dnnl_memory_desc_t md, void *ptr);

double bench_now(void); /* seconds */
void bench_wait(bench_t *b);

/* Ends the program with a message if the call does not answer 0. */
void bench_check(int result, const char *call);
#define CHECK(call) bench_check((int)(call), #call)

/* The quickest of some runs: other work on the machine only ever slows one down. Candidates are
 * run in turn, so that a ratio compares what ran under the same conditions. */
typedef struct {
    const char *name;
    void (*run)(void *arg);
    void *arg;
    double best; /* seconds */
} candidate_t;
void bench_race(candidate_t *candidates, int n, int rounds, double seconds);

/* oneDNN's CPU library, to compare with (a library_t), or NULL with a line that says why. It has
 * the same symbols as this project's, so a small module is linked with it and loaded with
 * RTLD_LOCAL and RTLD_DEEPBIND: the module's calls find oneDNN, everyone else's do not. */
const void *bench_rival(void);

/* "name: value unit, 0.97 of other (goal 0.9: met)". goal 0: none. The ratio is better when it
 * is higher. */
void bench_ratio(const char *what, double ratio, double goal);

#endif
