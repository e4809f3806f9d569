/* SPDX-License-Identifier: Apache-2.0 */
/* The teams of a work-group that has all channels of its rows: a team has 16 channels at a time,
 * and its sub-groups divide k. */
#ifndef KERNELS_RNN_PARTS_TEAM_H
#define KERNELS_RNN_PARTS_TEAM_H

#include "parts.h"

/* The piece of a sub-group, but for its channels. */
static inline piece_t piece_of_team(const rnn_factor_t *f, int parts, int first_gate, int gates) {
    piece_t x;
    x.first_gate = first_gate;
    x.gates = gates;
    x.row = get_group_id(1) * MT;
    x.lane = sg_own_lane();
    take_part(&x, f, K_STEP, sg_number() % parts, parts);
    return x;
}

static inline __local float *sums_of_team(__local float *sums, int parts) {
    return sums + sg_number() / parts * parts * PART_SUMS;
}

/* Executes the statement that follows for each piece `x` of the channels. All sub-groups take the
 * same branches. */
#define EACH_PIECE(x, parts, p)                                                                    \
    NO_UNROLL_FOR (int first_channel = 0;                                                          \
            (x).channel = first_channel + sg_number() / (parts) * WIDTH,                           \
            first_channel < (p)->channels;                                                         \
            first_channel += sg_count() / (parts) * WIDTH)

#endif
