/* SPDX-License-Identifier: Apache-2.0 */
/* The dot products of src/cpu_driver/dots.h, for a CPU that lacks the instructions. */

/* Byte k of each lane, as unsigned and as signed. */
#define UNSIGNED(a, k) (as_int16(as_uint16(a) << (24 - 8 * (k)) >> 24))
#define SIGNED(b, k) ((b) << (24 - 8 * (k)) >> 24)

int16 ze_cpu_dot_u8s8(int16 sum, int16 a, int16 b) {
    sum += UNSIGNED(a, 0) * SIGNED(b, 0) + UNSIGNED(a, 1) * SIGNED(b, 1);
    return sum + UNSIGNED(a, 2) * SIGNED(b, 2) + UNSIGNED(a, 3) * SIGNED(b, 3);
}

/* The float whose upper half this is; 0 with the same sign if it is subnormal. */
static float16 widened(int16 upper) {
    return as_float16((upper & 0x7f800000) == 0 ? upper & (int)0x80000000 : upper);
}

float16 ze_cpu_dot_bf16(float16 sum, int16 a, int16 b) {
    sum += widened(a & (int)0xffff0000) * widened(b & (int)0xffff0000);
    return sum + widened(a << 16) * widened(b << 16);
}

/* ---- tile registers ---- */

enum { TILES = 8, ROWS = 16, WORDS = 16 };

typedef struct {
    int words[TILES][ROWS][WORDS];
    int bytes_of_row[TILES], rows[TILES];
} tiles_t;

/* A variable of the kernel: llvm_dots.c puts it in the place of the calls. */
__private int *ze_cpu_tile_memory(void);

static __private tiles_t *all_tiles(void) {
    return (__private tiles_t *)ze_cpu_tile_memory();
}

void ze_cpu_tile_zero(uchar tile) {
    __private tiles_t *t = all_tiles();
    for (int row = 0; row < ROWS; row++)
        for (int i = 0; i < WORDS; i++) t->words[tile][row][i] = 0;
}

void ze_cpu_tile_release(void) {
    __private tiles_t *t = all_tiles();
    for (int tile = 0; tile < TILES; tile++) t->rows[tile] = t->bytes_of_row[tile] = 0;
}

void ze_cpu_tile_configure(__private const char *shapes) {
    __private tiles_t *t = all_tiles();
    for (int tile = 0; tile < TILES; tile++) {
        const uchar low = shapes[16 + 2 * tile], high = shapes[17 + 2 * tile];
        t->bytes_of_row[tile] = low | high << 8;
        t->rows[tile] = (uchar)shapes[48 + tile];
        ze_cpu_tile_zero(tile);
    }
}

/* Rows and words beyond the shape become zeros. */
void ze_cpu_tile_load(uchar tile, __private const char *from, long pitch) {
    __private tiles_t *t = all_tiles();
    __private char *to = (__private char *)t->words[tile];
    ze_cpu_tile_zero(tile);
    for (int row = 0; row < t->rows[tile]; row++)
        for (int i = 0; i < t->bytes_of_row[tile]; i++)
            to[row * 4 * WORDS + i] = from[row * pitch + i];
}

void ze_cpu_tile_store(uchar tile, __private char *to, long pitch) {
    __private const tiles_t *t = all_tiles();
    __private const char *from = (__private const char *)t->words[tile];
    for (int row = 0; row < t->rows[tile]; row++)
        for (int i = 0; i < t->bytes_of_row[tile]; i++)
            to[row * pitch + i] = from[row * 4 * WORDS + i];
}

/* Adds to each row of the sum its products: words of a row of a by rows of b. */
#define PRODUCTS(name, dot, as_sums)                                                               \
    void name(uchar sum, uchar a, uchar b) {                                                       \
        __private tiles_t *t = all_tiles();                                                        \
        for (int row = 0; row < t->rows[sum]; row++) {                                             \
            __private int *to = t->words[sum][row];                                                \
            int16 sums = vload16(0, to);                                                           \
            for (int k = 0; k < t->bytes_of_row[a] / 4; k++)                                       \
                sums = as_int16(dot(                                                               \
                        as_sums(sums), (int16)(t->words[a][row][k]), vload16(0, t->words[b][k]))); \
            for (int i = 0; i < t->bytes_of_row[sum] / 4; i++)                                     \
                to[i] = ((__private int *)&sums)[i];                                               \
        }                                                                                          \
    }
PRODUCTS(ze_cpu_tile_dot_u8s8, ze_cpu_dot_u8s8, as_int16)
PRODUCTS(ze_cpu_tile_dot_bf16, ze_cpu_dot_bf16, as_float16)
