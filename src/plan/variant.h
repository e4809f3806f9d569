/* SPDX-License-Identifier: Apache-2.0 */
/* The compiled kernels: kernels/variants.def as C sees it. */
#ifndef PLAN_VARIANT_H
#define PLAN_VARIANT_H

#include "plan/planner.h"

typedef enum {
    TARGET_PORTABLE,
    TARGET_CPU,
    TARGET_GROUP,
    TARGET_SG16,
    TARGET_XMX16,
    TARGET_XMX8
} target_t;

enum { SPEC_WORDS = 4 };

/* The shape of a variant's code, from the same columns as the macros of its kernel. What a
 * variant does not name is 0. */
typedef struct {
    int mt, nt;   /* matrix units: rows of a sub-group's tile, columns in units of the lanes */
    int sgm, sgn; /* sub-groups of a work-group that share inputs, below and beside one another */
    int piece;    /* pixels of a tile that lie beside one another in the image; 0: any do */
    int mr, nv;   /* register tiles: rows, and vectors in a row */
    int nc;       /* vectors of channels */
    int vw;       /* elements of a vector */
    int min_simd; /* registers that the tile is made for, in 32-bit elements: the fewest */
    int max_simd; /* and the most; 0: any */
    bool large_file;   /* would spill in the 128 registers of a device without a large file */
    int min_registers; /* of 8 lanes of a thread, without which it would spill; 0: any number */
    int dots;          /* elements in a word of the CPU driver's dot products; 0: it uses none */
    int max_rows;      /* rows, or pixels, that the tile is made for; 0: any number */
    int max_columns;   /* columns, or output channels, that the tile is made for; 0: any number */
    bool ints;         /* sums of integers */
    bool tf32;         /* f32 multiplied as tf32 */
    bool pairs;        /* two 16-bit factors at a time */
    bool shorts;       /* writes 16-bit integers */
    bool columns;      /* works along a dimension that is not the contiguous one */
    bool hold;         /* keeps an operand in registers */
    bool use_f64;      /* computes in doubles */
    bool derivatives;  /* the eltwise algorithms of the epilogue are derivatives */
} variant_geometry_t;

typedef struct {
    const char *id;     /* "eltwise_portable" */
    const char *entry;  /* kernel function */
    const char *family; /* "eltwise": variants of a family stand together, best first */
    target_t target;
    plan_fn plan; /* plan_none: a step in the plans of others */
    variant_geometry_t geometry;
    uint64_t spec_ids[SPEC_WORDS]; /* a bit for each specialisation constant of the module */
    uint64_t spirv_hash;           /* the same in every build that compiles the same */
    bool needs_fp64;               /* the module declares double arithmetic */
    bool needs_fp16;               /* the module declares half arithmetic */
} variant_t;

extern const variant_t variants[];
extern const int variant_count;

/* The module of a variant as drivers take it, to be freed with dz_free(), and its size in bytes.
 * NULL: no memory. */
uint32_t *variant_spirv_new(int variant, size_t *size);

/* Is it made for sub-groups of 16 lanes: the device's, or work-items that stand for them? */
static inline bool variant_has_lanes(const variant_t *variant) {
    return variant->target == TARGET_SG16 || variant->target == TARGET_GROUP;
}
static inline bool variant_has_matrix_units(const variant_t *variant) {
    return variant->target == TARGET_XMX16 || variant->target == TARGET_XMX8;
}
/* What the device lacks that the variant needs, as a sentence; NULL: nothing. */
const char *variant_lacks(const variant_t *variant, const caps_t *caps);
bool variant_runs_on(const variant_t *variant, const caps_t *caps);
/* False: a test has forced another variant of the family. */
bool variant_is_wanted(const pd_t *pd, int variant);
/* NULL, or that the CPU's vectors are narrower than the variant's registers: a rule about speed. */
const char *variant_is_too_wide(int variant, const caps_t *caps);
/* NULL, or why a tile that is made for few rows, of which it has `tile`, is not the fastest: there
 * are too many, or one of `larger` rows leaves no more of its last tile unused. A rule about speed,
 * too; pixels of a convolution are rows. */
const char *variant_is_too_small(int variant, int64_t rows, int tile, int larger);
/* Has a test forced this variant? Then rules about speed do not count. */
bool variant_is_forced(const pd_t *pd, int variant);

/* The name of the target in names of implementations: "any", "cpu", ... */
const char *target_name(const variant_t *variant);
/* pd->impl_name from pd->variant. */
void name_variant(pd_t *pd);
/* A primitive that has nothing to do: no kernel, an empty plan, no scratchpad. Unimplemented for
 * further implementations. */
dnnl_status_t nothing_to_do(pd_t *pd);

#endif
