/* SPDX-License-Identifier: Apache-2.0 */
/* Runs one of the kernels that are wrong. */
#include <level_zero/ze_api.h>
#include <stdio.h>
#include <stdlib.h>

enum { ITEMS = 16 };

static void ok(ze_result_t result, const char *what) {
    if (result == ZE_RESULT_SUCCESS) return;
    printf("%s: 0x%x\n", what, (unsigned)result);
    exit(1);
}
#define OK(call) ok(call, #call)

static size_t read_module(void *to, size_t room) {
    FILE *f = fopen(WRONG_SPIRV, "rb");
    const size_t size = f ? fread(to, 1, room, f) : 0;
    if (f) fclose(f);
    return size;
}

int main(int argc, char **argv) {
    static uint8_t spirv[65536];
    uint32_t one = 1;
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    ze_context_handle_t context;
    ze_command_list_handle_t list;
    ze_module_handle_t module;
    ze_kernel_handle_t kernel;
    void *numbers;
    if (argc != 2) return 2;
    OK(zeInit(0));
    OK(zeDriverGet(&one, &driver));
    OK(zeDeviceGet(driver, &one, &device));
    OK(zeContextCreate(
            driver, &(ze_context_desc_t){.stype = ZE_STRUCTURE_TYPE_CONTEXT_DESC}, &context));
    const ze_command_queue_desc_t queue = {.stype = ZE_STRUCTURE_TYPE_COMMAND_QUEUE_DESC,
            .mode = ZE_COMMAND_QUEUE_MODE_SYNCHRONOUS};
    OK(zeCommandListCreateImmediate(context, device, &queue, &list));
    const ze_module_desc_t code = {.stype = ZE_STRUCTURE_TYPE_MODULE_DESC,
            .format = ZE_MODULE_FORMAT_IL_SPIRV,
            .inputSize = read_module(spirv, sizeof spirv),
            .pInputModule = spirv,
            .pBuildFlags = ""};
    OK(zeModuleCreate(context, device, &code, &module, NULL));
    OK(zeKernelCreate(module,
            &(ze_kernel_desc_t){.stype = ZE_STRUCTURE_TYPE_KERNEL_DESC, .pKernelName = argv[1]},
            &kernel));
    const ze_device_mem_alloc_desc_t where = {.stype = ZE_STRUCTURE_TYPE_DEVICE_MEM_ALLOC_DESC};
    OK(zeMemAllocDevice(context, &where, ITEMS * sizeof(int), 0, device, &numbers));
    OK(zeKernelSetArgumentValue(kernel, 0, sizeof numbers, &numbers));
    OK(zeKernelSetGroupSize(kernel, ITEMS, 1, 1));
    OK(zeCommandListAppendLaunchKernel(list, kernel, &(ze_group_count_t){1, 1, 1}, NULL, 0, NULL));
    OK(zeMemFree(context, numbers));
    OK(zeKernelDestroy(kernel));
    OK(zeModuleDestroy(module));
    OK(zeCommandListDestroy(list));
    OK(zeContextDestroy(context));
    return 0;
}
