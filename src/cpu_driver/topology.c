/* SPDX-License-Identifier: Apache-2.0 */
/* The driver object, and its devices and sub-devices: one device, or as many as the environment
 * asks for. All of them are the same host. */
#include "device.h"
#include "newer.h"

struct _ze_driver_handle_t cpu_driver = {.object = {OBJECT_DRIVER}};

/* A device and its sub-devices have 8 consecutive ids, and all ids fit a word of 64 bits. */
enum { MAX_ROOTS = 8, FAMILY = 8, MAX_SUB_DEVICES = FAMILY - 1 };

static struct _ze_device_handle_t devices[MAX_ROOTS * FAMILY];
static uint32_t n_roots, n_subs;
static bool peers_reach;

static uint32_t env_count(const char *name, uint32_t fallback, uint32_t most) {
    const long count = env_long(name, fallback);
    if (count < (long)fallback) return fallback;
    return count > (long)most ? most : (uint32_t)count;
}

static void show(uint32_t id, ze_device_handle_t root) {
    devices[id] = (struct _ze_device_handle_t){
            .object = {OBJECT_DEVICE}, .driver = &cpu_driver, .root = root, .id = id};
}

static void build(void) {
    n_roots = env_count("ZE_CPU_DEVICES", 1, MAX_ROOTS);
    n_subs = env_count("ZE_CPU_SUB_DEVICES", 0, MAX_SUB_DEVICES);
    if (n_subs == 1) n_subs = 0; /* a single part is the whole device */
    peers_reach = env_long("ZE_CPU_PEER_ACCESS", 1) != 0;
    for (uint32_t i = 0; i < n_roots; i++) {
        show(i * FAMILY, NULL);
        for (uint32_t j = 1; j <= n_subs; j++) show(i * FAMILY + j, &devices[i * FAMILY]);
    }
}

static void look(void) {
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, build);
}

uint32_t device_part(ze_device_handle_t device) {
    return device->id % FAMILY;
}

uint32_t device_parts(ze_device_handle_t device) {
    return device->root && n_subs ? n_subs : 1;
}

uint64_t device_family(ze_device_handle_t device) {
    const uint64_t own = 1ull << device->id;
    return device->root ? own : own * ((1u << FAMILY) - 1);
}

bool device_reaches(ze_device_handle_t device, ze_device_handle_t peer) {
    return peers_reach || device->id / FAMILY == peer->id / FAMILY;
}

ze_result_t zeDeviceGet(ze_driver_handle_t driver, uint32_t *count, ze_device_handle_t *out) {
    CHECK_HANDLE(driver, OBJECT_DRIVER);
    CHECK_POINTER(count);
    look();
    const uint32_t n = answer_count(count, n_roots, out);
    for (uint32_t i = 0; i < n; i++) out[i] = &devices[i * FAMILY];
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetSubDevices(
        ze_device_handle_t device, uint32_t *count, ze_device_handle_t *out) {
    CHECK_HANDLE(device, OBJECT_DEVICE);
    CHECK_POINTER(count);
    if (device->root || !n_subs) {
        *count = 0;
        return ZE_RESULT_SUCCESS;
    }
    const uint32_t n = answer_count(count, n_subs, out);
    for (uint32_t i = 0; i < n; i++) out[i] = device + 1 + i;
    return ZE_RESULT_SUCCESS;
}

ze_result_t zeDeviceGetRootDevice(ze_device_handle_t device, ze_device_handle_t *out) {
    CHECK_HANDLE(device, OBJECT_DEVICE);
    CHECK_POINTER(out);
    *out = device->root; /* NULL: the device is a root device */
    return ZE_RESULT_SUCCESS;
}
