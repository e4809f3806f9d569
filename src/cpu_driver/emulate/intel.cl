/* SPDX-License-Identifier: Apache-2.0 */
/* Intel's sub-group functions that PoCL lacks, in plain sub-group code: 1D and 2D block accesses,
 * and matrix multiplication. Accesses that the hardware does not support (misaligned surfaces or
 * offsets) read NaN or -1 and write nothing, so that a test notices them. */
#define BUILTIN __attribute__((overloadable, convergent))

int __attribute__((overloadable)) intel_sub_group_shuffle(int x, uint lane);

/* ---- shuffles of two values ----
 *
 * The lanes of both values count as one row, the first value's on the left. PoCL 6 has these
 * functions for some types only. */

static int down(int left, int right, uint delta) {
    const uint n = get_max_sub_group_size(), at = get_sub_group_local_id() + delta;
    const int a = intel_sub_group_shuffle(left, at % n), b = intel_sub_group_shuffle(right, at % n);
    return at < n ? a : b;
}

static int up(int left, int right, uint delta) {
    const uint n = get_max_sub_group_size();
    return down(left, right, n - delta);
}

#define SHUFFLE(name, type, to, from)                                                              \
    BUILTIN type intel_sub_group_shuffle_##name(type left, type right, uint delta) {               \
        return from(name(to(left), to(right), delta));                                             \
    }
#define SHUFFLE_WIDE(name, type)                                                                   \
    BUILTIN type intel_sub_group_shuffle_##name(type left, type right, uint delta) {               \
        const int2 l = as_int2(left), r = as_int2(right);                                          \
        return as_##type((int2)(name(l.x, r.x, delta), name(l.y, r.y, delta)));                    \
    }
#define SHUFFLES(type, to, from) SHUFFLE(down, type, to, from) SHUFFLE(up, type, to, from)
#define SHUFFLES_WIDE(type) SHUFFLE_WIDE(down, type) SHUFFLE_WIDE(up, type)
SHUFFLES(char, convert_int, convert_char)
SHUFFLES(uchar, convert_int, convert_uchar)
SHUFFLES(short, convert_int, convert_short)
SHUFFLES(ushort, convert_int, convert_ushort)
SHUFFLES(int, convert_int, convert_int)
SHUFFLES(uint, as_int, as_uint)
SHUFFLES(float, as_int, as_float)
SHUFFLES_WIDE(long)
SHUFFLES_WIDE(ulong)
SHUFFLES_WIDE(double)

/* ---- products over a work-group ---- */

#define PRODUCTS(type)                                                                             \
    BUILTIN type work_group_scan_inclusive_mul(type x) {                                           \
        const uint nx = get_local_size(0), ny = get_local_size(1), nz = get_local_size(2);         \
        const uint own = (get_local_id(2) * ny + get_local_id(1)) * nx + get_local_id(0);          \
        type product = 1;                                                                          \
        for (uint i = 0; i < nx * ny * nz; i++) {                                                  \
            const type factor = work_group_broadcast(x, i % nx, i / nx % ny, i / (nx * ny));       \
            product = i <= own ? product * factor : product;                                       \
        }                                                                                          \
        return product;                                                                            \
    }
PRODUCTS(long)
PRODUCTS(float)
PRODUCTS(double)

/* ---- 2D block accesses ----
 *
 * A surface has a base address, a width in bytes, a height in rows and a pitch in bytes. The corner
 * of a block counts elements and rows. Elements outside of the surface read as 0 and are not
 * written. */

static bool good_surface(
        __global void *base, int width, int height, int pitch, int2 xy, int bytes) {
    const int limit = 1 << 24;
    return ((ulong)base & 63) == 0 && width >= 64 && width <= limit && (width & 3) == 0 &&
           height > 0 && height <= limit && pitch >= width && pitch <= limit && (pitch & 15) == 0 &&
           (xy.x * bytes & 3) == 0;
}

static bool inside(int width, int height, int x, int y, int bytes) {
    return x >= 0 && y >= 0 && (x + 1) * bytes <= width && y < height;
}

#define BYTES_ushort 2
#define BYTES_uint 4
#define BYTES_uchar 1
#define LOAD_OF(type)                                                                              \
    static uint load_##type(__global void *base, int width, int height, int pitch, int x, int y) { \
        if (!inside(width, height, x, y, BYTES_##type)) return 0;                                  \
        return ((__global const type *)((__global const uchar *)base + (long)y * pitch))[x];       \
    }
LOAD_OF(uchar)
LOAD_OF(ushort)
LOAD_OF(uint)

/* Reads `count` adjacent blocks of 16 columns. Each lane gets the elements of one column. */
#define READ(name, type, rows, count)                                                              \
    BUILTIN void intel_sub_group_2d_block_read_##name(                                             \
            __global void *base, int width, int height, int pitch, int2 xy, __private type *out) { \
        const bool good = good_surface(base, width, height, pitch, xy, BYTES_##type);              \
        const int lane = get_sub_group_local_id();                                                 \
        for (int i = 0; i < rows * count; i++)                                                     \
            out[i] = good ? load_##type(base, width, height, pitch, xy.x + i / rows * 16 + lane,   \
                                    xy.y + i % rows)                                               \
                          : (type) - 1;                                                            \
    }
READ(16b_8r16x1c, ushort, 8, 1)
READ(16b_8r16x2c, ushort, 8, 2)
READ(16b_16r16x1c, ushort, 16, 1)
READ(16b_16r16x2c, ushort, 16, 2)
READ(16b_32r16x1c, ushort, 32, 1)
READ(16b_32r16x2c, ushort, 32, 2)
READ(32b_8r16x1c, uint, 8, 1)
READ(32b_16r16x1c, uint, 16, 1)
READ(32b_32r16x1c, uint, 32, 1)

/* Reads a block of 8 columns: the 16 lanes get two rows at a time. */
#define READ_8(name, rows)                                                                         \
    BUILTIN void intel_sub_group_2d_block_read_32b_##name(                                         \
            __global void *base, int width, int height, int pitch, int2 xy, __private uint *out) { \
        const bool good = good_surface(base, width, height, pitch, xy, 4);                         \
        const int lane = get_sub_group_local_id();                                                 \
        for (int i = 0; i < rows / 2; i++)                                                         \
            out[i] = good ? load_uint(base, width, height, pitch, xy.x + lane % 8,                 \
                                    xy.y + 2 * i + lane / 8)                                       \
                          : 0xffffffffu;                                                           \
    }
READ_8(8r8x1c, 8)
READ_8(16r8x1c, 16)
READ_8(32r8x1c, 32)

/* Reads blocks like READ, but packs several rows into each 32-bit value, with the first row in the
 * lowest bits. */
#define READ_TRANSFORM(name, type, rows, count)                                                    \
    BUILTIN void intel_sub_group_2d_block_read_transform_##name(                                   \
            __global void *base, int width, int height, int pitch, int2 xy, __private uint *out) { \
        const bool good = good_surface(base, width, height, pitch, xy, BYTES_##type);              \
        const int lane = get_sub_group_local_id(), n = 4 / BYTES_##type, high = rows / n;          \
        for (int i = 0; i < high * count; i++) {                                                   \
            uint v = 0;                                                                            \
            for (int e = 0; e < n; e++)                                                            \
                v |= load_##type(base, width, height, pitch, xy.x + i / high * 16 + lane,          \
                             xy.y + i % high * n + e)                                              \
                     << e * 8 * BYTES_##type;                                                      \
            out[i] = good ? v : 0xffffffffu;                                                       \
        }                                                                                          \
    }
READ_TRANSFORM(16b_16r16x1c, ushort, 16, 1)
READ_TRANSFORM(16b_16r16x2c, ushort, 16, 2)
READ_TRANSFORM(16b_32r16x1c, ushort, 32, 1)
READ_TRANSFORM(16b_32r16x2c, ushort, 32, 2)
READ_TRANSFORM(8b_32r16x1c, uchar, 32, 1)
READ_TRANSFORM(8b_32r16x2c, uchar, 32, 2)
READ_TRANSFORM(8b_32r16x4c, uchar, 32, 4)

/* Reads a transposed block: each lane gets one row. */
#define READ_TRANSPOSE(name, columns)                                                              \
    BUILTIN void intel_sub_group_2d_block_read_transpose_##name(                                   \
            __global void *base, int width, int height, int pitch, int2 xy, __private uint *out) { \
        const bool good = good_surface(base, width, height, pitch, xy, 4);                         \
        const int lane = get_sub_group_local_id();                                                 \
        for (int i = 0; i < columns; i++)                                                          \
            out[i] = good ? load_uint(base, width, height, pitch, xy.x + i, xy.y + lane)           \
                          : 0xffffffffu;                                                           \
    }
READ_TRANSPOSE(32b_16r4x1c, 4)
READ_TRANSPOSE(32b_16r8x1c, 8)

#define PREFETCH(name)                                                                             \
    BUILTIN void intel_sub_group_2d_block_prefetch_##name(                                         \
            __global void *base, int width, int height, int pitch, int2 xy) {                      \
        (void)base, (void)width, (void)height, (void)pitch, (void)xy;                              \
    }
PREFETCH(16b_8r16x1c)
PREFETCH(16b_8r16x2c)
PREFETCH(16b_16r16x2c)
PREFETCH(16b_32r16x1c)
PREFETCH(16b_32r16x2c)

#define WRITE(name, type)                                                                          \
    static void write_rows_##type(                                                                 \
            __global void *base, int width, int height, int pitch, int2 xy, __private type *in) {  \
        const int x = xy.x + (int)get_sub_group_local_id();                                        \
        if (!good_surface(base, width, height, pitch, xy, BYTES_##type)) return;                   \
        for (int i = 0; i < 8; i++)                                                                \
            if (inside(width, height, x, xy.y + i, BYTES_##type))                                  \
                ((__global type *)((__global uchar *)base + (long)(xy.y + i) * pitch))[x] = in[i]; \
    }                                                                                              \
    BUILTIN void intel_sub_group_2d_block_write_##name(                                            \
            __global void *base, int width, int height, int pitch, int2 xy, __private type *in) {  \
        write_rows_##type(base, width, height, pitch, xy, in);                                     \
    }
WRITE(16b_8r16x1c, ushort)
WRITE(32b_8r16x1c, uint)

/* ---- 1D block accesses: element i of a lane is at i * (sub-group size) + lane ----
 *
 * The compiler turns calls of the read functions into instructions, and PoCL turns these into calls
 * of the functions below. A function that called another by such a name would call itself, so a
 * static function does the work of each. Names from SPIR-V have lost `const`. */

#define LINES(name, type, vector, n, space, where)                                                 \
    static vector line_of_##where##name(space type *p) {                                           \
        union {                                                                                    \
            vector v;                                                                              \
            type s[n];                                                                             \
        } out;                                                                                     \
        const uint lane = get_sub_group_local_id(), size = get_sub_group_size();                   \
        for (uint i = 0; i < n; i++)                                                               \
            out.s[i] = ((ulong)p & 3) == 0 ? p[i * size + lane] : (type) - 1;                      \
        return out.v;                                                                              \
    }                                                                                              \
    BUILTIN vector intel_sub_group_block_read##name(space type *p) {                               \
        return line_of_##where##name(p);                                                           \
    }                                                                                              \
    BUILTIN vector intel_sub_group_block_read##name(const space type *p) {                         \
        return line_of_##where##name((space type *)p);                                             \
    }                                                                                              \
    BUILTIN void intel_sub_group_block_write##name(space type *p, vector v) {                      \
        union {                                                                                    \
            vector v;                                                                              \
            type s[n];                                                                             \
        } in;                                                                                      \
        const uint lane = get_sub_group_local_id(), size = get_sub_group_size();                   \
        in.v = v;                                                                                  \
        for (uint i = 0; i < n && ((ulong)p & 15) == 0; i++) p[i * size + lane] = in.s[i];         \
    }
#define ALL_LINES(space, where)                                                                    \
    LINES(, uint, uint, 1, space, where)                                                           \
    LINES(2, uint, uint2, 2, space, where)                                                         \
    LINES(4, uint, uint4, 4, space, where)                                                         \
    LINES(8, uint, uint8, 8, space, where)                                                         \
    LINES(_us, ushort, ushort, 1, space, where)                                                    \
    LINES(_us2, ushort, ushort2, 2, space, where)                                                  \
    LINES(_us4, ushort, ushort4, 4, space, where)                                                  \
    LINES(_us8, ushort, ushort8, 8, space, where)                                                  \
    LINES(_uc, uchar, uchar, 1, space, where)                                                      \
    LINES(_uc2, uchar, uchar2, 2, space, where)                                                    \
    LINES(_uc4, uchar, uchar4, 4, space, where)                                                    \
    LINES(_uc8, uchar, uchar8, 8, space, where)
ALL_LINES(__global, global)
ALL_LINES(__local, local)

/* ---- matrix multiplication ----
 *
 * acc += a * b, where acc and a have 8 rows and each lane has one column of acc and b. Each of the
 * 8 values of b holds 32 bits of the lane's column, along k. A row of a is 256 bits spread over the
 * lanes: 16 bits in each lane of a sub-group of 16, or 32 bits in each lane of a sub-group of 8. */

static float half_value(uint bits) {
    const ushort h = bits;
    return vload_half(0, (const half *)&h);
}
static float bf16_value(uint bits) {
    return as_float(bits << 16);
}
static int signed_byte(uint bits) {
    return (char)bits;
}
static int unsigned_byte(uint bits) {
    return bits & 255;
}

/* Adds the products of 32 bits of a row of a (`pair`) and of a column of b (`w`), along k. Both
 * hold n elements of `bits` bits. */
#define MAD_DWORD(sum, pair, w, n, bits, a_value, b_value)                                         \
    for (int e = 0; e < n; e++) sum += a_value((pair) >> e * bits) * b_value((w) >> e * bits)

#define MATRIX(name, a_t, b_t, acc_t, scalar_t, n, bits, a_value, b_value, width)                  \
    BUILTIN acc_t intel_sub_group_##name(a_t a, b_t b, acc_t acc) {                                \
        union {                                                                                    \
            a_t v;                                                                                 \
            int s[width / 2];                                                                      \
        } from;                                                                                    \
        union {                                                                                    \
            b_t v;                                                                                 \
            uint s[8];                                                                             \
        } column;                                                                                  \
        union {                                                                                    \
            acc_t v;                                                                               \
            scalar_t s[8];                                                                         \
        } sum;                                                                                     \
        from.v = a;                                                                                \
        column.v = b;                                                                              \
        sum.v = acc;                                                                               \
        for (uint k = 0; k < 8; k++)                                                               \
            for (int i = 0; i < 4; i++) {                                                          \
                uint row[2];                                                                       \
                if (width == 8) { /* each lane has 16 bits of two rows */                          \
                    const uint low = intel_sub_group_shuffle(from.s[i], 2 * k);                    \
                    const uint high = intel_sub_group_shuffle(from.s[i], 2 * k + 1);               \
                    row[0] = (low & 0xffff) | high << 16;                                          \
                    row[1] = low >> 16 | (high & 0xffff0000u);                                     \
                } else {                                                                           \
                    row[0] = intel_sub_group_shuffle(from.s[(2 * i) % (width / 2)], k);            \
                    row[1] = intel_sub_group_shuffle(from.s[(2 * i + 1) % (width / 2)], k);        \
                }                                                                                  \
                MAD_DWORD(sum.s[2 * i], row[0], column.s[k], n, bits, a_value, b_value);           \
                MAD_DWORD(sum.s[2 * i + 1], row[1], column.s[k], n, bits, a_value, b_value);       \
            }                                                                                      \
        return sum.v;                                                                              \
    }
/* `width` is twice the size of a in integers: 8 for vectors of 8 elements of 16 bits (sub-groups of
 * 16), 16 for elements of 32 bits (sub-groups of 8). */
#define MATRICES(a16, a32, b, acc, scalar, name, n, bits, a_value, b_value)                        \
    MATRIX(name, a16, b, acc, scalar, n, bits, a_value, b_value, 8)                                \
    MATRIX(name, a32, b, acc, scalar, n, bits, a_value, b_value, 16)
MATRICES(short8, int8, int8, float8, float, f16_f16_matrix_mad_k16, 2, 16, half_value, half_value)
MATRICES(short8, int8, int8, float8, float, bf16_bf16_matrix_mad_k16, 2, 16, bf16_value, bf16_value)
MATRICES(short8, int8, int8, int8, int, i8_i8_matrix_mad_k32, 4, 8, signed_byte, signed_byte)
MATRICES(short8, int8, uint8, int8, int, i8_u8_matrix_mad_k32, 4, 8, signed_byte, unsigned_byte)
MATRICES(ushort8, uint8, int8, int8, int, u8_i8_matrix_mad_k32, 4, 8, unsigned_byte, signed_byte)
MATRICES(ushort8, uint8, uint8, int8, int, u8_u8_matrix_mad_k32, 4, 8, unsigned_byte, unsigned_byte)

/* tf32: a row of a is 8 elements, in the lower or the upper 8 lanes. tf32 has the upper bits of
 * f32, without rounding. */
static float tf32_value(uint bits) {
    return as_float(bits & 0xffffe000u);
}

BUILTIN float8 intel_sub_group_tf32_tf32_matrix_mad_k8(float4 a, float8 b, float8 acc) {
    union {
        float4 v;
        int s[4];
    } from;
    union {
        float8 v;
        uint s[8];
    } column;
    union {
        float8 v;
        float s[8];
    } sum;
    from.v = a;
    column.v = b;
    sum.v = acc;
    for (uint k = 0; k < 8; k++)
        for (int r = 0; r < 8; r++)
            sum.s[r] += tf32_value(intel_sub_group_shuffle(from.s[r / 2], r % 2 * 8 + k)) *
                        tf32_value(column.s[k]);
    return sum.v;
}

/* ---- accesses whose messages the program keeps ----
 *
 * All lanes make a message together, and the handle of a lane is a part of it: the base; width and
 * height; pitch and size of the blocks; the corner. An access reads the handles of these lanes. */

int *__builtin_IB_subgroup_createBlock2DAddressPayload(long base, int width, int height, int pitch,
        int x, int y, int block_width, int block_height, int blocks) {
    const int block = block_width | block_height << 8 | blocks << 16;
    const uint lane = get_sub_group_local_id();
    const int2 part = lane == 0   ? as_int2(base)
                      : lane == 1 ? (int2)(width, height)
                      : lane == 2 ? (int2)(pitch, block)
                                  : (int2)(x, y);
    return (int *)as_long(part);
}
/* Only prefetches set a corner anew. */
void __builtin_IB_subgroup_setBlock2DAddressPayloadBlockX(int *message, int x) {
    (void)message, (void)x;
}
void __builtin_IB_subgroup_setBlock2DAddressPayloadBlockY(int *message, int y) {
    (void)message, (void)y;
}
void __builtin_IB_subgroup_block_read_ap_prefetch_u16_m32k16v2(
        int *message, int x, int y, int caches) {
    (void)message, (void)x, (void)y, (void)caches;
}

static int2 part_of_message(int *message, uint lane) {
    const int2 own = as_int2((long)message);
    return (int2)(intel_sub_group_shuffle(own.x, lane), intel_sub_group_shuffle(own.y, lane));
}

#define WRITE_KEPT(name, type, vector)                                                             \
    void __builtin_IB_subgroup_block_write_ap_##name(                                              \
            int *message, int x, int y, vector rows, int caches) {                                 \
        const long base = as_long(part_of_message(message, 0));                                    \
        const int2 size = part_of_message(message, 1) + 1, pitch = part_of_message(message, 2),    \
                   xy = part_of_message(message, 3) + (int2)(x, y);                                \
        union {                                                                                    \
            vector v;                                                                              \
            type s[8];                                                                             \
        } in;                                                                                      \
        (void)caches;                                                                              \
        in.v = rows;                                                                               \
        if (pitch.y == (16 | 8 << 8 | 1 << 16))                                                    \
            write_rows_##type((__global void *)base, size.x, size.y, pitch.x + 1, xy,              \
                    (__private type *)in.s);                                                       \
    }
WRITE_KEPT(u16_m8k16v1, ushort, short8)
WRITE_KEPT(u32_m8k16v1, uint, int8)

/* ---- conversions ---- */

/* To the nearest bf16, in the middle to the even one. A NaN stays one. */
short8 __builtin_IB_ftobf_8(float8 x) {
    const uint8 bits = as_uint8(x), nearest = bits + 0x7fff + (bits >> 16 & 1);
    return as_short8(convert_ushort8(select(nearest, bits | 0x400000, as_uint8(isnan(x))) >> 16));
}
