/* SPDX-License-Identifier: Apache-2.0 */
/* A program of somebody else, built against the installed library: the versions of header and
 * library agree.
 */
#include <stdio.h>

#include "dnnl_debug.h"
#include "oneapi/dnnl/dnnl_ze.h"

int main(void) {
    const dnnl_version_t *v = dnnl_version();
    if (!v || v->major != DNNL_VERSION_MAJOR || v->minor != DNNL_VERSION_MINOR) return 1;
    if (v->gpu_runtime != DNNL_RUNTIME_ZE || v->cpu_runtime != DNNL_RUNTIME_NONE) return 2;
    if (dnnl_ze_interop_engine_get_device(NULL, NULL) != dnnl_invalid_arguments) return 3;
    printf("oneDNN API %d.%d.%d on %s\n", v->major, v->minor, v->patch,
            dnnl_runtime2str(v->gpu_runtime));
    return 0;
}
