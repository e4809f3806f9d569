/* SPDX-License-Identifier: Apache-2.0 */
/* Forward propagation of one time step, whose products matrix units with 16 lanes compute. A
 * work-group has MT rows and 16 channels of all gates. Its sub-groups add parts of k and share the
 * sums in local memory; each then finishes some of the rows. */
#define NT 1
#define RNN_BLOCK 1
#include "rnn.h"

#include "xmx_tile.h"

#include "cell.h"
#include "gates.h"

SPEC_GETTER(weights_dt, SPEC_RNN_WEIGHTS_DT, DT_F32)

enum { MAX_GATES = 4 };

/* The products of a gate, in blocks of 8 rows. */
typedef struct {
    float8 rows[MT / 8];
} gate_sums_t;

/* A sub-group: the first row and channel of its work-group, and its part of k. All parts are
 * equally long; block loads beyond the last k return zeros. */
typedef struct {
    int row, channel, lane, part;
    int first, last;
} piece_t;

static inline piece_t this_piece(const rnn_factor_t *f) {
    const int length = (f->k + STEP * RNN_XMX_PARTS - 1) / (STEP * RNN_XMX_PARTS) * STEP,
              part = sg_number();
    piece_t x;
    x.row = get_group_id(1) * MT;
    x.channel = get_group_id(0) * LANES;
    x.lane = get_sub_group_local_id();
    x.part = part;
    x.first = length * part;
    x.last = x.first + length;
    return x;
}

/* Adds a step. */
static inline void add_step(gate_sums_t *sums, const surface_t *a, const surface_t *u,
        const piece_t *x, const rnn_factor_t *f, int k) {
    a_word_t rows[A_PIECES][A_WORDS];
    read_a(a, k, x->row, rows);
    UNROLL_FOR (int g = 0; g < MAX_GATES; g++) {
        uint b[NT][16];
        if (g >= gate_count()) continue;
        read_plain(u, (first_gate() + g) * (int)f->u_gate + x->channel, k, b);
        UNROLL_FOR (int s = 0; s < 2; s++)
            UNROLL_FOR (int i = 0; i < MT / 8; i++)
                sums[g].rows[i] = multiply_rows(rows, s, i, b[0] + 8 * s, sums[g].rows[i]);
    }
}

/* The same for addresses that block loads do not support: one row and gate. */
static inline float unaligned_sum(gcptr_t a, gcptr_t u, const piece_t *x, const rnn_cell_t *p,
        const rnn_factor_t *f, int row, int gate) {
    const long from = min(row, p->rows - 1) * f->a_row,
               column = (first_gate() + gate) * f->u_gate + x->channel + x->lane;
    float sum = 0;
    NO_UNROLL_FOR (int k = x->first; k < min(x->last, (int)f->k); k++)
        sum = mad(load_1(a, from + k, src_dt()), load_1(u, k * f->u_k + column, weights_dt()), sum);
    return sum;
}

/* The sums of a part: [gate][row][lane]. */
static inline void add_part(__local float *to, gcptr_t a, gcptr_t u, const piece_t *x,
        const rnn_cell_t *p, const rnn_factor_t *f) {
    const int columns = (first_gate() + gate_count()) * (int)f->u_gate;
    const surface_t of_a = surface(a, 2 * f->k, p->rows, (int)(2 * f->a_row)),
                    of_u = surface(u, 2 * columns, f->k, (int)(2 * f->u_k));
    const bool unaligned = is_misplaced(&of_a) || is_misplaced(&of_u);
    gate_sums_t sums[MAX_GATES];
    UNROLL_FOR (int g = 0; g < MAX_GATES; g++)
        UNROLL_FOR (int i = 0; i < MT / 8; i++) sums[g].rows[i] = 0;
    for (int k = x->first; k < (unaligned ? 0 : x->last); k += STEP)
        add_step(sums, &of_a, &of_u, x, f, k);
    UNROLL_FOR (int g = 0; g < MAX_GATES; g++) {
        if (g >= gate_count()) continue;
        UNROLL_FOR (int i = 0; i < MT / 8; i++) {
            lines_t block;
            block.v = sums[g].rows[i];
            UNROLL_FOR (int r = 0; r < 8; r++)
                to[(g * MT + 8 * i + r) * LANES + x->lane] = block.s[r];
        }
    }
    if (unaligned)
        NO_UNROLL_FOR (int i = 0; i < gate_count() * MT; i++)
            to[i * LANES + x->lane] = unaligned_sum(a, u, x, p, f, x->row + i % MT, i / MT);
}

__attribute__((intel_reqd_sub_group_size(16))) __kernel void rnn_step_xmx(gptr_t gates, gcptr_t a,
        gcptr_t u, gcptr_t bias, gcptr_t h_prev, gptr_t h, gcptr_t c_prev, gptr_t c,
        gcptr_t peephole, gcptr_t attention, gptr_t extra, const rnn_cell_t p,
        const rnn_factor_t f) {
    __local float sums[RNN_XMX_PARTS * MAX_GATES * MT * LANES];
    const int part_sums = MAX_GATES * MT * LANES;
    accv_t products[MAX_GATES];
    const tensors_t t = {
            {gates, products, bias, 0, 0}, h_prev, h, c_prev, c, peephole, attention, extra};
    const piece_t x = this_piece(&f);
    add_part(sums + x.part * part_sums, a, u, &x, &p, &f);
    barrier(CLK_LOCAL_MEM_FENCE);
    NO_UNROLL_FOR (int i = x.part; i < min(MT, p.rows - x.row); i += RNN_XMX_PARTS) {
        UNROLL_FOR (int g = 0; g < MAX_GATES; g++) {
            if (g >= gate_count()) continue;
            float total = 0;
            NO_UNROLL_FOR (int s = 0; s < RNN_XMX_PARTS; s++)
                total += sums[s * part_sums + (g * MT + i) * LANES + x.lane];
            products[first_gate() + g] = total;
        }
        const place_t at = {x.row + i, x.channel + x.lane, 1};
        new_state(&t, at, &p);
    }
}
