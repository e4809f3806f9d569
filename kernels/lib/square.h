/* SPDX-License-Identifier: Apache-2.0 */
/* Squares of 16 x 16 floats in registers, for kernels with VW 16. */
#ifndef KERNELS_SQUARE_H
#define KERNELS_SQUARE_H

/* Elements of two vectors, alternately: within each quarter of four elements, those from `first`
 * on, one by one or in pairs; or every second quarter. Each is one instruction of AVX-512. */
#define MIX_ONES(a, b, f)                                                                          \
    __builtin_shufflevector(a, b, f, 16 + f, 1 + f, 17 + f, 4 + f, 20 + f, 5 + f, 21 + f, 8 + f,   \
            24 + f, 9 + f, 25 + f, 12 + f, 28 + f, 13 + f, 29 + f)
#define MIX_PAIRS(a, b, f)                                                                         \
    __builtin_shufflevector(a, b, f, 1 + f, 16 + f, 17 + f, 4 + f, 5 + f, 20 + f, 21 + f, 8 + f,   \
            9 + f, 24 + f, 25 + f, 12 + f, 13 + f, 28 + f, 29 + f)
#define MIX_QUARTERS(a, b, f)                                                                      \
    __builtin_shufflevector(a, b, f, 1 + f, 2 + f, 3 + f, 8 + f, 9 + f, 10 + f, 11 + f, 16 + f,    \
            17 + f, 18 + f, 19 + f, 24 + f, 25 + f, 26 + f, 27 + f)

/* Rows become columns. */
static inline void square_turn(float16 *r) {
    float16 t[16];
    UNROLL_FOR (int i = 0; i < 16; i += 2) {
        t[i] = MIX_ONES(r[i], r[i + 1], 0);
        t[i + 1] = MIX_ONES(r[i], r[i + 1], 2);
    }
    UNROLL_FOR (int i = 0; i < 16; i += 4) {
        r[i] = MIX_PAIRS(t[i], t[i + 2], 0);
        r[i + 1] = MIX_PAIRS(t[i], t[i + 2], 2);
        r[i + 2] = MIX_PAIRS(t[i + 1], t[i + 3], 0);
        r[i + 3] = MIX_PAIRS(t[i + 1], t[i + 3], 2);
    }
    UNROLL_FOR (int i = 0; i < 4; i++) {
        t[0] = MIX_QUARTERS(r[i], r[4 + i], 0);
        t[1] = MIX_QUARTERS(r[i], r[4 + i], 4);
        t[2] = MIX_QUARTERS(r[8 + i], r[12 + i], 0);
        t[3] = MIX_QUARTERS(r[8 + i], r[12 + i], 4);
        r[i] = MIX_QUARTERS(t[0], t[2], 0);
        r[4 + i] = MIX_QUARTERS(t[1], t[3], 0);
        r[8 + i] = MIX_QUARTERS(t[0], t[2], 4);
        r[12 + i] = MIX_QUARTERS(t[1], t[3], 4);
    }
}

#endif
