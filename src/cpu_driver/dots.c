/* SPDX-License-Identifier: Apache-2.0 */
/* Which dot products the CPU has. */
#include "dots.h"

#include <stdlib.h>
#include <string.h>

#if defined(__x86_64__)
#include <cpuid.h>
#include <sys/syscall.h>
#include <unistd.h>
#endif

#include "host.h"
#include "llvm_api.h"
#include "ocl.h"

#if defined(__x86_64__)
/* Has the CPU tile registers, and does the system let this process use them? It keeps 8 KiB more
 * for each thread that does. */
static bool has_tiles(void) {
    enum { BF16 = 1 << 22, TILE = 1 << 24, INT8 = 1 << 25, ALL = BF16 | TILE | INT8 };
    enum { REQUEST_PERMISSION = 0x1023, TILE_DATA = 18 };
    unsigned a, b, c, d;
    return __get_cpuid_count(7, 0, &a, &b, &c, &d) && (d & ALL) == ALL &&
           syscall(SYS_arch_prctl, REQUEST_PERMISSION, TILE_DATA) == 0;
}
#endif

static uint32_t dots_of_host(void) {
    uint32_t flags = 0;
#if defined(__x86_64__)
    __builtin_cpu_init();
    if (__builtin_cpu_supports("avx512vnni")) flags |= CPU_DOTS_U8S8;
    /* With them, Intel's CPUs take 1.05 to 1.4 times as long as with products of floats. */
    if (__builtin_cpu_supports("avx512bf16") && __builtin_cpu_is("amd")) flags |= CPU_DOTS_BF16;
    if ((flags & CPU_DOTS_U8S8) && has_tiles()) flags |= CPU_DOTS_TILES;
#endif
    return flags;
}

/* ZE_CPU_DOTS; false: the CPU's own. */
static bool chosen_dots(uint32_t *flags) {
    static const struct {
        const char *name;
        uint32_t flags;
    } choices[] = {
            {"none", 0},
            {"vectors", CPU_DOTS_U8S8 | CPU_DOTS_BF16},
            {"tiles", CPU_DOTS_U8S8 | CPU_DOTS_BF16 | CPU_DOTS_TILES},
    };
    const char *name = getenv("ZE_CPU_DOTS");
    for (size_t i = 0; name && i < COUNT_OF(choices); i++) {
        *flags = choices[i].flags;
        if (strcmp(name, choices[i].name) == 0) return true;
    }
    return false;
}

bool dots_are_software(void) {
    uint32_t flags;
    return chosen_dots(&flags);
}

/* The functions are bound in bitcode: a PoCL that takes SPIR-V itself gets none of them. */
uint32_t dots_module_flags(void) {
    const ocl_t *ocl = ocl_get();
    const host_t *host;
    uint32_t flags;
    if (!ocl || ocl->is_gpu || ocl->supports_spirv || !llvm_api()) return 0;
    if (chosen_dots(&flags)) return flags;
    return host_get(&host) == ZE_RESULT_SUCCESS && host->simd_width >= 16 ? dots_of_host() : 0;
}
