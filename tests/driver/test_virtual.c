/* SPDX-License-Identifier: Apache-2.0 */
/* Virtual memory: reserved addresses, physical memory mapped to them, and what is refused. */
#include "ze_test.h"

static size_t page;
static ze_module_handle_t module;

static int load(void **state) {
    (void)state;
    void *none = NULL;
    if (zeVirtualMemQueryPageSize(zt.context, zt.device, 100, &page) != ZE_RESULT_SUCCESS) page = 0;
    /* A GPU below the driver has none. */
    if (page && zeVirtualMemReserve(zt.context, NULL, page, &none) != ZE_RESULT_SUCCESS) page = 0;
    if (none) assert_ok(zeVirtualMemFree(zt.context, none, page));
    module = load_module("basic");
    return 0;
}

static int unload(void **state) {
    (void)state;
    return zeModuleDestroy(module) != ZE_RESULT_SUCCESS;
}

static char *reserve(size_t pages) {
    void *address = NULL;
    assert_ok(zeVirtualMemReserve(zt.context, NULL, pages * page, &address));
    assert_int_equal((uintptr_t)address % page, 0);
    return address;
}

static ze_physical_mem_handle_t physical(size_t pages) {
    ze_physical_mem_desc_t desc = {
            .stype = ZE_STRUCTURE_TYPE_PHYSICAL_MEM_DESC, .size = pages * page};
    ze_physical_mem_handle_t memory = NULL;
    assert_ok(zePhysicalMemCreate(zt.context, zt.device, &desc, &memory));
    return memory;
}

static void map(char *at, size_t pages, ze_physical_mem_handle_t memory, size_t first) {
    assert_ok(zeVirtualMemMap(zt.context, at, pages * page, memory, first * page,
            ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE));
}

/* A pool that grows: two pieces of memory in a row, through which one kernel runs. */
static void memory_in_a_row(void **state) {
    (void)state;
    skip_unless(page, "no virtual memory");
    char *at = reserve(8);
    ze_physical_mem_handle_t pieces[] = {physical(1), physical(2)};
    map(at, 1, pieces[0], 0);
    map(at + page, 2, pieces[1], 0);
    ze_command_list_handle_t list = immediate_list(0, ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS);
    const uint8_t pattern = 7;
    assert_ok(zeCommandListAppendMemoryFill(list, at, &pattern, 1, 3 * page, NULL, 0, NULL));
    ze_kernel_handle_t increment = get_kernel(module, "increment");
    set_pointer(increment, 0, at + page - 4);
    launch(list, increment, 1, NULL, 0, NULL);
    uint32_t *got = usm(USM_HOST, 12);
    assert_ok(zeCommandListAppendMemoryCopy(list, got, at + page - 4, 8, NULL, 0, NULL));
    assert_ok(zeCommandListAppendMemoryCopy(list, got + 2, at + 3 * page - 4, 4, NULL, 0, NULL));
    assert_int_equal(got[0], 0x07070708);
    assert_int_equal(got[1], 0x07070707);
    assert_int_equal(got[2], 0x07070707);
    usm_free(got);
    assert_ok(zeKernelDestroy(increment));
    assert_ok(zeCommandListDestroy(list));
    assert_ok(zeVirtualMemUnmap(zt.context, at, 3 * page));
    for (int i = 0; i < 2; i++) assert_ok(zePhysicalMemDestroy(zt.context, pieces[i]));
    assert_ok(zeVirtualMemFree(zt.context, at, 8 * page));
}

/* The same memory at two addresses. */
static void memory_at_two_places(void **state) {
    (void)state;
    skip_unless(page && zt.is_cpu, "the host reads the CPU driver's memory");
    char *a = reserve(1), *b = reserve(2);
    ze_physical_mem_handle_t memory = physical(1);
    map(a, 1, memory, 0);
    map(b + page, 1, memory, 0);
    a[5] = 55;
    assert_int_equal(b[page + 5], 55);
    assert_ok(zePhysicalMemDestroy(zt.context, memory)); /* what is mapped stays */
    assert_int_equal(b[page + 5], 55);
    assert_ok(zeVirtualMemUnmap(zt.context, a, page));
    assert_ok(zeVirtualMemUnmap(zt.context, b + page, page));
    assert_ok(zeVirtualMemFree(zt.context, a, page));
    assert_ok(zeVirtualMemFree(zt.context, b, 2 * page));
}

static void access_is_told(void **state) {
    (void)state;
    skip_unless(page, "no virtual memory");
    char *at = reserve(4);
    ze_physical_mem_handle_t memory = physical(3);
    map(at, 3, memory, 0);
    ze_memory_access_attribute_t access;
    size_t same = 0;
    assert_ok(zeVirtualMemSetAccessAttribute(
            zt.context, at + page, page, ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY));
    assert_ok(zeVirtualMemGetAccessAttribute(zt.context, at, 4 * page, &access, &same));
    assert_int_equal(access, ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE);
    assert_int_equal(same, page);
    assert_ok(zeVirtualMemGetAccessAttribute(zt.context, at + page, page, &access, &same));
    assert_int_equal(access, ZE_MEMORY_ACCESS_ATTRIBUTE_READONLY);
    assert_ok(zeVirtualMemUnmap(zt.context, at, 3 * page));
    assert_ok(zePhysicalMemDestroy(zt.context, memory));
    assert_ok(zeVirtualMemFree(zt.context, at, 4 * page));
}

static void mistakes_are_refused(void **state) {
    (void)state;
    skip_unless(page && zt.is_cpu, "the CPU driver checks");
    char *at = reserve(2);
    void *none = NULL;
    ze_physical_mem_handle_t memory = physical(1);
    const ze_memory_access_attribute_t both = ZE_MEMORY_ACCESS_ATTRIBUTE_READWRITE;
    assert_refused(zeVirtualMemReserve(zt.context, NULL, page - 1, &none));
    assert_refused(zeVirtualMemReserve(zt.context, NULL, SIZE_MAX - page + 1, &none));
    assert_null(none);
    assert_refused(zeVirtualMemMap(zt.context, at, 2 * page, memory, 0, both)); /* too short */
    assert_refused(zeVirtualMemMap(zt.context, at, page, memory, page, both));
    assert_refused(zeVirtualMemMap(zt.context, at + 64, page, memory, 0, both));
    assert_refused(zeVirtualMemMap(zt.context, at + 2 * page, page, memory, 0, both));
    assert_refused(zeVirtualMemUnmap(zt.context, at, page)); /* nothing is there */
    map(at, 1, memory, 0);
    assert_refused(zeVirtualMemMap(zt.context, at, page, memory, 0, both)); /* something is */
    assert_refused(zeVirtualMemFree(zt.context, at, 2 * page));
    assert_refused(zeVirtualMemSetAccessAttribute(zt.context, at, 2 * page, both));
    assert_ok(zeVirtualMemUnmap(zt.context, at, page));
    assert_refused(zeVirtualMemFree(zt.context, at, page)); /* not the whole */
    assert_ok(zeVirtualMemFree(zt.context, at, 2 * page));
    assert_refused(zeVirtualMemFree(zt.context, at, 2 * page));
    assert_ok(zePhysicalMemDestroy(zt.context, memory));
}

int main(void) {
    const struct CMUnitTest virtual_memory[] = {TEST(memory_in_a_row), TEST(memory_at_two_places),
            TEST(access_is_told), TEST(mistakes_are_refused)};
    return RUN_TESTS_WITH(virtual_memory, load, unload);
}
