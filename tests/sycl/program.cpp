/* SPDX-License-Identifier: Apache-2.0 */
#include "program.hpp"

#include <cstring>

// Whether the driver has what the runtime needs for a queue. The adapter v2 needs counter-based
// events.
static bool has_queues() {
    try {
        const sycl::device device;
        const sycl::context context(device);
        sycl::queue q(context, device, sycl::property::queue::in_order());
        float *p = sycl::malloc_shared<float>(16, q);
        q.memset(p, 0, 16 * sizeof(float)).wait();
        sycl::free(p, q);
    } catch (const sycl::exception &e) {
        if (!std::strstr(e.what(), "UNSUPPORTED_FEATURE")) throw;
        std::printf("skipped: no queue can be made: %s\n", e.what());
        return false;
    }
    return true;
}

// With arguments: the scenarios of these names only.
int run_all(int argc, char **argv, const std::vector<scenario> &scenarios) {
    int failed = 0;
    if (!has_queues()) return 77;
    const application app;
    std::fprintf(stderr, "on %s\n", app.device.get_info<sycl::info::device::name>().c_str());
    for (const scenario &each : scenarios) {
        bool wanted = argc < 2;
        for (int i = 1; i < argc; i++) wanted = wanted || std::string(argv[i]) == each.name;
        if (!wanted) continue;
        std::string reason;
        std::printf("%s\n", each.name);
        try {
            each.run(app);
        } catch (const std::exception &e) {
            reason = e.what();
        }
        std::printf("%s: %s\n", each.name, reason.empty() ? "passed" : "FAILED");
        if (!reason.empty()) std::fprintf(stderr, "%s: %s\n", each.name, reason.c_str());
        std::fflush(stdout);
        failed += !reason.empty();
    }
    return failed ? 1 : 0;
}
