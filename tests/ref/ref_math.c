/* SPDX-License-Identifier: Apache-2.0 */
/* Elementwise operations with the propagation of errors. */
#include <float.h>
#include <math.h>

#include "ref.h"

double ref_maximum(double x, double y) {
    return isnan(x) || isnan(y) ? NAN : x > y ? x : y;
}

double ref_minimum(double x, double y) {
    return isnan(x) || isnan(y) ? NAN : x < y ? x : y;
}

static double logistic(double x) {
    return 1 / (1 + exp(-x));
}
static double clamp01(double x) {
    return x <= 0 ? 0 : x >= 1 ? 1 : x;
}

static double eltwise(dnnl_alg_kind_t alg, double x, double alpha, double beta) {
    switch (alg) {
    case dnnl_eltwise_relu: return x > 0 ? x : alpha == 0 && !isnan(x) ? 0 : alpha * x;
    case dnnl_eltwise_tanh: return tanh(x);
    case dnnl_eltwise_elu: return x > 0 ? x : alpha * expm1(x);
    case dnnl_eltwise_square: return x * x;
    case dnnl_eltwise_abs: return fabs(x);
    case dnnl_eltwise_sqrt: return sqrt(x);
    case dnnl_eltwise_linear: return alpha * x + beta;
    case dnnl_eltwise_soft_relu: return (fmax(alpha * x, 0) + log1p(exp(-fabs(alpha * x)))) / alpha;
    case dnnl_eltwise_hardsigmoid: return clamp01(alpha * x + beta);
    case dnnl_eltwise_logistic: return logistic(x);
    case dnnl_eltwise_exp: return exp(x);
    case dnnl_eltwise_gelu_tanh:
        return x * logistic(2 * 0.79788456080286536 * x * (1 + 0.044715 * x * x));
    case dnnl_eltwise_swish: return x * logistic(alpha * x);
    case dnnl_eltwise_log: return log(x);
    case dnnl_eltwise_clip:
    case dnnl_eltwise_clip_v2: return ref_minimum(ref_maximum(x, alpha), beta);
    case dnnl_eltwise_pow: return alpha * pow(x, beta);
    case dnnl_eltwise_gelu_erf: return 0.5 * x * erfc(x * -0.70710678118654752);
    case dnnl_eltwise_round: return rint(x);
    case dnnl_eltwise_mish: return x * tanh(log1p(exp(x)));
    case dnnl_eltwise_hardswish: return x * clamp01(alpha * x + beta);
    default: return NAN;
    }
}

/* The error, in units in the last place, that OpenCL allows for each function in use, plus one unit
 * for each operation around it. */
static double ulps(dnnl_alg_kind_t alg) {
    switch (alg) {
    case dnnl_eltwise_abs:
    case dnnl_eltwise_clip:
    case dnnl_eltwise_clip_v2:
    case dnnl_eltwise_round: return 0;
    case dnnl_eltwise_relu:
    case dnnl_eltwise_square: return 1;
    case dnnl_eltwise_sqrt:
    case dnnl_eltwise_log:
    case dnnl_eltwise_exp: return 4;
    case dnnl_eltwise_pow: return 17;
    default: return 8;
    }
}

/* The absolute error, in units of epsilon, of a function's argument or of a value that
 * cancels inside. */
static double inner_error(dnnl_alg_kind_t alg, double x, double alpha, double beta) {
    double f = fabs(eltwise(alg, x, alpha, beta));
    switch (alg) {
    case dnnl_eltwise_linear:
    case dnnl_eltwise_hardsigmoid: return fabs(alpha * x) + fabs(beta);
    case dnnl_eltwise_hardswish: return fabs(x) * (fabs(alpha * x) + fabs(beta));
    case dnnl_eltwise_swish:
    case dnnl_eltwise_soft_relu: return f * fabs(alpha * x);
    case dnnl_eltwise_gelu_tanh: return f * 4 * fabs(1.6 * x * (1 + 0.044715 * x * x));
    case dnnl_eltwise_gelu_erf:
        return 16 * f + f * x * x; /* erfc(z) multiplies the error of z by at most 2 z^2 */
    default: return 0;
    }
}

static double deviation(double f, double a, double b) {
    if (isnan(a) || isnan(b)) return INFINITY; /* the error reaches beyond the domain */
    return fmax(a == f ? 0 : fabs(a - f),
            b == f ? 0 : fabs(b - f)); /* equal infinities do not differ */
}

ref_value_t ref_eltwise(
        double epsilon, dnnl_alg_kind_t alg, ref_value_t x, double alpha, double beta) {
    double f = eltwise(alg, x.v, alpha, beta), error = 0;
    if (x.error > 0 && !isnan(f))
        error = deviation(f, eltwise(alg, x.v + x.error, alpha, beta),
                eltwise(alg, x.v - x.error, alpha, beta));
    error += epsilon * (ulps(alg) * fabs(f) + inner_error(alg, x.v, alpha, beta));
    /* Values below the normal numbers may be flushed to zero: the result, or a factor of x. */
    double tiny = 4 * (double)FLT_MIN * fmax(1, fabs(x.v));
    if (ulps(alg) > 0 && fabs(f) < tiny && epsilon > 1e-10) error += tiny;
    return (ref_value_t){f, error};
}

static double binary(dnnl_alg_kind_t alg, double x, double y) {
    switch (alg) {
    case dnnl_binary_add: return x + y;
    case dnnl_binary_mul: return x * y;
    case dnnl_binary_max: return ref_maximum(x, y);
    case dnnl_binary_min: return ref_minimum(x, y);
    case dnnl_binary_div: return x / y;
    case dnnl_binary_sub: return x - y;
    case dnnl_binary_ge: return x >= y;
    case dnnl_binary_gt: return x > y;
    case dnnl_binary_le: return x <= y;
    case dnnl_binary_lt: return x < y;
    case dnnl_binary_eq: return x == y;
    case dnnl_binary_ne: return x != y;
    default: return NAN;
    }
}

ref_value_t ref_binary(double epsilon, dnnl_alg_kind_t alg, ref_value_t x, ref_value_t y) {
    double f = binary(alg, x.v, y.v), error = 0;
    if (x.error > 0)
        error += deviation(f, binary(alg, x.v + x.error, y.v), binary(alg, x.v - x.error, y.v));
    if (y.error > 0)
        error += deviation(f, binary(alg, x.v, y.v + y.error), binary(alg, x.v, y.v - y.error));
    if (alg == dnnl_binary_div) error += 2.5 * epsilon * fabs(f);
    else if (alg == dnnl_binary_add || alg == dnnl_binary_sub || alg == dnnl_binary_mul)
        error += epsilon * fabs(f);
    return (ref_value_t){f, error};
}
