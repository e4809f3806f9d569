/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes: checks, arguments, epilogue. A primitive's init() calls attr_check(), then
 * attr_add_args() when no descriptor is `any` any more, then plans with epilogues. */
#ifndef PLAN_ATTRIBUTES_H
#define PLAN_ATTRIBUTES_H

#include "plan/attr_args.h"
#include "plan/attr_rules.h"
#include "plan/epilogue.h"

#endif
