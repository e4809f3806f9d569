/* SPDX-License-Identifier: Apache-2.0 */
#include "ops/matmul/flat.h"

#include <string.h>

#include "core/status.h"

void flat_order(const md_t *md, int *order) {
    int n = 1, full[DNNL_MAX_NDIMS];
    for (int d = 0; d < md->ndims; d++) full[d] = d;
    if (md_is_plain(md)) md_order(md, full);
    order[0] = 0;
    for (int i = 0; i < md->ndims; i++)
        if (full[i] != 0) order[n++] = full[i];
}

/* The size and the stride of dimensions 1 and up, in this order, as one; false: they do not lie
 * one after the other. */
static bool merge(const md_t *md, const int *order, int64_t *size, int64_t *stride) {
    const int64_t *strides = md->format_desc.blocking.strides;
    int64_t next = 0;
    *size = *stride = 1;
    for (int i = md->ndims - 1; i >= 0; i--) {
        const int d = order[i];
        if (d == 0 || md->dims[d] == 1) continue;
        if (*size == 1) *stride = strides[d];
        else if (strides[d] != next) return false;
        next = strides[d] * md->dims[d];
        *size *= md->dims[d];
    }
    return true;
}

/* A matrix: the first dimension, and all others as one; false: they do not lie one after the
 * other. */
static bool flatten(md_t *flat, const md_t *md, const int *order) {
    int64_t k, inner;
    if (!md_is_plain(md) || !merge(md, order, &k, &inner)) return false;
    const dnnl_dims_t dims = {md->dims[0], k},
                      flat_strides = {md->format_desc.blocking.strides[0], inner};
    if (md->dims[0] == 0 || k == 0)
        return md_init_strides(flat, 2, dims, md->data_type, NULL) == dnnl_success;
    memset(flat, 0, sizeof(*flat));
    flat->ndims = 2;
    flat->data_type = md->data_type;
    flat->format_kind = dnnl_blocked;
    flat->offset0 = md->offset0;
    for (int d = 0; d < 2; d++) {
        flat->dims[d] = flat->padded_dims[d] = dims[d];
        flat->format_desc.blocking.strides[d] = flat_strides[d];
    }
    return true;
}

void flat_transpose(md_t *md) {
    const md_t from = *md;
    md_blocking_t *b = &md->format_desc.blocking;
    for (int d = 0; d < 2; d++) {
        md->dims[d] = from.dims[1 - d];
        md->padded_dims[d] = from.padded_dims[1 - d];
        md->padded_offsets[d] = from.padded_offsets[1 - d];
        b->strides[d] = from.format_desc.blocking.strides[1 - d];
    }
    for (int i = 0; i < b->inner_nblks; i++) b->inner_idxs[i] = 1 - b->inner_idxs[i];
}

bool flat_is_possible(const md_t *md, const int *order) {
    md_t flat;
    return flatten(&flat, md, order);
}

/* A row-major tensor in the scratchpad, its dimensions in this order, and the matrix that it is. */
static const char *place_copy(
        planner_t *p, operand_t *operand, const int *order, flat_t *flat, const char *sentence) {
    const md_t *md = operand->md;
    dnnl_dims_t strides;
    int64_t stride = 1;
    for (int i = md->ndims - 1; i >= 0; i--) {
        strides[order[i]] = stride;
        stride *= md->dims[order[i]];
    }
    REFUSE_IF(why_not_of(md_init_strides(&flat->copy, md->ndims, md->dims, md->data_type, strides),
            "a tensor is too large to be copied"));
    if (!flatten(&flat->md, &flat->copy, order)) return sentence;
    *operand = operand_in_scratch(p, &flat->copy);
    return NULL;
}

const char *flat_input(
        planner_t *p, operand_t *input, const int *order, flat_t *flat, const char *sentence) {
    if (!flatten(&flat->md, input->md, order)) {
        const operand_t from = *input;
        REFUSE_IF(place_copy(p, input, order, flat, sentence));
        REFUSE_IF(ew_copy(p, -1, &from, input));
    }
    input->md = &flat->md;
    return NULL;
}

const char *flat_output(
        planner_t *p, operand_t *output, const int *order, flat_t *flat, const char *sentence) {
    if (!flatten(&flat->md, output->md, order))
        REFUSE_IF(place_copy(p, output, order, flat, sentence));
    output->md = &flat->md;
    return NULL;
}

const char *flat_finish(
        planner_t *p, const flat_t *flat, const operand_t *from, const operand_t *to) {
    const operand_t tensor = {&flat->copy, from->slot, from->offset};
    return ew_copy(p, -1, &tensor, to);
}
