/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes and post-ops, most of them such as the problem can take. */
#include "draw.hpp"
#include "problem.hpp"

static int some_arg() {
    static const int args[] = {DNNL_ARG_SRC, DNNL_ARG_WEIGHTS, DNNL_ARG_DST, DNNL_ARG_SRC_1,
            DNNL_ARG_MULTIPLE_SRC, DNNL_ARG_MULTIPLE_SRC + 1, DNNL_ARG_BIAS,
            DNNL_ARG_ATTR_POST_OP_DW | DNNL_ARG_WEIGHTS, 77};
    return one_of(args);
}

static int some_mask() {
    static const int masks[] = {0, 0, 1, 2, 3, 4, 8, 0xfff, -1};
    return one_of(masks);
}

static dnnl_data_type_t number_type() {
    static const dnnl_data_type_t types[] = {
            dnnl_f32, dnnl_f32, dnnl_f16, dnnl_bf16, dnnl_s8, dnnl_s32, dnnl_u8};
    return below(16) == 15 ? draw<dnnl_data_type_t>::get() : one_of(types);
}

static void quantize(dnnl_primitive_attr_t attr) {
    dnnl_dims_t groups = {};
    const int arg = some_arg(), mask = some_mask(), ndims = below(6) == 5 ? (int)below(4) : 0;
    static const int64_t sizes[] = {1, 2, 8, 16, 32, 0};
    for (int d = 0; d < ndims; d++) groups[d] = below(16) == 15 ? odd_dim() : one_of(sizes);
    const dnnl_data_type_t dt = number_type();
    const int on_host = below(6) == 5;
    switch (below(8)) {
    case 0: dnnl_primitive_attr_set_scales_mask(attr, arg, mask); break;
    case 1: dnnl_primitive_attr_set_zero_points_mask(attr, arg, mask); break;
    case 2:
        dnnl_primitive_attr_set_precomputed_reductions(attr, arg, mask, ndims, groups, dt);
        break;
    case 3:
    case 4:
        dnnl_primitive_attr_set_zero_points_v2(
                attr, arg, mask, ndims, groups, below(2) ? dnnl_s32 : dt, on_host);
        break;
    case 5:
        dnnl_primitive_attr_set_scales_v3(
                attr, arg, mask, ndims, groups, dt, on_host, (dnnl_quantization_mode_t)below(5));
        break;
    default:
        dnnl_primitive_attr_set_scales_v2(
                attr, arg, mask, ndims, groups, below(2) ? dnnl_f32 : dt, on_host);
        break;
    }
}

/* A tensor that broadcasts to the destination. */
static md_t operand(const problem_t &p) {
    shape_t shape = p.dst.empty() ? shape_t{1} : p.dst;
    for (dnnl_dim_t &d : shape)
        if (below(2)) d = 1;
    md_t md = draw_md(shape, number_type(), true);
    if (below(24) == 23) damage(&md);
    return md;
}

static void append(const problem_t &p, dnnl_post_ops_t ops) {
    switch (below(10)) {
    case 0:
    case 1:
    case 2:
        dnnl_post_ops_append_eltwise(ops, (dnnl_alg_kind_t)(dnnl_eltwise_relu + (int)below(30)),
                draw<float>::get(), draw<float>::get());
        break;
    case 3:
    case 4:
        dnnl_post_ops_append_sum(ops, draw<float>::get(), (int)below(3),
                below(3) ? dnnl_data_type_undef : number_type());
        break;
    case 5: dnnl_post_ops_append_prelu(ops, some_mask()); break;
    case 6: {
        static const int64_t sizes[] = {3, 1, 2, 5, 0, -1, INT64_MAX};
        dnnl_post_ops_append_dw(ops, number_type(), number_type(), number_type(), one_of(sizes),
                1 + (int64_t)below(2), (int64_t)below(3));
        break;
    }
    case 7: {
        const md_t a = operand(p), b = operand(p);
        dnnl_post_ops_append_binary_v2(ops, dnnl_binary_select, &a, &b);
        break;
    }
    default: {
        const md_t a = operand(p);
        dnnl_post_ops_append_binary(ops, (dnnl_alg_kind_t)(dnnl_binary_add + (int)below(13)), &a);
        break;
    }
    }
}

static void set_post_ops(const problem_t &p, dnnl_primitive_attr_t attr) {
    dnnl_post_ops_t ops;
    if (dnnl_post_ops_create(&ops)) return;
    for (uint64_t n = 1 + (below(16) == 15 ? below(34) : below(3)); n; n--) append(p, ops);
    dnnl_primitive_attr_set_post_ops(attr, ops);
    dnnl_post_ops_destroy(ops);
}

static void set_one(const problem_t &p, dnnl_primitive_attr_t attr) {
    static const float scales[] = {1, 0.5f, 2, 4, 1, 1, 1, 1};
    switch (below(14)) {
    case 0:
    case 1:
    case 2: quantize(attr); break;
    case 3:
    case 4:
    case 5:
    case 6: set_post_ops(p, attr); break;
    case 7: dnnl_primitive_attr_set_scratchpad_mode(attr, (dnnl_scratchpad_mode_t)below(3)); break;
    case 8:
        dnnl_primitive_attr_set_fpmath_mode_v2(attr, (dnnl_fpmath_mode_t)below(6), (int)below(2));
        break;
    case 9:
        dnnl_primitive_attr_set_accumulation_mode(attr, (dnnl_accumulation_mode_t)below(7));
        break;
    case 10: dnnl_primitive_attr_set_deterministic(attr, (int)below(2)); break;
    case 11:
        dnnl_primitive_attr_set_rounding(attr, some_arg(), (dnnl_rounding_mode_t)below(3));
        break;
    case 12: {
        md_t mask =
                p.dst.empty() ? md_t() : draw_md(p.dst, below(8) ? dnnl_u8 : number_type(), true);
        if (below(4) == 3) mask = md_t();
        dnnl_primitive_attr_set_dropout_v2(
                attr, &mask, below(2) ? dnnl_s64 : dnnl_s32, (int)below(2), (int)below(2));
        break;
    }
    default:
        dnnl_primitive_attr_set_rnn_data_qparams(attr, 2, 1);
        dnnl_primitive_attr_set_rnn_weights_qparams(
                attr, 1 + (dnnl_dim_t)below(8), some_mask(), scales);
        break;
    }
}

dnnl_primitive_attr_t draw_attr(const problem_t &p) {
    dnnl_primitive_attr_t attr;
    const uint64_t n = below(4);
    if (n == 0 || dnnl_primitive_attr_create(&attr)) return nullptr;
    for (uint64_t i = 0; i < n; i++) set_one(p, attr);
    return attr;
}
