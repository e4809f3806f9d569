/* SPDX-License-Identifier: Apache-2.0 */
/* A Level Zero driver that never answers, or with BROKEN_DRIVER=crash in the environment crashes:
 * as soon as the loader loads it. */
#include <stdlib.h>
#include <unistd.h>

__attribute__((constructor)) static void start(void) {
    if (getenv("BROKEN_DRIVER")) abort();
    for (;;) pause();
}
