/* SPDX-License-Identifier: Apache-2.0 */
/* The kernel table as C sees it (kernels/variants.def), and the choice of a row. */
#ifndef OPS_SELECT_H
#define OPS_SELECT_H

#include "core/primitive_desc.h"

typedef enum { TARGET_PORTABLE, TARGET_CPU, TARGET_SG16, TARGET_XMX16, TARGET_XMX8 } target_t;

enum { SPEC_WORDS = 4 };

typedef struct {
    const char *id;     /* "eltwise_any" */
    const char *entry;  /* kernel function */
    const char *family; /* "eltwise": rows of a family stand together, best first */
    target_t cls;
    const uint8_t *start, *end;    /* of the module as it is embedded: variant_spirv_new() */
    size_t spirv_size;             /* of SPIR-V, in bytes */
    uint64_t spec_ids[SPEC_WORDS]; /* a bit for each specialisation constant of the module */
    uint64_t spirv_hash;           /* the same in every build that compiles the same */
    bool needs_fp64;               /* the module declares double arithmetic */
    bool needs_fp16;               /* the module declares half arithmetic */
} variant_t;

extern const variant_t variants[];
extern const int variant_count;

/* The module of a row as drivers take it, to be freed with dz_free(); NULL: no memory. */
uint32_t *variant_spirv_new(const variant_t *row);

/* Sums are kept by matrix units, of 16 or of 8 lanes. */
static inline bool variant_has_matrix_units(const variant_t *row) {
    return row->cls == TARGET_XMX16 || row->cls == TARGET_XMX8;
}
bool variant_runs_on(const variant_t *row, const caps_t *caps); /* class and capabilities */

/* Walks the rows of a family in order: first that runs on the device and for which fits() answers NULL (else
 * fits() answers the reason as a sentence for the log), skipping pd->impl_index such rows. Sets pd->row;
 * unimplemented if none is left. */
typedef const char *(*variant_fits_fn)(const pd_t *pd, const caps_t *caps, int row);
dnnl_status_t select_variant(
        pd_t *pd, const caps_t *caps, const char *family, variant_fits_fn fits);

const char *target_name(const variant_t *row); /* "any", "cpu", ... */
/* pd->impl_name from pd->row. */
void name_variant(pd_t *pd);
/* A primitive that has nothing to do: no kernel, an empty plan, no scratchpad. Unimplemented for further
 * implementations. */
dnnl_status_t nothing_to_do(pd_t *pd);

/* For tests: when >= 0, select_variant() takes this row or none where the row's family is asked for. */
extern int select_forced_variant;

#endif
