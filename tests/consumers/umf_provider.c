/* SPDX-License-Identifier: Apache-2.0 */
/* Memory of each kind from UMF's Level Zero provider. Exit code 0: all of it was usable. */
#include <level_zero/ze_api.h>
#include <stdio.h>
#include <string.h>
#include <umf/memory_provider.h>
#include <umf/providers/provider_level_zero.h>

enum { TIMES = 100, SIZE = 5000 };

static int allocate(ze_context_handle_t context, ze_device_handle_t device,
        umf_usm_memory_type_t type, ze_command_list_handle_t list) {
    umf_level_zero_memory_provider_params_handle_t params;
    umf_memory_provider_handle_t provider;
    if (umfLevelZeroMemoryProviderParamsCreate(&params) ||
            umfLevelZeroMemoryProviderParamsSetContext(params, context) ||
            umfLevelZeroMemoryProviderParamsSetDevice(
                    params, type == UMF_MEMORY_TYPE_HOST ? NULL : device) ||
            umfLevelZeroMemoryProviderParamsSetMemoryType(params, type) ||
            umfMemoryProviderCreate(umfLevelZeroMemoryProviderOps(), params, &provider))
        return 1;
    char back[SIZE];
    int bad = 0;
    for (int i = 0; i < TIMES && !bad; i++) {
        const char value = (char)i;
        void *p = NULL;
        bad = umfMemoryProviderAlloc(provider, SIZE, 64, &p) ||
              zeCommandListAppendMemoryFill(list, p, &value, 1, SIZE, NULL, 0, NULL) ||
              zeCommandListAppendMemoryCopy(list, back, p, SIZE, NULL, 0, NULL) ||
              back[0] != value || memcmp(back, back + 1, SIZE - 1) ||
              umfMemoryProviderFree(provider, p, SIZE);
    }
    umfMemoryProviderDestroy(provider);
    umfLevelZeroMemoryProviderParamsDestroy(params);
    return bad;
}

int main(void) {
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
    ze_command_list_handle_t list;
    uint32_t n = 1;
    const ze_context_desc_t context_desc = {.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC};
    const ze_command_queue_desc_t queue_desc = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
            .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    if (zeInit(0) || zeDriverGet(&n, &driver) || zeDeviceGet(driver, &n, &device) ||
            zeContextCreate(driver, &context_desc, &context) ||
            zeCommandListCreateImmediate(context, device, &queue_desc, &list))
        return 1;
    return allocate(context, device, UMF_MEMORY_TYPE_HOST, list) ||
           allocate(context, device, UMF_MEMORY_TYPE_DEVICE, list) ||
           allocate(context, device, UMF_MEMORY_TYPE_SHARED, list);
}
