/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/report.h"

#include "core/strings.h"
#include "core/strings_enum.h"
#include "core/verbose.h"
#include "graph/kinds.h"

static const char *const partition_kinds[] = {
#define KIND_OF_PARTITION(name) #name,
#include "graph/partition_kinds.def"
#undef KIND_OF_PARTITION
};

/* "data:NCX;filter:OIX" */
static void add_formats(text_t *text, const op_t *op, const char **before) {
    const attribute_t *data = op_attribute(op, dnnl_graph_op_attr_data_format);
    const attribute_t *filter = op_attribute(op, dnnl_graph_op_attr_weights_format);
    if (data) text_add(text, "%sdata:%s", *before, data->value.text);
    if (data) *before = ";";
    if (filter) text_add(text, "%sfilter:%s", *before, filter->value.text);
}

static void add_port(text_t *text, const char *name, size_t i, const lt_t *lt) {
    const bool strided = lt->layout_type == dnnl_graph_layout_type_strided;
    text_add(text, "%s%zu_%s:%zu:%s:%s:", name, i, enum_name(NAMES_DATA_TYPE, (int)lt->data_type),
            lt->id, layout_name(lt->layout_type), property_name(lt->property));
    if (lt->ndims > 0) text_add_dims(text, lt->dims, lt->ndims);
    for (int d = 0; d < lt->ndims && strided; d++)
        text_add(text, "%s%lld", d ? "s" : ":", (long long)lt->layout.strides[d]);
}

static void add_ports(text_t *text, const_dnnl_graph_compiled_partition_t cp) {
    const char *before = "";
    for (size_t i = 0; i < cp->in.count; i++, before = " ") {
        text_add(text, "%s", before);
        add_port(text, "in", i, &cp->in.list[i]);
    }
    for (size_t i = 0; i < cp->out.count; i++, before = " ") {
        text_add(text, "%s", before);
        add_port(text, "out", i, &cp->out.list[i]);
    }
}

/* The columns from the engine to the backend. `whose`: who gives the scratchpad, with a colon. */
static void format(
        char *buf, size_t size, const_dnnl_graph_compiled_partition_t cp, const char *whose) {
    const program_t *program = frames_program(cp->frames);
    const graph_mode_t *mode = &cp->partition->mode;
    size_t nops;
    const op_t *const *ops = partition_ops(cp->partition, &nops);
    const char *before = "";
    text_t text = text_start(buf, size);
    text_add(&text, "%s,%zu,%s,", enum_name(NAMES_ENGINE_KIND, (int)mode->engine_kind),
            cp->partition->id, partition_kinds[cp->partition->kind]);
    for (size_t i = 0; i < nops; i++) text_add(&text, "%s%s", i ? ";" : "", ops[i]->name);
    text_add(&text, ",");
    for (size_t i = 0; i < nops; i++) add_formats(&text, ops[i], &before);
    text_add(&text, ",");
    add_ports(&text, cp);
    text_add(&text, ",fpm:%s%s,scratchpad:%s%zu,ze:%zu_steps,dnnl_backend",
            enum_name(NAMES_FPMATH_MODE, (int)mode->fpmath), mode->fpmath_of_int ? ":true" : "",
            whose, program->scratch, program->nsteps);
}

enum { MOST_TEXT = 8000 }; /* bytes: a line of the log has 8192 */

static void report(const_dnnl_graph_compiled_partition_t cp, const char *operation,
        const char *whose, double start_ms) {
    const double ms = verbose_now_ms() - start_ms;
    char text[MOST_TEXT];
    format(text, sizeof text, cp, whose);
    verbose_graph(operation, text, start_ms, ms);
}

void report_compile(const_dnnl_graph_compiled_partition_t cp, bool hit, double start_ms) {
    report(cp, hit ? "compile:compiled_partition_cache_hit" : "compile:cache_miss", "", start_ms);
}

void report_execution(const_dnnl_graph_compiled_partition_t cp, dnnl_stream_t stream,
        const run_t *run, double start_ms) {
    const bool records = stream_records(stream);
    if (!records) dnnl_stream_wait(stream);
    report(cp, records ? "record" : "exec", run->scratchpad ? "user:" : "library:", start_ms);
}
