/* SPDX-License-Identifier: Apache-2.0 */
/* Constants: results of steps that read nothing but constant inputs. They are computed at the first
 * execution, and kept in the cache of constant tensors. */
#ifndef GRAPH_CONSTANTS_H
#define GRAPH_CONSTANTS_H

#include "graph/op.h"
#include "graph/program.h"

/* Does the cache have a capacity? */
bool constants_wanted(dnnl_engine_kind_t kind);

/* Marks the steps of a program that compute constants, and moves their results from the scratchpad
 * to what is kept. in: the logical tensors of the inputs. The parts of the scratchpad must still
 * have bytes of their own. */
dnnl_status_t constants_mark(program_t *program, const ports_t *in);

/* Constants in memory of an engine. */
typedef struct kept kept_t;

/* The constants of a program for these inputs, with one reference. *ready: they are in the cache;
 * otherwise there is memory for them. */
dnnl_status_t constants_get(
        const program_t *program, const const_dnnl_graph_tensor_t *in, kept_t **kept, bool *ready);
void *constants_data(const kept_t *kept);
/* Is there room for them in the cache? */
bool constants_fit(const kept_t *kept);
/* Puts computed constants into the cache, if there is room still. */
void constants_publish(kept_t *kept);
/* A recording has the constants: they stay until the engine is destroyed. */
void constants_pin(kept_t *kept);
void constants_unref(kept_t *kept);
/* Drops those of an engine that is destroyed. */
void constants_forget(dnnl_engine_t engine);

#endif
