/* SPDX-License-Identifier: Apache-2.0 */
/* One operation at a time: its graph, partition and execution, with data in double precision. */
#ifndef TESTS_GRAPH_HARNESS_H
#define TESTS_GRAPH_HARNESS_H

#include <math.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <cmocka.h>

#include "dnnl.h"
#include "dnnl_graph.h"

#define assert_status(call, expected) assert_int_equal(call, dnnl_##expected)
#define assert_ok(call) assert_status(call, success)
#define ATTR(name) dnnl_graph_op_attr_##name
#define KIND(name) dnnl_graph_op_##name
#define DIMS(...) (const int64_t[]){__VA_ARGS__}, (int)(sizeof((int64_t[]){__VA_ARGS__}) / 8)
enum { MOST = 4096, MOST_PORTS = 8, FIRST_OUT = 100 };

typedef dnnl_graph_logical_tensor_t lt_t;

extern dnnl_engine_t engine;
extern dnnl_stream_t stream;

/* The operation under test. x: values of inputs, which the type of the input can hold; y: of
 * outputs. */
extern struct one {
    dnnl_graph_op_t op;
    int nin, nout;
    lt_t in[MOST_PORTS], out[MOST_PORTS];
    double x[MOST_PORTS][MOST], y[MOST_PORTS][MOST];
    int64_t scratch;                /* bytes of the scratchpad of the last run */
    size_t npairs;                  /* of the last run: outputs in place of an input */
    dnnl_graph_inplace_pair_t pair; /* the first one */
} one;

void begin(dnnl_graph_op_kind_t kind);
void input(dnnl_data_type_t dt, const int64_t *dims, int ndims);
void output(dnnl_data_type_t dt); /* of dims that are inferred */
void output_of(dnnl_data_type_t dt, const int64_t *dims, int ndims);
void set_ints(dnnl_graph_op_attr_t name, const int64_t *values, int count);
void set_int(dnnl_graph_op_attr_t name, int64_t value);
void set_float(dnnl_graph_op_attr_t name, float value);
void set_flag(dnnl_graph_op_attr_t name, bool value);
void set_text(dnnl_graph_op_attr_t name, const char *value);
/* Random values for input i. */
void fill(int i, double least, double largest);
/* Computes the outputs, and checks that their inferred dims are the ones expected. Computes them
 * again in place where the library says so: with the same bits. */
void run(void);
void assert_dims(int i, const int64_t *dims, int ndims); /* of output i */
/* `is` is `should` but for the rounding of the type of output i. */
void assert_close(int i, double is, double should);

int begin_tests(void **state);
int end_tests(void **state);

#endif
