/* SPDX-License-Identifier: Apache-2.0 */
/* Finds the OpenCL loader and its entry points. */
#include "ocl/loader.h"

#include "core/status.h"
#include "core/verbose.h"
#include "ze/library.h"

ocl_table_t ocl;

static const entry_point_t entries[] = {
#define X(name, type, params) {"cl" #name, offsetof(ocl_table_t, name), true},
        OCL_ENTRY_POINTS(X)
#undef X
#define X(name, type, params) {"cl" #name, offsetof(ocl_table_t, name), false},
                OCL_OPTIONAL_ENTRY_POINTS(X)
#undef X
};

static library_t library = {.file = "libOpenCL.so.1",
        .what = "OpenCL loader",
        .package = "ocl-icd-libopencl1",
        .entries = entries,
        .nentries = sizeof entries / sizeof *entries,
        .table = &ocl,
        .lock = PTHREAD_MUTEX_INITIALIZER};

dnnl_status_t ocl_load(void) {
    TRY(ze_watch_process());
    return library_load(&library);
}

dnnl_status_t ocl_status(cl_int result) {
    if (result == CL_SUCCESS) return dnnl_success;
    const bool memory = result == CL_MEM_OBJECT_ALLOCATION_FAILURE ||
                        result == CL_OUT_OF_RESOURCES || result == CL_OUT_OF_HOST_MEMORY;
    return memory ? dnnl_out_of_memory : dnnl_runtime_error;
}

dnnl_status_t ocl_report(cl_int result, const char *call) {
    const bool memory = ocl_status(result) == dnnl_out_of_memory;
    return verbose_error(ocl_status(result), "ocl", "%s answers %d%s", call, (int)result,
            memory ? ", which means that memory or resources are missing" : "");
}
