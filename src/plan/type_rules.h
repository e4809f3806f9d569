/* SPDX-License-Identifier: Apache-2.0 */
/* Sets of data types, and which of them the operands of a product may have together. */
#ifndef PLAN_TYPE_RULES_H
#define PLAN_TYPE_RULES_H

#include "core/primitive_desc.h"

#define DT_SET(dt) (1u << (dt))
enum {
    FLOATS = DT_SET(dnnl_f32) | DT_SET(dnnl_f16) | DT_SET(dnnl_bf16),
    F8 = DT_SET(dnnl_f8_e5m2) | DT_SET(dnnl_f8_e4m3),
    SMALL_FLOATS = F8 | DT_SET(dnnl_f4_e2m1),
    BYTES = DT_SET(dnnl_s8) | DT_SET(dnnl_u8),
    INTS = BYTES | DT_SET(dnnl_s4) | DT_SET(dnnl_u4),
    NIBBLES = DT_SET(dnnl_s4) | DT_SET(dnnl_u4) | DT_SET(dnnl_f4_e2m1),
    /* What elementwise kernels read and write one by one. */
    WHOLE_BYTES = FLOATS | F8 | BYTES | DT_SET(dnnl_s32) | DT_SET(dnnl_f64),
    BIASES = FLOATS | F8 | BYTES | DT_SET(dnnl_s32), /* of a matmul */
};

static inline bool dt_in(const md_t *md, unsigned set) {
    return (unsigned)md->data_type < 32 && (set & DT_SET(md->data_type)) != 0;
}

typedef struct {
    unsigned src, wei, dst, bias;
    bool same; /* src and weights have one type */
} type_rule_t;

/* The first rule that has the types of src and weights decides. Unimplemented, with the reason
 * in the log, if it does not have dst's or bias's, or if there is no such rule. */
dnnl_status_t product_types_check(const pd_t *pd, const type_rule_t *rules, int nrules);

#endif
