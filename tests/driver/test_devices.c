/* SPDX-License-Identifier: Apache-2.0 */
/* Several devices and sub-devices of one driver: who they are, what belongs to whom, work on
 * each. On the CPU driver they are asked for by the environment; elsewhere there may be one. */
#include "ze_test.h"

enum { MAX = 64, N = 1000 };

static struct {
    ze_device_handle_t device[MAX], root[MAX]; /* root NULL: it is one */
    uint32_t n, n_roots;
} all;

/* Devices, each followed by its sub-devices. */
static int list_all(void **state) {
    (void)state;
    ze_device_handle_t roots[8];
    all.n = 0;
    all.n_roots = COUNT_OF(roots);
    assert_ok(zeDeviceGet(zt.driver, &all.n_roots, roots));
    for (uint32_t i = 0; i < all.n_roots; i++) {
        uint32_t n = 0;
        all.root[all.n] = NULL;
        all.device[all.n++] = roots[i];
        assert_ok(zeDeviceGetSubDevices(roots[i], &n, NULL));
        if (n > MAX / 8 - 1) n = MAX / 8 - 1;
        if (n) assert_ok(zeDeviceGetSubDevices(roots[i], &n, all.device + all.n));
        for (uint32_t j = 0; j < n; j++) all.root[all.n++] = roots[i];
    }
    return 0;
}

static ze_device_properties_t properties(ze_device_handle_t device) {
    ze_device_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    assert_ok(zeDeviceGetProperties(device, &p));
    return p;
}

static void as_many_as_asked_for(void **state) {
    (void)state;
    const char *devices = getenv("ZE_CPU_DEVICES"), *parts = getenv("ZE_CPU_SUB_DEVICES");
    skip_unless(zt.is_cpu && devices && parts, "the number of devices is the machine's");
    assert_int_equal(all.n_roots, atoi(devices));
    assert_int_equal(all.n, atoi(devices) * (1 + atoi(parts)));
}

static void each_is_itself(void **state) {
    (void)state;
    for (uint32_t i = 0; i < all.n; i++) {
        const ze_device_properties_t p = properties(all.device[i]);
        for (uint32_t j = 0; j < i; j++) {
            const ze_device_properties_t q = properties(all.device[j]);
            assert_ptr_not_equal(all.device[i], all.device[j]);
            assert_memory_not_equal(&p.uuid, &q.uuid, sizeof p.uuid);
            if (all.root[i] && all.root[i] == all.root[j])
                assert_int_not_equal(p.subdeviceId, q.subdeviceId);
        }
        assert_int_equal(!!(p.flags & ZE_DEVICE_PROPERTY_FLAG_SUBDEVICE), all.root[i] != NULL);
        if (!all.root[i]) continue;
        const ze_device_properties_t root = properties(all.root[i]);
        assert_int_equal(p.type, root.type);
        assert_true(p.maxMemAllocSize <= root.maxMemAllocSize);
    }
}

static void roots_of_parts(void **state) {
    (void)state;
    typedef ze_result_t (*get_root_t)(ze_device_handle_t, ze_device_handle_t *);
    bool from_driver;
    get_root_t get_root = (get_root_t)newer_function("zeDeviceGetRootDevice", &from_driver);
    skip_unless(get_root, "zeDeviceGetRootDevice is not there");
    for (uint32_t i = 0; i < all.n; i++) {
        ze_device_handle_t root = zt.device;
        ze_device_handle_t device = all.device[i], expected = all.root[i];
        if (from_driver) {
            device = raw_handle(ZEL_HANDLE_DEVICE, device);
            expected = expected ? raw_handle(ZEL_HANDLE_DEVICE, expected) : NULL;
        }
        assert_ok(get_root(device, &root));
        assert_ptr_equal(root, expected);
    }
}

static void parts_have_no_parts(void **state) {
    (void)state;
    skip_unless(zt.is_cpu, "a GPU's parts may have parts");
    for (uint32_t i = 0; i < all.n; i++) {
        uint32_t n = 7;
        if (!all.root[i]) continue;
        assert_ok(zeDeviceGetSubDevices(all.device[i], &n, NULL));
        assert_int_equal(n, 0);
    }
}

/* A device reaches itself and its parts; whether it reaches others is up to it, and the two
 * answers agree. */
static void peers(void **state) {
    (void)state;
    const char *access = getenv("ZE_CPU_PEER_ACCESS");
    for (uint32_t i = 0; i < all.n; i++)
        for (uint32_t j = 0; j < all.n; j++) {
            ze_device_p2p_properties_t p = {.stype = ZE_STRUCTURE_TYPE_DEVICE_P2P_PROPERTIES};
            const ze_device_handle_t a = all.root[i] ? all.root[i] : all.device[i];
            const ze_device_handle_t b = all.root[j] ? all.root[j] : all.device[j];
            ze_bool_t reaches = false;
            assert_ok(zeDeviceGetP2PProperties(all.device[i], all.device[j], &p));
            assert_ok(zeDeviceCanAccessPeer(all.device[i], all.device[j], &reaches));
            assert_int_equal(!!reaches, !!(p.flags & ZE_DEVICE_P2P_PROPERTY_FLAG_ACCESS));
            if (zt.is_cpu) assert_int_equal(!!reaches, a == b || !access || atoi(access));
        }
}

/* A context for one device serves its sub-devices, and no other. */
static void contexts_for_some(void **state) {
    (void)state;
    const ze_context_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    const ze_device_mem_alloc_desc_t memory = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    for (uint32_t i = 0; i < all.n; i++) {
        ze_context_handle_t context;
        assert_ok(zeContextCreateEx(zt.driver, &desc, 1, &all.device[i], &context));
        for (uint32_t j = 0; j < all.n; j++) {
            void *pointer = NULL;
            ze_result_t result =
                    zeMemAllocDevice(context, &memory, 64, 64, all.device[j], &pointer);
            if (i == j || all.root[j] == all.device[i]) assert_ok(result);
            else if (zt.is_cpu) assert_result(result, ZE_RESULT_ERROR_INVALID_ARGUMENT);
            if (result == ZE_RESULT_SUCCESS) assert_ok(zeMemFree(context, pointer));
        }
        assert_ok(zeContextDestroy(context));
    }
}

/* Memory, a module and a list on each, and one buffer that all of them write to in turn. */
static void work_on_each(void **state) {
    (void)state;
    blob_t spirv = read_spirv("basic");
    const ze_device_mem_alloc_desc_t desc = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    const ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
            .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    const ze_module_desc_t from = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
            .format = ZE_MODULE_FORMAT_IL_SPIRV,
            .inputSize = spirv.size,
            .pInputModule = spirv.bytes};
    uint32_t *host = usm(USM_HOST, N * sizeof *host);
    for (uint32_t i = 0; i < all.n; i++) {
        ze_module_handle_t module;
        ze_command_list_handle_t list;
        ze_device_handle_t owner = NULL;
        ze_memory_allocation_properties_t p = {
                .stype = ZE_STRUCTURE_TYPE_MEMORY_ALLOCATION_PROPERTIES};
        void *memory;
        const uint32_t pattern = 0x01020304u + i;
        assert_ok(zeModuleCreate(zt.context, all.device[i], &from, &module, NULL));
        assert_ok(zeCommandListCreateImmediate(zt.context, all.device[i], &queue, &list));
        assert_ok(
                zeMemAllocDevice(zt.context, &desc, N * sizeof *host, 64, all.device[i], &memory));
        assert_ok(zeMemGetAllocProperties(zt.context, memory, &p, &owner));
        assert_int_equal(p.type, ZE_MEMORY_TYPE_DEVICE);
        assert_ptr_equal(owner, all.device[i]);
        assert_ok(zeCommandListAppendMemoryFill(
                list, memory, &pattern, sizeof pattern, N * sizeof *host, NULL, 0, NULL));
        assert_ok(
                zeCommandListAppendMemoryCopy(list, host, memory, N * sizeof *host, NULL, 0, NULL));
        for (int k = 0; k < N; k++) assert_int_equal(host[k], pattern);
        assert_ok(zeMemFree(zt.context, memory));
        assert_ok(zeCommandListDestroy(list));
        assert_ok(zeModuleDestroy(module));
    }
    usm_free(host);
    free(spirv.bytes);
}

int main(void) {
    const struct CMUnitTest devices[] = {TEST(as_many_as_asked_for), TEST(each_is_itself),
            TEST(roots_of_parts), TEST(parts_have_no_parts), TEST(peers), TEST(contexts_for_some),
            TEST(work_on_each)};
    return RUN_TESTS_WITH(devices, list_all, NULL);
}
