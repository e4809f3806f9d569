/* SPDX-License-Identifier: Apache-2.0 */
/* Partitions that are attention, with the table of forms that the primitive has. */
#include "graph/attention.h"

#include <string.h>

#include "core/check.h"
#include "graph/lower_quantize.h"
#include "graph/pattern.h"
#include "oneapi/dnnl/dnnl_ze_sdpa.h"

#define KIND(name) dnnl_graph_op_##name

/* q, k, v: queries, keys, values; s: scale; l: soft cap; m: mask; b, f: a mask of booleans, and
 * what replaces scores; p: the weights of the values; r, c: indices of rows and columns. */
static const char form[] =
        "x = MatMul(q, k) q <- Dequantize(_)? { q <- TypeCast(a) a <- Dequantize(_) }? "
        "k <- DynamicDequantize|Dequantize(_)? { k <- TypeCast(d) d <- Dequantize(_) }? "
        "x = Multiply|Divide(x, s)? "
        "{ x = Tanh(x) x = Multiply(x, l) }? "
        "{ r = GenIndex(x) { r = Add(r, _) r = Subtract(r, _) }? c = GenIndex(x) "
        "g = GreaterEqual(r, c) x = Select(g, x, _) }? "
        "x = Add(x, m)? x = Select(b, x, f)? p = SoftMax(x) p = Dropout(p)? p = TypeCast(p)? "
        "{ p = Quantize(p) p = Dequantize(p) p = TypeCast(p)? }? y = MatMul(p, v) "
        "v <- DynamicDequantize|Dequantize(_)? { v <- TypeCast(e) e <- Dequantize(_) }?";

typedef struct {
    const build_t *b;
    const match_t *match;
    const node_t *first, *softmax, *second;               /* the products, and what is between */
    const node_t *scale, *tanh, *rows, *columns, *select; /* NULL: none */
    const node_t *choice, *dropout, *rounding;            /* rounding: Quantize of the weights */
    const node_t *last;                                   /* whose result is that of all */
    bool shifted;          /* the mask belongs to the lower right corner */
    const node_t *from[3]; /* of queries, keys and values: what dequantises them */
    lower_t lower;
    fused_t fused;
    dnnl_primitive_attr_t attrs[2]; /* of keys and values */
    int nargs;
    step_arg_t args[26];
} attention_t;

static size_t named(const attention_t *a, char name) {
    return a->match->names[name - 'a'];
}

/* The view of a value that an operation of the partition consumes. */
static view_t consumed(const attention_t *a, size_t value) {
    const port_t use = a->b->edges.values[value].uses[0];
    return view_of(&a->b->ops[use.op]->in.list[use.port], a->b->places[value]);
}

static size_t number_of(const attention_t *a, const node_t *node) {
    return (size_t)(node - a->b->nodes);
}

static bool is_kind(const op_t *op, dnnl_graph_op_kind_t kind) {
    return op->kind == kind;
}

/* What computes a value in the match, across conversions and, for weights, Dequantize; NULL: there
 * is nothing of that kind. */
static const node_t *producer(const attention_t *a, size_t value, dnnl_graph_op_kind_t kind) {
    for (;;) {
        const size_t op = a->b->edges.values[value].producer.op;
        if (op == NOTHING || !match_has(a->match, op)) return NULL;
        const node_t *node = &a->b->nodes[op];
        if (is_kind(node->op, kind)) return node;
        const bool passes = is_kind(node->op, KIND(type_cast)) ||
                            (kind == KIND(quantize) && is_kind(node->op, KIND(dequantize)));
        if (!passes) return NULL;
        value = edges_in(&a->b->edges, op, 0);
    }
}

static const node_t *dequantiser(const attention_t *a, size_t value) {
    const node_t *node = producer(a, value, KIND(dequantize));
    return node ? node : producer(a, value, KIND(dynamic_dequantize));
}

static void sort_ops(attention_t *a) {
    for (size_t i = 0; i < a->match->nops; i++) {
        const node_t *node = &a->b->nodes[a->match->ops[i]];
        switch (node->op->kind) {
        case KIND(matmul):
            if (a->first) a->second = node;
            else a->first = node;
            break;
        case KIND(softmax): a->softmax = node; break;
        case KIND(multiply):
        case KIND(divide):
            if (!a->tanh) a->scale = node;
            break;
        case KIND(tanh): a->tanh = node; break;
        case KIND(gen_index):
            if (a->rows) a->columns = node;
            else a->rows = node;
            break;
        case KIND(select):
            if (a->rows && !a->select) a->select = node;
            else a->choice = node;
            break;
        case KIND(dropout): a->dropout = node; break;
        case KIND(subtract): a->shifted = true; break;
        case KIND(quantize): a->last = node; break;
        default: break;
        }
    }
    if (!a->last) a->last = a->second;
    a->rounding = producer(a, edges_in(&a->b->edges, number_of(a, a->second), 0), KIND(quantize));
    for (int i = 0; i < 3; i++) a->from[i] = dequantiser(a, named(a, "qkv"[i]));
    if (a->last == a->rounding) a->last = a->second;
}

static bool is_last(const op_t *op, int64_t axis, int from_end) {
    const int ndims = op->out.list[0].ndims;
    return normal_axis(axis, ndims) == ndims - from_end;
}

/* Are all operands there before attention? Scores may be their own mask, for example. */
static bool has_operands(const attention_t *a) {
    for (const char *name = "qkvslmbf"; *name; name++) {
        if (named(a, *name) == NOTHING) continue;
        const size_t from = a->b->edges.values[named(a, *name)].producer.op;
        if (from == NOTHING || !match_has(a->match, from)) continue;
        if (!strchr("qkv", *name) || !dequantiser(a, named(a, *name))) return false;
    }
    return true;
}

/* Scores are kept where the row's index is the larger one, and one value replaces the others. */
static bool fits_causal(const attention_t *a) {
    const op_t *rows = a->rows->op, *columns = a->columns->op, *select = a->select->op;
    return is_last(rows, op_s64(rows, ATTR(axis), 0), 2) &&
           is_last(columns, op_s64(columns, ATTR(axis), 0), 1) &&
           select->in.list[1].id == rows->in.list[0].id && lt_count(&select->in.list[2]) == 1;
}

/* Has it one element, if it is there? */
static bool is_one(const attention_t *a, char name) {
    if (named(a, name) == NOTHING) return true;
    const port_t use = a->b->edges.values[named(a, name)].uses[0];
    return lt_count(&a->b->ops[use.op]->in.list[use.port]) == 1;
}

/* Are weights dequantised as they were quantised, with one scale and one zero point? */
static bool fits_rounding(const attention_t *a) {
    if (!a->rounding) return true;
    const port_t use =
            a->b->edges.values[edges_out(&a->b->edges, number_of(a, a->rounding), 0)].uses[0];
    const op_t *there = a->rounding->op, *back = a->b->ops[use.op];
    const attribute_t *scale = op_attribute(there, ATTR(scales)),
                      *same = op_attribute(back, ATTR(scales)),
                      *zero = op_attribute(there, ATTR(zps)),
                      *again = op_attribute(back, ATTR(zps));
    if (!op_text_is(there, ATTR(qtype), "per_tensor") ||
            !op_text_is(back, ATTR(qtype), "per_tensor") || !scale->count || !same->count)
        return false;
    const int64_t first = zero && zero->count ? zero->value.s64[0] : 0,
                  second = again && again->count ? again->value.s64[0] : 0;
    return scale->value.f32[0] == same->value.f32[0] && first == second;
}

/* What the primitive has in one form only. */
static bool fits(const attention_t *a) {
    if (!has_operands(a) || !fits_rounding(a)) return false;
    if (!is_last(a->softmax->op, op_s64(a->softmax->op, ATTR(axis), 1), 1)) return false;
    if (op_flag(a->first->op, ATTR(transpose_a)) || op_flag(a->second->op, ATTR(transpose_a)))
        return false;
    if (a->rows && (!fits_causal(a) || named(a, 'm') != NOTHING)) return false;
    if (a->first->op->in.count > 2 || a->second->op->in.count > 2) return false;
    if (a->choice && (a->rows || named(a, 'm') != NOTHING)) return false;
    return is_one(a, 's') && is_one(a, 'l') && is_one(a, 'f');
}

/* An operand of a product with the last two dimensions exchanged or not. */
static view_t matrix(const view_t *view, bool transposed, int ndims) {
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

static dnnl_status_t seen_as_stored(const lower_t *l, const view_t *view, view_t *seen) {
    (void)l;
    *seen = *view;
    return dnnl_success;
}

static dnnl_status_t seen_in_product(const lower_t *l, const view_t *view, view_t *seen) {
    *seen = matrix(view, op_flag(l->op, ATTR(transpose_b)), view->ndims);
    return dnnl_success;
}

/* Keys or values as they are stored, with attributes of their own if they are dequantised. */
static dnnl_status_t add_operand(attention_t *a, int which, int ndims, md_t *md) {
    static const int names[] = {DNNL_ARG_KEYS, DNNL_ARG_VALUES};
    const factor_rule_t rule = {1, names[which], seen_in_product};
    const node_t *product = which ? a->second : a->first, *from = a->from[which + 1];
    lower_t *l = &a->lower;
    factors_t factors[2];
    a->fused = (fused_t){.node = product, .from = {NULL, from}};
    l->op = product->op;
    l->in = product->in;
    const view_t stored = lower_in(l, 1);
    const view_t view = matrix(&stored, op_flag(product->op, ATTR(transpose_b)), ndims);
    TRY(view_md(&view, md));
    a->args[a->nargs++] = (step_arg_t){names[which], view};
    if (!from) return dnnl_success;
    TRY(lower_factors(l, &rule, factors));
    TRY(dnnl_primitive_attr_create(&a->attrs[which]));
    for (int i = 0; i < 2; i++) {
        const factors_t *f = &factors[i];
        const dnnl_dim_t *groups = f->group_ndims ? f->groups : NULL;
        if (!f->given) continue;
        const int kind = i ? DNNL_ARG_ATTR_ZERO_POINTS : DNNL_ARG_ATTR_SCALES;
        a->args[a->nargs++] = (step_arg_t){kind | names[which], f->view};
        TRY((i ? dnnl_primitive_attr_set_zero_points : dnnl_primitive_attr_set_scales)(
                a->attrs[which], DNNL_ARG_WEIGHTS, f->mask, f->group_ndims, groups, f->view.dt));
    }
    return dnnl_success;
}

static dnnl_ze_attn_mask_t mask_kind(const attention_t *a) {
    if (a->choice)
        return edges_in(&a->b->edges, (size_t)(a->choice - a->b->nodes), 1) == named(a, 'f')
                       ? dnnl_ze_attn_mask_select_inverted
                       : dnnl_ze_attn_mask_select;
    if (named(a, 'm') != NOTHING) return dnnl_ze_attn_mask_buffer;
    if (!a->rows) return dnnl_ze_attn_mask_none;
    return a->shifted ? dnnl_ze_attn_mask_bottom_right : dnnl_ze_attn_mask_top_left;
}

/* The scale or the soft cap, which may be missing. */
static dnnl_status_t add_factor(attention_t *a, char name, int arg, md_t *md) {
    const dnnl_dim_t one = 1;
    if (named(a, name) == NOTHING) return dnnl_success;
    view_t view = consumed(a, named(a, name));
    if (!view.host) view = view_reshaped(&view, 1, &one);
    TRY(view_md(&view, md));
    a->args[a->nargs++] = (step_arg_t){arg, view};
    return dnnl_success;
}

static dnnl_status_t add_mask(attention_t *a, int ndims, md_t *mask) {
    const size_t value = named(a, a->choice ? 'b' : 'm');
    if (value == NOTHING) return dnnl_success;
    view_t view = consumed(a, value);
    if (view.ndims > ndims || view.host) return dnnl_unimplemented;
    view = view_expanded(&view, ndims);
    a->args[a->nargs++] = (step_arg_t){DNNL_ARG_ATTN_MASK, view};
    return view_md(&view, mask);
}

/* Queries as they are stored. */
static dnnl_status_t add_queries(attention_t *a, view_t *queries, md_t *md) {
    const factor_rule_t rule = {0, DNNL_ARG_QUERIES, seen_as_stored};
    lower_t *l = &a->lower;
    factors_t factors[2];
    a->fused = (fused_t){.node = a->first, .from = {a->from[0], NULL}};
    l->op = a->first->op;
    l->in = a->first->in;
    *queries = lower_in(l, 0);
    a->args[a->nargs++] = (step_arg_t){DNNL_ARG_QUERIES, *queries};
    TRY(view_md(queries, md));
    if (!a->from[0]) return dnnl_success;
    TRY(lower_factors(l, &rule, factors));
    return lower_set_factors(l, DNNL_ARG_QUERIES, factors);
}

/* A number of the program. */
static dnnl_status_t add_number(attention_t *a, int arg, float value, md_t *md) {
    const dnnl_dim_t one = 1;
    view_t view;
    TRY(program_constant(a->lower.program, dnnl_f32, 1, &one, &value, &view));
    TRY(view_md(&view, md));
    a->args[a->nargs++] = (step_arg_t){arg, view};
    return dnnl_success;
}

/* What the weights are rounded to. */
static dnnl_status_t add_rounding(
        attention_t *a, dnnl_ze_attn_weights_t *weights, md_t *scale, md_t *zero) {
    if (!a->rounding) return dnnl_success;
    const op_t *op = a->rounding->op;
    const attribute_t *zps = op_attribute(op, ATTR(zps));
    const int64_t point = zps && zps->count ? zps->value.s64[0] : 0;
    weights->data_type = op->out.list[0].data_type;
    TRY(add_number(
            a, DNNL_ARG_ATTN_WEIGHT_SCALE, op_attribute(op, ATTR(scales))->value.f32[0], scale));
    if (point) TRY(add_number(a, DNNL_ARG_ATTN_WEIGHT_ZERO_POINT, (float)point, zero));
    weights->scale_desc = scale;
    weights->zero_point_desc = point ? zero : NULL;
    return dnnl_success;
}

/* Seed, offset and probability are all on the device or all on the host. */
static dnnl_status_t add_dropout(attention_t *a) {
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

/* The portable kernel is slower than several primitives; only for masks that select, for dropout
 * and for integers there may be no other one. */
static dnnl_status_t check_kernel(const attention_t *a) {
    const char *name = "";
    if (!a->choice && !a->dropout && !a->rounding && !a->from[0]) return dnnl_success;
    TRY(dnnl_primitive_desc_query(a->lower.desc, dnnl_query_impl_info_str, 0, (void *)&name));
    return strstr(name, ":any:") ? dnnl_unimplemented : dnnl_success;
}

/* The statistics have the layout that the primitive says. */
static dnnl_status_t add_statistics(attention_t *a) {
    const op_t *op = a->softmax->op;
    const md_t *md = dnnl_primitive_desc_query_md(a->lower.desc, dnnl_query_workspace_md, 0);
    if (op->out.count < 2) return dnnl_success;
    if (!md || !lt_is_dense(&op->out.list[1])) return dnnl_unimplemented;
    view_t view = view_of(&op->out.list[1], a->softmax->out[1]);
    view = view_reshaped(&view, md->ndims, md->dims);
    a->args[a->nargs++] = (step_arg_t){DNNL_ARG_WORKSPACE, view};
    return dnnl_success;
}

/* The view of a value behind which only operations that move or convert elements follow, and then
 * the last one. */
static dnnl_status_t view_before(const attention_t *a, const node_t *from, view_t *view) {
    const edges_t *edges = &a->b->edges;
    const node_t *path[4];
    int n = 0;
    *view = view_of(&a->last->op->out.list[0], a->last->out[0]);
    for (const node_t *node = from; node != a->last && n < 4;) {
        node = &a->b->nodes[edges->values[edges_out(edges, number_of(a, node), 0)].uses[0].op];
        path[n++] = node;
    }
    while (n-- > 0) {
        const op_t *op = path[n]->op;
        const lt_t *in = &op->in.list[0];
        if (op->kind == KIND(static_reshape)) {
            if (!view_is_dense(view)) return dnnl_unimplemented;
            *view = view_reshaped(view, in->ndims, in->dims);
        } else if (op->kind == KIND(static_transpose)) {
            const attribute_t *order = op_attribute(op, ATTR(order));
            view_t moved = *view;
            for (int d = 0; d < in->ndims; d++) {
                const int to = order->count ? normal_axis(order->value.s64[d], in->ndims)
                                            : in->ndims - 1 - d;
                moved.dims[to] = view->dims[d];
                moved.strides[to] = view->strides[d];
            }
            *view = moved;
        }
    }
    return dnnl_success;
}

/* The result, which may be quantised. */
static dnnl_status_t add_result(attention_t *a, view_t *out, md_t *md) {
    TRY(view_before(a, a->second, out));
    a->args[a->nargs++] = (step_arg_t){DNNL_ARG_DST, *out};
    TRY(view_md(out, md));
    if (a->last == a->second) return dnnl_success;
    if (!op_text_is(a->last->op, ATTR(qtype), "per_tensor")) return dnnl_unimplemented;
    return lower_quantized_dst(&a->lower, a->last, seen_as_is);
}

static dnnl_status_t append(attention_t *a) {
    lower_t *l = &a->lower;
    md_t q, k, v, dst, scale = {0}, cap = {0}, fill = {0}, mask = {0}, step = {0}, zero = {0};
    dnnl_ze_attn_weights_t weights = {dnnl_data_type_undef, NULL, NULL};
    view_t queries, out;
    const int ndims = a->first->op->in.list[0].ndims;
    const bool training = a->softmax->op->out.count > 1;
    const bool divide = a->scale && a->scale->op->kind == KIND(divide);
    if (ndims < 2 || a->second->op->out.list[0].ndims != ndims) return dnnl_unimplemented;
    TRY(lower_attr(l));
    TRY(add_queries(a, &queries, &q));
    TRY(add_result(a, &out, &dst));
    TRY(add_operand(a, 0, ndims, &k));
    TRY(add_operand(a, 1, ndims, &v));
    TRY(add_factor(a, 's', DNNL_ARG_SCALE, &scale));
    TRY(add_factor(a, 'l', DNNL_ARG_ATTN_CAP, &cap));
    TRY(add_factor(a, 'f', DNNL_ARG_ATTN_FILL, &fill));
    TRY(add_mask(a, ndims, &mask));
    TRY(add_rounding(a, &weights, &step, &zero));
    TRY(add_dropout(a));
    TRY(dnnl_ze_sdpa_forward_primitive_desc_create_v4(&l->desc, l->program->engine,
            training ? dnnl_forward_training : dnnl_forward_inference, &q, &k, &v, &dst, &mask,
            &scale, divide, &cap, &fill, &weights, ndims > 2 ? k.dims[ndims - 3] : 1, mask_kind(a),
            l->attr, a->attrs[0], a->attrs[1]));
    TRY(check_kernel(a));
    TRY(add_statistics(a));
    return lower_step(l, a->nargs, a->args);
}

/* Inner results must not be outputs: the primitive does not write them. */
static bool is_hidden(const build_t *b, const match_t *match) {
    for (size_t i = 0; i < match->nops; i++) {
        const size_t op = match->ops[i];
        const size_t out = edges_out(&b->edges, op, 0);
        if (out != match->names['y' - 'a'] && !b->inner[out]) return false;
    }
    return true;
}

/* Takes over a Quantize of the result, behind operations that move its elements or convert it. */
static void follow_result(const build_t *b, const searched_t *searched, match_t *match) {
    size_t ops[4], value = match->names['y' - 'a'];
    for (int n = 0; n < 4;) {
        const value_t *v = &b->edges.values[value];
        if (!b->inner[value] || v->nuses != 1 || v->uses[0].port != 0) return;
        ops[n] = v->uses[0].op;
        value = edges_out(&b->edges, ops[n], 0);
        switch (b->ops[ops[n++]]->kind) {
        case KIND(static_transpose):
        case KIND(static_reshape):
        case KIND(reorder):
        case KIND(type_cast): continue;
        case KIND(quantize): break;
        default: return;
        }
        if (searched->groups[ops[n - 1]] != NOTHING || match->nops + (size_t)n > PATTERN_OPS)
            return;
        for (int i = 0; i < n; i++) /* those that are views are done already */
            if (searched->groups[ops[i]] == NOTHING) match->ops[match->nops++] = ops[i];
        match->names['y' - 'a'] = value;
        return;
    }
}

bool attention_find(const build_t *b, const pattern_t *pattern, const searched_t *searched,
        size_t first, match_t *match) {
    if (!pattern_match(pattern, searched, first, match)) return false;
    follow_result(b, searched, match);
    return is_hidden(b, match);
}

dnnl_status_t attention_emit(build_t *b, const match_t *match) {
    attention_t a = {.b = b, .match = match, .lower = {.program = b->program, .mode = b->mode}};
    const size_t nsteps = b->program->nsteps;
    a.lower.fused = &a.fused;
    sort_ops(&a);
    if (!fits(&a)) return dnnl_unimplemented;
    b->program->has_workspace = false;
    const dnnl_status_t status = append(&a);
    if (status != dnnl_success) program_cut(b->program, nsteps);
    for (int i = 0; i < 2; i++) dnnl_primitive_attr_destroy(a.attrs[i]);
    dnnl_primitive_attr_destroy(a.lower.attr);
    dnnl_post_ops_destroy(a.lower.post_ops);
    dnnl_primitive_desc_destroy(a.lower.desc);
    return status;
}

const char *attention_form(void) {
    return form;
}
