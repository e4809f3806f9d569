/* SPDX-License-Identifier: Apache-2.0 */
/* Operations of a partition become steps, several at a time where a primitive can compute them. */
#include "core/alloc.h"
#include "core/check.h"
#include "graph/attention.h"
#include "graph/build.h"
#include "graph/lower_util.h"

#define KIND(name) dnnl_graph_op_##name

/* An operation's group: what is computed together, at the place of the last one. */
typedef struct {
    fused_t fused;
    size_t last; /* the operation at whose place it is computed */
    int nbefore; /* operations that it takes over: dequantisations and conversions */
    const node_t *before[2 * MOST_FACTORS];
} group_t;

/* The value is seen by one operation of the partition, and by no one else. */
static bool has_one_use(const build_t *b, size_t value) {
    return b->inner[value] && b->edges.values[value].nuses == 1;
}

static bool has_dims_of(const op_t *op, size_t port) {
    const lt_t *a = &op->in.list[port], *dst = &op->out.list[0];
    bool same = a->ndims == dst->ndims;
    for (int d = 0; same && d < a->ndims; d++) same = a->dims[d] == dst->dims[d];
    return same;
}

static bool can_follow(const op_t *op, size_t port) {
    eltwise_t f;
    if (eltwise_of(op, &f)) return true;
    switch (op->kind) {
    case KIND(bias_add):
    case KIND(batch_norm_inference):
    case KIND(quantize): return port == 0;
    case KIND(type_cast): return true;
    case KIND(select): return port == 1 && has_dims_of(op, port);
    case KIND(subtract):
    case KIND(divide): return port == 0 && has_dims_of(op, port);
    case KIND(greater_equal): return false;
    default: return binary_of(op) != dnnl_alg_kind_undef && has_dims_of(op, port);
    }
}

/* Multiply of a value with its own Sigmoid, which are the only users of the value. */
static bool is_swish(const build_t *b, size_t value, size_t *sigmoid, size_t *multiply) {
    const value_t *v = &b->edges.values[value];
    if (!b->inner[value] || v->nuses != 2) return false;
    for (int i = 0; i < 2; i++) {
        const size_t s = v->uses[i].op, m = v->uses[1 - i].op;
        if (b->ops[s]->kind != KIND(sigmoid) || b->ops[m]->kind != KIND(multiply)) continue;
        const size_t gate = edges_out(&b->edges, s, 0);
        if (!has_one_use(b, gate) || b->edges.values[gate].uses[0].op != m) continue;
        *sigmoid = s;
        *multiply = m;
        return true;
    }
    return false;
}

/* Adds the operation that follows, if one does. Answers its number, or NOTHING. */
static size_t follow(const build_t *b, group_t *g, const bool *done) {
    const size_t value = edges_out(&b->edges, g->last, 0);
    const port_t *use = b->edges.values[value].uses;
    epilogue_op_t *e = &g->fused.epilogue[g->fused.nepilogue];
    size_t sigmoid, multiply;
    if (g->fused.nepilogue == MOST_EPILOGUE || b->ops[g->last]->out.count > 1) return NOTHING;
    if (b->ops[g->last]->kind == KIND(quantize)) return NOTHING;
    if (is_swish(b, value, &sigmoid, &multiply) && !done[sigmoid] && !done[multiply]) {
        *e = (epilogue_op_t){&b->nodes[multiply], 0, &b->nodes[sigmoid]};
        g->fused.nepilogue++;
        return multiply;
    }
    if (!has_one_use(b, value) || done[use->op]) return NOTHING;
    if (!can_follow(b->ops[use->op], use->port)) return NOTHING;
    *e = (epilogue_op_t){&b->nodes[use->op], use->port, NULL};
    g->fused.nepilogue++;
    return use->op;
}

/* Takes over the operation that dequantises input i, and a conversion between. */
static void precede(const build_t *b, group_t *g, size_t op, size_t i, const bool *done) {
    const node_t *before[2];
    int n = 0;
    size_t value = edges_in(&b->edges, op, i);
    for (;;) {
        const size_t from = b->edges.values[value].producer.op;
        if (from == NOTHING || !has_one_use(b, value) || done[from]) return;
        before[n++] = &b->nodes[from];
        const dnnl_graph_op_kind_t kind = b->ops[from]->kind;
        if (kind == KIND(dequantize) || kind == KIND(dynamic_dequantize)) break;
        if (kind != KIND(type_cast) || n == 2) return;
        value = edges_in(&b->edges, from, 0);
    }
    g->fused.from[i] = before[n - 1];
    while (n) g->before[g->nbefore++] = before[--n];
}

static bool can_dequantise(const op_t *op) {
    return op->kind == KIND(matmul) || op->kind == KIND(convolution) ||
           op->kind == KIND(conv_transpose);
}

/* Finds the group that starts with an operation, and marks its operations. */
static void find_group(const build_t *b, size_t op, group_t *g, bool *done) {
    *g = (group_t){.fused = {.node = &b->nodes[op]}, .last = op};
    done[op] = true;
    if (!lower_has_epilogue(b->ops[op])) return;
    for (size_t next; (next = follow(b, g, done)) != NOTHING;) {
        const node_t *other = g->fused.epilogue[g->fused.nepilogue - 1].other;
        done[next] = true;
        if (other) done[other - b->nodes] = true;
        g->last = next;
    }
    for (size_t i = 0; can_dequantise(b->ops[op]) && i < 2; i++) precede(b, g, op, i, done);
    for (int i = 0; i < g->nbefore; i++) done[g->before[i] - b->nodes] = true;
}

static dnnl_status_t lower_one(build_t *b, const node_t *node) {
    const fused_t fused = {.node = node};
    return lower_fused(b->program, b->mode, &fused);
}

static bool is_refusal(dnnl_status_t status) {
    return status == dnnl_unimplemented || status == dnnl_invalid_arguments;
}

/* Host scalars of all operations become values in memory. */
static dnnl_status_t place_scalars(build_t *b, const fused_t *fused) {
    TRY(build_scalars(b, (size_t)(fused->node - b->nodes)));
    for (int i = 0; i < fused->nepilogue; i++)
        TRY(build_scalars(b, (size_t)(fused->epilogue[i].node - b->nodes)));
    return dnnl_success;
}

/* Computes operations with as many of the epilogue as a primitive supports, and then the others. */
static dnnl_status_t emit(build_t *b, const fused_t *all) {
    fused_t part = *all;
    TRY(place_scalars(b, all));
    dnnl_status_t status = lower_fused(b->program, b->mode, &part);
    while (is_refusal(status) && part.nepilogue) {
        part.nepilogue--;
        status = lower_fused(b->program, b->mode, &part);
    }
    if (status != dnnl_success || part.nepilogue == all->nepilogue) return status;
    const epilogue_op_t *next = &all->epilogue[part.nepilogue];
    fused_t rest = {.node = next->node};
    if (next->other) TRY(lower_one(b, next->other));
    if (lower_has_epilogue(next->node->op))
        for (int i = part.nepilogue + 1; i < all->nepilogue; i++)
            rest.epilogue[rest.nepilogue++] = all->epilogue[i];
    TRY(emit(b, &rest));
    for (int i = part.nepilogue + 1; !rest.nepilogue && i < all->nepilogue; i++) {
        fused_t one = {.node = all->epilogue[i].node};
        if (all->epilogue[i].other) TRY(lower_one(b, all->epilogue[i].other));
        TRY(emit(b, &one));
    }
    return dnnl_success;
}

static dnnl_status_t emit_group(build_t *b, const group_t *g) {
    if (!g->nbefore) return emit(b, &g->fused);
    const dnnl_status_t status = emit(b, &g->fused);
    if (!is_refusal(status)) return status;
    fused_t plain = g->fused;
    for (int i = 0; i < MOST_FACTORS; i++) plain.from[i] = NULL;
    for (int i = 0; i < g->nbefore; i++) TRY(lower_one(b, g->before[i]));
    return emit(b, &plain);
}

/* What a partition is computed as. */
typedef struct {
    size_t ngroups, nmatches;
    group_t *groups;
    match_t *matches; /* of attention */
    bool *done;       /* of the operations: they belong to a group or a match */
} plan_t;

/* Each attention has a softmax, and its gradients an exponential function. */
static size_t most_attentions(const build_t *b) {
    size_t n = 0;
    for (size_t i = 0; i < b->nops; i++)
        n += b->ops[i]->kind == KIND(softmax) || b->ops[i]->kind == KIND(exp);
    return n;
}

/* Takes the operations of a match that an operation starts, if there is one. */
static void find_form(const build_t *b, plan_t *plan, const pattern_t *pattern,
        const searched_t *searched, size_t first) {
    match_t *match = &plan->matches[plan->nmatches];
    if (searched->groups[first] != NOTHING || b->ops[first]->kind != KIND(matmul)) return;
    if (!attention_find(b, pattern, searched, first, match)) return;
    for (size_t m = 0; m < match->nops; m++) {
        searched->groups[match->ops[m]] = 0;
        plan->done[match->ops[m]] = true;
    }
    plan->nmatches++;
}

static dnnl_status_t find_attention(const build_t *b, plan_t *plan) {
    searched_t searched;
    if (!most_attentions(b)) return dnnl_success;
    pattern_t *pattern = dz_malloc(sizeof *pattern);
    const dnnl_status_t status = pattern ? searched_make(&searched, &b->edges) : dnnl_out_of_memory;
    if (status != dnnl_success) return dz_free(pattern), status;
    for (size_t i = 0; i < b->nops; i++) searched.groups[i] = plan->done[i] ? 0 : NOTHING;
    for (int form = 0; form < ATTENTION_FORMS; form++) {
        pattern_parse(pattern, attention_form(form));
        for (size_t i = 0; i < b->nops; i++) find_form(b, plan, pattern, &searched, i);
    }
    searched_end(&searched);
    dz_free(pattern);
    return dnnl_success;
}

/* Products and convolutions come first: the others may be part of them. */
static void find_groups(const build_t *b, plan_t *plan) {
    for (int late = 0; late < 2; late++)
        for (size_t i = 0; i < b->nops; i++) {
            const bool first = can_dequantise(b->ops[i]);
            if (plan->done[i] || b->ops[i]->kind == KIND(end) || (!late && !first)) continue;
            find_group(b, i, &plan->groups[plan->ngroups++], plan->done);
        }
}

static dnnl_status_t emit_groups(build_t *b, const plan_t *plan, size_t first, size_t last) {
    for (size_t g = first; g < plan->ngroups; g++)
        if (plan->groups[g].last == last) TRY(emit_group(b, &plan->groups[g]));
    return dnnl_success;
}

/* In one primitive, or in groups of operations. */
static dnnl_status_t emit_match(build_t *b, plan_t *plan, const match_t *match) {
    const dnnl_status_t status = attention_emit(b, match);
    if (!is_refusal(status)) return status;
    const size_t first = plan->ngroups;
    for (size_t i = 0; i < match->nops; i++) plan->done[match->ops[i]] = false;
    find_groups(b, plan);
    for (size_t i = 0; i < b->nops; i++) TRY(emit_groups(b, plan, first, i));
    plan->ngroups = first;
    return dnnl_success;
}

static bool is_last_of(const match_t *match, size_t op) {
    size_t last = 0;
    for (size_t i = 0; i < match->nops; i++)
        if (match->ops[i] > last) last = match->ops[i];
    return last == op;
}

/* Each group is computed at the place of its last operation: all operands are there then. */
static dnnl_status_t emit_all(build_t *b, plan_t *plan) {
    build_views(b, plan->done);
    TRY(find_attention(b, plan));
    find_groups(b, plan);
    for (size_t i = 0; i < b->nops; i++) {
        for (size_t m = 0; m < plan->nmatches; m++)
            if (is_last_of(&plan->matches[m], i)) TRY(emit_match(b, plan, &plan->matches[m]));
        TRY(emit_groups(b, plan, 0, i));
    }
    return dnnl_success;
}

dnnl_status_t build_steps(build_t *b) {
    plan_t plan = {.groups = dz_calloc(b->nops + 1, sizeof *plan.groups),
            .matches = dz_calloc(most_attentions(b) + 1, sizeof *plan.matches),
            .done = dz_calloc(b->nops + 1, sizeof *plan.done)};
    const bool room = plan.groups && plan.matches && plan.done;
    const dnnl_status_t status = room ? emit_all(b, &plan) : dnnl_out_of_memory;
    dz_free(plan.groups);
    dz_free(plan.matches);
    dz_free(plan.done);
    return status;
}
