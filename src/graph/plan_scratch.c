/* SPDX-License-Identifier: Apache-2.0 */
/* Where the parts of a program's scratchpad are. */
#include "core/alloc.h"
#include "core/check.h"
#include "graph/program.h"

/* A part, from its first use to its last. */
typedef struct {
    chunk_t chunk;
    size_t first, last; /* steps */
    size_t at;          /* where it is now */
    bool used;
} life_t;

/* The part that a place is in. */
static life_t *life_of(life_t *lives, size_t n, size_t at) {
    size_t low = 0, high = n;
    while (high - low > 1) {
        const size_t middle = (low + high) / 2;
        if (lives[middle].chunk.at <= at) low = middle;
        else high = middle;
    }
    return &lives[low];
}

static void find_lives(const program_t *program, life_t *lives) {
    for (size_t s = 0; s < program->nsteps; s++)
        for (int i = 0; i < program->steps[s].noperands; i++) {
            const place_t place = program->steps[s].operands[i].place;
            if (place.kind != AT_SCRATCH) continue;
            life_t *life = life_of(lives, program->nchunks, place.at);
            if (!life->used) life->first = s;
            life->used = true;
            life->last = s;
        }
}

static bool overlap(const life_t *a, const life_t *b) {
    return a->first <= b->last && b->first <= a->last;
}

/* The lowest bytes that no part has at the same time, among those that are placed. */
static size_t lowest(const life_t *lives, size_t n, const life_t *life) {
    size_t at = 0;
    for (bool moved = true; moved;) {
        moved = false;
        for (size_t i = 0; i < n; i++) {
            const life_t *other = &lives[i];
            if (!other->used || !overlap(life, other)) continue;
            if (at >= other->at + other->chunk.size || other->at >= at + life->chunk.size) continue;
            at = (other->at + other->chunk.size + SCRATCH_ALIGNMENT - 1) & ~(size_t)63;
            moved = true;
        }
    }
    return at;
}

static void place_all(program_t *program, life_t *lives) {
    program->scratch = 0;
    for (size_t i = 0; i < program->nchunks; i++) {
        life_t *life = &lives[i];
        if (!life->used) continue;
        life->at = lowest(lives, i, life);
        const size_t end = life->at + life->chunk.size;
        if (end > program->scratch) program->scratch = end;
    }
    for (size_t s = 0; s < program->nsteps; s++)
        for (int i = 0; i < program->steps[s].noperands; i++) {
            place_t *place = &program->steps[s].operands[i].place;
            if (place->kind != AT_SCRATCH) continue;
            const life_t *life = life_of(lives, program->nchunks, place->at);
            place->at += life->at - life->chunk.at;
        }
}

dnnl_status_t program_finish(program_t *program) {
    if (!program->nchunks) return dnnl_success;
    life_t *lives = dz_calloc(program->nchunks, sizeof *lives);
    if (!lives) return dnnl_out_of_memory;
    for (size_t i = 0; i < program->nchunks; i++) lives[i].chunk = program->chunks[i];
    find_lives(program, lives);
    place_all(program, lives);
    dz_free(lives);
    dz_free(program->chunks);
    program->chunks = NULL;
    program->nchunks = 0;
    if (program->scratch) program->scratch += SCRATCH_ALIGNMENT;
    return dnnl_success;
}
