/* SPDX-License-Identifier: Apache-2.0 */
/* From a verbose line to a primitive descriptor, through the public interface. */
#ifndef TESTS_PROBLEM_PROBLEM_H
#define TESTS_PROBLEM_PROBLEM_H

#include "core/attr.h"
#include "line.h"

enum { PROBLEM_TENSORS = LINE_MDS };

typedef struct {
    const line_t *line;
    dnnl_engine_t engine;
    dnnl_prop_kind_t prop;
    dnnl_alg_kind_t alg;
    dnnl_primitive_attr_t attr;
    double low, high;      /* range of float sources */
    int in_place;          /* argument whose buffer the destination is in, too; 0: none */
    size_t shift;          /* bytes before each tensor in its buffer */
    int shifted;           /* number of the one tensor that has them; -1: all */
    char group_sizes[128]; /* "5:0:9"; empty: drawn */
    bool shuffled;         /* the elements of sparse tensors are in no order */
    plan_hints_t hints;
    /* Run-time dims: the descriptors to execute with. */
    int nactual;
    struct {
        int arg;
        md_t md;
    } actual[8];
    /* Out. */
    dnnl_primitive_desc_t pd; /* NULL where status is no success */
    dnnl_status_t status;
} problem_t;

/* Answers NULL, or why the line cannot be replayed; p->status is what the constructor answered.
 * What the log does not print is chosen, unless the auxiliary column of a batch says it: epsilon
 * of normalizations 2^-10, LRN's alpha 0.5 and k 1.5, scales of a sum 1, 1.25, 1.5, ... */
const char *problem_create(problem_t *p, const line_t *line, dnnl_engine_t engine);
/* The same with what tests ask of planning; splits= of a batch goes before. */
const char *problem_create_hinted(
        problem_t *p, const line_t *line, dnnl_engine_t engine, const plan_hints_t *hints);

/* ---- for the kinds ---- */

/* Makes p->attr for a destination of these dims. */
const char *problem_attr(problem_t *p, int ndims, const dnnl_dim_t *dims);
/* The descriptor of the tensor with this name; the zero descriptor if it is absent. */
const char *problem_md(
        const problem_t *p, const char *name, md_t *md, int ndims, const dnnl_dim_t *dims);
/* The same for an argument with dims that are given at run time, for which sizes are chosen. */
const char *problem_open_md(
        problem_t *p, const md_text_t *text, int arg, md_t *md, int ndims, const dnnl_dim_t *dims);
void problem_add_actual(problem_t *p, int arg, const md_t *md);
/* Lists of dims, separated by colons; answers how many lists. */
enum { DIMS_LISTS = LINE_MDS };
typedef struct {
    int ndims[DIMS_LISTS];
    dnnl_dims_t dims[DIMS_LISTS];
} dims_list_t;
int problem_dims(const problem_t *p, dims_list_t *lists);
const char *problem_alg(problem_t *p);
/* ---- backward propagation: the forward descriptor is made first, as a hint ---- */
bool problem_is_backward(const problem_t *p);
/* p->prop, or what the forward primitive of a backward one has: forward_training. */
dnnl_prop_kind_t problem_forward_prop(const problem_t *p);
/* The attributes of the forward primitive: none if it is a hint. */
const_dnnl_primitive_attr_t problem_forward_attr(const problem_t *p);
/* Takes the forward descriptor out of p->pd. The caller destroys it. */
dnnl_primitive_desc_t problem_take_hint(problem_t *p);
/* The gradients of the source and of the destination, "diff" and "diff_dst". A missing one is like
 * the other, or else like the data. */
const char *problem_diffs(const problem_t *p, const md_t *data, md_t *diff_src, md_t *diff_dst);

float problem_float(const problem_t *p, const char *key, float otherwise);
/* The nearest int to what the line says. */
int problem_int(const problem_t *p, const char *key, int otherwise);

#define TRY_TEXT(call)                                                                             \
    do {                                                                                           \
        const char *wrong_ = (call);                                                               \
        if (wrong_) return wrong_;                                                                 \
    } while (0)

const char *replay_convolution(problem_t *p), *replay_deconvolution(problem_t *p);
const char *replay_inner_product(problem_t *p), *replay_pooling(problem_t *p),
        *replay_resampling(problem_t *p);
const char *replay_lrn(problem_t *p), *replay_batch_normalization(problem_t *p);
const char *replay_group_normalization(problem_t *p), *replay_layer_normalization(problem_t *p);
const char *replay_sdpa(problem_t *p), *replay_rnn(problem_t *p);
const char *replay_grouped_matmul(problem_t *p);
const char *replay_matmul(problem_t *p), *replay_reorder(problem_t *p);

#endif
