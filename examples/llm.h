/* SPDX-License-Identifier: Apache-2.0 */
/* A decoder layer of a language model: its sizes, weights and cache, and the two ways to compute
 * it. Attention has a head of keys and values for a group of heads of queries; all matrices are
 * int4 with an f16 scale for some rows of each column, other tensors f16. */
#ifndef EXAMPLES_LLM_H
#define EXAMPLES_LLM_H

#include "net.h"

typedef struct {
    dnnl_dim_t width, heads, key_heads, size; /* of a token; size: elements of a head */
    dnnl_dim_t inner;                         /* columns of the gate */
    dnnl_dim_t group;                         /* rows that share a scale */
    dnnl_dim_t prompt, tokens;                /* tokens at once, and then one by one */
} llm_sizes_t;

enum { QUERY, KEY, VALUE, OUT, GATE, UP, DOWN, MATRICES, NORMS = 2 };

typedef struct {
    dnnl_dim_t in, out;
    dnnl_memory_t packed, scales;
    double *values; /* what both together mean */
} matrix_t;

/* What the host writes before each execution, and the rows of the cache that it concerns. */
typedef struct {
    dnnl_dim_t tokens, keys; /* computed at once, and seen */
    dnnl_dim_t row;          /* of the cache: the first one that it writes */
    int causal;              /* else the mask decides */
    dnnl_memory_t x, y, cosines, sines, mask;
    uint16_t *x_values, *cosine_values, *sine_values;
    float *mask_values;
} phase_t;

typedef struct {
    net_t net;
    llm_sizes_t s;
    dnnl_dim_t capacity; /* rows of the cache; the last one is the newest token's */
    matrix_t matrices[MATRICES];
    dnnl_memory_t norms[NORMS];
    double *norm_values[NORMS];
    dnnl_memory_t rotation;     /* of an element's pair, as a product */
    dnnl_memory_t keys, values; /* the cache: a row for each token */
    uint16_t *x, *cosines, *sines;
    double *x_values; /* f16 as the device has them */
    phase_t prefill, decode;
} llm_t;

static const float llm_epsilon = 1e-5f;

/* Fills sizes, weights and inputs, by chance; and frees them. */
void llm_make(llm_t *llm, const llm_sizes_t *sizes);
void llm_end(llm_t *llm);
/* Elements that two heads of a token have together, as bytes of a row of the cache. */
size_t llm_cache_row(const llm_t *llm);

/* ---- by the Graph API: llm_graph.c ---- */

typedef struct llm_graph llm_graph_t;
llm_graph_t *llm_graph_make(llm_t *llm, const phase_t *phase);
void llm_graph_end(llm_graph_t *graph);
void llm_graph_print(const llm_graph_t *graph, const char *name);
/* With a list that does not keep the order of its commands: barriers are appended to it. */
void llm_graph_run(llm_graph_t *graph, dnnl_stream_t stream, ze_command_list_handle_t list);

/* ---- by primitives: llm_primitives.c ---- */

enum { MAX_LLM_STEPS = 20 };
typedef struct {
    int count;
    step_t steps[MAX_LLM_STEPS];
} llm_steps_t;
void llm_steps_make(llm_t *llm, const phase_t *phase, llm_steps_t *steps);
void llm_steps_run(const llm_steps_t *steps, dnnl_stream_t stream);

/* ---- in plain C: llm_check.c ---- */

/* The results of all tokens, in double precision. The caller frees them. */
double *llm_expected(const llm_t *llm);

#endif
