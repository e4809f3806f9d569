/* SPDX-License-Identifier: Apache-2.0 */
/* Products of a time step on sub-groups of 16 lanes. A work-group has MT rows and up to four blocks
 * of 16 columns: of all gates of 16 channels or, where it has many rows and the cell few gates, of
 * more channels. Its sub-groups multiply a part of k each, share the sums in local memory, and then
 * finish some of the rows each. Sums of 8-bit integers are exact: the bits of integers.
 *
 * The including file has factor_dt(), the type of the source. */
#ifndef KERNELS_RNN_PARTS_H
#define KERNELS_RNN_PARTS_H

#include "parts_first.h"
#include "sub_group.h"

enum { WIDTH = 16, MAX_BLOCKS = 4, PARTS = RNN_PARTS_OF(MT) };

/* The rows, channels and gates that some sub-groups compute, and the k of one of them. */
typedef struct {
    int row, channel, lane, part;
    int first, last;
    int first_gate, gates;
} piece_t;

/* Groups of 16 channels of a piece, and its blocks. */
static inline int channel_groups(const piece_t *x) {
    return RNN_CHANNEL_GROUPS(MT, x->gates);
}

static inline int block_count(const piece_t *x) {
    return channel_groups(x) * x->gates;
}

/* Part number `part` of `parts` that are equally long; the last ones may end behind the last k. */
static inline void take_part(piece_t *x, const rnn_factor_t *f, int step, int part, int parts) {
    const int length = (f->k + step * parts - 1) / (step * parts) * step;
    x->part = part;
    x->first = length * part;
    x->last = x->first + length;
}

/* A work-group that has one piece. */
static inline piece_t this_piece(const rnn_factor_t *f, int step, int first_gate, int gates) {
    piece_t x;
    x.first_gate = first_gate;
    x.gates = gates;
    x.row = get_group_id(1) * MT;
    x.channel = get_group_id(0) * WIDTH * channel_groups(&x);
    x.lane = sg_own_lane();
    take_part(&x, f, step, sg_number(), PARTS);
    return x;
}

/* The first column of a block. */
static inline int block_column(const piece_t *x, const rnn_factor_t *f, int block) {
    return (x->first_gate + block % x->gates) * (int)f->u_gate +
           (x->channel + WIDTH * (block / x->gates)) * (int)f->u_vector;
}

/* Where a sub-group's sums are: [block][row][lane]. */
static inline int place_of_sum(int block, int row, int lane) {
    return (block * MT + row) * WIDTH + lane;
}

enum { PART_SUMS = MAX_BLOCKS * MT * WIDTH };

static inline float sum_of_parts(
        __local const float *sums, int parts, int block, int row, int lane) {
    float total = 0;
    int exact = 0;
    NO_UNROLL_FOR (int s = 0; s < parts; s++) {
        const float part = sums[s * PART_SUMS + place_of_sum(block, row, lane)];
        if (rnn_has(RNN_INT8)) exact += as_int(part);
        else total += part;
    }
    return rnn_has(RNN_INT8) ? as_float(exact) : total;
}

#ifdef TARGET_XMX16
#include "parts_units.h"
#else
#include "parts_lanes.h"
#endif

#endif
