/* SPDX-License-Identifier: Apache-2.0 */
/* The elementwise algorithms on values of type accv_t. OP_USED(op) tells whether a module needs an operation and OP_IS(op, code) whether
 * it is the one: both fold when the specialisation constants leave one operation. */
#ifndef KERNELS_ELTWISE_H
#define KERNELS_ELTWISE_H

#include "ops.h"
#include "spec.h"
#include "types.h"

SPEC_GETTER(po_mask_lo, SPEC_PO_MASK_LO, -1)
SPEC_GETTER(po_mask_hi, SPEC_PO_MASK_HI, -1)

static inline bool op_used(int op) {
    return (((uint)op < 32 ? (uint)po_mask_lo() >> (op & 31) : (uint)po_mask_hi() >> (op & 31)) & 1) != 0;
}
static inline bool op_only(int op) {
    uint bit = 1u << (op & 31);
    return (uint)po_mask_lo() == (op < 32 ? bit : 0) && (uint)po_mask_hi() == (op < 32 ? 0 : bit);
}
#define OP_IS(op, code) (op_used(op) && (op_only(op) || (code) == (op)))

#define V(x) ((accv_t)(acc_t)(x))

static inline accv_t logistic(accv_t x) { return V(1) / (V(1) + exp(-x)); }

/* expm1, log1p, erf and pow of wide vectors come out wrong from one of the device compilers, so only the others are used.
 * The quotients take back the rounding of the sum or difference. */
static inline accv_t exp_minus_1(accv_t x) {
    accv_t u = exp(x), d = u - V(1);
    accv_t r = d * x / log(u);
    return u == V(1) ? x : d == V(-1) ? d : r;
}

static inline accv_t log_1_plus(accv_t x) { /* 0 <= x <= 1 */
    accv_t u = V(1) + x, r = log(u) * x / (u - V(1));
    return u == V(1) ? x : r;
}

static inline accv_t power(accv_t x, acc_t y) {
#if VW == 16
    union {
        float16 v;
        float s[16];
    } t;
    t.v = x;
    for (int k = 0; k < 16; k++) t.s[k] = pow(t.s[k], y);
    return t.v;
#else
    return pow(x, y);
#endif
}

static inline accv_t hardsigmoid(accv_t x, acc_t alpha, acc_t beta) {
    accv_t v = V(alpha) * x + V(beta);
    return v <= V(0) ? V(0) : v >= V(1) ? V(1) : v;
}

static inline accv_t eltwise_fwd(int code, accv_t x, acc_t alpha, acc_t beta) {
    if (OP_IS(OP_RELU, code)) {
        /* -inf * 0 is no number, but relu of it is 0. */
        accv_t neg = alpha == 0 ? (x == V(-INFINITY) ? V(0) : x * V(0)) : x * V(alpha);
        return x > V(0) ? x : neg;
    }
    if (OP_IS(OP_TANH, code)) return tanh(x);
    if (OP_IS(OP_ELU, code)) return x > V(0) ? x : V(alpha) * exp_minus_1(x);
    if (OP_IS(OP_SQUARE, code)) return x * x;
    if (OP_IS(OP_ABS, code)) return fabs(x);
    if (OP_IS(OP_SQRT, code)) return sqrt(x);
    if (OP_IS(OP_LINEAR, code)) return V(alpha) * x + V(beta);
    if (OP_IS(OP_SOFT_RELU, code)) {
        accv_t t = V(alpha) * x;
        return (fmax(t, V(0)) + log_1_plus(exp(-fabs(t)))) / V(alpha);
    }
    if (OP_IS(OP_HARDSIGMOID, code)) return hardsigmoid(x, alpha, beta);
    if (OP_IS(OP_LOGISTIC, code)) return logistic(x);
    if (OP_IS(OP_EXP, code)) return exp(x);
    if (OP_IS(OP_GELU_TANH, code)) { /* 0.5 x (1 + tanh g) = x logistic(2 g), without cancellation */
        accv_t g2 = V(1.5957691216057308) * x * (V(1) + V(0.044715) * x * x);
        return x * logistic(g2);
    }
    if (OP_IS(OP_SWISH, code)) return x * logistic(V(alpha) * x);
    if (OP_IS(OP_LOG, code)) return log(x);
    if (OP_IS(OP_CLIP, code) || OP_IS(OP_CLIP_V2, code)) {
        accv_t t = x > V(alpha) ? x : V(alpha);
        return t < V(beta) ? t : V(beta);
    }
    if (OP_IS(OP_POW, code)) return V(alpha) * power(x, beta);
    if (OP_IS(OP_GELU_ERF, code)) return V(0.5) * x * erfc(x * V(-0.70710678118654752));
    if (OP_IS(OP_ROUND, code)) return rint(x);
    if (OP_IS(OP_MISH, code)) { /* tanh(log(1 + e)) = n / (n + 2) with n = e (e + 2); 1 in all digits from 20 on */
        accv_t e = exp(fmin(x, V(20)));
        accv_t n = e * (e + V(2));
        return x * (n / (n + V(2)));
    }
    if (OP_IS(OP_HARDSWISH, code)) return x * hardsigmoid(x, alpha, beta);
    return x;
}

static inline accv_t binary_fwd(int code, accv_t x, accv_t y) {
    if (OP_IS(OP_ADD, code)) return x + y;
    if (OP_IS(OP_MUL, code)) return x * y;
    if (OP_IS(OP_MAX, code)) return fmax(x, y);
    if (OP_IS(OP_MIN, code)) return fmin(x, y);
    if (OP_IS(OP_DIV, code)) return x / y;
    if (OP_IS(OP_SUB, code)) return x - y;
    if (OP_IS(OP_GE, code)) return x >= y ? V(1) : V(0);
    if (OP_IS(OP_GT, code)) return x > y ? V(1) : V(0);
    if (OP_IS(OP_LE, code)) return x <= y ? V(1) : V(0);
    if (OP_IS(OP_LT, code)) return x < y ? V(1) : V(0);
    if (OP_IS(OP_EQ, code)) return x == y ? V(1) : V(0);
    if (OP_IS(OP_NE, code)) return x != y ? V(1) : V(0);
    if (OP_IS(OP_PRELU, code)) return x > V(0) ? x : x * y;
    return x;
}

#endif
