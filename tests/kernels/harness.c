/* SPDX-License-Identifier: Apache-2.0 */
/* Cases in a test of cmocka, on variants that are forced. */
#include "harness.h"

#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "case_run.h"
#include "core/direction.h"
#include "dry.h"
#include "oneapi/dnnl/dnnl.h"
#include "ref_table.h"
#include "skips.h"
#include "ze/usm.h"

md_t make_md(dnnl_data_type_t dt, const char *tag, int ndims, const dnnl_dim_t *dims) {
    md_t md;
    if (tag[0] == '+') { /* every row gets 3 more elements, and every slice one more row */
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

/* ---- memory ---- */

/* OpenCL engines have no memory of the host for kernels, but a CPU's own memory is the host's. */
dnnl_status_t harness_alloc(size_t size, void **out) {
    device_core_t *core = harness_engine->core;
    if (!core->backend) return usm_alloc_host(core, size, out);
    return core->caps.is_cpu ? usm_alloc_device(core, size, out) : dnnl_unimplemented;
}

void harness_free(void *memory) {
    usm_free(harness_engine->core, memory);
}

/* ---- a case ---- */

/* With HARNESS_CASES=n in the environment, each variant runs n cases, none of which has more than
 * HARNESS_BYTES of tensors. This is for simulators, which are slow and check accesses themselves.
 * With HARNESS_SHARE=n, each variant runs the first case and one in n of the others. This is for
 * sanitizers, and for fast runs under emulation. With HARNESS_SHARE=0, every variant runs all cases
 * of long lists. Where no variant is forced, HARNESS_CHOICE=n runs one case in n of a section; if
 * it is not set, n is a thirty-second of HARNESS_SHARE. With HARNESS_VARIANTS=n, one in n of a
 * family's variants that the device can run is forced, the first among them. */
static struct {
    long cases, bytes, share, choice, variants;
    int *run; /* by variant */
} sample;

static long setting(const char *name, long otherwise) {
    const char *text = getenv(name);
    return text ? atol(text) : otherwise;
}

static void open_sample(void) {
    sample.cases = setting("HARNESS_CASES", 0);
    sample.bytes = setting("HARNESS_BYTES", 24000);
    sample.share = setting("HARNESS_SHARE", 1);
    sample.choice = setting("HARNESS_CHOICE", sample.share / 32);
    sample.variants = setting("HARNESS_VARIANTS", 1);
    sample.run = calloc((size_t)variant_count, sizeof *sample.run);
    if (sample.cases) case_guard = 0;
}

bool harness_leaves_out(void) {
    return sample.cases || sample.share > 1;
}

bool harness_leaves_choice(int i) {
    return harness_hints.forced_variant < 0 && sample.choice > 1 && i % sample.choice != 0;
}

bool harness_too_large(size_t bytes) {
    return sample.cases && bytes > (size_t)sample.bytes;
}

static bool left_out(const pd_t *pd) {
    size_t bytes = 0;
    if (sample.share > 1 && harness_hints.forced_variant >= 0)
        return sample.run[harness_hints.forced_variant]++ > 0 && pd->cache_id[16] % sample.share;
    if (!sample.cases) return false;
    for (int i = 0; i < pd->nargs; i++) bytes += md_size(&pd->args[i].md, 0);
    if (harness_too_large(bytes)) return true;
    if (harness_hints.forced_variant < 0) return false;
    int *run = &sample.run[harness_hints.forced_variant];
    /* Takes the first two cases, and then every fifth one by its hash. */
    if (*run >= 2 && (*run >= sample.cases || pd->cache_id[16] % 5)) return true;
    ++*run;
    return false;
}

plan_hints_t harness_hints = NO_PLAN_HINTS;
static dnnl_primitive_attr_t hinted_attr;

const_dnnl_primitive_attr_t hinted(const_dnnl_primitive_attr_t attr) {
    dnnl_primitive_attr_destroy(hinted_attr);
    assert_int_equal(attr ? dnnl_primitive_attr_clone(&hinted_attr, attr)
                          : dnnl_primitive_attr_create(&hinted_attr),
            dnnl_success);
    hinted_attr->hints = harness_hints;
    return hinted_attr;
}

bool harness_open(void) {
    open_sample();
    /* The same request with another forced variant is another primitive. */
    if (dnnl_set_primitive_cache_capacity(0) != dnnl_success || !case_open_device()) return false;
    dry_open(harness_engine);
    return true;
}

void harness_close(void) {
    skips_print();
    dry_close();
    dnnl_primitive_attr_destroy(hinted_attr);
    case_close_device();
    free(sample.run);
}

bool case_open(case_t *c, dnnl_primitive_desc_t handle, dnnl_status_t status) {
    /* Without a forced variant, lists contain cases with doubles, which some GPUs do
     * not support. */
    if (status == dnnl_unimplemented &&
            (harness_hints.forced_variant >= 0 || !harness_caps()->has_fp64)) {
        harness_count.skipped++;
        if (harness_hints.forced_variant < 0) skip_count(SKIP_NO_DOUBLES, 1);
        return false;
    }
    assert_int_equal(status, dnnl_success);
    if (left_out(case_pd(handle))) {
        dnnl_primitive_desc_destroy(handle);
        harness_count.left_out++;
        return false;
    }
    case_init(c, handle);
    return true;
}

void case_run(case_t *c) {
    if (!dry_lists(c) && !dry_skips(c->pd)) assert_int_equal(case_execute(c), dnnl_success);
}

static void judge(const case_t *c, const verdict_t *v) {
    if (v->wrong) fail_msg("%s", v->first);
    harness_count.run++;
    harness_count.elements += md_nelems(&c->md[pd_find_arg(c->pd, pd_result(c->pd))], false);
}

void case_check(case_t *c, ref_value_t (*reference)(const ref_t *, const dnnl_dim_t *)) {
    verdict_t v = {0};
    if (is_dry) {
        harness_count.run++;
        return;
    }
    case_compare_with(c, ref_find(c->pd)->outputs->arg, reference, &v);
    case_compare_others(c, &v);
    judge(c, &v);
}

void case_close(case_t *c) {
    case_fini(c);
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

bool harness_left_to_others(int variant) {
    const target_t cls = variants[variant].target;
    const long lanes = setting("HARNESS_SUBGROUPS", 0);
    if (lanes == 8) return cls != TARGET_XMX8;
    if (lanes == 1) return cls != TARGET_GROUP; /* work-items stand for the lanes */
    return lanes && cls != TARGET_SG16 && cls != TARGET_XMX16;
}

void for_each_variant(const char *family, void (*function)(void)) {
    for_each_variant_that(NULL, family, function);
}

/* A variant that the device cannot run. Other targets are not a lack. */
static void note_missing(const variant_t *variant) {
    print_message(
            "%-16s not on this device: %s\n", variant->id, variant_lacks(variant, harness_caps()));
    if (variant->needs_fp64 && !harness_caps()->has_fp64) skip_count(SKIP_NO_DOUBLES, 1);
}

bool harness_convolves(int variant) {
    return strcmp(variants[variant].id, "conv_fold") != 0;
}

bool takes_bytes(int variant) {
    return strcmp(variants[variant].id, "turn_local") != 0;
}

void for_each_variant_that(bool (*suits)(int variant), const char *family, void (*function)(void)) {
    int ran = 0, others = 0, left = 0, runnable = 0;
    for (int variant = 0; variant < variant_count; variant++) {
        if (strcmp(variants[variant].family, family)) continue;
        if (harness_left_to_others(variant) || (suits && !suits(variant))) {
            left++;
            continue;
        }
        if (!variant_runs_on(&variants[variant], harness_caps())) {
            note_missing(&variants[variant]);
            others++;
            continue;
        }
        if (runnable++ % sample.variants) {
            print_message("%-16s left out of this sample\n", variants[variant].id);
            left++;
            continue;
        }
        memset(&harness_count, 0, sizeof(harness_count));
        harness_hints.forced_variant = variant;
        sample.run[variant] = 0;
        harness_seed((uint64_t)variant + 1);
        function();
        harness_hints.forced_variant = -1;
        print_message(
                "%-16s %5d cases, %9lld elements right; %d cases are not for this variant%s\n",
                variants[variant].id, harness_count.run, (long long)harness_count.elements,
                harness_count.skipped, harness_count.left_out ? ", others are left out" : "");
        assert_true(harness_count.run > 0);
        ran++;
    }
    assert_true(ran + others + left > 0);
    if (ran || left) return;
    memset(&harness_count, 0, sizeof(harness_count));
    function(); /* runs the library's own choice if the device supports no variant */
    print_message(
            "%-16s none here: %d cases ran on what else there is\n", family, harness_count.run);
}

bool sampled(int i) {
    return !sample.share || harness_hints.forced_variant < 0 ||
           variants[harness_hints.forced_variant].target == TARGET_CPU ||
           (i + harness_hints.forced_variant) % 3 == 0;
}
