/* SPDX-License-Identifier: Apache-2.0 */
/* Labelled digits from the usual files. */
#ifndef LOAD_DIGITS_H
#define LOAD_DIGITS_H

#include <stddef.h>
#include <stdint.h>

typedef struct {
    size_t count;   /* images */
    size_t pixels;  /* of one image */
    uint8_t *image; /* count x pixels, row by row */
    uint8_t *label; /* count, 0..9 */
} digits_t;

/* The text format of UCI's "Optical Recognition of Handwritten Digits": a line an image, its
 * pixels and then its digit, separated by commas. Plain or gzip. Returns 0, or -1 after a
 * message on stderr with *out empty. The caller frees with digits_free(). */
int digits_load_text(digits_t *out, const char *path);
/* MNIST's IDX format: a file of images (magic 0x00000803) and one of labels (0x00000801). Plain
 * or gzip. */
int digits_load_idx(digits_t *out, const char *images_path, const char *labels_path);
/* Drawn by draw_digits(), size x size pixels. */
int digits_draw(digits_t *out, size_t count, int size, uint64_t seed);
void digits_free(digits_t *digits);

/* What a program of these digits takes on its command line: nothing (digits are drawn), two
 * files of text or four of IDX. Fills both sets, of images of one size, or returns -1 after a
 * message on stderr. */
int digits_load(digits_t *known, digits_t *asked, int nfiles, char **files);

#endif
