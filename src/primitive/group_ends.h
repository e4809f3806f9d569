/* SPDX-License-Identifier: Apache-2.0 */
/* The grouped matrices of one execution have to end their groups at the same places. Kernels read
 * the ends from one of them. */
#ifndef PRIMITIVE_GROUP_ENDS_H
#define PRIMITIVE_GROUP_ENDS_H

#include "ze/executable.h"

/* Compares the ends where the host can read them and they are known to be written: the buffers are
 * host or shared memory, the stream is idle, and the execution waits for nothing. Elsewhere the
 * application is believed. Does not wait. */
dnnl_status_t group_ends_check(const executable_t *x, dnnl_stream_t stream, const launch_t *launch);

#endif
