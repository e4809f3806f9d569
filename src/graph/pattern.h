/* SPDX-License-Identifier: Apache-2.0 */
/* Patterns of operations, written as text:
 *
 *   x = MatMul(q, k)             an operation that consumes the values q and k; x is its output
 *   x = Add|Subtract(x, _)       one of several kinds, and any second input
 *   x = Quantize:f32in(x)?       optional, with a condition on the operation
 *   x = U|B(x, _)*               repeated, up to 19 times; + is at least once
 *   b <- Dequantize(c)           the operation that produces b; also with ? and *
 *   1 <- Dequantize(_)           the operation that produces input 1 of the operation before
 *   @ <- Dequantize(_)           the operations that produce each input of the operation before
 *   { x = Tanh(x) ... }?         several operations or none of them
 *
 * Names are single small letters. A name stands for a value. It gets one where it is not known yet:
 * as an input of the operation, or left of the sign. Inputs that are not written are any. U stands
 * for functions of one tensor, B for operations of two. The first two inputs of Add, Multiply,
 * Maximum and Minimum and the last two of Select may be exchanged.
 *
 * A value that an operation of the match produces must not be consumed both inside and outside,
 * unless an End consumes it inside. */
#ifndef GRAPH_PATTERN_H
#define GRAPH_PATTERN_H

#include "graph/edges.h"

enum { PATTERN_NAMES = 26, PATTERN_OPS = 800, PATTERN_ITEMS = 800, PATTERN_INPUTS = 4 };

/* A condition: producer is the operation that the first named input comes from, or NULL. */
typedef bool (*condition_t)(const op_t *op, const op_t *producer);

typedef enum { ITEM_CONSUMER, ITEM_PRODUCER, ITEM_OPEN, ITEM_CLOSE } item_kind_t;

typedef struct {
    item_kind_t kind;
    char out;                  /* a letter, a digit, or @ */
    uint64_t kinds[2];         /* bit: permitted */
    char in[PATTERN_INPUTS];   /* letters or _; 0: not written */
    condition_t conditions[3]; /* NULL: no more */
    int least, most;
    int close; /* of ITEM_OPEN: the number of its ITEM_CLOSE */
} item_t;

typedef struct {
    int nitems;
    item_t items[PATTERN_ITEMS];
} pattern_t;

/* Texts are those of the library: they are right. */
void pattern_parse(pattern_t *pattern, const char *text);

typedef struct {
    size_t names[PATTERN_NAMES]; /* values, or NOTHING */
    size_t nops;
    size_t ops[PATTERN_OPS]; /* in the order of the pattern's items */
} match_t;

/* Operations that are searched for patterns. */
typedef struct {
    const edges_t *edges;
    size_t *groups; /* of each operation: the group that it belongs to already, or NOTHING */
    size_t *stack;  /* room for the search */
    bool *seen;
} searched_t;
dnnl_status_t searched_make(searched_t *in, const edges_t *edges); /* without groups */
void searched_end(searched_t *in);

/* Finds operations without a group that follow the pattern, the first of which is `first`. */
bool pattern_match(const pattern_t *pattern, const searched_t *in, size_t first, match_t *match);
bool match_has(const match_t *match, size_t op);

#endif
