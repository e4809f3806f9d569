/* SPDX-License-Identifier: Apache-2.0 */
#include "steps/local_tile.h"

#include "core/util.h"
#include "plan/variant.h"

/* Work-items of a work-group, and how many of them lie beside and below one another. */
enum { ITEMS = 256, SIDE = 16 };
/* Columns of a vector. */
enum { VECTOR = 4 };
/* Rows of a work-item in the smallest tile. */
enum { FEWEST = 4 };

const uint32_t local_tile_group[3] = {ITEMS, 1, 1};

int64_t local_tile_rows(int variant) {
    return SIDE * variants[variant].geometry.mr;
}

int64_t local_tile_columns(int variant) {
    return SIDE * VECTOR * variants[variant].geometry.nv;
}

const char *local_tile_can(
        const planner_t *p, int variant, int64_t rows, int64_t columns, int64_t products) {
    const variant_geometry_t *g = &variants[variant].geometry;
    const caps_t *caps = p->caps;
    if (caps->max_group_size < ITEMS) return "the device has small work-groups";
    if (variant_is_forced(p->pd, variant)) return NULL;
    const int64_t across = div_up(columns, local_tile_columns(variant)),
                  below = div_up(rows, local_tile_rows(variant));
    if (g->nv > 1 && across * g->nv > div_up(columns, SIDE * VECTOR))
        return "half of the last tile would have no columns";
    if (g->mr > FEWEST && rows <= SIDE * FEWEST) return "half of the tile would have no rows";
    /* Vectors of the device that have work: an eighth of its threads at least. */
    const int64_t vectors = across * below * products * div_up(ITEMS, max_i64(caps->simd_width, 1));
    return g->mr > FEWEST && vectors < caps->compute_units / 8 ? "there are few tiles" : NULL;
}
