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

/* The portable kernel is slower than several primitives. */
static dnnl_status_t check_variant(const attention_t *a) {
    const char *name = "";
    TRY(dnnl_primitive_desc_query(a->lower.desc, dnnl_query_impl_info_str, 0, (void *)&name));
    return strstr(name, ":any:") ? dnnl_unimplemented : dnnl_success;
}

/* For masks that select, for dropout and for integers there may be only the portable kernel. */
static dnnl_status_t check_kernel(const attention_t *a) {
    if (!a->choice && !a->dropout && !a->rounding && !a->from[0]) return dnnl_success;
    return check_variant(a);
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

/* ---- gradients ---- */

/* y: gradient of the destination, z: destination, t: statistics, d: weights behind dropout, u: the
 * scale again; f, i, j: gradients of values, queries and keys; w: of the scores. */
#define WEIGHTS                                                                                    \
    "x = MatMul(q, k) x = Multiply|Divide(x, s)? { r = GenIndex(x) { r = Add(r, _) "               \
    "r = Subtract(r, _) }? c = GenIndex(x) g = GreaterEqual(r, c) x = Select(g, x, _) }? "         \
    "x = Add(x, m)? x = Subtract(x, t) p = Exp(x) "
#define REST                                                                                       \
    "f = ReduceSum(f)? w = MatMul(y, v) w = Dropout(w)? o = Multiply(z, y) o = ReduceSum(o) "      \
    "w = Subtract(w, o) w = Multiply(p, w) h = End(w)? w = Multiply|Divide(w, u)? "                \
    "w = TypeCast(w)? i = MatMul(w, k) i = ReduceSum(i)? j = MatMul(w, q) j = ReduceSum(j)?"
static const char *const forms[ATTENTION_FORMS] = {form, WEIGHTS "f = MatMul(p, y) " REST,
        WEIGHTS "e = TypeCast(p) f = MatMul(e, y) " REST,
        WEIGHTS "d = Dropout(p) f = MatMul(d, y) " REST,
        WEIGHTS "d = Dropout(p) e = TypeCast(d) f = MatMul(e, y) " REST};

enum { SCORES, OF_VALUES, WEIGHT_DIFFS, OF_QUERIES, OF_KEYS, PRODUCTS };

typedef struct {
    attention_t a;
    const node_t *product[PRODUCTS];
    const node_t *dropouts[2], *score_diff; /* Multiply of the weights */
    const node_t *scale[2];
    const node_t *end;
    int nproducts, ndropouts;
} gradients_t;

static void sort_gradients(gradients_t *x) {
    attention_t *a = &x->a;
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
    const build_t *b = x->a.b;
    if (x->ndropouts != 0 && x->ndropouts != 2) return false;
    if ((x->ndropouts == 2) != (named(&x->a, 'd') != NOTHING)) return false;
    for (int i = 0; i < x->ndropouts; i++)
        if (x->dropouts[i]->op->out.count > 1) return false;
    for (size_t port = 1; x->ndropouts && port < 4; port++)
        if (edges_in(&b->edges, (size_t)(x->dropouts[0] - b->nodes), port) !=
                edges_in(&b->edges, (size_t)(x->dropouts[1] - b->nodes), port))
            return false;
    return true;
}

/* The gradient of the product has the scale that the product has. */
static bool fits_scale(const gradients_t *x) {
    if (!x->scale[0] != !x->scale[1]) return false;
    if (!x->scale[0]) return true;
    return named(&x->a, 's') == named(&x->a, 'u') && is_one(&x->a, 's') &&
           x->scale[0]->op->kind == x->scale[1]->op->kind;
}

static bool fits_gradients(const gradients_t *x) {
    const attention_t *a = &x->a;
    const bool turned = op_flag(x->product[SCORES]->op, ATTR(transpose_b));
    for (const char *name = "qksmvyzt"; *name; name++) {
        if (named(a, *name) == NOTHING) continue;
        const size_t from = a->b->edges.values[named(a, *name)].producer.op;
        if (from != NOTHING && match_has(a->match, from)) return false;
    }
    if (a->rows && (!fits_causal(a) || named(a, 'm') != NOTHING)) return false;
    if (!fits_dropouts(x) || !fits_scale(x)) return false;
    return has_flags(x->product[SCORES], false, turned) &&
           has_flags(x->product[OF_VALUES], true, false) &&
           op_flag(x->product[WEIGHT_DIFFS]->op, ATTR(transpose_a)) == 0 &&
           has_flags(x->product[OF_QUERIES], false, !turned) &&
           has_flags(x->product[OF_KEYS], true, false);
}

static view_t produced(const attention_t *a, char name) {
    const port_t from = a->b->edges.values[named(a, name)].producer;
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
    const attention_t *a = &x->a;
    const view_t stats = consumed(a, named(a, 't')), sums = produced(a, 'o');
    for (int i = 0; i < 2; i++) {
        const view_t *v = i ? &sums : &stats;
        if (v->ndims != q->ndims || v->dims[q->ndims - 1] != 1) return dnnl_unimplemented;
        for (int d = 0; d < q->ndims - 1; d++)
            if (v->dims[d] != q->dims[d]) return dnnl_unimplemented;
    }
    return stats.dt == dnnl_f32 && view_is_dense(&stats) ? dnnl_success : dnnl_unimplemented;
}

static dnnl_status_t append_gradients(gradients_t *x) {
    attention_t *a = &x->a;
    lower_t *l = &a->lower;
    md_t q, k, v, dst, diff_q, diff_k, diff_v, diff_dst, diff_score = {0}, scale = {0}, mask = {0};
    const view_t queries = consumed(a, named(a, 'q')), diff_keys = produced(a, 'j'),
                 keys = consumed(a, named(a, 'k')), values = consumed(a, named(a, 'v'));
    const int nd = queries.ndims;
    if (nd < 2 || keys.ndims != nd || values.ndims != nd || diff_keys.ndims != nd)
        return dnnl_unimplemented;
    const bool by_rows = op_flag(x->product[SCORES]->op, ATTR(transpose_b)),
               in_rows = !op_flag(x->product[WEIGHT_DIFFS]->op, ATTR(transpose_b));
    TRY(add_view(a, DNNL_ARG_QUERIES, queries, &q));
    TRY(add_view(a, DNNL_ARG_KEYS, matrix(&keys, by_rows, nd), &k));
    TRY(add_view(a, DNNL_ARG_VALUES, matrix(&values, in_rows, nd), &v));
    TRY(add_view(a, DNNL_ARG_DST, consumed(a, named(a, 'z')), &dst));
    TRY(add_view(a, DNNL_ARG_DIFF_DST, consumed(a, named(a, 'y')), &diff_dst));
    TRY(add_view(a, DNNL_ARG_DIFF_QUERIES, produced(a, 'i'), &diff_q));
    TRY(add_view(a, DNNL_ARG_DIFF_KEYS, matrix(&diff_keys, true, nd), &diff_k));
    TRY(add_view(a, DNNL_ARG_DIFF_VALUES, produced(a, 'f'), &diff_v));
    if (x->end)
        TRY(add_view(a, DNNL_ARG_DIFF_ATTN_SCORES,
                view_of(&x->score_diff->op->out.list[0], x->score_diff->out[0]), &diff_score));
    TRY(check_rows(x, &q));
    TRY(add_factor(a, 's', DNNL_ARG_SCALE, &scale));
    TRY(add_mask(a, nd, &mask));
    TRY(lower_attr(l));
    TRY(add_dropout(a));
    TRY(dnnl_ze_sdpa_backward_primitive_desc_create(&l->desc, l->program->engine, &diff_q, &diff_k,
            &diff_v, &diff_dst, &diff_score, &q, &k, &v, &dst, &mask, &scale,
            a->scale && a->scale->op->kind == KIND(divide), NULL, NULL, nd > 2 ? k.dims[nd - 3] : 1,
            mask_kind(a), NULL, l->attr));
    TRY(check_variant(a));
    const md_t *md = dnnl_primitive_desc_query_md(l->desc, dnnl_query_workspace_md, 0);
    if (!md) return dnnl_unimplemented;
    const view_t stats = consumed(a, named(a, 't'));
    a->args[a->nargs++] =
            (step_arg_t){DNNL_ARG_WORKSPACE, view_reshaped(&stats, md->ndims, md->dims)};
    l->nextra = 0;
    return lower_step(l, a->nargs, a->args);
}

static dnnl_status_t emit_gradients(const attention_t *a) {
    gradients_t x = {.a = *a};
    x.a.lower.fused = &x.a.fused;
    sort_gradients(&x);
    const dnnl_status_t status = fits_gradients(&x) ? append_gradients(&x) : dnnl_unimplemented;
    dnnl_primitive_attr_destroy(x.a.lower.attr);
    dnnl_primitive_desc_destroy(x.a.lower.desc);
    return status;
}

/* ---- both ---- */

static bool is_gradient(const match_t *match) {
    return match->names['z' - 'a'] != NOTHING;
}

/* Inner results must not be outputs: the primitive does not write them. */
static bool is_hidden(const build_t *b, const match_t *match) {
    for (size_t i = 0; i < match->nops; i++) {
        const size_t op = match->ops[i];
        if (b->ops[op]->kind == KIND(end)) continue;
        const size_t out = edges_out(&b->edges, op, 0);
        bool shown = !is_gradient(match) && out == match->names['y' - 'a'];
        for (const char *name = "fij"; is_gradient(match) && *name; name++)
            shown = shown || out == match->names[*name - 'a'];
        for (size_t e = 0; e < match->nops; e++)
            shown = shown || (b->ops[match->ops[e]]->kind == KIND(end) &&
                                     edges_in(&b->edges, match->ops[e], 0) == out);
        if (!shown && !b->inner[out]) return false;
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
    b->program->has_workspace = false;
    if (is_gradient(match)) {
        const dnnl_status_t status = emit_gradients(&a);
        if (status != dnnl_success) program_cut(b->program, nsteps);
        return status;
    }
    sort_ops(&a);
    if (!fits(&a)) return dnnl_unimplemented;
    const dnnl_status_t status = append(&a);
    if (status != dnnl_success) program_cut(b->program, nsteps);
    for (int i = 0; i < 2; i++) dnnl_primitive_attr_destroy(a.attrs[i]);
    dnnl_primitive_attr_destroy(a.lower.attr);
    dnnl_post_ops_destroy(a.lower.post_ops);
    dnnl_primitive_desc_destroy(a.lower.desc);
    return status;
}

const char *attention_form(int i) {
    return forms[i];
}
