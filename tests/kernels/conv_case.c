/* SPDX-License-Identifier: Apache-2.0 */
/* Problems of convolution, deconvolution and inner product as lines of text. */
#include "conv_case.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "core/util.h"
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_debug.h"
#include "ref_conv.h"

#define OK(call) assert_int_equal(call, dnnl_success)

const char *const conv_shapes[] = {
        /* one to three spatial dimensions */
        "mb2_ic5oc7_iw11kw3",
        "mb2_ic3oc33_iw40kw5sw2pw2",
        "mb1_ic16oc16_ih7kh3ph1",
        "mb3_ic17oc19_ih5kh1",
        "mb2_ic3oc16_ih13kh7sh2ph3",
        "mb1_ic20oc37_ih9kh3sh2ph1_iw8kw2sw1pw0",
        "mb1_ic4oc32_ih10kh3dh1ph2",
        "mb1_ic6oc5_id5kd3pd1_ih4kh2sh2_iw6kw3dw1pw2",
        "mb2_ic32oc48_ih6kh1sh2",
        /* of one, of none */
        "mb1_ic1oc1_ih1kh1",
        "mb1_ic1oc1_iw1kw3pw1",
        "mb0_ic4oc4_ih3kh1",
        "mb1_ic3oc4_ih0kh1ph1",
        /* padding wider than the kernel; right padding of its own, negative too */
        "mb1_ic3oc5_ih4kh2ph3",
        "mb1_ic3oc18_ih6kh3ph1rh0_iw7kw3pw0rw2",
        "mb1_ic3oc18_ih6kh3rh-1",
        /* groups */
        "g1mb1_ic8oc8_ih5kh3ph1",
        "g2mb2_ic8oc6_ih5kh3ph1",
        "g3mb1_ic9oc48_ih4kh1",
        "g2mb1_ic34oc66_ih6kh3sh2ph1",
        "g2mb1_ic4oc2_id3kd2",
        /* depthwise */
        "g16mb1_ic16oc16_ih7kh3ph1",
        "g19mb2_ic19oc19_ih9kh3sh2ph1",
        "g40mb1_ic40oc40_iw30kw5pw2",
        "g5mb1_ic5oc10_ih6kh3",
        "g17mb1_ic17oc17_id4kd3pd1",
        "g32mb1_ic32oc32_ih12kh3dh1ph2",
};
const int conv_shape_count = ARRAY_LEN(conv_shapes);

enum { SIZE, KERNEL, STRIDE, DILATION, PADDING, RIGHT, WINDOW_FIELDS };
static const char window_fields[] = "iksdpr";
static const char spatial_names[] = "dhw";

typedef struct {
    int64_t mb, g, ic, oc;
    int64_t sp[3][WINDOW_FIELDS]; /* -1: not given */
} numbers_t;

static void parse_numbers(numbers_t *n, const char *s) {
    memset(n, 0xff, sizeof(*n));
    while (*s && *s != ' ') {
        char key[8];
        int len = 0;
        while (*s == '_') s++;
        while (*s >= 'a' && *s <= 'z' && len < 7) key[len++] = *s++;
        key[len] = 0;
        const int64_t value = strtoll(s, (char **)&s, 10);
        const char *field = strchr(window_fields, key[0]),
                   *where = key[1] ? strchr(spatial_names, key[1]) : NULL;
        if (!strcmp(key, "mb")) n->mb = value;
        else if (!strcmp(key, "g")) n->g = value;
        else if (!strcmp(key, "ic")) n->ic = value;
        else if (!strcmp(key, "oc")) n->oc = value;
        else if (field && where) n->sp[where - spatial_names][field - window_fields] = value;
        else fail_msg("key %s", key);
    }
    static const int64_t otherwise[] = {1, 1, 1, 0, 0, -1};
    for (int d = 0; d < 3; d++) {
        const bool given = n->sp[d][SIZE] >= 0;
        if (!given && d > 0 && n->sp[d - 1][SIZE] >= 0)
            memcpy(n->sp[d], n->sp[d - 1], sizeof(n->sp[d]));
        if (n->sp[d][SIZE] < 0) continue;
        for (int f = 0; f < WINDOW_FIELDS; f++)
            if (n->sp[d][f] < 0) n->sp[d][f] = f == RIGHT ? n->sp[d][PADDING] : otherwise[f];
    }
}

static dnnl_data_type_t type_of(const char *s) {
    static const struct {
        const char *name;
        dnnl_data_type_t dt;
    } types[] = {{"f32", dnnl_f32}, {"f16", dnnl_f16}, {"bf16", dnnl_bf16}, {"f64", dnnl_f64},
            {"s32", dnnl_s32}, {"s8", dnnl_s8}, {"u8", dnnl_u8}, {"s4", dnnl_s4}, {"u4", dnnl_u4},
            {"e5m2", dnnl_f8_e5m2}, {"e4m3", dnnl_f8_e4m3}, {"e2m1", dnnl_f4_e2m1},
            {"e8m0", dnnl_e8m0}};
    for (int i = 0; i < ARRAY_LEN(types); i++)
        if (!strcmp(s, types[i].name)) return types[i].dt;
    return dnnl_data_type_undef;
}

static void set_dims(conv_case_t *c, int kind, const numbers_t *n) {
    const int64_t g = n->g < 0 ? 1 : n->g;
    int w = 0;
    c->groups = n->g >= 0;
    c->nsp = 0;
    c->src_dims[0] = c->dst_dims[0] = n->mb;
    c->src_dims[1] = n->ic;
    c->dst_dims[1] = c->bias_dims[0] = n->oc;
    if (c->groups) c->wei_dims[w++] = g;
    c->wei_dims[w++] = n->oc / g;
    c->wei_dims[w++] = n->ic / g;
    for (int d = 0; d < 3; d++) {
        const int64_t *f = n->sp[d];
        if (f[SIZE] < 0) continue;
        const int s = c->nsp++;
        const int64_t range = 1 + (f[KERNEL] - 1) * (f[DILATION] + 1), pads = f[PADDING] + f[RIGHT];
        c->src_dims[2 + s] = f[SIZE];
        c->wei_dims[w++] = kind == CASE_INNER_PRODUCT ? f[SIZE] : f[KERNEL];
        c->strides[s] = f[STRIDE];
        c->dilates[s] = f[DILATION];
        c->padding[0][s] = f[PADDING];
        c->padding[1][s] = f[RIGHT];
        c->dst_dims[2 + s] = kind == CASE_DECONVOLUTION ? (f[SIZE] - 1) * f[STRIDE] + range - pads
                                                        : (f[SIZE] - range + pads) / f[STRIDE] + 1;
    }
}

static md_t layout(dnnl_data_type_t dt, const char *tag, int ndims, const dnnl_dim_t *dims) {
    md_t md;
    if (strcmp(tag, "any")) return make_md(dt, tag, ndims, dims);
    OK(md_init_tag(&md, ndims, dims, dt, dnnl_format_tag_any));
    return md;
}

static void add_quant(conv_case_t *c, const char *list, bool scales) {
    for (const char *s = list; *s; s += *s == ',') {
        const int arg = *s == 's' ? DNNL_ARG_SRC : *s == 'w' ? DNNL_ARG_WEIGHTS : DNNL_ARG_DST;
        const int mask = (int)strtol(s + 1, (char **)&s, 10);
        const bool host = *s == 'h';
        if (host) s++;
        if (host && scales)
            OK(dnnl_primitive_attr_set_scales_v3(
                    c->attr, arg, 0, 0, NULL, dnnl_f32, 1, dnnl_quantization_mode_static_sazp));
        else if (host)
            OK(dnnl_primitive_attr_set_zero_points_v2(c->attr, arg, 0, 0, NULL, dnnl_s32, 1));
        else if (scales) OK(dnnl_primitive_attr_set_scales_mask(c->attr, arg, mask));
        else OK(dnnl_primitive_attr_set_zero_points_mask(c->attr, arg, mask));
    }
}

static void add_post_op(
        const conv_case_t *c, dnnl_post_ops_t ops, const char *name, size_t len, int ndims) {
    static const struct {
        const char *name;
        dnnl_alg_kind_t alg;
        float alpha, beta;
    } eltwise[] = {{"relu", dnnl_eltwise_relu, 0.25f, 0}, {"tanh", dnnl_eltwise_tanh, 0, 0},
            {"linear", dnnl_eltwise_linear, 0.5f, 3}},
      binary[] = {{"add", dnnl_binary_add, 0, 0}, {"mul", dnnl_binary_mul, 0, 0}};
    for (int i = 0; i < ARRAY_LEN(eltwise); i++)
        if (len == strlen(eltwise[i].name) && !strncmp(name, eltwise[i].name, len)) {
            OK(dnnl_post_ops_append_eltwise(
                    ops, eltwise[i].alg, eltwise[i].alpha, eltwise[i].beta));
            return;
        }
    for (int i = 0; i < ARRAY_LEN(binary); i++)
        if (!strncmp(name, binary[i].name, strlen(binary[i].name))) {
            const int mask = atoi(name + strlen(binary[i].name));
            dnnl_dims_t dims;
            for (int d = 0; d < ndims; d++) dims[d] = mask >> d & 1 ? c->dst_dims[d] : 1;
            const md_t md = make_md(dnnl_f32,
                    ndims == 2   ? "ab"
                    : ndims == 3 ? "abc"
                    : ndims == 4 ? "abcd"
                                 : "abcde",
                    ndims, dims);
            OK(dnnl_post_ops_append_binary(ops, binary[i].alg, &md));
            return;
        }
    if (!strncmp(name, "sum", 3)) OK(dnnl_post_ops_append_sum(ops, 0.5f, 0, dnnl_data_type_undef));
    else if (!strncmp(name, "prelu", 5)) OK(dnnl_post_ops_append_prelu(ops, atoi(name + 5)));
    else fail_msg("post-op %s", name);
}

static void add_post_ops(conv_case_t *c, const char *list, int ndims) {
    dnnl_post_ops_t ops;
    OK(dnnl_post_ops_create(&ops));
    for (const char *s = list; *s;) {
        const size_t len = strcspn(s, ",");
        add_post_op(c, ops, s, len, ndims);
        s += len + (s[len] == ',');
    }
    OK(dnnl_primitive_attr_set_post_ops(c->attr, ops));
    OK(dnnl_post_ops_destroy(ops));
}

static void set_math(conv_case_t *c, const char *name) {
    for (int m = dnnl_fpmath_mode_strict; m <= dnnl_fpmath_mode_tf32; m++)
        if (!strcmp(name, dnnl_fpmath_mode2str(m)))
            OK(dnnl_primitive_attr_set_fpmath_mode(c->attr, m));
}

void conv_case_parse(conv_case_t *c, int kind, const char *line) {
    numbers_t n;
    char copy[512], *save;
    dnnl_data_type_t src = dnnl_f32, wei = dnnl_f32, dst = dnnl_data_type_undef,
                     bias = dnnl_data_type_undef;
    const char *stag = "any", *wtag = "any", *dtag = "any";
    memset(c, 0, sizeof(*c));
    assert_true(strlen(line) < sizeof(copy));
    strcpy(copy, line);
    OK(dnnl_primitive_attr_create(&c->attr));
    parse_numbers(&n, strtok_r(copy, " ", &save));
    set_dims(c, kind, &n);
    const int nd = kind == CASE_INNER_PRODUCT ? 2 : c->nsp + 2;
    for (char *word; (word = strtok_r(NULL, " ", &save));) {
        char *value = strchr(word, '=');
        if (!value) {
            src = wei = type_of(word);
            if (src == dnnl_u8) wei = dnnl_s8;
            continue;
        }
        *value++ = 0;
        if (!strcmp(word, "dst")) dst = type_of(value);
        else if (!strcmp(word, "bia")) bias = type_of(value);
        else if (!strcmp(word, "stag")) stag = value;
        else if (!strcmp(word, "wtag")) wtag = value;
        else if (!strcmp(word, "dtag")) dtag = value;
        else if (!strcmp(word, "scales")) add_quant(c, value, true);
        else if (!strcmp(word, "zps")) add_quant(c, value, false);
        else if (!strcmp(word, "fp")) set_math(c, value);
        else if (!strcmp(word, "po")) add_post_ops(c, value, nd);
        else fail_msg("word %s", word);
    }
    if (!dst) dst = src;
    c->src = layout(src, stag, c->nsp + 2, c->src_dims);
    c->wei = layout(wei, wtag, c->nsp + 2 + c->groups, c->wei_dims);
    c->dst = layout(dst, dtag, nd, c->dst_dims);
    if (bias) c->bias = layout(bias, "a", 1, c->bias_dims);
}

void conv_case_free(conv_case_t *c) {
    OK(dnnl_primitive_attr_destroy(c->attr));
}

void conv_case_run(int kind, const char *line) {
    conv_case_t c;
    dnnl_primitive_desc_t pd = NULL;
    dnnl_status_t status;
    conv_case_parse(&c, kind, line);
    const md_t *bias = c.bias.ndims ? &c.bias : NULL;
    if (kind == CASE_INNER_PRODUCT)
        status = dnnl_inner_product_forward_primitive_desc_create(
                &pd, harness_engine, dnnl_forward_inference, &c.src, &c.wei, bias, &c.dst, c.attr);
    else if (kind == CASE_DECONVOLUTION)
        status = dnnl_deconvolution_forward_primitive_desc_create(&pd, harness_engine,
                dnnl_forward_inference, dnnl_deconvolution_direct, &c.src, &c.wei, bias, &c.dst,
                c.strides, c.dilates, c.padding[0], c.padding[1], c.attr);
    else
        status = dnnl_convolution_forward_primitive_desc_create(&pd, harness_engine,
                dnnl_forward_training, dnnl_convolution_auto, &c.src, &c.wei, bias, &c.dst,
                c.strides, c.dilates, c.padding[0], c.padding[1], c.attr);
    if (status != dnnl_success && !(status == dnnl_unimplemented && select_forced_variant >= 0))
        print_error("%s\n", line);
    case_all(pd, status,
            kind == CASE_INNER_PRODUCT   ? ref_inner_product
            : kind == CASE_DECONVOLUTION ? ref_deconvolution
                                         : ref_convolution,
            -4, 4);
    conv_case_free(&c);
}
