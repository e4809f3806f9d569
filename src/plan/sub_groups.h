/* SPDX-License-Identifier: Apache-2.0 */
/* Until all that include it include plan/device.h. */
#ifndef PLAN_SUB_GROUPS_H
#define PLAN_SUB_GROUPS_H

#include "plan/device.h"

#endif
