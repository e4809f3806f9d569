/* SPDX-License-Identifier: Apache-2.0 */
/* The two versions of the interface. Version 3 has handles of memory descriptors, version 2 has
 * structures, and descriptors of operations beside them. */
#ifndef TESTS_BENCH_LIBRARY_VERSION_H
#define TESTS_BENCH_LIBRARY_VERSION_H

#include <oneapi/dnnl/dnnl.h>

#if DNNL_VERSION_MAJOR >= 3
#define V3 1
typedef const_dnnl_memory_desc_t md_ref_t;
#define REF(md) (md)
#define MD_BY_STRIDES dnnl_memory_desc_create_with_strides
#define MD_BY_TAG dnnl_memory_desc_create_with_tag
#define MD_DESTROY(md) ((void)dnnl_memory_desc_destroy(md))
#else
#define V3 0
typedef const dnnl_memory_desc_t *md_ref_t;
#define REF(md) (&(md))
#define MD_BY_STRIDES dnnl_memory_desc_init_by_strides
#define MD_BY_TAG dnnl_memory_desc_init_by_tag
#define MD_DESTROY(md) ((void)(md))
#endif

#define TRY(call)                                                                                  \
    do {                                                                                           \
        const dnnl_status_t status_ = (call);                                                      \
        if (status_ != dnnl_success) return status_;                                               \
    } while (0)

#endif
