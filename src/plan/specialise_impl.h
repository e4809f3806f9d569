/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of specialise.h share: a module in pieces, and the specialised functions. */
#ifndef PLAN_SPECIALISE_IMPL_H
#define PLAN_SPECIALISE_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "core/plan.h"

enum { NOWHERE = UINT32_MAX };

/* What is known of a value: nothing yet, that it is an integer or a truth value known now, or that
 * only the device will know it. Values only move down this list. */
typedef enum { UNSEEN, CONSTANT, VARYING } state_t;
typedef struct {
    state_t state;
    uint64_t bits; /* of a CONSTANT: zero above the width of its type */
} value_t;

/* A straight run of instructions from its label to its terminator: word numbers of these. */
typedef struct {
    uint32_t begin, last, end; /* end: behind the terminator */
} block_t;

typedef struct copy copy_t;

typedef struct {
    uint32_t begin, end; /* from OpFunction to behind OpFunctionEnd: word numbers */
    uint32_t first_block, nblocks;
    uint32_t nlocals, nparameters;
    uint32_t first_decoration; /* of its identifiers, a list; word number or NOWHERE */
    bool is_entry, is_used;    /* is_used: written, if it has no blocks */
    copy_t *copies;
} function_t;

/* A function specialised by the constants among its arguments. */
struct copy {
    copy_t *next, *next_to_write;
    uint32_t function;
    uint32_t first_id; /* its identifiers are first_id + local number; 0: those of the function */
    value_t result;
    bool is_running, is_written;
    enum { NOT_ASKED, PURE, NOT_PURE } effects; /* whether a call only computes its result */
    value_t *values;     /* of each local identifier; parameters first given by the caller */
    uint8_t *is_live;    /* of each local identifier: something that is written uses it */
    uint8_t *is_reached; /* of each block */
};

/* Where an identifier is defined. */
typedef struct {
    uint32_t at;       /* word number of the instruction; NOWHERE: nowhere */
    uint32_t function; /* NOWHERE: outside of functions */
    uint32_t local;    /* its number in the function */
    uint32_t block;    /* of labels */
} place_t;

typedef struct {
    uint32_t *words;
    size_t n, room;
    bool failed; /* no memory */
} buffer_t;

typedef struct {
    uint32_t type, id;
    uint64_t bits;
} known_t;

typedef struct {
    uint32_t *words;
    size_t nwords;
    uint32_t bound, next_id;
    place_t *places; /* of `bound` identifiers */
    function_t *functions;
    block_t *blocks;
    uint32_t *next_decoration; /* of each word: the list of a function's decorations */
    uint32_t nfunctions, nblocks, ncopies;
    bool failed;    /* no memory */
    known_t *known; /* constants of the output */
    uint32_t nknown, known_room;
    buffer_t head, decorations, globals, code;
    copy_t *to_write;
} module_parts_t;

/* The width of an integer type, 1 for truth values, 0 for other types. */
uint32_t specialise_width(const module_parts_t *m, uint32_t type);
/* The result of an instruction whose operands have `width` bits, and the result `to`. */
value_t specialise_fold(
        uint32_t op, const value_t *operands, uint32_t n, uint32_t width, uint32_t to);

/* Finds functions, blocks and identifiers. False: there is no memory, or an instruction is not
 * known. */
bool specialise_read(module_parts_t *m);
/* What is known of an identifier in a copy. */
value_t specialise_value(const module_parts_t *m, const copy_t *copy, uint32_t id);
/* Whether the terminator of a reached block may lead to the block with this label. */
bool specialise_may_go(
        const module_parts_t *m, const copy_t *copy, const block_t *from, uint32_t label);
/* The copy of a function for a call; NULL: there is no memory. */
copy_t *specialise_copy(module_parts_t *m, const copy_t *caller, const uint32_t *call);
copy_t *specialise_entry(module_parts_t *m, uint32_t function);
/* Writes everything into the buffers. */
void specialise_write(module_parts_t *m);

#endif
