/* SPDX-License-Identifier: Apache-2.0 */
/* Runs a fuzz target once over every file of some folders, or over the files named, without a
 * fuzzer. */
#include <algorithm>
#include <csignal>
#include <cstdio>
#include <cstdlib>
#include <cstring>
#include <filesystem>
#include <fstream>
#include <iterator>
#include <string>
#include <vector>

#include <unistd.h>

#include "target.hpp"

static std::string current; /* the input at work */

static void say_which(int signal) {
    static const char text[] = "\ncrashed at input ";
    ssize_t unused = write(2, text, sizeof text - 1);
    unused = write(2, current.data(), current.size());
    unused = write(2, "\n", 1);
    (void)unused;
    std::signal(signal, SIG_DFL);
    raise(signal);
}

int main(int argc, char **argv) {
    std::vector<std::string> files;
    for (int i = 1; i < argc; i++)
        if (std::filesystem::is_directory(argv[i]))
            for (const auto &entry : std::filesystem::directory_iterator(argv[i]))
                files.push_back(entry.path());
        else files.push_back(argv[i]);
    std::sort(files.begin(), files.end());
#ifndef __SANITIZE_ADDRESS__ /* has handlers of its own, and prints more */
    for (int signal : {SIGSEGV, SIGBUS, SIGFPE, SIGILL, SIGABRT}) std::signal(signal, say_which);
#else
    std::signal(SIGABRT, say_which);
#endif
    LLVMFuzzerInitialize(&argc, &argv);
    for (const std::string &file : files) {
        std::ifstream in(file, std::ios::binary);
        const std::vector<char> bytes(
                (std::istreambuf_iterator<char>(in)), std::istreambuf_iterator<char>());
        current = file;
        LLVMFuzzerTestOneInput((const uint8_t *)bytes.data(), bytes.size());
    }
    const bool is_in_order = finish_target();
    printf("%zu inputs\n", files.size());
    return files.empty() || !is_in_order; /* nothing ran: nothing was found */
}
