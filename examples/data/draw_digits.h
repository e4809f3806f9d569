/* SPDX-License-Identifier: Apache-2.0 */
/* Handwritten-looking digits drawn by the program itself, for when no data set is at hand. */
#ifndef DRAW_DIGITS_H
#define DRAW_DIGITS_H

#include <stddef.h>
#include <stdint.h>

/* Draws `count` grey images of size x size pixels (0 background, 255 ink), row by row, one after
 * the other into `pixels`, and writes the digit each one shows (0..9, in turn) into `labels`.
 * Slant, thickness, scale, position, the course of the strokes and the noise are random; the
 * same seed draws the same images. */
void draw_digits(uint8_t *pixels, uint8_t *labels, size_t count, int size, uint64_t seed);

#endif
