/* SPDX-License-Identifier: Apache-2.0 */
/* Shared by the memory_desc*.c files only. */
#ifndef CORE_MEMORY_DESC_IMPL_H
#define CORE_MEMORY_DESC_IMPL_H

#include "core/memory_desc.h"

/* md_extra_t.flags; the values are binary interface like the rest. */
enum {
    MD_EXTRA_COMP_S8S8 = 1,
    MD_EXTRA_SCALE_ADJUST = 2,
    MD_EXTRA_RNN_U8S8_COMP = 4,
    MD_EXTRA_COMP_ASYMM_SRC = 8,
    MD_EXTRA_RNN_S8S8_COMP = 16,
    MD_EXTRA_COMP_GPU_ASYMM_SRC = 32,
    MD_EXTRA_COMP_GPU_ASYMM_SRC_BWD = 64,
    MD_EXTRA_COMP_GPU_ASYMM_SRC_SWAP = 128,
    MD_EXTRA_ALL = 255,
};

/* With checks: false if the value overflows int64_t. The descriptor is blocked and has no run-time
 * values. */
bool md_span_ok(const md_t *md, int64_t *span);
bool md_bytes_ok(const md_t *md, int64_t *bytes);
bool dt_bytes_ok(dnnl_data_type_t dt, int64_t nelems, int64_t *bytes);

/* What is wrong, as a sentence for the log; NULL: nothing. `dims` may be NULL only if ndims is
 * 0. */
const char *md_dims_problem(
        int ndims, const dnnl_dim_t *dims, dnnl_data_type_t dt, dnnl_format_kind_t kind);
/* The same for the strides, blocks and size of a blocked descriptor whose dims were checked. */
const char *md_layout_problem(const md_t *md);

/* Logs the sentence and answers the status; success if the sentence is NULL. */
#define md_refuse(status, what) md_refuse_at(status, what, __FILE__, __LINE__)
dnnl_status_t md_refuse_at(dnnl_status_t status, const char *what, const char *file, int line);

#endif
