/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/attention_lower.h"

#include <string.h>

#include "core/check.h"

size_t attention_named(const attention_t *a, char name) {
    return a->match->names[name - 'a'];
}

view_t attention_consumed(const attention_t *a, size_t value) {
    const port_t use = a->b->edges.values[value].uses[0];
    return view_of(&a->b->ops[use.op]->in.list[use.port], a->b->places[value]);
}

size_t attention_number(const attention_t *a, const node_t *node) {
    return (size_t)(node - a->b->nodes);
}

bool attention_is_last(const op_t *op, int64_t axis, int from_end) {
    const int ndims = op->out.list[0].ndims;
    return normal_axis(axis, ndims) == ndims - from_end;
}

bool attention_fits_causal(const attention_t *a) {
    const op_t *rows = a->rows->op, *columns = a->columns->op, *select = a->select->op;
    return attention_is_last(rows, op_s64(rows, ATTR(axis), 0), 2) &&
           attention_is_last(columns, op_s64(columns, ATTR(axis), 0), 1) &&
           select->in.list[1].id == rows->in.list[0].id && lt_count(&select->in.list[2]) == 1;
}

bool attention_is_one(const attention_t *a, char name) {
    if (attention_named(a, name) == NOTHING) return true;
    const port_t use = a->b->edges.values[attention_named(a, name)].uses[0];
    return lt_count(&a->b->ops[use.op]->in.list[use.port]) == 1;
}

view_t attention_matrix(const view_t *view, bool transposed, int ndims) {
    view_t v = *view;
    if (transposed) {
        int order[DNNL_MAX_NDIMS];
        for (int d = 0; d < v.ndims; d++) order[d] = d;
        order[v.ndims - 2] = v.ndims - 1;
        order[v.ndims - 1] = v.ndims - 2;
        v = view_permuted(&v, order);
    }
    return view_expanded(&v, ndims);
}

dnnl_ze_attn_mask_t attention_mask_kind(const attention_t *a) {
    if (a->choice)
        return edges_in(&a->b->edges, attention_number(a, a->choice), 1) == attention_named(a, 'f')
                       ? dnnl_ze_attn_mask_select_inverted
                       : dnnl_ze_attn_mask_select;
    if (attention_named(a, 'm') != NOTHING) return dnnl_ze_attn_mask_buffer;
    if (!a->rows) return dnnl_ze_attn_mask_none;
    return a->shifted ? dnnl_ze_attn_mask_bottom_right : dnnl_ze_attn_mask_top_left;
}

dnnl_status_t attention_add_factor(attention_t *a, char name, int arg, md_t *md) {
    const dnnl_dim_t one = 1;
    if (attention_named(a, name) == NOTHING) return dnnl_success;
    view_t view = attention_consumed(a, attention_named(a, name));
    if (!view.host) view = view_reshaped(&view, 1, &one);
    TRY(view_md(&view, md));
    a->args[a->nargs++] = (step_arg_t){arg, view};
    return dnnl_success;
}

dnnl_status_t attention_add_mask(attention_t *a, int ndims, md_t *mask) {
    const size_t value = attention_named(a, a->choice ? 'b' : 'm');
    if (value == NOTHING) return dnnl_success;
    view_t view = attention_consumed(a, value);
    if (view.ndims > ndims || view.host) return dnnl_unimplemented;
    view = view_expanded(&view, ndims);
    a->args[a->nargs++] = (step_arg_t){DNNL_ARG_ATTN_MASK, view};
    return view_md(&view, mask);
}

dnnl_status_t attention_add_dropout(attention_t *a) {
    static const int args[] = {DNNL_ARG_ATTR_DROPOUT_SEED, DNNL_ARG_ATTR_DROPOUT_OFFSET,
            DNNL_ARG_ATTR_DROPOUT_PROBABILITY};
    md_t mask = {0};
    const dnnl_dim_t one = 1;
    bool host = false;
    for (int i = 0; a->dropout && i < 3; i++) {
        const lt_t *lt = &a->dropout->op->in.list[i + 1];
        view_t view = view_of(lt, a->dropout->in[i + 1]);
        if (i && view.host != host) return dnnl_unimplemented;
        host = view.host;
        if (!host) view = view_reshaped(&view, 1, &one);
        a->args[a->nargs++] = (step_arg_t){args[i], view};
    }
    if (!a->dropout) return dnnl_success;
    if (a->dropout->op->out.count > 1) {
        const view_t view = view_of(&a->dropout->op->out.list[1], a->dropout->out[1]);
        a->args[a->nargs++] = (step_arg_t){DNNL_ARG_ATTR_DROPOUT_MASK, view};
        TRY(view_md(&view, &mask));
    }
    return dnnl_primitive_attr_set_dropout_v2(a->lower.attr, &mask, dnnl_s64, 1, host);
}

dnnl_status_t attention_check_variant(const attention_t *a) {
    const char *name = "";
    TRY(dnnl_primitive_desc_query(a->lower.desc, dnnl_query_impl_info_str, 0, (void *)&name));
    return strstr(name, ":any:") ? dnnl_unimplemented : dnnl_success;
}
