/* SPDX-License-Identifier: Apache-2.0 */
/* Lists of values, and their cross products. */
#include "batch.h"

#include <ctype.h>
#include <stdlib.h>
#include <string.h>

#include "core/strings.h"
#include "core/util.h"

/* The tensors of each kind in the order of the log, as far as they always are there, and behind
 * them those that are there (?) if the lists of types or layouts go that far; and its usual
 * propagation. */
static const struct {
    const char *kind, *tensors, *prop;
} kinds[] = {{"convolution", "src wei dst", "forward_inference"},
        {"deconvolution", "src wei dst", "forward_inference"},
        {"inner_product", "src wei dst", "forward_inference"},
        {"pooling", "src dst", "forward_inference"}, {"resampling", "src dst", "forward_inference"},
        {"lrn", "data dst?", "forward_inference"},
        {"batch_normalization", "data dst?", "forward_inference"},
        {"group_normalization", "src dst", "forward_inference"},
        {"layer_normalization", "src dst stats", "forward_inference"},
        {"matmul", "src wei dst", "undef"}, {"reorder", "src dst", "undef"},
        {"eltwise", "data dst?", "forward_inference"},
        {"shuffle", "data dst?", "forward_inference"}, {"softmax", "src dst", "forward_inference"},
        {"reduction", "src dst", "undef"}, {"prelu", "data wei dst?", "forward_inference"},
        {"rnn", "src_layer wei_layer wei_iter dst_layer", "forward_inference"},
        {"sdpa", "query key val dst msk?", "forward_inference"}, {"binary", "src src dst", "undef"},
        {"concat", NULL, "undef"}, {"sum", NULL, "undef"}};

/* The tensors of backward propagation, where they are others. */
static const struct {
    const char *kind, *tensors;
} backward_kinds[] = {{"lrn", "data diff? diff_dst?"},
        {"batch_normalization", "data diff? diff_dst? dst?"},
        {"group_normalization", "src dst diff_src?"},
        {"layer_normalization", "src dst stats diff_src?"}, {"eltwise", "data diff? diff_dst?"},
        {"shuffle", "data diff_dst?"}, {"softmax", "src dst diff_dst?"},
        {"prelu", "data wei diff? diff_wei? diff_dst?"}, {"pooling", "src dst diff_src? diff_dst?"},
        {"resampling", "src dst diff_src? diff_dst?"},
        {"sdpa", "query key val dst msk? diff_dst? diff_query? diff_key? diff_val?"}};

static int find_kind(const char *name) {
    for (int i = 0; i < ARRAY_LEN(kinds); i++)
        if (!strcmp(kinds[i].kind, name)) return i;
    return -1;
}

/* ---- reading ---- */

static void cut(axis_t *axis, char *list) {
    axis->n = 1;
    for (const char *s = list; *s; s++) axis->n += *s == ',';
    axis->value = malloc((size_t)axis->n * sizeof(*axis->value));
    for (int i = 0; i < axis->n; i++) {
        axis->value[i] = list;
        list += strcspn(list, ",");
        if (*list) *list++ = 0;
    }
}

static int find_axis(const batch_line_t *line, const char *key) {
    for (int i = 0; i < line->naxes; i++)
        if (line->axis[i].key ? key && !strcmp(line->axis[i].key, key) : !key) return i;
    return -1;
}

static bool add_axis(batch_line_t *line, const char *key, char *list) {
    if (line->naxes == AXES) return false;
    axis_t *axis = &line->axis[line->naxes++];
    axis->key = key;
    axis->words = NULL;
    cut(axis, list);
    line->count *= axis->n;
    return true;
}

static expected_t expectation(const char *word) {
    if (!strcmp(word, "refused")) return EXPECT_REFUSED;
    return strcmp(word, "invalid") ? EXPECT_SUCCESS : EXPECT_INVALID;
}

static bool parse(batch_line_t *line, const char *defaults) {
    char *save, *word = strtok_r(line->text, " \t", &save);
    line->count = 1;
    line->expected = expectation(word);
    if (line->expected != EXPECT_SUCCESS) word = strtok_r(NULL, " \t", &save);
    if (!word || find_kind(word) < 0) return false;
    line->kind = word;
    while ((word = strtok_r(NULL, " \t", &save))) {
        char *value = strchr(word, '=');
        if (value) *value++ = 0;
        if (!add_axis(line, value ? word : NULL, value ? value : word)) return false;
    }
    char *words = strdup(defaults);
    for (word = strtok_r(words, " \t", &save); word; word = strtok_r(NULL, " \t", &save)) {
        char *value = strchr(word, '=');
        if (!value) continue;
        *value++ = 0;
        if (find_axis(line, word) < 0) batch_set(line, word, value);
    }
    free(words);
    return find_axis(line, NULL) >= 0;
}

/* Lines that end in a backslash go on. */
static bool read_text(batch_t *batch, char *text, size_t size) {
    size_t len = 0;
    text[0] = 0;
    while (len + 1 < size && fgets(text + len, (int)(size - len), batch->file)) {
        batch->number++;
        len += strcspn(text + len, "\r\n");
        text[len] = 0;
        if (len == 0 || text[len - 1] != '\\') return true;
        text[len - 1] = ' ';
    }
    return len > 0;
}

static void begin_section(batch_t *batch, const char *text) {
    const size_t len = strcspn(text, "]");
    snprintf(batch->section, sizeof(batch->section), "%.*s", (int)len - 1, text + 1);
    snprintf(batch->defaults, sizeof(batch->defaults), "%s", text + len + (text[len] == ']'));
}

int batch_read(batch_t *batch, batch_line_t *line) {
    static char text[BATCH_LINE];
    while (read_text(batch, text, sizeof(text))) {
        text[strcspn(text, "#")] = 0;
        const char *start = text + strspn(text, " \t");
        if (!*start) continue;
        if (*start == '[') {
            begin_section(batch, start);
            continue;
        }
        memset(line, 0, sizeof(*line));
        line->text = strdup(start);
        if (parse(line, batch->defaults)) return 1;
        printf("line %d: no kind of primitive, no problems, or too many lists: %s\n", batch->number,
                text);
        batch_free(line);
        return -1;
    }
    return 0;
}

bool batch_copy(batch_line_t *copy, const batch_line_t *line, int64_t problem) {
    static char text[BATCH_LINE];
    batch_text(line, problem, text, sizeof(text));
    memset(copy, 0, sizeof(*copy));
    copy->text = strdup(text);
    return parse(copy, "");
}

static void remove_axis(batch_line_t *line, int i) {
    line->count /= line->axis[i].n;
    free(line->axis[i].value);
    free(line->axis[i].words);
    line->axis[i] = line->axis[--line->naxes];
}

/* The key and its values are in one piece of memory. */
void batch_set(batch_line_t *line, const char *key, const char *value) {
    const size_t key_size = key ? strlen(key) + 1 : 0;
    char *words = malloc(key_size + strlen(value) + 1);
    if (key) memcpy(words, key, key_size);
    strcpy(words + key_size, value);
    const int old = find_axis(line, key);
    if (old >= 0) remove_axis(line, old);
    if (!add_axis(line, key ? words : NULL, words + key_size)) abort();
    line->axis[line->naxes - 1].words = words;
}

void batch_free(batch_line_t *line) {
    for (int i = 0; i < line->naxes; i++) {
        free(line->axis[i].value);
        free(line->axis[i].words);
    }
    free(line->text);
    memset(line, 0, sizeof(*line));
}

/* ---- writing ---- */

static const char *choice(
        const batch_line_t *line, const int *index, const char *key, const char *otherwise) {
    const int i = find_axis(line, key);
    return i < 0 ? otherwise : line->axis[i].value[index[i]];
}

/* The place of a problem in each of the lists. */
static void find_indices(const batch_line_t *line, int64_t problem, int *index) {
    for (int i = line->naxes - 1; i >= 0; i--) {
        index[i] = (int)(problem % line->axis[i].n);
        problem /= line->axis[i].n;
    }
}

const char *batch_value(
        const batch_line_t *line, int64_t problem, const char *key, const char *otherwise) {
    int index[AXES];
    find_indices(line, problem, index);
    return choice(line, index, key, otherwise);
}

void batch_text(const batch_line_t *line, int64_t problem, char *buf, size_t size) {
    int index[AXES];
    find_indices(line, problem, index);
    text_t text = text_start(buf, size);
    text_add(&text, "%s", line->kind);
    for (int i = 0; i < line->naxes; i++)
        if (line->axis[i].key)
            text_add(&text, " %s=%s", line->axis[i].key, line->axis[i].value[index[i]]);
    text_add(&text, " %s", choice(line, index, NULL, ""));
}

/* Part i of "f32:s8:f32"; what is not there is like the last. */
static void part(const char *list, int i, char *text, size_t size) {
    size_t len = strcspn(list, ":");
    for (; i > 0 && list[len]; i--) {
        list += len + 1;
        len = strcspn(list, ":");
    }
    snprintf(text, size, "%.*s", (int)len, list);
}

void batch_value_part(const batch_line_t *line, int64_t problem, const char *key, int i, char *text,
        size_t size) {
    part(batch_value(line, problem, key, ""), i, text, size);
}

static int parts(const char *list) {
    int n = 1;
    for (; *list; list++) n += *list == ':';
    return n;
}

static bool is_sparse(const char *tag) {
    return !strncmp(tag, "csr", 3) || !strncmp(tag, "coo", 3) || !strcmp(tag, "packed");
}

/* "grouped0x4": 4 groups along dimension 0. */
static bool add_grouped(text_t *text, const char *name, const char *dt, const char *tag) {
    int dim, groups;
    if (sscanf(tag, "grouped%dx%d", &dim, &groups) != 2) return false;
    text_add(text, "%s:%s::sparse:grouped:%d:%d::f0", name, dt, dim, groups);
    return true;
}

static void add_md(text_t *text, const char *name, const char *dt, const char *tag) {
    if ((size_t)text->len >= text->size) return; /* the buffer is full */
    const bool first = text->len == 0 || text->buf[text->len - 1] == ',';
    if (!first) text_add(text, " ");
    if (add_grouped(text, name, dt, tag)) return;
    if (!strcmp(dt, "undef")) text_add(text, "%s:undef::undef:::", name);
    else if (!strcmp(tag, "any")) text_add(text, "%s:%s:a:any:any::f0", name, dt);
    else {
        const size_t len = strlen(tag);
        const bool special = len && strchr("+@~", tag[len - 1]); /* holes, a part, no order */
        const char *strides = strchr(tag, '/');
        const int kept = special ? (int)len - 1 : strides ? (int)(strides - tag) : (int)len;
        text_add(text, "%s:%s::%s:%.*s:%s:f0", name, dt, is_sparse(tag) ? "sparse" : "blocked",
                kept, tag,
                special   ? tag + kept
                : strides ? strides + 1
                          : "");
    }
}

static const char *tensors_of(const batch_line_t *line, const int *index) {
    const bool backward = !strncmp(choice(line, index, "prop", ""), "backward", 8);
    for (int i = 0; backward && i < ARRAY_LEN(backward_kinds); i++)
        if (!strcmp(backward_kinds[i].kind, line->kind)) return backward_kinds[i].tensors;
    return kinds[find_kind(line->kind)].tensors;
}

static void add_tensors(text_t *text, const batch_line_t *line, const int *index) {
    const char *dts = choice(line, index, "dt", "f32"), *tags = choice(line, index, "tag", "");
    const char *problem = choice(line, index, NULL, ""), *names = tensors_of(line, index);
    char dt[32], tag[128];
    int i = 0, n = 0;
    if (!names) { /* one more type than sources: the destination's */
        n = !strcmp(line->kind, "concat") ? parts(problem) : atoi(choice(line, index, "n", "2"));
        for (; i < n && (size_t)text->len < text->size; i++) { /* the reader refuses a cut line */
            const int which = i < parts(dts) - 1 ? i : parts(dts) > 1 ? parts(dts) - 2 : 0;
            part(dts, which, dt, sizeof(dt));
            part(tags,
                    i < parts(tags) - 1 ? i
                    : parts(tags) > 1   ? parts(tags) - 2
                                        : 0,
                    tag, sizeof(tag));
            add_md(text, "src", dt, tag);
        }
        part(dts, n, dt, sizeof(dt));
        part(tags, n, tag, sizeof(tag));
        add_md(text, "dst", dt, tag);
        return;
    }
    if (!strcmp(line->kind, "binary") && parts(dts) == 4) names = "src src src dst";
    for (const char *s = names; *s; i++) {
        char name[16];
        snprintf(name, sizeof(name), "%.*s", (int)strcspn(s, " "), s);
        s += strcspn(s, " ");
        s += *s == ' ';
        part(dts, i, dt, sizeof(dt));
        part(tags, i, tag, sizeof(tag));
        char *optional = strchr(name, '?');
        if (optional && parts(dts) <= i && parts(tags) <= i) continue;
        if (optional) *optional = 0;
        if (!strcmp(name, "stats")) { /* of its own type, where a list names it */
            if (parts(dts) < 3) continue;
            if (parts(tags) < 3) tag[0] = 0;
        }
        add_md(text, name, dt, tag);
    }
}

static bool is_setting(const char *key) {
    static const char *const keys[] = {"dt", "tag", "bia", "ss", "dw", "prop", "attr", "n", "with",
            "scale_dt", "cap_dt", "plan", "plan8", "plan16", "variants", "sampled", "tolerance",
            "optional", "actual", "chosen", "chosen_src", "chosen_wei", "steps", "groups",
            "compute_units"};
    for (int i = 0; i < ARRAY_LEN(keys); i++)
        if (!strcmp(keys[i], key)) return true;
    return false;
}

/* "states+peephole+projection": the optional tensors of a recurrent network. */
static void add_rnn(text_t *text, const batch_line_t *line, const int *index) {
    const char *with = choice(line, index, "with", ""), *dts = choice(line, index, "dt", "f32");
    const char *bias = choice(line, index, "bia", "none");
    char dt[32];
    if (strcmp(bias, "none") != 0) add_md(text, "bias", bias, "");
    part(dts, 0, dt, sizeof(dt));
    if (strstr(with, "states") || strstr(with, "src_iter")) add_md(text, "src_iter", dt, "");
    part(dts, 3, dt, sizeof(dt));
    if (strstr(with, "states") || strstr(with, "dst_iter")) add_md(text, "dst_iter", dt, "");
    part(dts, 1, dt, sizeof(dt));
    if (strstr(with, "projection")) add_md(text, "wei_proj", dt, "");
    if (strstr(with, "peephole")) add_md(text, "wei_peephole", "f32", "");
}

/* The scale or the cap of attention: "f32" in memory, "f32:host" on the host. */
static void add_factor(text_t *text, const char *name, const char *types) {
    char dt[32];
    if (!types) return;
    part(types, 0, dt, sizeof(dt));
    if (!strchr(types, ':')) add_md(text, name, dt, "a");
    else text_add(text, " %s:%s::host_scalar:::f0", name, dt);
}

static void add_others(text_t *text, const batch_line_t *line, const int *index) {
    if (!strcmp(line->kind, "rnn")) {
        add_rnn(text, line, index);
        return;
    }
    const char *bias = choice(line, index, "bia", "none"), *ss = choice(line, index, "ss", "f32");
    const char *flags = choice(line, index, "flags", "");
    if (strcmp(bias, "none") != 0) {
        char dt[32];
        part(bias, 0, dt, sizeof(dt));
        add_md(text, "bia", dt, "");
        if (strchr(bias, ':')) text_add(text, "_mask%s", strchr(bias, ':') + 1);
    }
    const char *dw = choice(line, index, "dw", NULL);
    if (dw) { /* the destination before a depthwise post-op goes by another name */
        char dt[32], tag[128];
        part(choice(line, index, "dt", "f32"), 2, dt, sizeof(dt));
        part(choice(line, index, "tag", ""), 2, tag, sizeof(tag));
        add_md(text, "src_fused", dt, tag);
        part(dw, 0, dt, sizeof(dt));
        add_md(text, "wei_fused", dt, "any");
        part(dw, 1, dt, sizeof(dt));
        if (parts(dw) > 1) add_md(text, "bia_fused", dt, "");
    }
    add_factor(text, "scale", choice(line, index, "scale_dt", NULL));
    add_factor(text, "cap", choice(line, index, "cap_dt", NULL));
    if (strcmp(line->kind, "layer_normalization") != 0) return;
    if (strchr(flags, 'C')) add_md(text, "scale", ss, "a");
    if (strchr(flags, 'H')) add_md(text, "shift", ss, "a");
}

/* "16(sum+eltwise_relu)": the entries so many times, at most 32. */
static void add_entries(text_t *text, const char *s, const char *end) {
    while (s < end) {
        char *list = NULL;
        const long times = isdigit((unsigned char)*s) ? strtol(s, &list, 10) : 0;
        const char *last = times && times <= 32 && *list == '(' ? strchr(list, ')') : NULL;
        for (long i = 0; last && i < times; i++)
            text_add(text, "%s%.*s", i ? "+" : "", (int)(last - list - 1), list + 1);
        if (!last) text_add(text, "%c", *s);
        s = last ? last + 1 : s + 1;
    }
}

/* "scales:src0:0:f32;post-ops:sum" */
static void add_attr(text_t *text, const char *value) {
    if (!strcmp(value, "none")) return;
    for (const char *separator = "attr-"; *value; separator = " attr-") {
        const int len = (int)strcspn(value, ";");
        text_add(text, "%s", separator);
        add_entries(text, value, value + len);
        value += len + (value[len] == ';');
    }
}

static void add_aux(text_t *text, const batch_line_t *line, const int *index) {
    const char *separator = "";
    for (int i = 0; i < line->naxes; i++) {
        const axis_t *axis = &line->axis[i];
        if (!axis->key || is_setting(axis->key)) continue;
        const char *value = axis->value[index[i]];
        const bool none = !strcmp(value, "none");
        if (none && strcmp(axis->key, "flags") != 0) continue;
        text_add(text, "%s%s:%s", separator, axis->key, none ? "" : value);
        separator = " ";
    }
}

void batch_problem(const batch_line_t *line, int64_t problem, char *buf, size_t size) {
    int index[AXES];
    find_indices(line, problem, index);
    text_t text = text_start(buf, size);
    text_add(&text, "onednn_verbose,v1,primitive,exec,gpu,%s,batch,%s,", line->kind,
            choice(line, index, "prop", kinds[find_kind(line->kind)].prop));
    add_tensors(&text, line, index);
    add_others(&text, line, index);
    text_add(&text, ",");
    add_attr(&text, choice(line, index, "attr", "none"));
    text_add(&text, ",");
    add_aux(&text, line, index);
    text_add(&text, ",%s", choice(line, index, NULL, ""));
}

bool batch_run_section(
        FILE *file, const char *section, void (*run)(const batch_line_t *line, int64_t index)) {
    batch_t batch = {.file = file};
    batch_line_t line;
    bool any = false;
    int got;
    if (!file) return false;
    while ((got = batch_read(&batch, &line)) == 1) {
        const bool optional = strcmp(batch_value(&line, 0, "optional", "0"), "0") != 0;
        const bool wanted = section ? !strcmp(batch.section, section) : !optional;
        for (int64_t i = 0; wanted && i < line.count; i++) run(&line, i);
        any = any || wanted;
        batch_free(&line);
    }
    fclose(file);
    return any && got == 0;
}
