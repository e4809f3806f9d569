/* SPDX-License-Identifier: Apache-2.0 */
/* zstd's archive reads formats from before its first release, too, which takes 90 KB: v0.5 to v0.7.
 * What the build packs has none of them. These functions stand for that code, so that the linker
 * leaves it out. A shared zstd has its own. */
#ifdef DNNL_ZE_ZSTD
#include <stddef.h>

/* Nobody calls them: no frame in a pack has the number of such a format. They are weak, because a
 * zstd that calls one more function of that code brings all of it, with the same names. */
#define ABSENT(name)                                                                               \
    __attribute__((weak)) size_t name(void);                                                       \
    size_t name(void) {                                                                            \
        return 0;                                                                                  \
    }
#define ABSENT_FORMAT(version)                                                                     \
    ABSENT(ZSTD##version##_createDCtx)                                                             \
    ABSENT(ZSTD##version##_freeDCtx)                                                               \
    ABSENT(ZSTD##version##_decompress_usingDict)                                                   \
    ABSENT(ZSTD##version##_findFrameSizeInfoLegacy)                                                \
    ABSENT(ZSTD##version##_getFrameParams)                                                         \
    ABSENT(ZBUFF##version##_createDCtx)                                                            \
    ABSENT(ZBUFF##version##_freeDCtx)                                                              \
    ABSENT(ZBUFF##version##_decompressInitDictionary)                                              \
    ABSENT(ZBUFF##version##_decompressContinue)

ABSENT_FORMAT(v05)
ABSENT_FORMAT(v06)
ABSENT_FORMAT(v07)
#endif
