/* SPDX-License-Identifier: Apache-2.0 */
/* Folders for files that outlive the process. */
#ifndef ZE_CPU_CACHE_DIR_H
#define ZE_CPU_CACHE_DIR_H

#include <stdbool.h>

/* Creates the folder and its parents, for this user only. Returns whether files can be created in
 * it. */
bool cache_dir_ready(const char *path);

/* If PoCL cannot write its cache, it fails or ends the process. In that case this function sets
 * POCL_CACHE_DIR to a folder of this user in $TMPDIR or /tmp. Call it before the first call of
 * OpenCL. */
void cache_dir_for_pocl(void);

#endif
