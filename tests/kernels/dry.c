/* SPDX-License-Identifier: Apache-2.0 */
/* The file has lines of tab-separated fields: "device" name; "can" variant; "kernel" kind
 * variant constants spill private local subgroup arguments. Code of the variants for matrix
 * units lies beside the file. */
#include "dry.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "primitive/primitive.h"
#include "kernels/lib/ops.h"
#include "kernels/lib/spec.h"
#include "kernels/sdpa/sdpa_params.h"
#include "kernels/window/lrn_params.h"
#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_ze.h"
#include "case_run.h"
#include "dry_kernel.h"
#include "ops/verbose_columns.h"
#include "plan/op.h"
#include "products.h"
#include "kernels/reduce/reduce_params.h"
#include "ze/module.h"

enum { KINDS = 64 };

bool is_dry;
static FILE *table, *list;
static int (*seen)[KINDS]; /* cases so far, by variant + 1 */
static unsigned wanted;    /* number of first cases that are taken; 0: all cases */
static bool *built;        /* by variant: a case that builds it was taken */
static bool *code_written; /* by variant */
static bool recording;
static uint64_t seed;
static bool without_tables;
static executable_t **kept;
static size_t nkept;

/* Functions of the loader that the library itself does not use. */
#define LOADER_FUNCTIONS(X)                                                                        \
    X(CommandListCreate)                                                                           \
    X(CommandListClose)                                                                            \
    X(CommandQueueCreate)                                                                          \
    X(CommandQueueDestroy)                                                                         \
    X(CommandQueueExecuteCommandLists)                                                             \
    X(CommandQueueSynchronize)
static struct {
#define X(name) __typeof__(&ze##name) name;
    LOADER_FUNCTIONS(X)
#undef X
} loader;

#define ZE(call) assert_int_equal(call, ZE_RESULT_SUCCESS)

static void open_loader(void) {
    void *library = dlopen("libze_loader.so.1", RTLD_NOW | RTLD_LOCAL);
    assert_non_null(library);
#define X(name)                                                                                    \
    *(void **)&loader.name = dlsym(library, "ze" #name);                                           \
    assert_non_null(loader.name);
    LOADER_FUNCTIONS(X)
#undef X
}

/* Steps of variants for matrix units of 16 lanes, which other devices do not need. */
static bool is_needed(const variant_t *variant, const caps_t *caps) {
    static const char *const steps[] = {
            "matmul_fixup_ints", "conv_gather", "conv_panels", "conv_zero_sums"};
    for (int i = 0; i < ARRAY_LEN(steps); i++)
        if (!strcmp(variant->id, steps[i]))
            return caps->matrix_subgroup == 16 && caps->has_2d_block_load;
    return true;
}

static void write_device(dnnl_engine_t engine) {
    char name[256];
    dry_device_name(engine->core, name, sizeof name);
    fprintf(table, "device\t%s\n", name);
    for (int variant = 0; variant < variant_count; variant++)
        if (variant_runs_on(&variants[variant], engine_caps(engine)) &&
                is_needed(&variants[variant], engine_caps(engine)))
            fprintf(table, "can\t%s\n", variants[variant].id);
}

/* Writes the code of a variant's first module to <table>.<variant>.bin, for tools that read the
 * instructions. */
static void write_code(int variant, const module_t *module) {
    const device_core_t *core = harness_engine->core;
    char name[4096];
    size_t size;
    if (code_written[variant]) return;
    code_written[variant] = true;
    const char *path = getenv("DNNL_ZE_TEST_DRY"), *ending = strstr(path, ".tsv");
    snprintf(name, sizeof name, "%.*s.%s.bin", ending ? (int)(ending - path) : (int)strlen(path),
            path, variants[variant].id);
    assert_int_equal(code_binary(core, module->handle, &size, NULL), dnnl_success);
    uint8_t *code = malloc(size);
    FILE *file = fopen(name, "wb");
    assert_true(code && file);
    assert_int_equal(code_binary(core, module->handle, &size, code), dnnl_success);
    assert_int_equal(fwrite(code, 1, size, file), size);
    assert_int_equal(fclose(file), 0);
    free(code);
}

/* The lanes of attention load a mask one by one, which tools cannot tell from a block load that the
 * compiler took apart. */
static bool has_mask(const plan_t *plan, const plan_step_t *step) {
    if (strcmp(variants[step->variant].family, "sdpa")) return false;
    for (int k = 0; k < step->nspecs; k++) {
        const spec_t *spec = &plan->specs[step->first_spec + k];
        if (spec->id == SPEC_SD_MASK_DT && spec->value) return true;
    }
    return false;
}

static void write_kernels(const executable_t *x) {
    for (int i = 0; i < x->nsteps; i++) {
        const plan_step_t *step = &x->pd->plan.steps[x->steps[i].index];
        if (variant_has_matrix_units(&variants[step->variant]) && !recording &&
                !has_mask(&x->pd->plan, step))
            write_code(step->variant, x->steps[i].module);
        const dry_kernel_t kernel = dry_kernel(harness_engine->core, &x->steps[i]);
        fprintf(table, "kernel\t%s\t%s\t%016llx\t%u\t%u\t%u\t%u\t%u\n", x->pd->op->name,
                variants[step->variant].id, (unsigned long long)module_key(x->steps[i].module),
                kernel.spilled, kernel.private_size, kernel.local, kernel.subgroup,
                kernel.arguments);
    }
}

/* Keeps the primitive until the end, so that no module is built twice. */
static void keep(const_dnnl_primitive_t primitive) {
    executable_t *x = primitive->exec;
    write_kernels(x);
    executable_ref(x);
    kept = realloc(kept, (nkept + 1) * sizeof *kept);
    assert_non_null(kept);
    kept[nkept++] = x;
}

static case_submit_fn execute;

static dnnl_status_t keep_and_execute(const_dnnl_primitive_t primitive, dnnl_stream_t stream, int n,
        const dnnl_exec_arg_t *args) {
    keep(primitive);
    return execute(primitive, stream, n, args);
}

/* On a runtime without command lists. */
static dnnl_status_t run_often(
        const_dnnl_primitive_t primitive, int n, const dnnl_exec_arg_t *args, int runs) {
    dnnl_stream_t stream;
    dnnl_status_t status = dnnl_success;
    assert_int_equal(
            dnnl_stream_create(&stream, harness_engine, dnnl_stream_default_flags), dnnl_success);
    for (int i = 0; i < runs && status == dnnl_success; i++)
        status = dnnl_primitive_execute(primitive, stream, n, args);
    assert_int_equal(dnnl_stream_wait(stream), dnnl_success);
    assert_int_equal(dnnl_stream_destroy(stream), dnnl_success);
    return status;
}

dnnl_status_t dry_record(
        const_dnnl_primitive_t primitive, int n, const dnnl_exec_arg_t *args, int runs) {
    const ze_command_list_desc_t list_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_LIST_DESC};
    const ze_command_queue_desc_t queue_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
            .mode = ZE_COMMAND_QUEUE_MODE_ASYNCHRONOUS};
    const device_core_t *core = harness_engine->core;
    ze_command_list_handle_t list;
    ze_command_queue_handle_t queue;
    dnnl_stream_t stream;
    if (core->backend) return run_often(primitive, n, args, runs);
    if (!loader.CommandListCreate) open_loader();
    ZE(loader.CommandListCreate(core->context, core->device, &list_desc, &list));
    ZE(loader.CommandQueueCreate(core->context, core->device, &queue_desc, &queue));
    assert_int_equal(dnnl_ze_interop_stream_create(&stream, harness_engine, list, 0), dnnl_success);
    const dnnl_status_t status = dnnl_primitive_execute(primitive, stream, n, args);
    ZE(loader.CommandListClose(list));
    for (int i = 0; i < runs; i++) {
        ZE(loader.CommandQueueExecuteCommandLists(queue, 1, &list, NULL));
        ZE(loader.CommandQueueSynchronize(queue, UINT64_MAX));
    }
    assert_int_equal(dnnl_stream_destroy(stream), dnnl_success);
    ZE(loader.CommandQueueDestroy(queue));
    ZE(ze.CommandListDestroy(list));
    return status;
}

static dnnl_status_t keep_and_record(const_dnnl_primitive_t primitive, dnnl_stream_t unused, int n,
        const dnnl_exec_arg_t *args) {
    (void)unused;
    keep(primitive);
    return dry_record(primitive, n, args, 1);
}

/* Without hardware, each wait of Intel's OpenCL lasts for ever: nothing may be enqueued. */
static dnnl_status_t keep_alone(const_dnnl_primitive_t primitive, dnnl_stream_t unused, int n,
        const dnnl_exec_arg_t *args) {
    (void)unused, (void)n, (void)args;
    keep(primitive);
    return dnnl_success;
}

static const char *setting(const char *name, const char *otherwise) {
    const char *text = getenv(name);
    return text && *text ? text : otherwise;
}

/* If the environment names a product, kernels are chosen as for that product. */
static void pretend(dnnl_engine_t engine) {
    const char *name = getenv("DNNL_ZE_TEST_PRODUCT");
    int i = 0;
    if (!name) return;
    while (i < NPRODUCTS && strcmp(products[i].name, name) != 0) i++;
    assert_true(i < NPRODUCTS);
    product_caps(&products[i], &engine->core->caps);
}

static void open_list(dnnl_engine_t engine, const char *path) {
    is_dry = true;
    case_copies = false;
    assert_non_null(list = fopen(path, "w"));
    pretend(engine);
}

void dry_open(dnnl_engine_t engine) {
    if (getenv("DNNL_ZE_TEST_LIST")) {
        open_list(engine, getenv("DNNL_ZE_TEST_LIST"));
        return;
    }
    const char *path = getenv("DNNL_ZE_TEST_DRY");
    if (!path) return;
    is_dry = true;
    const char *cases = setting("DNNL_ZE_TEST_DRY_CASES", "all");
    seed = strtoull(setting("DNNL_ZE_TEST_DRY_SEED", "1"), NULL, 0);
    wanted = strcmp(cases, "all") ? (unsigned)atoi(cases) : 0;
    assert_true(wanted || !strcmp(cases, "all"));
    without_tables = atoi(setting("DNNL_ZE_TEST_DRY_WITHOUT_TABLES", "0"));
    assert_non_null(seen = calloc((size_t)variant_count + 1, sizeof *seen));
    assert_non_null(built = calloc((size_t)variant_count, sizeof *built));
    assert_non_null(code_written = calloc((size_t)variant_count, sizeof *code_written));
    table = fopen(path, "w");
    assert_non_null(table);
    write_device(engine);
    execute = case_submit;
    case_submit = engine->core->backend ? keep_alone : keep_and_execute;
    case_copies = !engine->core->backend;
    recording = atoi(setting("DNNL_ZE_TEST_DRY_RECORD", "0"));
    if (recording) {
        open_loader();
        case_submit = keep_and_record;
        case_copies = false;
    }
}

void dry_close(void) {
    if (!is_dry) return;
    if (list) {
        assert_int_equal(fclose(list), 0);
        return;
    }
    for (size_t i = 0; i < nkept; i++) executable_unref(kept[i]);
    free(kept);
    free(seen);
    free(built);
    free(code_written);
    assert_int_equal(fclose(table), 0);
}

/* ---- which cases ---- */

/* Functions for which Intel's compiler adds tables to a module, in single and in double
 * precision; exp of long vectors, too. */
#define OP(op) (1u << OP_##op)
enum {
    TABLES = OP(POW) | OP(GELU_ERF),
    TABLES_F64 = TABLES | OP(TANH) | OP(ELU) | OP(SOFT_RELU) | OP(LOGISTIC) | OP(EXP) |
                 OP(GELU_TANH) | OP(SWISH) | OP(LOG) | OP(MISH)
};

static bool constant_needs_table(const variant_t *variant, spec_t spec) {
    if (spec.id == SPEC_PO_MASK_LO) return spec.value & (variant->needs_fp64 ? TABLES_F64 : TABLES);
    if (!strncmp(variant->family, "lrn", 3)) /* and its gradient */
        return spec.id == SPEC_FLAGS && !(spec.value & LRF_BETA_075);
    if (strcmp(variant->family, "reduction")) return false;
    if (spec.id == SPEC_RED_OP)
        return spec.value == RED_SUM_POWER ||
               ((variant->needs_fp64 || variant_has_lanes(variant)) && spec.value == RED_SUM_EXP);
    return spec.id == SPEC_RED_FINISH &&
           (spec.value == RED_ROOT_MAX || spec.value == RED_ROOT_SUM ||
                   (variant->needs_fp64 && spec.value == RED_LOG));
}

/* What is planned at execution is not known here. */
static bool needs_tables(const pd_t *pd) {
    const plan_t *plan = &pd->plan;
    if (pd->by_shape) return true;
    for (int i = 0; i < plan->nsteps; i++) {
        const plan_step_t *step = &plan->steps[i];
        for (int k = 0; k < step->nspecs; k++)
            if (constant_needs_table(&variants[step->variant], plan->specs[step->first_spec + k]))
                return true;
    }
    return false;
}

/* True if the case builds a variant that no case so far built. Some variants occur as a step in a
 * few plans only. */
static bool brings_a_variant(const pd_t *pd) {
    bool brings = false;
    const plan_t *plan = &pd->plan;
    for (int i = 0; i < plan->nsteps; i++) {
        const int variant = plan->steps[i].variant;
        if (!built[variant]) brings = built[variant] = true;
    }
    return brings;
}

/* A hash of the seed, the variant, the kind and the number of the case. */
static uint64_t scatter(uint64_t variant, uint64_t kind, uint64_t index) {
    uint64_t x = seed;
    const uint64_t parts[] = {variant, kind, index};
    for (int i = 0; i < 3; i++) {
        x = (x ^ parts[i]) * UINT64_C(0x9e3779b97f4a7c15);
        x ^= x >> 29;
    }
    return x >> 16;
}

static void write_hash(const pd_t *pd) {
    for (int i = 0; i < PD_CACHE_ID_SIZE; i++) fprintf(list, "%02x", pd->cache_id[i]);
    fprintf(list, "\t%s",
            harness_hints.forced_variant < 0 ? "-" : variants[harness_hints.forced_variant].id);
}

bool dry_lists(const case_t *c) {
    char text[16384];
    if (!list) return false;
    const md_t **mds = calloc((size_t)c->pd->nargs, sizeof(*mds));
    assert_non_null(mds);
    for (int i = 0; i < c->pd->nargs; i++) mds[i] = &c->md[i];
    pd_format(c->pd, mds, text, sizeof text);
    free(mds);
    write_hash(c->pd);
    fprintf(list, "\t%g:%g\t%zu:%d\t%d\t%s\n", c->low, c->high, case_shift,
            case_shift ? case_shifted : -1, c->in_place, text);
    return true;
}

bool dry_skips(const pd_t *pd) {
    if (!is_dry) return false;
    if (list) {
        write_hash(pd);
        fprintf(list, "\t\t\t\t%s\n", pd->op->name);
        return true;
    }
    if (without_tables && needs_tables(pd)) return true;
    if (!wanted) return false;
    const int variant = pd->variant + 1, kind = pd->op->kind % KINDS;
    const unsigned index = (unsigned)seen[variant][kind]++;
    if (brings_a_variant(pd)) return false;
    /* A larger sample contains every case of a smaller one. */
    const double draw = (double)(scatter((uint64_t)variant, (uint64_t)kind, index) & 0xffffffff);
    const double root = (double)wanted / ((double)wanted + (double)index);
    return draw >= root * root * 0x1p32;
}
