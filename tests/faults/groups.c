/* SPDX-License-Identifier: Apache-2.0 */
/* The tables in which nothing fails: the loader wants them, nobody here calls what they hold. */
#include <string.h>

#include "fault_driver.h"

typedef ze_result_t (*get_table_t)(ze_api_version_t, void *);

static ze_result_t pass_on(const char *symbol, ze_api_version_t version, void *table) {
    void *entry = other_driver(symbol);
    get_table_t get;
    memcpy(&get, &entry, sizeof get);
    return get ? get(version, table) : ZE_RESULT_ERROR_UNSUPPORTED_FEATURE;
}

/* Their types are in headers that declare these functions; to hand a table on no type is needed. */
#define PASSED_ON(Group)                                                                           \
    __attribute__((visibility("default"))) ze_result_t Group##ProcAddrTable(                       \
            ze_api_version_t version, void *table);                                                \
    ze_result_t Group##ProcAddrTable(ze_api_version_t version, void *table) {                      \
        return pass_on(#Group "ProcAddrTable", version, table);                                    \
    }

PASSED_ON(zeGetDeviceExp)
PASSED_ON(zeGetCommandListExp)
PASSED_ON(zeGetEventExp)
PASSED_ON(zeGetImage)
PASSED_ON(zeGetImageExp)
PASSED_ON(zeGetKernelExp)
PASSED_ON(zeGetPhysicalMem)
PASSED_ON(zeGetSampler)
PASSED_ON(zeGetVirtualMem)
PASSED_ON(zetGetDevice)
PASSED_ON(zetGetContext)
PASSED_ON(zetGetCommandList)
PASSED_ON(zetGetModule)
PASSED_ON(zetGetKernel)
PASSED_ON(zetGetMetricGroup)
PASSED_ON(zetGetMetricGroupExp)
PASSED_ON(zetGetMetric)
PASSED_ON(zetGetMetricStreamer)
PASSED_ON(zetGetMetricQueryPool)
PASSED_ON(zetGetMetricQuery)
PASSED_ON(zetGetTracerExp)
PASSED_ON(zetGetDebug)
PASSED_ON(zesGetDriver)
PASSED_ON(zesGetDevice)
PASSED_ON(zesGetScheduler)
PASSED_ON(zesGetPerformanceFactor)
PASSED_ON(zesGetPower)
PASSED_ON(zesGetFrequency)
PASSED_ON(zesGetEngine)
PASSED_ON(zesGetStandby)
PASSED_ON(zesGetFirmware)
PASSED_ON(zesGetMemory)
PASSED_ON(zesGetFabricPort)
PASSED_ON(zesGetTemperature)
PASSED_ON(zesGetPsu)
PASSED_ON(zesGetFan)
PASSED_ON(zesGetLed)
PASSED_ON(zesGetRas)
PASSED_ON(zesGetDiagnostics)
