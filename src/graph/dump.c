/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/dump.h"

#include <errno.h>
#include <inttypes.h>
#include <math.h>
#include <stdio.h>
#include <string.h>

#include "core/check.h"
#include "core/env.h"
#include "core/hash.h"
#include "core/strings.h"
#include "core/strings_enum.h"
#include "graph/kinds.h"
#include "oneapi/dnnl/dnnl_version.h"

enum { UNREAD = -1 };
static atomic_int settings = UNREAD;

static bool has_word(const char *list, const char *word) {
    const size_t length = strlen(word);
    for (const char *at = list; at; at = strchr(at, ',') ? strchr(at, ',') + 1 : NULL)
        if (strcspn(at, ",") == length && strncmp(at, word, length) == 0) return true;
    return false;
}

bool dump_wants(dnnl_graph_dump_mode_t mode) {
    int modes = atomic_load_explicit(&settings, memory_order_relaxed);
    if (modes == UNREAD) {
        int unread = UNREAD;
        const char *list = env_string("GRAPH_DUMP");
        modes = 0;
        if (has_word(list, "graph")) modes |= dnnl_graph_dump_mode_graph;
        if (has_word(list, "subgraph")) modes |= dnnl_graph_dump_mode_subgraph;
        if (!atomic_compare_exchange_strong(&settings, &unread, modes)) modes = unread;
    }
    return modes & (int)mode;
}

void dump_set_modes(dnnl_graph_dump_mode_t modes) {
    atomic_store(&settings, (int)modes);
}

void dump_forget(void) {
    atomic_store(&settings, UNREAD);
}

static void put_text(FILE *file, const char *text) {
    fputc('"', file);
    for (; *text; text++) {
        const unsigned char c = (unsigned char)*text;
        if (c < ' ') fprintf(file, "\\u%04x", c);
        else if (c == '"' || c == '\\') fprintf(file, "\\%c", c);
        else fputc(c, file);
    }
    fputc('"', file);
}

/* JSON has no infinities: numbers beyond all types stand for them. */
static void put_float(FILE *file, float value) {
    if (isinf(value)) fputs(value < 0 ? "-1e999" : "1e999", file);
    else if (isnan(value)) fputs("null", file);
    else fprintf(file, "%.9g", (double)value);
}

static void put_ints(FILE *file, const int64_t *values, size_t count) {
    fputc('[', file);
    for (size_t i = 0; i < count; i++) fprintf(file, "%s%" PRId64, i ? ", " : "", values[i]);
    fputc(']', file);
}

static void put_floats(FILE *file, const float *values, size_t count) {
    fputc('[', file);
    for (size_t i = 0; i < count; i++) {
        if (i) fputs(", ", file);
        put_float(file, values[i]);
    }
    fputc(']', file);
}

static void put_value(FILE *file, const attribute_t *a) {
    switch (attribute_type(a->name)) {
    case ATTRIBUTE_F32: put_float(file, a->value.f32[0]); break;
    case ATTRIBUTE_F32_LIST: put_floats(file, a->value.f32, a->count); break;
    case ATTRIBUTE_S64: fprintf(file, "%" PRId64, a->value.s64[0]); break;
    case ATTRIBUTE_S64_LIST: put_ints(file, a->value.s64, a->count); break;
    case ATTRIBUTE_FLAG: fputc(a->value.flag[0] ? '1' : '0', file); break;
    default: put_text(file, a->value.text); break;
    }
}

static void put_attribute(FILE *file, const char *name, const char *type, const char *before) {
    fprintf(file, "%s\n        \"%s\": {\"type\": \"%s\", \"value\": ", before, name, type);
}

/* The partition is 0 where it is not known. */
static void put_attributes(FILE *file, const op_t *op, size_t partition) {
    static const char *const types[] = {"", "f32", "f32[]", "s64", "s64[]", "bool", "string"};
    const char *before = "";
    fputs("      \"attrs\": {", file);
    for (const attribute_t *a = op->attributes; a; a = a->next, before = ",") {
        put_attribute(file, attribute_name(a->name), types[attribute_type(a->name)], before);
        put_value(file, a);
        fputc('}', file);
    }
    if (partition) {
        put_attribute(file, "partition_id", "string", before);
        fprintf(file, "\"%zu\"}", partition);
        put_attribute(file, "backend", "string", ",");
        fputs("\"dnnl_backend\"}", file);
    }
    fputs("\n      },\n", file);
}

/* Dims or strides that are not known are one number. */
static void put_dims(FILE *file, const lt_t *lt, const int64_t *values, bool known) {
    const int64_t unknown = DNNL_GRAPH_UNKNOWN_DIM;
    if (known && lt->ndims >= 0) put_ints(file, values, (size_t)lt->ndims);
    else put_ints(file, &unknown, 1);
}

static void put_port(FILE *file, const lt_t *lt, const char *before) {
    fprintf(file, "%s\n        {\"id\": %zu, \"dtype\": \"%s\", \"shape\": ", before, lt->id,
            enum_name(NAMES_DATA_TYPE, (int)lt->data_type));
    put_dims(file, lt, lt->dims, true);
    fputs(", \"stride\": ", file);
    put_dims(file, lt, lt->layout.strides, lt->layout_type == dnnl_graph_layout_type_strided);
    fprintf(file, ", \"layout_type\": \"%s\", \"property_type\": \"%s\"}",
            layout_name(lt->layout_type), property_name(lt->property));
}

static void put_ports(FILE *file, const char *name, const ports_t *ports, const char *end) {
    fprintf(file, "      \"%s\": [", name);
    for (size_t i = 0; i < ports->count; i++) put_port(file, &ports->list[i], i ? "," : "");
    fprintf(file, "\n      ]%s\n", end);
}

typedef struct {
    const graph_mode_t *mode;
    const op_t *const *ops;
    size_t nops;
    const dnnl_graph_partition_t *partitions; /* NULL: not known */
    size_t npartitions;
} dump_t;

static size_t partition_of(const dump_t *dump, size_t op) {
    for (size_t i = 0; i < dump->npartitions; i++) {
        size_t nops;
        const op_t *const *ops = partition_ops(dump->partitions[i], &nops);
        for (size_t k = 0; k < nops; k++)
            if (ops[k]->id == op) return dump->partitions[i]->id;
    }
    return 0;
}

static void put_op(FILE *file, const dump_t *dump, const op_t *op, const char *before) {
    fprintf(file, "%s\n    {\n      \"id\": %zu,\n      \"name\": ", before, op->id);
    put_text(file, op->name);
    fprintf(file, ",\n      \"kind\": \"%s\",\n", kind_name(op->kind));
    put_attributes(file, op, partition_of(dump, op->id));
    put_ports(file, "inputs", &op->in, ",");
    put_ports(file, "outputs", &op->out, "");
    fputs("    }", file);
}

/* Is a tensor an output (an input) of one of the operations? */
static bool is_port(const dump_t *dump, size_t id, bool out) {
    for (size_t i = 0; i < dump->nops; i++) {
        const ports_t *ports = out ? &dump->ops[i]->out : &dump->ops[i]->in;
        for (size_t p = 0; p < ports->count; p++)
            if (ports->list[p].id == id) return true;
    }
    return false;
}

/* The tensors that no operation produces, or that none uses. */
static void put_ends(FILE *file, const dump_t *dump, bool out) {
    const char *before = "";
    fprintf(file, "  \"%s_ports\": [", out ? "output" : "input");
    for (size_t i = 0; i < dump->nops; i++) {
        const ports_t *ports = out ? &dump->ops[i]->out : &dump->ops[i]->in;
        for (size_t p = 0; p < ports->count; p++) {
            if (is_port(dump, ports->list[p].id, !out)) continue;
            fprintf(file, "%s%zu", before, ports->list[p].id);
            before = ", ";
        }
    }
    fputs("],\n", file);
}

static void put_all(FILE *file, const dump_t *dump) {
    fprintf(file, "{\n  \"version\": \"%d.%d.%d\",\n", DNNL_VERSION_MAJOR, DNNL_VERSION_MINOR,
            DNNL_VERSION_PATCH);
    fprintf(file, "  \"engine_kind\": \"%s\",\n",
            enum_name(NAMES_ENGINE_KIND, (int)dump->mode->engine_kind));
    fprintf(file, "  \"fpmath_mode\": \"%s\",\n",
            enum_name(NAMES_FPMATH_MODE, (int)dump->mode->fpmath));
    fprintf(file, "  \"fpmath_mode_apply_to_int\": \"%s\",\n",
            dump->mode->fpmath_of_int ? "true" : "false");
    put_ends(file, dump, false);
    put_ends(file, dump, true);
    fputs("  \"graph\": [", file);
    for (size_t i = 0; i < dump->nops; i++) put_op(file, dump, dump->ops[i], i ? "," : "");
    fputs("\n  ]\n}\n", file);
}

static void write_file(const char *name, const dump_t *dump) {
    const locale_t before = text_locale_c();
    FILE *file = fopen(name, "w");
    bool failed = !file;
    if (file) {
        put_all(file, dump);
        failed = ferror(file);
        failed |= fclose(file) != 0;
    }
    text_locale_restore(before);
    if (failed) verbose_warn(dnnl_success, "graph", "%s: %s", name, strerror(errno));
    else if (verbose_on(VERBOSE_INFO))
        verbose_line("graph,info,serialize graph to a json file %s", name);
}

void dump_graph(const_dnnl_graph_graph_t graph) {
    char name[64];
    const dump_t dump = {&graph->mode, (const op_t *const *)graph->ops, graph->nops, NULL, 0};
    snprintf(name, sizeof name, "graph-%zu.json", graph->id);
    write_file(name, &dump);
}

void dump_partitions(const_dnnl_graph_graph_t graph) {
    char name[64];
    const dump_t dump = {&graph->mode, (const op_t *const *)graph->ops, graph->nops,
            graph->partitions, graph->npartitions};
    snprintf(name, sizeof name, "graph-%zu-partitioning.json", graph->id);
    write_file(name, &dump);
}

static uint64_t hash_port(const lt_t *lt, uint64_t seed) {
    const size_t size = lt->ndims > 0 ? (size_t)lt->ndims * sizeof lt->dims[0] : 0;
    seed = hash_u64(lt->id, seed);
    seed = hash_u64((uint64_t)lt->data_type, seed);
    seed = hash_u64((uint64_t)lt->layout_type, seed);
    seed = hash_bytes(lt->dims, size, seed);
    if (lt->layout_type != dnnl_graph_layout_type_strided) return seed;
    return hash_bytes(lt->layout.strides, size, seed);
}

void dump_compilation(const_dnnl_graph_partition_t partition, const op_t *const *ops, size_t nops) {
    char name[80];
    uint64_t hash = 0;
    const dump_t dump = {&partition->mode, ops, nops, NULL, 0};
    for (size_t i = 0; i < nops; i++) {
        for (size_t p = 0; p < ops[i]->in.count; p++) hash = hash_port(&ops[i]->in.list[p], hash);
        for (size_t p = 0; p < ops[i]->out.count; p++) hash = hash_port(&ops[i]->out.list[p], hash);
    }
    snprintf(name, sizeof name, "graph-%zu-%" PRIu64 ".json", partition->id, hash);
    write_file(name, &dump);
}
