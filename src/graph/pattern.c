/* SPDX-License-Identifier: Apache-2.0 */
/* Reading patterns. */
#include "graph/pattern.h"

#include <string.h>

#include "graph/conditions.h"
#include "graph/kinds.h"

enum { MOST_REPEATED = 19 };

static const char unary[] =
        "Abs|Clamp|Elu|Exp|GELU|HardSigmoid|HardSwish|LeakyReLU|Log|Mish|Sigmoid|SoftPlus|ReLU|"
        "Round|Sqrt|Square|Tanh";
static const char binary[] = "Add|Multiply|Maximum|Minimum|Divide|Subtract";

static const char *skip(const char *text) {
    while (*text == ' ' || *text == '\n' || *text == ';') text++;
    return text;
}

static void permit(item_t *item, const char *name, size_t length) {
    for (int kind = 0; kind < dnnl_graph_op_last_symbol; kind++) {
        const char *known = kind_name((dnnl_graph_op_kind_t)kind);
        if (strlen(known) == length && memcmp(known, name, length) == 0)
            item->kinds[kind / 64] |= 1ull << kind % 64;
    }
}

/* Names with | between them; U and B are macros. */
static const char *read_kinds(item_t *item, const char *text) {
    for (;; text++) {
        const size_t length = strcspn(text, "|(:");
        if (length == 1 && *text == 'U') read_kinds(item, unary);
        else if (length == 1 && *text == 'B') read_kinds(item, binary);
        else permit(item, text, length);
        text += length;
        if (*text != '|') return text;
    }
}

static const char *read_conditions(item_t *item, const char *text) {
    for (int i = 0; *text == ':'; i++) {
        const size_t length = strcspn(++text, ":(");
        item->conditions[i] = condition_find(text, length);
        text += length;
    }
    return text;
}

static const char *read_inputs(item_t *item, const char *text) {
    int n = 0;
    for (text++; *text != ')'; text++)
        if (*text != ',' && *text != ' ') item->in[n++] = *text;
    return text + 1;
}

static const char *read_count(item_t *item, const char *text) {
    item->least = *text != '?' && *text != '*';
    item->most = *text == '*' || *text == '+' ? MOST_REPEATED : 1;
    return *text == '?' || *text == '*' || *text == '+' ? text + 1 : text;
}

static const char *read_item(item_t *item, const char *text) {
    item->out = *text;
    text = skip(text + 1);
    item->kind = *text == '=' ? ITEM_CONSUMER : ITEM_PRODUCER;
    text = skip(text + (item->kind == ITEM_CONSUMER ? 1 : 2));
    text = read_kinds(item, text);
    text = read_conditions(item, text);
    return read_count(item, read_inputs(item, text));
}

void pattern_parse(pattern_t *pattern, const char *text) {
    int open[8], depth = 0;
    pattern->nitems = 0;
    for (text = skip(text); *text; text = skip(text)) {
        item_t *item = &pattern->items[pattern->nitems++];
        *item = (item_t){0};
        if (*text == '{') {
            open[depth++] = pattern->nitems - 1;
            item->kind = ITEM_OPEN;
            text++;
        } else if (*text == '}') {
            item->kind = ITEM_CLOSE;
            pattern->items[open[--depth]].close = pattern->nitems - 1;
            text += 2;
        } else text = read_item(item, text);
    }
}
