/* SPDX-License-Identifier: Apache-2.0 */
/* The table of operations in the documentation is that of the library. With an argument, the
 * program writes the page's table. */
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/strings.h"
#include "dnnl_debug.h"
#include "graph/kinds.h"
#include "graph/schema.h"

enum { ROW = 2048 };

static void add_types(text_t *text, uint32_t types) {
    const char *separator = "";
    if (types == UINT32_MAX) {
        text_add(text, "any");
        return;
    }
    types &= ~(1u << dnnl_data_type_undef); /* an internal tensor of the graph */
    for (int dt = 0; dt < 32; dt++) {
        if (!(types >> dt & 1)) continue;
        text_add(text, "%s%s", separator, dnnl_dt2str((dnnl_data_type_t)dt));
        separator = " ";
    }
}

/* "a: f32 bf16; a; b: s32": a port whose type is that of another one has its letter only. */
static void add_ports(text_t *text, const ports_rule_t *rule, uint32_t *known) {
    if (rule->least == rule->largest) text_add(text, " %d", rule->least);
    else if (rule->largest == MANY_PORTS) text_add(text, " %d or more", rule->least);
    else text_add(text, " %d to %d", rule->least, rule->largest);
    for (int i = 0; i < rule->nports; i++) {
        const port_rule_t *port = &rule->ports[i];
        const uint32_t bit = 1u << port->letter;
        if (!port->types) continue;
        text_add(text, "%s %c", i ? ";" : ",", 'a' + port->letter - 1);
        if (*known & bit) continue;
        *known |= bit;
        text_add(text, ": ");
        add_types(text, port->types);
    }
}

static void write_row(const op_schema_t *schema, char *row) {
    uint32_t known = 0;
    text_t text = text_start(row, ROW);
    text_add(&text, "| %s |", schema->name);
    add_ports(&text, &schema->in, &known);
    text_add(&text, " |");
    add_ports(&text, &schema->out, &known);
    text_add(&text, " |");
    for (int i = 0; i < schema->nattributes; i++) {
        const attribute_rule_t *rule = &schema->attributes[i];
        text_add(&text, "%s %s%s", i ? "," : "", attribute_name(rule->name),
                rule->required ? "*" : "");
        if (rule->value && *rule->value) text_add(&text, " = %s", rule->value);
    }
    text_add(&text, " |\n");
}

/* Answers the number of rows that the page lacks. */
static int compare(const char *name) {
    char row[ROW], line[ROW];
    int missing = 0, rows = 0, found = 0;
    for (int kind = 0; kind < dnnl_graph_op_last_symbol; kind++) {
        const op_schema_t *schema = schema_find((dnnl_graph_op_kind_t)kind);
        FILE *page = fopen(name, "r");
        bool has = false;
        if (!schema || !page) return 1;
        write_row(schema, row);
        rows = 0;
        while (fgets(line, sizeof line, page)) {
            has |= strcmp(line, row) == 0;
            rows += line[0] == '|';
        }
        fclose(page);
        found += has;
        if (!has) printf("missing: %s", row);
        missing += !has;
    }
    if (rows != found + 2) printf("%d rows of the table, %d of operations\n", rows - 2, found);
    return missing || rows != found + 2;
}

int main(int argc, char **argv) {
    char row[ROW];
    if (argc < 2) return compare(PAGE);
    for (int kind = 0; kind < dnnl_graph_op_last_symbol; kind++) {
        write_row(schema_find((dnnl_graph_op_kind_t)kind), row);
        fputs(row, stdout);
    }
    return strcmp(argv[1], "write") != 0;
}
