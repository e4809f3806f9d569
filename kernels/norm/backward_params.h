/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the backward propagation of batch and group normalization on CPUs. */
#ifndef KERNELS_BACKWARD_PARAMS_H
#define KERNELS_BACKWARD_PARAMS_H

#include "../lib/params.h"
#include "../lib/spec.h"

enum { SPEC_BACKWARD_FLAGS = SPEC_FIRST_FREE };
enum {
    BACKWARD_MASK = 1,     /* the gradient is zero where the mask is */
    BACKWARD_SCALE = 2,    /* the result is scaled */
    BACKWARD_INSIDE = 4,   /* so is the gradient in the means */
    BACKWARD_CORRECT = 8,  /* the means are subtracted */
    BACKWARD_COLUMNS = 16, /* channels lie next to each other */
};
/* Channels of a work-item that lie next to each other. */
enum { BACKWARD_BLOCK = 512 };

/* The tensors are arrays of outer x rows x columns: images and blocks of channels, pixels, and
 * the channels of a block. */
typedef struct {
    par_i64_t outer, rows, columns;
    par_i64_t blocks;         /* of channels in an image */
    par_i64_t rows_per_item;  /* the work-items along a group's dimension 0 */
    par_i64_t outer_per_item; /* along dimension 1 */
    par_i32_t of_images;      /* statistics are of channels of an image, else of all images */
    par_i32_t pad;
} backward_params_t;

#endif
