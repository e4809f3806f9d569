/* SPDX-License-Identifier: Apache-2.0 */
/* An engine whose memory a counting allocator gives, and a partition of several steps to run on
 * it: a batch norm in bf16, whose primitive wants its other inputs in f32. */
#ifndef TESTS_GRAPH_COUNTED_H
#define TESTS_GRAPH_COUNTED_H

#include <stdatomic.h>

#include "dnnl_graph_ze.h"
#include "dnnl_ze.h"
#include "tests/graph/harness.h"

#define assert_ze(call) assert_int_equal(call, ZE_RESULT_SUCCESS)
#define FOREVER UINT64_MAX

extern struct counts {
    atomic_int live, given, with_event;
    atomic_int early;      /* memory given back with an event that the device had not reached */
    atomic_int fail_after; /* calls that succeed before one fails; negative: none fails */
    atomic_size_t size;    /* of the last allocation */
} counts;

/* For the group of tests: the harness's engine has the counting allocator. */
int begin_counted(void **state);
int end_counted(void **state); /* everything was given back */
dnnl_graph_allocator_t counting_allocator(void);
ze_context_handle_t context_of(dnnl_engine_t of);
ze_device_handle_t device_of(dnnl_engine_t of);

enum { NORM_INPUTS = 5, PIXELS = 6 };

typedef struct {
    int64_t channels;
    dnnl_graph_partition_t part;
    dnnl_graph_compiled_partition_t cp;
    lt_t lts[NORM_INPUTS + 1];
    void *data[NORM_INPUTS + 1]; /* host and device can access it */
    dnnl_graph_tensor_t tensors[NORM_INPUTS + 1];
    dnnl_graph_tensor_t scratch; /* of the program, if there is one */
} norm_t;

/* Inputs but the first have the property. */
norm_t norm_make(int64_t channels, dnnl_graph_tensor_property_t property);
void norm_compile(norm_t *norm);
void norm_add_scratch(norm_t *norm);
size_t norm_scratch(const norm_t *norm); /* bytes */
void norm_scale(norm_t *norm, float scale);
/* Gives the scale memory at another address. */
void norm_move_scale(norm_t *norm);
dnnl_status_t norm_run(norm_t *norm, dnnl_stream_t on, int ndeps, const ze_event_handle_t *deps,
        ze_event_handle_t *event);
/* Clears the result, runs with the library's scratchpad or the program's, waits, and answers the
 * scale that the result has. */
float norm_result(norm_t *norm, dnnl_stream_t on);
float norm_read(norm_t *norm); /* the scale that the result has */
void norm_clear(norm_t *norm);
void norm_end(norm_t *norm);

#endif
