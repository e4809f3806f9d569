/* SPDX-License-Identifier: Apache-2.0 */
/* The gradients of attention as one primitive. */
#include "core/check.h"
#include "graph/attention_lower.h"

enum { SCORES, OF_VALUES, WEIGHT_DIFFS, OF_QUERIES, OF_KEYS, PRODUCTS };

typedef struct {
    attention_t *a;
    const node_t *product[PRODUCTS];
    const node_t *dropouts[2], *score_diff; /* Multiply of the weights */
    const node_t *scale[2];
    const node_t *end;
    int nproducts, ndropouts;
} gradients_t;

static void sort_gradients(gradients_t *x) {
    attention_t *a = x->a;
    bool weighs = false;
    int nmultiplications = 0;
    for (size_t i = 0; i < a->match->nops; i++) {
        const node_t *node = &a->b->nodes[a->match->ops[i]];
        switch (node->op->kind) {
        case KIND(matmul): x->product[x->nproducts++] = node; break;
        case KIND(exp): weighs = true; break;
        case KIND(dropout): x->dropouts[x->ndropouts++] = node; break;
        case KIND(divide): x->scale[weighs] = node; break;
        case KIND(multiply):
            if (!weighs) x->scale[0] = node;
            else if (++nmultiplications == 2) x->score_diff = node;
            else if (nmultiplications == 3) x->scale[1] = node;
            break;
        case KIND(gen_index): *(a->rows ? &a->columns : &a->rows) = node; break;
        case KIND(select): a->select = node; break;
        case KIND(subtract): a->shifted |= a->rows && !a->columns; break;
        case KIND(end): x->end = node; break;
        default: break;
        }
    }
    a->scale = x->scale[0];
    a->dropout = x->dropouts[0];
}

static bool has_flags(const node_t *node, bool a, bool b) {
    return op_flag(node->op, ATTR(transpose_a)) == a && op_flag(node->op, ATTR(transpose_b)) == b &&
           node->op->in.count == 2;
}

/* Both dropouts drop the same weights, and say so to no one. */
static bool fits_dropouts(const gradients_t *x) {
    const build_t *b = x->a->b;
    if (x->ndropouts != 0 && x->ndropouts != 2) return false;
    if ((x->ndropouts == 2) != (attention_named(x->a, 'd') != NOTHING)) return false;
    for (int i = 0; i < x->ndropouts; i++)
        if (x->dropouts[i]->op->out.count > 1) return false;
    for (size_t port = 1; x->ndropouts && port < 4; port++)
        if (edges_in(&b->edges, attention_number(x->a, x->dropouts[0]), port) !=
                edges_in(&b->edges, attention_number(x->a, x->dropouts[1]), port))
            return false;
    return true;
}

/* The gradient of the product has the scale that the product has. */
static bool fits_scale(const gradients_t *x) {
    if (!x->scale[0] != !x->scale[1]) return false;
    if (!x->scale[0]) return true;
    return attention_named(x->a, 's') == attention_named(x->a, 'u') &&
           attention_is_one(x->a, 's') && x->scale[0]->op->kind == x->scale[1]->op->kind;
}

static bool fits_gradients(const gradients_t *x) {
    const attention_t *a = x->a;
    const bool turned = op_flag(x->product[SCORES]->op, ATTR(transpose_b));
    for (const char *name = "qksmvyzt"; *name; name++) {
        if (attention_named(a, *name) == NOTHING) continue;
        const size_t from = a->b->edges.values[attention_named(a, *name)].producer.op;
        if (from != NOTHING && match_has(a->match, from)) return false;
    }
    if (a->rows && (!attention_fits_causal(a) || attention_named(a, 'm') != NOTHING)) return false;
    if (!fits_dropouts(x) || !fits_scale(x)) return false;
    return has_flags(x->product[SCORES], false, turned) &&
           has_flags(x->product[OF_VALUES], true, false) &&
           op_flag(x->product[WEIGHT_DIFFS]->op, ATTR(transpose_a)) == 0 &&
           has_flags(x->product[OF_QUERIES], false, !turned) &&
           has_flags(x->product[OF_KEYS], true, false);
}

static view_t produced(const attention_t *a, char name) {
    const port_t from = a->b->edges.values[attention_named(a, name)].producer;
    const node_t *node = &a->b->nodes[from.op];
    return view_of(&node->op->out.list[from.port], node->out[from.port]);
}

static dnnl_status_t add_view(attention_t *a, int arg, view_t view, md_t *md) {
    TRY(view_md(&view, md));
    a->args[a->nargs++] = (step_arg_t){arg, view};
    return dnnl_success;
}

/* The sum of each row of the results times their gradients, and the statistics. */
static dnnl_status_t check_rows(const gradients_t *x, const md_t *q) {
    const attention_t *a = x->a;
    const view_t stats = attention_consumed(a, attention_named(a, 't')), sums = produced(a, 'o');
    for (int i = 0; i < 2; i++) {
        const view_t *v = i ? &sums : &stats;
        if (v->ndims != q->ndims || v->dims[q->ndims - 1] != 1) return dnnl_unimplemented;
        for (int d = 0; d < q->ndims - 1; d++)
            if (v->dims[d] != q->dims[d]) return dnnl_unimplemented;
    }
    return stats.dt == dnnl_f32 && view_is_dense(&stats) ? dnnl_success : dnnl_unimplemented;
}

static dnnl_status_t append_gradients(gradients_t *x) {
    attention_t *a = x->a;
    lower_t *l = &a->lower;
    md_t q, k, v, dst, diff_q, diff_k, diff_v, diff_dst, diff_score = {0}, scale = {0}, mask = {0};
    const view_t queries = attention_consumed(a, attention_named(a, 'q')),
                 diff_keys = produced(a, 'j'),
                 keys = attention_consumed(a, attention_named(a, 'k')),
                 values = attention_consumed(a, attention_named(a, 'v'));
    const int nd = queries.ndims;
    if (nd < 2 || keys.ndims != nd || values.ndims != nd || diff_keys.ndims != nd)
        return dnnl_unimplemented;
    const bool by_rows = op_flag(x->product[SCORES]->op, ATTR(transpose_b)),
               in_rows = !op_flag(x->product[WEIGHT_DIFFS]->op, ATTR(transpose_b));
    TRY(add_view(a, DNNL_ARG_QUERIES, queries, &q));
    TRY(add_view(a, DNNL_ARG_KEYS, attention_matrix(&keys, by_rows, nd), &k));
    TRY(add_view(a, DNNL_ARG_VALUES, attention_matrix(&values, in_rows, nd), &v));
    TRY(add_view(a, DNNL_ARG_DST, attention_consumed(a, attention_named(a, 'z')), &dst));
    TRY(add_view(a, DNNL_ARG_DIFF_DST, attention_consumed(a, attention_named(a, 'y')), &diff_dst));
    TRY(add_view(a, DNNL_ARG_DIFF_QUERIES, produced(a, 'i'), &diff_q));
    TRY(add_view(a, DNNL_ARG_DIFF_KEYS, attention_matrix(&diff_keys, true, nd), &diff_k));
    TRY(add_view(a, DNNL_ARG_DIFF_VALUES, produced(a, 'f'), &diff_v));
    if (x->end)
        TRY(add_view(a, DNNL_ARG_DIFF_ATTN_SCORES,
                view_of(&x->score_diff->op->out.list[0], x->score_diff->out[0]), &diff_score));
    TRY(check_rows(x, &q));
    TRY(attention_add_factor(a, 's', DNNL_ARG_SCALE, &scale));
    TRY(attention_add_mask(a, nd, &mask));
    TRY(lower_attr(l));
    TRY(attention_add_dropout(a));
    TRY(dnnl_ze_sdpa_backward_primitive_desc_create(&l->desc, l->program->engine, &diff_q, &diff_k,
            &diff_v, &diff_dst, &diff_score, &q, &k, &v, &dst, &mask, &scale,
            a->scale && a->scale->op->kind == KIND(divide), NULL, NULL, nd > 2 ? k.dims[nd - 3] : 1,
            attention_mask_kind(a), NULL, l->attr));
    TRY(attention_check_variant(a));
    const md_t *md = dnnl_primitive_desc_query_md(l->desc, dnnl_query_workspace_md, 0);
    if (!md) return dnnl_unimplemented;
    const view_t stats = attention_consumed(a, attention_named(a, 't'));
    a->args[a->nargs++] =
            (step_arg_t){DNNL_ARG_WORKSPACE, view_reshaped(&stats, md->ndims, md->dims)};
    l->nextra = 0;
    return lower_step(l, a->nargs, a->args);
}

dnnl_status_t attention_emit_gradients(attention_t *a) {
    gradients_t x = {.a = a};
    sort_gradients(&x);
    return fits_gradients(&x) ? append_gradients(&x) : dnnl_unimplemented;
}
