/* SPDX-License-Identifier: Apache-2.0 */
/* Lines of tab-separated fields: "device" name; "can" row; "kernel" kind row constants spill private local
 * subgroup arguments. */
#include "dry.h"

#include <dlfcn.h>
#include <setjmp.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <cmocka.h>

#include "api/primitive.h"
#include "ops/op.h"
#include "ze/module.h"

bool is_dry;
static FILE *table;
enum { KINDS = 64 };
static int (*cases)[KINDS]; /* so far, by row + 1; NULL: none is left out */
static bool first_only;
static executable_t **kept;
static size_t nkept;
static ze_result_t(ZE_APICALL *get_properties)(ze_kernel_handle_t, ze_kernel_properties_t *);

static void write_device(dnnl_engine_t engine) {
    ze_device_properties_t device = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    assert_int_equal(ze.DeviceGetProperties(engine->core->device, &device), ZE_RESULT_SUCCESS);
    fprintf(table, "device\t%s\n", device.name);
    for (int row = 0; row < kernel_row_count; row++)
        if (row_runs_on(&kernel_rows[row], engine_caps(engine)))
            fprintf(table, "can\t%s\n", kernel_rows[row].id);
}

static void record(const executable_t *x) {
    for (int i = 0; i < x->nsteps; i++) {
        const plan_step_t *step = &pd_plan(x->pd, x->steps[i].part)->steps[x->steps[i].index];
        ze_kernel_properties_t kernel = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
        assert_int_equal(get_properties(x->steps[i].kernel, &kernel), ZE_RESULT_SUCCESS);
        fprintf(table, "kernel\t%s\t%s\t%016llx\t%u\t%u\t%u\t%u\t%u\n", x->pd->op->name,
                kernel_rows[step->row].id, (unsigned long long)module_key(x->steps[i].module),
                kernel.spillMemSize, kernel.privateMemSize, kernel.localMemSize, kernel.maxSubgroupSize,
                kernel.numKernelArgs);
    }
}

/* Keeps the primitive until the end, so that no module is built twice. */
static void keep(const_dnnl_primitive_t primitive) {
    executable_t *x = primitive->exec;
    record(x);
    executable_ref(x);
    kept = realloc(kept, (nkept + 1) * sizeof *kept);
    assert_non_null(kept);
    kept[nkept++] = x;
}

void dry_open(dnnl_engine_t engine) {
    const char *path = getenv("DNNL_ZE_TEST_DRY");
    if (!path) return;
    is_dry = true;
    const char *which = getenv("DNNL_ZE_TEST_DRY_CASES");
    first_only = which && !strcmp(which, "first");
    if (first_only || (which && !strcmp(which, "sparse")))
        assert_non_null(cases = calloc((size_t)kernel_row_count + 1, sizeof *cases));
    void *loader = dlopen("libze_loader.so.1", RTLD_NOW | RTLD_LOCAL);
    assert_non_null(loader);
    *(void **)&get_properties = dlsym(loader, "zeKernelGetProperties");
    assert_non_null(get_properties);
    table = fopen(path, "w");
    assert_non_null(table);
    write_device(engine);
    case_made = keep;
}

void dry_close(void) {
    if (!is_dry) return;
    for (size_t i = 0; i < nkept; i++) executable_unref(kept[i]);
    free(kept);
    free(cases);
    assert_int_equal(fclose(table), 0);
}

bool dry_skips(const case_t *c) {
    if (!cases) return false;
    const int index = cases[c->pd->row + 1][c->pd->op->kind % KINDS]++;
    int taken = 0;
    for (int step = 1; taken < index && !first_only; step++) taken += step;
    return taken != index;
}
