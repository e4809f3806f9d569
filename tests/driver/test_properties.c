/* SPDX-License-Identifier: Apache-2.0 */
/* Device properties: true, the same each time, consistent with one another. */
#include "ze_test.h"

#include <time.h>
#include <unistd.h>

static void device_properties_are_stable(void **state) {
    (void)state;
    ze_device_properties_t a = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES}, b = a;
    assert_ok(zeDeviceGetProperties(zt.device, &a));
    assert_ok(zeDeviceGetProperties(zt.device, &b));
    assert_int_equal(a.stype, ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES);
    assert_null(a.pNext);
    a.coreClockRate = b.coreClockRate; /* may be the clock of this moment */
    assert_memory_equal(&a, &b, offsetof(ze_device_properties_t, uuid));
    assert_memory_equal(&a.uuid, &b.uuid, sizeof a.uuid);
    assert_string_equal(a.name, b.name);
}

static void device_properties_are_plausible(void **state) {
    (void)state;
    ze_device_properties_t *p = &zt.properties;
    assert_in_range(p->type, ZE_DEVICE_TYPE_GPU, ZE_DEVICE_TYPE_VPU);
    if (getenv("ZE_CPU_TYPE")) assert_int_equal(p->type, ZE_DEVICE_TYPE_GPU);
    assert_true(memchr(p->name, 0, sizeof p->name) != NULL);
    assert_true(p->name[0] != 0);
    static const ze_device_uuid_t none;
    assert_memory_not_equal(&p->uuid, &none, sizeof none);
    assert_int_equal(p->flags & ~0xfu, 0);
    assert_int_equal(p->flags & ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE, 0);
    assert_true(p->maxMemAllocSize >= 1u << 28);
    assert_true(p->timerResolution > 0);
    assert_in_range(p->timestampValidBits, 8, 64);
    assert_in_range(p->kernelTimestampValidBits, 8, 64);
    uint64_t threads = (uint64_t)p->numSlices * p->numSubslicesPerSlice * p->numEUsPerSubslice *
                       p->numThreadsPerEU;
    assert_true(threads >= 1);
    const char *units = getenv("ZE_CPU_UNITS");
    if (units) assert_int_equal(p->numEUsPerSubslice, atoi(units));
    else if (zt.is_cpu) assert_true(threads <= (uint64_t)sysconf(_SC_NPROCESSORS_CONF));
}

static void compute_properties(void **state) {
    (void)state;
    ze_device_compute_properties_t *c = &zt.compute;
    assert_int_equal(c->stype, ZE_STRUCTURE_TYPE_DEVICE_COMPUTE_PROPERTIES);
    assert_true(c->maxTotalGroupSize >= 1);
    uint32_t sizes[] = {c->maxGroupSizeX, c->maxGroupSizeY, c->maxGroupSizeZ};
    uint32_t counts[] = {c->maxGroupCountX, c->maxGroupCountY, c->maxGroupCountZ};
    for (int d = 0; d < 3; d++) {
        assert_in_range(sizes[d], 1, c->maxTotalGroupSize);
        assert_true(counts[d] >= 65535);
    }
    assert_true(c->maxSharedLocalMemory >= 16384);
    assert_true(c->numSubGroupSizes <= ZE_SUBGROUPSIZE_COUNT);
    for (uint32_t i = 0; i < c->numSubGroupSizes; i++)
        assert_in_range(c->subGroupSizes[i], 1, c->maxTotalGroupSize);
}

static void module_properties(void **state) {
    (void)state;
    ze_device_module_properties_t m = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MODULE_PROPERTIES};
    assert_ok(zeDeviceGetModuleProperties(zt.device, &m));
    assert_true(m.spirvVersionSupported >= ZE_MAKE_VERSION(1, 0));
    assert_true(m.spirvVersionSupported <= ZE_MAKE_VERSION(1, 6));
    assert_true(m.maxArgumentsSize >= 1024);
    /* The CPU driver has three of its own: src/cpu_driver/dots.h. */
    assert_int_equal(m.flags & ~(zt.is_cpu ? 0x7000000fu : 0xfu), 0);
    /* A type that is not claimed has no operations to speak of. */
    if (!(m.flags & ZE_DEVICE_MODULE_FLAG_FP16))
        assert_int_equal(m.fp16flags & ZE_DEVICE_FP_FLAG_FMA, 0);
    if (!(m.flags & ZE_DEVICE_MODULE_FLAG_FP64)) assert_int_equal(m.fp64flags, 0);
    assert_true(m.fp32flags & ZE_DEVICE_FP_FLAG_ROUND_TO_NEAREST);
}

static void queue_groups(void **state) {
    (void)state;
    uint32_t n = 0;
    assert_ok(zeDeviceGetCommandQueueGroupProperties(zt.device, &n, NULL));
    assert_in_range(n, 1, 16);
    ze_command_queue_group_properties_t groups[17];
    memset(groups, 0, sizeof groups);
    for (uint32_t i = 0; i < 17; i++)
        groups[i].stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES;
    uint32_t again = 17;
    assert_ok(zeDeviceGetCommandQueueGroupProperties(zt.device, &again, groups));
    assert_int_equal(again, n);
    for (uint32_t i = 0; i < n; i++) {
        assert_int_equal(groups[i].stype, ZE_STRUCTURE_TYPE_COMMAND_QUEUE_GROUP_PROPERTIES);
        assert_true(groups[i].numQueues >= 1);
        assert_true(groups[i].maxMemoryFillPatternSize >= 1);
        assert_true(groups[i].flags != 0);
    }
    assert_int_equal(groups[n].numQueues, 0);
}

static void memory_properties(void **state) {
    (void)state;
    uint32_t n = 0;
    assert_ok(zeDeviceGetMemoryProperties(zt.device, &n, NULL));
    assert_in_range(n, 1, 16);
    ze_device_memory_properties_t memory[16];
    memset(memory, 0, sizeof memory);
    for (uint32_t i = 0; i < 16; i++) memory[i].stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_PROPERTIES;
    assert_ok(zeDeviceGetMemoryProperties(zt.device, &n, memory));
    assert_true(memory[0].totalSize > 0);
    if (zt.is_cpu)
        assert_true(memory[0].totalSize <=
                    (uint64_t)sysconf(_SC_PHYS_PAGES) * (uint64_t)sysconf(_SC_PAGESIZE));
    assert_true(memchr(memory[0].name, 0, sizeof memory[0].name) != NULL);

    ze_device_memory_access_properties_t access = {
            .stype = ZE_STRUCTURE_TYPE_DEVICE_MEMORY_ACCESS_PROPERTIES};
    assert_ok(zeDeviceGetMemoryAccessProperties(zt.device, &access));
    assert_true(access.hostAllocCapabilities & ZE_MEMORY_ACCESS_CAP_FLAG_RW);
    assert_true(access.deviceAllocCapabilities & ZE_MEMORY_ACCESS_CAP_FLAG_RW);
    assert_int_equal((access.hostAllocCapabilities | access.deviceAllocCapabilities |
                             access.sharedSingleDeviceAllocCapabilities |
                             access.sharedSystemAllocCapabilities) &
                             ~0xfu,
            0);
}

static void cache_and_other_properties(void **state) {
    (void)state;
    uint32_t n = 0;
    assert_ok(zeDeviceGetCacheProperties(zt.device, &n, NULL));
    assert_true(n <= 16);
    ze_device_cache_properties_t caches[16];
    memset(caches, 0, sizeof caches);
    for (uint32_t i = 0; i < 16; i++) caches[i].stype = ZE_STRUCTURE_TYPE_DEVICE_CACHE_PROPERTIES;
    if (n) assert_ok(zeDeviceGetCacheProperties(zt.device, &n, caches));
    for (uint32_t i = 0; i < n; i++) assert_true(caches[i].cacheSize > 0);

    ze_device_image_properties_t image = {
            .stype = ZE_STRUCTURE_TYPE_DEVICE_IMAGE_PROPERTIES, .maxImageDims2D = 77};
    ze_result_t result = zeDeviceGetImageProperties(zt.device, &image);
    if (zt.is_cpu)
        assert_true(result == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE || image.maxImageDims2D == 0);
    ze_device_external_memory_properties_t external = {
            .stype = ZE_STRUCTURE_TYPE_DEVICE_EXTERNAL_MEMORY_PROPERTIES};
    result = zeDeviceGetExternalMemoryProperties(zt.device, &external);
    assert_true(result == ZE_RESULT_SUCCESS || result == ZE_RESULT_ERROR_UNSUPPORTED_FEATURE);
    if (zt.is_cpu) assert_int_equal(external.memoryAllocationExportTypes, 0);

    ze_bool_t peer = 0;
    assert_ok(zeDeviceCanAccessPeer(zt.device, zt.device, &peer));
    assert_true(peer);
    assert_ok(zeDeviceGetStatus(zt.device));
}

static void a_device_and_itself(void **state) {
    (void)state;
    ze_device_p2p_properties_t p2p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_P2P_PROPERTIES};
    assert_ok(zeDeviceGetP2PProperties(zt.device, zt.device, &p2p));
    assert_int_equal(
            p2p.flags & ~(ZE_DEVICE_P2P_PROPERTY_FLAG_ACCESS | ZE_DEVICE_P2P_PROPERTY_FLAG_ATOMICS),
            0);
    typedef ze_result_t (*get_root_t)(void *, void **);
    bool from_driver;
    get_root_t get_root = (get_root_t)newer_function("zeDeviceGetRootDevice", &from_driver);
    skip_unless(get_root, "neither loader nor driver has zeDeviceGetRootDevice");
    void *root = &p2p;
    assert_ok(get_root(
            from_driver ? raw_handle(ZEL_HANDLE_DEVICE, zt.device) : (void *)zt.device, &root));
    assert_null(root); /* it is a root itself */
}

static void timestamps_advance_with_the_host(void **state) {
    (void)state;
    uint64_t host[2], device[2];
    assert_ok(zeDeviceGetGlobalTimestamps(zt.device, &host[0], &device[0]));
    nanosleep(&(struct timespec){.tv_nsec = 50 * 1000 * 1000}, NULL);
    assert_ok(zeDeviceGetGlobalTimestamps(zt.device, &host[1], &device[1]));
    uint64_t mask = zt.properties.timestampValidBits == 64
                            ? UINT64_MAX
                            : (1ull << zt.properties.timestampValidBits) - 1;
    uint64_t ticks = (device[1] - device[0]) & mask;
    assert_true(host[1] > host[0]);
    assert_true(ticks > 0);
    if (!zt.is_cpu) return; /* the version of the structure decides: ns, or cycles per second */
    double ns = (double)ticks * (double)zt.properties.timerResolution;
    assert_true(ns >= 45e6 && ns < 5e9);
}

int main(void) {
    const struct CMUnitTest tests[] = {
            TEST(device_properties_are_stable),
            TEST(device_properties_are_plausible),
            TEST(compute_properties),
            TEST(module_properties),
            TEST(queue_groups),
            TEST(memory_properties),
            TEST(cache_and_other_properties),
            TEST(a_device_and_itself),
            TEST(timestamps_advance_with_the_host),
    };
    return RUN_TESTS(tests);
}
