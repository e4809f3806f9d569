/* SPDX-License-Identifier: Apache-2.0 */
/* Structures that the kernels of attention receive by value, and their flags. */
#ifndef KERNELS_SDPA_PARAMS_H
#define KERNELS_SDPA_PARAMS_H

#include "../lib/params.h"
#include "../lib/spec.h"

enum { SD_OUTER = 4 };

/* Specialisation constants besides SPEC_SRC_DT (queries), SPEC_SRC1_DT (keys), SPEC_DST_DT and
 * SPEC_FLAGS. */
enum {
    SPEC_SD_VALUE_DT = SPEC_FIRST_FREE,
    SPEC_SD_MASK_DT,  /* 0: there is no mask */
    SPEC_SD_SCALE_DT, /* type of a scale in memory; 0: the scale is a host scalar */
    SPEC_SD_STEPS,    /* xmx16.cl: steps of 32 elements along a head */
    SPEC_SD_PAIRS,    /* xmx16.cl: steps of 32 elements along a value */
    /* portable.cl: types of the scales and zero points of keys and values; 0: there are none */
    SPEC_SD_KEY_SCALE_DT,
    SPEC_SD_KEY_ZERO_DT,
    SPEC_SD_VALUE_SCALE_DT,
    SPEC_SD_VALUE_ZERO_DT,
    SPEC_SD_CAP_DT,          /* type of a soft cap in memory; 0: the cap is a host scalar */
    SPEC_SD_FILL_DT,         /* the same for what replaces scores */
    SPEC_SD_WEIGHT_DT,       /* type that weights are rounded to; 0: they are not */
    SPEC_SD_WEIGHT_SCALE_DT, /* type of its scale in memory; 0: a host scalar, or there is none */
    SPEC_SD_WEIGHT_ZERO_DT   /* the same for its zero point */
};

/* Bits of SPEC_FLAGS. */
enum {
    SDF_DIVIDE = 1,   /* scores are divided by the scale instead of multiplied */
    SDF_CAUSAL = 2,   /* causal mask: not all queries see all keys */
    SDF_ROWS = 4,     /* the rows of the key matrix are contiguous, not its columns */
    SDF_UNIFORM = 8,  /* xmx16.cl: all sub-groups of a work-group must take the same branches */
    SDF_STATS = 16,   /* the kernel stores the statistics of each query */
    SDF_CAP = 32,     /* scores are capped before the mask */
    SDF_CHOOSE = 64,  /* the mask is of booleans: scores where it is 0 are replaced */
    SDF_INVERT = 128, /* with SDF_CHOOSE: those where it is not 0 */
    SDF_DROPOUT = 256,
    SDF_DROP_HOST = 512,  /* probability, seed and offset are host scalars */
    SDF_DROP_MASK = 1024, /* the kernel stores which weights it keeps */
    /* There is such a factor, f32, or zero point, s32, of a whole tensor. */
    SDF_QUERY_SCALE = 2048,
    SDF_QUERY_ZERO = 4096,
    SDF_KEY_SCALE = 8192,
    SDF_VALUE_SCALE = 16384,
    SDF_DST_SCALE = 32768,
    SDF_DST_ZERO = 65536
};

/* The limit of head and value sizes in kernels that keep a whole row of either. */
enum { SD_MAX_SIZE = 256 };

/* All strides are in elements. The first query sees `first` keys, and each further query sees
 * `step` more keys, up to all of them. */
typedef struct {
    par_i32_t nouter, queries, keys, size, width; /* size: of a head; width: of a value */
    par_i32_t first, step;
    /* share: number of query matrices that share a matrix of keys and one of values. */
    par_i32_t outer[SD_OUTER], share[SD_OUTER];
    par_i64_t q_outer[SD_OUTER], k_outer[SD_OUTER], v_outer[SD_OUTER], m_outer[SD_OUTER],
            o_outer[SD_OUTER];
    /* The key matrix has a row for each element of the head. */
    par_i64_t q_row, q_col, k_row, k_col, v_row, v_col, m_row, m_col, o_row, o_col;
    par_i32_t q_pitch, k_pitch, v_pitch; /* xmx16.cl: pitches in bytes */
} sd_params_t;

/* Scales or zero points of keys or of values: that of element (row, col) of a matrix is number
 * offset of the matrix + row / group[0] * row + col / group[1] * col, where the factors are members
 * of this structure. */
typedef struct {
    par_i32_t group[2];
    par_i32_t outer[SD_OUTER], row, col;
} sd_quant_t;

/* portable.cl: keys and values that are not multiplied as they are stored. */
typedef struct {
    sd_quant_t key_scale, key_zero, value_scale, value_zero;
} sd_quants_t;

#endif
