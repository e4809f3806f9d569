/* SPDX-License-Identifier: Apache-2.0 */
/* First creations of the primitives of aot_problems.txt, where the library has native code for
 * the device: nothing is compiled. Prints how long each takes. Ends with 77 where the library
 * was built without native code (DNNL_ZE_AOT_DEVICES). */
#include <setjmp.h>
#include <stdarg.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include "batch.h"
#include "core/verbose.h"
#include "line.h"
#include "oneapi/dnnl/dnnl.h"
#include "problem.h"
#include "ze/embedded.h"
#include "ze/loader.h"
#include "ze/runtime.h"

#define OK(call) assert_int_equal(call, dnnl_success)

static dnnl_engine_t engine;
static int compiled, loaded;
static double in_driver; /* ms in zeModuleCreate */
static __typeof__(ze.ModuleCreate) real_create;

static ze_result_t ZE_APICALL count_modules(ze_context_handle_t context, ze_device_handle_t device,
        const ze_module_desc_t *desc, ze_module_handle_t *module,
        ze_module_build_log_handle_t *log) {
    const double start = verbose_now_ms();
    const ze_result_t result = real_create(context, device, desc, module, log);
    in_driver += verbose_now_ms() - start;
    if (result == ZE_RESULT_SUCCESS)
        *(desc->format == ZE_MODULE_FORMAT_IL_SPIRV ? &compiled : &loaded) += 1;
    return result;
}

/* Times the creation of one problem. */
static void create(const char *text) {
    static line_t line;
    problem_t p;
    dnnl_primitive_t primitive;
    const char *wrong = line_parse(&line, text);
    assert_null(wrong);
    loaded = 0;
    in_driver = 0;
    const double start = verbose_now_ms();
    wrong = problem_create(&p, &line, engine);
    assert_null(wrong);
    OK(p.status);
    const double described = verbose_now_ms();
    OK(dnnl_primitive_create(&primitive, p.pd));
    const double end = verbose_now_ms();
    printf("%-20s %-24s %.3f ms: descriptor %.3f, primitive %.3f, of which zeModuleCreate %.3f for "
           "%d "
           "modules\n",
            line.kind, line.problem, end - start, described - start, end - described, in_driver,
            loaded);
    assert_true(loaded > 0);
    OK(dnnl_primitive_destroy(primitive));
    OK(dnnl_primitive_desc_destroy(p.pd));
}

static void nothing_is_compiled(void **unused) {
    (void)unused;
    static char text[LINE_LENGTH];
    batch_t batch = {.file = fopen(AOT_PROBLEMS, "r")};
    batch_line_t line;
    int problems = 0;
    assert_non_null(batch.file);
    for (; batch_read(&batch, &line) > 0; batch_free(&line))
        for (int64_t i = 0; i < line.count; i++, problems++) {
            batch_problem(&line, i, text, sizeof(text));
            create(text);
        }
    fclose(batch.file);
    assert_true(problems > 0);
    assert_int_equal(compiled, 0);
}

int main(void) {
    int for_device = 0, known;
    name_find(NAMES_ALG_KIND, "eltwise_relu", &known); /* the first search takes some 10 ms */
    if (dnnl_engine_create(&engine, dnnl_gpu, 0) != dnnl_success) return 1;
    for (int i = 0; i < embedded_code_count; i++)
        for_device += embedded_codes[i].ip_version >> 14 == engine_caps(engine)->ip_version >> 14;
    printf("%d modules are embedded, %d of them for this device\n", embedded_code_count,
            for_device);
    real_create = ze.ModuleCreate;
    ze.ModuleCreate = count_modules;
    const struct CMUnitTest tests[] = {cmocka_unit_test(nothing_is_compiled)};
    const int failed = for_device ? cmocka_run_group_tests(tests, NULL, NULL) : 77;
    dnnl_engine_destroy(engine);
    return failed;
}
