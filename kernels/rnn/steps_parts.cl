/* SPDX-License-Identifier: Apache-2.0 */
/* Several time steps on sub-groups of 16 lanes: a work-group has all channels of its rows, which
 * need no other rows. Teams of w.parts sub-groups have 16 channels at a time. The second product of
 * GRU is that of reset * state, which lies in `extra`. */
#include "step_parts.h"
#include "walk.h"

/* Part `which` of a step. All sub-groups take the same branches. */
static inline void step_of_rows(const tensors_t *t, accv_t *products, __local float *sums,
        int which, gcptr_t a, gcptr_t u, int parts, const rnn_cell_t *p, const rnn_factor_t *f) {
    const int number = sg_number(), team = number / parts, width = sg_count() / parts * WIDTH;
    __local float *of_team = sums + team * parts * PART_SUMS;
    piece_t x;
    x.first_gate = first_gate(which);
    x.gates = gate_count(which);
    x.row = get_group_id(1) * MT;
    x.lane = sg_own_lane();
    take_part(&x, f, K_STEP, number % parts, parts);
    NO_UNROLL_FOR (int channel = 0; channel < p->channels; channel += width) {
        x.channel = channel + team * WIDTH;
        multiply_part(sums + number * PART_SUMS, a, u, &x, p, f);
        barrier(CLK_LOCAL_MEM_FENCE);
        finish_rows(t, products, of_team, which, parts, &x, p);
        barrier(CLK_LOCAL_MEM_FENCE | CLK_GLOBAL_MEM_FENCE);
    }
}

SG_KERNEL void rnn_steps_parts(gptr_t gates, gcptr_t a, gcptr_t u, gcptr_t bias, gcptr_t scales,
        gcptr_t column_sums, gcptr_t h_prev, gptr_t h, gcptr_t c_prev, gptr_t c, gcptr_t peephole,
        gcptr_t attention, gptr_t extra, const rnn_cell_t p, const rnn_factor_t f,
        const rnn_walk_t w) {
    __local float sums[RNN_TEAMS * PART_SUMS];
    accv_t products[MAX_BLOCKS];
    const int parts = (int)w.parts;
    tensors_t t = {{gates, products, bias, scales, column_sums}, h_prev, h, c_prev, c, peephole,
            attention, extra};
    rnn_factor_t second = f;
    second.a_row = second.k = p.channels;
    NO_UNROLL_FOR (int step = 0; step < w.steps; step++) {
        step_of_rows(&t, products, sums, 0, a, u, parts, &p, &f);
        if (cell() == RNN_CELL_GRU)
            step_of_rows(&t, products, sums, 1, t.extra, u, parts, &p, &second);
        walk(&t, &a, &w);
    }
}
