/* SPDX-License-Identifier: Apache-2.0 */
#include "graph/schema.h"

#include <stdlib.h>
#include <string.h>

#include "core/check.h"
#include "core/util.h"
#include "graph/infer.h"
#include "graph/op_checks.h"

#define T(type) (1u << dnnl_##type)
#define F (T(f32) | T(bf16) | T(f16))
#define A (T(f32) | T(bf16))
#define FI (F | T(s32))
#define F32 T(f32)
#define S32 T(s32)
#define S64 T(s64)
#define U8 T(u8)
#define BOOL T(boolean)
#define Q (T(u8) | T(s8) | T(f8_e5m2) | T(f8_e4m3))
#define I (T(u8) | T(s8) | T(s4) | T(u4))
#define Z (I | T(s32))
#define ZQ (T(u8) | T(s8) | T(s32))
#define U8S8 (T(u8) | T(s8))
#define E (FI | T(s8) | T(u8) | T(data_type_undef))
#define ANY UINT32_MAX
#define MANY MANY_PORTS

#define P(types, letter) {types, letter}
#define NONE {0, 0}
#define LIST(type, ...)                                                                            \
    (const type[]) {                                                                               \
        __VA_ARGS__                                                                                \
    }
#define LENGTH(type, ...) (int)(sizeof(LIST(type, __VA_ARGS__)) / sizeof(type))
#define PORTS(least, largest, step, ...)                                                           \
    {least, largest, step, LENGTH(port_rule_t, __VA_ARGS__), LIST(port_rule_t, __VA_ARGS__)}

#define REQUIRED(name) {dnnl_graph_op_attr_##name, true, NULL, NULL}
#define REQUIRED_OF(name, choices) {dnnl_graph_op_attr_##name, true, NULL, choices}
#define OPTIONAL(name) {dnnl_graph_op_attr_##name, false, NULL, NULL}
#define DEFAULT(name, value) {dnnl_graph_op_attr_##name, false, value, NULL}
#define CHOICE(name, value, choices) {dnnl_graph_op_attr_##name, false, value, choices}
#define FORMAT CHOICE(data_format, "NXC", "NCX|NXC")
#define BROADCAST CHOICE(auto_broadcast, "numpy", "none|numpy")
#define AUTO_PAD CHOICE(auto_pad, "None", "None|SAME_UPPER|SAME_LOWER|VALID")
#define WINDOW REQUIRED(strides), REQUIRED(pads_begin), REQUIRED(pads_end), AUTO_PAD, FORMAT
#define CONV WINDOW, REQUIRED(dilations), DEFAULT(groups, "1")
#define POOL WINDOW, REQUIRED(kernel)
#define ATTRS(...) LIST(attribute_rule_t, __VA_ARGS__), LENGTH(attribute_rule_t, __VA_ARGS__)
#define NO_ATTRS NULL, 0

static const op_schema_t schemas[] = {
#define OP(kind, op_name, inputs, outputs, attrs, op_check, op_infer, op_lower)                    \
    [dnnl_graph_op_##kind] = {op_name, inputs, outputs, attrs, op_check, op_infer},
#include "graph/ops.def"
#undef OP
};

const op_schema_t *schema_find(dnnl_graph_op_kind_t kind) {
    return (unsigned)kind < dnnl_graph_op_last_symbol ? &schemas[kind] : NULL;
}

static dnnl_status_t set_default(op_t *op, const attribute_rule_t *rule) {
    const char *text = rule->value;
    const float f32 = strtof(text, NULL);
    const int64_t s64 = strtoll(text, NULL, 10);
    const uint8_t flag = strcmp(text, "true") == 0;
    switch (attribute_type(rule->name)) {
    case ATTRIBUTE_F32: return op_set_attribute(op, rule->name, &f32, 1, sizeof f32);
    case ATTRIBUTE_S64: return op_set_attribute(op, rule->name, &s64, 1, sizeof s64);
    case ATTRIBUTE_FLAG: return op_set_attribute(op, rule->name, &flag, 1, 1);
    default: return op_set_attribute(op, rule->name, text, strlen(text) + 1, 1);
    }
}

static dnnl_status_t set_defaults(op_t *op) {
    for (int i = 0; i < op->schema->nattributes; i++) {
        const attribute_rule_t *rule = &op->schema->attributes[i];
        if (rule->value && !op_attribute(op, rule->name)) TRY(set_default(op, rule));
    }
    return dnnl_success;
}

#define REFUSE_OP(...) return verbose_check(dnnl_invalid_graph_op, "graph", __VA_ARGS__)

/* letters[l]: the type of the ports of letter l so far, or -1. */
static dnnl_status_t check_ports(const op_t *op, const ports_t *ports, const ports_rule_t *rule,
        const char *what, int *letters) {
    const int count = (int)ports->count;
    if (count < rule->least || count > rule->largest || (count - rule->least) % rule->step)
        REFUSE_OP("%s cannot have %d %s", op->name, count, what);
    for (int i = 0; i < count; i++) {
        const port_rule_t *port = &rule->ports[min_i64(i, rule->nports - 1)];
        const unsigned dt = (unsigned)ports->list[i].data_type;
        if (port->types == UINT32_MAX) continue;
        if (dt > 31 || !(port->types >> dt & 1))
            REFUSE_OP("%s: number %d of the %s has a type that the kind does not support", op->name,
                    i, what);
        if (letters[port->letter] >= 0 && letters[port->letter] != (int)dt)
            REFUSE_OP("%s: number %d of the %s has another type than the tensors before it",
                    op->name, i, what);
        letters[port->letter] = (int)dt;
    }
    return dnnl_success;
}

static bool is_choice(const char *choices, const char *text) {
    const size_t length = strlen(text);
    for (const char *at = choices; at; at = strchr(at, '|') ? strchr(at, '|') + 1 : NULL)
        if (strncmp(at, text, length) == 0 && (at[length] == '|' || !at[length])) return true;
    return false;
}

static dnnl_status_t check_attributes(const op_t *op) {
    for (int i = 0; i < op->schema->nattributes; i++) {
        const attribute_rule_t *rule = &op->schema->attributes[i];
        const attribute_t *a = op_attribute(op, rule->name);
        if (!a && rule->required)
            REFUSE_OP("%s lacks the attribute 0x%x", op->name, (unsigned)rule->name);
        if (a && rule->choices && !is_choice(rule->choices, a->value.text))
            REFUSE_OP("%s has an attribute of \"%s\", which is none of %s", op->name, a->value.text,
                    rule->choices);
    }
    return dnnl_success;
}

dnnl_status_t schema_apply(op_t *op) {
    int letters[8] = {-1, -1, -1, -1, -1, -1, -1, -1};
    op->schema = schema_find(op->kind);
    if (!op->schema) REFUSE_OP("%d is no kind of operation", (int)op->kind);
    TRY(set_defaults(op));
    TRY(check_ports(op, &op->in, &op->schema->in, "inputs", letters));
    TRY(check_ports(op, &op->out, &op->schema->out, "outputs", letters));
    TRY(check_attributes(op));
    const char *problem = op->schema->check ? op->schema->check(op) : NULL;
    if (problem) REFUSE_OP("%s: %s", op->name, problem);
    return dnnl_success;
}
