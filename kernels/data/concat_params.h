/* SPDX-License-Identifier: Apache-2.0 */
/* What the kernel that concatenates many sources takes by value. */
#ifndef KERNELS_CONCAT_PARAMS_H
#define KERNELS_CONCAT_PARAMS_H

#include "../lib/params.h"

enum { CAT_SOURCES = 16, CAT_DIMS = 8 };

/* Loops from the outermost to the innermost; `axis` is the one along which the sources lie one
 * after the other. */
typedef struct {
    par_i32_t ndims, axis;
    par_i32_t rows_per_item; /* rows: all loops but the last */
    par_i32_t reserved;
    par_i32_t size[CAT_DIMS]; /* of the axis: not used */
    par_i32_t dst_stride[CAT_DIMS];
    par_i32_t begin[CAT_SOURCES]; /* on the axis of the destination */
    par_i32_t len[CAT_SOURCES];   /* 0: no such source */
    par_i32_t src_stride[CAT_SOURCES][CAT_DIMS];
} cat_params_t;

#endif
