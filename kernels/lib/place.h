/* SPDX-License-Identifier: Apache-2.0 */
/* Positions in tensors of activations, for kernels whose work-items each compute one element:
 * (channel, spatial position, image). */
#ifndef KERNELS_PLACE_H
#define KERNELS_PLACE_H

#include "image_params.h"

static inline long channel_at(const cv_tensor_t *t, int c) {
    return (c / t->block) * t->c_outer + (c % t->block) * t->c_inner;
}

/* The same without divisions where channels are in no blocks. */
static inline long plain_channel_at(const cv_tensor_t *t, int c) {
    return c < t->block ? c * t->c_inner : channel_at(t, c);
}

/* Returns the offset of channel c at the work-item's position in a tensor with spatial dimensions
 * `size`. pos receives image, block of channels and the three spatial positions, as po_seek()
 * expects them. The position in the block is passed to po_apply(). */
static inline long place_item(int *pos, const cv_tensor_t *t, const par_i32_t *size, int c) {
    uint rest = get_global_id(1);
    pos[0] = get_global_id(2);
    pos[1] = c / t->block;
    long at = pos[0] * t->n + channel_at(t, c);
    for (int d = 2; d >= 0; d--) {
        pos[2 + d] = rest % (uint)size[d];
        rest /= (uint)size[d];
        at += pos[2 + d] * t->sp[d];
    }
    return at;
}

#endif
