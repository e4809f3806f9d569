/* SPDX-License-Identifier: Apache-2.0 */
/* The structure that the concatenation kernel receives by value. */
#ifndef KERNELS_CONCAT_PARAMS_H
#define KERNELS_CONCAT_PARAMS_H

#include "../lib/params.h"

enum { CAT_SOURCES = 16, CAT_DIMS = 8 };

/* Loops from the outermost to the innermost. The sources lie one after the other along
 * loop `axis`. */
typedef struct {
    par_i32_t ndims, axis;
    par_i32_t rows_per_item; /* a row is the innermost loop */
    par_i32_t reserved;
    par_i32_t size[CAT_DIMS]; /* size[axis] is not used */
    par_i32_t dst_stride[CAT_DIMS];
    par_i32_t begin[CAT_SOURCES]; /* position on the axis of the destination */
    par_i32_t len[CAT_SOURCES];   /* length on the axis; 0: there is no such source */
    par_i32_t src_stride[CAT_SOURCES][CAT_DIMS];
} cat_params_t;

#endif
