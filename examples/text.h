/* SPDX-License-Identifier: Apache-2.0 */
/* Text for programs that learn to continue it, character by character. */
#ifndef EXAMPLES_TEXT_H
#define EXAMPLES_TEXT_H

#include <stddef.h>

typedef struct {
    size_t size;
    int *character; /* `size` indices below `vocabulary` */
    int vocabulary;
    unsigned char byte[256]; /* of an index */
} text_t;

/* Reads files, one after another; without files README.md and docs/ in the folder that the
 * program was built with. Ends the program with a sentence if there is too little of it. */
void text_read(text_t *text, char *const *files, int count, size_t least);
void text_close(text_t *text);

/* Chooses one of `count` characters by the logarithms of their probabilities. `at`, a random number
 * in [0, 1), decides. Below a temperature of 1, likely ones are chosen more often. */
int text_choose(const float *log_shares, int count, double temperature, double at);

#endif
