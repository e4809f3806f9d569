/* SPDX-License-Identifier: Apache-2.0 */
/* What the planners of pooling share. */
#ifndef OPS_WINDOW_POOL_H
#define OPS_WINDOW_POOL_H

#include "kernels/window/pool_params.h"
#include "ops/window/window.h"

/* A problem as a kernel sees it. It points into itself: not to be copied once it has tensors. */
typedef struct {
    window_t w;
    window_tensors_t x;
    pool_params_t p;
} pool_t;

pool_t pool_of(planner_t *p);
/* Source and result, for kernels whose vectors run along the channels or along the width. NULL, or
 * why these kernels cannot address them. */
const char *pool_channel_tensors(pool_t *pool);
const char *pool_row_tensors(pool_t *pool);
/* What comes next, for every kernel: the workspace and the parameters that do not depend on how the
 * work is divided. has_f64: the kernel computes in doubles. */
const char *pool_set_params(pool_t *pool, bool has_f64);
/* Counts the rows of the result along the width, over all images and depths. For kernels that keep
 * one sum for each result. whole_plane: the window is a plane, whose elements the kernel does not
 * count. */
const char *pool_count_rows(const pool_t *pool, bool whole_plane, int64_t *nrows);

/* Is a whole plane of the source the one window, element after element? */
bool pool_is_plane(const cv_window_t *w, const cv_tensor_t *src);

/* A window as a constant of the module, so that its loops are unrolled; 0: it has too many elements
 * for that. stride: elements from one result to the next. */
uint32_t pool_known_window(const cv_window_t *w, int32_t stride);

/* How a kernel is launched. */
typedef struct {
    uint32_t size[3], count[3];
    uint32_t flags;  /* beside those that every kernel has */
    uint32_t parts;  /* of a tile, for sub-groups; 0: the kernel has no tiles */
    bool knows;      /* the kernel has SPEC_POOL_WINDOW, */
    uint32_t window; /* with this value: a window that it knows, or 0 */
} pool_launch_t;
/* The kernel's step and those after it. */
const char *pool_write(const pool_t *pool, int variant, const pool_launch_t *launch);

#endif
