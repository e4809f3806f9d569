/* SPDX-License-Identifier: Apache-2.0 */
/* An output may be in the memory of an input of the same type and layout if no step reads the input
 * after the first one that writes the output. That one may read it if its primitive works in
 * place. */
#include "graph/inplace.h"

#include "core/alloc.h"
#include "core/check.h"

/* The arguments of primitives that dnnl.h says to work in place. Operands of post-ops are none of
 * them: a primitive of several kernels may have written to the destination before it reads them. */
static const struct {
    dnnl_primitive_kind_t kind;
    int in, out;
} in_place[] = {
        {dnnl_eltwise, DNNL_ARG_SRC, DNNL_ARG_DST},
        {dnnl_eltwise, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_SRC},
        {dnnl_binary, DNNL_ARG_SRC_0, DNNL_ARG_DST},
        {dnnl_softmax, DNNL_ARG_SRC, DNNL_ARG_DST},
        {dnnl_softmax, DNNL_ARG_DIFF_DST, DNNL_ARG_DIFF_SRC},
        {dnnl_batch_normalization, DNNL_ARG_SRC, DNNL_ARG_DST},
        {dnnl_layer_normalization, DNNL_ARG_SRC, DNNL_ARG_DST},
};

static bool is_at(const operand_t *operand, place_kind_t kind, size_t at) {
    return operand->place.kind == kind && operand->place.at == at;
}

static bool uses(const step_t *step, place_kind_t kind, size_t at) {
    for (int i = 0; i < step->noperands; i++)
        if (is_at(&step->operands[i], kind, at)) return true;
    return false;
}

/* The only operand at this place; NULL: there is none, or there are several. */
static const operand_t *only_operand(const step_t *step, place_kind_t kind, size_t at) {
    const operand_t *found = NULL;
    for (int i = 0; i < step->noperands; i++) {
        if (!is_at(&step->operands[i], kind, at)) continue;
        if (found) return NULL;
        found = &step->operands[i];
    }
    return found;
}

static dnnl_primitive_kind_t kind_of(const step_t *step) {
    const_dnnl_primitive_desc_t desc = NULL;
    dnnl_primitive_kind_t kind = dnnl_undefined_primitive;
    dnnl_primitive_get_primitive_desc(step->primitive, &desc);
    dnnl_primitive_desc_query(desc, dnnl_query_primitive_kind, 0, &kind);
    return kind;
}

static bool works_in_place(const step_t *step, size_t in, size_t out) {
    const operand_t *from = only_operand(step, AT_INPUT, in),
                    *to = only_operand(step, AT_OUTPUT, out);
    const dnnl_primitive_kind_t kind = kind_of(step);
    if (!from || !to || !md_equal(&from->md, &to->md)) return false;
    for (size_t i = 0; i < sizeof in_place / sizeof *in_place; i++)
        if (in_place[i].kind == kind && in_place[i].in == from->arg && in_place[i].out == to->arg)
            return true;
    return false;
}

/* Are all uses of the input before the first one of the output, or that one in place? */
static bool is_read_before(const program_t *program, size_t in, size_t out) {
    size_t first = 0;
    bool is_used = false;
    for (size_t s = 0; s < program->nsteps; s++) is_used |= uses(&program->steps[s], AT_INPUT, in);
    if (!is_used) return false;
    while (first < program->nsteps && !uses(&program->steps[first], AT_OUTPUT, out)) first++;
    for (size_t s = first; s < program->nsteps; s++) {
        const step_t *step = &program->steps[s];
        if (!uses(step, AT_INPUT, in)) continue;
        if (s > first || !works_in_place(step, in, out)) return false;
    }
    return true;
}

static bool has_memory_of(const lt_t *in, const lt_t *out) {
    bool same = in->property != dnnl_graph_tensor_property_constant &&
                in->property != dnnl_graph_tensor_property_host_scalar &&
                in->data_type == out->data_type && in->ndims == out->ndims;
    for (int d = 0; same && d < in->ndims; d++)
        same = in->dims[d] == out->dims[d] && in->layout.strides[d] == out->layout.strides[d];
    return same;
}

static bool is_paired(const program_t *program, size_t in) {
    for (size_t i = 0; i < program->npairs; i++)
        if (program->pairs[i].input_id == in) return true;
    return false;
}

dnnl_status_t inplace_find(program_t *program, const ports_t *in, const ports_t *out) {
    if (!out->count) return dnnl_success;
    program->pairs = dz_calloc(out->count, sizeof *program->pairs);
    if (!program->pairs) return dnnl_out_of_memory;
    for (size_t o = 0; o < out->count; o++)
        for (size_t i = 0; i < in->count; i++) {
            if (!has_memory_of(&in->list[i], &out->list[o])) continue;
            if (is_paired(program, in->list[i].id) || !is_read_before(program, i, o)) continue;
            program->pairs[program->npairs++] =
                    (dnnl_graph_inplace_pair_t){in->list[i].id, out->list[o].id};
            break;
        }
    return dnnl_success;
}
