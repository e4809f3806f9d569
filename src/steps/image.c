/* SPDX-License-Identifier: Apache-2.0 */
#include "steps/image.h"

#include <string.h>

#include "core/status.h"
#include "core/util.h"

const char *image_channels_last(int ndims) {
    static const char *const tags[] = {"acb", "acdb", "acdeb"};
    return tags[ndims - 3];
}

bool image_tensor(cv_tensor_t *t, const md_t *md) {
    const md_blocking_t *b = &md->format_desc.blocking;
    memset(t, 0, sizeof(*t));
    if (b->inner_nblks > 1 || (b->inner_nblks == 1 && b->inner_idxs[0] != 1)) return false;
    const bool blocked = b->inner_nblks == 1;
    t->n = b->strides[0];
    t->block = blocked ? (int32_t)b->inner_blks[0] : (int32_t)max_i64(md->padded_dims[1], 1);
    t->c_outer = blocked ? b->strides[1] : 0;
    t->c_inner = blocked ? 1 : b->strides[1];
    for (int i = 0; i < 3; i++) {
        const int d = image_dim(md->ndims, i);
        t->sp[i] = d < 0 ? 0 : b->strides[d];
    }
    return true;
}

bool image_is_even(const cv_tensor_t *t, const int32_t *size) {
    int64_t step = t->sp[2];
    for (int i = 2; i > 0; i--) {
        step *= size[i];
        if (size[i - 1] > 1 && t->sp[i - 1] != step) return false;
    }
    return t->n == step * size[0];
}

const char *image_copy(planner_t *p, const operand_t *from, const md_t *md, operand_t *copy) {
    *copy = operand_in_scratch(p, md);
    return ew_copy(p, -1, from, copy);
}

/* ---- results ---- */

enum { AXES = 6 }; /* image, block of channels, depth, height, width, channel in the block */

static void set_axes(axis_t axes[AXES], const md_t *dst, int32_t block) {
    axes[0] = (axis_t){0, 1, dst->dims[0]};
    axes[1] = (axis_t){1, block, div_up(dst->padded_dims[1], block)};
    for (int i = 0; i < 3; i++) {
        const int d = image_dim(dst->ndims, i);
        axes[2 + i] = d < 0 ? (axis_t){0, 1, 1} : (axis_t){d, 1, dst->dims[d]};
    }
    axes[AXES - 1] = (axis_t){1, 1, block};
}

/* Do vectors fill the blocks of the destination? */
static bool vectors_fit(const md_t *dst, const cv_tensor_t *t, const image_stores_t *stores) {
    const int64_t channels = dst->dims[1], padded = dst->padded_dims[1], lanes = stores->lanes;
    if (lanes == 1 || t->block >= padded) return true;
    if (t->block % lanes) return false;
    if (stores->group && (stores->group % lanes || padded != channels)) return false;
    return padded <= div_up(channels, lanes) * lanes;
}

const char *image_result(
        planner_t *p, result_t *r, cv_tensor_t *t, const operand_t *dst, image_stores_t stores) {
    const md_t *md = dst->md;
    axis_t axes[AXES] = {{0}};
    const bool writable =
            image_tensor(t, md) && vectors_fit(md, t, &stores) && !dt_is_nibble(md->data_type);
    if (writable) set_axes(axes, md, t->block);
    if (result_direct(p, r, dst, writable, axes, AXES)) return NULL;
    set_axes(axes, md, (int32_t)max_i64(md->dims[1], 1));
    REFUSE_IF(result_in_scratch(
            p, r, image_channels_last(md->ndims), stores.exact, true, axes, AXES));
    image_tensor(t, &r->md);
    return NULL;
}
