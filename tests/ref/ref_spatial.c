/* SPDX-License-Identifier: Apache-2.0 */
/* Pooling, resampling and LRN, computed directly from their definitions. */
#include "ref_spatial.h"

#include <float.h>
#include <math.h>

static ref_value_t source(const ref_t *ref, const dnnl_dim_t *pos) {
    const int slot = pd_find_arg(ref->pd, DNNL_ARG_SRC);
    const md_t *md = &ref->pd->args[slot].md;
    return ref_input(
            ref, md->data_type, ref_load(md->data_type, ref->data[slot], md_offset(md, pos)));
}

/* ---- pooling ---- */

typedef struct {
    double sum, magnitude, max, max_error;
    int64_t seen, taps, max_index;
} window_t;

static window_t look(const ref_t *ref, const dnnl_dim_t *pos) {
    const op_params_t *p = &ref->pd->params;
    const md_t *src = pd_md(ref->pd, DNNL_ARG_SRC);
    const int nd = src->ndims - 2;
    window_t w = {.max = -INFINITY};
    dnnl_dims_t k = {0}, s = {pos[0], pos[1]};
    do {
        bool inside = true;
        for (int d = 0; d < nd; d++) {
            s[2 + d] = pos[2 + d] * p->strides[d] - p->padding[0][d] + k[d] * (p->dilates[d] + 1);
            inside = inside && s[2 + d] >= 0 && s[2 + d] < src->dims[2 + d];
        }
        if (inside) {
            const ref_value_t v = source(ref, s);
            w.sum += v.v;
            w.magnitude += fabs(v.v);
            if (w.seen++ == 0 || v.v > w.max || isnan(v.v)) {
                w.max = v.v;
                w.max_error = v.error;
                w.max_index = w.taps;
            }
        }
        w.taps++;
    } while (ref_next(p->kernel, nd, k));
    return w;
}

static double lowest(dnnl_data_type_t dt) {
    switch ((int)dt) {
    case dnnl_f16: return -65504;
    case dnnl_bf16: return -0x1.fep127;
    case dnnl_s32: return INT32_MIN;
    case dnnl_s8: return -128;
    case dnnl_u8: return 0;
    default: return -FLT_MAX;
    }
}

ref_value_t ref_pooling(const ref_t *ref, const dnnl_dim_t *pos) {
    const window_t w = look(ref, pos);
    const dnnl_alg_kind_t alg = ref->pd->params.alg_kind;
    ref_value_t x;
    if (alg == dnnl_pooling_max) {
        x = w.seen ? (ref_value_t){w.max, w.max_error}
                   : (ref_value_t){lowest(pd_md(ref->pd, DNNL_ARG_DST)->data_type), 0};
    } else {
        const double n = (double)(alg == dnnl_pooling_avg_exclude_padding ? w.seen : w.taps);
        x = ref_binary(ref->epsilon, dnnl_binary_div,
                (ref_value_t){w.sum, ref->epsilon * (double)w.seen * w.magnitude},
                (ref_value_t){n, 0});
    }
    return ref_post_ops(ref, x, pos);
}

ref_value_t ref_pooling_workspace(const ref_t *ref, const dnnl_dim_t *pos) {
    return (ref_value_t){(double)look(ref, pos).max_index, 0};
}

/* ---- resampling ---- */

ref_value_t ref_resampling(const ref_t *ref, const dnnl_dim_t *pos) {
    const md_t *src = pd_md(ref->pd, DNNL_ARG_SRC), *dst = pd_md(ref->pd, DNNL_ARG_DST);
    const bool linear = ref->pd->params.alg_kind == dnnl_resampling_linear;
    const int nd = src->ndims - 2;
    ref_value_t x = {0, 0};
    double magnitude = 0, largest = 0;
    for (int corner = 0; corner < 1 << nd; corner++) {
        dnnl_dims_t s = {pos[0], pos[1]};
        double weight = 1;
        for (int d = 0; d < nd; d++) {
            const double in = (double)src->dims[2 + d], out = (double)dst->dims[2 + d];
            const double at = ((double)pos[2 + d] + 0.5) * in / out;
            const bool high = corner >> d & 1;
            if (!linear) { /* a double may be just below the integer that it stands for */
                s[2 + d] = (2 * pos[2 + d] + 1) * src->dims[2 + d] / (2 * dst->dims[2 + d]);
                weight *= high ? 0 : 1;
                continue;
            }
            const double low = floor(at - 0.5), w = at - 0.5 - low;
            s[2 + d] = (dnnl_dim_t)fmin(fmax(low + high, 0), in - 1);
            weight *= high ? w : 1 - w;
        }
        const ref_value_t v = source(ref, s);
        x.v += weight * v.v;
        x.error += weight * v.error;
        magnitude += weight * fabs(v.v);
        largest = fmax(largest, fabs(v.v));
    }
    /* A weight is a product of nd factors. Each factor is rounded twice; a small one, 1 - w, has
     * the error of w. The same number of products and sums follows. */
    if (linear) {
        x.error += ref->epsilon * (double)(4 * nd) * (magnitude + largest);
    }
    return ref_post_ops(ref, x, pos);
}

/* ---- LRN ---- */

ref_value_t ref_lrn_workspace(const ref_t *ref, const dnnl_dim_t *pos) {
    const op_params_t *p = &ref->pd->params;
    const md_t *src = pd_md(ref->pd, DNNL_ARG_SRC);
    const bool across = p->alg_kind == dnnl_lrn_across_channels;
    const int first = across ? 1 : 2, last = across ? 1 : src->ndims - 1;
    const dnnl_dim_t half = (p->group_size - 1) / 2;
    dnnl_dims_t window, k = {0}, s;
    double sum = 0, elements = 1, count = 0;
    for (int d = 0; d < src->ndims; d++) {
        s[d] = pos[d];
        window[d] = d >= first && d <= last ? 2 * half + 1 : 1;
        if (d >= first && d <= last) elements *= (double)p->group_size;
    }
    do {
        bool inside = true;
        for (int d = first; d <= last; d++) {
            s[d] = pos[d] + k[d] - half;
            inside = inside && s[d] >= 0 && s[d] < src->dims[d];
        }
        if (!inside) continue;
        const double v = source(ref, s).v;
        sum += v * v;
        count++;
    } while (ref_next(window, src->ndims, k));
    sum *= (double)p->alpha / elements;
    return (ref_value_t){(double)p->k + sum,
            ref->epsilon * ((count + 3) * fabs(sum) + fabs((double)p->k + sum))};
}

ref_value_t ref_lrn(const ref_t *ref, const dnnl_dim_t *pos) {
    const ref_value_t base = ref_lrn_workspace(ref, pos);
    const ref_value_t power =
            ref_eltwise(ref->epsilon, dnnl_eltwise_pow, base, 1, -(double)ref->pd->params.beta);
    return ref_binary(ref->epsilon, dnnl_binary_mul, source(ref, pos), power);
}
