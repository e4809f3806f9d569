/* SPDX-License-Identifier: Apache-2.0 */
/* Modules: building, names, logs, specialisation constants, imports, native binaries. */
#include "ze_test.h"

static const char *const basic_names[] = {
        "set", "increment", "append_digit", "count", "meet", "spin", "copy_bytes", "count_rows"};

static uint32_t run_increment(ze_module_handle_t module) {
    uint32_t *x = usm(USM_SHARED, 4);
    *x = 41;
    ze_kernel_handle_t kernel = get_kernel(module, "increment");
    set_pointer(kernel, 0, x);
    ze_command_list_handle_t list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    launch(list, kernel, 1, NULL, 0, NULL);
    uint32_t got = *x;
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeKernelDestroy(kernel));
    usm_free(x);
    return got;
}

static void a_module_builds_and_runs(void **state) {
    (void)state;
    ze_module_handle_t module = load_module("basic");
    assert_int_equal(run_increment(module), 42);
    ze_module_properties_t p = {.stype = ZE_STRUCTURE_TYPE_MODULE_PROPERTIES, .flags = 0xff};
    assert_ok(zeModuleGetProperties(module, &p));
    assert_int_equal(p.flags & ~(uint32_t)ZE_MODULE_PROPERTY_FLAG_IMPORTS, 0);
    assert_int_equal(p.flags, 0);
    assert_ok(zeModuleDestroy(module));
}

static void input_is_not_kept(void **state) {
    (void)state;
    blob_t spirv = read_spirv("basic");
    ze_module_handle_t module;
    assert_ok(
            module_try(ZE_MODULE_FORMAT_IL_SPIRV, spirv.bytes, spirv.size, NULL, &module, NULL, 0));
    memset(spirv.bytes, 0xee, spirv.size);
    free(spirv.bytes);
    assert_int_equal(run_increment(module), 42);
    assert_ok(zeModuleDestroy(module));
}

/* Embedded modules need not lie on a word boundary. */
static void unaligned_input(void **state) {
    (void)state;
    blob_t spirv = read_spirv("basic");
    uint8_t *moved = malloc(spirv.size + 1);
    assert_non_null(moved);
    memcpy(moved + 1, spirv.bytes, spirv.size);
    ze_module_handle_t module;
    assert_ok(module_try(ZE_MODULE_FORMAT_IL_SPIRV, moved + 1, spirv.size, NULL, &module, NULL, 0));
    free(moved);
    free(spirv.bytes);
    assert_int_equal(run_increment(module), 42);
    assert_ok(zeModuleDestroy(module));
}

static void kernel_names(void **state) {
    (void)state;
    ze_module_handle_t module = load_module("basic");
    uint32_t n = 0;
    assert_ok(zeModuleGetKernelNames(module, &n, NULL));
    assert_int_equal(n, COUNT_OF(basic_names));
    const char *names[20] = {0};
    n = COUNT_OF(names);
    assert_ok(zeModuleGetKernelNames(module, &n, names));
    assert_int_equal(n, COUNT_OF(basic_names));
    for (size_t i = 0; i < COUNT_OF(basic_names); i++) {
        int found = 0;
        for (uint32_t j = 0; j < n; j++) found += strcmp(names[j], basic_names[i]) == 0;
        assert_int_equal(found, 1);
    }
    const char *two[3] = {0};
    n = 2;
    assert_ok(zeModuleGetKernelNames(module, &n, two));
    assert_non_null(two[1]);
    assert_null(two[2]);
    assert_ok(zeModuleDestroy(module));
}

static void unknown_names_are_refused(void **state) {
    (void)state;
    ze_module_handle_t module = load_module("basic");
    static const char *const wrong[] = {"", "Set", "setx", "se", "no such kernel"};
    for (size_t i = 0; i < COUNT_OF(wrong); i++) {
        ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = wrong[i]};
        ze_kernel_handle_t kernel = NULL;
        assert_result(zeKernelCreate(module, &desc, &kernel), ZE_RESULT_ERROR_INVALID_KERNEL_NAME);
        assert_null(kernel);
    }
    void *pointer = NULL;
    size_t size = 0;
    ze_result_t result = zeModuleGetGlobalPointer(module, "nothing", &size, &pointer);
    assert_true(result == ZE_RESULT_ERROR_INVALID_GLOBAL_NAME ||
                result == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    result = zeModuleGetFunctionPointer(module, "nothing", &pointer);
    assert_true(result == ZE_RESULT_ERROR_INVALID_FUNCTION_NAME ||
                result == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_ok(zeModuleDestroy(module));
}

static void a_log_comes_with_success_too(void **state) {
    (void)state;
    blob_t spirv = read_spirv("basic");
    ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
            .format = ZE_MODULE_FORMAT_IL_SPIRV,
            .inputSize = spirv.size,
            .pInputModule = spirv.bytes,
            .pBuildFlags = "-ze-opt-greater-than-4GB-buffer-required"};
    ze_module_handle_t module = NULL;
    ze_module_build_log_handle_t log = NULL;
    assert_ok(zeModuleCreate(zt.context, zt.device, &desc, &module, &log));
    assert_non_null(log);
    assert_ok(zeModuleDestroy(module)); /* the log lives on */
    size_t size = 0;
    assert_ok(zeModuleBuildLogGetString(log, &size, NULL));
    assert_true(size >= 1); /* with its terminator */
    char *text = malloc(size);
    assert_non_null(text);
    memset(text, 'x', size);
    assert_ok(zeModuleBuildLogGetString(log, &size, text));
    assert_int_equal(text[size - 1], 0);
    free(text);
    assert_ok(zeModuleBuildLogDestroy(log));
    free(spirv.bytes);
}

static void bad_descriptions_are_refused(void **state) {
    (void)state;
    skip_unless(zt.is_cpu || zt.layers, "needs checked arguments");
    blob_t spirv = read_spirv("basic");
    const ze_module_desc_t good = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
            .inputSize = spirv.size,
            .pInputModule = spirv.bytes};
    ze_module_handle_t module = NULL;
    ze_module_desc_t desc = good;
    desc.format = (ze_module_format_t)7;
    assert_result(zeModuleCreate(zt.context, zt.device, &desc, &module, NULL),
            ZE_RESULT_ERROR_INVALID_ENUMERATION);
    desc = good;
    desc.inputSize = 0;
    assert_result(zeModuleCreate(zt.context, zt.device, &desc, &module, NULL),
            ZE_RESULT_ERROR_INVALID_SIZE);
    desc = good;
    desc.pInputModule = NULL;
    assert_result(zeModuleCreate(zt.context, zt.device, &desc, &module, NULL),
            ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_result(zeModuleCreate(zt.context, zt.device, NULL, &module, NULL),
            ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    if (!zt.intercept) /* loader 1.20 writes to it without a look */
        assert_result(zeModuleCreate(zt.context, zt.device, &good, NULL, NULL),
                ZE_RESULT_ERROR_INVALID_NULL_POINTER);
    assert_null(module);
    free(spirv.bytes);
}

typedef struct {
    int64_t out[6];
    float f;
} constants_t;

static constants_t run_constants(ze_module_handle_t module) {
    int64_t *out = usm(USM_SHARED, 6 * sizeof *out);
    float *fout = usm(USM_SHARED, sizeof *fout);
    memset(out, 0x55, 6 * sizeof *out);
    ze_kernel_handle_t kernel = get_kernel(module, "constants");
    set_pointer(kernel, 0, out);
    set_pointer(kernel, 1, fout);
    ze_command_list_handle_t list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    launch(list, kernel, 1, NULL, 0, NULL);
    constants_t got = {.f = *fout};
    memcpy(got.out, out, sizeof got.out);
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeKernelDestroy(kernel));
    usm_free(out);
    usm_free(fout);
    return got;
}

static void check_constants(const constants_t *got, const constants_t *expected) {
    for (int i = 0; i < 6; i++) assert_int_equal(got->out[i], expected->out[i]);
    assert_true(got->f == expected->f);
}

static const constants_t constant_defaults = {{0, -2, -300, -70000, -5000000000, 1}, 1.5f};
static const uint32_t constant_ids[] = {1, 2, 3, 40, 500, 6, 7};

static void constants_have_defaults(void **state) {
    (void)state;
    ze_module_handle_t module = load_module("constants");
    constants_t got = run_constants(module);
    check_constants(&got, &constant_defaults);
    assert_ok(zeModuleDestroy(module));
    blob_t spirv = read_spirv("constants"); /* a list of none is no list */
    ze_module_constants_t none = {0};
    assert_ok(module_try(
            ZE_MODULE_FORMAT_IL_SPIRV, spirv.bytes, spirv.size, &none, &module, NULL, 0));
    got = run_constants(module);
    check_constants(&got, &constant_defaults);
    assert_ok(zeModuleDestroy(module));
    free(spirv.bytes);
}

static void constants_of_every_width(void **state) {
    (void)state;
    blob_t spirv = read_spirv("constants");
    uint8_t yes = 1, no = 0;
    int8_t c = 100;
    int16_t s = -32000;
    int32_t i = 0x7fffffff;
    int64_t l = INT64_MIN;
    float f = -0.25f;
    const void *values[] = {&yes, &c, &s, &i, &l, &f, &no};
    ze_module_constants_t constants = {COUNT_OF(values), constant_ids, values};
    ze_module_handle_t module;
    assert_ok(module_try(
            ZE_MODULE_FORMAT_IL_SPIRV, spirv.bytes, spirv.size, &constants, &module, NULL, 0));
    constants_t got = run_constants(module);
    check_constants(&got, &(constants_t){{1, 100, -32000, 0x7fffffff, INT64_MIN, 0}, -0.25f});
    assert_ok(zeModuleDestroy(module));

    /* A few of them, in another order: the others keep their defaults. */
    uint32_t some_ids[] = {500, 2};
    const void *some_values[] = {&l, &c};
    constants = (ze_module_constants_t){2, some_ids, some_values};
    assert_ok(module_try(
            ZE_MODULE_FORMAT_IL_SPIRV, spirv.bytes, spirv.size, &constants, &module, NULL, 0));
    got = run_constants(module);
    check_constants(&got, &(constants_t){{0, 100, -300, -70000, INT64_MIN, 1}, 1.5f});
    assert_ok(zeModuleDestroy(module));
    free(spirv.bytes);
}

static void constants_are_read_no_wider_than_they_are(void **state) {
    (void)state;
    /* Each value in an allocation of exactly its size: reading wider is for a memory checker to
     * see. */
    blob_t spirv = read_spirv("constants");
    int8_t *c = malloc(1);
    int16_t *s = malloc(2);
    assert_true(c && s);
    *c = 7;
    *s = 8;
    uint32_t ids[] = {2, 3};
    const void *values[] = {c, s};
    ze_module_constants_t constants = {2, ids, values};
    ze_module_handle_t module;
    assert_ok(module_try(
            ZE_MODULE_FORMAT_IL_SPIRV, spirv.bytes, spirv.size, &constants, &module, NULL, 0));
    free(c);
    free(s);
    constants_t got = run_constants(module);
    check_constants(&got, &(constants_t){{0, 7, 8, -70000, -5000000000, 1}, 1.5f});
    assert_ok(zeModuleDestroy(module));
    free(spirv.bytes);
}

static void unknown_constants_change_nothing(void **state) {
    (void)state;
    blob_t spirv = read_spirv("constants");
    int64_t l = 11;
    uint32_t ids[] = {999999, 500};
    const void *values[] = {&l, &l};
    ze_module_constants_t constants = {2, ids, values};
    ze_module_handle_t module;
    ze_result_t result = module_try(
            ZE_MODULE_FORMAT_IL_SPIRV, spirv.bytes, spirv.size, &constants, &module, NULL, 0);
    free(spirv.bytes);
    if (result) { /* the specification leaves open whether it is an error */
        assert_null(module);
        return;
    }
    constants_t got = run_constants(module);
    check_constants(&got, &(constants_t){{0, -2, -300, -70000, 11, 1}, 1.5f});
    assert_ok(zeModuleDestroy(module));
}

static void double_precision(void **state) {
    (void)state;
    ze_device_module_properties_t m = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES};
    assert_ok(zeDeviceGetModuleProperties(zt.device, &m));
    skip_unless(m.flags & ZE_DEVICE_MODULE_FLAG_FP64, "the device has no double precision");
    blob_t spirv = read_spirv("doubles");
    double value = 1e300;
    uint32_t id = 1;
    const void *values[] = {&value};
    ze_module_constants_t constants = {1, &id, values};
    ze_module_handle_t module;
    assert_ok(module_try(
            ZE_MODULE_FORMAT_IL_SPIRV, spirv.bytes, spirv.size, &constants, &module, NULL, 0));
    double *out = usm(USM_SHARED, 16);
    ze_kernel_handle_t kernel = get_kernel(module, "doubles");
    set_pointer(kernel, 0, out);
    set_value(kernel, 1, double, 1.0 / 3);
    ze_command_list_handle_t list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    launch(list, kernel, 1, NULL, 0, NULL);
    assert_true(out[0] == 1.0 / 3 * 3);
    assert_true(out[1] == 1e300);
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeKernelDestroy(kernel));
    assert_ok(zeModuleDestroy(module));
    usm_free(out);
    free(spirv.bytes);
}

/* A device without double precision, as the environment asks for. */
static void doubles_are_refused(void **state) {
    (void)state;
    skip_unless(getenv("ZE_CPU_FP64"), "needs a CPU driver that is told to lack doubles");
    blob_t spirv = read_spirv("doubles");
    ze_module_handle_t module = NULL;
    char log[1000] = "";
    assert_int_equal(module_try(ZE_MODULE_FORMAT_IL_SPIRV, spirv.bytes, spirv.size, NULL, &module,
                             log, sizeof log),
            ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    assert_non_null(strstr(log, "double precision"));
    free(spirv.bytes);
}

/* A module with an import builds unlinked, or fails with a log that names what is missing; it
 * never yields a kernel. */
static void imports_are_not_silently_dropped(void **state) {
    (void)state;
    blob_t spirv = read_spirv("imports");
    ze_module_handle_t module;
    char log[4000];
    ze_result_t result = module_try(
            ZE_MODULE_FORMAT_IL_SPIRV, spirv.bytes, spirv.size, NULL, &module, log, sizeof log);
    free(spirv.bytes);
    if (result) {
        assert_true(result == ZE_RESULT_ERROR_MODULE_BUILD_FAILURE ||
                    result == ZE_RESULT_ERROR_MODULE_LINK_FAILURE);
        if (!zt.intercept) assert_non_null(strstr(log, "supplied_elsewhere"));
        return;
    }
    ze_module_properties_t p = {.stype = ZE_STRUCTURE_TYPE_MODULE_PROPERTIES};
    assert_ok(zeModuleGetProperties(module, &p));
    assert_int_equal(p.flags, ZE_MODULE_PROPERTY_FLAG_IMPORTS);
    ze_kernel_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = "importing"};
    ze_kernel_handle_t kernel = NULL;
    assert_result(zeKernelCreate(module, &desc, &kernel), ZE_RESULT_ERROR_INVALID_MODULE_UNLINKED);

    ze_module_handle_t both[] = {module, load_module("exports")};
    ze_module_build_log_handle_t link_log = NULL;
    result = zeModuleDynamicLink(2, both, &link_log);
    if (link_log) assert_ok(zeModuleBuildLogDestroy(link_log));
    if (result == ZE_RESULT_SUCCESS) {
        uint32_t *x = usm(USM_SHARED, 4);
        *x = 5;
        kernel = get_kernel(module, "importing");
        set_pointer(kernel, 0, x);
        ze_command_list_handle_t list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
        launch(list, kernel, 1, NULL, 0, NULL);
        assert_int_equal(*x, 16);
        assert_ok(zeCommandListDestroy(list));
        assert_ok(zeKernelDestroy(kernel));
        usm_free(x);
    } else {
        assert_true(result == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE ||
                    result == ZE_RESULT_ERROR_MODULE_LINK_FAILURE);
    }
    assert_ok(zeModuleDestroy(both[1]));
    assert_ok(zeModuleDestroy(module));
}

/* Creates one module of several; the descriptor's own input is left out. */
static ze_result_t create_linked(const char *const *names, uint32_t n, ze_module_handle_t *module,
        char *log, size_t log_size) {
    blob_t spirv[4];
    const uint8_t *inputs[4];
    size_t sizes[4];
    for (uint32_t i = 0; i < n; i++) {
        spirv[i] = read_spirv(names[i]);
        inputs[i] = spirv[i].bytes;
        sizes[i] = spirv[i].size;
    }
    const ze_module_program_exp_desc_t program = {
            .stype = ZE_STRUCTURE_TYPE_MODULE_PROGRAM_EXP_DESC,
            .count = n,
            .inputSizes = sizes,
            .pInputModules = inputs};
    /* Old loaders with layers refuse a descriptor without input. */
    const ze_module_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
            .pNext = &program,
            .format = ZE_MODULE_FORMAT_IL_SPIRV,
            .inputSize = zt.layers ? sizes[0] : 0,
            .pInputModule = zt.layers ? inputs[0] : NULL};
    ze_module_build_log_handle_t text = NULL;
    const ze_result_t result = zeModuleCreate(zt.context, zt.device, &desc, module, &text);
    if (text && !(result && zt.intercept)) {
        assert_ok(zeModuleBuildLogGetString(text, &log_size, log));
        assert_ok(zeModuleBuildLogDestroy(text));
    }
    for (uint32_t i = 0; i < n; i++) free(spirv[i].bytes);
    return result;
}

/* Intel's SYCL runtime passes its own library of functions beside the program's module. */
static void several_modules_become_one(void **state) {
    (void)state;
    static const char *const names[] = {"imports", "basic", "exports"};
    ze_module_handle_t module;
    char log[4000] = "";
    const ze_result_t result = create_linked(names, 3, &module, log, sizeof log);
    if (result == ZE_RESULT_ERROR_MODULE_BUILD_FAILURE && strstr(log, "PoCL 6"))
        skip_unless(false, "this PoCL does not link SPIR-V");
    skip_unless(!result || zt.is_cpu, "the driver does not link");
    skip_unless(!(result && zt.intercept), "the loader hides why");
    if (result) print_error("%s\n", log);
    assert_ok(result);
    uint32_t *x = usm(USM_SHARED, 4);
    *x = 5;
    ze_command_list_handle_t list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    ze_kernel_handle_t kernel = get_kernel(module, "importing");
    set_pointer(kernel, 0, x);
    launch(list, kernel, 1, NULL, 0, NULL);
    assert_int_equal(*x, 16);
    assert_int_equal(run_increment(module), 42);
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeKernelDestroy(kernel));
    assert_ok(zeModuleDestroy(module));
    usm_free(x);
    assert_refused(create_linked(names, 2, &module, log, sizeof log)); /* something is missing */
}

/* PoCL's Level Zero device links every module that it creates, alone. */
static void nothing_is_left_to_link(void **state) {
    (void)state;
    skip_unless(zt.is_cpu && !zt.intercept, "other drivers may link, and a loader that wraps "
                                            "handles reads a log that is not there");
    ze_module_handle_t modules[] = {load_module("basic"), load_module("exports")};
    ze_module_build_log_handle_t log = NULL;
    assert_ok(zeModuleDynamicLink(1, modules, NULL));
    assert_ok(zeModuleDynamicLink(2, modules, &log));
    size_t size = 0;
    assert_non_null(log);
    assert_ok(zeModuleBuildLogGetString(log, &size, NULL));
    assert_int_equal(size, 1);
    assert_ok(zeModuleBuildLogDestroy(log));
    assert_refused(zeModuleDynamicLink(1, NULL, NULL));
    assert_int_equal(run_increment(modules[0]), 42);
    for (size_t i = 0; i < COUNT_OF(modules); i++) assert_ok(zeModuleDestroy(modules[i]));
}

static blob_t native_of(ze_module_handle_t module) {
    blob_t native = {0};
    assert_ok(zeModuleGetNativeBinary(module, &native.size, NULL));
    assert_true(native.size > 0);
    native.bytes = malloc(native.size);
    assert_non_null(native.bytes);
    assert_ok(zeModuleGetNativeBinary(module, &native.size, native.bytes));
    return native;
}

/* On a GPU, or what poses as one, PoCL's binaries are not used. */
static bool refuses_native(ze_module_handle_t module) {
    size_t size = 0;
    if (!getenv("ZE_CPU_OPENCL_TYPE")) return false;
    assert_int_equal(
            zeModuleGetNativeBinary(module, &size, NULL), ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    assert_ok(zeModuleDestroy(module));
    return true;
}

static void native_round_trip(void **state) {
    (void)state;
    ze_module_handle_t module = load_module("basic");
    if (refuses_native(module)) skip();
    blob_t native = native_of(module), again = native_of(module);
    assert_int_equal(native.size, again.size);
    assert_memory_equal(native.bytes, again.bytes, native.size);
    assert_ok(zeModuleDestroy(module));

    assert_ok(
            module_try(ZE_MODULE_FORMAT_NATIVE, native.bytes, native.size, NULL, &module, NULL, 0));
    free(native.bytes);
    assert_int_equal(run_increment(module), 42);
    uint32_t n = 0;
    assert_ok(zeModuleGetKernelNames(module, &n, NULL));
    assert_int_equal(n, COUNT_OF(basic_names));
    native = native_of(module); /* of a module that was native itself */
    assert_ok(zeModuleDestroy(module));
    assert_ok(
            module_try(ZE_MODULE_FORMAT_NATIVE, native.bytes, native.size, NULL, &module, NULL, 0));
    assert_int_equal(run_increment(module), 42);
    assert_ok(zeModuleDestroy(module));
    free(native.bytes);
    free(again.bytes);
}

static void native_keeps_constants(void **state) {
    (void)state;
    blob_t spirv = read_spirv("constants");
    int32_t i = 123456;
    uint32_t id = 40;
    const void *values[] = {&i};
    ze_module_constants_t constants = {1, &id, values};
    ze_module_handle_t module;
    assert_ok(module_try(
            ZE_MODULE_FORMAT_IL_SPIRV, spirv.bytes, spirv.size, &constants, &module, NULL, 0));
    free(spirv.bytes);
    if (refuses_native(module)) skip();
    blob_t native = native_of(module);
    assert_ok(zeModuleDestroy(module));
    assert_ok(
            module_try(ZE_MODULE_FORMAT_NATIVE, native.bytes, native.size, NULL, &module, NULL, 0));
    constants_t got = run_constants(module);
    check_constants(&got, &(constants_t){{0, -2, -300, 123456, -5000000000, 1}, 1.5f});
    assert_ok(zeModuleDestroy(module));
    free(native.bytes);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            TEST(a_module_builds_and_runs),
            TEST(input_is_not_kept),
            TEST(unaligned_input),
            TEST(kernel_names),
            TEST(unknown_names_are_refused),
            TEST(a_log_comes_with_success_too),
            TEST(bad_descriptions_are_refused),
            TEST(constants_have_defaults),
            TEST(constants_of_every_width),
            TEST(constants_are_read_no_wider_than_they_are),
            TEST(unknown_constants_change_nothing),
            TEST(double_precision),
            TEST(doubles_are_refused),
            TEST(imports_are_not_silently_dropped),
            TEST(several_modules_become_one),
            TEST(nothing_is_left_to_link),
            TEST(native_round_trip),
            TEST(native_keeps_constants),
    };
    return RUN_TESTS(tests);
}
