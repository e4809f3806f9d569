/* SPDX-License-Identifier: Apache-2.0 */
/* What an operation of each kind has to have: inputs, outputs, attributes. */
#ifndef GRAPH_SCHEMA_H
#define GRAPH_SCHEMA_H

#include "graph/op.h"

enum { MANY_PORTS = 0x7fffffff };

typedef struct {
    uint32_t types; /* bit dt: permitted */
    int letter;     /* ports of the same letter have the same type */
} port_rule_t;

typedef struct {
    int least, largest, step; /* numbers of ports that are permitted */
    int nports;
    const port_rule_t *ports; /* the last one stands for all that follow */
} ports_rule_t;

typedef struct {
    dnnl_graph_op_attr_t name;
    bool required;
    const char *value;   /* default, as text; NULL: none */
    const char *choices; /* permitted strings with | between them; NULL: any */
} attribute_rule_t;

/* NULL: fine. Otherwise a sentence that says what is wrong. */
typedef const char *(*op_check_t)(const op_t *op);
/* Fills in the dims of the outputs from those of the inputs, which are known. Answers
 * invalid_shape or unimplemented with a sentence in the log. */
typedef dnnl_status_t (*op_infer_t)(op_t *op);

typedef struct op_schema {
    const char *name;
    ports_rule_t in, out;
    const attribute_rule_t *attributes;
    int nattributes;
    op_check_t check;
    op_infer_t infer;
} op_schema_t;

const op_schema_t *schema_find(dnnl_graph_op_kind_t kind); /* NULL: no such kind */
/* Gives the operation its schema and the default values of attributes that it lacks. Answers
 * invalid_graph_op, with a sentence in the log, if the operation does not follow the schema. */
dnnl_status_t schema_apply(op_t *op);

#endif
