/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/order.h"

#include "core/alloc.h"
#include "core/check.h"

static dnnl_status_t check_port(op_t *const *ops, size_t nops, const lt_t *lt) {
    for (size_t i = 0; i < nops; i++)
        for (int out = 0; out < 2; out++) {
            const ports_t *ports = out ? &ops[i]->out : &ops[i]->in;
            for (size_t p = 0; p < ports->count; p++)
                if (ports->list[p].id == lt->id && !lt_same(&ports->list[p], lt))
                    return verbose_check(dnnl_invalid_graph, "graph",
                            "two logical tensors of number %zu differ", lt->id);
        }
    return dnnl_success;
}

dnnl_status_t order_check_ports(op_t *const *ops, size_t nops) {
    for (size_t i = 0; i < nops; i++) {
        for (size_t p = 0; p < ops[i]->in.count; p++)
            TRY(check_port(ops, nops, &ops[i]->in.list[p]));
        for (size_t p = 0; p < ops[i]->out.count; p++)
            TRY(check_port(ops, nops, &ops[i]->out.list[p]));
    }
    return dnnl_success;
}

/* The operation that has an output of this number, the last one if there are several; nops:
 * none. */
static size_t producer(op_t *const *ops, size_t nops, size_t id) {
    for (size_t i = nops; i-- > 0;)
        for (size_t p = 0; p < ops[i]->out.count; p++)
            if (ops[i]->out.list[p].id == id) return i;
    return nops;
}

static bool has_consumer(op_t *const *ops, size_t nops, const op_t *op) {
    for (size_t p = 0; p < op->out.count; p++)
        for (size_t i = 0; i < nops; i++)
            for (size_t q = 0; q < ops[i]->in.count; q++)
                if (ops[i]->in.list[q].id == op->out.list[p].id) return true;
    return false;
}

typedef enum { NEW, OPEN, DONE } visit_t;

typedef struct {
    op_t *const *ops;
    size_t nops, nordered, depth;
    size_t *order, *stack;
    visit_t *visits;
} search_t;

/* Visits an operation and, before it, all that produce its inputs. A producer that is open depends
 * on the operation itself. */
static dnnl_status_t visit(search_t *s, size_t root) {
    s->stack[s->depth++] = root;
    while (s->depth) {
        const size_t at = s->stack[s->depth - 1], depth = s->depth;
        if (s->visits[at] == NEW) s->visits[at] = OPEN;
        const ports_t *in = &s->ops[at]->in;
        for (size_t p = 0; p < in->count && s->depth == depth; p++) {
            const size_t from = producer(s->ops, s->nops, in->list[p].id);
            if (from == s->nops || s->visits[from] == DONE) continue;
            if (s->visits[from] == OPEN)
                return verbose_check(dnnl_invalid_graph, "graph",
                        "the operations form a cycle, in which %s is", s->ops[at]->name);
            s->stack[s->depth++] = from;
        }
        if (s->depth != depth) continue;
        s->visits[at] = DONE;
        s->order[s->nordered++] = at;
        s->depth--;
    }
    return dnnl_success;
}

/* The operations that nothing consumes come first, then what is left: cycles. */
static dnnl_status_t visit_all(search_t *s) {
    for (size_t i = 0; i < s->nops; i++)
        if (s->visits[i] == NEW && !has_consumer(s->ops, s->nops, s->ops[i])) TRY(visit(s, i));
    for (size_t i = 0; i < s->nops; i++)
        if (s->visits[i] == NEW) TRY(visit(s, i));
    return dnnl_success;
}

dnnl_status_t order_find(op_t *const *ops, size_t nops, size_t **order) {
    search_t s = {.ops = ops, .nops = nops};
    s.order = dz_calloc(nops + 1, sizeof *s.order);
    s.stack = dz_calloc(nops + 1, sizeof *s.stack);
    s.visits = dz_calloc(nops + 1, sizeof *s.visits);
    const dnnl_status_t status =
            s.order && s.stack && s.visits ? visit_all(&s) : dnnl_out_of_memory;
    dz_free(s.stack);
    dz_free(s.visits);
    if (status == dnnl_success) *order = s.order;
    else dz_free(s.order);
    return status;
}
