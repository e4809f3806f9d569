/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/partitioner.h"

#include "core/alloc.h"
#include "core/check.h"
#include "graph/order.h"
#include "graph/pattern.h"

static const struct {
    partition_kind_t kind;
    const char *text;
} patterns[] = {
#define PATTERN(kind, text) {PARTITION_##kind, text},
#include "graph/patterns.def"
#undef PATTERN
};

/* One division under way. */
typedef struct {
    dnnl_graph_graph_t graph;
    op_t **ops; /* in topological order; not owned */
    edges_t edges;
    searched_t searched;
    size_t ngroups;
    partition_kind_t *kinds; /* of the groups */
} division_t;

static void find_matches(division_t *d, const pattern_t *pattern, partition_kind_t kind) {
    match_t match;
    for (size_t i = 0; i < d->edges.nops; i++) {
        if (d->searched.groups[i] != NOTHING) continue;
        if (!pattern_match(pattern, &d->searched, i, &match)) continue;
        for (size_t m = 0; m < match.nops; m++) d->searched.groups[match.ops[m]] = d->ngroups;
        d->kinds[d->ngroups++] = kind;
    }
}

/* Patterns of residual blocks are long: they are read only for graphs with as many convolutions as
 * the shortest of them has. */
static bool is_worth_reading(const division_t *d, partition_kind_t kind) {
    enum { LEAST = 6 };
    int n = 0;
    if (kind != PARTITION_residual_conv_blocks && kind != PARTITION_quantized_residual_conv_blocks)
        return true;
    for (size_t i = 0; i < d->edges.nops; i++) n += d->ops[i]->kind == dnnl_graph_op_convolution;
    return n >= LEAST;
}

/* The pattern is room for one at a time. */
static void find_groups(division_t *d, bool fuse, pattern_t *pattern) {
    for (size_t p = 0; fuse && p < sizeof patterns / sizeof *patterns; p++) {
        if (!is_worth_reading(d, patterns[p].kind)) continue;
        pattern_parse(pattern, patterns[p].text);
        find_matches(d, pattern, patterns[p].kind);
    }
    for (size_t i = 0; i < d->edges.nops; i++)
        if (d->searched.groups[i] == NOTHING) {
            d->searched.groups[i] = d->ngroups;
            d->kinds[d->ngroups++] = PARTITION_misc_post_ops;
        }
}

/* Makes the partition of one group. */
static dnnl_status_t make_one(division_t *d, size_t group, op_t **room) {
    size_t n = 0;
    for (size_t i = 0; i < d->edges.nops; i++)
        if (d->searched.groups[i] == group) room[n++] = d->ops[i];
    dnnl_graph_graph_t graph = d->graph;
    TRY(partition_make(&graph->partitions[graph->npartitions], &graph->mode, room, n, &d->edges));
    graph->partitions[graph->npartitions++]->kind = d->kinds[group];
    return dnnl_success;
}

/* Partitions in topological order: as if each were an operation. */
static dnnl_status_t sort(dnnl_graph_graph_t graph) {
    const size_t n = graph->npartitions;
    op_t *fake = dz_calloc(n + 1, sizeof *fake);
    op_t **list = dz_calloc(n + 1, sizeof *list);
    dnnl_graph_partition_t *sorted = dz_calloc(n + 1, sizeof *sorted);
    size_t *order = NULL;
    dnnl_status_t status = fake && list && sorted ? dnnl_success : dnnl_out_of_memory;
    for (size_t i = 0; status == dnnl_success && i < n; i++) {
        fake[i] = (op_t){.in = graph->partitions[i]->in, .out = graph->partitions[i]->out};
        fake[i].name = graph->partitions[i]->ops[0]->name;
        list[i] = &fake[i];
    }
    if (status == dnnl_success) status = order_find(list, n, &order);
    for (size_t i = 0; status == dnnl_success && i < n; i++)
        sorted[i] = graph->partitions[order[i]];
    if (status == dnnl_success) {
        dz_free(graph->partitions);
        graph->partitions = sorted;
        sorted = NULL;
    }
    dz_free(order);
    dz_free(sorted);
    dz_free(list);
    dz_free(fake);
    return status;
}

static dnnl_status_t divide(division_t *d, bool fuse) {
    const size_t n = d->edges.nops;
    dnnl_graph_graph_t graph = d->graph;
    TRY(searched_make(&d->searched, &d->edges));
    d->kinds = dz_calloc(n + 1, sizeof *d->kinds);
    graph->partitions = dz_calloc(n + 1, sizeof *graph->partitions);
    op_t **room = dz_calloc(n + 1, sizeof *room);
    pattern_t *pattern = dz_malloc(sizeof *pattern);
    dnnl_status_t status =
            d->kinds && graph->partitions && room && pattern ? dnnl_success : dnnl_out_of_memory;
    if (status == dnnl_success) find_groups(d, fuse, pattern);
    dz_free(pattern);
    for (size_t g = 0; status == dnnl_success && g < d->ngroups; g++) status = make_one(d, g, room);
    dz_free(room);
    return status == dnnl_success ? sort(graph) : status;
}

dnnl_status_t partitioner_run(dnnl_graph_graph_t graph, const size_t *order, bool fuse) {
    division_t d = {.graph = graph};
    d.ops = dz_calloc(graph->nops + 1, sizeof *d.ops);
    if (!d.ops) return dnnl_out_of_memory;
    for (size_t i = 0; i < graph->nops; i++) d.ops[i] = graph->ops[order[i]];
    dnnl_status_t status = edges_make(&d.edges, d.ops, graph->nops);
    if (status == dnnl_success) status = divide(&d, fuse);
    searched_end(&d.searched);
    edges_end(&d.edges);
    dz_free(d.kinds);
    dz_free(d.ops);
    return status;
}
