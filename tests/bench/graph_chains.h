/* SPDX-License-Identifier: Apache-2.0 */
/* Graphs that a library divides into partitions, compiles and executes. The header is for two
 * versions of the library, so it has no type of theirs. */
#ifndef TESTS_BENCH_GRAPH_CHAINS_H
#define TESTS_BENCH_GRAPH_CHAINS_H

#include <stddef.h>
#include <stdint.h>

struct dnnl_engine;
struct dnnl_stream;

/* Where a library executes graphs. It has to live as long as the chains. */
typedef struct {
    int is_cpu; /* the kind of the engine: else it is a GPU */
    struct dnnl_engine *engine;
    struct dnnl_stream *stream;
    void (*copy)(void *to, const void *from, size_t size); /* between host and tensors; waits */
} chains_device_t;

typedef struct {
    size_t operations, partitions;
    double compile; /* seconds for all partitions */
} chain_facts_t;

typedef struct {
    /* Describes and compiles the graph of this name. fused: partitions of several operations. */
    void *(*make)(const chains_device_t *device, const char *name, int64_t size, int fused);
    void (*prepare)(void *chain); /* makes its tensors, with the same values in each library */
    void (*run)(void *chain);     /* executes it and waits */
    chain_facts_t (*facts)(const void *chain);
    /* The elements of the last operation's result; the caller frees them. */
    float *(*result)(const void *chain, size_t *count);
    void (*destroy)(void *chain);
} chains_t;

const chains_t *chains_library(void);

/* What the module of oneDNN's CPU library exports: its functions, and the device that it opened. */
typedef struct {
    const chains_t *chains;
    chains_device_t device;
    char version[32];
} chains_rival_t;

#endif
