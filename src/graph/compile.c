/* SPDX-License-Identifier: Apache-2.0 */
/* Compilation of a partition for shapes, layouts and an engine. */
#include "core/alloc.h"
#include "core/check.h"
#include "core/util.h"
#include "graph/compiled_cache.h"
#include "graph/constants.h"
#include "graph/dump.h"
#include "graph/frames.h"
#include "graph/lower.h"
#include "graph/objects.h"
#include "graph/report.h"
#include "graph/schema.h"

dnnl_status_t dnnl_graph_compiled_partition_create(
        dnnl_graph_compiled_partition_t *compiled_partition, dnnl_graph_partition_t partition) {
    CHECK_NOT_NULL(compiled_partition, "graph");
    CHECK_NOT_NULL(partition, "graph");
    dnnl_graph_compiled_partition_t cp = dz_calloc(1, sizeof *cp);
    if (!cp) return dnnl_out_of_memory;
    cp->partition = partition;
    atomic_fetch_add(&partition->refs, 1);
    *compiled_partition = cp;
    return dnnl_success;
}

static void forget(dnnl_graph_compiled_partition_t cp) {
    frames_unref(cp->frames);
    dz_free(cp->in.list);
    dz_free(cp->out.list);
    cp->frames = NULL;
    cp->in = cp->out = (ports_t){0};
}

dnnl_status_t dnnl_graph_compiled_partition_destroy(dnnl_graph_compiled_partition_t cp) {
    if (!cp) return dnnl_success;
    forget(cp);
    partition_unref(cp->partition);
    dz_free(cp);
    return dnnl_success;
}

/* One compilation under way. */
typedef struct {
    op_t *op; /* a copy of the partition's, with the logical tensors of the arguments */
    program_t program;
    place_t *in, *out; /* of the ports */
    dnnl_graph_compiled_partition_t cp;
} compile_t;

/* Replaces the port's logical tensor by that of the same number among the arguments. */
static dnnl_status_t match(lt_t *port, const ports_t *given, place_kind_t kind, place_t *place) {
    for (size_t i = 0; i < given->count; i++) {
        if (given->list[i].id != port->id) continue;
        CHECK_ARG(given->list[i].data_type == port->data_type, "graph",
                "logical tensor %zu has another type than in the graph", port->id);
        *port = given->list[i];
        *place = (place_t){kind, i};
        return dnnl_success;
    }
    CHECK_ARG(false, "graph", "logical tensor %zu is missing", port->id);
}

static dnnl_status_t check_input(const lt_t *lt) {
    CHECK_ARG(lt_has_dims(lt), "graph", "the dimensions of input %zu are not known", lt->id);
    CHECK_ARG(lt->data_type != dnnl_data_type_undef, "graph", "the type of input %zu is not known",
            lt->id);
    CHECK_ARG(lt->layout_type == dnnl_graph_layout_type_any ||
                      lt->layout_type == dnnl_graph_layout_type_strided,
            "graph", "the layout of input %zu is not known", lt->id);
    return dnnl_success;
}

/* The library's layouts are dense and row-major. */
static void choose_layout(lt_t *lt) {
    bool known = lt->layout_type == dnnl_graph_layout_type_strided;
    for (int d = 0; known && d < lt->ndims; d++) known = lt->layout.strides[d] >= 0;
    if (!known) lt_set_dense(lt);
}

/* The arguments get what was inferred and chosen for the ports. */
static void write_back(ports_t *given, const ports_t *ports, const place_t *places) {
    for (size_t i = 0; i < ports->count; i++) given->list[places[i].at] = ports->list[i];
}

static dnnl_status_t resolve(compile_t *c) {
    op_t *op = c->op;
    for (size_t i = 0; i < op->in.count; i++) {
        TRY(match(&op->in.list[i], &c->cp->in, AT_INPUT, &c->in[i]));
        TRY(check_input(&op->in.list[i]));
        choose_layout(&op->in.list[i]);
    }
    for (size_t i = 0; i < op->out.count; i++)
        TRY(match(&op->out.list[i], &c->cp->out, AT_OUTPUT, &c->out[i]));
    TRY(op->schema->infer(op));
    for (size_t i = 0; i < op->out.count; i++) {
        CHECK_ARG(op->out.list[i].layout_type != dnnl_graph_layout_type_opaque, "graph",
                "the layout of output %zu is not known", op->out.list[i].id);
        choose_layout(&op->out.list[i]);
    }
    write_back(&c->cp->in, &op->in, c->in);
    write_back(&c->cp->out, &op->out, c->out);
    return dnnl_success;
}

static dnnl_status_t copy_ports(ports_t *ports, size_t num, const lt_t *const *list) {
    for (size_t i = 0; i < num; i++) {
        CHECK_ARG(list[i], "graph", "a logical tensor is NULL");
        TRY(ports_add(ports, list[i]));
    }
    return dnnl_success;
}

static dnnl_status_t build(compile_t *c) {
    const dnnl_graph_partition_t partition = c->cp->partition;
    TRY(op_clone(&c->op, partition->op));
    c->in = dz_calloc(c->op->in.count + 1, sizeof *c->in);
    c->out = dz_calloc(c->op->out.count + 1, sizeof *c->out);
    if (!c->in || !c->out) return dnnl_out_of_memory;
    TRY(resolve(c));
    if (dump_wants(dnnl_graph_dump_mode_subgraph))
        dump_compilation(partition, (const op_t *const *)&c->op, 1);
    TRY(lower_op(&c->program, &partition->mode, c->op, c->in, c->out));
    if (constants_wanted(partition->mode.engine_kind)) TRY(constants_mark(&c->program, &c->cp->in));
    /* Room to align the scratchpad of a program. */
    if (c->program.scratch) c->program.scratch += SCRATCH_ALIGNMENT;
    return frames_make(&c->cp->frames, &c->program);
}

static dnnl_status_t check_compile(const_dnnl_graph_partition_t partition, dnnl_engine_t engine) {
    dnnl_engine_kind_t kind;
    TRY(dnnl_engine_get_kind(engine, &kind));
    CHECK_ARG(kind == partition->mode.engine_kind, "graph",
            "the engine is of another kind than the graph");
    CHECK_ARG(partition->supported, "graph", "the partition of %s is not supported",
            partition->op->name);
    return dnnl_success;
}

/* What is kept would keep the engine alive, or outlive it. */
static void forget_engine(dnnl_engine_t engine) {
    compiled_cache_forget(engine);
    constants_forget(engine);
}

/* Without the cache. */
static dnnl_status_t compile_now(dnnl_graph_compiled_partition_t cp, dnnl_engine_t engine) {
    compile_t c = {.program = {.engine = engine}, .cp = cp};
    const dnnl_status_t status = build(&c);
    op_free(c.op);
    dz_free(c.in);
    dz_free(c.out);
    if (status != dnnl_success) program_end(&c.program);
    return status;
}

/* Each compilation is dumped, and so none is taken from the cache then. */
static dnnl_status_t compile(dnnl_graph_compiled_partition_t cp, dnnl_engine_t engine, bool *hit) {
    *hit = false;
    return dump_wants(dnnl_graph_dump_mode_subgraph)
                   ? compile_now(cp, engine)
                   : compiled_cache_get(cp, engine, compile_now, hit);
}

dnnl_status_t dnnl_graph_partition_compile(dnnl_graph_partition_t partition,
        dnnl_graph_compiled_partition_t compiled_partition, size_t in_num, const lt_t **inputs,
        size_t out_num, const lt_t **outputs, dnnl_engine_t engine) {
    CHECK_NOT_NULL(partition, "graph");
    CHECK_NOT_NULL(compiled_partition, "graph");
    CHECK_NOT_NULL(engine, "graph");
    CHECK_ARG((inputs || !in_num) && (outputs || !out_num), "graph", "logical tensors are NULL");
    CHECK_ARG(compiled_partition->partition == partition, "graph",
            "the compiled partition was made of another partition");
    const bool logged = verbose_on(VERBOSE_CREATE);
    const double start = logged ? verbose_now_ms() : 0;
    TRY(check_compile(partition, engine));
    device_at_end(engine, forget_engine);
    forget(compiled_partition);
    bool hit = false;
    dnnl_status_t status = copy_ports(&compiled_partition->in, in_num, inputs);
    if (status == dnnl_success) status = copy_ports(&compiled_partition->out, out_num, outputs);
    if (status == dnnl_success) status = compile(compiled_partition, engine, &hit);
    if (status != dnnl_success) forget(compiled_partition);
    else if (logged) report_compile(compiled_partition, hit, start);
    return status;
}

dnnl_status_t dnnl_graph_compiled_partition_query_logical_tensor(
        const_dnnl_graph_compiled_partition_t compiled_partition, size_t tid, lt_t *lt) {
    CHECK_NOT_NULL(compiled_partition, "graph");
    CHECK_NOT_NULL(lt, "graph");
    const ports_t *both[] = {&compiled_partition->in, &compiled_partition->out};
    *lt = lt_empty(SIZE_MAX);
    /* The first of several with this number is the one that compilation has completed. */
    for (int b = 0; b < 2 && lt->id == SIZE_MAX; b++)
        for (size_t i = 0; i < both[b]->count && lt->id == SIZE_MAX; i++)
            if (both[b]->list[i].id == tid) *lt = both[b]->list[i];
    return dnnl_success;
}

dnnl_status_t dnnl_graph_compiled_partition_get_inplace_ports(
        const_dnnl_graph_compiled_partition_t compiled_partition, size_t *num_inplace_pairs,
        const dnnl_graph_inplace_pair_t **inplace_pairs) {
    CHECK_NOT_NULL(compiled_partition, "graph");
    CHECK_NOT_NULL(num_inplace_pairs, "graph");
    CHECK_NOT_NULL(inplace_pairs, "graph");
    *num_inplace_pairs = 0;
    *inplace_pairs = NULL;
    return dnnl_success;
}

static size_t scratch_size(const_dnnl_graph_compiled_partition_t cp) {
    return cp->frames ? frames_program(cp->frames)->scratch : 0;
}

dnnl_status_t dnnl_graph_compiled_partition_get_scratchpad_logical_tensor(
        const_dnnl_graph_compiled_partition_t compiled_partition, lt_t *lt) {
    CHECK_NOT_NULL(compiled_partition, "graph");
    CHECK_NOT_NULL(lt, "graph");
    const dnnl_dims_t dims = {(dnnl_dim_t)scratch_size(compiled_partition)};
    return dnnl_graph_logical_tensor_init_with_dims(lt, SIZE_MAX, dnnl_u8, 1, dims,
            dnnl_graph_layout_type_strided, dnnl_graph_tensor_property_variable);
}
