/* SPDX-License-Identifier: Apache-2.0 */
/* Code that the convolution kernels share: specialisation constants, and loads of integers. */
#ifndef KERNELS_CONV_H
#define KERNELS_CONV_H

#include "conv_params.h"
#include "io.h"
#include "types.h"

SPEC_GETTER(cv_flags, SPEC_FLAGS, 0)

static inline bool cv_flag(int flag) {
    return (cv_flags() & flag) != 0;
}

static inline int load_int(gcptr_t p, long i, int dt) {
    switch (dt) {
    case DT_S8: return ((__global const char *)p)[i];
    case DT_U8: return p[i];
    case DT_F32: return (int)((__global const float *)p)[i];
    default: return ((__global const int *)p)[i];
    }
}

#endif
