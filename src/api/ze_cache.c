/* SPDX-License-Identifier: Apache-2.0 */
/* The on-disk cache of compiled kernels. */
#include "oneapi/dnnl/dnnl_ze_cache.h"

#include "core/check.h"
#include "core/disk_cache.h"
#include "ze/runtime.h"

dnnl_status_t dnnl_ze_set_cache_folder(const char *folder, size_t max_bytes) {
    TRY(ze_check_process("code_cache"));
    const dnnl_status_t status = disk_cache_set(folder, max_bytes);
    CHECK_ARG(status == dnnl_success, "code_cache", "the name of the folder is too long");
    return status;
}
