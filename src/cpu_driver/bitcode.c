/* SPDX-License-Identifier: Apache-2.0 */
/* Translates SPIR-V to LLVM bitcode, for a PoCL that does not support SPIR-V. Runs llvm-spirv as a
 * process. */
#define _GNU_SOURCE
#include "module.h"
#include "ocl.h"
#include "say.h"

#include <errno.h>
#include <fcntl.h>
#include <spawn.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <sys/wait.h>
#include <unistd.h>

extern char **environ;

/* Reads a whole file; the caller frees *out. */
static bool read_all(int fd, void **out, size_t *size) {
    struct stat st;
    if (fstat(fd, &st) != 0 || st.st_size < 0) return false;
    size_t n = (size_t)st.st_size, done = 0;
    char *bytes = malloc(n + 1);
    if (!bytes) return false;
    while (done < n) {
        ssize_t got = pread(fd, bytes + done, n - done, (off_t)done);
        if (got <= 0) break;
        done += (size_t)got;
    }
    bytes[done] = 0;
    *out = bytes;
    *size = done;
    return true;
}

static bool write_all(int fd, const void *bytes, size_t size) {
    const char *p = bytes;
    while (size) {
        ssize_t n = write(fd, p, size);
        if (n < 0 && errno == EINTR) continue;
        if (n <= 0) return false;
        p += n;
        size -= (size_t)n;
    }
    return true;
}

/* Runs `tool -r -o - /dev/stdin` with the three files as its standard streams. The tool does not
 * support "-" as its input. Returns the wait status of the process, or -1 if it was not started. */
static int run_translator(const char *tool, int in, int out, int err) {
    char *argv[] = {(char *)(uintptr_t)tool, (char[]){"-r"}, (char[]){"-o"}, (char[]){"-"},
            (char[]){"/dev/stdin"}, NULL};
    posix_spawn_file_actions_t actions;
    if (posix_spawn_file_actions_init(&actions) != 0) return -1;
    posix_spawn_file_actions_adddup2(&actions, in, 0);
    posix_spawn_file_actions_adddup2(&actions, out, 1);
    posix_spawn_file_actions_adddup2(&actions, err, 2);
    pid_t pid;
    int status = -1;
    if (posix_spawnp(&pid, tool, &actions, NULL, argv, environ) == 0)
        while (waitpid(pid, &status, 0) < 0)
            if (errno != EINTR) {
                status = -1;
                break;
            }
    posix_spawn_file_actions_destroy(&actions);
    return status;
}

/* The LLVM version that PoCL is built with. PoCL reads no bitcode of newer versions. */
static int version_of_pocl(void) {
    enum { LLVM_OF_POCL_3_1 = 15 };
    const ocl_t *ocl = ocl_get();
    const char *llvm = ocl ? strstr(ocl->version, "LLVM ") : NULL;
    const int version = llvm ? atoi(llvm + strlen("LLVM ")) : 0;
    return version > 0 ? version : LLVM_OF_POCL_3_1;
}

static int translate(int in, int out, int err) {
    const char *chosen = secure_getenv("ZE_CPU_LLVM_SPIRV");
    if (chosen && *chosen) return run_translator(chosen, in, out, err);
    char fitting[32];
    snprintf(fitting, sizeof fitting, "llvm-spirv-%d", version_of_pocl());
    const char *const tools[] = {fitting, "llvm-spirv-15", "llvm-spirv-14", "llvm-spirv"};
    for (size_t i = 0; i < COUNT_OF(tools); i++) {
        int status = run_translator(tools[i], in, out, err);
        if (status != -1 && !(WIFEXITED(status) && WEXITSTATUS(status) == 127)) return status;
    }
    return -1;
}

ze_result_t bitcode_from_spirv(
        const void *spirv, size_t size, void **out, size_t *out_size, log_t *log) {
    int in = memfd_create("spirv", MFD_CLOEXEC), bc = memfd_create("bitcode", MFD_CLOEXEC),
        err = memfd_create("messages", MFD_CLOEXEC);
    ze_result_t result = ZE_RESULT_ERROR_OUT_OF_HOST_MEMORY;
    void *messages = NULL;
    size_t n_messages = 0;
    *out = NULL;
    if (in >= 0 && bc >= 0 && err >= 0 && write_all(in, spirv, size) &&
            lseek(in, 0, SEEK_SET) == 0) {
        int status = translate(in, bc, err);
        read_all(err, &messages, &n_messages);
        if (status == -1) {
            say("no SPIR-V translator: llvm-spirv-%d was not found in PATH (Debian: apt install "
                "llvm-spirv-%d; ZE_CPU_LLVM_SPIRV can name another)",
                    version_of_pocl(), version_of_pocl());
            log_add(log, "error: %s\n", said());
            result = ZE_RESULT_ERROR_DEPENDENCY_UNAVAILABLE;
        } else if (!WIFEXITED(status) || WEXITSTATUS(status) != 0) {
            log_add(log, "error: the SPIR-V translator refused the module:\n%s\n",
                    messages ? (char *)messages : "");
            result = ZE_RESULT_ERROR_MODULE_BUILD_FAILURE;
        } else if (read_all(bc, out, out_size)) {
            result = ZE_RESULT_SUCCESS;
        }
    }
    free(messages);
    if (in >= 0) close(in);
    if (bc >= 0) close(bc);
    if (err >= 0) close(err);
    return result;
}
