/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes as verbose lines print them. */
#ifndef TESTS_PROBLEM_ATTR_H
#define TESTS_PROBLEM_ATTR_H

#include "line.h"

/* Makes the attributes of a line for a destination of these dims. Answers NULL, or what is wrong
 * with the column; *attr is to be destroyed in any case. *status: what a function of the library
 * that was called with well-formed arguments answered. */
const char *attr_make(dnnl_primitive_attr_t *attr, dnnl_status_t *status, const line_t *line,
        int ndims, const dnnl_dim_t *dims);
/* Makes attributes of the scales and zero points that the line has for one argument, as those of
 * the weights. */
const char *attr_make_weights(
        dnnl_primitive_attr_t *attr, dnnl_status_t *status, const line_t *line, int arg);

#endif
