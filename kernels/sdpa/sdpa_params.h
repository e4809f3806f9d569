/* SPDX-License-Identifier: Apache-2.0 */
/* Structures that the kernels of attention take by value, and the meaning of their flags. */
#ifndef KERNELS_SDPA_PARAMS_H
#define KERNELS_SDPA_PARAMS_H

#include "../lib/params.h"
#include "../lib/spec.h"

enum { SD_OUTER = 4 };

/* Specialisation constants besides SPEC_SRC_DT (queries), SPEC_SRC1_DT (keys), SPEC_DST_DT and
 * SPEC_FLAGS. */
enum {
    SPEC_SD_VALUE_DT = SPEC_FIRST_FREE,
    SPEC_SD_MASK_DT,  /* 0: there is none */
    SPEC_SD_SCALE_DT, /* of a scale in memory; 0: it is a number of the host's */
    SPEC_SD_STEPS,    /* xmx16.cl: steps of 32 elements along a head */
    SPEC_SD_PAIRS     /* xmx16.cl: steps of 32 elements along a value */
};

/* Bits of SPEC_FLAGS. */
enum {
    SDF_DIVIDE = 1,  /* scores are divided by the scale */
    SDF_CAUSAL = 2,  /* not all queries see all keys */
    SDF_ROWS = 4,    /* rows of keys are contiguous, and not their columns */
    SDF_TOGETHER = 8 /* xmx16.cl: the sub-groups of a work-group have to take the same branches */
};

/* Largest head and value sizes of kernels that hold a row of either. */
enum { SD_MAX_SIZE = 256 };

/* Elements from one to the next of everything. A query sees `first` keys, and `step` more for each
 * query before it, up to all. */
typedef struct {
    par_i32_t nouter, queries, keys, size, width; /* size: of a head; width: of a value */
    par_i32_t first, step;
    par_i32_t outer[SD_OUTER],
            share[SD_OUTER]; /* so many matrices of queries share one of keys and one of values */
    par_i64_t q_outer[SD_OUTER], k_outer[SD_OUTER], v_outer[SD_OUTER], m_outer[SD_OUTER],
            o_outer[SD_OUTER];
    par_i64_t q_row, q_col, k_row, k_col, v_row, v_col, m_row, m_col, o_row,
            o_col;                       /* k: a row for each element of the head */
    par_i32_t q_pitch, k_pitch, v_pitch; /* xmx16.cl: bytes */
} sd_params_t;

#endif
