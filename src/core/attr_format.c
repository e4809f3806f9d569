/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes as the verbose log prints them. Programs parse these lines: fields and separators are
 * fixed. */
#include <inttypes.h>

#include "core/attr.h"
#include "core/strings.h"
#include "core/strings_enum.h"

static const char *dt_name(dnnl_data_type_t dt) {
    return enum_name(NAMES_DATA_TYPE, dt);
}

static void add_arg(text_t *text, int arg) {
    static const struct {
        int arg;
        const char *name;
    } names[] = {{DNNL_ARG_SRC_0, "src0"}, {DNNL_ARG_SRC_1, "src1"}, {DNNL_ARG_SRC_2, "src2"},
            {DNNL_ARG_DST, "dst"}, {DNNL_ARG_WEIGHTS_0, "wei"}, {DNNL_ARG_WEIGHTS_1, "wei"},
            {DNNL_ARG_WEIGHTS_2, "wei"}, {DNNL_ARG_DIFF_SRC, "diff_src"},
            {DNNL_ARG_DIFF_WEIGHTS, "diff_wei"},
            {DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_SRC, "attr_post_op_dw_src"},
            {DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_WEIGHTS, "attr_post_op_dw_wei"},
            {DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_DST, "attr_post_op_dw_dst"}};
    if (arg & DNNL_ARG_MULTIPLE_SRC) {
        text_add(text, "msrc%d", arg - DNNL_ARG_MULTIPLE_SRC);
        return;
    }
    for (size_t i = 0; i < sizeof(names) / sizeof(names[0]); i++)
        if (names[i].arg == arg) {
            text_add(text, "%s", names[i].name);
            return;
        }
    text_add(text, "arg%d", arg);
}

/* Attributes are separated by spaces. */
static void begin(text_t *text, const char *name) {
    text_add(text, "%s%s", text->len ? " " : "", name);
}

static void add_quant(text_t *text, const char *name, const quant_map_t *map) {
    if (map->len) begin(text, name);
    for (int i = 0; i < map->len; i++) {
        const quant_t *q = &map->entry[i];
        if (i) text_add(text, "+");
        add_arg(text, q->arg);
        text_add(text, ":%d:%s", q->mask, dt_name(q->dt));
        if (q->group_ndims)
            text_add(text, ":%" PRId64 "x%" PRId64, (int64_t)q->group_dims[0],
                    (int64_t)q->group_dims[1]);
        if (q->on_host) text_add(text, ":host_scalar");
        if (q->qmode != dnnl_quantization_mode_static_sazp)
            text_add(text, ":%s", enum_name(NAMES_QUANTIZATION_MODE, q->qmode));
    }
}

static bool is_vector(const md_t *md) {
    int longer = 0; /* dimensions that are not 1 */
    for (int d = 0; d < md->ndims; d++) longer += md->dims[d] != 1;
    return longer <= 1;
}

/* Appends ":any", the encoding of a sparse descriptor, or ":tag" and, if the descriptor is not
 * dense, ":strides". A vector lies alike under every tag, so it has no column. */
static void add_layout(text_t *text, const md_t *md, bool with_strides) {
    char part[192];
    if (md_is_any(md)) {
        text_add(text, ":any");
    } else if (md_is_blocked(md) && !is_vector(md)) {
        md_format_tag(md, part, sizeof(part));
        text_add(text, ":%s", part);
        if (with_strides && md_format_strides(md, part, sizeof(part))) text_add(text, ":%s", part);
    } else if (md->format_kind == dnnl_format_kind_sparse) {
        text_add(text, ":%s", enum_name(NAMES_SPARSE_ENCODING, md->format_desc.sparse.encoding));
    }
}

static void add_sum(text_t *text, const post_op_t *e) {
    const bool has_dt = e->sum.dt != dnnl_data_type_undef,
               has_zero_point = has_dt || e->sum.zero_point != 0;
    text_add(text, "sum");
    if (has_zero_point || e->sum.scale != 1.0f) text_add(text, ":%g", (double)e->sum.scale);
    if (has_zero_point) text_add(text, ":%" PRId32, e->sum.zero_point);
    if (has_dt) text_add(text, ":%s", dt_name(e->sum.dt));
}

static void add_eltwise(text_t *text, const post_op_t *e) {
    const bool has_scale = e->eltwise.scale != 1.0f,
               has_beta = has_scale || e->eltwise.beta != 0.0f;
    text_add(text, "%s", enum_name(NAMES_ALG_KIND, e->eltwise.alg));
    if (has_beta || e->eltwise.alpha != 0.0f) text_add(text, ":%g", (double)e->eltwise.alpha);
    if (has_beta) text_add(text, ":%g", (double)e->eltwise.beta);
    if (has_scale) text_add(text, ":%g", (double)e->eltwise.scale);
}

static void add_binary(text_t *text, const post_op_t *e) {
    const md_t *md = &e->binary.src1;
    int mask = 0;
    for (int d = 0; d < md->ndims; d++) mask |= (md->dims[d] != 1) << d;
    text_add(text, "%s:%s:%d", enum_name(NAMES_ALG_KIND, e->binary.alg), dt_name(md->data_type),
            mask);
    add_layout(text, md, true);
}

static void add_depthwise(text_t *text, const post_op_t *e) {
    text_add(text, "dw:k%" PRId64 "s%" PRId64 "p%" PRId64, (int64_t)e->depthwise.kernel,
            (int64_t)e->depthwise.stride, (int64_t)e->depthwise.padding);
    if (e->depthwise.wei_dt == dnnl_s8 || e->depthwise.dst_dt != dnnl_f32)
        text_add(text, ":%s", dt_name(e->depthwise.dst_dt));
}

static void add_post_ops(text_t *text, const struct dnnl_post_ops *post_ops) {
    if (post_ops->len) begin(text, "attr-post-ops:");
    for (int i = 0; i < post_ops->len; i++) {
        const post_op_t *e = &post_ops->entry[i];
        if (i) text_add(text, "+");
        switch (e->kind) {
        case dnnl_sum: add_sum(text, e); break;
        case dnnl_eltwise: add_eltwise(text, e); break;
        case dnnl_binary: add_binary(text, e); break;
        case dnnl_convolution: add_depthwise(text, e); break;
        default: text_add(text, "prelu:%d", e->prelu.mask); break;
        }
    }
}

static void add_rounding(text_t *text, const attr_t *attr) {
    const char *separator = "";
    for (size_t i = 0; i < sizeof(attr->rounding) / sizeof(attr->rounding[0]); i++) {
        if (!attr->rounding[i].arg) continue;
        if (!*separator) begin(text, "attr-rounding-mode:");
        text_add(text, "%s", separator);
        add_arg(text, attr->rounding[i].arg);
        text_add(text, ":%s", enum_name(NAMES_ROUNDING_MODE, attr->rounding[i].mode));
        separator = "+";
    }
}

int attr_format(const attr_t *attr, char *buf, size_t size) {
    text_t text = text_start(buf, size);
    if (attr->scratchpad_mode != dnnl_scratchpad_mode_library) {
        begin(&text, "attr-scratchpad:");
        text_add(&text, "%s", enum_name(NAMES_SCRATCHPAD_MODE, attr->scratchpad_mode));
    }
    if (attr->fpmath_mode != dnnl_fpmath_mode_strict || attr->fpmath_apply_to_int) {
        begin(&text, "attr-fpmath:");
        text_add(&text, "%s%s", enum_name(NAMES_FPMATH_MODE, attr->fpmath_mode),
                attr->fpmath_apply_to_int ? ":true" : "");
    }
    if (attr->acc_mode != dnnl_accumulation_mode_strict) {
        begin(&text, "attr-acc-mode:");
        text_add(&text, "%s", enum_name(NAMES_ACCUMULATION_MODE, attr->acc_mode));
    }
    add_rounding(&text, attr);
    if (attr->deterministic) begin(&text, "attr-deterministic:1");
    add_quant(&text, "attr-scales:", &attr->scales);
    add_quant(&text, "attr-zero-points:", &attr->zero_points);
    add_quant(&text, "attr-precomputed-reductions:", &attr->precomputed_reductions);
    add_post_ops(&text, &attr->post_ops);
    if (attr->rnn_data_set) {
        begin(&text, "rnn_data_qparams:");
        text_add(&text, "%g:%g;", (double)attr->rnn_data_scale, (double)attr->rnn_data_shift);
    }
    if (attr->dropout.set) {
        begin(&text, "attr-dropout");
        if (md_is_zero(&attr->dropout.mask_md)) text_add(&text, ":undef");
        else add_layout(&text, &attr->dropout.mask_md, false);
        text_add(&text, ":%s:%d:%d", dt_name(attr->dropout.seed_dt), attr->dropout.use_offset,
                attr->dropout.use_host_scalars);
    }
    return text.len;
}
