/* SPDX-License-Identifier: Apache-2.0 */
/* Functions over a work-group and a sub-group: votes, sums, scans. */
#include "ze_test.h"

enum { MOST = 64, ANSWERS = 4 };

static ze_module_handle_t module;
static int32_t *in, *out;

static int load(void **state) {
    (void)state;
    blob_t spirv = read_spirv("votes");
    char log[2000];
    const ze_result_t result = module_try(
            ZE_MODULE_FORMAT_IL_SPIRV, spirv.bytes, spirv.size, NULL, &module, log, sizeof log);
    free(spirv.bytes);
    if (result != ZE_RESULT_SUCCESS) {
        print_message("the device has no functions of work-groups: %s", log);
        exit(77);
    }
    in = usm(USM_SHARED, MOST * sizeof *in);
    out = usm(USM_SHARED, (ANSWERS + MOST) * sizeof *out);
    return 0;
}

static int unload(void **state) {
    (void)state;
    usm_free(in);
    usm_free(out);
    return zeModuleDestroy(module) != ZE_RESULT_SUCCESS;
}

/* Runs one work-group on the values in `in`. */
static ze_result_t try_run(const char *name, uint32_t items) {
    ze_kernel_handle_t kernel = get_kernel(module, name);
    memset(out, 0xff, (ANSWERS + MOST) * sizeof *out);
    set_pointer(kernel, 0, in);
    set_pointer(kernel, 1, out);
    assert_ok(zeKernelSetGroupSize(kernel, items, 1, 1));
    ze_command_list_handle_t list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    const ze_group_count_t one = {1, 1, 1};
    const ze_result_t result = zeCommandListAppendLaunchKernel(list, kernel, &one, NULL, 0, NULL);
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeKernelDestroy(kernel));
    return result;
}

static void run(const char *name, uint32_t items) {
    assert_ok(try_run(name, items));
}

/* Of all values, of all but the last, of the first alone, and of none. */
static void check_votes(const char *name, uint32_t items) {
    static const int32_t sets[][2] = {{1, 1}, {1, 0}, {0, 1}, {0, 0}};
    for (size_t k = 0; k < COUNT_OF(sets); k++) {
        for (uint32_t i = 0; i < items; i++) in[i] = sets[k][i == items - 1] ? (int32_t)i - 99 : 0;
        run(name, items);
        assert_int_equal(out[0], sets[k][0] && sets[k][1]);
        assert_int_equal(out[1], sets[k][0] || sets[k][1]);
    }
}

static void all_and_any(void **state) {
    (void)state;
    static const uint32_t sizes[] = {3, 4, 16, 33, MOST};
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        check_votes("votes", sizes[i]);
        assert_int_equal(out[2], 1);
        assert_int_equal(out[3], 0);
    }
}

/* PoCL ends the process over these. */
static void small_groups_are_right_or_refused(void **state) {
    (void)state;
    for (uint32_t items = 1; items <= 2; items++) {
        in[0] = in[1] = 5;
        const ze_result_t result = try_run("votes", items);
        if (result == ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION) continue;
        assert_ok(result);
        assert_int_equal(out[0], 1);
        assert_int_equal(out[3], 0);
    }
}

static void beside_sub_groups(void **state) {
    (void)state;
    skip_unless(zt.compute.numSubGroupSizes > 0, "no sub-groups");
    for (uint32_t items = 16; items <= MOST; items *= 2) {
        check_votes("votes_beside_sub_groups", items);
        for (uint32_t i = 0; i < items; i++) in[i] = i != 20; /* not in the first sub-group */
        run("votes_beside_sub_groups", items);
        assert_int_equal(out[2], 1);
        assert_int_equal(out[3], 1);
    }
}

static void sums_and_scans(void **state) {
    (void)state;
    static const uint32_t sizes[] = {3, 16, 33, MOST};
    for (size_t k = 0; k < COUNT_OF(sizes); k++) {
        int32_t sum = 0;
        for (uint32_t i = 0; i < sizes[k]; i++) in[i] = (int32_t)(i * i) - 5;
        run("sums", sizes[k]);
        for (uint32_t i = 0; i < sizes[k]; i++) assert_int_equal(out[ANSWERS + i], sum += in[i]);
        assert_int_equal(out[0], sum);
        assert_int_equal(out[1], -5);
        assert_int_equal(out[2], in[sizes[k] - 1]);
        assert_int_equal(out[3], in[2]);
    }
}

int main(void) {
    const struct CMUnitTest votes[] = {TEST(all_and_any), TEST(small_groups_are_right_or_refused),
            TEST(beside_sub_groups), TEST(sums_and_scans)};
    return RUN_TESTS_WITH(votes, load, unload);
}
