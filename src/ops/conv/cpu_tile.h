/* SPDX-License-Identifier: Apache-2.0 */
/* What the plans of the register tiles for CPUs consist of. */
#ifndef OPS_CONV_CPU_TILE_H
#define OPS_CONV_CPU_TILE_H

#include "ops/conv/cpu.h"

/* What the kernel reads and writes. It points into itself: not to be copied. */
typedef struct {
    int variant;
    int columns; /* output channels of a tile */
    int pixels;  /* of a tile, whose results are stored together */
    bool pieces; /* they lie beside one another in a row */
    operand_t src, wei;
    md_t copy, packed, by_taps;
    bool has_phases, has_bias;
    bool pads_rows; /* the copy of the source has rows of zeros */
    bool moves;     /* the source moves by 128: sums begin at `start` */
    operand_t start;
    md_t start_md;
    result_t r;
    cv_tile_t p;
} conv_tile_t;

/* Elements in a word of the variant's dot products; 0: it has none. */
int conv_tile_dots(int variant);
/* Is the number of pixels of a tile a constant of the module? */
bool conv_tile_chooses_pixels(int variant);
/* Has a tile few pixels of many channels? They need fewer loads and instructions for each
 * product. */
bool conv_tile_is_wide(int variant);
/* Are windows padded, and do rows divide into pieces of up to `most` pixels, but into none of the
 * variant's? */
bool conv_tile_wants_pieces(const conv_t *cv, int variant, int most);
/* Do pixels so many bytes apart share a set of the L1 cache? */
bool conv_tile_shares_set(int64_t distance);

/* Do the channels of all taps of a row take fewer words than those of one tap after the other, as
 * three channels of bytes do? The copy of the source then has no whole words for each pixel, and
 * panels of weights have none for each tap. */
bool conv_tile_joins_taps(const conv_t *cv, int variant);

/* Finds out how tiles read the source, and writes the step that copies it where they cannot read it
 * where it is. x->p has the window and the channels. NULL, or why it cannot be. */
const char *conv_tile_source(const conv_t *cv, conv_tile_t *x);

#endif
