/* SPDX-License-Identifier: Apache-2.0 */
/* Parameters of the kernel that writes constants of a plan to memory. */
#ifndef KERNELS_VALUES_PARAMS_H
#define KERNELS_VALUES_PARAMS_H

#include "../lib/params.h"

/* A part of an array of constants: the last value is repeated up to the end. */
enum { VALUES_MAX = 64 }; /* 256 bytes: all devices support arguments of 1 KB */
typedef struct {
    par_i64_t total; /* elements to write */
    float value[VALUES_MAX];
    par_i32_t count, pad;
} values_t;

#endif
