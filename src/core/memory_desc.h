/* SPDX-License-Identifier: Apache-2.0 */
/* Memory descriptors: plain data, and the rules of layouts, sizes and equality. No device in here. */
#ifndef CORE_MEMORY_DESC_H
#define CORE_MEMORY_DESC_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "oneapi/dnnl/dnnl_types.h"

typedef struct {
    dnnl_dims_t strides; /* of the outer blocks, in elements */
    int inner_nblks;
    dnnl_dims_t inner_blks;
    dnnl_dims_t inner_idxs;
} md_blocking_t;

typedef struct {
    dnnl_sparse_encoding_t encoding;
    int64_t nnz;
    dnnl_data_type_t metadata_types[2];
    md_blocking_t packed;
} md_sparse_t;

typedef struct {
    uint64_t flags;
    int compensation_mask;
    float scale_adjust;
    int asymm_compensation_mask;
    int idhw[3];
    int odhw[3];
    int pdhw[3];
    int ddhw[3];
    int64_t dst_size;
} md_extra_t;

/* The layout is binary interface: test tools look inside and a descriptor blob is a raw copy. tests/abi checks every offset. */
struct dnnl_memory_desc {
    int ndims;
    dnnl_dims_t dims;
    dnnl_data_type_t data_type;
    dnnl_dims_t padded_dims;
    dnnl_dims_t padded_offsets;
    int64_t offset0;
    dnnl_format_kind_t format_kind;
    union {
        md_blocking_t blocking;
        md_sparse_t sparse;
    } format_desc;
    md_extra_t extra;
};
typedef struct dnnl_memory_desc md_t;

/* Bits of an element of the type; 0 for undef. */
int dt_bits(dnnl_data_type_t dt);
/* Bytes of an element; the 4-bit types answer 1 (two share a byte: use md_size for buffers). */
size_t dt_size(dnnl_data_type_t dt);
bool dt_is_int(dnnl_data_type_t dt); /* s32 s8 u8 s4 u4 */

/* Constructors fill *md or leave it untouched; arguments are validated as the public API documents. */
dnnl_status_t md_init_strides(md_t *md, int ndims, const dnnl_dim_t *dims, dnnl_data_type_t dt, const dnnl_dim_t *strides);
dnnl_status_t md_init_tag(md_t *md, int ndims, const dnnl_dim_t *dims, dnnl_data_type_t dt, dnnl_format_tag_t tag);
dnnl_status_t md_init_host_scalar(md_t *md, dnnl_data_type_t dt);
/* Gives a descriptor of format kind any the layout of a tag, keeping dims and type. */
dnnl_status_t md_set_tag(md_t *md, dnnl_format_tag_t tag);
/* Row-major dense: a, ab, abc, ... */
dnnl_status_t md_set_plain(md_t *md);
/* Gives an `any` descriptor the order and the inner blocks of `like` (same ndims), dense over its own dims. */
dnnl_status_t md_set_like(md_t *md, const md_t *like);

bool md_is_zero(const md_t *md); /* the all-zero descriptor: no memory. NULL counts as zero */
bool md_is_any(const md_t *md);
bool md_is_blocked(const md_t *md); /* format kind dnnl_blocked: plain layouts too */
bool md_is_plain(const md_t *md);   /* blocked without inner blocks */
bool md_is_host_scalar(const md_t *md);
bool md_has_zero_dim(const md_t *md);
bool md_has_runtime_dims(const md_t *md);
bool md_has_runtime_dims_or_strides(const md_t *md);
/* No holes: the elements (with padding if asked) fill size/dt_size consecutive elements. */
bool md_is_dense(const md_t *md, bool with_padding);
bool md_matches_tag(const md_t *md, dnnl_format_tag_t tag);
bool md_equal(const md_t *a, const md_t *b);
bool md_same_dims(const md_t *a, const md_t *b);
/* Same layout (order, blocks, strides, padding), the data type may differ. */
bool md_same_layout(const md_t *a, const md_t *b);

int64_t md_nelems(const md_t *md, bool with_padding); /* DNNL_RUNTIME_DIM_VAL if unknown */
size_t md_size(const md_t *md, int index);            /* bytes; DNNL_RUNTIME_SIZE_VAL if unknown */
/* Elements from the start of the buffer (offset0 included) to logical position pos. */
int64_t md_offset(const md_t *md, const dnnl_dim_t *pos);
/* Number of handles a memory of this descriptor has (1; sparse: 2 or 3). */
int md_num_handles(const md_t *md);
uint64_t md_hash(const md_t *md, uint64_t seed);

/* Writes the verbose form "f32::blocked:ab::f0" (without the name) and returns the length it needs, like snprintf. */
int md_format(const md_t *md, char *buf, size_t size);
/* The dims as "2x3x4". */
int md_format_dims(const md_t *md, char *buf, size_t size);

#endif
