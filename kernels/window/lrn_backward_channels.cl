/* SPDX-License-Identifier: Apache-2.0 */
/* Backward local response normalization for CPUs, where channels are contiguous in all that is
 * read: vectors of 16 channels. Windows within channels overlap in many elements: the terms of all
 * elements, with their powers, are stored by a step of its own (LRF_TERMS), and added up by the
 * next one. */
#define VW 16
#include "lrn_backward_params.h"
#include "lrn.h"
#include "place.h"

/* What a window reads. */
typedef struct {
    gcptr_t diff, src, ws;
} tensors_t;

/* power: of the base, to -beta. */
typedef struct {
    float16 diff, src, base, power;
} inputs_t;

/* The offsets of channel 0 at a position. */
typedef struct {
    long diff, src, ws;
} place_t;

static inline long offset_at(const cv_tensor_t *t, int n, int d, int h, int w) {
    return n * t->n + d * t->sp[0] + h * t->sp[1] + w * t->sp[2];
}

static inline place_t place_at(const lrn_backward_params_t *p, int n, int d, int h, int w) {
    const place_t at = {offset_at(&p->diff, n, d, h, w), offset_at(&p->src, n, d, h, w),
            offset_at(&p->ws, n, d, h, w)};
    return at;
}

static inline float16 load_channels(
        gcptr_t from, const cv_tensor_t *t, long at, int c, int n, int dt) {
    return load_v(from, at + (c / t->block) * t->c_outer + c % t->block, 1, n, dt);
}

/* 16 channels from channel c on; those that do not exist have gradient 0 and base 1. */
static inline inputs_t load_inputs(
        const tensors_t *t, place_t at, int c, const lrn_backward_params_t *p) {
    const int16 lane = (int16)(0, 1, 2, 3, 4, 5, 6, 7, 8, 9, 10, 11, 12, 13, 14, 15);
    const int n = min(p->channels - c, 16);
    inputs_t in = {0, 0, 1, 1};
    if (n <= 0) return in;
    in.diff = load_channels(t->diff, &p->diff, at.diff, c, n, src_dt());
    in.src = load_channels(t->src, &p->src, at.src, c, n, src_dt());
    in.base = load_channels(t->ws, &p->ws, at.ws, c, n, DT_F32);
    if (n < 16) in.base = lane < n ? in.base : (float16)1.0f;
    in.power = denominator(in.base, p->beta);
    return in;
}

/* The terms of elements in the sums of their neighbours. */
static inline float16 terms(const inputs_t *in) {
    return in->diff * in->src * (in->power / in->base);
}

static inline float16 sum_within(
        gcptr_t stored, const int *pos, int c, const lrn_backward_params_t *p) {
    const int n = min(p->channels - c, 16);
    int low[3], high[3];
    for (int i = 0; i < 3; i++) {
        low[i] = max(pos[1 + i] - p->reach, 0);
        high[i] = min(pos[1 + i] + p->reach, p->size[i] - 1);
    }
    float16 sum = 0;
    for (int d = low[0]; d <= high[0] && n > 0; d++)
        for (int h = low[1]; h <= high[1]; h++)
            for (int w = low[2]; w <= high[2]; w++)
                sum += load_channels(
                        stored, &p->terms, offset_at(&p->terms, pos[0], d, h, w), c, n, DT_F32);
    return sum;
}

static inline void store_terms(
        const tensors_t *t, place_t at, gptr_t dst, long to, const lrn_backward_params_t *p) {
    for (int c = 0; c < p->channels; c += 16) {
        const inputs_t in = load_inputs(t, at, c, p);
        store_v(terms(&in), dst, to + c, 1, min(16, p->channels - c), DT_F32);
    }
}

__attribute__((reqd_work_group_size(1, 1, 1))) __kernel void lrn_backward_channels(gcptr_t diff,
        gptr_t dst, gcptr_t src, gcptr_t ws, gcptr_t stored, const lrn_backward_params_t p) {
    const tensors_t t = {diff, src, ws};
    const float factor = 2 * p.alpha * p.beta / p.elements;
    const int last_row = min((int)(get_group_id(0) + 1) * p.rows, p.nrows);
    for (int row = get_group_id(0) * p.rows; row < last_row; row++) {
        int pos[4] = {row / p.size[1] / p.size[0], row / p.size[1] % p.size[0], row % p.size[1]};
        for (pos[3] = 0; pos[3] < p.size[2]; pos[3]++) {
            const place_t at = place_at(&p, pos[0], pos[1], pos[2], pos[3]);
            const long to = offset_at(&p.dst, pos[0], pos[1], pos[2], pos[3]);
            if (flag(LRF_TERMS)) {
                store_terms(&t, at, dst, to, &p);
                continue;
            }
            union {
                float16 v[3];
                float s[48];
            } near; /* terms of the vectors before, at and after c */
            inputs_t now = load_inputs(&t, at, 0, &p);
            near.v[0] = 0;
            near.v[1] = terms(&now);
            for (int c = 0; c < p.padded_channels; c += 16) {
                const inputs_t next = load_inputs(&t, at, c + 16, &p);
                float16 sum = 0;
                if (flag(LRF_ACROSS)) {
                    near.v[2] = terms(&next);
                    NO_UNROLL_FOR (int i = -p.reach; i <= p.reach; i++)
                        sum += vload16(0, &near.s[16 + i]);
                    near.v[0] = near.v[1];
                    near.v[1] = near.v[2];
                } else sum = sum_within(stored, pos, c, &p);
                const float16 x = now.power * now.diff - factor * now.src * sum;
                const int valid = clamp(p.channels - c, 0, 16),
                          stored = min(16, p.padded_channels - c);
                store_v(first_lanes(x, valid, stored), dst, to + channel_at(&p.dst, c),
                        p.dst.c_inner, stored, dst_dt());
                now = next;
            }
        }
    }
}
