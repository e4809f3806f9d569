/* SPDX-License-Identifier: Apache-2.0 */
/* Builds modules from the table of variants, once for each set of constants. */
#include "ze/module.h"

#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include "core/alloc.h"
#include "core/status.h"
#include "core/verbose.h"
#include "plan/intel_builtins.h"
#include "plan/slim_params.h"
#include "plan/specialise.h"

uint64_t checksum(const void *data, size_t size, uint64_t seed) {
    const uint8_t *byte = data;
    for (size_t i = 0; i < size; i++) seed = (seed ^ byte[i]) * UINT64_C(0x100000001b3);
    return seed;
}

/* Whether the SPIR-V has the constant: drivers refuse constants that a module does not have. */
static bool has_spec(const variant_t *variant, uint32_t id) {
    return id < 64 * SPEC_WORDS && variant->spec_ids[id / 64] >> id % 64 & 1;
}

int module_specs(const plan_t *plan, const plan_step_t *step, spec_t *specs) {
    const variant_t *variant = &variants[step->variant];
    int n = 0;
    for (int i = 0; i < step->nspecs; i++) {
        const spec_t spec = plan->specs[step->first_spec + i];
        if (has_spec(variant, spec.id)) specs[n++] = spec;
    }
    if (plan->large_offsets) specs[n++] = (spec_t){SPEC_LARGE_OFFSETS, 1};
    return n;
}

static uint64_t key_of(int variant, const spec_t *specs, int nspecs) {
    const variant_t *kernel = &variants[variant];
    uint64_t key = checksum(&kernel->spirv_hash, sizeof kernel->spirv_hash, CHECKSUM_SEED);
    key = checksum(kernel->entry, strlen(kernel->entry), key);
    return checksum(specs, (size_t)nspecs * sizeof *specs, key);
}

uint64_t module_key(const module_t *module) {
    return key_of(module->variant, module->specs, module->nspecs);
}

uint64_t module_step_key(const plan_t *plan, const plan_step_t *step) {
    spec_t specs[MODULE_MAX_SPECS];
    const int n = module_specs(plan, step, specs);
    return key_of(step->variant, specs, n);
}

static void log_build_failure(
        const module_t *module, ze_module_build_log_handle_t log, ze_result_t result) {
    const char *id = variants[module->variant].id;
    size_t size = 0;
    char *text = NULL;
    if (log && ze.ModuleBuildLogGetString(log, &size, NULL) == ZE_RESULT_SUCCESS && size)
        text = dz_calloc(1, size + 1);
    if (text && ze.ModuleBuildLogGetString(log, &size, text) != ZE_RESULT_SUCCESS) *text = 0;
    for (char *c = text; c && *c; c++)
        if (*c == '\n' || *c == '\r') *c = ' '; /* the log has one line for each event */
    verbose_error(dnnl_runtime_error, "ze",
            "kernel %s cannot be built: zeModuleCreate answers %s; %s", id, ze_result_name(result),
            text && *text ? text : "no build log");
    dz_free(text);
}

/* Gives each thread twice the registers and halves the number of threads. For kernels that keep the
 * accumulators of matrix units in registers, and for kernels that spill with the usual number. */
#define MANY_REGISTERS "-ze-opt-large-register-file"
/* Makes all offsets from the beginning of a buffer 64 bits wide. */
#define LARGE_OFFSETS "-ze-opt-greater-than-4GB-buffer-required"

static bool can_have_many(const device_core_t *core) {
    return core->caps.max_registers > 128;
}

static bool has_large_offsets(const module_t *module) {
    return module->nspecs && module->specs[module->nspecs - 1].id == SPEC_LARGE_OFFSETS;
}

static const char *build_flags(const module_t *module, bool many) {
    static const char *const flags[2][2] = {
            {"", MANY_REGISTERS}, {LARGE_OFFSETS, LARGE_OFFSETS " " MANY_REGISTERS}};
    return flags[has_large_offsets(module)][many];
}

/* Whether the kernel keeps accumulators of matrix units in registers. */
static bool has_many(const module_t *module, const device_core_t *core) {
    return variant_has_matrix_units(&variants[module->variant]) && can_have_many(core);
}

static dnnl_status_t create_by_backend(
        module_t *module, device_core_t *core, const module_source_t *source) {
    void *handle = NULL;
    const dnnl_status_t status = core->backend->module_create(core, source, &handle);
    module->handle = handle;
    return status;
}

/* What is handed to the driver. */
typedef struct {
    ze_module_format_t format;
    native_t code;
    int nspecs; /* the constants that the code still has, the first of the module's */
    bool many;
    bool may_fail; /* a refusal is not logged */
} request_t;

/* Whether kernels lose what they do not read of their parameters. On CPUs nothing would be won: all
 * work-groups of a launch share one copy. */
static bool is_slimmed(const device_core_t *core) {
    return !core->caps.is_cpu;
}

/* Learns the kernel's name, which tells what is left of its parameters. Intel's compiler adds
 * kernels of its own to some modules. */
static dnnl_status_t find_name(module_t *module, const device_core_t *core) {
    enum { MOST_NAMES = 16 };
    const char *entry = variants[module->variant].entry, *names[MOST_NAMES] = {NULL};
    uint32_t n = MOST_NAMES;
    snprintf(module->kernel, sizeof module->kernel, "%s", entry);
    if (!is_slimmed(core)) return dnnl_success;
    if (core->backend)
        return core->backend->module_kernel(
                module->handle, entry, module->kernel, sizeof module->kernel);
    TRY(ZE_CALL(ModuleGetKernelNames, module->handle, &n, names));
    for (uint32_t i = 0; i < n && i < MOST_NAMES; i++)
        if (names[i] && slim_is_name_of(names[i], entry))
            snprintf(module->kernel, sizeof module->kernel, "%s", names[i]);
    return dnnl_success;
}

static dnnl_status_t create_code(module_t *module, device_core_t *core, const request_t *r) {
    const void *values[MODULE_MAX_SPECS];
    uint32_t ids[MODULE_MAX_SPECS];
    const bool is_spirv = r->format == ZE_MODULE_FORMAT_IL_SPIRV;
    if (core->backend)
        return create_by_backend(module, core,
                &(module_source_t){.id = variants[module->variant].id,
                        .data = r->code.data,
                        .size = r->code.size,
                        .is_native = !is_spirv,
                        .may_fail = r->may_fail,
                        .many_registers = r->many,
                        .large_offsets = has_large_offsets(module),
                        .specs = module->specs,
                        .nspecs = r->nspecs});
    for (int i = 0; i < r->nspecs; i++) {
        ids[i] = module->specs[i].id;
        values[i] = &module->specs[i].value;
    }
    const ze_module_constants_t constants = {(uint32_t)r->nspecs, ids, values};
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
            .format = r->format,
            .inputSize = r->code.size,
            .pInputModule = r->code.data,
            .pBuildFlags = build_flags(module, r->many),
            .pConstants = is_spirv && r->nspecs ? &constants : NULL};
    ze_module_build_log_handle_t log = NULL;
    const ze_result_t result =
            ze.ModuleCreate(core->context, core->device, &desc, &module->handle, &log);
    /* A loader that wraps handles does not wrap the log of a failed build: using this log would
     * crash. */
    if (result != ZE_RESULT_SUCCESS && ze_wraps_handles(core->context)) log = NULL;
    if (result != ZE_RESULT_SUCCESS && is_spirv && !r->may_fail)
        log_build_failure(module, log, result);
    if (log) ze.ModuleBuildLogDestroy(log);
    return ze_status(result);
}

static void destroy_code(module_t *module, device_core_t *core) {
    if (module->handle && core->backend) core->backend->module_destroy(core, module->handle);
    else if (module->handle) ZE_CALL(ModuleDestroy, module->handle);
    module->handle = NULL;
}

static dnnl_status_t create(module_t *module, device_core_t *core, const request_t *r) {
    TRY(create_code(module, core, r));
    const dnnl_status_t status = find_name(module, core);
    if (status != dnnl_success) destroy_code(module, core);
    return status;
}

/* Whether the kernel spills registers to memory. False if the driver does not report it. */
static bool spills(const module_t *module, device_core_t *core) {
    if (core->backend) return core->backend->module_spills(core, module->handle, module->kernel);
    const ze_kernel_desc_t desc = {
            .stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = module->kernel};
    ze_kernel_properties_t kernel = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
    ze_kernel_handle_t handle;
    if (ze.KernelCreate(module->handle, &desc, &handle) != ZE_RESULT_SUCCESS) return false;
    const ze_result_t result = ze.KernelGetProperties(handle, &kernel);
    ze.KernelDestroy(handle);
    return result == ZE_RESULT_SUCCESS && kernel.spillMemSize > 0;
}

static dnnl_status_t compile_words(module_t *module, device_core_t *core, const uint32_t *words,
        size_t nwords, int nspecs, bool may_fail) {
    request_t r = {.format = ZE_MODULE_FORMAT_IL_SPIRV,
            .code = {(const uint8_t *)words, nwords * sizeof *words},
            .nspecs = nspecs,
            .many = has_many(module, core),
            .may_fail = may_fail};
    dnnl_status_t status = create(module, core, &r);
    if (status == dnnl_success && !r.many && can_have_many(core) && spills(module, core)) {
        destroy_code(module, core);
        r.many = true;
        status = create(module, core, &r);
    }
    return status;
}

/* Compiles a specialised module in the form that Intel's compiler is faster with. Fails if there is
 * no such form, or the driver refuses it: drivers that refuse it once are not asked again. */
static dnnl_status_t compile_for_intel(
        module_t *module, device_core_t *core, const uint32_t *words, size_t nwords) {
    static atomic_bool is_refused;
    size_t size;
    if (!core->caps.ip_version || is_refused) return dnnl_unimplemented;
    uint32_t *direct = intel_builtins(words, nwords, core->caps.ip_version, &size);
    if (!direct) return dnnl_unimplemented;
    const dnnl_status_t status = compile_words(module, core, direct, size, 0, true);
    dz_free(direct);
    if (status != dnnl_runtime_error) return status;
    is_refused = true;
    return verbose_warn(status, "ze",
            "the driver refuses kernel %s with calls of its compiler's own functions",
            variants[module->variant].id);
}

/* PoCL 3.1 miscompiles some barriers in loops that lost blocks. Modules with barriers stay as they
 * are on devices that may be its own, also if they pose as GPUs: only Intel's drivers tell an IP
 * version. */
static bool may_specialise(const device_core_t *core, const uint32_t *words, size_t nwords) {
    return core->caps.ip_version || !specialise_finds_barriers(words, nwords);
}

static dnnl_status_t compile(module_t *module, device_core_t *core) {
    const variant_t *variant = &variants[module->variant];
    size_t size;
    uint32_t *words = variant_spirv_new(module->variant, &size);
    if (!words)
        return verbose_error(
                dnnl_out_of_memory, "ze", "no memory for the module of kernel %s", variant->id);
    int nspecs = module->nspecs - has_large_offsets(module);
    size_t nwords = size / sizeof *words;
    uint32_t *special = may_specialise(core, words, nwords)
                                ? specialise(words, nwords, module->specs, nspecs, &nwords)
                                : NULL;
    if (special) {
        dz_free(words);
        words = special;
        nspecs = 0;
        if (is_slimmed(core)) words = slim_params_of(words, &nwords);
    }
    dnnl_status_t status =
            special ? compile_for_intel(module, core, words, nwords) : dnnl_unimplemented;
    if (status != dnnl_success) status = compile_words(module, core, words, nwords, nspecs, false);
    dz_free(words);
    return status;
}

/* Logs "module,create:<place>,<engine>,<variant>,<constant>:<value> ...,<ms>".
 * kernels/aot_modules.txt is made of such lines. */
static void log_created(
        const module_t *module, const device_core_t *core, const char *from, double start) {
    if (!verbose_on(VERBOSE_CREATE)) return;
    char index[16] = "", specs[MODULE_MAX_SPECS * 24] = "";
    if (core_log_index(core) >= 0) snprintf(index, sizeof index, ":%d", core_log_index(core));
    for (int i = 0, at = 0; i < module->nspecs; i++)
        at += snprintf(specs + at, sizeof specs - (size_t)at, "%s%u:%u", i ? " " : "",
                module->specs[i].id, module->specs[i].value);
    verbose_line("module,create:%s,gpu%s,%s,%s,%g", from, index, variants[module->variant].id,
            specs, verbose_now_ms() - start);
}

static module_id_t id_of(const module_t *module) {
    return (module_id_t){module->variant, module->nspecs, module->specs, module_key(module)};
}

/* Takes code that is there already; answers whether there is any that the driver accepts. */
static bool take_native(module_t *module, device_core_t *core, const native_t *given) {
    const double start = verbose_on(VERBOSE_CREATE) ? verbose_now_ms() : 0;
    const module_id_t id = id_of(module);
    for (code_place_t place = 0; place < CODE_NPLACES; place++) {
        found_code_t found;
        if (!code_find(&found, place, core, &id, given)) continue;
        const dnnl_status_t status = create(module, core,
                &(request_t){.format = ZE_MODULE_FORMAT_NATIVE,
                        .code = found.code,
                        .many = has_many(module, core)});
        dz_free(found.owned);
        if (status == dnnl_success) {
            log_created(module, core, code_place_names[place], start);
            return true;
        }
        verbose_warn(dnnl_success, "ze", "the driver refuses native code of kernel %s from: %s",
                variants[module->variant].id, code_place_names[place]);
    }
    return false;
}

/* Called with the lock held. */
static module_t *find(device_core_t *core, int variant, const spec_t *specs, int nspecs) {
    module_t *module = core->modules;
    while (module && (module->variant != variant || module->nspecs != nspecs ||
                             module->state == MODULE_FAILED ||
                             memcmp(module->specs, specs, (size_t)nspecs * sizeof *specs)))
        module = module->next;
    return module;
}

/* Drops a reference. Returns whether the caller must destroy the module. Called with the lock
 * held. */
static bool drop(device_core_t *core, module_t *module) {
    if (--module->refs) return false;
    module_t **link = &core->modules;
    while (*link != module) link = &(*link)->next;
    *link = module->next;
    return true;
}

static void module_free(device_core_t *core, module_t *module) {
    destroy_code(module, core);
    dz_free(module);
}

void module_unref(device_core_t *core, module_t *module) {
    if (!module) return;
    pthread_mutex_lock(&core->module_lock);
    const bool last = drop(core, module);
    pthread_mutex_unlock(&core->module_lock);
    if (last) module_free(core, module);
}

static module_t *module_new(int variant, const spec_t *specs, int nspecs) {
    module_t *module = dz_malloc(sizeof *module + (size_t)nspecs * sizeof *specs);
    if (!module) return NULL;
    *module = (module_t){.refs = 1, .state = MODULE_BUILDING, .variant = variant, .nspecs = nspecs};
    memcpy(module->specs, specs, (size_t)nspecs * sizeof *specs);
    return module;
}

void module_finish(module_t *module, device_core_t *core, dnnl_status_t status) {
    pthread_mutex_lock(&core->module_lock);
    module->status = status;
    module->state = status == dnnl_success ? MODULE_READY : MODULE_FAILED;
    pthread_cond_broadcast(&core->module_done);
    pthread_mutex_unlock(&core->module_lock);
}

dnnl_status_t module_find(module_t **out, bool *is_ours, device_core_t *core, const plan_t *plan,
        const plan_step_t *step, const native_t *native) {
    spec_t specs[MODULE_MAX_SPECS];
    const int nspecs = module_specs(plan, step, specs);
    module_t *made = module_new(step->variant, specs, nspecs);
    if (!made) return verbose_error(dnnl_out_of_memory, "ze", "no memory for a module");

    pthread_mutex_lock(&core->module_lock);
    module_t *module = find(core, step->variant, specs, nspecs);
    *is_ours = !module;
    if (module) {
        module->refs++;
    } else {
        module = made;
        module->next = core->modules;
        core->modules = module;
    }
    pthread_mutex_unlock(&core->module_lock);

    *out = module;
    if (!*is_ours) {
        dz_free(made);
    } else if (take_native(module, core, native)) {
        module_finish(module, core, dnnl_success);
        *is_ours = false;
    }
    return dnnl_success;
}

void module_build(module_t *module, device_core_t *core) {
    const double start = verbose_on(VERBOSE_CREATE) ? verbose_now_ms() : 0;
    const dnnl_status_t status = compile(module, core);
    if (status == dnnl_success) {
        const module_id_t id = id_of(module);
        log_created(module, core, "spirv", start);
        code_keep(core, &id, module->handle);
    }
    module_finish(module, core, status);
}

dnnl_status_t module_wait(module_t *module, device_core_t *core) {
    pthread_mutex_lock(&core->module_lock);
    while (module->state == MODULE_BUILDING)
        pthread_cond_wait(&core->module_done, &core->module_lock);
    const dnnl_status_t status = module->status;
    pthread_mutex_unlock(&core->module_lock);
    return status;
}
