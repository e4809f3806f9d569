/* SPDX-License-Identifier: Apache-2.0 */
/* Rows of contiguous elements for sub-groups of 16, in tiles (sg_tile.h, SUB_GROUP_VALUES). One or
 * more sub-groups of a work-group share a row, and sg_row() computes which row and which part of
 * it. All sub-groups of a work-group execute the same reductions. */
#ifndef KERNELS_SG_H
#define KERNELS_SG_H

#include "postops.h"
#include "sub_group.h"

typedef accv_t tile_t;

/* The limits of sub-groups that share a row, and of tiles that each of them keeps in registers. */
enum { SG_MAX_GROUPS = 16, SG_MAX_TILES = 4 };

SPEC_GETTER(sg_loops, SPEC_SG_LOOPS, 1)   /* number of loops that count the rows */
SPEC_GETTER(sg_groups, SPEC_SG_GROUPS, 1) /* number of sub-groups that share a row */
SPEC_GETTER(sg_tiles, SPEC_SG_TILES, 1)   /* tiles in registers; 0: the row does not fit */

/* ---- rows ---- */

typedef struct {
    int pos[PAR_MAX_DIMS]; /* position in the first sg_loops() loops */
    int part;              /* number of this sub-group among those that share the row */
    bool valid;            /* false: the row does not exist, and nothing is stored */
} sg_row_t;

/* Row number `row`, which is below 2^31. A number beyond the last row selects the last row and
 * clears `valid`. */
static inline sg_row_t sg_row_number(const nd_params_t *p, uint row) {
    sg_row_t r;
    const uint nrows = p->nrows;
    r.part = 0;
    r.valid = row < nrows;
    row = min(row, nrows - 1);
    EACH_DOWN(d, sg_loops(), PAR_MAX_DIMS) {
        const uint size = p->size[d];
        r.pos[d] = d ? row % size : row;
        row /= size;
    }
    return r;
}

/* The row of this sub-group. */
static inline sg_row_t sg_row(const nd_params_t *p) {
    const uint group = get_group_id(0), sg = sg_number();
    sg_row_t r = sg_row_number(p, sg_groups() == 1 ? group * sg_count() + sg : group);
    if (sg_groups() > 1) r.part = sg;
    return r;
}

/* Offset of the row's first element in a tensor. */
static inline long sg_row_at(const sg_row_t *r, const par_i64_t *stride) {
    long at = 0;
    EACH (d, sg_loops(), PAR_MAX_DIMS) at += r->pos[d] * stride[d];
    return at;
}

/* ---- reductions ---- */

static inline float sg_lane_sum(tile_t x) {
    return x[0] + x[1] + (x[2] + x[3]) + (x[4] + x[5] + (x[6] + x[7]));
}
static inline float sg_lane_max(tile_t x) {
    return fmax(fmax(fmax(x[0], x[1]), fmax(x[2], x[3])), fmax(fmax(x[4], x[5]), fmax(x[6], x[7])));
}

/* Local floats that the lanes of so many sub-groups need to reduce. */
#ifdef TARGET_GROUP
#define SG_LANE_PLACES(groups) ((groups) * SG_LANES)
#else
#define SG_LANE_PLACES(groups) 0
#endif

/* Reduces over the lanes of all sub-groups that share a row. `place` is in local memory, and each
 * reduction needs its own. Its first elements are for the sub-groups, the others for the lanes. */
typedef float sg_place_t[SG_MAX_GROUPS + SG_LANE_PLACES(SG_MAX_GROUPS)];
#define SG_ACROSS(name, reduce, nothing)                                                           \
    static inline float name(float x, int part, __local float *place) {                            \
        x = reduce(x, place + SG_MAX_GROUPS);                                                      \
        if (sg_groups() == 1) return x;                                                            \
        if (sg_lane() == 0) place[part] = x;                                                       \
        barrier(CLK_LOCAL_MEM_FENCE);                                                              \
        return reduce(                                                                             \
                sg_lane() < sg_groups() ? place[sg_lane()] : nothing, place + SG_MAX_GROUPS);      \
    }
SG_ACROSS(sg_sum, lanes_sum, 0.0f)
SG_ACROSS(sg_max, lanes_max, -INFINITY)

/* The same sum for up to SG_MANY_GROUPS sub-groups. */
enum { SG_MANY_GROUPS = 64 };
typedef float sg_many_t[SG_MANY_GROUPS + SG_LANE_PLACES(SG_MANY_GROUPS)];
static inline float sg_many_sum(float x, int part, __local float *place) {
    x = lanes_sum(x, place + SG_MANY_GROUPS);
    if (sg_groups() == 1) return x;
    if (sg_lane() == 0) place[part] = x;
    barrier(CLK_LOCAL_MEM_FENCE);
    x = 0;
    for (int g = sg_lane(); g < sg_groups(); g += SG_LANES) x += place[g];
    return lanes_sum(x, place + SG_MANY_GROUPS);
}

#endif
