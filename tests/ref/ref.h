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

/* The statistics that were computed last: those of the part of the source that begins at
 * `first`. */
typedef struct {
    bool known;
    dnnl_dims_t first;
    ref_value_t mean, variance;
} ref_stats_t;

/* What a primitive is executed with: data[slot] for each of pd->args, NULL where absent. */
typedef struct {
    const pd_t *pd;
    const void *const *data;
    double epsilon;     /* of the arithmetic: ref_epsilon() */
    ref_stats_t *stats; /* NULL: they are computed for each element */
} ref_t;

double ref_epsilon(const pd_t *pd);

/* Element `index` of an array; indices count from the start of the buffer, as md_offset() does. */
double ref_load(dnnl_data_type_t dt, const void *data, int64_t index);
void ref_store(dnnl_data_type_t dt, void *data, int64_t index, double v);
double ref_round(dnnl_data_type_t dt, double v); /* the value that is left after storing it */
/* Is `got`, read from a tensor of the type, right? */
bool ref_ok(dnnl_data_type_t dt, double got, ref_value_t expected);

/* An input as the implementation sees it: exact unless the arithmetic has fewer digits than the
 * type. */
ref_value_t ref_input(const ref_t *ref, dnnl_data_type_t dt, double v);
/* The element of an argument that belongs to a position of the destination: 0 where its
 * dimension is 1. */
ref_value_t ref_at(const ref_t *ref, int arg, const dnnl_dim_t *pos);

ref_value_t ref_eltwise(
        double epsilon, dnnl_alg_kind_t alg, ref_value_t x, double alpha, double beta);
ref_value_t ref_binary(double epsilon, dnnl_alg_kind_t alg, ref_value_t x, ref_value_t y);
/* The scale (1) or zero point (0) of an argument for a position in its tensor. */
ref_value_t ref_scale(const ref_t *ref, int arg, const dnnl_dim_t *pos);
ref_value_t ref_zero_point(const ref_t *ref, int arg, const dnnl_dim_t *pos);
/* Does the row multiply f32 as tf32, which strict problems do not allow? -1, no row, does not. */
bool ref_is_tf32(int row);
/* What a product of source and weights may lose besides rounding, relative to it: rows for tf32
 * have less than 2^-10 of either factor cut off. */
double ref_product_loss(const pd_t *pd);
/* Dropout and the post-ops. */
ref_value_t ref_post_ops(const ref_t *ref, ref_value_t x, const dnnl_dim_t *pos);
/* The post-ops from `first` on, up to `end`, without dropout. */
ref_value_t ref_post_ops_between(
        const ref_t *ref, ref_value_t x, const dnnl_dim_t *pos, int first, int end);
/* Is the element at a position of the destination one that dropout keeps? */
bool ref_keeps(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_mask(const ref_t *ref, const dnnl_dim_t *pos);
/* Scale, zero point and rounding of the destination. */
ref_value_t ref_finish(const ref_t *ref, ref_value_t x, const dnnl_dim_t *pos);
/* The same, of magnitude `most` at most before it is rounded. */
ref_value_t ref_finish_within(const ref_t *ref, ref_value_t x, const dnnl_dim_t *pos, double most);

/* The result at a position of the destination. */
ref_value_t ref_eltwise_fwd(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_binary_fwd(const ref_t *ref, const dnnl_dim_t *pos);
ref_value_t ref_reorder(const ref_t *ref, const dnnl_dim_t *pos);

/* Steps to the next position in row-major order; false after the last one. */
bool ref_next(const dnnl_dim_t *dims, int ndims, dnnl_dim_t *pos);

#endif
