/* SPDX-License-Identifier: Apache-2.0 */
/* Backward local response normalization: any strides, one element of the result per work-item. */
#include "lrn_backward_params.h"
#include "lrn.h"
#include "place.h"

/* What a window reads: the source, the gradient of the destination, the bases. */
typedef struct {
    gcptr_t diff, src;
    __global const float *ws;
} inputs_t;

/* The offsets of one position in them. */
typedef struct {
    long diff, src, ws;
} place_t;

static inline place_t image_at(const lrn_backward_params_t *p, int image, int c) {
    const place_t at = {image * p->diff.n + channel_at(&p->diff, c),
            image * p->src.n + channel_at(&p->src, c), image * p->ws.n + channel_at(&p->ws, c)};
    return at;
}

static inline place_t moved(place_t from, const lrn_backward_params_t *p, int d, int h, int w) {
    const place_t at = {from.diff + d * p->diff.sp[0] + h * p->diff.sp[1] + w * p->diff.sp[2],
            from.src + d * p->src.sp[0] + h * p->src.sp[1] + w * p->src.sp[2],
            from.ws + d * p->ws.sp[0] + h * p->ws.sp[1] + w * p->ws.sp[2]};
    return at;
}

/* The term of an element in the sums of its neighbours. */
static inline acc_t term(const inputs_t *in, place_t at, const lrn_backward_params_t *p) {
    const acc_t base = in->ws[at.ws];
    return load_1(in->diff, at.diff, src_dt()) * load_1(in->src, at.src, src_dt()) *
           (denominator(base, p->beta) / base);
}

static inline acc_t sum_across(
        const inputs_t *in, const lrn_backward_params_t *p, const int *item, int c) {
    acc_t sum = 0;
    for (int i = max(c - p->reach, 0); i <= min(c + p->reach, p->channels - 1); i++)
        sum += term(in, moved(image_at(p, item[0], i), p, item[2], item[3], item[4]), p);
    return sum;
}

static inline acc_t sum_within(
        const inputs_t *in, const lrn_backward_params_t *p, const int *item, int c) {
    int low[3], high[3];
    for (int d = 0; d < 3; d++) {
        low[d] = max(item[2 + d] - p->reach, 0);
        high[d] = min(item[2 + d] + p->reach, p->size[d] - 1);
    }
    const place_t from = image_at(p, item[0], c);
    acc_t sum = 0;
    for (int d = low[0]; d <= high[0]; d++)
        for (int h = low[1]; h <= high[1]; h++)
            for (int w = low[2]; w <= high[2]; w++) sum += term(in, moved(from, p, d, h, w), p);
    return sum;
}

__kernel void lrn_backward(
        gcptr_t diff, gptr_t dst, gcptr_t src, gcptr_t ws, const lrn_backward_params_t p) {
    const int c = get_global_id(0);
    if (c >= p.padded_channels) return;
    int item[5];
    const long to = place_item(item, &p.dst, p.size, c);
    acc_t x = 0;
    if (c < p.channels) {
        const inputs_t in = {diff, src, (__global const float *)ws};
        const place_t at = moved(image_at(&p, item[0], c), &p, item[2], item[3], item[4]);
        const acc_t sum =
                flag(LRF_ACROSS) ? sum_across(&in, &p, item, c) : sum_within(&in, &p, item, c);
        const acc_t factor = 2 * (acc_t)p.alpha * p.beta / p.elements;
        x = denominator(in.ws[at.ws], p.beta) * load_1(diff, at.diff, src_dt()) -
            factor * load_1(src, at.src, src_dt()) * sum;
    }
    store_1(x, dst, to, dst_dt());
}
