/* SPDX-License-Identifier: Apache-2.0 */
/* Buffers, values and comparison; backend.c executes. */
#include "harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "backend.h"

enum { GUARD = 64 }; /* bytes after every buffer that nobody may touch */

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

md_t make_md(dnnl_data_type_t dt, const char *tag, int ndims, const dnnl_dim_t *dims) {
    md_t md;
    if (tag[0] == '+') { /* every row gets 3 elements more, every slice one row more */
        assert_int_equal(md_init_string_tag(&md, ndims, dims, dt, tag + 1), dnnl_success);
        dnnl_dims_t strides;
        int order[DNNL_MAX_NDIMS];
        md_order(&md, order);
        dnnl_dim_t stride = 1;
        for (int i = ndims - 1; i >= 0; i--) {
            strides[order[i]] = stride;
            stride *= dims[order[i]] + (i == ndims - 1 ? 3 : 1);
        }
        assert_int_equal(md_init_strides(&md, ndims, dims, dt, strides), dnnl_success);
    } else {
        assert_int_equal(md_init_string_tag(&md, ndims, dims, dt, tag), dnnl_success);
    }
    return md;
}

/* ---- values ---- */

static double value_for(const case_t *c, const pd_arg_t *arg) {
    dnnl_data_type_t dt = arg->md.data_type;
    int base = arg->arg & ~0xfff;
    if (base == DNNL_ARG_ATTR_SCALES)
        return dt_is_int(dt) ? 1 + (double)(harness_random() % 3) : harness_uniform(0.5, 2);
    if (base == DNNL_ARG_ATTR_ZERO_POINTS) return (double)(harness_random() % 6) - (dt == dnnl_u8 ? 0 : 3);
    bool condition = (arg->arg & 0xfff) == DNNL_ARG_SRC_2;
    if (condition) return (double)(harness_random() & 1);
    if (arg->arg == DNNL_ARG_VARIANCE) return harness_uniform(0.25, 4);
    switch (dt) {
    case dnnl_s32: return (double)(int64_t)(harness_random() % 2001) - 1000;
    case dnnl_s8: return (double)(harness_random() % 256) - 128;
    case dnnl_u8: return (double)(harness_random() % 256);
    default: return harness_uniform(c->low, c->high);
    }
}

static size_t span(const md_t *md) {
    return md_size(md, 0) + (size_t)md->offset0 * dt_size(md->data_type);
}

static void fill(case_t *c, int slot) {
    const pd_arg_t *arg = &c->pd->args[slot];
    md_t *md = &c->md[slot];
    if (md_is_host_scalar(md)) {
        c->size[slot] = dt_size(md->data_type);
        c->data[slot] = calloc(1, 16);
        ref_store(md->data_type, c->data[slot], 0, value_for(c, arg));
        return;
    }
    c->size[slot] = span(md);
    c->data[slot] = malloc(c->size[slot] + GUARD);
    memset(c->data[slot], 0xa5, c->size[slot] + GUARD);
    if (md_has_zero_dim(md)) return;
    dnnl_dims_t pos = {0};
    do { /* padding is zero in what is read, and rubbish in what is written */
        bool inside = true;
        for (int d = 0; d < md->ndims; d++) inside = inside && pos[d] < md->dims[d];
        bool rubbish = !inside && arg->flags & PD_OUT;
        ref_store(
                md->data_type, c->data[slot], md_offset(md, pos), inside || rubbish ? value_for(c, arg) : 0);
    } while (ref_next(md->padded_dims, md->ndims, pos));
}

/* ---- a case ---- */

bool case_open(case_t *c, dnnl_primitive_desc_t handle, dnnl_status_t status) {
    if (status == dnnl_unimplemented && select_forced_row >= 0) {
        harness_count.skipped++;
        return false;
    }
    assert_int_equal(status, dnnl_success);
    memset(c, 0, sizeof(*c));
    c->handle = handle;
    c->pd = backend_pd(handle);
    c->low = -4;
    c->high = 4;
    return true;
}

void case_fill(case_t *c, const md_t *const *mds) {
    int n = c->pd->nargs;
    c->md = calloc((size_t)n, sizeof(*c->md));
    c->data = calloc((size_t)n, sizeof(*c->data));
    c->size = calloc((size_t)n, sizeof(*c->size));
    for (int i = 0; i < n; i++) {
        c->md[i] = mds && mds[i] ? *mds[i] : c->pd->args[i].md;
        if (!md_is_zero(&c->md[i])) fill(c, i);
    }
    int dst = pd_find_arg(c->pd, DNNL_ARG_DST);
    c->before = malloc(c->size[dst] + GUARD);
    memcpy(c->before, c->data[dst], c->size[dst] + GUARD);
}

void case_run(case_t *c) {
    backend_run(c);
}

static void fail_at(const case_t *c, const char *what, const md_t *md, const dnnl_dim_t *pos, double got,
        ref_value_t want) {
    char src[256], dst[256], attr[512], where[256] = "";
    md_format(pd_md(c->pd, DNNL_ARG_SRC), src, sizeof(src));
    md_format(md, dst, sizeof(dst));
    attr_format(&c->pd->attr, attr, sizeof(attr));
    for (int d = 0; d < md->ndims; d++)
        snprintf(where + strlen(where), sizeof(where) - strlen(where), "%s%lld", d ? "," : "",
                (long long)pos[d]);
    print_error("row %s alg %d (%g, %g) %s -> %s %s at [%s]: %s: got %.9g, expected %.9g +- %.3g\n",
            c->pd->row >= 0 ? kernel_rows[c->pd->row].id : "none", (int)c->pd->params.alg_kind,
            (double)c->pd->params.alpha, (double)c->pd->params.beta, src, dst, attr, where, what, got, want.v,
            want.error);
    fail();
}

void case_check(case_t *c, ref_value_t (*reference)(const ref_t *, const dnnl_dim_t *)) {
    int slot = pd_find_arg(c->pd, DNNL_ARG_DST);
    const md_t *md = &c->md[slot];
    size_t dt_bytes = dt_size(md->data_type), bytes = c->size[slot] + GUARD;
    const uint8_t *after = c->data[slot];
    /* The reference sees the descriptors of this run, and the destination as it was. */
    pd_t seen = *c->pd;
    pd_arg_t *args = malloc((size_t)c->pd->nargs * sizeof(*args));
    for (int i = 0; i < c->pd->nargs; i++) {
        args[i] = c->pd->args[i];
        args[i].md = c->md[i];
    }
    seen.args = args;
    c->data[slot] = c->before;
    ref_t ref = {&seen, (const void *const *)c->data, ref_epsilon(&seen)};

    uint8_t *covered = calloc(1, bytes);
    dnnl_dims_t pos = {0};
    if (!md_has_zero_dim(md)) do {
            int64_t at = md_offset(md, pos);
            memset(covered + (size_t)at * dt_bytes, 1, dt_bytes);
            double got = ref_load(md->data_type, after, at);
            bool inside = true;
            for (int d = 0; d < md->ndims; d++) inside = inside && pos[d] < md->dims[d];
            if (inside) {
                ref_value_t want = reference(&ref, pos);
                if (!ref_ok(md->data_type, got, want)) fail_at(c, "value", md, pos, got, want);
            } else if (got != 0) {
                fail_at(c, "padding", md, pos, got, (ref_value_t){0, 0});
            }
        } while (ref_next(md->padded_dims, md->ndims, pos));
    for (size_t i = 0; i < bytes; i++)
        if (!covered[i] && after[i] != c->before[i]) {
            print_error("row %s wrote to byte %zu, which is not an element\n", kernel_rows[c->pd->row].id, i);
            fail();
        }
    harness_count.run++;
    harness_count.elements += md_nelems(md, false);
    c->data[slot] = (uint8_t *)after;
    free(covered);
    free(args);
}

void case_close(case_t *c) {
    for (int i = 0; i < c->pd->nargs; i++) free(c->data[i]);
    free(c->data);
    free(c->size);
    free(c->md);
    free(c->before);
    backend_close(c->handle);
}

void case_all(dnnl_primitive_desc_t handle, dnnl_status_t status,
        ref_value_t (*reference)(const ref_t *, const dnnl_dim_t *), double low, double high) {
    case_t c;
    if (!case_open(&c, handle, status)) return;
    c.low = low;
    c.high = high;
    case_fill(&c, NULL);
    case_run(&c);
    case_check(&c, reference);
    case_close(&c);
}

typeof(harness_count) harness_count;

void for_each_row(const char *family, void (*function)(void)) {
    int rows = 0;
    for (int row = 0; row < kernel_row_count; row++) {
        if (strcmp(kernel_rows[row].family, family)) continue;
        if (!row_runs_on(&kernel_rows[row], harness_caps())) {
            print_message("%-16s not on this device\n", kernel_rows[row].id);
            continue;
        }
        memset(&harness_count, 0, sizeof(harness_count));
        select_forced_row = row;
        harness_seed((uint64_t)row + 1);
        function();
        select_forced_row = -1;
        print_message("%-16s %5d cases, %9lld elements right; %d cases are not for this row\n",
                kernel_rows[row].id, harness_count.run, (long long)harness_count.elements,
                harness_count.skipped);
        assert_true(harness_count.run > 0);
        rows++;
    }
    assert_true(rows > 0);
}

bool sampled(int i) {
    return kernel_rows[select_forced_row].cls == CLASS_CPU || (i + select_forced_row) % 3 == 0;
}
