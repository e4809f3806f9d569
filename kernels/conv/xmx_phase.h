/* SPDX-License-Identifier: Apache-2.0 */
/* Phases of a deconvolution with strides, for the variants for matrix units. A phase is the set of
 * positions that the same taps reach. */
#ifndef KERNELS_CONV_XMX_PHASE_H
#define KERNELS_CONV_XMX_PHASE_H

#include "conv.h"

/* The positions of the destination whose remainder modulo the strides is `rest`. The first
 * tap that reaches them is `tap`. For the first of these positions it reads position `lead`
 * of the source. */
typedef struct {
    int rest[3], tap[3], lead[3];
} phase_t;

/* Without CVF_PHASES there is one phase with all positions. The fields are set one by one, because
 * an initial value of the structure would be a constant of the module. */
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

/* The distance between two positions of the phase, or between two taps. */
#define APART(i) (cv_flag(CVF_PHASES) ? t->apart[i] : 1)
/* The position in the destination. */
#define POSITION(i, o) ((o) * APART(i) + phase->rest[i])
#define TAP(kz, kr, kx) (((kz) * t->k[1] + (kr)) * t->k[2] + (kx))

#endif
