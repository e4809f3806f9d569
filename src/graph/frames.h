/* SPDX-License-Identifier: Apache-2.0 */
/* Execution of a program. A frame has memory objects for all arguments; each execution takes a
 * frame that no other one uses, so that several threads can execute one compiled partition. */
#ifndef GRAPH_FRAMES_H
#define GRAPH_FRAMES_H

#include "graph/device.h"
#include "graph/objects.h"
#include "graph/program.h"

typedef struct frames frames_t;

/* With one reference. Takes over what the program owns, in any case. */
dnnl_status_t frames_make(frames_t **out, program_t *program);
void frames_ref(frames_t *frames);
int frames_refs(const frames_t *frames); /* for tests */
void frames_unref(frames_t *frames);     /* may be NULL */
const program_t *frames_program(const frames_t *frames);

typedef struct {
    dnnl_stream_t stream;
    const const_dnnl_graph_tensor_t *in, *out;
    void *scratch; /* aligned */
    void *kept;    /* constants */
    bool has_kept; /* the constants are computed already */
    int ndeps;
    const device_event_t *deps;
    device_event_t *event; /* NULL: not wanted */
} execution_t;
dnnl_status_t frames_execute(frames_t *frames, const execution_t *execution);

#endif
