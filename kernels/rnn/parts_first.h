/* SPDX-License-Identifier: Apache-2.0 */
/* What steps on sub-groups include before the cell: a work-item has one channel of a row. */
#ifndef KERNELS_RNN_PARTS_FIRST_H
#define KERNELS_RNN_PARTS_FIRST_H

#define RNN_BLOCK 1
#include "rnn.h"

SPEC_GETTER(weights_dt, SPEC_RNN_WEIGHTS_DT, DT_F32)

#ifdef TARGET_XMX16
#define NT 1
#define wei_dt weights_dt
#include "xmx_tile.h"
#endif

#endif
