/* SPDX-License-Identifier: Apache-2.0 */
/* The elementwise algorithms for values of type accv_t. op_used(op) is true if a module needs the
 * operation, and OP_IS(op, code) is true if `code` is the operation. The compiler folds both when
 * the specialisation constants leave one operation. */
#ifndef KERNELS_ELTWISE_H
#define KERNELS_ELTWISE_H

#include "ops.h"
#include "spec.h"
#include "types.h"

SPEC_GETTER(po_mask_lo, SPEC_PO_MASK_LO, -1)
SPEC_GETTER(po_mask_hi, SPEC_PO_MASK_HI, -1)

static inline bool op_used(int op) {
    return (((uint)op < 32 ? (uint)po_mask_lo() >> (op & 31) : (uint)po_mask_hi() >> (op & 31)) &
                   1) != 0;
}
static inline bool op_only(int op) {
    uint bit = 1u << (op & 31);
    return (uint)po_mask_lo() == (op < 32 ? bit : 0) && (uint)po_mask_hi() == (op < 32 ? 0 : bit);
}
#define OP_IS(op, code) (op_used(op) && (op_only(op) || (code) == (op)))

#define V(x) ((accv_t)(acc_t)(x))

/* The type that the algorithms compute with. */
#if SUB_GROUP_VALUES
typedef float elt_t;
#define ELTWISE_FWD eltwise_one
#else
typedef accv_t elt_t;
#define ELTWISE_FWD eltwise_fwd
#endif
#define E(x) ((elt_t)(acc_t)(x))

static inline elt_t logistic(elt_t x) {
    return E(1) / (E(1) + exp(-x));
}

/* One of the device compilers returns wrong results for expm1, log1p, erf and pow of wide vectors,
 * so the code below avoids these functions. The quotients compensate the rounding of the sum or the
 * difference. */
static inline elt_t exp_minus_1(elt_t x) {
    elt_t u = exp(x), d = u - E(1);
    elt_t r = d * x / log(u);
    return u == E(1) ? x : d == E(-1) ? d : r;
}

static inline elt_t log_1_plus(elt_t x) { /* 0 <= x <= 1 */
    elt_t u = E(1) + x, r = log(u) * x / (u - E(1));
    return u == E(1) ? x : r;
}

static inline elt_t power(elt_t x, acc_t y) {
#if VW == 16
    /* The reciprocal root of batch norm. The sum makes 0 of -0, whose power is not negative. */
    if (y == -.5f) return x == -INFINITY ? E(0) : 1 / sqrt(x + 0.0f);
    union {
        float16 v;
        float s[16];
    } t;
    t.v = x;
    for (int k = 0; k < 16; k++) t.s[k] = pow(t.s[k], y);
    return t.v;
#else
    return pow(x, E(y));
#endif
}

static inline elt_t hardsigmoid(elt_t x, acc_t alpha, acc_t beta) {
    elt_t v = E(alpha) * x + E(beta);
    return v <= E(0) ? E(0) : v >= E(1) ? E(1) : v;
}

#if DERIVATIVES
#include "eltwise_bwd.h"
#else
static inline elt_t ELTWISE_FWD(int code, elt_t x, acc_t alpha, acc_t beta) {
    if (OP_IS(OP_RELU, code)) {
        /* -inf * 0 is NaN, but relu(-inf) is 0. */
        return x < E(0) ? (alpha == 0 ? E(0) : x * E(alpha)) : x;
    }
    if (OP_IS(OP_TANH, code)) return tanh(x);
    if (OP_IS(OP_ELU, code)) return x > E(0) ? x : E(alpha) * exp_minus_1(x);
    if (OP_IS(OP_SQUARE, code)) return x * x;
    if (OP_IS(OP_ABS, code)) return fabs(x);
    if (OP_IS(OP_SQRT, code)) return sqrt(x);
    if (OP_IS(OP_LINEAR, code)) return E(alpha) * x + E(beta);
    if (OP_IS(OP_SOFT_RELU, code)) {
        elt_t t = E(alpha) * x;
        return (fmax(t, E(0)) + log_1_plus(exp(-fabs(t)))) / E(alpha);
    }
    if (OP_IS(OP_HARDSIGMOID, code)) return hardsigmoid(x, alpha, beta);
    if (OP_IS(OP_LOGISTIC, code)) return logistic(x);
    if (OP_IS(OP_EXP, code)) return exp(x);
    if (OP_IS(OP_GELU_TANH, code)) { /* = x (1 + tanh g) / 2, without cancellation */
        elt_t g2 = E(1.5957691216057308) * x * (E(1) + E(0.044715) * x * x);
        return x * logistic(g2);
    }
    if (OP_IS(OP_SWISH, code)) return x * logistic(E(alpha) * x);
    if (OP_IS(OP_LOG, code)) return log(x);
    if (OP_IS(OP_CLIP, code) || OP_IS(OP_CLIP_V2, code)) {
        elt_t t = x < E(alpha) ? E(alpha) : x; /* a NaN is not below and stays */
        return t > E(beta) ? E(beta) : t;
    }
    if (OP_IS(OP_POW, code)) return E(alpha) * power(x, beta);
    if (OP_IS(OP_GELU_ERF, code)) return E(0.5) * x * erfc(x * E(-0.70710678118654752));
    if (OP_IS(OP_ROUND, code)) return rint(x);
    /* tanh(log(1 + e)) = n / (n + 2) with n = e (e + 2). In floats it is 1 from x = 20 on. */
    if (OP_IS(OP_MISH, code)) {
        elt_t e = exp(fmin(x, E(20)));
        elt_t n = e * (e + E(2));
        return x * (n / (n + E(2)));
    }
    if (OP_IS(OP_HARDSWISH, code)) return x * hardsigmoid(x, alpha, beta);
    return x;
}
#endif

#if SUB_GROUP_VALUES
/* Applies a long algorithm to one component after the other, because eight copies of its
 * temporaries would not fit the registers. */
static inline accv_t eltwise_fwd(int code, accv_t x, acc_t alpha, acc_t beta) {
    const uint large = 1u << OP_TANH | 1u << OP_ELU | 1u << OP_SOFT_RELU | 1u << OP_LOGISTIC |
                       1u << OP_EXP | 1u << OP_GELU_TANH | 1u << OP_SWISH | 1u << OP_LOG |
                       1u << OP_POW | 1u << OP_GELU_ERF | 1u << OP_MISH;
    if (((uint)po_mask_lo() & large) == 0) {
        UNROLL_FOR (int j = 0; j < VW; j++) x[j] = eltwise_one(code, x[j], alpha, beta);
        return x;
    }
    NO_UNROLL_FOR (int n = 0; n < VW; n++) {
        float y = 0;
        SG_GET(y, x, n);
        y = eltwise_one(code, y, alpha, beta);
        SG_SET(x, n, y);
    }
    return x;
}
#endif

static inline accv_t binary_fwd(int code, accv_t x, accv_t y) {
    if (OP_IS(OP_ADD, code)) return x + y;
    if (OP_IS(OP_MUL, code)) return x * y;
    if (OP_IS(OP_MAX, code)) return MAXIMUM(x, y);
    if (OP_IS(OP_MIN, code)) return MINIMUM(x, y);
    if (OP_IS(OP_DIV, code)) return x / y;
    if (OP_IS(OP_SUB, code)) return x - y;
    if (OP_IS(OP_GE, code)) return x >= y ? V(1) : V(0);
    if (OP_IS(OP_GT, code)) return x > y ? V(1) : V(0);
    if (OP_IS(OP_LE, code)) return x <= y ? V(1) : V(0);
    if (OP_IS(OP_LT, code)) return x < y ? V(1) : V(0);
    if (OP_IS(OP_EQ, code)) return x == y ? V(1) : V(0);
    if (OP_IS(OP_NE, code)) return x != y ? V(1) : V(0);
#if DERIVATIVES
    if (OP_IS(OP_PRELU, code)) return x > V(0) ? V(1) : y;
#else
    if (OP_IS(OP_PRELU, code)) return x > V(0) ? x : x * y;
#endif
    return x;
}

#endif
