/* SPDX-License-Identifier: Apache-2.0 */
/* Columns, memory descriptors and names of a verbose line. */
#include "line.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/strings.h"
#include "core/tags.h"
#include "core/util.h"

/* ---- names ---- */

bool name_find(enum_names_t names, const char *name, int *value) {
    static int algs[256], nalgs; /* they are few in a wide range */
    if (names == NAMES_ALG_KIND) {
        for (int v = 1; !algs[0] || (v > 1 && v <= dnnl_softmax_log); v++)
            if (strncmp(enum_name(names, v), "unknown", 7) != 0 && nalgs < ARRAY_LEN(algs))
                algs[nalgs++] = v;
        for (int i = 0; i < nalgs; i++)
            if (!strcmp(enum_name(names, algs[i]), name)) return *value = algs[i], true;
        return false;
    }
    for (int v = 0; v < 0x1000; v++)
        if (!strcmp(enum_name(names, v), name)) return *value = v, true;
    return false;
}

int64_t size_parse(const char *text, char **end) {
    char *after;
    int64_t value = strtoll(text, &after, 10);
    if (value == 2 && *after == '^') {
        const unsigned bit = (unsigned)strtoul(after + 1, &after, 10);
        value = INT64_C(1) << (bit < 63 ? bit : 0);
        if (*after == '+' || *after == '-') value += strtoll(after, &after, 10);
    }
    if (end) *end = after;
    return value;
}

int dims_parse(const char *text, dnnl_dim_t *dims, const char **end) {
    int n = 0;
    for (;;) {
        char *after = (char *)text;
        if (n == DNNL_MAX_NDIMS) return 0;
        if (*text == '*') {
            dims[n++] = DNNL_RUNTIME_DIM_VAL;
            after++;
        } else {
            if (!isdigit((unsigned char)*text)) return 0;
            dims[n++] = size_parse(text, &after);
        }
        if (end) *end = after;
        if (*after != 'x') return !end && *after ? 0 : n;
        text = after + 1;
    }
}

/* ---- columns ---- */

static bool is_operation(const char *s) {
    return !strcmp(s, "exec") || !strcmp(s, "record") || !strcmp(s, "create:cache_hit") ||
           !strcmp(s, "create:cache_miss") || !strcmp(s, "create:from_cache_blob") ||
           !strcmp(s, "create:nested_cache_hit") || !strcmp(s, "create:nested_cache_miss") ||
           !strcmp(s, "create");
}

enum { MAX_COLUMNS = 24 };

static int cut(char *text, char separator, char **parts, int most) {
    int n = 0;
    while (n < most) {
        parts[n++] = text;
        text = strchr(text, separator);
        if (!text) break;
        *text++ = 0;
    }
    return n;
}

/* The column with the kind of primitive; 0: it is no such line. */
static int find_kind(char **columns, int n) {
    for (int i = 0; i + 2 < n && i < 6; i++)
        if (is_operation(columns[i])) return i + 2;
    return 0;
}

bool line_is_problem(const char *text) {
    char copy[256], *columns[MAX_COLUMNS];
    snprintf(copy, sizeof(copy), "%s", text);
    return find_kind(columns, cut(copy, ',', columns, MAX_COLUMNS)) > 0;
}

static bool split_old_name(char *first, md_text_t *t) {
    for (int dt = 1; dt < dnnl_data_type_max; dt++) {
        const char *name = enum_name(NAMES_DATA_TYPE, dt);
        const size_t len = strlen(name), all = strlen(first);
        if (all <= len + 1 || strcmp(first + all - len, name) || first[all - len - 1] != '_')
            continue;
        first[all - len - 1] = 0;
        t->dt = (dnnl_data_type_t)dt;
        return true;
    }
    return false;
}

static const char *parse_extra(md_text_t *t, char **parts, int n) {
    t->mask = -1;
    if (n == 0 || parts[0][0] == 0) return NULL;
    char *mask = strstr(parts[n - 1], "_mask");
    if (mask) t->mask = atoi(mask + 5);
    if (parts[0][0] != 'f') return "the flags of a tensor do not begin with f";
    t->extra.flags = strtoull(parts[0] + 1, NULL, 10);
    for (int i = 1; i < n; i++) {
        const int value = atoi(parts[i] + 3);
        if (!strncmp(parts[i], "s8m", 3)) t->extra.compensation_mask = value;
        else if (!strncmp(parts[i], "zpm", 3)) t->extra.asymm_compensation_mask = value;
        else if (!strncmp(parts[i], "sa", 2)) t->extra.scale_adjust = (float)atof(parts[i] + 2);
        else return "a tensor has extra data that cannot be replayed";
    }
    return NULL;
}

static const char *parse_md(md_text_t *t, char *text) {
    char *parts[16];
    memset(t, 0, sizeof(*t));
    int n = cut(text, ':', parts, 16), value;
    if (n < 5) return "a tensor has too few parts";
    char **rest = parts + 1;
    if (name_find(NAMES_DATA_TYPE, parts[1], &value)) {
        t->dt = (dnnl_data_type_t)value;
        rest++;
    } else if (!split_old_name(parts[0], t)) { /* name_type, before version 1 of the log */
        return "the data type of a tensor is not known";
    }
    n -= (int)(rest - parts);
    snprintf(t->name, sizeof(t->name), "%s", parts[0]);
    if (t->dt == dnnl_data_type_undef) return NULL;
    t->any = strchr(rest[0], 'a') != NULL;
    t->offset = strpbrk(rest[0], "o0") != NULL;
    if (n < 4 || !name_find(NAMES_FORMAT_KIND, rest[1], &value))
        return "the layout of a tensor is not known";
    t->kind = (dnnl_format_kind_t)value;
    snprintf(t->tag, sizeof(t->tag), "%s", rest[2]);
    if (!strcmp(t->tag, "grouped")) { /* "grouped:0:4" */
        if (n < 6) return "a grouped tensor has too few parts";
        t->group_dim = atoi(rest[3]);
        t->group_count = atoi(rest[4]);
        return parse_extra(t, rest + 6, n - 6);
    }
    if (n == 4 && rest[3][0] == 'f') return parse_extra(t, rest + 3, 1); /* without strides */
    snprintf(t->strides, sizeof(t->strides), "%s", rest[3]);
    return parse_extra(t, rest + 4, n - 4);
}

static const char *parse_mds(line_t *line, char *text) {
    char *parts[LINE_MDS];
    const int n = cut(text, ' ', parts, LINE_MDS);
    if (strchr(parts[n - 1], ' ')) return "it has too many tensors";
    for (int i = 0; i < n; i++) {
        if (!parts[i][0]) continue;
        const char *wrong = parse_md(&line->md[line->nmds++], parts[i]);
        if (wrong) return wrong;
    }
    return NULL;
}

/* What the log does not print of sparse tensors; all of a problem have the same. */
static const char *note_sparse(line_t *line) {
    const char *nnz = line_aux(line, "nnz", NULL);
    const int64_t count = nnz ? size_parse(nnz, NULL) : -1;
    int index_dt = 0;
    const char *name = line_aux(line, "index_dt", NULL);
    if (name && !name_find(NAMES_DATA_TYPE, name, &index_dt))
        return "the data type of indices is not known";
    for (int i = 0; i < line->nmds; i++) {
        line->md[i].nnz = count;
        line->md[i].index_dt = index_dt;
    }
    return NULL;
}

const char *line_parse(line_t *line, const char *text) {
    char *columns[MAX_COLUMNS];
    memset(line, 0, sizeof(*line));
    if (strlen(text) >= sizeof(line->text)) return "it is too long";
    memcpy(line->text, text, strlen(text));
    line->text[strcspn(line->text, "\r\n")] = 0;
    const int n = cut(line->text, ',', columns, MAX_COLUMNS), first = find_kind(columns, n);
    if (!first) return "it has no column \"exec\" or \"create:...\"";
    if (n < first + 7) return "it has too few columns";
    line->kind = columns[first];
    line->impl = columns[first + 1];
    line->prop = columns[first + 2];
    line->attr = columns[first + 4];
    line->aux = columns[first + 5];
    line->problem = columns[first + 6];
    const locale_t before = text_locale_c();
    const char *wrong = parse_mds(line, columns[first + 3]);
    text_locale_restore(before);
    return wrong ? wrong : note_sparse(line);
}

const md_text_t *line_md(const line_t *line, const char *name) {
    for (int i = 0; i < line->nmds; i++)
        if (!strcmp(line->md[i].name, name)) return line->md[i].dt ? &line->md[i] : NULL;
    return NULL;
}

const char *line_aux(const line_t *line, const char *key, const char *otherwise) {
    static char value[128];
    const size_t len = strlen(key);
    for (const char *s = line->aux; s; s = strchr(s, ' ')) {
        while (*s == ' ') s++;
        if (strncmp(s, key, len) || s[len] != ':') continue;
        snprintf(value, sizeof(value), "%.*s", (int)strcspn(s + len + 1, " "), s + len + 1);
        return value;
    }
    return otherwise;
}

/* ---- descriptors ---- */

/* Every row gets 3 elements more, every slice one row more. */
static void make_holes(md_t *md) {
    int order[DNNL_MAX_NDIMS];
    md_order(md, order);
    md_blocking_t *b = &md->format_desc.blocking;
    for (int i = md->ndims - 2, more = 3; i >= 0; i--, more = 1) {
        const int inner = order[i + 1];
        b->strides[order[i]] = b->strides[inner] * (md->dims[inner] + more);
    }
}

/* A part of a larger tensor: in dimension d it begins after 1 + d elements and ends 2 before the
 * end. */
static const char *make_part(md_t *md, const md_text_t *whole, int ndims, const dnnl_dim_t *dims) {
    md_text_t text = *whole;
    md_t larger;
    dnnl_dims_t all, from;
    for (int d = 0; d < ndims; d++) {
        if (dims[d] > INT64_MAX / 2) return "a part of a larger tensor is too large";
        from[d] = 1 + d;
        all[d] = dims[d] + from[d] + 2;
    }
    text.strides[0] = 0;
    const char *wrong = md_make(&larger, &text, ndims, all);
    if (wrong) return wrong;
    return md_init_submemory(md, &larger, dims, from) == dnnl_success
                   ? NULL
                   : "a tensor of this layout has no such part";
}

static const char *set_strides(md_t *md, const char *text) {
    md_blocking_t *b = &md->format_desc.blocking;
    if (!strcmp(text, "+")) return make_holes(md), NULL;
    if (dims_parse(text, b->strides, NULL) != md->ndims)
        return "a tensor's strides are not as many as its dims";
    /* Blocks with strides have no constructor; plain layouts have one, which knows what
     * overlaps. */
    if (b->inner_nblks == 0) {
        md_t checked;
        const dnnl_status_t status =
                md_init_strides(&checked, md->ndims, md->dims, md->data_type, b->strides);
        return status == dnnl_success ? NULL : "a tensor's strides let its elements overlap";
    }
    dnnl_dims_t last;
    for (int d = 0; d < md->ndims; d++) last[d] = md->padded_dims[d] - 1;
    if (!md_has_zero_dim(md) && md_offset(md, last) >= md_span(md))
        return "a tensor's strides let its elements overlap";
    return NULL;
}

/* One element of so many is stored, if nothing says how many are. */
enum { SPARSENESS = 10 };

static const char *make_sparse(md_t *md, const md_text_t *t, int ndims, const dnnl_dim_t *dims) {
    const dnnl_data_type_t index_dt = t->index_dt ? (dnnl_data_type_t)t->index_dt : dnnl_s32;
    int64_t nnz = t->nnz;
    if (!strcmp(t->tag, "grouped"))
        return md_init_grouped(md, ndims, dims, t->dt, t->group_dim, t->group_count, index_dt) ==
                               dnnl_success
                       ? NULL
                       : "a grouped tensor cannot be made";
    dnnl_status_t status = dnnl_invalid_arguments;
    if (nnz < 0) {
        nnz = 1;
        for (int d = 0; d < ndims; d++)
            if (__builtin_mul_overflow(nnz, dims[d], &nnz)) return "a sparse tensor is too large";
        nnz = div_up(nnz, SPARSENESS);
    }
    if (!strcmp(t->tag, "csr"))
        status = md_init_csr(md, ndims, dims, t->dt, nnz, index_dt, index_dt);
    else if (!strcmp(t->tag, "coo")) status = md_init_coo(md, ndims, dims, t->dt, nnz, index_dt);
    else if (!strcmp(t->tag, "packed")) status = md_init_packed(md, ndims, dims, t->dt, nnz);
    return status == dnnl_success ? NULL : "a sparse tensor cannot be made";
}

static void make_plain_tag(char *tag, int ndims) {
    for (int d = 0; d < ndims; d++) tag[d] = (char)('a' + d);
    tag[ndims] = 0;
}

const char *md_make(md_t *md, const md_text_t *t, int ndims, const dnnl_dim_t *dims) {
    char tag[64];
    memset(md, 0, sizeof(*md));
    if (!t || !t->dt) return NULL;
    if (t->kind == dnnl_format_kind_sparse) return make_sparse(md, t, ndims, dims);
    if (!strcmp(t->strides, "@")) return make_part(md, t, ndims, dims);
    if ((int)t->kind == dnnl_format_kind_host_scalar)
        return md_init_host_scalar(md, t->dt) == dnnl_success
                       ? NULL
                       : "a host scalar has a type that is not supported";
    if (t->any || t->kind == dnnl_format_kind_any ||
            t->kind != dnnl_blocked) /* what is opaque was once any */
        return md_init_tag(md, ndims, dims, t->dt, dnnl_format_tag_any) == dnnl_success
                       ? NULL
                       : "the dims or the type of a tensor are not supported";
    const bool runtime = !strcmp(t->tag, "*");
    snprintf(tag, sizeof(tag), "%s", t->tag);
    if (runtime || !tag[0]) make_plain_tag(tag, ndims);
    const dnnl_format_tag_t known = tag_find(tag);
    const dnnl_status_t status = known ? md_init_tag(md, ndims, dims, t->dt, known)
                                       : md_init_string_tag(md, ndims, dims, t->dt, tag);
    if (status != dnnl_success) return "the layout, the dims and the type of a tensor do not fit";
    const bool unknown = md_has_runtime_dims(md);
    if (runtime || (t->strides[0] && unknown))
        for (int d = 0; d < ndims; d++) md->format_desc.blocking.strides[d] = DNNL_RUNTIME_DIM_VAL;
    else if (t->strides[0]) {
        const char *wrong = set_strides(md, t->strides);
        if (wrong) return wrong;
    }
    md->extra = t->extra;
    if (t->offset) { /* the log does not say where a part of a larger tensor begins */
        int order[DNNL_MAX_NDIMS];
        md_order(md, order);
        md->offset0 = md->format_desc.blocking.strides[order[0]];
    }
    return NULL;
}
