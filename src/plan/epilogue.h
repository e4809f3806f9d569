/* SPDX-License-Identifier: Apache-2.0 */
/* The epilogue: operations on a kernel's result that attributes ask for, one after the other.
 * The kernels interpret it with kernels/lib/postops.h.
 *
 * A planner calls
 *     epilogue_init(), epilogue_add_*()   in the order of application: scales, bias, post-ops, then
 *                                         scale and zero point of the result
 * and for each step
 *     epilogue_segment()    as many ops as one step can apply. A kernel applies the first segment;
 *                           steps/elementwise.h has the steps that apply the others to values in
 *                           the scratchpad
 *     epilogue_strides()    how the kernel walks through the sources
 *     epilogue_specs()      the specialisation constants SPEC_PO_*
 *     epilogue_args()       the bindings of PO_ARGS, the kernel's last arguments */
#ifndef PLAN_EPILOGUE_H
#define PLAN_EPILOGUE_H

#include "core/primitive_desc.h"
#include "kernels/lib/ops.h"
#include "kernels/lib/params.h"

/* Where the second operand of an op comes from. */
typedef struct {
    enum {
        SOURCE_NONE,
        SOURCE_TENSOR,
        SOURCE_QUANT,
        SOURCE_HOST,
        SOURCE_HOST_BITS,
        SOURCE_SCRATCH
    } kind;
    int slot; /* in pd->args */
    /* SOURCE_QUANT, SOURCE_SCRATCH: the dimensions of argument like_slot that values run along */
    int mask;
    int like_slot;
    dnnl_data_type_t dt; /* undef: not part of the arithmetic */
    const md_t *md;      /* with the dimensions of the destination, or 1; NULL: as the above say */
    uint64_t offset;     /* SOURCE_SCRATCH: bytes */
    int64_t group[2];    /* SOURCE_QUANT: positions of the last two dimensions that share a value;
                         0 and 1: none */
} epilogue_source_t;

typedef struct {
    int op;        /* kernels/lib/ops.h */
    float a, b, c; /* po_entry_t */
    epilogue_source_t src, cond, scale;
    epilogue_source_t offset; /* OP_DROPOUT */
} epilogue_op_t;

enum { EPILOGUE_MAX = POST_OPS_MAX + 8 };
typedef struct epilogue {
    int len;
    bool f64;         /* computed in doubles, whatever the types of the tensors */
    bool derivatives; /* eltwise ops are derivatives */
    epilogue_op_t op[EPILOGUE_MAX];
} epilogue_t;

void epilogue_init(epilogue_t *epilogue);
/* x = scale * eltwise(x) */
void epilogue_add_eltwise(
        epilogue_t *epilogue, dnnl_alg_kind_t alg, float scale, float alpha, float beta);
/* x = the derivative of the algorithm at x. The steps need variants for derivatives. */
void epilogue_add_derivative(epilogue_t *epilogue, dnnl_alg_kind_t alg, float alpha, float beta);
/* x = x op argument, broadcast where the argument's dimension is 1; op is OP_ADD ... OP_NE,
 * OP_PRELU. Returns the op. */
epilogue_op_t *epilogue_add_tensor(epilogue_t *epilogue, const pd_t *pd, int op, int slot);
/* x = x op source. Returns the op. */
epilogue_op_t *epilogue_add_source(epilogue_t *epilogue, int op, const epilogue_source_t *source);
/* x = x op scale (OP_MUL: dequantises, OP_DIV: quantises) of an argument, if the attribute is
 * set. */
void epilogue_add_scale(epilogue_t *epilogue, const pd_t *pd, int op, int arg);
/* x = x op zero point (OP_SUB, OP_ADD) of an argument, if the attribute is set. */
void epilogue_add_zero_point(epilogue_t *epilogue, const pd_t *pd, int op, int arg);
/* The source of an argument's scale or zero point; SOURCE_NONE if it is not set. */
epilogue_source_t epilogue_quant_source(const pd_t *pd, unsigned attr, int arg);
/* Dropout, if there is one, and the post-ops. */
void epilogue_add_post_ops(epilogue_t *epilogue, const pd_t *pd);
/* What the attributes say of the destination: scale, zero point, rounding. The end of a
 * epilogue. */
void epilogue_add_dst(epilogue_t *epilogue, const pd_t *pd);
/* Does the epilogue from op `first` on turn zeros into zeros, with the padding of sources
 * being zero too? */
bool epilogue_keeps_zero(const epilogue_t *epilogue, int first);

/* A loop of a kernel: position p of it adds p * mult to the position in dimension dim of the
 * destination. */
typedef struct {
    int dim;
    int64_t mult, size;
} axis_t;

/* The stride, in elements, of an axis in a tensor with or without inner blocks: 0 if the
 * tensor's dimension is 1 (broadcast), false if the axis crosses a block boundary, so that no
 * stride exists. A stride that no memory has set yet counts as 1. */
bool axis_stride(const md_t *md, const axis_t *axis, int64_t *stride);

/* What one step applies of a epilogue. */
typedef struct {
    int first, count; /* ops */
    int nsrcs, nhosts;
    epilogue_source_t src[PO_MAX_SRCS];
    struct {
        int slot;
        enum { HOST_FLOAT, HOST_LOW, HOST_HIGH } part;
    } host[PO_MAX_HOST];
    uint32_t mask_lo, mask_hi, dts;
    po_params_t params;
} epilogue_segment_t;

/* The ops from `first` on, as many as one step can apply; count is 0 only if none are left. */
void epilogue_segment(epilogue_segment_t *seg, const epilogue_t *epilogue, int first);
/* The descriptor of source i (memory for it in *tmp where it is made up). mds: those that the
 * memories have, or NULL: pd's. */
const md_t *epilogue_source_md(
        const epilogue_segment_t *seg, int i, const pd_t *pd, const md_t *const *mds, md_t *tmp);
/* Sets the strides of all sources for a kernel with these axes, the last of which is the vector
 * axis; NULL, or why it cannot be. */
const char *epilogue_strides(epilogue_segment_t *seg, const pd_t *pd, const md_t *const *mds,
        const axis_t *axes, int naxes);
/* The operations for SPEC_BLOCK_OPS. shared: bit d is set if all positions of axis d have to have
 * the same sources. False: kernels cannot apply the segment to whole blocks, and *ops stays as it
 * is. The strides are set. */
bool epilogue_block_ops(const epilogue_segment_t *seg, uint32_t shared, uint32_t *ops);
/* Does the segment draw random numbers? */
bool epilogue_is_random(const epilogue_segment_t *seg);
/* How many positions of a dimension share a value of source i: 1 where they do not. */
int64_t epilogue_source_group(const epilogue_segment_t *seg, int i, const pd_t *pd, int dim);
/* The stride of an axis in source i, of which md is the descriptor; false: the axis crosses the
 * boundary of a block or a group. */
bool epilogue_source_stride(const epilogue_segment_t *seg, int i, const pd_t *pd, const md_t *md,
        const axis_t *axis, int64_t *stride);
/* The same from strides that are known: stride[d] for source i. */
const char *epilogue_set_strides(epilogue_segment_t *seg, int i, const int64_t *stride, int naxes);
/* The same for kernels that have strides of 64 bits (LARGE_STRIDES); then it is for all sources. */
const char *epilogue_set_large_strides(
        epilogue_segment_t *seg, int i, const int64_t *stride, int naxes);
void epilogue_specs(const epilogue_segment_t *seg, plan_t *plan);
void epilogue_args(
        const epilogue_segment_t *seg, const pd_t *pd, const md_t *const *mds, plan_t *plan);

#endif
