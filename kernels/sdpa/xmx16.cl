/* SPDX-License-Identifier: Apache-2.0 */
/* Attention on matrix units with 16 lanes: a sub-group keeps MT queries' results of up to 16 * NT columns in registers while it walks along the
 * keys, 32 at a time: scores, their maximum, weights, and the product of the weights with the values. */
#include "sdpa.h"
#define src_dt query_dt
#include "xmx_tile.h"

SPEC_GETTER(steps, SPEC_SD_STEPS, 1)
SPEC_GETTER(pairs, SPEC_SD_PAIRS, 1)

#define BLOCK 32 /* keys */
#define LOG2_E 1.44269504f
#define ROOM                                                                                       \
    512 /* what the weights of two keys may add up to before scores are measured from a new base: halves have room for it */
#define MAX_STEPS (16 * NT / 32)

/* A matrix as the block loads see it. Those of a batch lie behind one another: one that does not begin at a multiple of 64 is taken from a few
 * rows before its first on, or if that does not help, from a few elements before, where rows have room for it. */
typedef struct {
    surface_t s;
    int row; /* the first */
} block_t;

static inline block_t block_of(gcptr_t first, int width, int height, int pitch) {
    block_t b = {{(__global void *)first, width, height, pitch, 0}, 0};
    UNROLL_FOR (int n = 3; n >= 0; n--)
        if ((((ulong)first - (ulong)(n * pitch)) & 63) == 0) b.row = n;
    const bool found = (((ulong)first - (ulong)(b.row * pitch)) & 63) == 0;
    if (!found) b.s = surface(first, width, height, pitch);
    else b.s.base = (__global void *)(first - b.row * pitch);
    b.s.height += b.row;
    return b;
}

/* 32 elements of MT heads of queries. */
static inline void read_queries(const block_t *b, int x, int row, ushort *out) {
    READ_A(b->s.base, b->s.width, b->s.height, b->s.pitch, (int2)(x + b->s.x / 2, row + b->row),
            out);
}

/* 32 elements of 32 keys: columns 16 * t and so on, pairs of elements from 16 * s on in out[t] + 8 * s. */
static inline void read_keys(const block_t *b, int x, int key, uint (*out)[16]) {
    if (sd_flags() & SDF_ROWS) {
        intel_sub_group_2d_block_read_transform_16b_32r16x2c(b->s.base, b->s.width, b->s.height,
                b->s.pitch, (int2)(key + b->s.x / 2, x + b->row), out[0]);
    } else {
        UNROLL_FOR (int t = 0; t < 2; t++)
            UNROLL_FOR (int s = 0; s < 2; s++)
                intel_sub_group_2d_block_read_transpose_32b_16r8x1c(b->s.base, b->s.width,
                        b->s.height, b->s.pitch,
                        (int2)(x / 2 + 8 * s + b->s.x / 4, key + 16 * t + b->row), out[t] + 8 * s);
    }
}

/* As the matrix units take them: weights are between 0 and ROOM, or NaN. */
static inline short8 narrow_weights(float8 x) {
    if (query_dt() == DT_BF16) return as_short16(as_uint8(x) + 0x8000).odd;
    ushort8 bits;
    vstore_half8_rte(x, 0, (half *)&bits);
    return as_short8(bits);
}

__attribute__((intel_reqd_sub_group_size(16))) __kernel void sdpa_xmx(
        gcptr_t q_all, gcptr_t k_all, gcptr_t v_all, SD_REST) {
    const int sg = sg_number(), lane = get_sub_group_local_id(),
              group_rows = (int)get_num_sub_groups() * MT;
    const int first_row = (int)get_group_id(0) * group_rows, row0 = first_row + sg * MT;
    const sd_at_t at = sd_seek(&p, get_group_id(1));
    const float factor = sd_scale(scale, host_scale), to_powers = factor * LOG2_E;
    block_t q = block_of(q_all + at.q * 2, p.size * 2, p.queries, p.q_pitch);
    const block_t k = (sd_flags() & SDF_ROWS)
                              ? block_of(k_all + at.k * 2, p.keys * 2, p.size, p.k_pitch)
                              : block_of(k_all + at.k * 2, p.size * 2, p.keys, p.k_pitch);
    const block_t v = block_of(v_all + at.v * 2, p.width * 2, p.keys, p.v_pitch);
    /* Then what walks along the keys sees none, and lanes take a query each at the end. A branch around the operations of sub-groups would not
     * be uniform as far as compilers know. */
    const bool plain =
            is_misplaced(&q.s) || is_misplaced(&k.s) || is_misplaced(&v.s) || !(factor > 0);
#ifdef HOLD
    if (plain)
        q.s.x &= ~3, q.s.width = min(q.s.width, q.s.pitch); /* queries are read nevertheless */
#endif

    union {
        float8 v[MT / 8];
        float s[MT];
    } base, sum, kept;
    float8 result[MT / 8][NT];
    UNROLL_FOR (int i = 0; i < MT / 8; i++) base.v[i] = -FLT_MAX, sum.v[i] = 0;
    UNROLL_FOR (int i = 0; i < MT / 8; i++)
        UNROLL_FOR (int j = 0; j < NT; j++) result[i][j] = 0;
#ifdef HOLD
    ushort held[MAX_STEPS][2 * A_ROWS];
    UNROLL_FOR (int s = 0; s < steps(); s++) read_queries(&q, 32 * s, row0, held[s]);
#endif

    /* The loop is as long for all sub-groups of a work-group, to the last key that the last query sees. Weights are powers of two of the
     * distances from a base, the largest score so far when it was last looked for; where weights have become larger than ROOM, the step
     * looks again and begins anew. */
    const int end = plain ? 0 : sd_visible(&p, min(first_row + group_rows, p.queries) - 1),
              all_see = sd_visible(&p, row0);
    bool raise = true;
    NO_UNROLL_FOR (int key = 0; key < end; key += raise ? 0 : BLOCK) {
        union {
            float8 v[MT / 8];
            float s[MT];
        } x[2];
        UNROLL_FOR (int t = 0; t < 2; t++)
            UNROLL_FOR (int i = 0; i < MT / 8; i++) x[t].v[i] = 0;
        UNROLL_FOR (int s = 0; s < steps(); s++) {
            uint kv[2][16];
            read_keys(&k, 32 * s, key, kv);
#ifdef HOLD
            const ushort *a = held[s];
#else
            ushort a[2 * A_ROWS];
            read_queries(&q, 32 * s, row0, a);
#endif
            UNROLL_FOR (int h = 0; h < 2; h++)
                UNROLL_FOR (int t = 0; t < 2; t++)
                    UNROLL_FOR (int i = 0; i < MT / 8; i++)
                        x[t].v[i] = multiply(as_short8(vload8(0, a + h * A_ROWS + 8 * i)),
                                as_int8(vload8(0, kv[t] + 8 * h)), x[t].v[i]);
        }

        /* Keys that are not seen have no weight: these become zeros, or before that the scores minus infinity, whichever makes compilers copy
         * less for all the other steps. */
        const int at_lane = key + lane;
        const bool part = key + BLOCK > all_see;
#define HIDES_SCORES (mask_dt() || query_dt() == DT_BF16)
#define IS_SEEN(r, t) (at_lane + 16 * (t) < sd_visible(&p, row0 + (r)))
        if (HIDES_SCORES && part)
            UNROLL_FOR (int r = 0; r < MT; r++)
                UNROLL_FOR (int t = 0; t < 2; t++)
                    x[t].s[r] = IS_SEEN(r, t) ? x[t].s[r] : -INFINITY;
        if (mask_dt()) {
            /* Compilers would otherwise keep the place of each row for the next time, and results would leave their registers. */
            const int here = min(sub_group_reduce_max(row0), p.queries - 1),
                      below = p.queries - 1 - here;
            long mask_at = at.m + here * p.m_row;
            UNROLL_FOR (int i = 0; i < MT / 8; i++) {
                UNROLL_FOR (int r = 8 * i; r < 8 * i + 8; r++) {
                    UNROLL_FOR (int t = 0; t < 2; t++) {
                        const int j = min(key + 16 * t + lane, p.keys - 1);
                        x[t].s[r] = fma(load_1(mask, mask_at + j * p.m_col, mask_dt()), LOG2_E,
                                x[t].s[r] * to_powers);
                    }
                    mask_at += r < below ? p.m_row : 0;
                }
                /* Not so many elements of the mask at once that results would leave their registers. */
                sub_group_barrier(CLK_LOCAL_MEM_FENCE);
            }
        }
        /* What is left to make powers of two of the scores: the factor is positive, so the maximum is the same before and after it. */
        const float left = mask_dt() ? 1 : to_powers;
        /* Sub-groups that have to take the same branches take this one in each step, and keep their bases where they do not raise them. */
        if (raise || (sd_flags() & SDF_TOGETHER)) {
            UNROLL_FOR (int r = 0; r < MT; r++) {
                const float first = HIDES_SCORES || IS_SEEN(r, 0) ? x[0].s[r] : -INFINITY;
                const float second = HIDES_SCORES || IS_SEEN(r, 1) ? x[1].s[r] : -INFINITY;
                const float top = sub_group_reduce_max(fmax(first, second)) * left,
                            most = raise ? fmax(base.s[r], top) : base.s[r];
                kept.s[r] = native_exp2(base.s[r] - most);
                base.s[r] = most;
            }
            UNROLL_FOR (int i = 0; i < MT / 8; i++) {
                sum.v[i] *= kept.v[i];
                UNROLL_FOR (int j = 0; j < NT; j++) result[i][j] *= kept.v[i];
            }
        }
        UNROLL_FOR (int r = 0; r < MT; r++)
            UNROLL_FOR (int t = 0; t < 2; t++)
                x[t].s[r] = native_exp2(fma(x[t].s[r], left, -base.s[r]));
        if (!HIDES_SCORES && part)
            UNROLL_FOR (int r = 0; r < MT; r++)
                UNROLL_FOR (int t = 0; t < 2; t++) x[t].s[r] = IS_SEEN(r, t) ? x[t].s[r] : 0;
        union {
            float8 v[MT / 8];
            float s[MT];
        } added;
        UNROLL_FOR (int i = 0; i < MT / 8; i++) added.v[i] = x[0].v[i] + x[1].v[i];
        float most = added.s[0];
        UNROLL_FOR (int r = 1; r < MT; r++) most = fmax(most, added.s[r]);
        raise = sub_group_any(most > ROOM) && !raise;
        if (sd_flags() & SDF_TOGETHER) raise = work_group_any(raise);
        if (raise) continue;

        short8 weights[2][MT / 8];
        UNROLL_FOR (int i = 0; i < MT / 8; i++) {
            sum.v[i] += added.v[i];
            UNROLL_FOR (int t = 0; t < 2; t++) weights[t][i] = narrow_weights(x[t].v[i]);
        }
        UNROLL_FOR (int j = 0; j < 2 * pairs(); j += 2) {
            uint vv[2][16];
            intel_sub_group_2d_block_read_transform_16b_32r16x2c(v.s.base, v.s.width, v.s.height,
                    v.s.pitch, (int2)(16 * j + v.s.x / 2, key + v.row), vv[0]);
            UNROLL_FOR (int t = 0; t < 2; t++)
                UNROLL_FOR (int h = 0; h < 2; h++)
                    UNROLL_FOR (int i = 0; i < MT / 8; i++)
                        result[i][j + h] = multiply(
                                weights[t][i], as_int8(vload8(0, vv[h] + 8 * t)), result[i][j + h]);
        }
    }

    UNROLL_FOR (int r = 0; r < MT; r++) {
        const float all = sub_group_reduce_add(sum.s[r]);
        sum.s[r] = all == 0 ? 0 : 1 / all;
    }
    if (plain) {
        if (lane < MT && row0 + lane < p.queries)
            NO_UNROLL_FOR (int col = 0; col < p.width; col += SD_COLUMNS)
                sd_plain(q_all, k_all, v_all, mask, factor, dst, &p, &at, row0 + lane, col);
        return;
    }
    /* Only the choice of the block is unrolled. */
    NO_UNROLL_FOR (int block = 0; block < MT / 8 * 2 * pairs(); block++) {
        union {
            float8 v;
            float s[8];
        } out;
        out.v = 0;
        UNROLL_FOR (int i = 0; i < MT / 8; i++)
            UNROLL_FOR (int j = 0; j < NT; j++)
                if (block == j * (MT / 8) + i) out.v = result[i][j] * sum.v[i];
        const int row = row0 + block % (MT / 8) * 8, col = block / (MT / 8) * 16 + lane;
        if (col >= p.width) continue;
        UNROLL_FOR (int r = 0; r < 8; r++)
            if (row + r < p.queries)
                store_1(out.s[r], dst, at.o + (row + r) * p.o_row + col * p.o_col, dst_dt());
    }
}
