/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the reduction, for the kernels and the planner. */
#ifndef KERNELS_REDUCE_PARAMS_H
#define KERNELS_REDUCE_PARAMS_H

#include "../lib/params.h"
#include "../lib/spec.h"

enum { SPEC_RED_OP = SPEC_FIRST_FREE, SPEC_RED_FINISH, SPEC_RED_ALONG_KEPT };
/* SPEC_RED_ALONG_KEPT: RED_TILES: neighbouring results in blocks. RED_SHARED, on GPUs without
 * sub-groups: the sub-groups of a work-group have blocks of one row, instead of rows. RED_TOGETHER,
 * there too: they share the only reduced loop of the same row or block. */
enum { RED_TILES = 1, RED_SHARED = 2, RED_TOGETHER = 4 };

/* softmax_tall.cl: work-items of a work-group, and the columns that it keeps: a power of two. */
enum { SPEC_TALL_COLUMNS = SPEC_FIRST_FREE + 1 };
enum { TALL_ITEMS = 256, TALL_FEWEST = 8, TALL_MOST = 32 };

/* How a value is combined with the accumulator. */
enum {
    RED_SUM,
    RED_MAX,
    RED_MIN,
    RED_MUL,
    RED_SUM_ABS,
    RED_SUM_SQUARE, /* (x - centre)^2 */
    RED_SUM_POWER,  /* |x|^a */
    RED_SUM_EXP     /* exp(x - centre) */
};

/* How the accumulator becomes the result. */
enum {
    RED_KEEP,
    RED_MEAN,     /* acc / count */
    RED_ROOT_MAX, /* max(acc, c)^b */
    RED_ROOT_SUM, /* (acc + c)^b */
    RED_LOG       /* log(acc) */
};

/* Vectors of accumulators per work-item, if vectors lie along the last kept loop. */
enum { RED_BLOCK_VECTORS = 64 };

/* Each position of the kept loops has one result. The reduced loops run over the elements of
 * that result. */
typedef struct {
    par_i32_t nkept, nreduced;
    par_i64_t kept_size[PAR_MAX_DIMS], reduced_size[PAR_MAX_DIMS];
    par_i64_t kept_src[PAR_MAX_DIMS], kept_dst[PAR_MAX_DIMS], kept_center[PAR_MAX_DIMS],
            reduced_src[PAR_MAX_DIMS];
    /* Positions of the kept loops, without the last one if vectors lie along it. */
    par_i64_t rows;
    par_i64_t total;     /* positions of the reduced loops */
    par_i64_t chunk;     /* positions of the reduced loops per work-item */
    par_i64_t chunk_dst; /* elements from the results of a chunk to those of the next */
    par_i32_t rows_per_item;
    par_i32_t block; /* elements of the last kept loop per work-item */
    par_i64_t count; /* source elements per result */
    float a, b, c;
} reduce_params_t;

#endif
