/* SPDX-License-Identifier: Apache-2.0 */
/* What attention and its gradients share when they are lowered. */
#ifndef GRAPH_ATTENTION_LOWER_H
#define GRAPH_ATTENTION_LOWER_H

#include "graph/attention.h"
#include "graph/lower_quantize.h"
#include "oneapi/dnnl/dnnl_ze_sdpa.h"

#define KIND(name) dnnl_graph_op_##name

/* The operations of a partition, and the primitive's arguments so far. */
typedef struct {
    const build_t *b;
    const match_t *match;
    const node_t *first, *softmax, *second;               /* the products, and what is between */
    const node_t *scale, *tanh, *rows, *columns, *select; /* NULL: none */
    const node_t *choice, *dropout, *rounding;            /* rounding: Quantize of the weights */
    const node_t *last;                                   /* whose result is that of all */
    bool shifted;          /* the mask belongs to the lower right corner */
    const node_t *from[3]; /* of queries, keys and values: what dequantises them */
    lower_t lower;
    fused_t fused;
    dnnl_primitive_attr_t attrs[2]; /* of keys and values */
    int nargs;
    step_arg_t args[26];
} attention_t;

/* The value that has a name of the pattern; NOTHING: there is none. */
size_t attention_named(const attention_t *a, char name);
/* The view of a value that an operation of the partition consumes. */
view_t attention_consumed(const attention_t *a, size_t value);
/* The number of an operation. */
size_t attention_number(const attention_t *a, const node_t *node);

/* Is it the last axis of the result, or `from_end` - 1 before it? */
bool attention_is_last(const op_t *op, int64_t axis, int from_end);
/* Scores are kept where the row's index is the larger one, and one value replaces the others. */
bool attention_fits_causal(const attention_t *a);
/* Has it one element, if it is there? */
bool attention_is_one(const attention_t *a, char name);

/* An operand of a product with the last two dimensions exchanged or not. */
view_t attention_matrix(const view_t *view, bool transposed, int ndims);
dnnl_ze_attn_mask_t attention_mask_kind(const attention_t *a);
/* The scale or the soft cap, which may be missing. */
dnnl_status_t attention_add_factor(attention_t *a, char name, int arg, md_t *md);
dnnl_status_t attention_add_mask(attention_t *a, int ndims, md_t *mask);
/* Seed, offset and probability are all on the device or all on the host. */
dnnl_status_t attention_add_dropout(attention_t *a);
/* The portable kernel is slower than several primitives. */
dnnl_status_t attention_check_variant(const attention_t *a);

/* These append the primitive. The caller destroys what they create in `a`. */
dnnl_status_t attention_emit_forward(attention_t *a);
dnnl_status_t attention_emit_gradients(attention_t *a);

#endif
