/* SPDX-License-Identifier: Apache-2.0 */
/* The derivatives of the elementwise algorithms, at x, or for the codes OP_*_USE_DST at the source
 * of which x is the result. lib/eltwise.h includes this file in modules of backward propagation. */
#ifndef KERNELS_ELTWISE_BWD_H
#define KERNELS_ELTWISE_BWD_H

/* x (1 + tanh g) / 2 is x l with l = logistic(2 g). Its derivative is l + x l (1 - l) (2 g)'. */
static inline elt_t gelu_tanh_derivative(elt_t x) {
    const elt_t x2 = x * x;
    const elt_t g2 = E(1.5957691216057308) * x * (E(1) + E(0.044715) * x2);
    const elt_t slope = E(1.5957691216057308) * (E(1) + E(0.134145) * x2);
    const elt_t l = logistic(g2), rest = logistic(-g2);
    /* Where the slope overflows, one of the two factors is zero. */
    return l + (l * rest == E(0) ? E(0) : x * slope * l * rest);
}

/* With N the normal distribution and n its density: N(x) + x n(x). */
static inline elt_t gelu_erf_derivative(elt_t x) {
    return E(0.5) * erfc(x * E(-0.70710678118654752)) +
           x * (E(0.39894228040143268) * exp(E(-0.5) * x * x));
}

/* t = tanh(log(1 + e^x)) = n / (n + 2) with n = e^x (e^x + 2), and t' = (1 - t^2) logistic(x). In
 * floats, t is 1 from x = 20 on. */
static inline elt_t mish_derivative(elt_t x) {
    const elt_t e = exp(fmin(x, E(20)));
    const elt_t n = e * (e + E(2)), d = n + E(2);
    return n / d + x * (E(4) * (n + E(1)) / (d * d)) * logistic(x);
}

static inline elt_t swish_derivative(elt_t x, acc_t alpha) {
    const elt_t l = logistic(E(alpha) * x), rest = logistic(E(-alpha) * x);
    return l + E(alpha) * x * l * rest;
}

static inline elt_t hardswish_derivative(elt_t x, acc_t alpha, acc_t beta) {
    const elt_t v = E(alpha) * x + E(beta);
    return v <= E(0) ? E(0) : v >= E(1) ? E(1) : E(2) * E(alpha) * x + E(beta);
}

/* alpha beta x^(beta - 1) */
static inline elt_t pow_derivative(elt_t x, acc_t alpha, acc_t beta) {
    return beta == 0 ? E(0) : E(alpha * beta) * power(x, beta - 1);
}

static inline elt_t ELTWISE_FWD(int code, elt_t x, acc_t alpha, acc_t beta) {
    if (OP_IS(OP_RELU, code) || OP_IS(OP_RELU_USE_DST, code)) return x > E(0) ? E(1) : E(alpha);
    if (OP_IS(OP_TANH, code)) { /* 1 - tanh^2, without cancellation */
        const elt_t e = exp(E(-2) * fabs(x)), r = E(1) / (E(1) + e);
        return E(4) * e * r * r;
    }
    if (OP_IS(OP_TANH_USE_DST, code)) return (E(1) - x) * (E(1) + x);
    if (OP_IS(OP_ELU, code)) return x > E(0) ? E(1) : E(alpha) * exp(x);
    if (OP_IS(OP_ELU_USE_DST, code)) return x > E(0) ? E(1) : x + E(alpha);
    if (OP_IS(OP_SQUARE, code)) return E(2) * x;
    if (OP_IS(OP_ABS, code)) return x > E(0) ? E(1) : x < E(0) ? E(-1) : E(0);
    if (OP_IS(OP_SQRT, code)) return E(0.5) / sqrt(x);
    if (OP_IS(OP_SQRT_USE_DST, code)) return E(0.5) / x;
    if (OP_IS(OP_LINEAR, code)) return E(alpha);
    if (OP_IS(OP_SOFT_RELU, code)) return logistic(E(alpha) * x);
    if (OP_IS(OP_HARDSIGMOID, code)) {
        const elt_t v = E(alpha) * x + E(beta);
        return v <= E(0) ? E(0) : v >= E(1) ? E(0) : E(alpha);
    }
    if (OP_IS(OP_LOGISTIC, code)) return logistic(x) * logistic(-x);
    if (OP_IS(OP_LOGISTIC_USE_DST, code)) return x * (E(1) - x);
    if (OP_IS(OP_EXP, code)) return exp(x);
    if (OP_IS(OP_EXP_USE_DST, code)) return x;
    if (OP_IS(OP_GELU_TANH, code)) return gelu_tanh_derivative(x);
    if (OP_IS(OP_SWISH, code)) return swish_derivative(x, alpha);
    if (OP_IS(OP_LOG, code)) return E(1) / x;
    if (OP_IS(OP_CLIP, code)) return x <= E(alpha) ? E(0) : x > E(beta) ? E(0) : E(1);
    if (OP_IS(OP_CLIP_V2, code) || OP_IS(OP_CLIP_V2_USE_DST, code))
        return x <= E(alpha) ? E(0) : x >= E(beta) ? E(0) : E(1);
    if (OP_IS(OP_POW, code)) return pow_derivative(x, alpha, beta);
    if (OP_IS(OP_GELU_ERF, code)) return gelu_erf_derivative(x);
    if (OP_IS(OP_MISH, code)) return mish_derivative(x);
    if (OP_IS(OP_HARDSWISH, code)) return hardswish_derivative(x, alpha, beta);
    return x;
}

#endif
