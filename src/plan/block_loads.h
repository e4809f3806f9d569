/* SPDX-License-Identifier: Apache-2.0 */
/* Until all that include it include plan/device.h. */
#ifndef PLAN_BLOCK_LOADS_H
#define PLAN_BLOCK_LOADS_H

#include "plan/device.h"

#endif
