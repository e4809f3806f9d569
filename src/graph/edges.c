/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/edges.h"

#include <stdlib.h>

#include "core/alloc.h"
#include "core/check.h"

static int compare(const void *a, const void *b) {
    const size_t x = ((const value_t *)a)->id, y = ((const value_t *)b)->id;
    return (x > y) - (x < y);
}

size_t edges_find(const edges_t *edges, size_t id) {
    const value_t key = {.id = id};
    const value_t *found = bsearch(&key, edges->values, edges->nvalues, sizeof key, compare);
    return found ? (size_t)(found - edges->values) : NOTHING;
}

size_t edges_in(const edges_t *edges, size_t op, size_t port) {
    return edges->ports[edges->first[op] + port];
}

size_t edges_out(const edges_t *edges, size_t op, size_t port) {
    return edges->ports[edges->first[op] + edges->ops[op]->in.count + port];
}

static size_t count_ports(edges_t *edges) {
    size_t n = 0;
    for (size_t i = 0; i < edges->nops; i++) {
        edges->first[i] = n;
        n += edges->ops[i]->in.count + edges->ops[i]->out.count;
    }
    return n;
}

/* One value for each number of a logical tensor. */
static void list_values(edges_t *edges, size_t nports) {
    size_t n = 0, kept = 0;
    for (size_t i = 0; i < edges->nops; i++) {
        const ports_t *both[] = {&edges->ops[i]->in, &edges->ops[i]->out};
        for (int b = 0; b < 2; b++)
            for (size_t p = 0; p < both[b]->count; p++)
                edges->values[n++] = (value_t){.id = both[b]->list[p].id, .producer = {NOTHING, 0}};
    }
    if (nports) qsort(edges->values, nports, sizeof *edges->values, compare);
    for (size_t i = 0; i < nports; i++)
        if (!kept || edges->values[kept - 1].id != edges->values[i].id)
            edges->values[kept++] = edges->values[i];
    edges->nvalues = kept;
}

/* Of two producers, the later one counts. */
static void connect(edges_t *edges) {
    for (size_t i = 0; i < edges->nops; i++) {
        const op_t *op = edges->ops[i];
        for (size_t p = 0; p < op->in.count; p++) {
            const size_t value = edges_find(edges, op->in.list[p].id);
            edges->ports[edges->first[i] + p] = value;
            edges->values[value].nuses++;
        }
        for (size_t p = 0; p < op->out.count; p++) {
            const size_t value = edges_find(edges, op->out.list[p].id);
            edges->ports[edges->first[i] + op->in.count + p] = value;
            edges->values[value].producer = (port_t){i, p};
        }
    }
}

static void list_uses(edges_t *edges) {
    port_t *next = edges->uses;
    for (size_t v = 0; v < edges->nvalues; v++) {
        edges->values[v].uses = next;
        next += edges->values[v].nuses;
        edges->values[v].nuses = 0;
    }
    for (size_t i = 0; i < edges->nops; i++)
        for (size_t p = 0; p < edges->ops[i]->in.count; p++) {
            value_t *value = &edges->values[edges_in(edges, i, p)];
            edges->uses[value->uses - edges->uses + (ptrdiff_t)value->nuses++] = (port_t){i, p};
        }
}

dnnl_status_t edges_make(edges_t *edges, op_t *const *ops, size_t nops) {
    *edges = (edges_t){.ops = ops, .nops = nops};
    edges->first = dz_calloc(nops + 1, sizeof *edges->first);
    if (!edges->first) return dnnl_out_of_memory;
    const size_t n = count_ports(edges);
    edges->ports = dz_calloc(n + 1, sizeof *edges->ports);
    edges->uses = dz_calloc(n + 1, sizeof *edges->uses);
    edges->values = dz_calloc(n + 1, sizeof *edges->values);
    if (!edges->ports || !edges->uses || !edges->values) {
        edges_end(edges);
        return dnnl_out_of_memory;
    }
    list_values(edges, n);
    connect(edges);
    list_uses(edges);
    return dnnl_success;
}

void edges_end(edges_t *edges) {
    dz_free(edges->first);
    dz_free(edges->ports);
    dz_free(edges->uses);
    dz_free(edges->values);
    *edges = (edges_t){0};
}
