/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers, values and comparison; case_run.c executes. */
#include "case.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "case_run.h"
#include "case_sparse.h"
#include "core/direction.h"
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_ze_sdpa.h"
#include "plan/variant.h"
#include "ref_norm.h"
#include "ref_rnn_case.h"
#include "ref_table.h"

static uint64_t state = 1;
void harness_seed(uint64_t seed) {
    state = seed * 2 + 1;
}

uint64_t harness_random(void) {
    state = state * 6364136223846793005u + 1442695040888963407u;
    uint64_t x = state >> 32 ^ state;
    return x * 0x9e3779b97f4a7c15u >> 16;
}

double harness_uniform(double low, double high) {
    return low + (high - low) * (double)(harness_random() & 0xffffff) / (double)0xffffff;
}

/* ---- values ---- */

/* Factors of a sum that is stored as a byte are small: it would be saturated nearly everywhere,
 * which hides what is wrong. */
static bool is_factor_of_bytes(const case_t *c, const pd_arg_t *arg) {
    const dnnl_data_type_t to = pd_md(c->pd, pd_result(c->pd))->data_type;
    if ((to != dnnl_s8 && to != dnnl_u8) ||
            (arg->arg != DNNL_ARG_SRC && arg->arg != DNNL_ARG_WEIGHTS))
        return false;
    switch ((int)c->pd->params.kind) {
    case dnnl_convolution:
    case dnnl_deconvolution:
    case dnnl_inner_product:
    case dnnl_matmul: return true;
    default: return false;
    }
}

/* What a forward primitive could have written: a base of LRN, whether relu let an element of batch
 * normalization pass, or the index of an element of
 * pooling's window. */
static double workspace_value(const case_t *c) {
    const op_params_t *p = &c->pd->params;
    int64_t taps = 1;
    if (p->kind == dnnl_batch_normalization) return (double)(harness_random() & 1);
    /* so that most weights are below 1 */
    if (p->kind == DNNL_ZE_PRIMITIVE_KIND_SDPA) return harness_uniform(1, 4);
    if (p->kind == dnnl_rnn) return 0; /* bytes of its own; the caller copies real ones */
    if (p->kind == dnnl_lrn) return harness_uniform((double)p->k, (double)p->k + 4);
    for (int d = 0; d < pd_md(c->pd, DNNL_ARG_DIFF_SRC)->ndims - 2; d++) taps *= p->kernel[d];
    return (double)(harness_random() % (uint64_t)taps);
}

double case_value(const case_t *c, const pd_arg_t *arg) {
    dnnl_data_type_t dt = arg->md.data_type;
    int base = arg->arg & ~0xfff;
    const bool is_values = c->pd->params.kind == DNNL_ZE_PRIMITIVE_KIND_SDPA;
    if (base == DNNL_ARG_ATTR_SCALES && is_values) { /* no weight of attention is nearly 1 */
        const dnnl_data_type_t of = pd_md(c->pd, arg->arg & ~base)->data_type;
        return harness_uniform(0.5, 2) / (dt_is_nibble(of) ? 8 : dt_is_int(of) ? 128 : 1);
    }
    if (base == DNNL_ARG_ATTR_SCALES)
        return dt_is_int(dt) ? 1 + (double)(harness_random() % 3) : harness_uniform(0.5, 2);
    if (base == DNNL_ARG_ATTR_ZERO_POINTS)
        return (double)(harness_random() % 6) - (dt == dnnl_u8 || dt == dnnl_u4 ? 0 : 3);
    const bool is_rnn = c->pd->params.kind == dnnl_rnn;
    bool condition = !is_values && !is_rnn && (arg->arg & 0xfff) == DNNL_ARG_SRC_2;
    if (condition) return (double)(harness_random() & 1);
    if (is_values && arg->arg == DNNL_ARG_ATTN_MASK && dt == dnnl_u8)
        return (double)(harness_random() & 1);
    if (is_values && arg->arg == DNNL_ARG_ATTN_WEIGHT_SCALE)
        return harness_uniform(1, 2) / (dt_is_int(c->pd->params.weight_dt) ? 256 : 1);
    if (is_values && arg->arg == DNNL_ARG_ATTN_WEIGHT_ZERO_POINT)
        return (double)(harness_random() % 4);
    switch (arg->arg) {
    case DNNL_ARG_ATTR_DROPOUT_PROBABILITY: return (double)(harness_random() % 5) / 4;
    case DNNL_ARG_ATTR_DROPOUT_SEED: /* with all bits of its type, and its sign */
    case DNNL_ARG_ATTR_DROPOUT_OFFSET:
    case DNNL_ARG_ATTR_ROUNDING_SEED:
        return (double)((int64_t)((uint64_t)harness_random() << (dt == dnnl_s32 ? 32 : 11)) >>
                        (dt == dnnl_s32 ? 32 : 11));
    default: break;
    }
    if (arg->arg == DNNL_ARG_WORKSPACE && arg->flags & PD_IN) return workspace_value(c);
    if (arg->arg == DNNL_ARG_VARIANCE) return harness_uniform(0.25, 4);
    const op_params_t *params = &c->pd->params;
    const bool multiplies =
            params->kind == dnnl_reduction && params->alg_kind == dnnl_reduction_mul;
    if (multiplies && dt_is_int(dt)) /* a product that neither overflows nor is zero */
        return harness_random() % 64 == 0 ? 2 : dt != dnnl_u8 && harness_random() & 1 ? -1 : 1;
    if ((dt == dnnl_s8 || dt == dnnl_u8) && is_factor_of_bytes(c, arg))
        return (double)(harness_random() % 7) - (dt == dnnl_s8 ? 3 : 0);
    if (md_is_grouped(pd_md(c->pd, DNNL_ARG_SRC)) && (dt == dnnl_s8 || dt == dnnl_u8))
        return (double)(harness_random() % 10) - (dt == dnnl_s8 ? 5 : 0); /* sums that fit f16 */
    switch (dt) {
    case dnnl_s32: return (double)(int64_t)(harness_random() % 2001) - 1000;
    case dnnl_s8: return (double)(harness_random() % 256) - 128;
    case dnnl_u8: return (double)(harness_random() % 256);
    case dnnl_s4: return (double)(harness_random() % 16) - 8;
    case dnnl_u4: return (double)(harness_random() % 16);
    default: return harness_uniform(c->low, c->high);
    }
}

static size_t span(const md_t *md) {
    return md_size(md, 0) + (size_t)dt_offset(md->data_type, md->offset0);
}

static bool inside(const md_t *md, const dnnl_dim_t *pos) {
    for (int d = 0; d < md->ndims; d++)
        if (pos[d] >= md->dims[d]) return false;
    return true;
}

static void fill(case_t *c, int slot) {
    const pd_arg_t *arg = &c->pd->args[slot];
    md_t *md = &c->md[slot];
    if (md_is_host_scalar(md)) {
        c->size[slot] = dt_size(md->data_type);
        c->data[slot] = calloc(1, 16);
        ref_store(md->data_type, c->data[slot], 0, case_value(c, arg));
        return;
    }
    c->size[slot] = span(md);
    c->data[slot] = malloc(c->size[slot] + case_guard);
    memset(c->data[slot], 0xa5, c->size[slot] + case_guard);
    if (md_is_sparse(md) && !md_is_grouped(md)) {
        case_fill_sparse(c, slot);
        return;
    }
    if (md_is_grouped(md)) case_fill_ends(c, slot);
    if (md_has_zero_dim(md)) return;
    dnnl_dims_t pos = {0};
    do { /* padding is zero in what is read, and rubbish in what is written */
        bool in = inside(md, pos), rubbish = !in && arg->flags & PD_OUT;
        ref_store(md->data_type, c->data[slot], ref_offset(md, pos),
                in || rubbish ? case_value(c, arg) : 0);
    } while (ref_next(md->padded_dims, md->ndims, pos));
}

/* ---- a case ---- */

void case_init(case_t *c, dnnl_primitive_desc_t handle) {
    memset(c, 0, sizeof(*c));
    c->handle = handle;
    c->pd = case_pd(handle);
    c->low = -4;
    c->high = 4;
}

void case_fill(case_t *c, const md_t *const *mds) {
    int n = c->pd->nargs;
    c->md = calloc((size_t)n, sizeof(*c->md));
    c->data = calloc((size_t)n, sizeof(*c->data));
    c->before = calloc((size_t)n, sizeof(*c->before));
    c->size = calloc((size_t)n, sizeof(*c->size));
    c->index = calloc((size_t)n, sizeof(*c->index));
    for (int i = 0; i < n; i++) {
        c->md[i] = mds && mds[i] ? *mds[i] : c->pd->args[i].md;
        if (md_is_zero(&c->md[i])) continue;
        fill(c, i);
        if (!(c->pd->args[i].flags & PD_OUT)) continue;
        c->before[i] = malloc(c->size[i] + case_guard);
        memcpy(c->before[i], c->data[i], c->size[i] + case_guard);
    }
}

void case_fini(case_t *c) {
    for (int i = 0; i < c->pd->nargs && c->data; i++) {
        free(c->data[i]);
        free(c->before[i]);
        for (int part = 0; part < 2; part++) free(c->index[i].part[part]);
    }
    free(c->data);
    free(c->before);
    free(c->size);
    free(c->index);
    free(c->md);
    dnnl_primitive_desc_destroy(c->handle);
}

/* ---- comparison ---- */

/* The reference sees the descriptors of this run, and the destination as it was. Gradients of a
 * recurrent network may be added to what was there. */
typedef struct {
    pd_t pd;
    const void **data;
    ref_stats_t stats;
    ref_t ref;
} seen_t;

static void see(seen_t *s, const case_t *c) {
    const size_t n = (size_t)c->pd->nargs;
    s->pd = *c->pd;
    s->pd.args = malloc(n * sizeof(*s->pd.args));
    s->data = malloc(n * sizeof(*s->data));
    for (size_t i = 0; i < n; i++) {
        s->pd.args[i] = c->pd->args[i];
        s->pd.args[i].md = c->md[i];
        const bool is_read = c->pd->args[i].arg == DNNL_ARG_DST || c->pd->params.kind == dnnl_rnn;
        s->data[i] = is_read && c->before[i] ? c->before[i] : c->data[i];
    }
    s->stats.known = false;
    s->stats.rnn = NULL;
    s->ref = (ref_t){&s->pd, s->data, ref_epsilon(&s->pd), &s->stats, c->index};
}

static void unsee(seen_t *s) {
    ref_rnn_forget(&s->stats);
    free(s->pd.args);
    free(s->data);
}

static void wrong_at(verdict_t *v, const case_t *c, int slot, const char *what,
        const dnnl_dim_t *pos, double got, ref_value_t want) {
    char src[256], out[256], attr[512], where[256] = "";
    if (v->wrong++ || v->first[0]) return;
    md_format(pd_md(c->pd, DNNL_ARG_SRC), src, sizeof(src));
    md_format(&c->md[slot], out, sizeof(out));
    attr_format(&c->pd->attr, attr, sizeof(attr));
    for (int d = 0; d < c->md[slot].ndims; d++)
        snprintf(where + strlen(where), sizeof(where) - strlen(where), "%s%lld", d ? "," : "",
                (long long)pos[d]);
    snprintf(v->first, sizeof(v->first),
            "variant %s alg %d (%g, %g) %s -> %s %s argument %d at [%s]: %s: got %.9g, expected "
            "%.9g "
            "+- %.3g",
            c->pd->variant >= 0 ? variants[c->pd->variant].id : "none", (int)c->pd->params.alg_kind,
            (double)c->pd->params.alpha, (double)c->pd->params.beta, src, out, attr,
            c->pd->args[slot].arg, where, what, got, want.v, want.error);
}

static void note_error(verdict_t *v, dnnl_data_type_t dt, double got, ref_value_t want) {
    const double right = ref_round(dt, want.v), error = fabs(got - right);
    if (isnan(error) || !(error > v->error)) return;
    v->error = error;
    v->bound = fmax(fabs(ref_round(dt, want.v + want.error) - right),
            fabs(right - ref_round(dt, want.v - want.error)));
}

/* One of so many elements is compared. */
static uint64_t sparseness(const case_t *c, const md_t *md) {
    const int64_t cost = ref_cost(c->pd), n = md_nelems(md, false);
    if (!c->budget || cost * n <= c->budget) return 1;
    return (uint64_t)(cost * n / c->budget) + 1;
}

static bool chosen(uint64_t sparse, uint64_t index) {
    return sparse == 1 || ((index * 0x9e3779b97f4a7c15u >> 24) % sparse) == 0 || index == 0;
}

void case_compare_with(const case_t *c, int arg,
        ref_value_t (*reference)(const ref_t *, const dnnl_dim_t *), verdict_t *v) {
    const int slot = pd_find_arg(c->pd, arg);
    if (slot < 0 || !c->before[slot]) return;
    const md_t *md = &c->md[slot];
    const size_t dt_bytes = dt_size(md->data_type), bytes = c->size[slot] + case_guard;
    const uint8_t *after = c->data[slot], *before = c->before[slot];
    const uint64_t sparse = sparseness(c, md);
    uint64_t index = 0;
    seen_t seen;
    see(&seen, c);
    uint8_t *covered = calloc(1, bytes);
    dnnl_dims_t pos = {0};
    if (!md_has_zero_dim(md)) do {
            if (!case_in_a_group(c, slot, pos)) continue;
            int64_t at = ref_offset(md, pos);
            memset(covered + dt_offset(md->data_type, at), 1, dt_bytes);
            double got = ref_load(md->data_type, after, at);
            if (!inside(md, pos)) {
                if (got != 0) wrong_at(v, c, slot, "padding", pos, got, (ref_value_t){0, 0});
                continue;
            }
            v->elements++;
            if (!chosen(sparse, index++)) continue;
            const ref_value_t want = reference(&seen.ref, pos);
            v->compared++;
            note_error(v, md->data_type, got, want);
            if (!ref_ok(md->data_type, got, want)) wrong_at(v, c, slot, "value", pos, got, want);
        } while (ref_next(md->padded_dims, md->ndims, pos));
    for (size_t i = 0; i < bytes; i++)
        if (!covered[i] && after[i] != before[i]) {
            if (!v->wrong++)
                snprintf(v->first, sizeof(v->first),
                        "argument %d: byte %zu, which is not an element, was written", arg, i);
            break;
        }
    free(covered);
    unsee(&seen);
}

/* Did relu let an element of the destination pass? -1: that depends on the rounding. */
static int relu_passed(const seen_t *seen, const case_t *c, int dst, const dnnl_dim_t *pos) {
    const md_t *md = &c->md[dst];
    if (!inside(md, pos)) return 0;
    if (!c->pd->attr.post_ops.len)
        return ref_load(md->data_type, c->data[dst], md_offset(md, pos)) > 0;
    const ref_value_t x = ref_batch_norm_relu(&seen->ref, pos);
    return x.v <= x.error && x.error > 0 ? -1 : x.v > 0;
}

/* A byte for each element of a dense destination, in the order of its buffer: not 0 where relu
 * let it pass.
 */
static void compare_relu_workspace(const case_t *c, verdict_t *v) {
    const int slot = pd_find_arg(c->pd, DNNL_ARG_WORKSPACE), dst = pd_find_arg(c->pd, DNNL_ARG_DST);
    if (slot < 0 || md_has_zero_dim(&c->md[dst])) return;
    const md_t *md = &c->md[dst];
    if ((dnnl_dim_t)md_size(&c->md[slot], 0) != md_nelems(md, true)) {
        if (!v->wrong++)
            snprintf(v->first, sizeof(v->first), "the workspace has not a byte for each element");
        return;
    }
    if (!md_is_dense(md, true)) return;
    seen_t seen;
    see(&seen, c);
    dnnl_dims_t pos = {0};
    do {
        const dnnl_dim_t i = md_offset(md, pos) - md->offset0;
        const int got = c->data[slot][i] != 0, want = relu_passed(&seen, c, dst, pos);
        v->elements++;
        v->compared++;
        if (want >= 0 && got != want)
            wrong_at(v, c, slot, "workspace", &i, got, (ref_value_t){want, 0});
    } while (ref_next(md->padded_dims, md->ndims, pos));
    unsee(&seen);
}

void case_compare_others(const case_t *c, verdict_t *v) {
    const bool forward = direction_of(c->pd->params.prop_kind) == DIRECTION_FORWARD;
    if (forward && md_has_zero_dim(pd_md(c->pd, DNNL_ARG_SRC))) return;
    const ref_output_t *outputs = ref_find(c->pd)->outputs;
    for (const ref_output_t *out = outputs + 1; outputs->arg && out->arg; out++)
        case_compare_with(c, out->arg, out->reference, v);
    case_compare_with(c, DNNL_ARG_ATTR_DROPOUT_MASK, ref_mask, v);
    if (forward && c->pd->params.kind == dnnl_batch_normalization) compare_relu_workspace(c, v);
}

void case_compare(const case_t *c, verdict_t *v) {
    const ref_output_t *first = ref_find(c->pd)->outputs;
    case_compare_with(c, first->arg, first->reference, v);
    case_compare_others(c, v);
}
