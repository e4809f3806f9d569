/* SPDX-License-Identifier: Apache-2.0 */
/* Which attributes a primitive supports. */
#ifndef PLAN_ATTR_RULES_H
#define PLAN_ATTR_RULES_H

#include "core/primitive_desc.h"

/* Kinds of post-ops that a primitive supports. POST_OP_OWN_CHECK: the primitive itself checks the
 * tensors of binary post-ops. */
enum {
    POST_OP_ELTWISE = 1,
    POST_OP_SUM = 2,
    POST_OP_BINARY = 4,
    POST_OP_PRELU = 8,
    ALL_POST_OPS = 15,
    POST_OP_OWN_CHECK = 16
};

/* Scales or zero points that a primitive supports for an argument. */
typedef struct {
    unsigned attr; /* ATTR_SCALES or ATTR_ZERO_POINTS; 0 ends a list */
    int arg;
    unsigned mask; /* the dimensions that values may run along; 0: one common value only */
} attr_quant_rule_t;

/* Unimplemented, with the reason in the log, where an attribute is set that is not in `groups`
 * (ATTR_*), a post-op is not in `post_ops` (POST_OP_*), or the quantisation breaks the rules
 * (NULL: there may be none). Invalid_arguments where a post-op's tensor does not fit the result. */
dnnl_status_t attr_check(
        const pd_t *pd, unsigned groups, unsigned post_ops, const attr_quant_rule_t *rules);

/* Is an argument's scale computed by the primitive? */
bool attr_is_dynamic(const pd_t *pd, int arg);

/* How a float becomes a number of a type. */
typedef struct {
    dnnl_data_type_t dt;
    float most, normal; /* the largest and the smallest normal number */
    uint32_t dropped;   /* bits of the mantissa that are lost */
} float_format_t;
/* NULL: not a float narrower than f32. */
const float_format_t *attr_float_format(dnnl_data_type_t dt);

#endif
