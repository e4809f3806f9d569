/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one primitive through the public interface and compares what it wrote, the padding and
 * the bytes around with a reference. Knows nothing of a test framework: answers say what is
 * wrong. */
#ifndef TESTS_PROBLEM_CASE_H
#define TESTS_PROBLEM_CASE_H

#include "ref.h"

/* An engine and a stream on the first device; false: there is none. */
bool case_open_device(void);
void case_close_device(void);
extern dnnl_engine_t harness_engine;
const caps_t *harness_caps(void);

/* Values are a function of the seed and the order of calls. */
void harness_seed(uint64_t seed);
uint64_t harness_random(void);
double harness_uniform(double low, double high);

/* One primitive with its arguments in host memory, filled by role: values for sources, small
 * positive scales, and so on. */
typedef struct {
    dnnl_primitive_desc_t handle; /* owned */
    const pd_t *pd;
    md_t *md; /* by slot: pd's, with the dims of this run in place of run-time ones */
    uint8_t **data;
    uint8_t **before; /* what was in the arguments that are written */
    size_t *size;
    ref_index_t *index;      /* by slot */
    double low, high;        /* range of float sources; set before case_fill() */
    const char *group_sizes; /* "5:0:9"; NULL: drawn */
    bool shuffled;           /* the elements of sparse tensors are in no order */
    bool is_trained;         /* the caller has filled what only a forward primitive can write */
    int in_place;            /* argument whose buffer the destination is in too; 0: none */
    int64_t budget; /* terms of sums that the reference may compute; else it samples; 0: no limit */
} case_t;

/* What a comparison found; may go through several. */
typedef struct {
    int64_t elements, compared, wrong;
    /* The largest difference from a reference as the type holds it, and what was allowed there. */
    double error, bound;
    char first[2048]; /* what is wrong first; empty: nothing */
} verdict_t;

void case_init(case_t *c, dnnl_primitive_desc_t handle);
/* With run-time dims: the descriptors to run with, in the order of pd->args (NULL: pd's). */
void case_fill(case_t *c, const md_t *const *mds);
/* The status of the first call that failed. */
dnnl_status_t case_execute(case_t *c);
/* What a case does with its primitive: executes it and waits. Another may take its place, which
 * then neither sees values nor gives any. */
typedef dnnl_status_t (*case_submit_fn)(
        const_dnnl_primitive_t primitive, dnnl_stream_t stream, int n, const dnnl_exec_arg_t *args);
extern case_submit_fn case_submit;
/* Whether buffers are filled before and read after. */
extern bool case_copies;
/* Compares all outputs with the references of the kind. */
void case_compare(const case_t *c, verdict_t *v);
/* The same but for the first output. */
void case_compare_others(const case_t *c, verdict_t *v);
/* Compares one output with a reference of the caller's. */
void case_compare_with(const case_t *c, int arg,
        ref_value_t (*reference)(const ref_t *, const dnnl_dim_t *), verdict_t *v);
void case_fini(case_t *c);

#endif
