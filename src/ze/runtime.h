/* SPDX-License-Identifier: Apache-2.0 */
/* The Level Zero side as the rest of the library sees it. Only files in this folder call ze*. */
#ifndef ZE_RUNTIME_H
#define ZE_RUNTIME_H

#include "core/primitive_desc.h"

/* Whether a process that had used the loader was forked, and this is the child. */
bool ze_is_forked(void);
/* Answers runtime_error in such a child, with a sentence. Every exported function that takes a lock
 * or calls the driver asks it first. */
dnnl_status_t ze_check_process(const char *component);

/* The capabilities of the engine's device. */
const caps_t *engine_caps(dnnl_engine_t engine);
/* Identifies an engine in caches: engines on the same device and context share it. When it is
 * freed, it calls caches_evict() of core/lru.h. */
const void *engine_core(dnnl_engine_t engine);
/* Whether kernels of one engine can access memory of the other. */
bool engine_reaches(dnnl_engine_t engine, dnnl_engine_t other);
/* The index of the device in verbose lines ("gpu:1"), or -1 if it is not a root device. */
int engine_index(dnnl_engine_t engine);
void engine_ref(dnnl_engine_t engine);
void engine_unref(dnnl_engine_t engine); /* may be NULL */

#endif
