/* SPDX-License-Identifier: Apache-2.0 */
/* Makes a grammar of many similar texts, as Re-Pair does (N. J. Larsson and A. Moffat, "Off-line
 * dictionary-based compression", 2000): the pairs of neighbours that are most frequent become
 * symbols of their own, until no pair is frequent. Each text can then be read alone, without what
 * is before it. */
#ifndef KERNELS_GRAMMAR_H
#define KERNELS_GRAMMAR_H

#include <stdbool.h>
#include <stdint.h>

#include "plan/packed.h"

/* The symbols of all rules, then those of all texts. src/plan/packed.h says what they mean. */
typedef struct {
    packed_phrase_t *phrases;
    uint32_t *symbols;
    uint32_t nphrases, nsymbols;
    uint32_t depth; /* rules within one another */
} grammar_t;

/* begins: gets the number of the first symbol of each of n texts. False: no memory. In both cases
 * grammar_free() frees what there is. */
bool grammar_make(grammar_t *grammar, uint32_t *begins, uint8_t *const *texts,
        const uint32_t *sizes, uint32_t n);
void grammar_free(grammar_t *grammar);

#endif
