/* SPDX-License-Identifier: Apache-2.0 */
/* Checks of what the caller passed: one a line, each with the sentence for the log. */
#ifndef CORE_CHECK_H
#define CORE_CHECK_H

#include "core/status.h"
#include "core/verbose.h"

#define CHECK_ARG(condition, component, ...)                                                       \
    do {                                                                                           \
        if (!(condition)) {                                                                        \
            verbose_check(dnnl_invalid_arguments, component, __VA_ARGS__);                         \
            return dnnl_invalid_arguments; /* a constant helps the compiler */                     \
        }                                                                                          \
    } while (0)
#define CHECK_NOT_NULL(pointer, component)                                                         \
    CHECK_ARG((pointer) != NULL, component, "%s is NULL", #pointer)

#endif
