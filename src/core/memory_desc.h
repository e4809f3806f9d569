/* SPDX-License-Identifier: Apache-2.0 */
/* Memory descriptors: plain data, and the rules of layouts, sizes and equality. No device in
 * here. */
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

/* Several matrices, one after the other, with their rows (or columns) concatenated. Handle 1 has
 * the end of each. */
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

/* The layout of this structure is binary interface: test tools read its fields, and a blob of a
 * descriptor is a raw copy. tests/abi checks every offset. */
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
/* Bytes of an element. 1 for the 4-bit types, of which a byte has two: use md_size() for
 * buffers. */
size_t dt_size(dnnl_data_type_t dt);
/* The byte in which element number `index` begins, counted from the first element. */
uint64_t dt_offset(dnnl_data_type_t dt, int64_t index);
bool dt_is_nibble(dnnl_data_type_t dt);      /* s4 u4 f4: two share a byte */
bool dt_is_int(dnnl_data_type_t dt);         /* s64 s32 s8 u8 s4 u4 */
bool dt_is_fp(dnnl_data_type_t dt);          /* f64 to f4, e8m0 too */
bool dt_is_tensor_type(dnnl_data_type_t dt); /* a memory descriptor may have the type */

/* Constructors fill *md or leave it untouched; arguments are validated as the public API
 * documents. */
dnnl_status_t md_init_strides(md_t *md, int ndims, const dnnl_dim_t *dims, dnnl_data_type_t dt,
        const dnnl_dim_t *strides);
dnnl_status_t md_init_tag(
        md_t *md, int ndims, const dnnl_dim_t *dims, dnnl_data_type_t dt, dnnl_format_tag_t tag);
dnnl_status_t md_init_host_scalar(md_t *md, dnnl_data_type_t dt);
/* Like md_init_tag(), from any string that spells a layout ("aBc5b"). One difference: if a dim is
 * 0, the strides of the slower dims become 0. */
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
/* From sizeof(md_t) bytes of unknown origin. *md is set only to a descriptor that another
 * constructor could have made. */
dnnl_status_t md_init_blob(md_t *md, const uint8_t *blob);
/* Programs can write into descriptors. Answers why no constructor could have made this one, as a
 * sentence for the log; NULL: it is valid, as NULL and the zero descriptor are. */
const char *md_problem(const md_t *md);
/* The quick part of this check: the numbers of dimensions and blocks stay within the descriptor's
 * arrays. */
bool md_counts_ok(const md_t *md);
/* Gives a descriptor of format kind any the layout of a tag. Dims and type stay. */
dnnl_status_t md_set_tag(md_t *md, dnnl_format_tag_t tag);
/* The same with the row-major dense layout: a, ab, abc, ... For 4-bit types the last even dimension
 * is innermost, so that each of its rows starts at a whole byte. */
dnnl_status_t md_set_plain(md_t *md);
/* The same with the order and the inner blocks of `like`, which has as many dims. The result is
 * dense over its own dims. */
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
/* Does md, which has no run-time dims, agree with `promised`, which may have some? */
bool md_is_instance(const md_t *promised, const md_t *md);
/* Do the elements (with the padding if asked) lie next to each other, without holes? */
bool md_is_dense(const md_t *md, bool with_padding);
/* Do several elements share one place, because a stride is 0? */
bool md_repeats(const md_t *md);
bool md_matches_tag(const md_t *md, dnnl_format_tag_t tag);
bool md_equal(const md_t *a, const md_t *b);
bool md_same_dims(const md_t *a, const md_t *b);
/* Same dims and layout (order, blocks, strides, padding)? Then a position has the same offset from
 * offset0 in both. The data type, offset0 and extra may differ. */
bool md_same_layout(const md_t *a, const md_t *b);

/* The product of the inner blocks of each dimension, 1 where it has none. */
void md_blocks(const md_t *md, dnnl_dim_t *blocks);
/* The dimensions of a blocked descriptor, from the slowest (outermost) to the fastest, as its tag
 * spells them. */
void md_order(const md_t *md, int *order);
/* The tag that has exactly this layout, or dnnl_format_tag_undef. */
dnnl_format_tag_t md_find_tag(const md_t *md);
/* Elements from the first to the last, with the holes between them; DNNL_RUNTIME_DIM_VAL if
 * unknown. */
int64_t md_span(const md_t *md);
int64_t md_nelems(const md_t *md, bool with_padding); /* DNNL_RUNTIME_DIM_VAL if unknown */
size_t md_size(const md_t *md, int index);            /* bytes; DNNL_RUNTIME_SIZE_VAL if unknown */
/* Elements from the start of the buffer (offset0 included) to logical position pos. */
int64_t md_offset(const md_t *md, const dnnl_dim_t *pos);
/* Elements from the start of the buffer to the end of the last one of the tensor or its padding. If
 * rows have holes, this is less than a buffer of md_size() bytes has. The descriptor has no
 * run-time values. */
int64_t md_end(const md_t *md);
/* The type of the elements in one of its buffers. */
dnnl_data_type_t md_handle_type(const md_t *md, int index);
/* How many handles a memory object of this descriptor has: 1, or for sparse ones 2 or 3. */
int md_num_handles(const md_t *md);
uint64_t md_hash(const md_t *md, uint64_t seed);

/* Writes the verbose form "f32::blocked:ab::f0" without the name; like snprintf, answers the length
 * that it needs. user_any: the caller asked for the format kind any and the library chose this
 * layout. */
int md_format_as(const md_t *md, bool user_any, char *buf, size_t size);
int md_format(const md_t *md, char *buf, size_t size);
/* The layout as a tag's string, e.g. "aBcd16b"; "*" with run-time strides. */
int md_format_tag(const md_t *md, char *buf, size_t size);
/* Strides as "64x1", empty for dense layouts. */
int md_format_strides(const md_t *md, char *buf, size_t size);
/* The dims as "2x3x4". */
int md_format_dims(const md_t *md, char *buf, size_t size);

#endif
