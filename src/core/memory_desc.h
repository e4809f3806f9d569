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

/* Rows (or columns) of several matrices one after the other; handle 1 holds the end of each. */
typedef struct {
    int64_t group_count;
    int variable_dim_idx;
    dnnl_dims_t strides;
} md_grouped_t;

typedef struct {
    dnnl_sparse_encoding_t encoding;
    int64_t nnz;
    dnnl_data_type_t metadata_types[2];
    union {
        md_blocking_t packed;
        md_grouped_t grouped;
    };
} md_sparse_t;

typedef struct {
    uint64_t flags;
    int compensation_mask;
    float scale_adjust;
    int asymm_compensation_mask;
    int64_t idhw[3];
    int64_t odhw[3];
    int64_t pdhw[3];
    int64_t ddhw[3];
    int64_t dst_size;
} md_extra_t;

/* The layout is binary interface: test tools look inside and a descriptor blob is a raw copy. tests/abi
 * checks every offset. */
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
/* Bytes before element number `index`; of 4-bit types, the byte that it is in. */
uint64_t dt_offset(dnnl_data_type_t dt, int64_t index);
bool dt_is_nibble(dnnl_data_type_t dt);      /* s4 u4 f4: two share a byte */
bool dt_is_int(dnnl_data_type_t dt);         /* s64 s32 s8 u8 s4 u4 */
bool dt_is_fp(dnnl_data_type_t dt);          /* f64 to f4, e8m0 too */
bool dt_is_tensor_type(dnnl_data_type_t dt); /* what a memory descriptor may have */

/* Constructors fill *md or leave it untouched; arguments are validated as the public API documents. */
dnnl_status_t md_init_strides(md_t *md, int ndims, const dnnl_dim_t *dims, dnnl_data_type_t dt,
        const dnnl_dim_t *strides);
dnnl_status_t md_init_tag(
        md_t *md, int ndims, const dnnl_dim_t *dims, dnnl_data_type_t dt, dnnl_format_tag_t tag);
dnnl_status_t md_init_host_scalar(md_t *md, dnnl_data_type_t dt);
/* As md_init_tag, from any string that spells a layout ("aBc5b"). Differs where a dim is 0: the strides of
 * the slower ones become 0. */
dnnl_status_t md_init_string_tag(
        md_t *md, int ndims, const dnnl_dim_t *dims, dnnl_data_type_t dt, const char *tag);
dnnl_status_t md_init_csr(md_t *md, int ndims, const dnnl_dim_t *dims, dnnl_data_type_t dt,
        dnnl_dim_t nnz, dnnl_data_type_t indices_dt, dnnl_data_type_t pointers_dt);
dnnl_status_t md_init_coo(md_t *md, int ndims, const dnnl_dim_t *dims, dnnl_data_type_t dt,
        dnnl_dim_t nnz, dnnl_data_type_t indices_dt);
dnnl_status_t md_init_packed(
        md_t *md, int ndims, const dnnl_dim_t *dims, dnnl_data_type_t dt, dnnl_dim_t nnz);
dnnl_status_t md_init_grouped(md_t *md, int ndims, const dnnl_dim_t *dims, dnnl_data_type_t dt,
        int variable_dim_idx, dnnl_dim_t group_count, dnnl_data_type_t offsets_dt);
/* Views of the same buffer. */
dnnl_status_t md_init_submemory(
        md_t *md, const md_t *parent, const dnnl_dim_t *dims, const dnnl_dim_t *offsets);
dnnl_status_t md_init_reshape(md_t *md, const md_t *in, int ndims, const dnnl_dim_t *dims);
dnnl_status_t md_init_permute(md_t *md, const md_t *in, const int *permutation);
/* From sizeof(md_t) bytes that may be anything; *md gets no descriptor that another constructor could not
 * have made. */
dnnl_status_t md_init_blob(md_t *md, const uint8_t *blob);
/* Programs can write into descriptors. What no constructor could have made, as a sentence for the log; NULL: all
 * is well. NULL and the zero descriptor are fine. */
const char *md_problem(const md_t *md);
/* The quick part of it: nothing reads outside of the descriptor's own arrays. */
bool md_counts_ok(const md_t *md);
/* Gives a descriptor of format kind any the layout of a tag, keeping dims and type. */
dnnl_status_t md_set_tag(md_t *md, dnnl_format_tag_t tag);
/* Row-major dense: a, ab, abc, ...; of 4-bit types with the last even dimension innermost, so that rows start
 * at whole bytes. */
dnnl_status_t md_set_plain(md_t *md);
/* Gives an `any` descriptor the order and the inner blocks of `like` (same ndims), dense over its own dims.
 */
dnnl_status_t md_set_like(md_t *md, const md_t *like);

bool md_is_zero(const md_t *md); /* the all-zero descriptor: no memory. NULL counts as zero */
bool md_is_any(const md_t *md);
bool md_is_blocked(const md_t *md); /* format kind dnnl_blocked: plain layouts too */
bool md_is_plain(const md_t *md);   /* blocked without inner blocks */
bool md_is_host_scalar(const md_t *md);
bool md_is_sparse(const md_t *md); /* any encoding; one tensor, several handles */
bool md_is_grouped(const md_t *md);
bool md_has_zero_dim(const md_t *md);
bool md_has_runtime_dims(const md_t *md);
bool md_has_runtime_dims_or_strides(const md_t *md);
/* Is md, which has no run-time dims, as `promised` says, which may have some? */
bool md_is_instance(const md_t *promised, const md_t *md);
/* No holes: the elements (with padding if asked) fill size/dt_size consecutive elements. */
bool md_is_dense(const md_t *md, bool with_padding);
/* Are several elements in one place, by a stride of 0? */
bool md_repeats(const md_t *md);
bool md_matches_tag(const md_t *md, dnnl_format_tag_t tag);
bool md_equal(const md_t *a, const md_t *b);
bool md_same_dims(const md_t *a, const md_t *b);
/* Same dims and layout (order, blocks, strides, padding): positions have the same offsets, counted from
 * offset0. The data type, offset0 and extra may differ. */
bool md_same_layout(const md_t *a, const md_t *b);

/* The product of the inner blocks of each dimension, 1 where it has none. */
void md_blocks(const md_t *md, dnnl_dim_t *blocks);
/* The dimensions of a blocked descriptor, from the slowest (outermost) to the fastest, as its tag spells
 * them. */
void md_order(const md_t *md, int *order);
/* The tag with exactly this layout, dnnl_format_tag_undef if none is. */
dnnl_format_tag_t md_find_tag(const md_t *md);
/* Elements from the first to the last, holes included; DNNL_RUNTIME_DIM_VAL if unknown. */
int64_t md_span(const md_t *md);
int64_t md_nelems(const md_t *md, bool with_padding); /* DNNL_RUNTIME_DIM_VAL if unknown */
size_t md_size(const md_t *md, int index);            /* bytes; DNNL_RUNTIME_SIZE_VAL if unknown */
/* Elements from the start of the buffer (offset0 included) to logical position pos. */
int64_t md_offset(const md_t *md, const dnnl_dim_t *pos);
/* Elements from the start of the buffer to the end of the last one that belongs to the tensor or its padding:
 * less than a buffer of md_size() bytes has where rows have holes. The descriptor is known entirely. */
int64_t md_end(const md_t *md);
/* The type of what is in one of its buffers. */
dnnl_data_type_t md_handle_type(const md_t *md, int index);
/* Number of handles a memory of this descriptor has (1; sparse: 2 or 3). */
int md_num_handles(const md_t *md);
uint64_t md_hash(const md_t *md, uint64_t seed);

/* Writes the verbose form "f32::blocked:ab::f0" (without the name) and returns the length it needs, like
 * snprintf. user_any: the caller asked for the format kind any and the library chose this one. */
int md_format_as(const md_t *md, bool user_any, char *buf, size_t size);
int md_format(const md_t *md, char *buf, size_t size);
/* The layout as a tag's string, e.g. "aBcd16b"; "*" with run-time strides. */
int md_format_tag(const md_t *md, char *buf, size_t size);
/* Strides as "64x1", empty for dense layouts. */
int md_format_strides(const md_t *md, char *buf, size_t size);
/* The dims as "2x3x4". */
int md_format_dims(const md_t *md, char *buf, size_t size);

#endif
