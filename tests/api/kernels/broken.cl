/* SPDX-License-Identifier: Apache-2.0 */
/* A kernel that no device compiler takes. */
#define BROKEN
#include "affine.cl"
