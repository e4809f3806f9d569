/* SPDX-License-Identifier: Apache-2.0 */
/* What matmul.c and matmul_plan.c share. */
#ifndef OPS_MATMUL_H
#define OPS_MATMUL_H

#include "kernels/matmul/matmul_params.h"
#include "steps/elementwise.h"

/* A problem with everything known: run-time dims count as 1 where mds is NULL. */
typedef struct {
    const pd_t *pd;
    const caps_t *caps;
    const md_t *const *mds; /* by slot, or NULL */
    plan_t *plan;
    int ndims;
    int64_t m, n, k;
    int src_slot, wei_slot, dst_slot;
    md_t src, wei, dst;
    bool exact;                /* 8-bit integers, summed up as 32-bit ones */
    bool scale_src, scale_wei; /* scales that change along k: applied before the sum */
    const epilogue_t *chain;   /* what follows the sum; NULL: that of a matmul */
    uint64_t scratch;          /* bytes of the scratchpad used so far */
    char reason[192];          /* why the work is divided as it is; only for the verbose log */
} matmul_t;

/* How a row goes through the weights. */
typedef enum {
    WALK_PANELS,  /* packed, or where they are if they are small */
    WALK_PAIRS,   /* packed as 16-bit integers, two k at a time; so is the source */
    WALK_ROWS,    /* where they are, for few rows of the source */
    WALK_COLUMNS, /* where they are, transposed, for few rows of the source */
    WALK_WIDE, /* where they are, in panels as wide as the nearest cache has sums for, for few rows */
} matmul_walk_t;

/* The rows of the kernel table for CPUs, with what their flags say. */
typedef struct {
    int row;
    int mr, nv; /* a tile is mr x (16 * nv) */
    matmul_walk_t walk;
    uint32_t min_simd, max_simd; /* widths of vectors that the tile is made for */
} matmul_tile_t;

extern const matmul_tile_t matmul_tiles[];
extern const int matmul_tile_count;
enum { MATMUL_FEW_ROWS = 8, MATMUL_WIDE_ROWS = 32, MATMUL_SMALL_WEIGHTS = 1 << 16 /* elements */ };

/* Shapes, of descriptors that may have run-time dims. bias: may be NULL. */
dnnl_status_t matmul_check_shapes(
        const md_t *src, const md_t *wei, const md_t *bias, const md_t *dst);
/* All of init() for a matmul that has a sparse tensor. */
dnnl_status_t matmul_sparse_init(pd_t *pd, const caps_t *caps);
/* The same for one whose source is a list of groups. */
dnnl_status_t matmul_grouped_init(pd_t *pd, const caps_t *caps);

/* Does the scale or zero point change along k, or come in groups? */
bool matmul_quant_inside(const quant_t *q, int ndims);

/* Where a kernel finds the scale or zero point of an element of `like`, the first dimension of which is the kernel's dimension `first`.
 * NULL: there is none. */
void matmul_set_quant(mm_quant_t *out, const quant_t *q, const md_t *like, int first);

/* Says in the dispatch log how the work of the row that was taken is divided, and why. */
void matmul_tell(const matmul_t *mm, const char *kind);

/* Writes the plan for a row into mm->plan and the scratchpad's size into mm->scratch; NULL, or why the row
 * does not take the problem. */
const char *matmul_plan(matmul_t *mm, int row);
/* The same after steps that are there: inputs with slot -1 are plain and lie in the scratchpad, at the offset
 * in their descriptor. */
const char *matmul_steps(matmul_t *mm, int row);

#endif
