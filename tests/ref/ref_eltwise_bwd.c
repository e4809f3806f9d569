/* SPDX-License-Identifier: Apache-2.0 */
/* Gradients of the elementwise algorithms. */
#include <float.h>
#include <math.h>

#include "ref.h"

/* A derivative, and its error in units of epsilon: 16 for the functions of each term, and what an
 * error of epsilon in the argument of an exponential function does to the term. */
typedef struct {
    double v, units;
} derivative_t;

static double logistic(double x) {
    return 1 / (1 + exp(-x));
}

/* A term with the largest argument of an exponential function in it. */
static derivative_t term(double v, double argument) {
    return (derivative_t){v, fabs(v) * (16 + 2 * fabs(argument))};
}

static derivative_t sum(derivative_t a, derivative_t b) {
    return (derivative_t){a.v + b.v, a.units + b.units};
}

static derivative_t exact(double v) {
    return (derivative_t){v, 0};
}

/* Inside the ramp 0 < alpha x + beta < 1 and outside. Where rounding decides, both are right. */
static derivative_t ramp(double x, double alpha, double beta, double inside, double above) {
    const double v = alpha * x + beta, unsure = 4 * FLT_EPSILON * (fabs(alpha * x) + fabs(beta));
    derivative_t d = {v <= 0 ? 0 : v >= 1 ? above : inside, 0};
    if (fabs(v) < unsure || fabs(v - 1) < unsure)
        d.units = (fabs(inside) + fabs(above)) / DBL_EPSILON;
    return d;
}

/* 1 - tanh^2 */
static double sech2(double x) {
    const double c = 1 / cosh(x);
    return c * c;
}

static double tanh_of_softplus(double x) {
    return tanh(fmax(x, 0) + log1p(exp(-fabs(x))));
}

/* By the source. */
static derivative_t of_source(dnnl_alg_kind_t alg, double x, double alpha, double beta) {
    const double pi = 3.14159265358979324;
    switch (alg) {
    case dnnl_eltwise_relu: return exact(x > 0 ? 1 : alpha);
    case dnnl_eltwise_tanh: return term(sech2(x), x);
    case dnnl_eltwise_elu: return x > 0 ? exact(1) : term(alpha * exp(x), x);
    case dnnl_eltwise_square: return term(2 * x, 0);
    case dnnl_eltwise_abs: return exact(x > 0 ? 1 : x < 0 ? -1 : 0);
    case dnnl_eltwise_sqrt: return term(1 / (2 * sqrt(x)), 0);
    case dnnl_eltwise_linear: return exact(alpha);
    case dnnl_eltwise_soft_relu: return term(logistic(alpha * x), alpha * x);
    case dnnl_eltwise_hardsigmoid: return ramp(x, alpha, beta, alpha, 0);
    case dnnl_eltwise_logistic: return term(logistic(x) * logistic(-x), x);
    case dnnl_eltwise_exp: return term(exp(x), x);
    case dnnl_eltwise_gelu_tanh: {
        const double c = sqrt(2 / pi), g = c * x * (1 + 0.044715 * x * x);
        const double slope = c * (1 + 3 * 0.044715 * x * x);
        /* (1 + tanh g) / 2, which would cancel */
        return sum(term(logistic(2 * g), 4 * g), term(0.5 * x * sech2(g) * slope, 4 * g));
    }
    case dnnl_eltwise_swish: {
        const double l = logistic(alpha * x), rest = logistic(-alpha * x);
        return sum(term(l, alpha * x), term(alpha * x * l * rest, 2 * alpha * x));
    }
    case dnnl_eltwise_log: return term(1 / x, 0);
    case dnnl_eltwise_clip: return exact(x > alpha && x <= beta ? 1 : 0);
    case dnnl_eltwise_clip_v2: return exact(x > alpha && x < beta ? 1 : 0);
    case dnnl_eltwise_pow:
        return beta == 0
                       ? exact(0)
                       : term(alpha * beta * pow(x, beta - 1), fabs(beta * log(fabs(x) + DBL_MIN)));
    case dnnl_eltwise_gelu_erf:
        return sum(term(0.5 * erfc(-x / sqrt(2.0)), x * x),
                term(x * exp(-x * x / 2) / sqrt(2 * pi), x * x));
    case dnnl_eltwise_mish: {
        const double t = tanh_of_softplus(x);
        return sum(term(t, x), term(x * logistic(x) * (1 - t) * (1 + t), 4 * x));
    }
    case dnnl_eltwise_hardswish: {
        derivative_t d = ramp(x, alpha, beta, 2 * alpha * x + beta, 1);
        d.units += 4 * (fabs(2 * alpha * x) + fabs(beta));
        return d;
    }
    default: return exact(NAN);
    }
}

/* By the result. */
static derivative_t of_result(dnnl_alg_kind_t alg, double y, double alpha, double beta) {
    switch (alg) {
    case dnnl_eltwise_relu_use_dst_for_bwd: return exact(y > 0 ? 1 : alpha);
    case dnnl_eltwise_tanh_use_dst_for_bwd:
        return (derivative_t){1 - y * y, 2 * (fabs(1 - y) + fabs(1 + y)) * (1 + fabs(y))};
    case dnnl_eltwise_elu_use_dst_for_bwd:
        return y > 0 ? exact(1) : (derivative_t){y + alpha, fabs(y) + fabs(alpha)};
    case dnnl_eltwise_sqrt_use_dst_for_bwd: return term(1 / (2 * y), 0);
    case dnnl_eltwise_logistic_use_dst_for_bwd:
        return (derivative_t){y * (1 - y), 4 * fabs(y) * (1 + fabs(y))};
    case dnnl_eltwise_exp_use_dst_for_bwd: return exact(y);
    case dnnl_eltwise_clip_v2_use_dst_for_bwd: return exact(y > alpha && y < beta ? 1 : 0);
    default: return exact(NAN);
    }
}

ref_value_t ref_eltwise_bwd(const ref_t *ref, const dnnl_dim_t *pos) {
    const op_params_t *p = &ref->pd->params;
    const bool source = pd_find_arg(ref->pd, DNNL_ARG_SRC) >= 0;
    const ref_value_t x = ref_at(ref, source ? DNNL_ARG_SRC : DNNL_ARG_DST, pos);
    const derivative_t d = (source ? of_source : of_result)(p->alg_kind, x.v, p->alpha, p->beta);
    ref_value_t f = {d.v, d.units * ref->epsilon};
    /* Values below the normal numbers may be flushed to zero: the derivative, or what a factor of
     * at most 4 x^3 multiplies in gelu_tanh. */
    const double factor = 4 * fmax(1, fabs(x.v * x.v * x.v));
    if (ref->epsilon > 1e-10 && fabs(d.v) < 1) f.error += factor * (double)FLT_MIN;
    return ref_binary(ref->epsilon, dnnl_binary_mul, f, ref_at(ref, DNNL_ARG_DIFF_DST, pos));
}

ref_value_t ref_prelu_bwd_src(const ref_t *ref, const dnnl_dim_t *pos) {
    const ref_value_t dd = ref_at(ref, DNNL_ARG_DIFF_DST, pos);
    if (ref_at(ref, DNNL_ARG_SRC, pos).v > 0) return dd;
    return ref_binary(ref->epsilon, dnnl_binary_mul, ref_at(ref, DNNL_ARG_WEIGHTS, pos), dd);
}

ref_value_t ref_prelu_bwd_weights(const ref_t *ref, const dnnl_dim_t *pos) {
    const md_t *src = pd_md(ref->pd, DNNL_ARG_SRC), *weights = pd_md(ref->pd, DNNL_ARG_WEIGHTS);
    dnnl_dims_t at = {0};
    double sum = 0, size = 0, n = 0;
    if (md_has_zero_dim(src)) return (ref_value_t){0, 0};
    do {
        bool belongs = true;
        for (int d = 0; d < src->ndims; d++)
            belongs = belongs && (weights->dims[d] == 1 || at[d] == pos[d]);
        if (!belongs) continue;
        const double x = ref_at(ref, DNNL_ARG_SRC, at).v;
        const double product = x > 0 ? 0 : x * ref_at(ref, DNNL_ARG_DIFF_DST, at).v;
        sum += product;
        size += fabs(product);
        n++;
    } while (ref_next(src->dims, src->ndims, at));
    return (ref_value_t){sum, ref->epsilon * (n + 2) * size};
}
