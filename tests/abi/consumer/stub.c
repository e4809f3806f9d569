/* SPDX-License-Identifier: Apache-2.0 */
/* Stands for oneDNN's own library when a program is linked; a program that runs with it fails. */
#include "oneapi/dnnl/dnnl_ze.h"

const dnnl_version_t *dnnl_version(void) {
    return NULL;
}
const char *dnnl_runtime2str(unsigned v) {
    return v ? "" : NULL;
}
dnnl_status_t dnnl_ze_interop_engine_get_device(dnnl_engine_t engine, ze_device_handle_t *device) {
    return engine || device ? dnnl_success : dnnl_runtime_error;
}
