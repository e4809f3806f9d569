/* SPDX-License-Identifier: Apache-2.0 */
/* The second primitive of one whose kernels expect that buffers begin at multiples of 16 or 64
 * bytes: its kernels take buffers at any address where an element may be. It is made when it is
 * first needed, so that nobody else waits for its compilation. */
#ifndef PRIMITIVE_ANY_ADDRESS_H
#define PRIMITIVE_ANY_ADDRESS_H

#include "ze/executable.h"

/* Do the buffers begin where the kernels of x expect it? args: by slot. */
bool any_address_is_needless(const executable_t *x, const dnnl_exec_arg_t *args);
/* The second primitive of x, kept in x or made, with a reference. Its scratchpad is the
 * library's. */
dnnl_status_t any_address_find(executable_t *x, dnnl_engine_t engine, executable_t **found);

#endif
