/* SPDX-License-Identifier: Apache-2.0 */
/* gpu_report [FILE]: writes one line about the device that the tests run on, its driver and the
 * kernels of the library, for reports of errors. */
#include <inttypes.h>
#include <stdio.h>

#include "oneapi/dnnl/dnnl.h"
#include "oneapi/dnnl/dnnl_ze.h"
#include "plan/variant.h"
#include "ze/identity.h"
#include "ze/runtime.h"

enum { MEBIBYTE = 1 << 20 };

static void print_device(FILE *out, const device_id_t *id, const caps_t *caps) {
    fprintf(out, "%s, %04x:%04x", id->name, id->vendor, id->device);
    if (caps->ip_version)
        fprintf(out, ", ip %u.%u.%u", caps->ip_version >> 22, caps->ip_version >> 14 & 255,
                caps->ip_version & 63);
    fprintf(out, ", %s, %" PRIu64 " MiB%s%s", caps->is_cpu ? "CPU" : "GPU",
            caps->total_mem_size / MEBIBYTE, caps->has_fp64 ? "" : ", no f64",
            caps->has_fp16 ? "" : ", no f16");
    if (caps->matrix_subgroup) fprintf(out, ", matrix units of %d lanes", caps->matrix_subgroup);
}

static void print_driver(FILE *out, const device_id_t *id, ze_driver_handle_t driver) {
    const uint32_t v = id->driver_version;
    ze_api_version_t api = 0;
    ze.DriverGetApiVersion(driver, &api);
    fprintf(out, "; driver %u.%u.%u, Level Zero %u.%u", v >> 24, v >> 16 & 255, v & 65535,
            (unsigned)api >> 16, (unsigned)api & 65535);
}

/* The hash tells apart builds whose kernels differ. */
static void print_kernels(FILE *out, const caps_t *caps) {
    const dnnl_version_t *version = dnnl_version();
    uint64_t hash = 0;
    int runs = 0;
    for (int i = 0; i < variant_count; i++) {
        hash = (hash << 5 | hash >> 59) ^ variants[i].spirv_hash;
        runs += variant_runs_on(&variants[i], caps);
    }
    fprintf(out,
            "; libdnnl_ze %d.%d.%d (%s); %d of %d kernels, %016" PRIx64 ", " KERNEL_COMPILER "\n",
            version->major, version->minor, version->patch, version->hash, runs, variant_count,
            hash);
}

int main(int argc, char **argv) {
    dnnl_engine_t engine;
    ze_driver_handle_t driver;
    ze_device_handle_t device;
    identity_t id;
    if (dnnl_engine_create(&engine, dnnl_gpu, 0) != dnnl_success ||
            dnnl_ze_interop_engine_get_driver(engine, &driver) != dnnl_success ||
            dnnl_ze_interop_engine_get_device(engine, &device) != dnnl_success ||
            identity_get(&id, driver, device) != dnnl_success) {
        fprintf(stderr, "no engine on the first device\n");
        return 77;
    }
    FILE *out = argc > 1 ? fopen(argv[1], "w") : stdout;
    if (!out) return perror(argv[1]), 1;
    print_device(out, &id.device, engine_caps(engine));
    print_driver(out, &id.device, driver);
    print_kernels(out, engine_caps(engine));
    if (out != stdout) fclose(out);
    dnnl_engine_destroy(engine);
    return 0;
}
