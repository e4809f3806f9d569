/* SPDX-License-Identifier: Apache-2.0 */
/* What the files of slim_params.h share: the structures that a kernel receives, and what it reads
 * of them. */
#ifndef PLAN_SLIM_IMPL_H
#define PLAN_SLIM_IMPL_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "plan/slim_params.h"
#include "plan/spirv_form.h"

enum {
    MOST_STRUCTS = 8,
    MOST_MEMBERS = 192, /* of all these structures */
    MOST_PARAMETERS = 64,
    STORAGE_FUNCTION = 7
};

#define NO_ELEMENT UINT32_MAX
#define ANY_REACH UINT32_MAX
#define MANY UINT32_MAX

/* A member of a structure that kernels receive. */
typedef struct {
    uint32_t type;
    uint32_t length, kept; /* of an array: its elements, and how many of the first stay; else 1 */
    int structure;         /* number of the structure that it is; -1: none */
    uint32_t index;        /* its number in the new structure */
    uint32_t index_type;   /* of a constant with its number */
    uint32_t new_index, new_type, new_pointer; /* identifiers; 0: as before */
    bool is_used;
} member_t;

typedef struct {
    uint32_t type;
    int first, n; /* members */
    bool is_whole;
} struct_t;

typedef struct {
    const uint32_t *words;
    size_t nwords, first_function;
    uint32_t bound, next_id;
    uint32_t *places;   /* of each identifier: its instruction, or 0 */
    uint16_t *array_of; /* of each identifier: the member, an array, that it points to, from 1 */
    uint16_t *inside;   /* the same, if it points into a member or an element of one */
    uint32_t *element;  /* and its number, if that is a constant; else NO_ELEMENT */
    uint32_t *before;   /* of each block: the only one that leads to it, 0, or MANY */
    uint32_t *end;      /* of each block: its terminator */
    uint32_t block;     /* that is looked at */
    uint32_t *reach;    /* of each pointer that a function is given: elements that it reads */
    uint32_t entry, nparameters, parameters[MOST_PARAMETERS];
    bool by_value[MOST_PARAMETERS];
    uint64_t dropped; /* a bit for each parameter of the kernel that it never uses */
    uint32_t nothing[MOST_PARAMETERS]; /* what its function is given in place of these */
    uint32_t entry_type;               /* of the kernel without them; 0: as before */
    struct_t structs[MOST_STRUCTS];
    member_t members[MOST_MEMBERS];
    int nstructs, nmembers;
    char name[SLIM_NAME_ROOM];
    uint32_t *out;
    size_t nout;
} slim_t;

/* The instruction that defines an identifier. */
static inline const uint32_t *slim_at(const slim_t *m, uint32_t id) {
    return m->words + m->places[id];
}
bool slim_is_op(const slim_t *m, uint32_t id, uint32_t op);
bool slim_is_constant(const slim_t *m, uint32_t id, uint32_t *value);
/* The number of a structure of this type, or -1. */
int slim_struct_of_type(const slim_t *m, uint32_t type);
/* The structure that a value points to, or -1. */
int slim_pointee(const slim_t *m, uint32_t id);

/* Finds the structures, and what is read of them. False: there is no memory, or the module has no
 * such structures, several kernels, or something that is not known. */
bool slim_read(slim_t *m);
/* Sets m->dropped. False: there is no memory. */
bool slim_find_unused(slim_t *m);
/* The parameter of the called function that gets operand k; 0: the function is imported. */
uint32_t slim_parameter(const slim_t *m, const uint32_t *call, uint32_t k);
bool slim_is_chain(uint32_t op); /* of accesses */
/* Keeps all of a structure. */
void slim_keep_whole(slim_t *m, int s);
/* Whether an instruction is an access chain whose base is a pointer to a structure or into it. */
bool slim_is_followed(const slim_t *m, const uint32_t *w);
/* Follows such a chain. out: NULL, or the instruction in the new module, whose words are changed.
 * Returns whether the chain is understood. */
bool slim_follow(slim_t *m, const uint32_t *w, uint32_t *out);

/* Writes the new module to m->out, and its size to m->nout; m->out is NULL if there is nothing to
 * remove or no memory. */
void slim_write(slim_t *m);

#endif
