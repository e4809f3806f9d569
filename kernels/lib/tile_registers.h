/* SPDX-License-Identifier: Apache-2.0 */
/* Tile registers of the CPU driver (src/cpu_driver/dots.h): products of MR rows by NR = 32 columns
 * of words. */
#ifndef KERNELS_TILE_REGISTERS_H
#define KERNELS_TILE_REGISTERS_H

#include "dots.h"

/* Numbers of tiles are constants. */
void ze_cpu_tile_configure(__private const char *shapes);
void ze_cpu_tile_load(uchar tile, __private const char *from, long pitch);
void ze_cpu_tile_store(uchar tile, __private char *to, long pitch);
void ze_cpu_tile_zero(uchar tile);
void ze_cpu_tile_release(void);
#if DOTS == 4
void ze_cpu_tile_dot_u8s8(uchar sum, uchar a, uchar b);
#define tile_dot ze_cpu_tile_dot_u8s8
#else
void ze_cpu_tile_dot_bf16(uchar sum, uchar a, uchar b);
#define tile_dot ze_cpu_tile_dot_bf16
#endif

enum { TILE_WORDS = 16 }; /* of a row of a tile */

/* The tiles of a product of MR rows by 32 columns. a and b have 16 words along k; the last ones of
 * a sum may have fewer. */
#define SUM_LEFT 0
#define SUM_RIGHT 1
#define A_WHOLE 2
#define B_LEFT 3
#define B_RIGHT 4
#define A_REST 5
#define REST_LEFT 6
#define REST_RIGHT 7

#define AS_PRIVATE(p) ((__private char *)(ulong)(p))

/* Sets the shapes for products along k of so many words. */
DOTS_FUNCTION void open_tiles(int rows, int words) {
    const uint n = rows, rest = words % TILE_WORDS, row = 64 | 64 << 16;
    const uint16 shapes = (uint16)(1, 0, 0, 0, /* bytes of rows: */ row, row, 64 | rest << 18,
            rest ? row : 0, 0, 0, 0, 0, /* numbers of rows: */ n | n << 8 | n << 16 | 16u << 24,
            16 | (rest ? n : 0) << 8 | rest << 16 | rest << 24, 0, 0);
    ze_cpu_tile_configure(AS_PRIVATE(&shapes));
}

DOTS_FUNCTION void close_tiles(void) {
    ze_cpu_tile_release();
}

/* Are pointers to n rows equally far apart? */
static inline bool rows_are_even(__global const elem_t *const *a, int n) {
    bool even = true;
    for (int i = 2; i < n; i++) even = even && a[i] - a[i - 1] == a[1] - a[0];
    return even;
}

/* Adds the products of two tiles of words, a by b, whose rows are NR words apart. */
#define TILE_PRODUCTS(a, left, right, from, pitch, b)                                              \
    do {                                                                                           \
        ze_cpu_tile_load(a, AS_PRIVATE(from), pitch);                                              \
        ze_cpu_tile_load(left, AS_PRIVATE(b), NR * 4);                                             \
        tile_dot(SUM_LEFT, a, left);                                                               \
        ze_cpu_tile_load(right, AS_PRIVATE((b) + 16), NR * 4);                                     \
        tile_dot(SUM_RIGHT, a, right);                                                             \
    } while (0)
#define CLEAR_SUMS()                                                                               \
    do {                                                                                           \
        ze_cpu_tile_zero(SUM_LEFT);                                                                \
        ze_cpu_tile_zero(SUM_RIGHT);                                                               \
    } while (0)
#define STORE_SUMS(sums)                                                                           \
    do {                                                                                           \
        ze_cpu_tile_store(SUM_LEFT, AS_PRIVATE(sums), 128);                                        \
        ze_cpu_tile_store(SUM_RIGHT, AS_PRIVATE((sums) + 1), 128);                                 \
    } while (0)

/* Copies up to 16 words of the rows `from` to `to` - 1, beginning with word k; the others become
 * zeros. */
static inline void copy_words(
        int16 *copy, __global const elem_t *const *a, long at, int k, int n, int from, int to) {
    for (int i = 0; i < MR; i++) {
        copy[i] = 0;
        if (i < from || i >= to) continue;
        if (n >= TILE_WORDS) copy[i] = vload16(0, (__global const int *)(a[i] + at + k * DOTS));
        else
            for (int j = 0; j < n; j++) ((int *)&copy[i])[j] = load_word(a[i] + at, k + j);
    }
}

/* Adds the products of so many words of the rows of a, which begin at a[i] + at, by those at b, and
 * advances b. Rows are `pitch` bytes apart, or are copied: those from `from` to `to` - 1, where the
 * others are zeros. */
#define MULTIPLY_ROWS(a, at, words, b, copies, pitch, from, to)                                    \
    do {                                                                                           \
        int16 copy[MR];                                                                            \
        for (int k = 0; k < (words); k += TILE_WORDS) {                                            \
            const int n = min((words) - k, (int)TILE_WORDS);                                       \
            ulong row = (ulong)((a)[0] + (at) + k * DOTS);                                         \
            if (copies) {                                                                          \
                copy_words(copy, a, at, k, n, from, to);                                           \
                row = (ulong)copy;                                                                 \
            }                                                                                      \
            const long step = (copies) ? 64 : (pitch);                                             \
            if (n == TILE_WORDS) TILE_PRODUCTS(A_WHOLE, B_LEFT, B_RIGHT, row, step, b);            \
            else TILE_PRODUCTS(A_REST, REST_LEFT, REST_RIGHT, row, step, b);                       \
            b += n * NR;                                                                           \
        }                                                                                          \
    } while (0)

#endif
