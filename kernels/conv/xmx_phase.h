/* SPDX-License-Identifier: Apache-2.0 */
/* Deconvolution with strides in the variants for matrix units: positions that the same taps
 * reach. */
#ifndef KERNELS_CONV_XMX_PHASE_H
#define KERNELS_CONV_XMX_PHASE_H

#include "conv.h"

/* The positions of the destination that leave `rest` when divided by the strides. The window's taps
 * that reach them begin with `tap`, which reads position `lead` of the source for the first of
 * them. */
typedef struct {
    int rest[3], tap[3], lead[3];
} phase_t;

/* Without the flag: all of them. The fields are set one by one, as a structure with an initial
 * value is constant data in the module. */
#define SET_PHASE(i)                                                                               \
    phase.rest[i] = phase.tap[i] = 0;                                                              \
    phase.lead[i] = -t->pad[i];                                                                    \
    if (cv_flag(CVF_PHASES)) {                                                                     \
        phase.rest[i] = number % t->apart[i];                                                      \
        phase.tap[i] = (phase.rest[i] + t->pad[i]) % t->apart[i];                                  \
        phase.lead[i] = (phase.rest[i] + t->pad[i]) / t->apart[i];                                 \
        number /= t->apart[i];                                                                     \
    }

static inline phase_t phase_of(const cv_xmx_t *t, int number) {
    phase_t phase;
    SET_PHASE(0)
    SET_PHASE(1)
    SET_PHASE(2)
    return phase;
}

/* From a position of the phase, or a tap, to the next. */
#define APART(i) (cv_flag(CVF_PHASES) ? t->apart[i] : 1)
/* Of the destination. */
#define POSITION(i, o) ((o) * APART(i) + phase->rest[i])
#define TAP(kz, kr, kx) (((kz) * t->k[1] + (kr)) * t->k[2] + (kx))

#endif
