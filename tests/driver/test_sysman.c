/* SPDX-License-Identifier: Apache-2.0 */
/* The system interface as hwloc uses it: devices are found by their identifiers, and have names. */
#include "ze_test.h"

#include <dlfcn.h>
#include <level_zero/zes_api.h>

/* Declarations that older headers lack. */
typedef struct {
    uint8_t id[ZE_MAX_DEVICE_UUID_SIZE];
} uuid_t;
static struct {
    ze_result_t (*init)(uint32_t);
    ze_result_t (*drivers)(uint32_t *, zes_driver_handle_t *);
    ze_result_t (*devices)(zes_driver_handle_t, uint32_t *, zes_device_handle_t *);
    ze_result_t (*find)(
            zes_driver_handle_t, uuid_t, zes_device_handle_t *, ze_bool_t *, uint32_t *);
} zes;

static bool look_up(const char *name, void *function) {
    void *found = dlsym(RTLD_DEFAULT, name);
    memcpy(function, &found, sizeof found);
    return found != NULL;
}

/* The one driver; NULL where the loader is too old, or the driver has no system interface. */
static zes_driver_handle_t open_driver(void) {
    zes_driver_handle_t driver = NULL;
    uint32_t n = 1;
    if (!look_up("zesInit", &zes.init) || !look_up("zesDriverGet", &zes.drivers) ||
            !look_up("zesDeviceGet", &zes.devices))
        return NULL;
    const ze_result_t result = zes.init(0);
    if (zt.is_cpu) assert_ok(result);
    if (result || zes.drivers(&n, &driver)) return NULL;
    return driver;
}

static void devices_have_names(void **state) {
    (void)state;
    zes_driver_handle_t driver = open_driver();
    skip_unless(driver, "no system interface");
    uint32_t n = 0;
    assert_ok(zes.devices(driver, &n, NULL));
    assert_in_range(n, 1, 64);
    zes_device_handle_t devices[64];
    assert_ok(zes.devices(driver, &n, devices));
    zes_device_properties_t p = {.stype = ZES_STRUCTURE_TYPE_DEVICE_PROPERTIES};
    assert_ok(zesDeviceGetProperties(devices[0], &p));
    assert_memory_equal(p.core.uuid.id, zt.properties.uuid.id, sizeof p.core.uuid.id);
    assert_true(strlen((const char *)p.modelName) > 0);
    uint32_t none = 7;
    if (zt.is_cpu) {
        assert_ok(zesDeviceEnumMemoryModules(devices[0], &none, NULL));
        assert_int_equal(none, 0);
        assert_ok(zesDeviceEnumFabricPorts(devices[0], &none, NULL));
        assert_int_equal(none, 0);
        assert_refused(zesDeviceGetProperties(devices[0], NULL));
    }
}

static void devices_are_found(void **state) {
    (void)state;
    zes_driver_handle_t driver = open_driver();
    skip_unless(driver && look_up("zesDriverGetDeviceByUuidExp", &zes.find), "no such call");
    uuid_t uuid;
    memcpy(uuid.id, zt.properties.uuid.id, sizeof uuid.id);
    zes_device_handle_t device = NULL;
    ze_bool_t is_sub_device = 7;
    uint32_t number = 7;
    assert_ok(zes.find(driver, uuid, &device, &is_sub_device, &number));
    assert_non_null(device);
    assert_int_equal(is_sub_device, 0);
    uuid.id[3] ^= 0x55;
    assert_refused(zes.find(driver, uuid, &device, &is_sub_device, &number));
}

/* hwloc asks with a structure that it has not initialised. */
static void structures_without_a_type(void **state) {
    (void)state;
    skip_unless_checked();
    ze_device_properties_t p;
    memset(&p, 0x5a, sizeof p);
    assert_ok(zeDeviceGetProperties(zt.device, &p));
    assert_memory_equal(p.uuid.id, zt.properties.uuid.id, sizeof p.uuid.id);
}

int main(void) {
    const struct CMUnitTest sysman[] = {
            TEST(devices_have_names), TEST(devices_are_found), TEST(structures_without_a_type)};
    return RUN_TESTS(sysman);
}
