/* SPDX-License-Identifier: Apache-2.0 */
/* Plans of problems beside those of batches: attention, sparse and grouped matrices. Each list is
 * the cross product of its choices. */
#include <stdio.h>
#include <string.h>

#include "case.h"
#include "core/util.h"
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_ze_sdpa.h"
#include "plans.h"

/* The next choice: a digit of the index, whose base is the number of choices. */
static int choose(int *index, int choices) {
    const int digit = *index % choices;
    *index /= choices;
    return digit;
}

static const char *failed(dnnl_status_t status) {
    return status == dnnl_success ? NULL : "a descriptor cannot be made";
}

/* ---- attention ---- */

typedef struct {
    dnnl_data_type_t dt, mask_dt;
    dnnl_dim_t size, width, queries, keys, key_heads;
    dnnl_ze_attn_mask_t mask;
    int scale; /* 0: none, 1: in memory, 2: a host scalar */
    bool keys_by_rows;
} attention_t;

static const dnnl_dim_t sizes[][2] = {
        {64, 64}, {80, 72}, {96, 96}, {128, 64}, {128, 128}, {256, 256}, {300, 300}, {7, 13}};
static const dnnl_dim_t lengths[][2] = {{1, 130}, {20, 37}, {150, 260}, {1024, 1024}};
enum { HEADS = 4, BATCH_SIZE = 2 };

static bool next_attention(attention_t *a, int index) {
    static const dnnl_data_type_t dts[] = {dnnl_f16, dnnl_bf16, dnnl_f32};
    static const dnnl_dim_t key_heads[] = {HEADS, 2};
    const int size = choose(&index, ARRAY_LEN(sizes)), length = choose(&index, ARRAY_LEN(lengths));
    *a = (attention_t){.size = sizes[size][0],
            .width = sizes[size][1],
            .queries = lengths[length][0],
            .keys = lengths[length][1]};
    a->dt = dts[choose(&index, ARRAY_LEN(dts))];
    a->key_heads = key_heads[choose(&index, ARRAY_LEN(key_heads))];
    a->mask = (dnnl_ze_attn_mask_t)choose(&index, 4);
    a->scale = choose(&index, 3);
    a->keys_by_rows = choose(&index, 2);
    a->mask_dt = choose(&index, 2) ? dnnl_f32 : a->dt;
    return index == 0;
}

static const char *create_attention(problem_t *p, const void *what) {
    const attention_t *a = what;
    const dnnl_dims_t q_dims = {BATCH_SIZE, HEADS, a->queries, a->size},
                      k_dims = {BATCH_SIZE, a->key_heads, a->size, a->keys},
                      v_dims = {BATCH_SIZE, a->key_heads, a->keys, a->width},
                      dst_dims = {BATCH_SIZE, HEADS, a->queries, a->width},
                      mask_dims = {BATCH_SIZE, 1, a->queries, a->keys};
    md_t q, k, v, dst, mask = {0}, scale = {0};
    dnnl_status_t status = md_init_tag(&q, 4, q_dims, a->dt, dnnl_abcd);
    status |= md_init_tag(&k, 4, k_dims, a->dt, a->keys_by_rows ? dnnl_abcd : dnnl_abdc);
    status |= md_init_tag(&v, 4, v_dims, a->dt, dnnl_abcd);
    status |= md_init_tag(&dst, 4, dst_dims, a->dt, dnnl_abcd);
    if (a->mask == dnnl_ze_attn_mask_buffer)
        status |= md_init_tag(&mask, 4, mask_dims, a->mask_dt, dnnl_abcd);
    if (a->scale == 1) status |= md_init_tag(&scale, 1, (dnnl_dims_t){1}, a->dt, dnnl_a);
    if (a->scale == 2) status |= md_init_host_scalar(&scale, dnnl_f32);
    if (status != dnnl_success) return failed(status);
    p->status = dnnl_ze_sdpa_primitive_desc_create(&p->pd, harness_engine, &q, &k, &v, &dst, &mask,
            &scale, a->scale == 2, a->key_heads, a->mask, NULL);
    return NULL;
}

static bool add_attention(void) {
    attention_t a;
    bool ok = true;
    for (int i = 0; next_attention(&a, i); i++) {
        char text[256];
        if (a.mask != dnnl_ze_attn_mask_buffer && a.mask_dt != a.dt) continue;
        snprintf(text, sizeof text,
                "attention type %d size %d,%d queries %d keys %d heads %d mask %d,%d scale %d%s",
                a.dt, (int)a.size, (int)a.width, (int)a.queries, (int)a.keys, (int)a.key_heads,
                a.mask, a.mask_dt, a.scale, a.keys_by_rows ? " rows" : "");
        ok = plans_add_created(text, create_attention, &a) && ok;
    }
    return ok;
}

/* ---- a sparse matrix ---- */

typedef struct {
    dnnl_data_type_t dt;
    dnnl_dim_t m, k, n, entries;
    bool coo, weights;
    dnnl_format_tag_t dense, dst;
} sparse_t;

static bool next_sparse(sparse_t *s, int index) {
    static const dnnl_data_type_t dts[] = {dnnl_f32, dnnl_f16, dnnl_bf16, dnnl_f64};
    static const dnnl_dim_t shapes[][4] = {
            {1, 1, 1, 1}, {20, 30, 40, 100}, {512, 300, 7, 0}, {64, 1024, 256, 9999}};
    const dnnl_dim_t *shape = shapes[choose(&index, ARRAY_LEN(shapes))];
    *s = (sparse_t){.m = shape[0], .k = shape[1], .n = shape[2], .entries = shape[3]};
    s->dt = dts[choose(&index, ARRAY_LEN(dts))];
    s->coo = choose(&index, 2);
    s->weights = choose(&index, 2);
    s->dense = choose(&index, 2) ? dnnl_ba : dnnl_ab;
    s->dst = choose(&index, 2) ? dnnl_ba : dnnl_ab;
    return index == 0;
}

static const char *create_sparse(problem_t *p, const void *what) {
    const sparse_t *s = what;
    const dnnl_dims_t src_dims = {s->m, s->k}, wei_dims = {s->k, s->n}, dst_dims = {s->m, s->n};
    const dnnl_dim_t *dims = s->weights ? wei_dims : src_dims;
    md_t sparse, dense, dst;
    dnnl_status_t status =
            s->coo ? md_init_coo(&sparse, 2, dims, s->dt, s->entries, dnnl_s32)
                   : md_init_csr(&sparse, 2, dims, s->dt, s->entries, dnnl_s32, dnnl_s32);
    status |= md_init_tag(&dense, 2, s->weights ? src_dims : wei_dims, s->dt, s->dense);
    status |= md_init_tag(&dst, 2, dst_dims, s->dt, s->dst);
    if (status != dnnl_success) return failed(status);
    p->status = dnnl_matmul_primitive_desc_create(&p->pd, harness_engine,
            s->weights ? &dense : &sparse, s->weights ? &sparse : &dense, NULL, &dst, NULL);
    return NULL;
}

static bool add_sparse(void) {
    sparse_t s;
    bool ok = true;
    for (int i = 0; next_sparse(&s, i); i++) {
        char text[256];
        snprintf(text, sizeof text, "sparse %s %s type %d %dx%dx%d entries %d tags %d %d",
                s.coo ? "coo" : "csr", s.weights ? "weights" : "source", s.dt, (int)s.m, (int)s.k,
                (int)s.n, (int)s.entries, s.dense, s.dst);
        ok = plans_add_created(text, create_sparse, &s) && ok;
    }
    return ok;
}

/* ---- grouped matrices ---- */

typedef struct {
    dnnl_data_type_t src, wei, dst;
    dnnl_dim_t groups, m, k, n;
    bool split_k, transposed, bias, relu;
    int scales; /* 0: none, 1: of rows and columns, 2: of groups of 32 along k */
} grouped_t;

static bool next_grouped(grouped_t *g, int index) {
    static const dnnl_data_type_t types[][3] = {{dnnl_f32, dnnl_f32, dnnl_f32},
            {dnnl_f16, dnnl_f16, dnnl_f16}, {dnnl_bf16, dnnl_bf16, dnnl_f32},
            {dnnl_f8_e4m3, dnnl_f8_e5m2, dnnl_bf16}, {dnnl_s8, dnnl_s8, dnnl_f32},
            {dnnl_u8, dnnl_s4, dnnl_bf16}, {dnnl_f16, dnnl_u4, dnnl_f16},
            {dnnl_bf16, dnnl_s8, dnnl_bf16}};
    static const dnnl_dim_t shapes[][4] = {
            {1, 1, 1, 1}, {4, 15, 32, 20}, {3, 500, 96, 128}, {8, 70, 64, 48}};
    const dnnl_dim_t *shape = shapes[choose(&index, ARRAY_LEN(shapes))];
    const dnnl_data_type_t *type = types[choose(&index, ARRAY_LEN(types))];
    *g = (grouped_t){.src = type[0], .wei = type[1], .dst = type[2]};
    g->groups = shape[0];
    g->m = shape[1];
    g->k = shape[2];
    g->n = shape[3];
    g->split_k = choose(&index, 2);
    g->transposed = choose(&index, 2);
    g->bias = choose(&index, 2);
    g->relu = choose(&index, 2);
    g->scales = choose(&index, 3);
    return index == 0;
}

static dnnl_status_t make_attr(dnnl_primitive_attr_t *attr, const grouped_t *g) {
    dnnl_post_ops_t post_ops;
    dnnl_status_t status = dnnl_primitive_attr_create(attr);
    const dnnl_dims_t src_group = {1, 32}, wei_group = {32, 1};
    if (g->scales) {
        const int n = g->scales == 2 ? 2 : 0;
        status |= dnnl_primitive_attr_set_scales(
                *attr, DNNL_ARG_SRC, n ? 3 : 1, n, src_group, dnnl_f32);
        status |= dnnl_primitive_attr_set_scales(
                *attr, DNNL_ARG_WEIGHTS, n ? 7 : 5, n, wei_group, dnnl_f16);
    }
    if (!g->relu) return status;
    status |= dnnl_post_ops_create(&post_ops);
    status |= dnnl_post_ops_append_eltwise(post_ops, dnnl_eltwise_relu, 0, 0);
    status |= dnnl_primitive_attr_set_post_ops(*attr, post_ops);
    dnnl_post_ops_destroy(post_ops);
    return status;
}

static const char *create_grouped(problem_t *p, const void *what) {
    const grouped_t *g = what;
    const dnnl_dim_t m = g->split_k ? g->k : g->m, k = g->split_k ? g->m : g->k;
    const dnnl_dims_t src_dims = {m, k}, wei_dims = {g->groups, k, g->n}, rows_dims = {k, g->n},
                      flat_dims = {m, g->n}, dst_dims = {g->groups, m, g->n},
                      bias_dims = {g->groups, g->n};
    md_t src, wei, dst, bias = {0};
    dnnl_primitive_attr_t attr = NULL;
    dnnl_status_t status =
            md_init_grouped(&src, 2, src_dims, g->src, g->split_k, g->groups, dnnl_s32);
    status |= g->split_k
                      ? md_init_grouped(&wei, 2, rows_dims, g->wei, 0, g->groups, dnnl_s32)
                      : md_init_tag(&wei, 3, wei_dims, g->wei, g->transposed ? dnnl_acb : dnnl_abc);
    status |= g->split_k ? md_init_tag(&dst, 3, dst_dims, g->dst, dnnl_abc)
                         : md_init_grouped(&dst, 2, flat_dims, g->dst, 0, g->groups, dnnl_s32);
    if (g->bias) status |= md_init_tag(&bias, 2, bias_dims, dnnl_f32, dnnl_ab);
    if (status != dnnl_success) return failed(status);
    p->status = make_attr(&attr, g);
    if (p->status == dnnl_success)
        p->status = dnnl_matmul_primitive_desc_create(
                &p->pd, harness_engine, &src, &wei, g->bias ? &bias : NULL, &dst, attr);
    dnnl_primitive_attr_destroy(attr);
    return NULL;
}

static bool add_grouped(void) {
    grouped_t g;
    bool ok = true;
    for (int i = 0; next_grouped(&g, i); i++) {
        char text[256];
        snprintf(text, sizeof text, "grouped types %d,%d,%d %d of %dx%dx%d%s%s%s%s scales %d",
                g.src, g.wei, g.dst, (int)g.groups, (int)g.m, (int)g.k, (int)g.n,
                g.split_k ? " along k" : "", g.transposed ? " transposed" : "",
                g.bias ? " bias" : "", g.relu ? " relu" : "", g.scales);
        ok = plans_add_created(text, create_grouped, &g) && ok;
    }
    return ok;
}

/* ---- scales of the destination that are computed ---- */

typedef struct {
    dnnl_data_type_t src, dst;
    bool powers, relu, random;
    dnnl_dim_t m;
} quantised_t;

static bool next_quantised(quantised_t *q, int index) {
    static const dnnl_data_type_t sources[] = {dnnl_f32, dnnl_f16, dnnl_bf16, dnnl_f8_e4m3},
                                  results[] = {dnnl_f8_e4m3, dnnl_f8_e5m2, dnnl_f4_e2m1};
    q->src = sources[choose(&index, ARRAY_LEN(sources))];
    q->dst = results[choose(&index, ARRAY_LEN(results))];
    q->powers = choose(&index, 2);
    q->relu = choose(&index, 2);
    q->random = choose(&index, 2);
    q->m = choose(&index, 2) ? 500 : 5;
    return index == 0;
}

static const char *create_quantised(problem_t *p, const void *what) {
    const quantised_t *q = what;
    const dnnl_dims_t src_dims = {q->m, 96}, wei_dims = {96, 64}, dst_dims = {q->m, 64},
                      group = {1, 32};
    const grouped_t relu = {.relu = q->relu};
    md_t src, wei, dst;
    dnnl_primitive_attr_t attr = NULL;
    dnnl_status_t status = md_init_tag(&src, 2, src_dims, q->src, dnnl_ab);
    status |= md_init_tag(&wei, 2, wei_dims, q->src, dnnl_ab);
    status |= md_init_tag(&dst, 2, dst_dims, q->dst, dnnl_ab);
    status |= make_attr(&attr, &relu);
    status |= dnnl_primitive_attr_set_scales_v3(attr, DNNL_ARG_DST, 3, 2, group,
            q->powers ? dnnl_e8m0 : dnnl_f32, 0,
            q->powers ? dnnl_quantization_mode_dynamic_mx : dnnl_quantization_mode_dynamic_fp);
    if (q->random)
        status |=
                dnnl_primitive_attr_set_rounding(attr, DNNL_ARG_DST, dnnl_rounding_mode_stochastic);
    if (status == dnnl_success)
        p->status = dnnl_matmul_primitive_desc_create(
                &p->pd, harness_engine, &src, &wei, NULL, &dst, attr);
    dnnl_primitive_attr_destroy(attr);
    return failed(status);
}

static bool add_quantised(void) {
    quantised_t q;
    bool ok = true;
    for (int i = 0; next_quantised(&q, i); i++) {
        char text[256];
        snprintf(text, sizeof text, "quantised types %d,%d rows %d%s%s%s", q.src, q.dst, (int)q.m,
                q.powers ? " by powers of two" : "", q.relu ? " relu" : "",
                q.random ? " random" : "");
        ok = plans_add_created(text, create_quantised, &q) && ok;
    }
    return ok;
}

bool plans_add_others(void) {
    bool ok = add_attention();
    ok = add_sparse() && ok;
    ok = add_grouped() && ok;
    return add_quantised() && ok;
}
