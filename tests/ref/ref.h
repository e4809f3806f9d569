/* SPDX-License-Identifier: Apache-2.0 */
/* References in double precision, with the error that a correct implementation may make.
 *
 * A reference value is what exact arithmetic gives, and a bound of the error of computing it in
 * the implementation's arithmetic (f32, or f64 where a tensor is f64), carried through every
 * operation f: error' = max(|f(v + error) - f(v)|, |f(v - error) - f(v)|) + ulps(f) * epsilon *
 * |f(v)| + what f loses inside ulps(f) is 1 for arithmetic, and for functions what OpenCL grants
 * them. A result r of type t is right if
 *     round_t(v - error) <= r <= round_t(v + error)
 * where round_t is the rounding (to nearest, ties to even) and saturation of the type. Nothing
 * else is tolerated. */
#ifndef TESTS_REF_H
#define TESTS_REF_H

#include "core/primitive_desc.h"

typedef struct {
    double v, error;
} ref_value_t;

/* The statistics that were computed last. They belong to the part of the source that begins
 * at `first`. */
typedef struct {
    bool known;
    dnnl_dims_t first;
    ref_value_t mean, variance;
    struct ref_rnn *rnn; /* the whole of a recurrent network; NULL: not computed yet */
} ref_stats_t;

/* The indices of a sparse tensor in the order of its handles: columns and row pointers, rows and
 * columns, or the ends of groups. */
typedef struct {
    int32_t *part[2];
} ref_index_t;

/* The arguments of an execution: data[slot] for each of pd->args, NULL if it is absent. */
typedef struct {
    const pd_t *pd;
    const void *const *data;
    double epsilon;           /* of the arithmetic: ref_epsilon() */
    ref_stats_t *stats;       /* NULL: the statistics are computed for each element */
    const ref_index_t *index; /* by slot; NULL: no tensor is sparse */
} ref_t;

double ref_epsilon(const pd_t *pd);

/* Element `index` of an array; indices count from the start of the buffer, as md_offset() does. */
double ref_load(dnnl_data_type_t dt, const void *data, int64_t index);
void ref_store(dnnl_data_type_t dt, void *data, int64_t index, double v);
/* md_offset(), also of grouped tensors. */
int64_t ref_offset(const md_t *md, const dnnl_dim_t *pos);
double ref_round(dnnl_data_type_t dt, double v); /* the value that remains after storing it */
/* True if `got`, read from a tensor of the type, is right. */
bool ref_ok(dnnl_data_type_t dt, double got, ref_value_t expected);

/* An input as the implementation sees it. It is exact unless the arithmetic has fewer digits than
 * the type. */
ref_value_t ref_input(const ref_t *ref, dnnl_data_type_t dt, double v);
/* The element of an argument that belongs to a position of the destination. The position is 0 in
 * dimensions where the argument has size 1. */
ref_value_t ref_at(const ref_t *ref, int arg, const dnnl_dim_t *pos);

/* The maximum and the minimum of IEEE 754-2019: a NaN if either is a NaN. */
double ref_maximum(double x, double y);
double ref_minimum(double x, double y);
ref_value_t ref_eltwise(
        double epsilon, dnnl_alg_kind_t alg, ref_value_t x, double alpha, double beta);
ref_value_t ref_binary(double epsilon, dnnl_alg_kind_t alg, ref_value_t x, ref_value_t y);
/* The scale (1) or zero point (0) of an argument for a position in its tensor. */
ref_value_t ref_scale(const ref_t *ref, int arg, const dnnl_dim_t *pos);
ref_value_t ref_zero_point(const ref_t *ref, int arg, const dnnl_dim_t *pos);
/* True if the variant multiplies f32 as tf32, which strict problems do not allow. -1 means no
 * variant, and gives false. */
bool ref_is_tf32(int variant);
/* The relative loss of a product of source and weights besides rounding. Variants for tf32 cut less
 * than 2^-10 off each factor. */
double ref_product_loss(const pd_t *pd);
/* Applies dropout and the post-ops. */
ref_value_t ref_post_ops(const ref_t *ref, ref_value_t x, const dnnl_dim_t *pos);
/* Applies the post-ops from `first` up to `end`, without dropout. */
ref_value_t ref_post_ops_between(
        const ref_t *ref, ref_value_t x, const dnnl_dim_t *pos, int first, int end);
/* True if dropout keeps the element with a number. */
bool ref_keeps_number(const ref_t *ref, uint64_t number);
/* True if dropout keeps the element at a position of the destination. */
bool ref_keeps(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_mask(const ref_t *ref, const dnnl_dim_t *pos);
/* Applies scale, zero point and rounding of the destination. */
ref_value_t ref_finish(const ref_t *ref, ref_value_t x, const dnnl_dim_t *pos);
/* Does the same, but first limits the magnitude to `most`. */
ref_value_t ref_finish_within(const ref_t *ref, ref_value_t x, const dnnl_dim_t *pos, double most);

/* The result at a position of the destination. */
ref_value_t ref_eltwise_fwd(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_binary_fwd(const ref_t *ref, const dnnl_dim_t *pos);
/* The gradients of the source and of the weights. */
ref_value_t ref_eltwise_bwd(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_prelu_bwd_src(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_prelu_bwd_weights(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_reorder(const ref_t *ref, const dnnl_dim_t *pos);

/* Steps to the next position in row-major order; false after the last one. */
bool ref_next(const dnnl_dim_t *dims, int ndims, dnnl_dim_t *pos);

#endif
