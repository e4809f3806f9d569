/* SPDX-License-Identifier: Apache-2.0 */
/* Partitions that are attention or its gradients: the table of forms that the primitive has. */
#include "graph/attention.h"

#include "graph/attention_lower.h"

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
    const dnnl_status_t status =
            is_gradient(match) ? attention_emit_gradients(&a) : attention_emit_forward(&a);
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
