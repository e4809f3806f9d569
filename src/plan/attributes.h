/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes of any primitive: checked against what it takes, listed as arguments, and turned into a chain of
 * operations on the result that kernels/lib/postops.h interprets.
 *
 * A primitive's init() calls
 *     attr_check()            what it does not take is refused in one sentence
 *     attr_add_args()         after the tensors' arguments, when no descriptor is `any` any more
 *     epilogue_init(), epilogue_add_*()    in the order of application, e.g. scales, bias, post-ops, destination
 * scale, zero point and writes each step with epilogue_segment()         as much of the chain as fits in one
 * step (a fused kernel takes the first; steps/elementwise.h has the steps that apply the rest to a f32
 * scratchpad) epilogue_strides()         how the sources are walked epilogue_specs()           specialisation
 * constants SPEC_PO_* epilogue_args()            the bindings of PO_ARGS, the kernel's last arguments
 */
#ifndef OPS_ATTR_PLAN_H
#define OPS_ATTR_PLAN_H

#include "core/primitive_desc.h"
#include "kernels/lib/ops.h"
#include "kernels/lib/params.h"

/* Post-op kinds a primitive takes. TAKES_OPERANDS: it looks at the tensors of binary post-ops itself. */
enum {
    TAKES_ELTWISE = 1,
    TAKES_SUM = 2,
    TAKES_BINARY = 4,
    TAKES_PRELU = 8,
    TAKES_ALL_POST_OPS = 15,
    TAKES_OPERANDS = 16
};

/* Scales or zero points that a primitive takes for an argument. */
typedef struct {
    unsigned attr; /* ATTR_SCALES or ATTR_ZERO_POINTS; 0 ends a list */
    int arg;
    unsigned mask; /* the dimensions that values may run along; 0: one common value only */
} attr_quant_rule_t;

/* unimplemented, with the reason logged, where an attribute is set that is not in `groups` (ATTR_*), whose
 * post-ops are not in `post_ops` (TAKES_*), or whose quantisation breaks the rules (NULL: none taken);
 * invalid_arguments where a post-op's tensor does not fit the destination. */
dnnl_status_t attr_check(
        const pd_t *pd, unsigned groups, unsigned post_ops, const attr_quant_rule_t *rules);

/* Appends the arguments of scales, zero points, precomputed reductions, dropout, rounding and post-ops.
 * DNNL_ARG_DST and the quantised tensors are there. */
dnnl_status_t attr_add_args(pd_t *pd);
/* Sets pd->scratchpad_size, and appends DNNL_ARG_SCRATCHPAD in user mode. The last thing that init() does to
 * the arguments. */
dnnl_status_t attr_add_scratchpad(pd_t *pd, size_t size);

/* Where the second operand of a link comes from. */
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
    int mask; /* SOURCE_QUANT, SOURCE_SCRATCH: the dimensions of argument like_slot that the values run along
               */
    int like_slot;
    dnnl_data_type_t dt; /* undef: not part of the arithmetic */
    uint64_t offset;     /* SOURCE_SCRATCH: bytes */
    int64_t group
            [2]; /* SOURCE_QUANT: positions of the last two dimensions that share a value; 0 and 1: none
                       */
} epilogue_source_t;

typedef struct {
    int op;        /* kernels/lib/ops.h */
    float a, b, c; /* po_entry_t */
    epilogue_source_t src, cond, scale;
    epilogue_source_t offset; /* OP_DROPOUT */
} epilogue_op_t;

enum { EPILOGUE_MAX = POST_OPS_MAX + 8 };
typedef struct {
    int len;
    bool f64; /* computed in doubles, whatever the types of the tensors */
    epilogue_op_t op[EPILOGUE_MAX];
} epilogue_t;

void epilogue_init(epilogue_t *chain);
/* x = scale * eltwise(x) */
void epilogue_add_eltwise(
        epilogue_t *chain, dnnl_alg_kind_t alg, float scale, float alpha, float beta);
/* x = x op argument, broadcast where the argument's dimension is 1; op is OP_ADD ... OP_NE, OP_PRELU. Returns
 * the link. */
epilogue_op_t *epilogue_add_tensor(epilogue_t *chain, const pd_t *pd, int op, int slot);
/* x = x op source. */
void epilogue_add_source(epilogue_t *chain, int op, const epilogue_source_t *source);
/* x = x op scale (OP_MUL: dequantises, OP_DIV: quantises) of an argument, if the attribute is set. */
void epilogue_add_scale(epilogue_t *chain, const pd_t *pd, int op, int arg);
/* x = x op zero point (OP_SUB, OP_ADD) of an argument, if the attribute is set. */
void epilogue_add_zero_point(epilogue_t *chain, const pd_t *pd, int op, int arg);
/* The source of an argument's scale or zero point; SOURCE_NONE if it is not set. */
epilogue_source_t epilogue_quant_source(const pd_t *pd, unsigned attr, int arg);
/* Dropout, if there is one, and the post-ops. */
void epilogue_add_post_ops(epilogue_t *chain, const pd_t *pd);
/* Is an argument's scale computed by the primitive? */
bool attr_is_dynamic(const pd_t *pd, int arg);
/* How a float becomes a number of a type: largest and smallest normal number, bits of the mantissa that go.
 */
typedef struct {
    dnnl_data_type_t dt;
    float most, normal;
    uint32_t dropped;
} float_format_t;
const float_format_t *attr_float_format(
        dnnl_data_type_t dt); /* NULL: not a float narrower than f32 */
/* What the attributes say of the destination: scale, zero point, rounding. The end of a chain. */
void epilogue_add_dst(epilogue_t *chain, const pd_t *pd);
/* Does the chain from link `first` on turn zeros into zeros, with the padding of sources being zero too? */
bool epilogue_keeps_zero(const epilogue_t *chain, int first);

/* A loop of a kernel: position p of it adds p * mult to the position in dimension dim of the destination. */
typedef struct {
    int dim;
    int64_t mult, size;
} axis_t;

/* The stride, in elements, of an axis in a tensor with or without inner blocks: 0 if the tensor's dimension
 * is 1 (broadcast), false if the axis crosses a block boundary, so that no stride exists. */
bool axis_stride(const md_t *md, const axis_t *axis, int64_t *stride);

/* What one step applies of a chain. */
typedef struct {
    int first, count; /* links */
    int nsrcs, nhosts;
    epilogue_source_t src[PO_MAX_SRCS];
    struct {
        int slot;
        enum { HOST_FLOAT, HOST_LOW, HOST_HIGH } part;
    } host[PO_MAX_HOST];
    uint32_t mask_lo, mask_hi, dts;
    po_params_t params;
} epilogue_segment_t;

/* Takes links from `first` on, as many as a step can; count is 0 only if none are left. */
void epilogue_segment(epilogue_segment_t *seg, const epilogue_t *chain, int first);
/* The descriptor of source i (memory for it in *tmp where it is made up). mds: those that the memories have,
 * or NULL: pd's. */
const md_t *epilogue_source_md(
        const epilogue_segment_t *seg, int i, const pd_t *pd, const md_t *const *mds, md_t *tmp);
/* Sets the strides of all sources for a kernel with these axes, the last of which is the vector axis; NULL,
 * or why it cannot be. */
const char *epilogue_strides(epilogue_segment_t *seg, const pd_t *pd, const md_t *const *mds,
        const axis_t *axes, int naxes);
/* Does the segment draw random numbers? */
bool epilogue_is_random(const epilogue_segment_t *seg);
/* How many positions of a dimension share a value of source i: 1 where they do not. */
int64_t epilogue_source_group(const epilogue_segment_t *seg, int i, const pd_t *pd, int dim);
/* The stride of an axis in source i, of which md is the descriptor; false: the axis crosses the boundary of a
 * block or a group. */
bool epilogue_source_stride(const epilogue_segment_t *seg, int i, const pd_t *pd, const md_t *md,
        const axis_t *axis, int64_t *stride);
/* The same from strides that are known: stride[d] for source i. */
const char *epilogue_set_strides(epilogue_segment_t *seg, int i, const int64_t *stride, int naxes);
/* The same for kernels that take strides of 64 bits (LARGE_STRIDES); then it is for all sources. */
const char *epilogue_set_large_strides(
        epilogue_segment_t *seg, int i, const int64_t *stride, int naxes);
void epilogue_specs(const epilogue_segment_t *seg, plan_t *plan);
void epilogue_args(
        const epilogue_segment_t *seg, const pd_t *pd, const md_t *const *mds, plan_t *plan);

#endif
