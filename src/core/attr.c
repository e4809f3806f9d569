/* SPDX-License-Identifier: Apache-2.0 */
/* Attributes: defaults, copies, equality, hashing. */
#include "core/attr.h"

#include <stdatomic.h>
#include <string.h>
#include <strings.h>

#include "core/alloc.h"
#include "core/env.h"
#include "core/hash.h"

/* -1: the environment was not read yet. Several threads may read it at once: they find the same
 * value. */
static atomic_int default_fpmath = -1;

dnnl_fpmath_mode_t attr_default_fpmath_mode(void) {
    static const struct {
        const char *name;
        dnnl_fpmath_mode_t mode;
    } names[] = {{"strict", dnnl_fpmath_mode_strict}, {"bf16", dnnl_fpmath_mode_bf16},
            {"f16", dnnl_fpmath_mode_f16}, {"tf32", dnnl_fpmath_mode_tf32},
            {"any", dnnl_fpmath_mode_any}};
    int mode = atomic_load_explicit(&default_fpmath, memory_order_relaxed);
    if (mode >= 0) return (dnnl_fpmath_mode_t)mode;
    const char *text = env_string("DEFAULT_FPMATH_MODE");
    int found = dnnl_fpmath_mode_strict;
    for (size_t i = 0; text && i < sizeof(names) / sizeof(names[0]); i++)
        if (strcasecmp(text, names[i].name) == 0) found = (int)names[i].mode;
    /* A value that another thread has set meanwhile stays. */
    return atomic_compare_exchange_strong(&default_fpmath, &mode, found) ? (dnnl_fpmath_mode_t)found
                                                                         : (dnnl_fpmath_mode_t)mode;
}

dnnl_status_t attr_set_default_fpmath_mode(dnnl_fpmath_mode_t mode) {
    if ((int)mode < dnnl_fpmath_mode_strict || mode > dnnl_fpmath_mode_tf32)
        return dnnl_invalid_arguments;
    atomic_store(&default_fpmath, (int)mode);
    return dnnl_success;
}

void attr_init(attr_t *attr) {
    memset(attr, 0, sizeof(*attr));
    attr->fpmath_mode = attr_default_fpmath_mode();
    attr->rnn_data_scale = 1.0f;
    attr->hints = NO_PLAN_HINTS;
}

const attr_t *attr_default(attr_t *storage) {
    static const attr_t strict = {.rnn_data_scale = 1.0f, .hints = {.forced_variant = -1}};
    if (attr_default_fpmath_mode() == dnnl_fpmath_mode_strict) return &strict;
    attr_init(storage);
    return storage;
}

void attr_fini(attr_t *attr) {
    dz_free(attr->scales.entry);
    dz_free(attr->zero_points.entry);
    dz_free(attr->precomputed_reductions.entry);
    dz_free(attr->post_ops.entry);
    dz_free(attr->rnn_weights.scales);
    dz_free(attr->rnn_projection.scales);
    dz_free(attr->rnn_tparams_scales.scales);
    memset(attr, 0, sizeof(*attr));
}

/* Copies len elements into an array of exactly that size. False: out of memory, and *array is
 * NULL. */
static bool copy_array(void **array, const void *src, int len, size_t size) {
    *array = NULL;
    if (len == 0) return true;
    *array = dz_malloc(size * (size_t)len);
    if (*array) memcpy(*array, src, size * (size_t)len);
    return *array != NULL;
}

static bool copy_quant(quant_map_t *dst, const quant_map_t *src) {
    void *entry;
    bool ok = copy_array(&entry, src->entry, src->len, sizeof(*src->entry));
    *dst = (quant_map_t){ok ? src->len : 0, ok ? src->len : 0, entry};
    return ok;
}

static bool copy_scales(float **dst, dnnl_dim_t count, const float *src) {
    void *scales;
    bool ok = copy_array(&scales, src, src ? (int)count : 0, sizeof(float));
    *dst = scales;
    return ok;
}

dnnl_status_t post_ops_copy(struct dnnl_post_ops *dst, const struct dnnl_post_ops *src) {
    void *entry;
    bool ok = copy_array(&entry, src->entry, src->len, sizeof(*src->entry));
    *dst = (struct dnnl_post_ops){ok ? src->len : 0, ok ? src->len : 0, entry};
    return ok ? dnnl_success : dnnl_out_of_memory;
}

dnnl_status_t attr_copy(attr_t *dst, const attr_t *src) {
    *dst = *src;
    bool ok = copy_quant(&dst->scales, &src->scales);
    ok &= copy_quant(&dst->zero_points, &src->zero_points);
    ok &= copy_quant(&dst->precomputed_reductions, &src->precomputed_reductions);
    ok &= post_ops_copy(&dst->post_ops, &src->post_ops) == dnnl_success;
    ok &= copy_scales(&dst->rnn_weights.scales, src->rnn_weights.count, src->rnn_weights.scales);
    ok &= copy_scales(
            &dst->rnn_projection.scales, src->rnn_projection.count, src->rnn_projection.scales);
    ok &= copy_scales(&dst->rnn_tparams_scales.scales, src->rnn_tparams_scales.count,
            src->rnn_tparams_scales.scales);
    if (!ok) attr_fini(dst);
    return ok ? dnnl_success : dnnl_out_of_memory;
}

post_op_t *post_ops_append(struct dnnl_post_ops *post_ops) {
    if (post_ops->len == post_ops->cap) {
        int cap = post_ops->cap ? 2 * post_ops->cap : 2;
        post_op_t *entry = dz_realloc(post_ops->entry, sizeof(*entry) * (size_t)cap);
        if (!entry) return NULL;
        post_ops->entry = entry;
        post_ops->cap = cap;
    }
    post_op_t *op = &post_ops->entry[post_ops->len++];
    memset(op, 0, sizeof(*op));
    return op;
}

const quant_t *quant_find(const quant_map_t *map, int arg) {
    for (int i = 0; i < map->len; i++)
        if (map->entry[i].arg == arg) return &map->entry[i];
    return NULL;
}

dnnl_status_t quant_set(quant_map_t *map, const quant_t *q) {
    int at = 0;
    while (at < map->len && map->entry[at].arg < q->arg) at++;
    if (at < map->len && map->entry[at].arg == q->arg) {
        map->entry[at] = *q;
        return dnnl_success;
    }
    if (map->len == map->cap) {
        int cap = map->cap ? 2 * map->cap : 2;
        quant_t *entry = dz_realloc(map->entry, sizeof(*entry) * (size_t)cap);
        if (!entry) return dnnl_out_of_memory;
        map->entry = entry;
        map->cap = cap;
    }
    memmove(map->entry + at + 1, map->entry + at, sizeof(*map->entry) * (size_t)(map->len - at));
    map->entry[at] = *q;
    map->len++;
    return dnnl_success;
}

dnnl_rounding_mode_t attr_rounding_mode(const attr_t *attr, int arg) {
    for (size_t i = 0; i < sizeof(attr->rounding) / sizeof(attr->rounding[0]); i++)
        if (attr->rounding[i].arg == arg) return attr->rounding[i].mode;
    return dnnl_rounding_mode_environment;
}

void attr_set_rounding_mode(attr_t *attr, int arg, dnnl_rounding_mode_t mode) {
    const int n = (int)(sizeof(attr->rounding) / sizeof(attr->rounding[0]));
    int at = -1;
    for (int i = 0; i < n; i++) {
        if (attr->rounding[i].arg != arg && (attr->rounding[i].arg || at >= 0)) continue;
        at = i;
        if (attr->rounding[i].arg == arg) break;
    }
    if (at < 0) return;
    attr->rounding[at].arg = mode == dnnl_rounding_mode_environment ? 0 : arg;
    attr->rounding[at].mode = mode;
}

/* Floats are compared bit by bit, since a NaN stands for a run-time value. */
static bool same_bits(float a, float b) {
    return memcmp(&a, &b, sizeof(a)) == 0;
}

static uint64_t hash_float(float value, uint64_t h) {
    return hash_bytes(&value, sizeof(value), h);
}

static bool quant_equal(const quant_map_t *a, const quant_map_t *b) {
    if (a->len != b->len) return false;
    for (int i = 0; i < a->len; i++) {
        const quant_t *p = &a->entry[i], *q = &b->entry[i];
        if (p->arg != q->arg || p->mask != q->mask || p->dt != q->dt ||
                p->group_ndims != q->group_ndims || p->on_host != q->on_host ||
                p->qmode != q->qmode ||
                memcmp(p->group_dims, q->group_dims, sizeof(dnnl_dim_t) * (size_t)p->group_ndims) !=
                        0)
            return false;
    }
    return true;
}

static uint64_t quant_hash(const quant_map_t *map, uint64_t h) {
    for (int i = 0; i < map->len; i++) {
        const quant_t *q = &map->entry[i];
        h = hash_u64((uint64_t)q->arg << 32 | (uint32_t)q->mask, h);
        h = hash_u64((uint64_t)q->dt << 16 | (uint64_t)q->qmode << 8 | (uint64_t)q->on_host, h);
        h = hash_bytes(q->group_dims, sizeof(dnnl_dim_t) * (size_t)q->group_ndims, h);
    }
    return hash_u64((uint64_t)map->len, h);
}

static bool post_op_equal(const post_op_t *a, const post_op_t *b) {
    if (a->kind != b->kind) return false;
    switch (a->kind) {
    case dnnl_eltwise:
        return a->eltwise.alg == b->eltwise.alg && same_bits(a->eltwise.scale, b->eltwise.scale) &&
               same_bits(a->eltwise.alpha, b->eltwise.alpha) &&
               same_bits(a->eltwise.beta, b->eltwise.beta);
    case dnnl_sum:
        return same_bits(a->sum.scale, b->sum.scale) && a->sum.zero_point == b->sum.zero_point &&
               a->sum.dt == b->sum.dt;
    case dnnl_convolution:
        return a->depthwise.wei_dt == b->depthwise.wei_dt &&
               a->depthwise.bias_dt == b->depthwise.bias_dt &&
               a->depthwise.dst_dt == b->depthwise.dst_dt &&
               a->depthwise.kernel == b->depthwise.kernel &&
               a->depthwise.stride == b->depthwise.stride &&
               a->depthwise.padding == b->depthwise.padding;
    case dnnl_binary:
        return a->binary.alg == b->binary.alg && md_equal(&a->binary.src1, &b->binary.src1) &&
               md_equal(&a->binary.src2, &b->binary.src2);
    case dnnl_prelu: return a->prelu.mask == b->prelu.mask;
    default: return false;
    }
}

static uint64_t post_op_hash(const post_op_t *op, uint64_t h) {
    h = hash_u64((uint64_t)op->kind, h);
    switch (op->kind) {
    case dnnl_eltwise:
        h = hash_float(
                op->eltwise.alpha, hash_float(op->eltwise.beta, hash_float(op->eltwise.scale, h)));
        return hash_u64((uint64_t)op->eltwise.alg, h);
    case dnnl_sum:
        h = hash_u64((uint64_t)op->sum.dt << 32 | (uint32_t)op->sum.zero_point, h);
        return hash_float(op->sum.scale, h);
    case dnnl_convolution:
        h = hash_u64((uint64_t)op->depthwise.wei_dt << 32 | (uint64_t)op->depthwise.bias_dt << 16 |
                             (uint64_t)op->depthwise.dst_dt,
                h);
        h = hash_u64((uint64_t)op->depthwise.kernel, hash_u64((uint64_t)op->depthwise.stride, h));
        return hash_u64((uint64_t)op->depthwise.padding, h);
    case dnnl_binary:
        h = hash_u64((uint64_t)op->binary.alg, md_hash(&op->binary.src1, h));
        return md_is_zero(&op->binary.src2) ? h : md_hash(&op->binary.src2, h);
    default: return hash_u64((uint64_t)op->prelu.mask, h);
    }
}

static bool scales_equal(const float *a, dnnl_dim_t na, const float *b, dnnl_dim_t nb) {
    if (!a || !b) return a == b;
    return na == nb && memcmp(a, b, sizeof(float) * (size_t)na) == 0;
}

static bool rnn_equal(const attr_t *a, const attr_t *b) {
#define SAME_SCALES(f)                                                                             \
    (a->f.set == b->f.set && a->f.mask == b->f.mask && a->f.count == b->f.count &&                 \
            scales_equal(a->f.scales, a->f.count, b->f.scales, b->f.count))
    return same_bits(a->rnn_data_scale, b->rnn_data_scale) &&
           same_bits(a->rnn_data_shift, b->rnn_data_shift) && SAME_SCALES(rnn_weights) &&
           SAME_SCALES(rnn_projection) && SAME_SCALES(rnn_tparams_scales) &&
           a->rnn_tparams_mode == b->rnn_tparams_mode &&
           same_bits(a->rnn_tparams_cscale, b->rnn_tparams_cscale);
#undef SAME_SCALES
}

static bool rounding_equal(const attr_t *a, const attr_t *b) {
    if (memcmp(a->rounding, b->rounding, sizeof(a->rounding)) == 0) return true;
    for (size_t i = 0; i < sizeof(a->rounding) / sizeof(a->rounding[0]); i++)
        if (attr_rounding_mode(b, a->rounding[i].arg) !=
                        attr_rounding_mode(a, a->rounding[i].arg) ||
                attr_rounding_mode(b, b->rounding[i].arg) !=
                        attr_rounding_mode(a, b->rounding[i].arg))
            return false;
    return true;
}

bool attr_equal(const attr_t *a, const attr_t *b) {
    if (a == b) return true;
    if (a->scratchpad_mode != b->scratchpad_mode || a->fpmath_mode != b->fpmath_mode ||
            a->fpmath_apply_to_int != b->fpmath_apply_to_int || a->acc_mode != b->acc_mode ||
            a->deterministic != b->deterministic || a->post_ops.len != b->post_ops.len)
        return false;
    if (!quant_equal(&a->scales, &b->scales) || !quant_equal(&a->zero_points, &b->zero_points) ||
            !quant_equal(&a->precomputed_reductions, &b->precomputed_reductions) ||
            !rounding_equal(a, b) || !rnn_equal(a, b))
        return false;
    if (a->dropout.set != b->dropout.set) return false;
    if (a->dropout.set && (a->dropout.seed_dt != b->dropout.seed_dt ||
                                  a->dropout.use_offset != b->dropout.use_offset ||
                                  a->dropout.use_host_scalars != b->dropout.use_host_scalars ||
                                  !md_equal(&a->dropout.mask_md, &b->dropout.mask_md)))
        return false;
    for (int i = 0; i < a->post_ops.len; i++)
        if (!post_op_equal(&a->post_ops.entry[i], &b->post_ops.entry[i])) return false;
    return true;
}

uint64_t attr_hash(const attr_t *attr, uint64_t seed) {
    uint64_t h =
            hash_u64((uint64_t)attr->scratchpad_mode | (uint64_t)attr->fpmath_mode << 8 |
                             (uint64_t)attr->fpmath_apply_to_int << 16 |
                             (uint64_t)attr->acc_mode << 24 | (uint64_t)attr->deterministic << 32,
                    seed);
    unsigned groups = attr_nondefault(attr);
    if (!groups) return h;
    h = quant_hash(&attr->scales, h);
    h = quant_hash(&attr->zero_points, h);
    h = quant_hash(&attr->precomputed_reductions, h);
    for (int i = 0; i < attr->post_ops.len; i++) h = post_op_hash(&attr->post_ops.entry[i], h);
    if (groups & ATTR_ROUNDING) /* the order in which the modes were set does not matter */
        for (size_t i = 0; i < sizeof(attr->rounding) / sizeof(attr->rounding[0]); i++)
            if (attr->rounding[i].arg)
                h += hash_u64((uint64_t)attr->rounding[i].arg, (uint64_t)attr->rounding[i].mode);
    if (groups & ATTR_DROPOUT) {
        h = hash_u64((uint64_t)attr->dropout.seed_dt << 2 |
                             (uint64_t)attr->dropout.use_offset << 1 |
                             (uint64_t)attr->dropout.use_host_scalars,
                h);
        h = md_hash(&attr->dropout.mask_md, h);
    }
    if (groups & ATTR_RNN) {
        const attr_rnn_scales_t *scales[] = {
                &attr->rnn_weights, &attr->rnn_projection, &attr->rnn_tparams_scales};
        h = hash_float(attr->rnn_data_scale, hash_float(attr->rnn_data_shift, h));
        h = hash_float(attr->rnn_tparams_cscale, hash_u64(attr->rnn_tparams_mode, h));
        for (int i = 0; i < 3; i++) {
            h = hash_u64((uint64_t)scales[i]->mask << 32 | scales[i]->set, h);
            if (scales[i]->scales)
                h = hash_bytes(scales[i]->scales, sizeof(float) * (size_t)scales[i]->count, h);
        }
    }
    return h;
}

static unsigned quant_nondefault(const quant_map_t *map, unsigned self) {
    unsigned groups = map->len ? self : 0;
    for (int i = 0; i < map->len; i++) {
        if (map->entry[i].group_ndims) groups |= ATTR_GROUPS;
        if (map->entry[i].qmode == dnnl_quantization_mode_dynamic_mx ||
                map->entry[i].qmode == dnnl_quantization_mode_dynamic_fp)
            groups |= ATTR_QMODE;
    }
    return groups;
}

/* Scales of 1 are those of an attribute that nobody set. */
static bool is_scaled(const attr_rnn_scales_t *scales) {
    for (dnnl_dim_t i = 0; scales->set && i < scales->count; i++)
        if (!same_bits(scales->scales[i], 1.0f)) return true;
    return false;
}

unsigned attr_nondefault(const attr_t *attr) {
    unsigned groups = quant_nondefault(&attr->scales, ATTR_SCALES);
    groups |= quant_nondefault(&attr->zero_points, ATTR_ZERO_POINTS);
    groups |= quant_nondefault(&attr->precomputed_reductions, ATTR_PRECOMPUTED);
    if (attr->post_ops.len) groups |= ATTR_POST_OPS;
    for (size_t i = 0; i < sizeof(attr->rounding) / sizeof(attr->rounding[0]); i++)
        if (attr->rounding[i].arg) groups |= ATTR_ROUNDING;
    if (attr->dropout.set) groups |= ATTR_DROPOUT;
    if (attr->rnn_data_set || is_scaled(&attr->rnn_weights) || is_scaled(&attr->rnn_projection) ||
            attr->rnn_tparams_scales.set || attr->rnn_tparams_mode)
        groups |= ATTR_RNN;
    return groups;
}
