/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes as verbose lines print them. */
#include "attr.h"

#include <ctype.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "core/util.h"
#include "oneapi/dnnl/dnnl.h"

typedef struct {
    dnnl_primitive_attr_t attr;
    dnnl_post_ops_t ops;
    const line_t *line;
    int ndims;
    const dnnl_dim_t *dims;
    int only; /* attr_make_weights(): the argument */
    dnnl_status_t status;
} maker_t;

/* The parts of one entry, cut at colons; what is not there is empty. */
enum { PARTS = 8 };
typedef struct {
    char text[256];
    const char *part[PARTS];
    int n;
} parts_t;

static void cut(parts_t *p, const char *text, size_t len) {
    snprintf(p->text, sizeof(p->text), "%.*s", (int)len, text);
    p->n = 0;
    for (int i = 0; i < PARTS; i++) p->part[i] = "";
    for (char *s = p->text; s && p->n < PARTS;) {
        p->part[p->n++] = s;
        s = strchr(s, ':');
        if (s) *s++ = 0;
    }
}

/* Entries are separated by a plus; one in front of a digit belongs to an exponent. */
static size_t entry_length(const char *text) {
    size_t len = 0;
    while (text[len] && !(text[len] == '+' && !isdigit((unsigned char)text[len + 1]))) len++;
    return len;
}

static const char *each_entry(
        maker_t *m, const char *value, const char *(*set)(maker_t *, const parts_t *)) {
    const char *wrong = NULL;
    while (*value && !wrong) {
        parts_t p;
        const size_t len = entry_length(value);
        cut(&p, value, len);
        wrong = set(m, &p);
        value += len + (value[len] == '+');
    }
    return wrong;
}

static void call(maker_t *m, dnnl_status_t status) {
    if (m->status == dnnl_success) m->status = status;
}

static bool parse_arg(const char *s, int *arg) {
    static const struct {
        const char *name;
        int arg;
    } names[] = {{"src0", DNNL_ARG_SRC_0}, {"src", DNNL_ARG_SRC_0}, {"src1", DNNL_ARG_SRC_1},
            {"src2", DNNL_ARG_SRC_2}, {"dst", DNNL_ARG_DST}, {"wei", DNNL_ARG_WEIGHTS},
            {"diff_src", DNNL_ARG_DIFF_SRC}, {"diff_wei", DNNL_ARG_DIFF_WEIGHTS},
            {"attr_post_op_dw_src", DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_SRC},
            {"attr_post_op_dw_wei", DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_WEIGHTS},
            {"attr_post_op_dw_dst", DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_DST}};
    for (int i = 0; i < ARRAY_LEN(names); i++)
        if (!strcmp(s, names[i].name)) return *arg = names[i].arg, true;
    if (!strncmp(s, "msrc", 4)) return *arg = DNNL_ARG_MULTIPLE_SRC + atoi(s + 4), true;
    if (!strncmp(s, "arg", 3)) return *arg = atoi(s + 3), true;
    return false;
}

/* ---- scales, zero points ---- */

typedef struct {
    int arg, mask, group_ndims, qmode;
    dnnl_dims_t groups;
    dnnl_data_type_t dt;
    bool on_host;
} quant_text_t;

/* "wei:3:f32:32x1:host_scalar:..." */
static const char *parse_quant(quant_text_t *q, const parts_t *p) {
    int value;
    memset(q, 0, sizeof(*q));
    q->qmode = dnnl_quantization_mode_static_sazp;
    if (!parse_arg(p->part[0], &q->arg))
        return "the argument of a scale or zero point is not known";
    q->mask = atoi(p->part[1]);
    if (!name_find(NAMES_DATA_TYPE, p->part[2], &value))
        return "a scale or zero point has no data type";
    q->dt = (dnnl_data_type_t)value;
    for (int i = 3; i < p->n; i++) {
        if (!strcmp(p->part[i], "host_scalar")) q->on_host = true;
        else if (name_find(NAMES_QUANTIZATION_MODE, p->part[i], &value)) q->qmode = value;
        else if (!(q->group_ndims = dims_parse(p->part[i], q->groups, NULL)))
            return "a scale or zero point has a part that is not known";
    }
    return NULL;
}

/* Attention has attributes of keys and of values besides its own; in each they are those of the
 * weights. False: the entry belongs to another of them. */
static bool is_here(const maker_t *m, quant_text_t *q) {
    if (!m->only)
        return strcmp(m->line->kind, "sdpa") != 0 ||
               (q->arg != DNNL_ARG_SRC_1 && q->arg != DNNL_ARG_SRC_2);
    if (q->arg != m->only) return false;
    q->arg = DNNL_ARG_WEIGHTS;
    return true;
}

static const dnnl_dim_t *groups_of(const quant_text_t *q) {
    return q->group_ndims ? q->groups : NULL;
}

static const char *set_scale(maker_t *m, const parts_t *p) {
    quant_text_t q;
    const char *wrong = parse_quant(&q, p);
    if (!wrong && is_here(m, &q))
        call(m, dnnl_primitive_attr_set_scales_v3(m->attr, q.arg, q.mask, q.group_ndims,
                        groups_of(&q), q.dt, q.on_host, (dnnl_quantization_mode_t)q.qmode));
    return wrong;
}

static const char *set_zero_point(maker_t *m, const parts_t *p) {
    quant_text_t q;
    const char *wrong = parse_quant(&q, p);
    if (!wrong && is_here(m, &q))
        call(m, dnnl_primitive_attr_set_zero_points_v2(
                        m->attr, q.arg, q.mask, q.group_ndims, groups_of(&q), q.dt, q.on_host));
    return wrong;
}

static const char *set_reduction(maker_t *m, const parts_t *p) {
    quant_text_t q;
    const char *wrong = parse_quant(&q, p);
    if (!wrong)
        call(m, dnnl_primitive_attr_set_precomputed_reductions(
                        m->attr, q.arg, q.mask, q.group_ndims, groups_of(&q), q.dt));
    return wrong;
}

/* ---- post-ops ---- */

static const char *append_sum(maker_t *m, const parts_t *p) {
    int dt = dnnl_data_type_undef;
    if (p->part[3][0] && !name_find(NAMES_DATA_TYPE, p->part[3], &dt))
        return "the data type of a sum is not known";
    call(m, dnnl_post_ops_append_sum(m->ops, p->part[1][0] ? strtof(p->part[1], NULL) : 1,
                    atoi(p->part[2]), (dnnl_data_type_t)dt));
    return NULL;
}

static const char *append_eltwise(maker_t *m, const parts_t *p, int alg) {
    if (p->part[3][0] && strtof(p->part[3], NULL) != 1)
        return "an eltwise post-op has a scale, which the interface cannot set";
    call(m, dnnl_post_ops_append_eltwise(m->ops, (dnnl_alg_kind_t)alg, strtof(p->part[1], NULL),
                    strtof(p->part[2], NULL)));
    return NULL;
}

static void masked_dims(const maker_t *m, int mask, dnnl_dims_t dims) {
    for (int d = 0; d < m->ndims; d++) dims[d] = mask >> d & 1 ? m->dims[d] : 1;
}

/* "grouped": the tensor has the destination's groups. "groups": one value for each of them. */
static void set_groups(const maker_t *m, const char *layout, md_text_t *t, dnnl_dim_t *dims) {
    const md_text_t *src = line_md(m->line, "src");
    if (!src || strcmp(src->tag, "grouped") != 0) return;
    if (!strcmp(layout, "grouped")) {
        t->kind = dnnl_format_kind_sparse;
        t->group_dim = src->group_dim;
        t->group_count = src->group_count;
    } else if (!strcmp(layout, "groups")) {
        t->tag[0] = 0;
        dims[0] = src->group_count;
    }
}

/* "binary_add:f32:3:ba:1x64"; the tensor has the destination's size in the dimensions of the
 * mask. A batch may add the mask of a select's condition. */
static const char *append_binary(maker_t *m, const parts_t *p, int alg) {
    md_text_t t = {.kind = dnnl_blocked, .mask = -1};
    dnnl_dims_t dims;
    md_t md, condition;
    int dt;
    if (!name_find(NAMES_DATA_TYPE, p->part[1], &dt))
        return "the data type of a binary post-op is not known";
    masked_dims(m, atoi(p->part[2]), dims);
    t.dt = (dnnl_data_type_t)dt;
    t.any = !strcmp(p->part[3], "any");
    snprintf(t.tag, sizeof(t.tag), "%s", p->part[3]);
    snprintf(t.strides, sizeof(t.strides), "%s", p->part[4]);
    set_groups(m, p->part[3], &t, dims);
    const char *wrong = md_make(&md, &t, m->ndims, dims);
    if (wrong) return wrong;
    if (alg != dnnl_binary_select) {
        call(m, dnnl_post_ops_append_binary(m->ops, (dnnl_alg_kind_t)alg, &md));
        return NULL;
    }
    /* The log says nothing of the condition: one for each element. */
    masked_dims(m, p->part[5][0] ? atoi(p->part[5]) : -1, dims);
    const md_text_t flag = {.kind = dnnl_blocked, .dt = dnnl_s8, .mask = -1};
    wrong = md_make(&condition, &flag, m->ndims, dims);
    if (!wrong)
        call(m, dnnl_post_ops_append_binary_v2(m->ops, (dnnl_alg_kind_t)alg, &md, &condition));
    return wrong;
}

/* "dw:k3s1p1:s8"; the types of its weights and bias are in the column of tensors. */
static const char *append_depthwise(maker_t *m, const parts_t *p) {
    long long k, s, pad;
    int dt = dnnl_f32;
    const md_text_t *wei = line_md(m->line, "wei_fused"), *bias = line_md(m->line, "bia_fused");
    if (sscanf(p->part[1], "k%llds%lldp%lld", &k, &s, &pad) != 3)
        return "a depthwise post-op has no window";
    if (p->part[2][0] && !name_find(NAMES_DATA_TYPE, p->part[2], &dt))
        return "the data type of a depthwise post-op is not known";
    const md_text_t *first = line_md(m->line, "wei");
    const dnnl_data_type_t weights = wei ? wei->dt : first ? first->dt : dnnl_f32;
    call(m, dnnl_post_ops_append_dw(m->ops, weights, bias ? bias->dt : dnnl_data_type_undef,
                    (dnnl_data_type_t)dt, k, s, pad));
    return NULL;
}

static const char *append_post_op(maker_t *m, const parts_t *p) {
    const char *name = p->part[0];
    int alg;
    if (!strcmp(name, "sum")) return append_sum(m, p);
    if (!strcmp(name, "dw")) return append_depthwise(m, p);
    if (!strcmp(name, "prelu")) {
        call(m, dnnl_post_ops_append_prelu(m->ops, atoi(p->part[1])));
        return NULL;
    }
    if (!name_find(NAMES_ALG_KIND, name, &alg)) return "a post-op is not known";
    return strncmp(name, "binary_", 7) ? append_eltwise(m, p, alg) : append_binary(m, p, alg);
}

static const char *set_post_ops(maker_t *m, const char *value) {
    call(m, dnnl_post_ops_create(&m->ops));
    const char *wrong = m->ops ? each_entry(m, value, append_post_op) : NULL;
    if (!wrong && m->ops) call(m, dnnl_primitive_attr_set_post_ops(m->attr, m->ops));
    dnnl_post_ops_destroy(m->ops);
    m->ops = NULL;
    return wrong;
}

/* ---- others ---- */

static const char *set_scratchpad(maker_t *m, const char *value) {
    int mode;
    if (!name_find(NAMES_SCRATCHPAD_MODE, value, &mode)) return "the scratchpad mode is not known";
    call(m, dnnl_primitive_attr_set_scratchpad_mode(m->attr, (dnnl_scratchpad_mode_t)mode));
    return NULL;
}

static const char *set_fpmath(maker_t *m, const char *value) {
    parts_t p;
    int mode;
    cut(&p, value, strlen(value));
    if (!name_find(NAMES_FPMATH_MODE, p.part[0], &mode)) return "the math mode is not known";
    call(m, dnnl_primitive_attr_set_fpmath_mode_v2(
                    m->attr, (dnnl_fpmath_mode_t)mode, !strcmp(p.part[1], "true")));
    return NULL;
}

static const char *set_acc_mode(maker_t *m, const char *value) {
    int mode;
    if (!name_find(NAMES_ACCUMULATION_MODE, value, &mode))
        return "the accumulation mode is not known";
    call(m, dnnl_primitive_attr_set_accumulation_mode(m->attr, (dnnl_accumulation_mode_t)mode));
    return NULL;
}

static const char *set_one_rounding(maker_t *m, const parts_t *p) {
    int arg, mode;
    if (!parse_arg(p->part[0], &arg) || !name_find(NAMES_ROUNDING_MODE, p->part[1], &mode))
        return "a rounding mode is not known";
    call(m, dnnl_primitive_attr_set_rounding(m->attr, arg, (dnnl_rounding_mode_t)mode));
    return NULL;
}

static const char *set_rounding(maker_t *m, const char *value) {
    return each_entry(m, value, set_one_rounding);
}

static const char *set_deterministic(maker_t *m, const char *value) {
    call(m, dnnl_primitive_attr_set_deterministic(m->attr, atoi(value)));
    return NULL;
}

static const char *set_scales(maker_t *m, const char *value) {
    return each_entry(m, value, set_scale);
}

static const char *set_zero_points(maker_t *m, const char *value) {
    return each_entry(m, value, set_zero_point);
}

static const char *set_reductions(maker_t *m, const char *value) {
    return each_entry(m, value, set_reduction);
}

/* "ab:s64:1:0": the layout of the mask, which a vector does not print; the type of the seed; an
 * offset; host scalars. */
static const char *set_dropout(maker_t *m, const char *value) {
    parts_t p;
    md_text_t t = {.kind = dnnl_blocked, .dt = dnnl_u8, .mask = -1};
    md_t md;
    int seed_dt;
    cut(&p, value, strlen(value));
    if (p.n < 3) return "the dropout has too few parts";
    const bool absent = !strcmp(p.part[0], "undef") && p.n == 4;
    if (p.n == 4) snprintf(t.tag, sizeof(t.tag), "%s", p.part[0]);
    const size_t last = strlen(t.tag);
    if (last && t.tag[last - 1] == '+') { /* of a batch: with holes between the rows */
        t.tag[last - 1] = 0;
        strcpy(t.strides, "+");
    }
    t.any = !strcmp(t.tag, "any");
    if (!name_find(NAMES_DATA_TYPE, p.part[p.n - 3], &seed_dt))
        return "the type of the seed is not known";
    memset(&md, 0, sizeof(md)); /* without a mask */
    const char *wrong = absent ? NULL : md_make(&md, &t, m->ndims, m->dims);
    if (!wrong)
        call(m, dnnl_primitive_attr_set_dropout_v2(m->attr, &md, (dnnl_data_type_t)seed_dt,
                        atoi(p.part[p.n - 2]), atoi(p.part[p.n - 1])));
    return wrong;
}

/* "90:100;", of recurrent networks: scale and shift */
static const char *set_data_qparams(maker_t *m, const char *value) {
    float scale, shift;
    if (sscanf(value, "%f:%f", &scale, &shift) != 2) return "the data have no scale and shift";
    call(m, dnnl_primitive_attr_set_rnn_data_qparams(m->attr, scale, shift));
    return NULL;
}

static const struct {
    const char *name;
    const char *(*set)(maker_t *, const char *);
} fields[] = {{"attr-scratchpad", set_scratchpad}, {"attr-fpmath", set_fpmath},
        {"attr-acc-mode", set_acc_mode}, {"attr-rounding-mode", set_rounding},
        {"attr-deterministic", set_deterministic}, {"attr-scales", set_scales},
        {"attr-zero-points", set_zero_points}, {"attr-precomputed-reductions", set_reductions},
        {"attr-post-ops", set_post_ops}, {"attr-dropout", set_dropout},
        {"rnn_data_qparams", set_data_qparams}, {"attr-rnn_data_qparams", set_data_qparams}};

static const char *set_field(maker_t *m, char *text) {
    char *value = strchr(text, ':');
    if (!value) return "an attribute has no value";
    *value++ = 0;
    for (int i = 0; i < ARRAY_LEN(fields); i++)
        if (!strcmp(fields[i].name, text)) {
            const bool is_quant = fields[i].set == set_scales || fields[i].set == set_zero_points;
            return m->only && !is_quant ? NULL : fields[i].set(m, value);
        }
    return "an attribute is not known";
}

static const char *make(maker_t *of, dnnl_primitive_attr_t *attr, dnnl_status_t *status) {
    maker_t m = *of;
    const line_t *line = m.line;
    const char *wrong = NULL;
    *attr = NULL;
    *status = dnnl_primitive_attr_create(&m.attr);
    if (*status != dnnl_success) return NULL;
    char *copy = strdup(line->attr), *save = NULL;
    for (char *word = strtok_r(copy, " ", &save); word && !wrong; word = strtok_r(NULL, " ", &save))
        wrong = set_field(&m, word);
    free(copy);
    *attr = m.attr;
    *status = m.status;
    return wrong;
}

const char *attr_make(dnnl_primitive_attr_t *attr, dnnl_status_t *status, const line_t *line,
        int ndims, const dnnl_dim_t *dims) {
    return make(&(maker_t){.line = line, .ndims = ndims, .dims = dims}, attr, status);
}

const char *attr_make_weights(
        dnnl_primitive_attr_t *attr, dnnl_status_t *status, const line_t *line, int arg) {
    return make(&(maker_t){.line = line, .only = arg}, attr, status);
}
