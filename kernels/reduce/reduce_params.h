/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the reduction, for the kernel and for the code that writes plans. */
#ifndef KERNELS_REDUCE_PARAMS_H
#define KERNELS_REDUCE_PARAMS_H

#include "../lib/params.h"
#include "../lib/spec.h"

enum { SPEC_RED_OP = SPEC_FIRST_FREE, SPEC_RED_FINISH, SPEC_RED_ALONG_KEPT };

/* How a value joins the accumulator. */
enum {
    RED_SUM,
    RED_MAX,
    RED_MIN,
    RED_MUL,
    RED_SUM_ABS,
    RED_SUM_SQUARE, /* of the distance from the centre */
    RED_SUM_POWER,  /* |x|^a */
    RED_SUM_EXP     /* exp(x - centre) */
};

/* What becomes of the accumulator. */
enum {
    RED_KEEP,
    RED_MEAN,     /* acc / count */
    RED_ROOT_MAX, /* max(acc, c)^b */
    RED_ROOT_SUM, /* (acc + c)^b */
    RED_LOG       /* log(acc) */
};

/* Elements of the last kept loop that a work-item has accumulators for, where vectors lie along it.
 */
enum { RED_BLOCK_VECTORS = 32 };

/* Positions of the kept loops have a result each; the reduced loops run over what goes into it. */
typedef struct {
    par_i32_t nkept, nreduced;
    par_i64_t kept_size[PAR_MAX_DIMS], reduced_size[PAR_MAX_DIMS];
    par_i64_t kept_src[PAR_MAX_DIMS], kept_dst[PAR_MAX_DIMS], kept_center[PAR_MAX_DIMS],
            reduced_src[PAR_MAX_DIMS];
    /* positions of the kept loops, of all but the last where vectors lie along that */
    par_i64_t rows;
    par_i64_t total;     /* positions of the reduced loops */
    par_i64_t chunk;     /* of those, how many a work-item does */
    par_i64_t chunk_dst; /* the results of a further chunk lie so many elements on */
    par_i32_t rows_per_item;
    par_i32_t block; /* elements of the last kept loop that a work-item does */
    par_i64_t count; /* source elements of each result */
    float a, b, c;
} reduce_params_t;

#endif
