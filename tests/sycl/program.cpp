/* SPDX-License-Identifier: Apache-2.0 */
#include "program.hpp"

// With arguments: the scenarios of these names only.
int run_all(int argc, char **argv, const std::vector<scenario> &scenarios) {
    int failed = 0;
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
