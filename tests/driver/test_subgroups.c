/* SPDX-License-Identifier: Apache-2.0 */
/* Sub-groups of kernels that require no size: the driver says which they get, and refuses launches
 * that would get others. */
#include "ze_test.h"

enum { STRIDE = 8, MOST = 1024, USUAL = 16 };

static ze_module_handle_t module;
static ze_kernel_handle_t places, none;
static uint32_t *out;
static bool has_subgroups;

static int load(void **state) {
    (void)state;
    has_subgroups = zt.compute.numSubGroupSizes > 0;
    if (!has_subgroups) return 0;
    out = usm(USM_SHARED, MOST * STRIDE * sizeof *out);
    module = load_module("open_subgroups");
    none = get_kernel(module, "none");
    places = get_kernel(module, "places");
    set_pointer(none, 0, out);
    set_pointer(places, 0, out);
    return 0;
}

static int unload(void **state) {
    (void)state;
    if (!has_subgroups) return 0;
    usm_free(out);
    return zeKernelDestroy(none) || zeKernelDestroy(places) || zeModuleDestroy(module);
}

static uint32_t told_size(ze_kernel_handle_t kernel) {
    ze_kernel_properties_t p = {.stype = ZE_STRUCTURE_TYPE_KERNEL_PROPERTIES};
    assert_ok(zeKernelGetProperties(kernel, &p));
    assert_int_equal(p.requiredSubgroupSize, 0);
    return p.maxSubgroupSize;
}

/* Launches one work-group. */
static ze_result_t run(ze_kernel_handle_t kernel, const uint32_t size[3]) {
    const ze_group_count_t one = {1, 1, 1};
    memset(out, 0xff, MOST * STRIDE * sizeof *out);
    assert_ok(zeKernelSetGroupSize(kernel, size[0], size[1], size[2]));
    ze_command_list_handle_t list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    const ze_result_t result = zeCommandListAppendLaunchKernel(list, kernel, &one, NULL, 0, NULL);
    assert_ok(zeCommandListDestroy(list));
    return result;
}

/* What kernels write: the size, the maximal one, the number of sub-groups, the own number, the lane
 * and the sum over the sub-group. */
enum { SIZE, MAX_SIZE, COUNT, ID, LANE, SUM };

/* Each work-item has a lane of its own, and sums and sizes are those of its sub-group. */
static void check_partition(uint32_t items, uint32_t size) {
    for (uint32_t i = 0; i < items; i++) {
        const uint32_t *own = out + i * STRIDE;
        uint32_t sum = 0, members = 0, same_lane = 0;
        for (uint32_t j = 0; j < items; j++) {
            const uint32_t *other = out + j * STRIDE;
            if (other[ID] != own[ID]) continue;
            sum += j + 1;
            members++;
            same_lane += other[LANE] == own[LANE];
        }
        if (own[SIZE] != members || own[SUM] != sum || same_lane != 1 || members > size ||
                own[MAX_SIZE] != size || own[ID] >= own[COUNT] || own[LANE] >= members)
            fail_msg("item %u of %u: size %u, maximum %u, sub-group %u of %u, lane %u, sum %u", i,
                    items, own[SIZE], own[MAX_SIZE], own[ID], own[COUNT], own[LANE], own[SUM]);
    }
}

/* Full sub-groups of items in a row. */
static void check_full(uint32_t items, uint32_t size) {
    for (uint32_t i = 0; i < items; i++) {
        assert_int_equal(out[i * STRIDE + SIZE], size);
        assert_int_equal(out[i * STRIDE + COUNT], items / size);
        assert_int_equal(out[i * STRIDE + ID], i / size);
        assert_int_equal(out[i * STRIDE + LANE], i % size);
    }
}

static void sub_groups_are_as_told(void **state) {
    (void)state;
    skip_unless(has_subgroups, "no sub-groups");
    static const uint32_t sizes[][3] = {
            {16, 1, 1}, {64, 1, 1}, {48, 1, 1}, {256, 1, 1}, {16, 3, 1}, {32, 1, 2}, {16, 2, 2}};
    const uint32_t size = told_size(places);
    if (zt.is_cpu) assert_int_equal(size, USUAL);
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        const uint32_t items = sizes[i][0] * sizes[i][1] * sizes[i][2];
        assert_ok(run(places, sizes[i]));
        check_partition(items, size);
        check_full(items, size);
    }
}

/* Where sub-groups may not be full, or lie across rows, they are right or refused. */
static void no_launch_is_wrong(void **state) {
    (void)state;
    skip_unless(has_subgroups, "no sub-groups");
    static const uint32_t sizes[][3] = {{1, 1, 1}, {8, 1, 1}, {100, 1, 1}, {20, 1, 1}, {5, 5, 1},
            {8, 4, 1}, {4, 4, 4}, {1, 32, 1}, {24, 2, 1}};
    const uint32_t size = told_size(places);
    for (size_t i = 0; i < COUNT_OF(sizes); i++) {
        const ze_result_t result = run(places, sizes[i]);
        if (result == ZE_RESULT_ERROR_INVALID_GROUP_SIZE_DIMENSION) continue;
        assert_ok(result);
        check_partition(sizes[i][0] * sizes[i][1] * sizes[i][2], size);
    }
}

static void kernels_without_sub_groups_take_any_size(void **state) {
    (void)state;
    skip_unless(has_subgroups, "no sub-groups");
    const uint32_t size[] = {100, 1, 1};
    assert_ok(run(none, size));
    for (uint32_t i = 0; i < size[0]; i++) assert_int_equal(out[i], 1);
}

static void a_device_without_sub_groups_refuses(void **state) {
    (void)state;
    skip_unless(!has_subgroups, "the device has sub-groups");
    blob_t spirv = read_spirv("open_subgroups");
    char log[2000];
    assert_result(module_try(ZE_MODULE_FORMAT_IL_SPIRV, spirv.bytes, spirv.size, NULL, &module, log,
                          sizeof log),
            ZE_RESULT_ERROR_MODULE_BUILD_FAILURE);
    if (!zt.intercept) assert_non_null(strstr(log, "sub_group"));
    free(spirv.bytes);
}

int main(void) {
    const struct CMUnitTest subgroups[] = {TEST(sub_groups_are_as_told), TEST(no_launch_is_wrong),
            TEST(kernels_without_sub_groups_take_any_size),
            TEST(a_device_without_sub_groups_refuses)};
    return RUN_TESTS_WITH(subgroups, load, unload);
}
