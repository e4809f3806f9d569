/* SPDX-License-Identifier: Apache-2.0 */
/* The sums of a sub-group without matrix units. Each lane has a column of each block. All lanes
 * need the same elements of the source: each lane loads that of another k and broadcasts it. */
#ifndef KERNELS_RNN_PARTS_LANES_H
#define KERNELS_RNN_PARTS_LANES_H

/* Values of k in a step: lanes 0 to 7 load one each of a row, the others of the next row. */
enum { K_STEP = 8 };

typedef struct {
    float s[MAX_BLOCKS][MT];
} sums_t;

/* The columns of a lane: one that does not exist repeats the last. */
typedef struct {
    long at[MAX_BLOCKS];
} columns_t;

static inline columns_t columns_of(const piece_t *x, const rnn_cell_t *p, const rnn_factor_t *f) {
    columns_t c;
    UNROLL_FOR (int b = 0; b < MAX_BLOCKS; b++) {
        const int channel = x->channel + WIDTH * (b / x->gates) + x->lane;
        c.at[b] = (x->first_gate + b % x->gates) * f->u_gate +
                  min(channel, p->channels - 1) * f->u_vector;
    }
    return c;
}

/* Adds the products of the k number `at` of a step, if it is there. */
static inline void add_products(sums_t *sums, const float *rows, int at, gcptr_t u,
        const piece_t *x, const columns_t *columns, long offset, bool there) {
    UNROLL_FOR (int b = 0; b < MAX_BLOCKS; b++) {
        if (b >= block_count(x)) continue;
        const float y = there ? load_1(u, columns->at[b] + offset, weights_dt()) : 0;
        UNROLL_FOR (int i = 0; i < MT; i++)
            sums->s[b][i] =
                    mad(sub_group_broadcast(rows[i / 2], i % 2 * K_STEP + at), y, sums->s[b][i]);
    }
}

/* Adds the products from k `first` to `last`. With RNN_UNIFORM `last` is as far for all sub-groups,
 * and may be behind the last k. */
static inline void add_range(sums_t *sums, gcptr_t a, gcptr_t u, const piece_t *x,
        const columns_t *columns, const rnn_cell_t *p, const rnn_factor_t *f, int first, int last) {
    const int own_row = x->lane / K_STEP, own_k = x->lane % K_STEP,
              left = p->rows - x->row - own_row;
    const long at = (x->row + own_row) * f->a_row + own_k;
    const int end = min(last, (int)f->k);
    for (int k = first; k < last; k += K_STEP) {
        float rows[MT / 2];
        UNROLL_FOR (int i = 0; i < MT / 2; i++)
            rows[i] = 2 * i < left && k + own_k < end
                              ? load_1(a, at + 2 * i * f->a_row + k, factor_dt())
                              : 0;
        if (rnn_has(RNN_UNIFORM)) {
            NO_UNROLL_FOR (int s = 0; s < K_STEP; s++)
                add_products(sums, rows, s, u, x, columns, (k + s) * f->u_k, k + s < end);
        } else if (k + K_STEP <= last) {
            UNROLL_FOR (int s = 0; s < K_STEP; s++)
                add_products(sums, rows, s, u, x, columns, (k + s) * f->u_k, true);
        } else {
            NO_UNROLL_FOR (int s = 0; s < last - k; s++)
                add_products(sums, rows, s, u, x, columns, (k + s) * f->u_k, true);
        }
    }
}

static inline void clear(sums_t *sums) {
    UNROLL_FOR (int b = 0; b < MAX_BLOCKS; b++)
        UNROLL_FOR (int i = 0; i < MT; i++) sums->s[b][i] = 0;
}

/* Writes sums, or adds those of integers to what is there. */
static inline void put_sums(__local float *to, const sums_t *sums, const piece_t *x, bool adds) {
    UNROLL_FOR (int b = 0; b < MAX_BLOCKS; b++) {
        if (b >= block_count(x)) continue;
        UNROLL_FOR (int i = 0; i < MT; i++) {
            __local float *at = to + place_of_sum(b, i, x->lane);
            if (rnn_has(RNN_INT8)) *at = as_float((int)sums->s[b][i] + (adds ? as_int(*at) : 0));
            else *at = sums->s[b][i];
        }
    }
}

/* The sums of a sub-group's part. Floats hold those of few products of integers. */
static inline void multiply_part(__local float *to, gcptr_t a, gcptr_t u, const piece_t *x,
        const rnn_cell_t *p, const rnn_factor_t *f) {
    const int last = rnn_has(RNN_UNIFORM) ? x->last : min(x->last, (int)f->k),
              longest = rnn_has(RNN_INT8) ? RNN_EXACT : INT_MAX;
    const columns_t columns = columns_of(x, p, f);
    int k = x->first;
    do {
        const int end = k + min(last - k, longest);
        sums_t sums;
        clear(&sums);
        add_range(&sums, a, u, x, &columns, p, f, k, end);
        put_sums(to, &sums, x, k > x->first);
        k = end;
    } while (k < last);
}

#endif
